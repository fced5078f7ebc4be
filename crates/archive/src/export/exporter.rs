//! Takes the items or changes of an export one by one and writes all of its objects.
//!
//! The summary comes last, behind its digest: who finds it finds all the rest.

use bytes::Bytes;
use value::Item;

use super::data_file::DataFile;
use super::manifest::{self, md5_text};
use super::{ExportFormat, ExportKind, ExportSettings, ExportView, Layout};
use crate::storage::{Bucket, Storage, StorageError};
use crate::{NetChange, dynamodb_json, ion};

/// An export that is being written. After an error it cannot go on: it should be aborted.
pub struct Exporter {
    settings: ExportSettings,
    layout: Layout,
    bucket: Bucket,
    data_file: Option<DataFile>,
    data_files: u32,
    item_count: u64,
    line_bytes: u64,
    /// The list of data files so far, and the size of each.
    files: Vec<u8>,
    sizes: Vec<(String, u64)>,
}

/// An export that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The key of the summary.
    pub manifest_key: String,
    /// The items, or changes, in its data files.
    pub item_count: u64,
    /// The bytes of their lines before compression.
    pub line_bytes: u64,
}

impl Exporter {
    /// Starts an export: writes the object that shows that the bucket can be written to.
    pub async fn start(
        storage: &Storage,
        settings: ExportSettings,
    ) -> Result<Exporter, StorageError> {
        let bucket = storage.bucket(&settings.bucket)?;
        let layout = Layout::new(&settings);
        bucket.check_exists().await?;
        bucket.put(&layout.started(), Bytes::new()).await?;
        let mut exporter = Exporter {
            settings,
            layout,
            bucket,
            data_file: None,
            data_files: 0,
            item_count: 0,
            line_bytes: 0,
            files: Vec::new(),
            sizes: Vec::new(),
        };
        // There is a data file even if nothing comes.
        exporter.open()?;
        Ok(exporter)
    }

    /// The items, or changes, taken in so far.
    pub fn item_count(&self) -> u64 {
        self.item_count
    }

    /// Takes in an item of a full export.
    pub async fn item(&mut self, item: &Item) -> Result<(), StorageError> {
        match self.settings.format {
            ExportFormat::DynamoDbJson => {
                self.line(|out| dynamodb_json::write_item(item, out)).await
            }
            ExportFormat::Ion => self.line(|out| ion::write_item(item, out)).await,
        }
    }

    /// Takes in a change of an incremental export. An item that came and went is left out, and so
    /// are old images that are not wanted.
    pub async fn change(&mut self, mut change: NetChange) -> Result<(), StorageError> {
        if change.new_image.is_none() && change.old_image.is_none() {
            return Ok(());
        }
        if let ExportKind::Incremental { view: ExportView::NewImage, .. } = self.settings.kind {
            change.old_image = None;
        }
        match self.settings.format {
            ExportFormat::DynamoDbJson => {
                self.line(|out| dynamodb_json::write_change(&change, out)).await
            }
            ExportFormat::Ion => self.line(|out| ion::write_change(&change, out)).await,
        }
    }

    /// Completes the export: the last data file, then the manifests.
    pub async fn finish(
        mut self,
        end_time: u64,
        billed_size_bytes: u64,
    ) -> Result<Exported, StorageError> {
        self.close().await?;
        check_files(&self.bucket, &self.sizes).await?;
        let files = std::mem::take(&mut self.files);
        let listed = self.bucket.put(&self.layout.manifest_files(), files.into()).await?;
        put_digest(&self.bucket, &self.layout.manifest_files_md5(), listed.md5).await?;

        let summary = manifest::summary(
            &self.settings,
            &self.layout,
            end_time,
            billed_size_bytes,
            self.item_count,
        )
        .map_err(not_json)?;
        let manifest_key = self.layout.manifest_summary();
        let digest = crate::storage::md5(&summary);
        put_digest(&self.bucket, &self.layout.manifest_summary_md5(), digest).await?;
        self.bucket.put(&manifest_key, summary.into()).await?;
        Ok(Exported { manifest_key, item_count: self.item_count, line_bytes: self.line_bytes })
    }

    /// Gives the export up; what is written of it stays, without manifests.
    pub async fn abort(mut self) {
        if let Some(data_file) = self.data_file.take() {
            data_file.abort().await;
        }
    }

    async fn line(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), StorageError> {
        if self.data_file.is_none() {
            self.open()?;
        }
        let Some(data_file) = &mut self.data_file else {
            return Err(StorageError::Other("there is no data file".to_owned()));
        };
        data_file.line(write).await?;
        self.item_count += 1;
        if data_file.line_bytes >= self.settings.data_file_bytes {
            self.close().await?;
        }
        Ok(())
    }

    fn open(&mut self) -> Result<(), StorageError> {
        let key = self.layout.data_file(self.data_files);
        self.data_files += 1;
        self.data_file = Some(DataFile::start(&self.bucket, key)?);
        Ok(())
    }

    async fn close(&mut self) -> Result<(), StorageError> {
        let Some(data_file) = self.data_file.take() else { return Ok(()) };
        let (end, uploaded) = data_file.finish().await?;
        self.line_bytes += end.line_bytes;
        self.sizes.push((end.key.clone(), uploaded.size));
        manifest::data_file(&end.key, end.item_count, &uploaded, &mut self.files).map_err(not_json)
    }
}

/// Refuses to sum up what is not there: a long export may outlive its first files, and some servers
/// make a bucket again that was deleted meanwhile.
async fn check_files(bucket: &Bucket, sizes: &[(String, u64)]) -> Result<(), StorageError> {
    for (key, size) in sizes {
        if bucket.size(key).await? != *size {
            return Err(StorageError::NotFound(key.clone()));
        }
    }
    Ok(())
}

async fn put_digest(bucket: &Bucket, key: &str, md5: [u8; 16]) -> Result<(), StorageError> {
    bucket.put(key, md5_text(md5).into()).await?;
    Ok(())
}

fn not_json(error: serde_json::Error) -> StorageError {
    StorageError::Other(error.to_string())
}
