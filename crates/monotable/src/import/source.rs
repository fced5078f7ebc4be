//! Reads the files on a thread of its own, one after the other, and hands out their items. Only a
//! few pages of them are in memory.

use super::table::fit;
use crate::{
    ending::Ending,
    files::{FileFormat, compression, format_of},
    table_key::TableKey,
};
use archive::{
    dynamodb_json,
    plain::{ColumnType, Items, Layout},
};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
};
use value::Item;

const BUFFER_BYTES: usize = 256 * 1024;
/// A page of items ends after so many of them, or bytes as they count them.
const PAGE_ITEMS: usize = 100;
const PAGE_BYTES: usize = 1024 * 1024;
const PAGES: usize = 4;
/// How much of a file is looked at to tell the two kinds of JSON apart.
const MOST_FIRST_LINE: usize = 16 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A row: its place among all rows of all files, and where it stands.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) number: u64,
    pub(super) file: usize,
    pub(super) line: u64,
    pub(super) item: Result<Item, String>,
}

/// What is read, and how.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) files: Vec<PathBuf>,
    pub(super) format: Option<FileFormat>,
    pub(super) types: BTreeMap<String, ColumnType>,
    pub(super) key: TableKey,
    /// So many rows have been imported before.
    pub(super) skipped: u64,
}

/// Pages of rows as they are read, or what ends the reading.
pub(super) type Pages = Receiver<Result<Vec<Row>, Ending>>;

impl Source {
    /// Starts to read. The count is that of bytes of the files that have been read.
    pub(super) fn start(self) -> (Pages, Arc<AtomicU64>) {
        let (send, pages) = sync_channel(PAGES);
        let count = Arc::new(AtomicU64::new(0));
        let counted = count.clone();
        // Nobody waits for this thread: standard input may stay silent for ever.
        std::thread::spawn(move || {
            let mut out = Out { send, page: Vec::new(), bytes: 0, number: 0 };
            for file in 0..self.files.len() {
                match self.read(file, &counted, &mut out) {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(ending) => {
                        let _ = out.flush() && out.send.send(Err(ending)).is_ok();
                        return;
                    }
                }
            }
            let _ = out.flush();
        });
        (pages, count)
    }

    /// Reads a file; gives false if nobody listens.
    fn read(&self, file: usize, count: &Arc<AtomicU64>, out: &mut Out) -> Result<bool, Ending> {
        let Some(path) = self.files.get(file) else { return Ok(true) };
        let unread = Ending::file("read", path);
        let from: Box<dyn Read> = match path.as_os_str() == "-" {
            true => Box::new(io::stdin()),
            false => Box::new(File::open(path).map_err(&unread)?),
        };
        let from = BufReader::new(Counted { from, count: count.clone() });
        let from = compression(path).reader(from).map_err(&unread)?;
        let from = BufReader::with_capacity(BUFFER_BYTES, from);
        let (layout, from) = self.layout(path, from)?;
        let mut items = Items::new(layout, self.types(layout), from);
        let mut last = 0;
        loop {
            let next = items.next_item().map_err(|error| {
                let path = path.display();
                let text = format!("{path}, behind line {last}: the rest cannot be read: {error}");
                Ending::Failed(text)
            })?;
            let Some(found) = next else { return Ok(true) };
            last = found.line;
            out.number += 1;
            if out.number <= self.skipped {
                continue;
            }
            let item = found.item.map_err(|error| error.to_string()).and_then(|mut item| {
                fit(&mut item, &self.key, layout)?;
                Ok(item)
            });
            if !out.push(Row { number: out.number, file, line: found.line, item }) {
                return Ok(false);
            }
        }
    }

    fn layout(
        &self,
        path: &Path,
        mut from: impl BufRead + 'static,
    ) -> Result<(Layout, Box<dyn BufRead>), Ending> {
        let format = self.format.or_else(|| match path.as_os_str() == "-" {
            true => Some(FileFormat::Jsonl),
            false => format_of(path),
        });
        match format {
            Some(FileFormat::Csv) => Ok((Layout::Csv, Box::new(from))),
            Some(FileFormat::DynamodbJson) => Ok((Layout::DynamoDbJson, Box::new(from))),
            Some(FileFormat::Jsonl) if self.format.is_some() => Ok((Layout::Json, Box::new(from))),
            Some(FileFormat::Jsonl) => {
                let line = first_line(&mut from).map_err(Ending::file("read", path))?;
                let is_key = self.key.attributes().any(|part| part.name == "Item");
                let text = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line).trim_ascii();
                let typed = !is_key && dynamodb_json::read_item(text).is_ok();
                let layout = if typed { Layout::DynamoDbJson } else { Layout::Json };
                Ok((layout, Box::new(Cursor::new(line).chain(from))))
            }
            // Such a file was refused before.
            Some(FileFormat::Parquet) | None => {
                Err(Ending::Usage(format!("{} cannot be read", path.display())))
            }
        }
    }

    /// The types of columns: those of keys, too, unless they are given.
    fn types(&self, layout: Layout) -> BTreeMap<String, ColumnType> {
        if layout != Layout::Csv {
            return BTreeMap::new();
        }
        let mut types = self.types.clone();
        for part in self.key.attributes() {
            if let Some(kind) = ColumnType::from_name(part.kind.name()) {
                types.entry(part.name.clone()).or_insert(kind);
            }
        }
        types
    }
}

/// The first line with something on it, and all before it.
fn first_line(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    let mut limited = from.take(MOST_FIRST_LINE as u64);
    loop {
        let before = lines.len();
        let read = limited.read_until(b'\n', &mut lines)?;
        let line = lines.get(before..).unwrap_or_default();
        if read == 0 || !line.trim_ascii().is_empty() {
            return Ok(lines);
        }
    }
}

/// Where rows go.
struct Out {
    send: SyncSender<Result<Vec<Row>, Ending>>,
    page: Vec<Row>,
    bytes: usize,
    number: u64,
}

impl Out {
    /// Gives false if nobody listens.
    fn push(&mut self, row: Row) -> bool {
        self.bytes += row.item.as_ref().map_or(0, value::item_size);
        self.page.push(row);
        if self.page.len() < PAGE_ITEMS && self.bytes < PAGE_BYTES {
            return true;
        }
        self.flush()
    }

    fn flush(&mut self) -> bool {
        self.bytes = 0;
        let page = std::mem::take(&mut self.page);
        page.is_empty() || self.send.send(Ok(page)).is_ok()
    }
}

/// A file whose bytes are counted.
struct Counted<R> {
    from: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
