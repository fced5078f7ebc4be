//! A stored item as JSON, straight from its bytes: what most of an answer consists of.

use super::encode::{Body, base64_text, escaped, is_plain, number_text};
use value::{
    CodecError, Number,
    codec::{Container, Visitor, visit},
};

/// Writes an item as a map of attribute values.
pub(super) fn write_stored(item: &[u8], out: &mut Body) -> Result<(), CodecError> {
    visit(item, &mut Writer { out })
}

struct Writer<'a> {
    out: &'a mut Body,
}

impl Writer<'_> {
    /// A string, with what stands before it up to its first quote, and what comes from its last one on.
    #[inline(always)]
    fn string(&mut self, before: &[u8], bytes: &[u8], after: &[u8]) -> Result<(), CodecError> {
        self.out.extend(before);
        if is_plain(bytes) {
            self.out.extend(bytes);
        } else {
            escaped(std::str::from_utf8(bytes).map_err(|_| CodecError::BadText)?, self.out);
        }
        self.out.extend(after);
        Ok(())
    }
}

impl Visitor for Writer<'_> {
    fn open(&mut self, container: Container) {
        self.out.extend(match container {
            Container::Item => b"{",
            Container::M => b"{\"M\":{",
            Container::L => b"{\"L\":[",
            Container::Ss => b"{\"SS\":[",
            Container::Ns => b"{\"NS\":[",
            Container::Bs => b"{\"BS\":[",
        });
    }

    fn next(&mut self) {
        self.out.push(b',');
    }

    fn name(&mut self, name: &[u8]) -> Result<(), CodecError> {
        self.string(b"\"", name, b"\":")
    }

    fn text(&mut self, text: &[u8]) -> Result<(), CodecError> {
        self.string(b"{\"S\":\"", text, b"\"}")
    }

    fn number(&mut self, number: Number) {
        self.out.extend(b"{\"N\":");
        number_text(&number, self.out);
        self.out.push(b'}');
    }

    fn binary(&mut self, bytes: &[u8]) {
        self.out.extend(b"{\"B\":");
        base64_text(bytes, self.out);
        self.out.push(b'}');
    }

    fn boolean(&mut self, truth: bool) {
        self.out.extend(if truth { b"{\"BOOL\":true}" } else { b"{\"BOOL\":false}" });
    }

    fn null(&mut self) {
        self.out.extend(b"{\"NULL\":true}");
    }

    fn text_element(&mut self, text: &[u8]) -> Result<(), CodecError> {
        self.string(b"\"", text, b"\"")
    }

    fn number_element(&mut self, number: Number) {
        number_text(&number, self.out);
    }

    fn binary_element(&mut self, bytes: &[u8]) {
        base64_text(bytes, self.out);
    }

    fn close(&mut self, container: Container) {
        self.out.extend(match container {
            Container::Item => b"}",
            Container::M => b"}}",
            Container::L | Container::Ss | Container::Ns | Container::Bs => b"]}",
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{AttributeMap, to_json};
    use value::{Item, MAX_DEPTH, Map, Value, codec};

    fn nested(levels: usize) -> Value {
        (0..levels).fold(Value::Null, |value, level| match level % 2 {
            0 => Value::L(vec![value, Value::Bool(false)]),
            _ => Value::M(Map::from([("m".to_owned(), value)])),
        })
    }

    fn every_type() -> Item {
        let texts =
            ["", "plain", "a \"quote\" and a \\", "line\nend\u{1}", "größer als ß", "\u{7f}"];
        let mut item = Item::from([
            ("b".to_owned(), Value::B(vec![0, 255, 7])),
            ("bs".to_owned(), Value::Bs(vec![vec![], vec![1]])),
            ("deep \"name\"".to_owned(), nested(MAX_DEPTH)),
            ("empty list".to_owned(), Value::L(vec![])),
            ("empty map".to_owned(), Value::M(Map::new())),
            ("n".to_owned(), Value::N(Number::parse("-12.50e-3").unwrap())),
            ("ns".to_owned(), Value::Ns(vec![Number::ZERO, Number::from(100)])),
            ("null".to_owned(), Value::Null),
            ("ss".to_owned(), Value::Ss(vec!["a".into(), "b\"".into()])),
            ("t".to_owned(), Value::Bool(true)),
        ]);
        for (number, text) in texts.into_iter().enumerate() {
            item.insert(format!("text {number}"), Value::S(text.to_owned()));
        }
        item
    }

    #[test]
    fn a_stored_item_reads_as_the_item_does() {
        for item in [every_type(), Item::new()] {
            let stored = AttributeMap::Encoded(codec::encode(&item).into());
            let plain = AttributeMap::Item(item);
            assert_eq!(to_json(&stored).unwrap(), to_json(&plain).unwrap());
        }
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic() {
        let bytes = codec::encode(&every_type());
        let write = |bytes: &[u8]| write_stored(bytes, &mut Body::default());
        for length in 0..bytes.len() {
            assert!(write(&bytes[..length]).is_err(), "{length}");
        }
        assert_eq!(write(&[bytes.as_slice(), &[0]].concat()), Err(CodecError::TrailingBytes(1)));
        assert_eq!(write(&[2, 0, 0]), Err(CodecError::UnknownVersion(2)));
        assert_eq!(write(&[1, 2, 1, 1, 200, 6]), Err(CodecError::BadText));
        assert_eq!(write(&[1, 2, 1, 1, b'a', 1, 1, 200]), Err(CodecError::BadText));
        assert_eq!(write(&[1, 2, 1, 1, b'a', 12]), Err(CodecError::UnknownTag(12)));
        for position in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[position] ^= 1 << bit;
                let _ = write(&damaged);
            }
        }
    }
}
