//! Restores into tables, and what those tables must have.

use super::{
    backup::Kept,
    check::Sums,
    filter::Filter,
    moment::Moment,
    stage::Notes,
    table::{Items, NAME, date},
};
use crate::random::Random;
use serde_json::{Map, Value, json};
use std::{borrow::Cow, sync::Arc};

/// What is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A table at a moment.
    Whole,
    /// Some of its items at a moment.
    Part,
    /// A backup.
    Backup,
}

/// A restore into a table.
pub struct Wanted {
    /// What is restored.
    pub kind: Kind,
    /// The table.
    pub name: String,
    /// The operation.
    pub operation: &'static str,
    /// Its body.
    pub body: String,
    source: Source,
}

enum Source {
    Moment(Arc<Moment>, Option<Filter>),
    Backup(Arc<Kept>),
}

impl Wanted {
    /// Chooses one, if anything is known to restore.
    pub fn choose(notes: &Notes, random: &mut Random, name: String) -> Option<Wanted> {
        let chance = random.between(0, 100);
        if chance < 12
            && let Some(backup) = notes.backup(random)
        {
            return Some(Wanted::backup(backup, name));
        }
        let moment = notes.moment(random)?;
        let at = date(moment.millis);
        if chance < 35 {
            let filter = Filter::choose(random);
            let mut request = Map::from_iter([
                ("TableName".to_owned(), NAME.into()),
                ("TargetTableName".to_owned(), name.as_str().into()),
                ("RestoreDateTime".to_owned(), at),
            ]);
            filter.add_to(&mut request);
            let body = Value::Object(request).to_string();
            let source = Source::Moment(moment, Some(filter));
            return Some(Wanted {
                kind: Kind::Part,
                name,
                operation: "RestoreItems",
                body,
                source,
            });
        }
        let body = json!({"SourceTableName": NAME, "TargetTableName": name, "RestoreDateTime": at})
            .to_string();
        let (operation, source) = ("RestoreTableToPointInTime", Source::Moment(moment, None));
        Some(Wanted { kind: Kind::Whole, name, operation, body, source })
    }

    /// A restore of a backup.
    pub fn backup(backup: Arc<Kept>, name: String) -> Wanted {
        let body = json!({"BackupArn": backup.arn, "TargetTableName": name}).to_string();
        let (operation, source) = ("RestoreTableFromBackup", Source::Backup(backup));
        Wanted { kind: Kind::Backup, name, operation, body, source }
    }

    /// What the table must have.
    pub fn items(&self) -> Cow<'_, Items> {
        match &self.source {
            Source::Moment(moment, None) => Cow::Borrowed(&moment.items),
            Source::Moment(moment, Some(filter)) => Cow::Owned(filter.part(&moment.items)),
            Source::Backup(backup) => Cow::Borrowed(&backup.items),
        }
    }

    /// Items that expire by this second may be gone.
    pub fn second(&self) -> u64 {
        match &self.source {
            Source::Moment(moment, _) => moment.second(),
            Source::Backup(_) => 0,
        }
    }

    /// Its bytes, if they are known.
    pub fn bytes(&self) -> Option<Sums> {
        match &self.source {
            Source::Moment(moment, None) => moment.bytes,
            Source::Moment(_, Some(_)) => None,
            Source::Backup(backup) => Some(backup.bytes),
        }
    }
}
