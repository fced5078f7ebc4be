//! Writes lines of Ion text. Values never nest deeper than an item may, so recursion is fine.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use value::{Item, Number, Value};

use super::scan::is_identifier;
use super::{BINARY_SET, NUMBER_SET, STRING_SET, VERSION_MARKER};
use crate::NetChange;

/// Appends the line of an item.
pub fn write_item(item: &Item, out: &mut Vec<u8>) {
    out.extend_from_slice(VERSION_MARKER.as_bytes());
    out.extend_from_slice(b" {Item:");
    structure(item, out);
    out.extend_from_slice(b"}\n");
}

/// Appends the line of a change.
pub fn write_change(change: &NetChange, out: &mut Vec<u8>) {
    out.extend_from_slice(VERSION_MARKER.as_bytes());
    out.extend_from_slice(b" {Record:{Metadata:{WriteTimestampMicros:");
    out.extend_from_slice(change.written_micros.to_string().as_bytes());
    out.extend_from_slice(b".},Keys:");
    structure(&change.keys, out);
    if let Some(image) = &change.new_image {
        out.extend_from_slice(b",NewImage:");
        structure(image, out);
    }
    if let Some(image) = &change.old_image {
        out.extend_from_slice(b",OldImage:");
        structure(image, out);
    }
    out.extend_from_slice(b"}}\n");
}

fn structure(item: &Item, out: &mut Vec<u8>) {
    separated(b'{', item, b'}', out, |(name, attribute), out| {
        symbol(name, out);
        out.push(b':');
        value(attribute, out);
    });
}

fn value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::S(text) => quoted(text, b'"', out),
        Value::N(number) => decimal(number, out),
        Value::B(bytes) => blob(bytes, out),
        Value::Bool(truth) => out.extend_from_slice(truth.to_string().as_bytes()),
        Value::Null => out.extend_from_slice(b"null"),
        Value::L(values) => separated(b'[', values, b']', out, self::value),
        Value::M(map) => structure(map, out),
        Value::Ss(texts) => {
            annotation(STRING_SET, out);
            separated(b'[', texts, b']', out, |text, out| quoted(text, b'"', out));
        }
        Value::Ns(numbers) => {
            annotation(NUMBER_SET, out);
            separated(b'[', numbers, b']', out, decimal);
        }
        Value::Bs(blobs) => {
            annotation(BINARY_SET, out);
            separated(b'[', blobs, b']', out, |bytes, out| blob(bytes, out));
        }
    }
}

fn separated<T>(
    open: u8,
    elements: impl IntoIterator<Item = T>,
    close: u8,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(open);
    for (position, element) in elements.into_iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write(element, out);
    }
    out.push(close);
}

fn annotation(name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"::");
}

/// A field's name: bare if it can be nothing else, else in quotes.
fn symbol(name: &str, out: &mut Vec<u8>) {
    if is_identifier(name) {
        out.extend_from_slice(name.as_bytes());
    } else {
        quoted(name, b'\'', out);
    }
}

/// A text in quotes, on one line.
fn quoted(text: &str, quote: u8, out: &mut Vec<u8>) {
    out.push(quote);
    for byte in text.bytes() {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            byte if byte == quote => out.extend_from_slice(&[b'\\', quote]),
            0..0x20 | 0x7F => out.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
            byte => out.push(byte),
        }
    }
    out.push(quote);
}

fn blob(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{{");
    out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
    out.extend_from_slice(b"}}");
}

/// More zeros than this between point and digits are written as an exponent.
const MAX_LEADING_ZEROS: usize = 5;

/// A decimal in the shortest notation that is no integer and no float: `103.`, `6d2`, `0.5`.
fn decimal(number: &Number, out: &mut Vec<u8>) {
    let text = number.to_string();
    if let Some((integer, fraction)) = text.split_once('.') {
        let digits = fraction.trim_start_matches('0');
        let zeros = fraction.len() - digits.len();
        if integer.trim_start_matches('-') == "0" && zeros > MAX_LEADING_ZEROS {
            let sign = integer.trim_end_matches('0');
            out.extend_from_slice(format!("{sign}{digits}d-{}", fraction.len()).as_bytes());
        } else {
            out.extend_from_slice(text.as_bytes());
        }
        return;
    }
    let digits = text.trim_end_matches('0');
    match text.len() - digits.len() {
        zeros if zeros > 0 && !number.is_zero() => {
            out.extend_from_slice(format!("{digits}d{zeros}").as_bytes());
        }
        _ => {
            out.extend_from_slice(text.as_bytes());
            out.push(b'.');
        }
    }
}
