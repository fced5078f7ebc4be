//! Items outside of the database: what is exported, what is imported, and where it lies.
//!
//! - [`storage`]: buckets in S3 or in a folder, by the operator's configuration.
//! - [`compression`]: gzip and Zstandard streams.
//! - [`dynamodb_json`], [`ion`]: an item, or a change of one, as a line and back. [`CsvOptions`] say
//!   how rows of comma-separated values become items.
//! - [`plain`]: lines and tables for people, one way only.
//! - [`export`]: an [`export::Exporter`] takes items or changes one by one and writes data files and
//!   manifests in AWS's layout to a storage.
//! - [`import`]: an [`import::Import`] gives the items of all objects under a prefix one by one, and
//!   reports what is none.
//!
//! Streams go through in pieces: how large an object is does not show in memory. Nothing that is read
//! can overflow the stack. This crate knows values, and neither tables nor requests; times and
//! chance are handed in.

mod bad;
mod change;
pub mod compression;
mod csv_rows;
pub mod dynamodb_json;
pub mod export;
pub mod import;
pub mod ion;
mod json_text;
pub mod plain;
#[cfg(test)]
mod properties;
pub mod storage;
#[cfg(test)]
mod strategies;

pub use bad::BadItem;
pub use change::NetChange;
pub use compression::Compression;
pub use csv_rows::{CsvOptions, Delimiter};
