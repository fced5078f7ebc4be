//! A restore as the server describes it.

use super::error::RestoreError;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::{Duration, SystemTime};

/// An item, with typed attribute values.
pub(crate) type Image = Map<String, Value>;

/// A restore.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct Restore {
    /// As it came.
    pub(super) json: Value,
    pub(super) is: Description,
}

impl TryFrom<Value> for Restore {
    type Error = serde_json::Error;

    fn try_from(json: Value) -> Result<Restore, serde_json::Error> {
        let is = Description::deserialize(&json)?;
        Ok(Restore { json, is })
    }
}

/// What is known of a restore.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Description {
    pub(super) restore_id: String,
    /// None for a backup.
    pub(super) table_name: Option<String>,
    pub(super) backup_arn: Option<String>,
    pub(super) target_table_name: Option<String>,
    pub(super) restore_date_time: Option<f64>,
    pub(super) dry_run: bool,
    pub(super) status: Status,
    pub(super) phase: Phase,
    pub(super) start_date_time: f64,
    pub(super) failure_message: Option<String>,
    pub(super) source_item_count: u64,
    pub(super) items_read: u64,
    pub(super) changes_read: u64,
    pub(super) items_written: u64,
    pub(super) items_deleted: u64,
    pub(super) conflicts: u64,
    #[serde(default)]
    pub(super) samples: Vec<Sample>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Status {
    InProgress,
    Completed,
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Phase {
    Copying,
    Undoing,
    Applying,
    Done,
}

/// An item that would change.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Sample {
    pub(super) now: Option<Image>,
    pub(super) then: Option<Image>,
}

/// Where the items go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal<'d> {
    Preview,
    InPlace,
    Into(&'d str),
}

impl Description {
    pub(super) fn goal(&self) -> Goal<'_> {
        match &self.target_table_name {
            _ if self.dry_run => Goal::Preview,
            Some(target) if self.table_name.as_ref() != Some(target) => Goal::Into(target),
            _ => Goal::InPlace,
        }
    }

    /// Where the items come from.
    pub(super) fn source(&self) -> String {
        match (&self.table_name, &self.backup_arn) {
            (Some(table), _) => format!("'{table}'"),
            (None, Some(arn)) => format!("the backup {arn}"),
            (None, None) => "a backup".to_owned(),
        }
    }

    /// The moment that it goes back to, as it can be given on the command line.
    pub(super) fn moment(&self) -> Option<String> {
        self.restore_date_time.map(moment)
    }

    /// Why it failed, if it did.
    pub(super) fn failure(&self) -> Option<RestoreError> {
        let reason = self.failure_message.clone().unwrap_or_default();
        let failed = RestoreError::Failed { id: self.restore_id.clone(), reason };
        (self.status == Status::Failed).then_some(failed)
    }
}

/// `2026-01-31T12:00:00.5Z`, without a fraction of zero.
pub(crate) fn moment(seconds: f64) -> String {
    let since = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default();
    // The nearest millisecond: a fraction of two cannot hold it.
    let since = since.saturating_add(Duration::from_micros(500));
    let moment = SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH);
    let text = humantime::format_rfc3339_millis(moment).to_string();
    text.strip_suffix(".000Z").map_or(text.clone(), |whole| format!("{whole}Z"))
}

/// `1 item`, `2 items`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    /// A restore in place that has ended, with these members.
    pub(crate) fn restore(members: Value) -> Description {
        let mut json = json!({
            "RestoreId": "3", "TableName": "finance", "TargetTableName": "finance",
            "RestoreDateTime": 1_769_860_800.0, "DryRun": false, "Status": "COMPLETED",
            "Phase": "DONE", "StartDateTime": 1_769_864_400.25, "EndDateTime": 1_769_864_401.0,
            "SourceItemCount": 0, "ItemsRead": 0, "ChangesRead": 0, "ItemsWritten": 0,
            "ItemsDeleted": 0, "Conflicts": 0,
        });
        json.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        Restore::try_from(json).unwrap().is
    }

    #[test]
    fn moments_are_to_the_millisecond() {
        for (seconds, expect) in [
            (1_769_860_800.0, "2026-01-31T12:00:00Z"),
            (1_769_860_800.001, "2026-01-31T12:00:00.001Z"),
            (1_769_860_800.999, "2026-01-31T12:00:00.999Z"),
            (-5.0, "1970-01-01T00:00:00Z"),
            (f64::MAX, "1970-01-01T00:00:00Z"),
        ] {
            assert_eq!(moment(seconds), expect);
        }
    }

    #[test]
    fn goals_are_told_apart() {
        assert_eq!(restore(json!({})).goal(), Goal::InPlace);
        assert_eq!(restore(json!({"TargetTableName": "b"})).goal(), Goal::Into("b"));
        let preview = restore(json!({"TargetTableName": null, "DryRun": true}));
        assert_eq!(preview.goal(), Goal::Preview);
        // A backup of a table may go into one of its name.
        let backup = restore(json!({"TableName": null, "BackupArn": "arn"}));
        assert_eq!(
            (backup.goal(), backup.source().as_str()),
            (Goal::Into("finance"), "the backup arn")
        );
    }

    #[test]
    fn failures_say_why() {
        assert!(restore(json!({})).failure().is_none());
        let failed = restore(json!({"Status": "FAILED", "FailureMessage": "no table"}));
        let text = failed.failure().unwrap().to_string();
        assert_eq!(text, "the restore 3 has failed: no table");
    }
}
