//! One export or import: asked for, and watched to its end.

use super::{files::BUCKET, table};
use crate::{
    Failure,
    dynamo::ask,
    expiry::connect,
    http::{Connection, Endpoint},
    monotable::Monotable,
    scale::Memory,
};
use serde_json::{Value, json};
use std::{
    thread,
    time::{Duration, Instant},
};

/// How often to look.
const LOOK: Duration = Duration::from_millis(50);
/// What is not over after so long has failed.
const STUCK: Duration = Duration::from_secs(1800);

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An export.
    Export,
    /// An import.
    Import,
}

/// An export or import that was asked for.
#[derive(Debug, Clone)]
pub struct Transfer {
    kind: Kind,
    /// Its ARN.
    pub arn: String,
}

/// How it ended.
pub struct End {
    /// Whether all went well.
    pub completed: bool,
    /// Its description.
    pub description: Value,
    /// How long it was watched.
    pub time: Duration,
    /// The most memory that the server had.
    pub memory: Memory,
}

impl End {
    /// A count of the description.
    pub fn count(&self, name: &str) -> u64 {
        self.description.get(name).and_then(Value::as_u64).unwrap_or_default()
    }
}

/// Asks for an export of the table at a moment.
pub fn export(endpoint: &Endpoint, moment: f64) -> Result<Transfer, Failure> {
    let mut connection = connect(endpoint)?;
    let table =
        ask(&mut connection, "DescribeTable", &json!({"TableName": table::NAME}).to_string())?;
    let arn = table.pointer("/Table/TableArn").ok_or("the table has no ARN")?;
    let request = json!({
        "TableArn": arn, "S3Bucket": BUCKET, "ExportFormat": "DYNAMODB_JSON", "ExportTime": moment,
    });
    let answer = ask(&mut connection, "ExportTableToPointInTime", &request.to_string())?;
    Transfer::of(Kind::Export, answer.pointer("/ExportDescription/ExportArn"))
}

/// Asks for an import of an export's files into a table.
pub fn import(endpoint: &Endpoint, export: &Transfer, name: &str) -> Result<Transfer, Failure> {
    let id = export.arn.rsplit('/').next().unwrap_or_default();
    let prefix = format!("AWSDynamoDB/{id}/data/");
    let request = json!({
        "S3BucketSource": {"S3Bucket": BUCKET, "S3KeyPrefix": prefix},
        "InputFormat": "DYNAMODB_JSON",
        "InputCompressionType": "GZIP",
        "TableCreationParameters": table::definition(name),
    });
    let answer = ask(&mut connect(endpoint)?, "ImportTable", &request.to_string())?;
    Transfer::of(Kind::Import, answer.pointer("/ImportTableDescription/ImportArn"))
}

impl Transfer {
    fn of(kind: Kind, arn: Option<&Value>) -> Result<Transfer, Failure> {
        let arn = arn.and_then(Value::as_str).ok_or("the answer has no ARN")?;
        Ok(Transfer { kind, arn: arn.to_owned() })
    }

    /// Its status and its description.
    fn look(&self, connection: &mut Connection) -> Result<(String, Value), Failure> {
        let (operation, argument, member, status) = match self.kind {
            Kind::Export => ("DescribeExport", "ExportArn", "ExportDescription", "ExportStatus"),
            Kind::Import => {
                ("DescribeImport", "ImportArn", "ImportTableDescription", "ImportStatus")
            }
        };
        let request = json!({argument: self.arn}).to_string();
        let mut answer = ask(connection, operation, &request)?;
        let description = answer.get_mut(member).map(Value::take).unwrap_or_default();
        let status = description.get(status).and_then(Value::as_str).ok_or("no status")?;
        Ok((status.to_owned(), description))
    }

    /// Watches it to its end.
    pub fn over(&self, server: &Monotable) -> Result<End, Failure> {
        let mut connection = connect(&server.endpoint)?;
        let mut memory = Memory::of(server.process.id())?;
        let begun = Instant::now();
        loop {
            let (status, description) = self.look(&mut connection)?;
            let found = Memory::of(server.process.id())?;
            memory.resident = memory.resident.max(found.resident);
            memory.anonymous = memory.anonymous.max(found.anonymous);
            if status != "IN_PROGRESS" {
                let completed = status == "COMPLETED";
                return Ok(End { completed, description, time: begun.elapsed(), memory });
            }
            if begun.elapsed() > STUCK {
                return Err(format!("{} does not end: {description}", self.arn).into());
            }
            thread::sleep(LOOK);
        }
    }

    /// Whether it is under way.
    pub fn is_under_way(&self, endpoint: &Endpoint) -> Result<bool, Failure> {
        Ok(self.look(&mut connect(endpoint)?)?.0 == "IN_PROGRESS")
    }
}
