//! Backups of the table. Each is cut off by an end of the server, while nobody writes, so that it
//! is known what it must have.

use crate::{
    changes::table::TABLE,
    dynamo::{RequestError, ask, send},
    http::Connection,
    outage::PATIENCE,
};
use serde_json::{Value, json};
use std::{
    thread,
    time::{Duration, Instant},
};

/// Begins a backup. Gives its ARN.
pub fn begin(connection: &mut Connection, name: &str) -> Result<String, RequestError> {
    let body = json!({"TableName": TABLE, "BackupName": name}).to_string();
    let answer = ask(connection, "CreateBackup", &body)?;
    let arn = answer.pointer("/BackupDetails/BackupArn").and_then(Value::as_str);
    arn.map(str::to_owned).ok_or(RequestError::Unexpected("a backup without an ARN"))
}

/// Waits until a backup can be restored.
pub fn finish(connection: &mut Connection, arn: &str) -> Result<(), RequestError> {
    let deadline = Instant::now() + PATIENCE;
    let body = json!({"BackupArn": arn}).to_string();
    while Instant::now() < deadline {
        let answer = ask(connection, "DescribeBackup", &body)?;
        let status = answer.pointer("/BackupDescription/BackupDetails/BackupStatus");
        if status.is_some_and(|status| status == "AVAILABLE") {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(3));
    }
    Err(RequestError::Unexpected("a backup that does not become available"))
}

/// Removes a backup that no copy is made of.
pub fn delete(connection: &mut Connection, arn: &str) -> Result<(), RequestError> {
    let body = json!({"BackupArn": arn}).to_string();
    match send(connection, "DeleteBackup", &body) {
        Err(error) if error.is("BackupInUseException") => Ok(()),
        answer => answer,
    }
}
