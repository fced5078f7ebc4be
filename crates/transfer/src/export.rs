//! One export: a table at a moment, or what changed between two, into files.

use crate::failure::Failure;
use archive::{
    NetChange,
    export::{ExportFormat, ExportKind, ExportSettings, ExportView, Exporter},
    storage::Storage,
};
use engine::{
    Engine, Entry,
    recovery::NetChange as StoredChange,
    transfer::{Export, ExportRange, ExportView as View, FileFormat},
};
use std::sync::Arc;
use value::{Item, codec};

/// Writes all files of an export, and notes what they hold.
pub(crate) async fn run(
    engine: &Engine,
    storage: &Storage,
    export: &mut Export,
    data_file_bytes: u64,
) -> Result<(), Failure> {
    let entry = engine.table(&export.table);
    let entry = entry.filter(|entry| entry.table.number == export.table_number);
    let entry = entry.ok_or_else(|| Failure::no_table(&export.table))?;
    let mut exporter = Exporter::start(storage, settings(export, data_file_bytes)?).await?;
    let written = write(engine, export, &entry, &mut exporter).await;
    let bytes = match written {
        Ok(bytes) => bytes,
        Err(failure) => {
            exporter.abort().await;
            return Err(failure);
        }
    };
    let done = exporter.finish(engine.now().millis(), bytes).await?;
    export.items = done.item_count;
    export.bytes = bytes;
    export.manifest = Some(done.manifest_key);
    Ok(())
}

fn settings(export: &Export, data_file_bytes: u64) -> Result<ExportSettings, Failure> {
    let plan = &export.plan;
    let id = export.id.parse();
    let id = id.map_err(|_| Failure::refused("ExportFailed", "The export has no proper id"))?;
    Ok(ExportSettings {
        id,
        export_arn: export.arn(),
        table_arn: export.table_arn.clone(),
        table_id: export.table_id.clone(),
        start_time: export.started.millis(),
        bucket: plan.place.bucket.clone(),
        prefix: plan.place.prefix.clone(),
        sse_algorithm: plan.encryption.clone(),
        sse_kms_key_id: plan.encryption_key.clone(),
        format: match plan.format {
            FileFormat::Ion => ExportFormat::Ion,
            FileFormat::DynamoDbJson | FileFormat::Csv { .. } => ExportFormat::DynamoDbJson,
        },
        kind: match plan.range {
            ExportRange::Full { moment } => ExportKind::Full { time: moment.millis() },
            ExportRange::Incremental { from, to, view } => ExportKind::Incremental {
                from: from.millis(),
                to: to.millis(),
                view: match view {
                    View::New => ExportView::NewImage,
                    View::NewAndOld => ExportView::NewAndOldImages,
                },
            },
        },
        data_file_bytes,
    })
}

/// Hands everything to the exporter. Gives the bytes of the items.
async fn write(
    engine: &Engine,
    export: &Export,
    entry: &Arc<Entry>,
    exporter: &mut Exporter,
) -> Result<u64, Failure> {
    let table = &entry.table;
    let mut bytes = 0;
    match export.plan.range {
        ExportRange::Full { moment } => {
            let mut past = engine.past_items(table, export.number, moment).await?;
            while let Some(items) = engine.next_past_items(&mut past).await? {
                for stored in items {
                    bytes += stored.len() as u64;
                    exporter.item(&codec::decode(&stored)?).await?;
                }
            }
        }
        ExportRange::Incremental { from, to, .. } => {
            let mut past = engine.past_changes(table, export.number, from, to).await?;
            while let Some(changes) = engine.next_past_changes(&mut past).await? {
                for change in changes {
                    let images = [&change.old, &change.new].into_iter().flatten();
                    bytes += images.map(|image| image.len() as u64).sum::<u64>();
                    exporter.change(shown(export, change)?).await?;
                }
            }
        }
    }
    Ok(bytes)
}

fn shown(export: &Export, change: StoredChange) -> Result<NetChange, Failure> {
    let decoded =
        |image: Option<bytes::Bytes>| image.map(|bytes| codec::decode(&bytes)).transpose();
    let (old, new) = (decoded(change.old)?, decoded(change.new)?);
    let image = new.as_ref().or(old.as_ref());
    let key = export.key.attributes().filter_map(|attribute| {
        let (name, value) = image?.get_key_value(&attribute.name)?;
        Some((name.clone(), value.clone()))
    });
    Ok(NetChange {
        written_micros: change.last.version.millis().saturating_mul(1000),
        keys: key.collect::<Item>(),
        new_image: new,
        old_image: old,
    })
}
