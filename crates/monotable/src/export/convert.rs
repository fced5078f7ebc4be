//! Makes a table of the items that were kept apart. All of them are looked at twice: once for the
//! columns, once to write them.

use super::options::Plan;
use crate::{ending::Ending, files::FileFormat, interrupt::Interrupt, meter::Meter};
use archive::{Compression, plain};
use columnar::Survey;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufReader, BufWriter, Write},
    path::Path,
};
use value::Item;

/// The most columns of a table: no reader likes more.
const MOST_COLUMNS: usize = 10_000;
/// How many items go by between looks at how far it is.
const LOOKS: u64 = 1000;

/// The conversion of an export.
pub(super) struct Conversion<'c> {
    pub(super) plan: &'c Plan,
    pub(super) keys: &'c [String],
    /// The file with the items.
    pub(super) from: &'c Path,
    pub(super) to: &'c Path,
    /// How many there are.
    pub(super) items: u64,
    pub(super) interrupt: &'c Interrupt,
}

impl Conversion<'_> {
    /// Converts; what is there of the file already is written again.
    pub(super) fn run(&self, meter: &mut Meter) -> Result<(), Ending> {
        let held = File::open(self.from).map_err(Ending::file("read", self.from))?;
        if let Err(std::fs::TryLockError::WouldBlock) = held.try_lock() {
            let file = self.from.display();
            return Err(Ending::Failed(format!("{file} is being converted already")));
        }
        let mut survey = Survey::default();
        meter.begin("looking for columns");
        self.each(meter, |item| {
            survey.see(&item);
            if survey.attribute_count() > MOST_COLUMNS && self.plan.wish.columns.is_none() {
                return Err(Ending::Failed(format!(
                    "the items have more than {MOST_COLUMNS} attributes; choose some with --columns"
                )));
            }
            Ok(())
        })?;
        let columns = match &self.plan.wish.columns {
            Some(names) => survey.chosen(names),
            None => survey.columns(self.keys),
        };
        let failed = Ending::file("write", self.to);
        let file = BufWriter::new(File::create(self.to).map_err(&failed)?);
        let file = match self.plan.wish.format {
            FileFormat::Parquet => {
                meter.begin("writing Parquet");
                let unwritten = |error: columnar::WriteError| {
                    let file = self.to.display();
                    Ending::Failed(format!("cannot write {file}: {error}"))
                };
                let mut table =
                    columnar::TableWriter::new(columns, plain::cell, file).map_err(unwritten)?;
                self.each(meter, |item| table.write(item).map_err(unwritten))?;
                table.finish().map_err(unwritten)?
            }
            _ => {
                meter.begin("writing CSV");
                let names = columns.into_iter().map(|column| column.name).collect();
                let file = self.plan.compression.writer(file).map_err(&failed)?;
                let mut table = plain::TableWriter::new(names, file).map_err(&failed)?;
                self.each(meter, |item| table.write(&item).map_err(&failed))?;
                table
                    .finish()
                    .and_then(archive::compression::Compressor::finish)
                    .map_err(&failed)?
            }
        };
        let mut file = file;
        file.flush().and_then(|()| file.get_ref().sync_all()).map_err(&failed)
    }

    fn each(
        &self,
        meter: &mut Meter,
        mut take: impl FnMut(Item) -> Result<(), Ending>,
    ) -> Result<(), Ending> {
        let unread = Ending::file("read", self.from);
        let file = File::open(self.from).map_err(&unread)?;
        let text = BufReader::new(Compression::Zstd.reader(file).map_err(&unread)?);
        let mut items = plain::Items::new(plain::Layout::DynamoDbJson, BTreeMap::new(), text);
        let mut count = 0;
        while let Some(found) = items.next_item().map_err(&unread)? {
            take(found.item.map_err(|error| {
                let (file, line) = (self.from.display(), found.line);
                Ending::Failed(format!("{file}, line {line}: {error}"))
            })?)?;
            count += 1;
            if count % LOOKS == 0 {
                let shown = || crate::ending::count(count, "item");
                meter.show(shown, Some((count, self.items)));
                if self.interrupt.is_heard() {
                    return Err(Ending::Interrupted("interrupted".to_owned()));
                }
            }
        }
        if count != self.items {
            let file = self.from.display();
            let text = format!("{file} has {count} items, and {} were read", self.items);
            return Err(Ending::Failed(text));
        }
        Ok(())
    }
}
