//! Items as compact bytes. Part of the on-disk format; each item has exactly one encoding.
//!
//! Item: version byte 1, item size, attribute count, attributes in name order. Attribute: name
//! length, name, value. Value: tag byte, then by type: S and B length and bytes; N its ordered form;
//! L, M and sets the byte length of the body, where the body is the count and the elements. All
//! sizes, lengths and counts are LEB128 varints in their shortest form.

mod counted;
mod encode;
mod item_ref;
mod list_ref;
mod map_ref;
mod reader;
mod set_ref;
mod tag;
mod value_ref;
mod varint;
mod visit;

pub use encode::encode;
pub use item_ref::ItemRef;
pub use list_ref::{Elements, ListRef};
pub use map_ref::{Entries, MapRef};
pub use set_ref::{SetElement, SetElements, SetRef};
pub use value_ref::ValueRef;
pub use visit::{Container, Visitor, visit};

use crate::{CodecError, Item};

/// The format this build writes, and the only one so far.
const VERSION: u8 = 1;

/// Reads a whole item and checks all of it.
pub fn decode(bytes: &[u8]) -> Result<Item, CodecError> {
    ItemRef::new(bytes)?.to_item()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MAX_DEPTH, Map, Number, Value};

    fn every_type() -> Item {
        let nested = Map::from([("k".to_owned(), Value::Null)]);
        Item::from([
            ("b".to_owned(), Value::B(vec![0, 255])),
            ("bs".to_owned(), Value::Bs(vec![vec![], vec![1]])),
            ("f".to_owned(), Value::Bool(false)),
            ("l".to_owned(), Value::L(vec![Value::Bool(true)])),
            ("m".to_owned(), Value::M(nested)),
            ("n".to_owned(), Value::N(Number::from(-1))),
            ("ns".to_owned(), Value::Ns(vec![Number::ZERO, Number::from(1)])),
            ("s".to_owned(), Value::S("hi".to_owned())),
            ("ss".to_owned(), Value::Ss(vec!["a".into(), "b".into()])),
            ("t".to_owned(), Value::Bool(true)),
            ("z".to_owned(), Value::Null),
        ])
    }

    #[test]
    fn bytes_are_fixed_by_the_format() {
        let expected: &[u8] = &[
            1, 41, 11, // version, size, count
            1, b'b', 3, 2, 0, 255, //
            2, b'b', b's', 11, 4, 2, 0, 1, 1, //
            1, b'f', 4, //
            1, b'l', 7, 2, 1, 5, //
            1, b'm', 8, 4, 1, 1, b'k', 6, //
            1, b'n', 2, 1, 125, 244, 255, //
            2, b'n', b's', 10, 6, 2, 2, 3, 130, 11, 0, //
            1, b's', 1, 2, b'h', b'i', //
            2, b's', b's', 9, 5, 2, 1, b'a', 1, b'b', //
            1, b't', 5, //
            1, b'z', 6,
        ];
        assert_eq!(encode(&every_type()), expected);
        assert_eq!(decode(expected), Ok(every_type()));
        assert_eq!(encode(&Item::new()), [1, 0, 0]);
        assert_eq!(decode(&[1, 0, 0]), Ok(Item::new()));
    }

    #[test]
    fn damaged_items_are_refused() {
        use CodecError::*;
        for (bytes, expected) in [
            (&[][..], UnexpectedEnd),
            (&[2, 0, 0], UnknownVersion(2)),
            (&[1, 0], UnexpectedEnd),
            (&[1, 0x80, 0, 0], BadVarint),
            (&[1, 0, 0, 9], TrailingBytes(1)),
            (&[1, 2, 2, 1, b'a', 6], UnexpectedEnd),
            (&[1, 0, 9, 1], BadCount { count: 9, available: 1 }),
            (&[1, 2, 1, 1, b'a', 0], UnknownTag(0)),
            (&[1, 2, 1, 1, b'a', 12], UnknownTag(12)),
            (&[1, 2, 1, 1, 200, 6], BadText),
            (&[1, 2, 1, 1, b'a', 1, 1, 200], BadText),
            (&[1, 2, 1, 1, b'a', 1, 5, b'x'], UnexpectedEnd),
            (&[1, 4, 2, 1, b'b', 6, 1, b'a', 6], Unordered("attribute names")),
            (&[1, 4, 2, 1, b'a', 6, 1, b'a', 6], Unordered("attribute names")),
            (&[1, 3, 1, 1, b'a', 9, 5, 2, 1, b'b', 1, b'a'], Unordered("set elements")),
            (&[1, 1, 1, 1, b'a', 9, 1, 0], EmptySet),
            (&[1, 5, 1, 1, b'a', 7, 3, 1, 6, 6], TrailingBytes(1)),
            (&[1, 5, 1, 1, b'a', 7, 2, 2, 6], BadCount { count: 2, available: 1 }),
            (&[1, 9, 1, 1, b'a', 6], SizeMismatch { stored: 9, actual: 2 }),
        ] {
            assert_eq!(decode(bytes), Err(expected), "{bytes:?}");
        }
    }

    #[test]
    fn huge_claims_allocate_nothing() {
        let huge = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
        let claims = [
            [&[1, 0][..], &huge].concat(),
            [&[1, 0, 1][..], &huge].concat(),
            [&[1, 0, 1, 1, b'a', 1][..], &huge].concat(),
            [&[1, 0, 1, 1, b'a', 7, 11][..], &huge, &[6]].concat(),
            [&[1, 0, 1, 1, b'a', 9, 11][..], &huge, &[6]].concat(),
        ];
        for bytes in claims {
            assert!(decode(&bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let nest = |levels: usize| {
            (0..levels).fold(Value::Null, |value, level| {
                if level % 2 == 0 {
                    Value::L(vec![value])
                } else {
                    Value::M(Map::from([("m".to_owned(), value)]))
                }
            })
        };
        let item = Item::from([("a".to_owned(), nest(MAX_DEPTH))]);
        assert_eq!(decode(&encode(&item)), Ok(item));

        let mut bytes = vec![6];
        for _ in 0..100_000 {
            let mut outer = vec![7];
            varint::push(bytes.len() as u64 + 1, &mut outer);
            outer.push(1);
            // Reversed, so that wrapping appends.
            outer.reverse();
            bytes.extend(outer);
        }
        bytes.reverse();
        let damaged = [&[1, 0, 1, 1, b'a'][..], &bytes].concat();
        assert_eq!(decode(&damaged), Err(CodecError::TooDeep));
    }

    #[test]
    fn parts_are_read_in_place() {
        let bytes = encode(&every_type());
        let item = ItemRef::new(&bytes).unwrap();
        assert_eq!((item.size(), item.len(), item.is_empty()), (41, 11, false));
        assert!(matches!(item.get("s"), Ok(Some(ValueRef::S("hi")))));
        assert!(matches!(item.get("z"), Ok(Some(ValueRef::Null))));
        for absent in ["", "a", "c", "zz"] {
            assert!(matches!(item.get(absent), Ok(None)), "{absent}");
        }
        let Ok(Some(ValueRef::M(map))) = item.get("m") else {
            panic!("no map");
        };
        assert!(matches!(map.get("k"), Ok(Some(ValueRef::Null))));
        let Ok(Some(ValueRef::L(list))) = item.get("l") else {
            panic!("no list");
        };
        assert_eq!((list.len(), list.is_empty()), (1, false));
        assert!(matches!(list.get(0), Ok(Some(ValueRef::Bool(true)))));
        assert!(matches!(list.get(1), Ok(None)));
        let Ok(Some(ValueRef::Ns(set))) = item.get("ns") else {
            panic!("no set");
        };
        let numbers: Result<Vec<Number>, CodecError> = set.iter().collect();
        assert_eq!(numbers, Ok(vec![Number::ZERO, Number::from(1)]));
    }
}
