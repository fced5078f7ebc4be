//! Formats, and the names that files of them have.

use archive::Compression;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How items are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FileFormat {
    /// Plain JSON, an item a line; types are lost
    Jsonl,
    /// DynamoDB JSON, {"Item": ...} a line; nothing is lost
    DynamodbJson,
    /// Comma-separated values
    Csv,
    /// Apache Parquet
    Parquet,
}

impl FileFormat {
    /// As the command line names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FileFormat::Jsonl => "jsonl",
            FileFormat::DynamodbJson => "dynamodb-json",
            FileFormat::Csv => "csv",
            FileFormat::Parquet => "parquet",
        }
    }
}

/// How a file of that name is compressed.
pub(crate) fn compression(file: &Path) -> Compression {
    match extension(file).as_str() {
        "gz" | "gzip" => Compression::Gzip,
        "zst" | "zstd" => Compression::Zstd,
        _ => Compression::None,
    }
}

/// The format of a file of that name, behind what says how it is compressed.
pub(crate) fn format_of(file: &Path) -> Option<FileFormat> {
    let stem = match compression(file) {
        Compression::None => file.to_owned(),
        Compression::Gzip | Compression::Zstd => file.with_extension(""),
    };
    match extension(&stem).as_str() {
        "json" | "jsonl" | "ndjson" => match extension(&stem.with_extension("")).as_str() {
            "dynamodb" | "ddb" => Some(FileFormat::DynamodbJson),
            _ => Some(FileFormat::Jsonl),
        },
        "csv" => Some(FileFormat::Csv),
        "parquet" => Some(FileFormat::Parquet),
        _ => None,
    }
}

fn extension(file: &Path) -> String {
    file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_files_are() {
        for (name, format, compressed) in [
            ("a.jsonl", Some(FileFormat::Jsonl), Compression::None),
            ("a.ndjson.gz", Some(FileFormat::Jsonl), Compression::Gzip),
            ("dir.csv/a.JSON.zst", Some(FileFormat::Jsonl), Compression::Zstd),
            ("a.dynamodb.json", Some(FileFormat::DynamodbJson), Compression::None),
            ("a.ddb.jsonl.gz", Some(FileFormat::DynamodbJson), Compression::Gzip),
            ("a.csv", Some(FileFormat::Csv), Compression::None),
            ("a.parquet", Some(FileFormat::Parquet), Compression::None),
            ("a.gz", None, Compression::Gzip),
            ("csv", None, Compression::None),
            ("a.txt", None, Compression::None),
        ] {
            assert_eq!(format_of(Path::new(name)), format, "{name}");
            assert_eq!(compression(Path::new(name)), compressed, "{name}");
        }
    }
}
