//! Writes answers as JSON, straight into the bytes of the body.

use super::scalar::{Blob, Double, Integer, Long, Timestamp};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::{collections::BTreeMap, io::Write};
use value::{CodecError, Number};

/// Something that can be written as JSON.
pub trait Json {
    /// Appends the value.
    fn write(&self, out: &mut Body);

    /// About how many bytes it takes, if that is easily said: room for them is made at once.
    fn size(&self) -> usize {
        0
    }
}

/// A generated structure of an answer.
pub trait Output: Json {
    /// Writes the members that are there.
    fn encode_members(&self, object: &mut ObjectWriter<'_>);
}

/// The bytes of an answer being written.
#[derive(Default)]
pub struct Body {
    bytes: Vec<u8>,
    damaged: Option<CodecError>,
}

impl Body {
    pub(super) fn push(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    pub(super) fn display(&mut self, value: impl std::fmt::Display) {
        // Writing to a vector cannot fail.
        let _ = write!(self.bytes, "{value}");
    }

    /// Notes that a stored item cannot be read; the answer as a whole then fails.
    pub(super) fn damaged(&mut self, error: CodecError) {
        self.damaged.get_or_insert(error);
    }
}

/// The body of an answer, unless it holds a stored item that cannot be read.
pub fn to_json<T: Json>(answer: &T) -> Result<Vec<u8>, CodecError> {
    let mut body = Body { bytes: Vec::with_capacity(1024), damaged: None };
    answer.write(&mut body);
    match body.damaged {
        Some(error) => Err(error),
        None => Ok(body.bytes),
    }
}

/// An object being written.
pub struct ObjectWriter<'a> {
    out: &'a mut Body,
    first: bool,
}

impl<'a> ObjectWriter<'a> {
    /// Opens an object.
    pub fn open(out: &'a mut Body) -> Self {
        out.push(b'{');
        ObjectWriter { out, first: true }
    }

    /// Writes a name and gives the place for its value.
    pub fn name(&mut self, name: &str) -> &mut Body {
        self.separate();
        text(name, self.out);
        self.out.push(b':');
        self.out
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
    }

    /// Writes a member of the model, unless it is absent.
    pub fn member<T: Json>(&mut self, name: &str, value: &Option<T>) {
        if let Some(value) = value {
            self.separate();
            plain(name, self.out);
            self.out.push(b':');
            value.write(self.out);
        }
    }

    /// Closes the object.
    pub fn close(self) {
        self.out.push(b'}');
    }
}

pub(crate) fn structure<T: Output>(value: &T, out: &mut Body) {
    let mut object = ObjectWriter::open(out);
    value.encode_members(&mut object);
    object.close();
}

/// Whether text is ASCII without anything that JSON escapes. Eight characters are looked at in one step.
#[inline]
pub(super) fn is_plain(text: &[u8]) -> bool {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    // Of each byte the highest bit is set if it is not plain. A borrow from the byte before does no harm,
    // since then that one is not plain.
    let marked = |eight: u64| {
        let controls = eight.wrapping_sub(EACH * 0x20);
        let quotes = (eight ^ (EACH * u64::from(b'"'))).wrapping_sub(EACH);
        let backslashes = (eight ^ (EACH * u64::from(b'\\'))).wrapping_sub(EACH);
        eight | controls | quotes | backslashes
    };
    let wide = |four: &[u8; 4]| u64::from(u32::from_le_bytes(*four));
    let mut marks = 0;
    if let Some(last) = text.last_chunk() {
        for eight in text.as_chunks().0 {
            marks |= marked(u64::from_le_bytes(*eight));
        }
        // Some of these have been looked at before.
        marks |= marked(u64::from_le_bytes(*last));
    } else if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        marks |= marked(wide(first) | wide(last) << 32);
    } else {
        for byte in text {
            marks |= marked(u64::from(*byte) * EACH);
        }
    }
    marks & (EACH * 0x80) == 0
}

/// Writes a JSON string.
pub(super) fn text(text: &str, out: &mut Body) {
    if is_plain(text.as_bytes()) {
        return plain(text, out);
    }
    out.push(b'"');
    escaped(text, out);
    out.push(b'"');
}

/// Writes what stands between the quotes of a JSON string. Runs that need no escape are copied whole.
pub(super) fn escaped(text: &str, out: &mut Body) {
    let is_plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !is_plain(byte)) {
        let (plain, from) = rest.split_at(at);
        out.extend(plain.as_bytes());
        let mut chars = from.chars();
        match chars.next() {
            Some('\n') => out.extend(b"\\n"),
            Some('\r') => out.extend(b"\\r"),
            Some('\t') => out.extend(b"\\t"),
            Some(c @ ('"' | '\\')) => out.extend(format!("\\{c}").as_bytes()),
            Some(c) => out.extend(format!("\\u{:04x}", u32::from(c)).as_bytes()),
            None => {}
        }
        rest = chars.as_str();
    }
    out.extend(rest.as_bytes());
}

/// Writes a JSON string that needs no escape.
fn plain(text: &str, out: &mut Body) {
    out.bytes.reserve(text.len() + 2);
    out.push(b'"');
    out.extend(text.as_bytes());
    out.push(b'"');
}

/// Writes a number as a string.
pub(super) fn number_text(number: &Number, out: &mut Body) {
    out.push(b'"');
    number.push_text(&mut out.bytes);
    out.push(b'"');
}

/// Writes bytes as a base64 string.
pub(super) fn base64_text(bytes: &[u8], out: &mut Body) {
    out.push(b'"');
    out.extend(STANDARD.encode(bytes).as_bytes());
    out.push(b'"');
}

impl Json for String {
    fn write(&self, out: &mut Body) {
        text(self, out);
    }
}

impl Json for bool {
    fn write(&self, out: &mut Body) {
        out.extend(if *self { b"true" } else { b"false" });
    }
}

fn whole(value: i64, out: &mut Body) {
    out.display(value);
}

/// `1.0`, `0.5`, `1700000000.123`: Rust's shortest text that reads back the same.
fn fraction(value: f64, out: &mut Body) {
    out.extend(format!("{value:?}").as_bytes());
}

impl Json for Integer {
    fn write(&self, out: &mut Body) {
        whole(self.0, out);
    }
}

impl Json for Long {
    fn write(&self, out: &mut Body) {
        whole(self.0, out);
    }
}

impl Json for Double {
    fn write(&self, out: &mut Body) {
        fraction(self.0, out);
    }
}

impl Json for Timestamp {
    fn write(&self, out: &mut Body) {
        fraction(self.0, out);
    }
}

impl Json for Blob {
    fn write(&self, out: &mut Body) {
        base64_text(&self.0, out);
    }
}

/// Writes the elements of a list.
pub(super) fn list<T>(
    elements: impl Iterator<Item = T>,
    out: &mut Body,
    mut write: impl FnMut(T, &mut Body),
) {
    out.push(b'[');
    for (i, element) in elements.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write(element, out);
    }
    out.push(b']');
}

impl<T: Json> Json for Vec<T> {
    fn write(&self, out: &mut Body) {
        out.reserve(self.iter().map(T::size).sum());
        list(self.iter(), out, T::write);
    }
}

impl<T: Json> Json for BTreeMap<String, T> {
    fn write(&self, out: &mut Body) {
        let mut object = ObjectWriter::open(out);
        for (name, value) in self {
            value.write(object.name(name));
        }
        object.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_is_what_needs_no_escape() {
        for byte in 0..=u8::MAX {
            let plain = (0x20..0x80).contains(&byte) && byte != b'"' && byte != b'\\';
            for length in 1..20 {
                for place in 0..length {
                    let mut text = vec![b'a'; length];
                    text[place] = byte;
                    assert_eq!(is_plain(&text), plain, "{byte} at {place} of {length}");
                }
            }
        }
        assert!(is_plain(b""));
    }
}
