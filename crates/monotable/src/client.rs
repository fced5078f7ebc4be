//! Calls of the DynamoDB API over plain HTTP/1.1, for the commands that talk to a running server.
//! The credentials have the form that is asked for and no meaning.

mod connection;
mod persistent;

pub(crate) use persistent::{Persistent, Waits};

use clap::Args;
use connection::Connection;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    io::{self, ErrorKind},
    time::SystemTime,
};

/// The operations of DynamoDB Streams, which is a service of its own.
const STREAM_OPERATIONS: [&str; 4] =
    ["ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"];

/// The operations that are Monotable's own.
const OWN_OPERATIONS: [&str; 4] =
    ["RestoreItems", "DescribeRestore", "ListRestores", "DescribeItemHistory"];

const USUAL_ENDPOINT: &str = "http://127.0.0.1:8000";

/// Where the server is, as the command line says it.
#[derive(Debug, Args)]
pub struct EndpointOption {
    /// Where the server is
    #[arg(
        long,
        value_name = "URL",
        env = "MONOTABLE_ENDPOINT",
        default_value = USUAL_ENDPOINT
    )]
    endpoint: String,
}

impl EndpointOption {
    /// A client of that server. Nothing is sent yet.
    pub fn client(&self) -> Result<Client, CallError> {
        Ok(Client { address: parse(&self.endpoint)?, connection: None })
    }

    /// As it was given.
    pub fn url(&self) -> &str {
        &self.endpoint
    }

    /// What a command needs to reach the same server, behind its other arguments.
    pub fn flag(&self) -> String {
        match self.endpoint.as_str() {
            USUAL_ENDPOINT => String::new(),
            other => format!(" --endpoint {other}"),
        }
    }
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("'{0}' is no endpoint; write it like http://127.0.0.1:8000")]
    Endpoint(String),
    #[error("cannot reach {address}: {source}; is the server running?")]
    Connection { address: String, source: io::Error },
    #[error("{address} does not answer like DynamoDB: {detail}")]
    Answer { address: String, detail: String },
    #[error("{name}: {message}")]
    Refused { status: u16, name: String, message: String },
}

impl CallError {
    /// Whether the server refused the call with this error.
    pub fn is(&self, wanted: &str) -> bool {
        matches!(self, CallError::Refused { name, .. } if name == wanted)
    }

    /// Whether the same call may succeed later.
    pub fn may_pass(&self) -> bool {
        match self {
            CallError::Connection { .. } => true,
            CallError::Refused { status, name, .. } => {
                *status >= 500 || name == "LimitExceededException" || self.is_throttling()
            }
            CallError::Endpoint(_) | CallError::Answer { .. } => false,
        }
    }
}

#[derive(serde::Deserialize)]
struct Refusal {
    #[serde(rename = "__type")]
    name: String,
    #[serde(default, alias = "Message")]
    message: String,
}

/// A client of one server. It keeps its connection from call to call.
#[derive(Debug)]
pub struct Client {
    address: String,
    connection: Option<Connection>,
}

impl Client {
    /// Calls an operation; gives its answer. A call that fails is not repeated.
    pub fn call<T: DeserializeOwned>(
        &mut self,
        operation: &str,
        request: &impl Serialize,
    ) -> Result<T, CallError> {
        let answer = self.send(operation, request).map_err(|source| match source.kind() {
            ErrorKind::InvalidData => self.misanswer(&source.to_string()),
            _ => CallError::Connection { address: self.address.clone(), source },
        })?;
        // What is not JSON of DynamoDB comes from something else at this address.
        let unread = |_| self.misanswer(&answer.line);
        if answer.status == 200 {
            return serde_json::from_slice(&answer.body).map_err(unread);
        }
        let refusal: Refusal = serde_json::from_slice(&answer.body).map_err(unread)?;
        let name = refusal.name.rsplit('#').next().unwrap_or_default().to_owned();
        Err(CallError::Refused { status: answer.status, name, message: refusal.message })
    }

    /// The error of an answer that cannot be.
    pub fn misanswer(&self, detail: &str) -> CallError {
        CallError::Answer { address: self.address.clone(), detail: detail.to_owned() }
    }

    fn send(
        &mut self,
        operation: &str,
        request: &impl Serialize,
    ) -> io::Result<connection::Answer> {
        let request = self.request(operation, &serde_json::to_string(request)?);
        let mut connection = match self.connection.take() {
            Some(kept) => kept,
            None => Connection::open(&self.address)?,
        };
        let answer = connection.send(&request)?;
        self.connection = Some(connection).filter(|_| answer.reusable);
        Ok(answer)
    }

    fn request(&self, operation: &str, body: &str) -> String {
        let service = if STREAM_OPERATIONS.contains(&operation) {
            "DynamoDBStreams_20120810"
        } else if OWN_OPERATIONS.contains(&operation) {
            "Monotable_1"
        } else {
            "DynamoDB_20120810"
        };
        let moment = basic_time();
        let day = moment.get(..8).unwrap_or_default();
        format!(
            "POST / HTTP/1.1\r\n\
             Host: {}\r\n\
             Content-Type: application/x-amz-json-1.0\r\n\
             Content-Length: {}\r\n\
             X-Amz-Date: {moment}\r\n\
             X-Amz-Target: {service}.{operation}\r\n\
             Authorization: AWS4-HMAC-SHA256 \
             Credential=monotable/{day}/us-east-1/dynamodb/aws4_request, \
             SignedHeaders=host;x-amz-date;x-amz-target, Signature={}\r\n\r\n{body}",
            self.address,
            body.len(),
            "0".repeat(64),
        )
    }
}

/// The address in `http://host:port`.
fn parse(url: &str) -> Result<String, CallError> {
    let address = url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
    match address.filter(|rest| !rest.is_empty() && !rest.contains(['/', '?', '@'])) {
        Some(rest) if has_port(rest) => Ok(rest.to_owned()),
        Some(rest) => Ok(format!("{rest}:80")),
        None => Err(CallError::Endpoint(url.to_owned())),
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
            let found = parse(url).ok();
            assert_eq!(found.as_deref(), expect, "{url}");
        }
    }

    #[test]
    fn calls_name_the_service_of_their_operation() {
        let client = Client { address: "a:1".to_owned(), connection: None };
        for (operation, service) in [
            ("GetRecords", "DynamoDBStreams_20120810"),
            ("GetItem", "DynamoDB_20120810"),
            ("RestoreItems", "Monotable_1"),
        ] {
            let request = client.request(operation, "{}");
            assert!(request.contains(&format!("X-Amz-Target: {service}.{operation}\r\n")));
            assert!(request.contains("Content-Length: 2\r\n"));
            assert!(request.ends_with("\r\n\r\n{}"));
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
