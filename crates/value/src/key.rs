//! Key values as bytes whose order is the order of the values. Part of the on-disk format.
//!
//! Strings and binaries: their bytes with 0x00 written as 0x00 0xFF, then 0x00 0x00. Numbers: see
//! [`Number::encode_ordered`]. Each form ends itself and none is a prefix of another of its type, so
//! encoded components may simply be put one after the other.

use xxhash_rust::xxh3::xxh3_64;

use crate::{CodecError, Number, Value, codec::ValueRef};

const ESCAPED_ZERO: u8 = 0xFF;
const END: u8 = 0x00;

/// The types a key attribute may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
}

impl KeyType {
    /// The type's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            KeyType::S => "S",
            KeyType::N => "N",
            KeyType::B => "B",
        }
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<KeyType> {
        match name {
            "S" => Some(KeyType::S),
            "N" => Some(KeyType::N),
            "B" => Some(KeyType::B),
            _ => None,
        }
    }

    /// The key type of a value; none if it cannot be a key.
    pub fn of(value: &Value) -> Option<KeyType> {
        match value {
            Value::S(_) => Some(KeyType::S),
            Value::N(_) => Some(KeyType::N),
            Value::B(_) => Some(KeyType::B),
            _ => None,
        }
    }

    /// The same of a value inside encoded bytes.
    pub fn of_ref(value: &ValueRef<'_>) -> Option<KeyType> {
        match value {
            ValueRef::S(_) => Some(KeyType::S),
            ValueRef::N(_) => Some(KeyType::N),
            ValueRef::B(_) => Some(KeyType::B),
            _ => None,
        }
    }
}

/// Appends the ordered form of a value; refuses types that cannot be keys and then appends nothing.
pub fn encode(value: &Value, out: &mut Vec<u8>) -> Result<(), CodecError> {
    match value {
        Value::S(text) => encode_bytes(text.as_bytes(), out),
        Value::N(number) => number.encode_ordered(out),
        Value::B(bytes) => encode_bytes(bytes, out),
        other => return Err(CodecError::NotAKey(other.type_name())),
    }
    Ok(())
}

/// The same for a value inside encoded bytes.
pub fn encode_ref(value: &ValueRef<'_>, out: &mut Vec<u8>) -> Result<(), CodecError> {
    match value {
        ValueRef::S(text) => encode_bytes(text.as_bytes(), out),
        ValueRef::N(number) => number.encode_ordered(out),
        ValueRef::B(bytes) => encode_bytes(bytes, out),
        other => return Err(CodecError::NotAKey(other.type_name())),
    }
    Ok(())
}

/// Appends the ordered form of a string's or a binary's bytes.
pub fn encode_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    encode_prefix(bytes, out);
    out.extend_from_slice(&[0, END]);
}

/// Appends the ordered form of a string's or a binary's bytes without its end: what the forms of
/// all values that begin with these bytes begin with, and no other's.
pub fn encode_prefix(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 2);
    let mut runs = bytes.split(|byte| *byte == 0);
    out.extend_from_slice(runs.next().unwrap_or_default());
    for run in runs {
        out.extend_from_slice(&[0, ESCAPED_ZERO]);
        out.extend_from_slice(run);
    }
}

/// Takes one key value off the front of the input; on error the input is unchanged.
pub fn decode(key_type: KeyType, input: &mut &[u8]) -> Result<Value, CodecError> {
    let mut rest = *input;
    let value = match key_type {
        KeyType::N => Value::N(Number::decode_ordered(&mut rest)?),
        KeyType::B => Value::B(decode_bytes(&mut rest)?),
        KeyType::S => {
            let bytes = decode_bytes(&mut rest)?;
            Value::S(String::from_utf8(bytes).map_err(|_| CodecError::BadText)?)
        }
    };
    *input = rest;
    Ok(value)
}

fn decode_bytes(input: &mut &[u8]) -> Result<Vec<u8>, CodecError> {
    let mut bytes = Vec::new();
    loop {
        let length = input.iter().take_while(|byte| **byte != 0).count();
        let (run, mark) = input.split_at_checked(length).ok_or(CodecError::UnexpectedEnd)?;
        bytes.extend_from_slice(run);
        match mark {
            [_, END, rest @ ..] => {
                *input = rest;
                return Ok(bytes);
            }
            [_, ESCAPED_ZERO, rest @ ..] => {
                bytes.push(0);
                *input = rest;
            }
            [_, other, ..] => return Err(CodecError::BadEscape(*other)),
            _ => return Err(CodecError::UnexpectedEnd),
        }
    }
}

/// The hash that spreads partitions: the top 16 bits of XXH3 of the encoded partition key.
pub fn partition_hash(encoded_pk: &[u8]) -> u16 {
    (xxh3_64(encoded_pk) >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(value: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        encode(value, &mut out).unwrap();
        out
    }

    #[test]
    fn bytes_are_fixed_by_the_format() {
        for (value, expected) in [
            (Value::S(String::new()), &[0, 0][..]),
            (Value::S("ab".into()), &[97, 98, 0, 0]),
            (Value::S("a\0".into()), &[97, 0, 255, 0, 0]),
            (Value::B(vec![0, 0, 1, 255]), &[0, 255, 0, 255, 1, 255, 0, 0]),
            (Value::N(Number::from(1)), &[3, 130, 11, 0]),
        ] {
            let bytes = encoded(&value);
            assert_eq!(bytes, expected, "{value:?}");
            let mut input = bytes.as_slice();
            let key_type = KeyType::of(&value).unwrap();
            assert_eq!(decode(key_type, &mut input), Ok(value));
            assert!(input.is_empty());
        }
    }

    #[test]
    fn other_types_cannot_be_keys() {
        for value in [Value::Null, Value::Bool(true), Value::L(vec![])] {
            let mut out = vec![7];
            let expected = Err(CodecError::NotAKey(value.type_name()));
            assert_eq!(encode(&value, &mut out), expected);
            assert_eq!(out, [7]);
            assert_eq!(KeyType::of(&value), None);
        }
    }

    #[test]
    fn damaged_keys_are_refused() {
        for (key_type, bytes, expected) in [
            (KeyType::B, &[][..], CodecError::UnexpectedEnd),
            (KeyType::B, &[1, 2], CodecError::UnexpectedEnd),
            (KeyType::B, &[1, 0], CodecError::UnexpectedEnd),
            (KeyType::B, &[1, 0, 255], CodecError::UnexpectedEnd),
            (KeyType::B, &[1, 0, 7, 0, 0], CodecError::BadEscape(7)),
            (KeyType::S, &[200, 0, 0], CodecError::BadText),
            (KeyType::N, &[9], CodecError::BadNumber("unknown sign")),
        ] {
            let mut input = bytes;
            assert_eq!(decode(key_type, &mut input), Err(expected), "{bytes:?}");
            assert_eq!(input, bytes);
        }
    }

    #[test]
    fn prefix_is_the_form_without_its_end() {
        for bytes in [&b""[..], b"ab", b"a\0", b"\0\0"] {
            let mut prefix = Vec::new();
            encode_prefix(bytes, &mut prefix);
            let mut whole = Vec::new();
            encode_bytes(bytes, &mut whole);
            assert_eq!([prefix.as_slice(), &[0, 0]].concat(), whole);
        }
    }

    #[test]
    fn names_go_both_ways() {
        for key_type in [KeyType::S, KeyType::N, KeyType::B] {
            assert_eq!(KeyType::from_name(key_type.name()), Some(key_type));
        }
        assert_eq!(KeyType::from_name("BOOL"), None);
    }

    #[test]
    fn partition_hash_never_changes() {
        let user = encoded(&Value::S("user#1".into()));
        let number = encoded(&Value::N(Number::from(42)));
        assert_eq!(partition_hash(b""), 0x2D06);
        assert_eq!(partition_hash(&user), 0x0667);
        assert_eq!(partition_hash(&number), 0xB44A);
    }
}
