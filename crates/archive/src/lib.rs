//! Archives.

mod bad;
mod change;
pub mod compression;
mod csv_rows;
pub mod dynamodb_json;
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
