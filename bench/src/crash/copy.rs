//! One copy of the table: how it is asked for, how far it is, and what it must have.

use super::notes::{Noted, Notes, Source};
use crate::{
    changes::{
        contents::{self, Contents, differences},
        index::BY_GROUP,
        table::{TABLE, key_schema},
    },
    outage::Violation,
};
use serde_json::json;
use std::{fmt, sync::Arc};

/// Where exports go.
pub const BUCKET: &str = "exports";

/// How far a copy is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// It is to be asked for, or was without an answer.
    Ask,
    /// It is being exported.
    Exporting(String),
    /// The import of this export is to be asked for.
    AskImport(String),
    /// It is being imported.
    Importing(String),
    /// The table is made.
    Filling,
    /// What it has is right, and it has to go.
    Compared,
}

/// A copy under way.
pub struct Copy {
    /// What it is a copy of.
    pub source: Source,
    /// Whether by export and import.
    pub by_files: bool,
    /// What it must have.
    pub noted: Arc<Noted>,
    /// Its table.
    pub table: String,
    /// How far it is.
    pub step: Step,
}

impl fmt::Display for Copy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.by_files { "by export and import " } else { "" };
        write!(f, "copying {:?} {how}into {}, {:?}", self.source, self.table, self.step)
    }
}

impl Copy {
    /// The request that restores it.
    pub fn restore(&self) -> (&'static str, String) {
        let target = &self.table;
        match &self.source {
            Source::Moment(millis) => {
                let body = json!({
                    "SourceTableName": TABLE,
                    "TargetTableName": target,
                    "RestoreDateTime": *millis as f64 / 1e3,
                });
                ("RestoreTableToPointInTime", body.to_string())
            }
            Source::Backup(arn) => {
                let body = json!({"BackupArn": arn, "TargetTableName": target});
                ("RestoreTableFromBackup", body.to_string())
            }
        }
    }

    /// The request that exports what it is a copy of.
    pub fn export(&self, notes: &Notes) -> String {
        let millis = match self.source {
            Source::Moment(millis) => millis,
            Source::Backup(_) => 0,
        };
        json!({
            "TableArn": notes.table,
            "ExportTime": millis as f64 / 1e3,
            "S3Bucket": BUCKET,
            "S3Prefix": self.table,
            "ClientToken": self.table,
        })
        .to_string()
    }

    /// The request that imports that export.
    pub fn import(&self, export: &str) -> String {
        let id = export.rsplit('/').next().unwrap_or_default();
        let prefix = format!("{}/AWSDynamoDB/{id}/data/", self.table);
        json!({
            "ClientToken": self.table,
            "S3BucketSource": {"S3Bucket": BUCKET, "S3KeyPrefix": prefix},
            "InputFormat": "DYNAMODB_JSON",
            "InputCompressionType": "GZIP",
            "TableCreationParameters": {
                "TableName": self.table,
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [
                    {"AttributeName": "pk", "AttributeType": "S"},
                    {"AttributeName": "sk", "AttributeType": "S"},
                    BY_GROUP.attribute(),
                ],
                "KeySchema": key_schema(),
                "GlobalSecondaryIndexes": [BY_GROUP.definition()],
            },
        })
        .to_string()
    }

    /// What is wrong with what the table has.
    pub fn violations(&self, found: &Contents) -> Vec<Violation> {
        let what = self.to_string();
        let mut violations = contents::check(&what, found);
        let expected = self.noted.expected(&found.items);
        let differences = differences(&expected, &found.items);
        let text = |text| Violation::inconsistent(format!("{what}: {text}"));
        violations.extend(differences.into_iter().map(text));
        violations
    }
}
