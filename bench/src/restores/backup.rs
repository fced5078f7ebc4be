//! Backups of the table, made while nobody writes.

use super::{
    check::{Sums, sums},
    table::{Items, NAME, read},
};
use crate::{
    dynamo::{RequestError, ask, send},
    http::Connection,
    random::Random,
};
use serde_json::{Value, json};
use std::{
    thread,
    time::{Duration, Instant},
};

/// Backups that are made of one table.
pub const MOST: usize = 4;
/// The longest that one may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A backup and what it must have.
pub struct Kept {
    /// Its ARN.
    pub arn: String,
    /// What was there.
    pub items: Items,
    /// How many bytes that were.
    pub bytes: Sums,
}

/// Makes a backup; none if an item expired meanwhile.
pub fn make(
    connection: &mut Connection,
    random: &mut Random,
) -> Result<Option<Kept>, RequestError> {
    let before = read(connection, NAME, None)?;
    let name = format!("backup-{}", random.between(0, u64::MAX));
    let body = json!({"TableName": NAME, "BackupName": name}).to_string();
    let answer = ask(connection, "CreateBackup", &body)?;
    let arn = answer.pointer("/BackupDetails/BackupArn").and_then(Value::as_str);
    let arn = arn.ok_or(RequestError::Unexpected("a backup without an ARN"))?.to_owned();
    let deadline = Instant::now() + PATIENCE;
    let body = json!({"BackupArn": arn}).to_string();
    loop {
        let answer = ask(connection, "DescribeBackup", &body)?;
        let status = answer.pointer("/BackupDescription/BackupDetails/BackupStatus");
        if status.and_then(Value::as_str) == Some("AVAILABLE") {
            break;
        }
        if Instant::now() > deadline {
            return Err(RequestError::Unexpected("a backup that does not become available"));
        }
        thread::sleep(Duration::from_millis(5));
    }
    let [_, bytes] = sums(connection, NAME)?;
    let after = read(connection, NAME, None)?;
    Ok((before == after).then_some(Kept { arn, items: after, bytes }))
}

/// The backup that the table's last deletion has left, if there is one.
pub fn of_deleted(connection: &mut Connection) -> Result<Option<String>, RequestError> {
    let body = json!({"TableName": NAME, "BackupType": "SYSTEM"}).to_string();
    let answer = ask(connection, "ListBackups", &body)?;
    let all = answer.get("BackupSummaries").and_then(Value::as_array);
    // Nobody may remove them, so that those of earlier tables of the name are there, too.
    let last = all.and_then(|all| all.last()?.get("BackupArn")?.as_str());
    Ok(last.map(str::to_owned))
}

/// Removes a backup.
pub fn delete(connection: &mut Connection, arn: &str) -> Result<(), RequestError> {
    send(connection, "DeleteBackup", &json!({"BackupArn": arn}).to_string())
}
