//! Writing items. Infallible: what must hold of the item (sorted sets, bounded depth) is the duty of
//! whoever made it, and is asserted here in debug builds because decoding would refuse the bytes.

use super::{VERSION, tag, varint};
use crate::value::is_strictly_ascending;
use crate::{Item, MAX_DEPTH, Map, Value, item_size};

/// Bytes a small attribute needs besides what its size counts; only a guess for the first allocation.
const ATTRIBUTE_OVERHEAD: usize = 4;

/// The bytes of an item.
pub fn encode(item: &Item) -> Vec<u8> {
    let size = item_size(item);
    let mut out = Vec::with_capacity(8 + size + item.len() * ATTRIBUTE_OVERHEAD);
    out.push(VERSION);
    varint::push(size as u64, &mut out);
    push_entries(item, 0, &mut out);
    out
}

fn push_entries(entries: &Map, depth: usize, out: &mut Vec<u8>) {
    varint::push(entries.len() as u64, out);
    for (name, value) in entries {
        push_bytes(name.as_bytes(), out);
        push_value(value, depth, out);
    }
}

fn push_value(value: &Value, depth: usize, out: &mut Vec<u8>) {
    match value {
        Value::S(text) => {
            out.push(tag::S);
            push_bytes(text.as_bytes(), out);
        }
        Value::N(number) => {
            out.push(tag::N);
            number.encode_ordered(out);
        }
        Value::B(bytes) => {
            out.push(tag::B);
            push_bytes(bytes, out);
        }
        Value::Bool(false) => out.push(tag::FALSE),
        Value::Bool(true) => out.push(tag::TRUE),
        Value::Null => out.push(tag::NULL),
        Value::L(elements) => {
            debug_assert!(depth < MAX_DEPTH, "list nested too deep");
            out.push(tag::L);
            push_body(out, |out| {
                varint::push(elements.len() as u64, out);
                for element in elements {
                    push_value(element, depth + 1, out);
                }
            });
        }
        Value::M(entries) => {
            debug_assert!(depth < MAX_DEPTH, "map nested too deep");
            out.push(tag::M);
            push_body(out, |out| push_entries(entries, depth + 1, out));
        }
        Value::Ss(elements) => push_set(tag::SS, elements, out, |element, out| {
            push_bytes(element.as_bytes(), out);
        }),
        Value::Ns(elements) => push_set(tag::NS, elements, out, |element, out| {
            element.encode_ordered(out);
        }),
        Value::Bs(elements) => push_set(tag::BS, elements, out, |element, out| {
            push_bytes(element, out);
        }),
    }
}

fn push_set<T: Ord>(
    tag: u8,
    elements: &[T],
    out: &mut Vec<u8>,
    push_element: impl Fn(&T, &mut Vec<u8>),
) {
    debug_assert!(!elements.is_empty(), "empty set");
    debug_assert!(is_strictly_ascending(elements), "set not sorted");
    out.push(tag);
    push_body(out, |out| {
        varint::push(elements.len() as u64, out);
        for element in elements {
            push_element(element, out);
        }
    });
}

fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    varint::push(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Writes a body and then its length, and turns the two around: cheaper than a pass to measure.
fn push_body(out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    push(out);
    let end = out.len();
    varint::push((end - start) as u64, out);
    let length_bytes = out.len() - end;
    if let Some(written) = out.get_mut(start..) {
        written.rotate_right(length_bytes);
    }
}
