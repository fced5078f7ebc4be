//! DynamoDB requests beyond the hot path: with their answers read, and errors told apart.

use crate::http::{CallError, Connection};
use serde_json::{Map, Value};
use std::{
    fmt, thread,
    time::{Duration, Instant},
};

/// A read that takes more pages goes round in circles.
const MOST_PAGES: usize = 10_000;

/// Why a request did not succeed.
#[derive(Debug)]
pub enum RequestError {
    /// There is no answer.
    Call(CallError),
    /// The server refused.
    Refused(Refusal),
    /// The server answered, but should not have so.
    Unexpected(&'static str),
}

/// An error answer.
#[derive(Debug)]
pub struct Refusal {
    status: u16,
    kind: String,
    message: String,
    reasons: Vec<String>,
    item: Option<Value>,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Call(error) => error.fmt(f),
            RequestError::Refused(refusal) => refusal.fmt(f),
            RequestError::Unexpected(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for RequestError {}

impl RequestError {
    /// Whether there is no such table.
    pub fn is_not_found(&self) -> bool {
        self.is("ResourceNotFoundException")
    }

    /// Whether the server refused with this error.
    pub fn is(&self, kind: &str) -> bool {
        matches!(self, RequestError::Refused(refusal) if refusal.kind == kind)
    }
}

impl Refusal {
    /// Reads an error answer; also one that is not as it should be.
    pub fn read(status: u16, body: &[u8]) -> Refusal {
        let value: Value = serde_json::from_slice(body).unwrap_or_default();
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let kind = text("__type").unwrap_or_default();
        let kind = kind.rsplit('#').next().unwrap_or_default().to_owned();
        let message = text("message").or_else(|| text("Message"));
        let message = message.map_or_else(
            || String::from_utf8_lossy(body).chars().take(200).collect::<String>(),
            str::to_owned,
        );
        let reasons = value.get("CancellationReasons").and_then(Value::as_array);
        let reason = |reason: &Value| reason.get("Code")?.as_str().map(str::to_owned);
        let reasons = reasons.into_iter().flatten().map(|r| reason(r).unwrap_or_default());
        let reasons = reasons.collect();
        Refusal { status, kind, message, reasons, item: value.get("Item").cloned() }
    }

    /// The error's name, without its namespace.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The item that a condition did not hold for, if it was asked for and is there.
    pub fn item(&self) -> Option<&Value> {
        self.item.as_ref()
    }

    /// Why each action of a transaction cancelled it; empty if it was no such refusal.
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status, self.kind, self.message)
    }
}

/// Sends a request whose answer is only awaited.
pub fn send(connection: &mut Connection, operation: &str, body: &str) -> Result<(), RequestError> {
    let answer = connection.call(operation, body).map_err(RequestError::Call)?;
    if answer.status == 200 {
        Ok(())
    } else {
        Err(RequestError::Refused(Refusal::read(answer.status, answer.body)))
    }
}

/// Sends a request and reads its answer.
pub fn ask(
    connection: &mut Connection,
    operation: &str,
    body: &str,
) -> Result<Value, RequestError> {
    let answer = connection.call(operation, body).map_err(RequestError::Call)?;
    if answer.status != 200 {
        return Err(RequestError::Refused(Refusal::read(answer.status, answer.body)));
    }
    serde_json::from_slice(answer.body)
        .map_err(|_| RequestError::Call(CallError::Malformed("an answer that is not JSON")))
}

/// A table's description, or none if there is no such table.
pub fn describe(connection: &mut Connection, table: &str) -> Result<Option<Value>, RequestError> {
    match ask(connection, "DescribeTable", &named(table)) {
        Ok(mut answer) => Ok(answer.get_mut("Table").map(Value::take)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The body of a request that names a table and nothing else.
pub fn named(table: &str) -> String {
    format!(r#"{{"TableName":"{table}"}}"#)
}

/// Reads all pages of a Query or a Scan; their items.
pub fn all_pages(
    connection: &mut Connection,
    operation: &str,
    mut request: Map<String, Value>,
) -> Result<Vec<Value>, RequestError> {
    let mut found = Vec::new();
    for _ in 0..MOST_PAGES {
        let body = Value::Object(request.clone()).to_string();
        let mut answer = ask(connection, operation, &body)?;
        if let Some(Value::Array(items)) = answer.get_mut("Items") {
            found.append(items);
        }
        match answer.get_mut("LastEvaluatedKey") {
            Some(key) => request.insert("ExclusiveStartKey".to_owned(), key.take()),
            None => return Ok(found),
        };
    }
    Err(RequestError::Call(CallError::Malformed("pages without end")))
}

/// Waits until a table takes requests, or until it is gone. Says whether it came to that.
pub fn settle(
    connection: &mut Connection,
    table: &str,
    there: bool,
    patience: Duration,
) -> Result<bool, RequestError> {
    let deadline = Instant::now() + patience;
    loop {
        let description = describe(connection, table)?;
        let status = description.as_ref().and_then(|d| d.get("TableStatus")?.as_str());
        if (there && status == Some("ACTIVE")) || (!there && description.is_none()) {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        thread::sleep(Duration::from_millis(20));
    }
}
