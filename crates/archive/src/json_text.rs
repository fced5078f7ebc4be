//! Pieces of JSON text, as every writer of JSON here needs them.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Appends a JSON string.
pub(crate) fn string(text: &str, out: &mut Vec<u8>) {
    // Into a vector nothing can fail: there is no I/O, and a string has no unusual keys.
    let _ = serde_json::to_writer(out, text);
}

/// Appends bytes as a base64 string.
pub(crate) fn base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
    out.push(b'"');
}

/// Appends an array.
pub(crate) fn array<T>(
    elements: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (position, element) in elements.into_iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write(element, out);
    }
    out.push(b']');
}

/// Appends an object.
pub(crate) fn object<'a, T>(
    members: impl IntoIterator<Item = (&'a str, T)>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(b'{');
    for (position, (name, member)) in members.into_iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        string(name, out);
        out.push(b':');
        write(member, out);
    }
    out.push(b'}');
}
