//! Where objects are kept. It is the operator who says so; nothing here comes from a request.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Where buckets are.
#[derive(Clone, Debug)]
pub enum StorageConfig {
    /// S3, or a server that speaks its protocol.
    S3(S3Config),
    /// A folder of this machine; its subfolders are the buckets.
    Folder(PathBuf),
}

/// How to reach an S3 server.
#[derive(Clone)]
pub struct S3Config {
    /// `https://host:port`; AWS itself if absent.
    pub endpoint: Option<String>,
    /// The region that requests are signed for.
    pub region: String,
    /// The access key id.
    pub access_key: String,
    /// The secret access key.
    pub secret_key: String,
    /// Whether an endpoint without TLS is accepted.
    pub allow_http: bool,
    /// `host/bucket/key` instead of `bucket.host/key`.
    pub path_style: bool,
}

impl fmt::Debug for S3Config {
    /// Leaves the secret out: configurations end up in logs.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("S3Config")
            .field("endpoint", &self.endpoint)
            .field("region", &self.region)
            .field("access_key", &self.access_key)
            .field("allow_http", &self.allow_http)
            .field("path_style", &self.path_style)
            .finish_non_exhaustive()
    }
}

/// How long a storage is waited for. Whatever it does, every use of it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From the start of a request to the head of its answer; a part of an upload goes out in this.
    pub answer: Duration,
    /// Between two pieces of an answer.
    pub silence: Duration,
    /// From the first try of a request to the start of its last.
    pub retry: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            answer: Duration::from_secs(60),
            silence: Duration::from_secs(30),
            retry: Duration::from_secs(60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_is_not_shown() {
        let config = StorageConfig::S3(S3Config {
            endpoint: None,
            region: "eu-west-1".to_owned(),
            access_key: "AKEY".to_owned(),
            secret_key: "hidden".to_owned(),
            allow_http: false,
            path_style: true,
        });
        let shown = format!("{config:?}");
        assert!(shown.contains("AKEY") && !shown.contains("hidden"), "{shown}");
    }
}
