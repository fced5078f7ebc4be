//! One call of the DynamoDB API over plain HTTP/1.1, a connection a call. The credentials have the
//! form that is asked for and no meaning.

use serde::{Serialize, de::DeserializeOwned};
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, SystemTime},
};

const PATIENCE: Duration = Duration::from_secs(120);
/// More than any answer has.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("'{0}' is no endpoint; write it like http://127.0.0.1:8000")]
    Endpoint(String),
    #[error("cannot reach {address}: {source}; is the server running?")]
    Connection { address: String, source: std::io::Error },
    #[error("{address} does not answer like DynamoDB: {detail}")]
    Answer { address: String, detail: String },
    #[error("{name}: {message}")]
    Refused { name: String, message: String },
}

#[derive(serde::Deserialize)]
struct Refusal {
    #[serde(rename = "__type")]
    name: String,
    #[serde(default, alias = "Message")]
    message: String,
}

/// A server's address.
#[derive(Debug, PartialEq, Eq)]
pub struct Endpoint {
    address: String,
}

impl Endpoint {
    /// Reads `http://host:port`.
    pub fn parse(url: &str) -> Result<Endpoint, CallError> {
        let address = url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
        match address.filter(|rest| !rest.is_empty() && !rest.contains(['/', '?', '@'])) {
            Some(rest) if has_port(rest) => Ok(Endpoint { address: rest.to_owned() }),
            Some(rest) => Ok(Endpoint { address: format!("{rest}:80") }),
            None => Err(CallError::Endpoint(url.to_owned())),
        }
    }

    /// Calls an operation; gives its answer.
    pub fn call<T: DeserializeOwned>(
        &self,
        operation: &str,
        request: &impl Serialize,
    ) -> Result<T, CallError> {
        let address = || self.address.clone();
        let request = serde_json::to_string(request).map_err(std::io::Error::from);
        let answer = request.and_then(|request| self.send(operation, &request));
        let answer =
            answer.map_err(|source| CallError::Connection { address: address(), source })?;
        let wrong = |detail: &str| CallError::Answer { address: address(), detail: detail.into() };
        let split = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let (head, body) = split
            .and_then(|at| answer.split_at_checked(at + 4))
            .ok_or_else(|| wrong("the answer has no head"))?;
        let head = String::from_utf8_lossy(head);
        // What is not JSON of DynamoDB comes from something else at this address.
        let unread = |_| wrong(head.lines().next().unwrap_or_default());
        if head.split_whitespace().nth(1) == Some("200") {
            return serde_json::from_slice(body).map_err(unread);
        }
        let refusal: Refusal = serde_json::from_slice(body).map_err(unread)?;
        let name = refusal.name.rsplit('#').next().unwrap_or_default();
        Err(CallError::Refused { name: name.to_owned(), message: refusal.message })
    }

    fn send(&self, operation: &str, body: &str) -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let moment = basic_time();
        let day = moment.get(..8).unwrap_or_default();
        write!(
            stream,
            "POST / HTTP/1.1\r\n\
             Host: {}\r\n\
             Content-Type: application/x-amz-json-1.0\r\n\
             Content-Length: {}\r\n\
             X-Amz-Date: {moment}\r\n\
             X-Amz-Target: DynamoDB_20120810.{operation}\r\n\
             Authorization: AWS4-HMAC-SHA256 \
             Credential=monotable/{day}/us-east-1/dynamodb/aws4_request, \
             SignedHeaders=host;x-amz-date;x-amz-target, Signature={}\r\n\
             Connection: close\r\n\r\n{body}",
            self.address,
            body.len(),
            "0".repeat(64),
        )?;
        stream.flush()?;
        let mut answer = Vec::new();
        stream.take(MOST_BYTES).read_to_end(&mut answer)?;
        Ok(answer)
    }
}

/// Whether there is a port behind the host, which may be an IPv6 address in brackets.
fn has_port(rest: &str) -> bool {
    let behind_host = rest.rsplit(']').next().unwrap_or_default();
    behind_host.contains(':')
}

/// `20260101T000000Z`.
fn basic_time() -> String {
    let text = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    text.replace(['-', ':'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_plain_http() {
        for (url, expect) in [
            ("http://127.0.0.1:8000", Some("127.0.0.1:8000")),
            ("http://localhost:8000/", Some("localhost:8000")),
            ("http://localhost", Some("localhost:80")),
            ("http://[::1]:8000", Some("[::1]:8000")),
            ("http://[::1]", Some("[::1]:80")),
            ("https://localhost", None),
            ("localhost:8000", None),
            ("http://", None),
            ("http://a/b", None),
        ] {
            let found = Endpoint::parse(url).ok().map(|endpoint| endpoint.address);
            assert_eq!(found.as_deref(), expect, "{url}");
        }
    }

    #[test]
    fn time_is_in_the_basic_format() {
        let time = basic_time();
        assert_eq!(time.len(), 16, "{time}");
        assert_eq!(&time[8..9], "T");
        assert!(time.ends_with('Z'));
    }
}
