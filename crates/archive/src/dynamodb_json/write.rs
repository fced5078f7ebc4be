//! Writes lines of DynamoDB JSON. Values never nest deeper than an item may, so recursion is fine.

use value::{Item, Value};

use crate::NetChange;
use crate::json_text::{array, base64, object, string};

/// Appends the line of an item.
pub fn write_item(item: &Item, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"Item\":");
    attributes(item, out);
    out.extend_from_slice(b"}\n");
}

/// Appends the line of a change.
pub fn write_change(change: &NetChange, out: &mut Vec<u8>) {
    let time = change.written_micros;
    out.extend_from_slice(b"{\"Metadata\":{\"WriteTimestampMicros\":{\"N\":\"");
    out.extend_from_slice(time.to_string().as_bytes());
    out.extend_from_slice(b"\"}},\"Keys\":");
    attributes(&change.keys, out);
    if let Some(image) = &change.new_image {
        out.extend_from_slice(b",\"NewImage\":");
        attributes(image, out);
    }
    if let Some(image) = &change.old_image {
        out.extend_from_slice(b",\"OldImage\":");
        attributes(image, out);
    }
    out.extend_from_slice(b"}\n");
}

fn attributes(item: &Item, out: &mut Vec<u8>) {
    object(item.iter().map(|(name, value)| (name.as_str(), value)), out, typed);
}

fn typed(value: &Value, out: &mut Vec<u8>) {
    object([(value.type_name(), value)], out, |value, out| match value {
        Value::S(text) => string(text, out),
        Value::N(number) => string(&number.to_string(), out),
        Value::B(bytes) => base64(bytes, out),
        Value::Bool(truth) => out.extend_from_slice(truth.to_string().as_bytes()),
        Value::Null => out.extend_from_slice(b"true"),
        Value::L(values) => array(values, out, typed),
        Value::M(map) => attributes(map, out),
        Value::Ss(texts) => array(texts, out, |text, out| string(text, out)),
        Value::Ns(numbers) => array(numbers, out, |n, out| string(&n.to_string(), out)),
        Value::Bs(blobs) => array(blobs, out, |blob, out| base64(blob, out)),
    });
}
