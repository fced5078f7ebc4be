//! One import: the items of files into a table that was made for them.

use crate::failure::Failure;
use archive::{
    Compression, CsvOptions, Delimiter,
    import::{Import as Files, ImportSource, InputFormat, Origin},
    storage::Storage,
};
use engine::{
    Engine, Entry,
    transfer::{Compression as Packed, FileFormat, Import, ImportCounts},
};
use std::sync::Arc;
use store::Planted;
use value::{Item, item_size};

/// How many items, and how many bytes of them, are written together.
const PAGE_ITEMS: usize = 100;
const PAGE_BYTES: usize = 1 << 20;

/// How many items lie between two notes of how far it is.
const NOTE_ITEMS: u64 = 10_000;

/// How many faults are logged, each.
const MOST_LOGGED: u64 = 1000;

const SOME_INVALID: &str = "Some of the items failed validation checks and were not imported. \
    Please check CloudWatch error logs for more details.";

/// Items that are written together, and where they come from.
#[derive(Default)]
struct Page {
    items: Vec<Item>,
    origins: Vec<Origin>,
}

/// Reads all files of an import and writes their items.
pub(crate) async fn run(
    engine: &Engine,
    storage: &Storage,
    import: &mut Import,
) -> Result<(), Failure> {
    let entry = engine.import_target(import).await?;
    let entry = entry.ok_or_else(|| Failure::no_table(&import.table))?;
    // What was read before the program ended is read again.
    import.counts = ImportCounts::default();
    let mut files = Files::start(storage, source(import, &entry)?).await?;
    let mut page = Page::default();
    let mut bytes = 0;
    let mut noted = 0;
    while let Some(found) = files.next().await? {
        import.counts.processed += 1;
        match found {
            Ok(item) => {
                bytes += item_size(&item);
                page.items.push(item);
                page.origins.push(files.origin());
            }
            Err(bad) => fault(import, &files.origin(), &bad.reason),
        }
        if page.items.len() >= PAGE_ITEMS || bytes >= PAGE_BYTES {
            write(engine, import, &entry, std::mem::take(&mut page)).await?;
            bytes = 0;
        }
        import.counts.bytes = files.processed_bytes();
        if import.counts.processed >= noted + NOTE_ITEMS {
            noted = import.counts.processed;
            engine.keep_import(import).await?;
        }
    }
    write(engine, import, &entry, page).await?;
    import.counts.bytes = files.processed_bytes();
    match import.counts.errors {
        0 => Ok(()),
        _ => Err(Failure::refused("ItemValidationError", SOME_INVALID)),
    }
}

fn source(import: &Import, entry: &Arc<Entry>) -> Result<ImportSource, Failure> {
    let plan = &import.plan;
    let format = match &plan.format {
        FileFormat::DynamoDbJson => InputFormat::DynamoDbJson,
        FileFormat::Ion => InputFormat::Ion,
        FileFormat::Csv { delimiter, header } => {
            let delimiter = Delimiter::new(&delimiter.to_string());
            let delimiter = delimiter.ok_or_else(|| {
                Failure::refused("InvalidDelimiter", "There is no such delimiter")
            })?;
            let types = entry.table.attributes().into_iter();
            let key_types = types.map(|(name, kind)| (name.to_owned(), kind)).collect();
            InputFormat::Csv(CsvOptions { delimiter, header: header.clone(), key_types })
        }
    };
    Ok(ImportSource {
        bucket: plan.place.bucket.clone(),
        prefix: plan.place.prefix.clone().unwrap_or_default(),
        format,
        compression: match plan.compression {
            Packed::None => Compression::None,
            Packed::Gzip => Compression::Gzip,
            Packed::Zstd => Compression::Zstd,
        },
    })
}

async fn write(
    engine: &Engine,
    import: &mut Import,
    entry: &Arc<Entry>,
    page: Page,
) -> Result<(), Failure> {
    let read = page.items.len() as u64;
    let is_lost = Planted::LoseImportPage.is_on() && import.counts.imported == 0;
    let wrong = if is_lost { Vec::new() } else { engine.import_items(entry, page.items).await? };
    import.counts.imported += read - wrong.len() as u64;
    for (place, reason) in wrong {
        if let Some(origin) = page.origins.get(place) {
            fault(import, origin, &reason);
        }
    }
    Ok(())
}

/// Counts an item that cannot be imported, and says why.
fn fault(import: &mut Import, origin: &Origin, reason: &str) {
    import.counts.errors += 1;
    if import.counts.errors <= MOST_LOGGED {
        tracing::warn!(import = import.id, place = %origin, reason, "an item was not imported");
    }
}
