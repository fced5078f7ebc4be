//! What the command line asks of an export, and what comes of it.

use super::state::Wish;
use crate::{
    client::EndpointOption,
    ending::Ending,
    files::{FileFormat, compression, format_of},
};
use archive::{Compression, dynamodb_json, plain};
use clap::Args;
use serde_json::{Map, Value as Json};
use std::path::PathBuf;

/// The options of `export`.
#[derive(Debug, Args)]
pub struct ExportOptions {
    /// The table
    #[arg(value_name = "TABLE")]
    pub(super) table: String,

    /// The file to write; - for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(super) output: PathBuf,

    /// How items are written [default: by the file's name, which may end in .jsonl,
    /// .dynamodb.json, .csv or .parquet, with .gz or .zst behind it]
    #[arg(long, short, value_name = "FORMAT")]
    pub(super) format: Option<FileFormat>,

    /// The items as they were at a moment, which needs point-in-time recovery: how long ago (10m,
    /// 1h30m, 0s for this moment), or 2026-01-31T12:00:00Z. A copy of the table is made for that,
    /// and deleted at the end
    #[arg(long, value_name = "TIME")]
    pub(super) at: Option<String>,

    /// Only these attributes, separated by commas; for CSV also the order of the columns
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) columns: Option<Vec<String>>,

    /// Only items for which this holds, as in FilterExpression: 'amount > :least'
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub(super) filter: Option<String>,

    /// Values in the filter as JSON, plain or typed: '{":least": 100}'
    #[arg(long, value_name = "JSON", requires = "filter")]
    pub(super) values: Option<String>,

    /// Names in the filter as JSON: '{"#n": "name"}'
    #[arg(long, value_name = "JSON", requires = "filter")]
    pub(super) names: Option<String>,

    /// How many parts of the table are read at a time [default: 4]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(super) segments: Option<u16>,

    /// The most items a second
    #[arg(long, value_name = "ITEMS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) rate: Option<u32>,

    /// Only go on with an export that has not ended; without this, one that is found goes on, too
    #[arg(long, conflicts_with_all = ["restart", "discard"])]
    pub(super) resume: bool,

    /// Throw away what an export that has not ended has left, and begin again
    #[arg(long, conflicts_with = "discard")]
    pub(super) restart: bool,

    /// Throw away what an export that has not ended has left, and do nothing else
    #[arg(long)]
    pub(super) discard: bool,

    /// Do not show how far it is
    #[arg(long, short)]
    pub(super) quiet: bool,

    #[command(flatten)]
    pub(super) endpoint: EndpointOption,
}

/// What comes of them.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) wish: Wish,
    pub(super) compression: Compression,
    /// None is standard output.
    pub(super) file: Option<PathBuf>,
    /// Members of each request to scan.
    pub(super) members: Map<String, Json>,
}

impl Plan {
    pub(super) fn of(options: &ExportOptions) -> Result<Plan, Ending> {
        let usage = |text: String| Err(Ending::Usage(text));
        let file = Some(options.output.clone()).filter(|file| file.as_os_str() != "-");
        // A file takes the place of what is there: of what a link leads to, and never of a device.
        let file = file.map(|file| file.canonicalize().unwrap_or(file));
        if let Some(other) = file.as_ref().filter(|file| file.exists() && !file.is_file()) {
            return usage(format!("{} is no file; - is standard output", other.display()));
        }
        let format = match (options.format, &file) {
            (Some(format), _) => format,
            (None, None) => FileFormat::Jsonl,
            (None, Some(file)) => match format_of(file) {
                Some(format) => format,
                None => {
                    return usage(format!(
                        "the name of {} does not say a format; --format does",
                        file.display()
                    ));
                }
            },
        };
        let compression = file.as_deref().map_or(Compression::None, compression);
        match (&file, format) {
            (None, FileFormat::Parquet) => {
                return usage("Parquet needs a file: -o FILE".to_owned());
            }
            (None, FileFormat::Csv) if options.columns.is_none() => {
                return usage(
                    "the columns of CSV are known only when all items have been read: give \
                     --columns, or a file with -o"
                        .to_owned(),
                );
            }
            (None, _) if options.resume || options.restart || options.discard => {
                return usage("only an export to a file can be gone on with".to_owned());
            }
            (Some(_), FileFormat::Parquet) if compression != Compression::None => {
                return usage("Parquet is compressed within; leave .gz or .zst away".to_owned());
            }
            _ => {}
        }
        if options.columns.iter().flatten().any(String::is_empty) {
            return usage("--columns has an empty name".to_owned());
        }
        let wish = Wish {
            table: options.table.clone(),
            format,
            columns: options.columns.clone(),
            filter: options.filter.clone(),
            names: options.names.clone(),
            values: options.values.clone(),
            at: options.at.clone(),
        };
        let members = members(&wish)?;
        Ok(Plan { wish, compression, file, members })
    }

    /// Whether items are kept apart until all have been read: only then the columns are known.
    pub(super) fn converts(&self) -> bool {
        match self.wish.format {
            FileFormat::Parquet => true,
            FileFormat::Csv => self.wish.columns.is_none(),
            FileFormat::Jsonl | FileFormat::DynamodbJson => false,
        }
    }
}

/// The filter and the projection of requests to scan.
fn members(wish: &Wish) -> Result<Map<String, Json>, Ending> {
    let mut members = Map::new();
    let mut names = match &wish.names {
        Some(text) => object("--names", text)?,
        None => Map::new(),
    };
    if let Some(columns) = &wish.columns {
        let mut places = Vec::new();
        for (number, column) in columns.iter().enumerate() {
            let place = format!("#monotable_{number}");
            names.insert(place.clone(), Json::String(column.clone()));
            places.push(place);
        }
        members.insert("ProjectionExpression".to_owned(), places.join(", ").into());
    }
    if !names.is_empty() {
        members.insert("ExpressionAttributeNames".to_owned(), names.into());
    }
    if let Some(filter) = &wish.filter {
        members.insert("FilterExpression".to_owned(), filter.clone().into());
    }
    if let Some(text) = &wish.values {
        members.insert("ExpressionAttributeValues".to_owned(), values(text)?.into());
    }
    Ok(members)
}

fn object(flag: &str, text: &str) -> Result<Map<String, Json>, Ending> {
    serde_json::from_str(text)
        .map_err(|error| Ending::Usage(format!("{flag} is no JSON object: {error}")))
}

/// Values as requests have them. Numbers are never read as floats, which would change them.
fn values(text: &str) -> Result<Map<String, Json>, Ending> {
    let given: std::collections::BTreeMap<String, Box<serde_json::value::RawValue>> =
        serde_json::from_str(text)
            .map_err(|error| Ending::Usage(format!("--values is no JSON object: {error}")))?;
    let mut values = Map::new();
    for (name, json) in given {
        // One that has its type already is an item's attribute as it stands.
        let typed = format!("{{\"Item\":{{\"v\":{}}}}}", json.get());
        let item = dynamodb_json::read_item(typed.as_bytes()).or_else(|_| {
            let value = plain::read_json_value(json.get().as_bytes())?;
            Ok(value::Item::from([("v".to_owned(), value)]))
        });
        let item = item.map_err(|error: archive::BadItem| {
            Ending::Usage(format!("the value of {name} in --values: {error}"))
        })?;
        let mut line = Vec::new();
        dynamodb_json::write_item(&item, &mut line);
        let value = serde_json::from_slice::<Json>(&line).ok();
        let value = value.and_then(|line| line.pointer("/Item/v").cloned());
        values.insert(name, value.unwrap_or_default());
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_keep_their_digits() {
        let digits = "0.12345678901234567890123456789";
        let found = values(&format!(r#"{{":a": {digits}, ":b": {{"SS": ["x"]}}, ":c": [true]}}"#));
        let expected =
            json!({":a": {"N": digits}, ":b": {"SS": ["x"]}, ":c": {"L": [{"BOOL": true}]}});
        assert_eq!(Json::Object(found.unwrap()), expected);
        assert!(values("[1]").is_err());
    }
}
