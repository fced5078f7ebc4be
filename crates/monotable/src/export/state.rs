//! How far an export to a file has come, as it is recorded beside the file.

use crate::{ending::Ending, files::FileFormat};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What is exported. An export goes on only with the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Wish {
    pub(super) table: String,
    pub(super) format: FileFormat,
    pub(super) columns: Option<Vec<String>>,
    pub(super) filter: Option<String>,
    pub(super) names: Option<String>,
    pub(super) values: Option<String>,
    /// The moment as it was given.
    pub(super) at: Option<String>,
}

/// A moment, and the table that holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TableCopy {
    /// Milliseconds since 1970.
    pub(super) moment: u64,
    pub(super) table: String,
}

/// The state of an export.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) version: u32,
    pub(super) wish: Wish,
    /// Which table of that name it is.
    pub(super) table_id: String,
    pub(super) copy: Option<TableCopy>,
    pub(super) phase: Phase,
    pub(super) segments: Vec<Position>,
    pub(super) items: u64,
    /// The length of the file that items are written to, up to these positions.
    pub(super) bytes: u64,
}

/// What there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) enum Phase {
    /// Items are read from the server.
    Reading,
    /// They have been read, and are made into what was wished.
    Converting,
    /// The file is whole and only needs its name.
    Whole,
}

/// How far a segment of the table has been read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Position {
    Start,
    Behind(Box<RawValue>),
    End,
}

pub(super) const VERSION: u32 = 1;

impl State {
    pub(super) fn new(wish: Wish, table_id: String, segments: usize) -> State {
        State {
            version: VERSION,
            wish,
            table_id,
            copy: None,
            phase: Phase::Reading,
            segments: vec![Position::Start; segments],
            items: 0,
            bytes: 0,
        }
    }

    /// Refuses to go on with something else.
    pub(super) fn check(&self, wish: &Wish, table_id: &str, file: &str) -> Result<(), Ending> {
        let shown = |text: &Option<String>| text.clone().unwrap_or("none".to_owned());
        let listed = |columns: &Option<Vec<String>>| {
            columns.as_ref().map_or("all".to_owned(), |names| names.join(","))
        };
        let own = &self.wish;
        let differing = [
            ("table", own.table.clone(), wish.table.clone()),
            ("--format", own.format.name().to_owned(), wish.format.name().to_owned()),
            ("--columns", listed(&own.columns), listed(&wish.columns)),
            ("--filter", shown(&own.filter), shown(&wish.filter)),
            ("--names", shown(&own.names), shown(&wish.names)),
            ("--values", shown(&own.values), shown(&wish.values)),
            ("--at", shown(&own.at), shown(&wish.at)),
        ];
        let advice = "give the same command to go on with it, or --restart to begin again";
        if self.version != VERSION {
            return Err(Ending::Failed(format!(
                "the export to {file} was begun by another version; --restart begins again"
            )));
        }
        if let Some((what, before, after)) =
            differing.into_iter().find(|(_, before, after)| before != after)
        {
            return Err(Ending::Usage(format!(
                "an export to {file} has not ended, and its {what} is {before}, not {after}; {advice}"
            )));
        }
        if self.table_id != table_id {
            return Err(Ending::Failed(format!(
                "an export to {file} has not ended, and its table is not the '{}' that there is \
                 today; --restart begins again",
                own.table
            )));
        }
        Ok(())
    }
}
