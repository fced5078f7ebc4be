//! Exports: data files and manifests in the layout of AWS.
//!
//! - `id`: the name of an export.
//! - `layout`: the keys of its objects.
//! - `manifest`: what its manifests say.
//! - `data_file`: one compressed data file that is being written.
//! - `exporter`: takes items or changes, and writes all of it.

mod data_file;
mod exporter;
mod id;
mod layout;
mod manifest;
#[cfg(test)]
mod tests;

pub use exporter::{Exported, Exporter};
pub use id::{ExportId, NotAnExportId};
pub use layout::Layout;

/// How an export's items are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// DynamoDB JSON.
    DynamoDbJson,
    /// Ion text.
    Ion,
}

impl ExportFormat {
    /// Its name in requests and manifests.
    pub fn name(self) -> &'static str {
        match self {
            ExportFormat::DynamoDbJson => "DYNAMODB_JSON",
            ExportFormat::Ion => "ION",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            ExportFormat::DynamoDbJson => "json.gz",
            ExportFormat::Ion => "ion.gz",
        }
    }
}

/// Which images an incremental export has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportView {
    /// What items are at the end.
    NewImage,
    /// Also what they were before.
    NewAndOldImages,
}

impl ExportView {
    /// Its name in requests and manifests.
    pub fn name(self) -> &'static str {
        match self {
            ExportView::NewImage => "NEW_IMAGE",
            ExportView::NewAndOldImages => "NEW_AND_OLD_IMAGES",
        }
    }
}

/// What an export is of. Times are milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// A table as it was at a moment.
    Full {
        /// The moment.
        time: u64,
    },
    /// What has changed in a table within a time.
    Incremental {
        /// The first moment.
        from: u64,
        /// The moment behind the last.
        to: u64,
        /// The images there are of a change.
        view: ExportView,
    },
}

/// All there is to say about an export before it starts.
#[derive(Clone, Debug)]
pub struct ExportSettings {
    /// Its name.
    pub id: ExportId,
    /// Its ARN.
    pub export_arn: String,
    /// The table's ARN.
    pub table_arn: String,
    /// The table's id.
    pub table_id: String,
    /// When it started, in milliseconds since 1970.
    pub start_time: u64,
    /// The bucket it goes to.
    pub bucket: String,
    /// How all its keys start.
    pub prefix: Option<String>,
    /// The encryption that was asked for; only told in the manifest.
    pub sse_algorithm: Option<String>,
    /// The key that was asked for; only told in the manifest.
    pub sse_kms_key_id: Option<String>,
    /// How items are written.
    pub format: ExportFormat,
    /// What it is of.
    pub kind: ExportKind,
    /// The bytes of lines after which a data file ends and another starts.
    pub data_file_bytes: u64,
}

/// A size of data files that suits most readers: some 10 MB of gzip.
pub const DEFAULT_DATA_FILE_BYTES: u64 = 64 * 1024 * 1024;
