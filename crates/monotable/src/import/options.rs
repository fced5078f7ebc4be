//! What the command line asks of an import.

use crate::{
    client::EndpointOption,
    ending::Ending,
    files::{FileFormat, format_of},
    table_key::{KeyAttribute, KeyKind, TableKey},
};
use archive::plain::ColumnType;
use clap::{Args, ValueEnum};
use std::{collections::BTreeMap, path::PathBuf};

/// The options of `import`.
#[derive(Debug, Args)]
pub struct ImportOptions {
    /// The table
    #[arg(value_name = "TABLE")]
    pub(super) table: String,

    /// The files, which may end in .gz or .zst; - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,

    /// How items are written: jsonl, dynamodb-json or csv [default: by the names of the files, and
    /// for JSON by the first line]
    #[arg(long, short, value_name = "FORMAT", hide_possible_values = true)]
    pub(super) format: Option<FileFormat>,

    /// Create the table if it is not there, with this key: "PK:S,SK:S", or "id:N"
    #[arg(long, value_name = "KEY")]
    pub(super) create: Option<String>,

    /// Types of columns of CSV: "total:N,paid:BOOL"; keys have the table's types, others are
    /// strings. There are S, N, B, BOOL, SS, NS, BS, L, M and JSON
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub(super) columns: Vec<String>,

    /// What to do with a line that is no item of the table
    #[arg(long, value_name = "WHAT", default_value = "stop")]
    pub(super) on_error: OnError,

    /// File for the lines that are skipped: where they are and what is wrong, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(super) errors: Option<PathBuf>,

    /// How many connections write at a time
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 4,
        value_parser = clap::value_parser!(u16).range(1..=64)
    )]
    pub(super) connections: u16,

    /// The most items a second
    #[arg(long, value_name = "ITEMS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) rate: Option<u32>,

    /// Where it is recorded how far the import is [default: beside the first file; nowhere for
    /// standard input]
    #[arg(long, value_name = "FILE")]
    pub(super) state: Option<PathBuf>,

    /// Only go on with an import that has not ended; without this, one that is found goes on, too
    #[arg(long, conflicts_with = "restart")]
    pub(super) resume: bool,

    /// Begin again with the first line, also if an import has not ended
    #[arg(long)]
    pub(super) restart: bool,

    /// Do not show how far it is
    #[arg(long, short)]
    pub(super) quiet: bool,

    #[command(flatten)]
    pub(super) endpoint: EndpointOption,
}

/// What to do with a bad line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OnError {
    /// End there; what is before it has been written
    Stop,
    /// Leave it out
    Skip,
}

impl ImportOptions {
    /// Refuses formats that cannot be read, before anything is done.
    pub(super) fn check_formats(&self) -> Result<(), Ending> {
        for file in &self.files {
            let named =
                if file.as_os_str() == "-" { Some(FileFormat::Jsonl) } else { format_of(file) };
            match self.format.or(named) {
                Some(FileFormat::Jsonl | FileFormat::DynamodbJson | FileFormat::Csv) => {}
                Some(FileFormat::Parquet) => {
                    return Err(Ending::Usage(
                        "Parquet can be written, but not be read".to_owned(),
                    ));
                }
                None => {
                    return Err(Ending::Usage(format!(
                        "the name of {} does not say a format; --format does",
                        file.display()
                    )));
                }
            }
        }
        Ok(())
    }

    /// The types of columns that were given.
    pub(super) fn types(&self) -> Result<BTreeMap<String, ColumnType>, Ending> {
        let mut types = BTreeMap::new();
        for given in &self.columns {
            let parts = given.rsplit_once(':');
            let parts = parts.and_then(|(name, kind)| Some((name, ColumnType::from_name(kind)?)));
            let Some((name, kind)) = parts.filter(|(name, _)| !name.is_empty()) else {
                return Err(Ending::Usage(format!(
                    "'{given}' in --columns is no name with a type, such as total:N; the types are {}",
                    ColumnType::NAMES
                )));
            };
            types.insert(name.to_owned(), kind);
        }
        Ok(types)
    }

    /// The key of the table to create.
    pub(super) fn key_to_create(&self) -> Result<Option<TableKey>, Ending> {
        let Some(text) = &self.create else { return Ok(None) };
        let attribute = |text: &str| {
            let (name, kind) = text.trim().rsplit_once(':')?;
            let kind = match kind {
                "S" => KeyKind::S,
                "N" => KeyKind::N,
                "B" => KeyKind::B,
                _ => return None,
            };
            Some(KeyAttribute { name: name.to_owned(), kind }).filter(|_| !name.is_empty())
        };
        let parts: Option<Vec<KeyAttribute>> = text.split(',').map(attribute).collect();
        let key = parts.and_then(|parts| match parts.as_slice() {
            [partition] => Some((partition.clone(), None)),
            [partition, sort] => Some((partition.clone(), Some(sort.clone()))),
            _ => None,
        });
        let Some((partition, sort)) = key else {
            return Err(Ending::Usage(format!(
                "'{text}' is no key; write it like \"PK:S,SK:S\" or \"id:N\", with S, N or B"
            )));
        };
        Ok(Some(TableKey { table: self.table.clone(), partition, sort }))
    }
}
