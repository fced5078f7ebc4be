//! Reads the items of one object, on a thread of its own.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::fetch::Pieces;
use super::lines::{Lines, TooLong};
use super::pages::{Pages, Unheard};
use super::{ImportSource, InputFormat};
use crate::csv_rows::{CsvOptions, Rows};
use crate::ion::{Frame, Frames, is_symbol_table};
use crate::{BadItem, dynamodb_json, ion};

/// The longest text of one item. None that fits into a table comes near it.
const MAX_ITEM_BYTES: usize = 16 * 1024 * 1024;
const BUFFER_BYTES: usize = 64 * 1024;

/// Why reading an object ended early.
enum Stop {
    /// Nobody listens.
    Unheard,
    /// Its bytes cannot be had, from that line on.
    Bytes(u64, io::Error),
}

impl From<Unheard> for Stop {
    fn from(_: Unheard) -> Stop {
        Stop::Unheard
    }
}

/// Reads an object to its end, or as far as it goes.
pub(super) fn read(source: &ImportSource, pieces: Pieces, mut out: Pages) {
    let outcome = match source.compression.reader(pieces) {
        Ok(from) => {
            let from = Counted { from, count: out.read_bytes() };
            let from = BufReader::with_capacity(BUFFER_BYTES, from);
            match &source.format {
                InputFormat::Csv(options) => csv(options, from, &mut out),
                InputFormat::DynamoDbJson => json(from, &mut out),
                InputFormat::Ion => ion_text(from, &mut out),
            }
        }
        Err(error) => Err(Stop::Bytes(1, error)),
    };
    match outcome {
        // What the storage has against an object is said by who fetches it.
        Err(Stop::Bytes(_, error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(Stop::Bytes(line, error)) => {
            let reason = format!("the rest of the object cannot be read: {error}");
            let _ = out.push(line, Err(reason));
        }
        Err(Stop::Unheard) | Ok(()) => {}
    }
    let _ = out.send();
}

fn csv(options: &CsvOptions, from: impl Read, out: &mut Pages) -> Result<(), Stop> {
    let mut rows = Rows::new(options, MAX_ITEM_BYTES, from);
    let mut last = 1;
    while let Some(row) = rows.next().map_err(|error| Stop::Bytes(last, error))? {
        last = row.line;
        out.push(row.line, row.item)?;
    }
    Ok(())
}

fn json(from: impl BufRead, out: &mut Pages) -> Result<(), Stop> {
    let mut lines = Lines::new(MAX_ITEM_BYTES, from);
    loop {
        let number = lines.number() + 1;
        match lines.next().map_err(|error| Stop::Bytes(number, error))? {
            Some((_, Ok(text))) if text.trim_ascii().is_empty() => {}
            Some((line, Ok(text))) => out.push(line, dynamodb_json::read_item(text))?,
            Some((line, Err(TooLong))) => out.push(line, Err("the line is too long"))?,
            None => return Ok(()),
        }
    }
}

fn ion_text(mut from: impl BufRead, out: &mut Pages) -> Result<(), Stop> {
    let mut frames = Frames::new(MAX_ITEM_BYTES);
    loop {
        let buffer = from.fill_buf().map_err(|error| Stop::Bytes(frames.line(), error))?;
        if buffer.is_empty() {
            return frames.finish().map_or(Ok(()), |frame| Ok(push_frame(frame, out)?));
        }
        for byte in buffer {
            if let Some(frame) = frames.push(*byte) {
                push_frame(frame, out)?;
            }
        }
        let length = buffer.len();
        from.consume(length);
    }
}

fn push_frame(frame: Frame, out: &mut Pages) -> Result<(), Unheard> {
    let item = match frame.text {
        Ok(text) if is_symbol_table(&text) => return Ok(()),
        Ok(text) => ion::read_item(&text),
        Err(problem) => Err(BadItem::Syntax(problem.to_owned())),
    };
    out.push(frame.line, item)
}

/// A stream whose bytes are counted.
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
