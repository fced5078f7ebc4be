//! The scalar kinds of the model, and AWS's texts for a value of another kind.

use super::decode::{Place, STRUCTURE_NOT_EXPECTED, Shape};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A 32-bit integer of the model; larger values are kept so that they can be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer(pub i64);
/// A 64-bit integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Long(pub i64);
/// A floating-point number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Double(pub f64);
/// A moment, in seconds since 1970 with a fraction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timestamp(pub f64);
/// Bytes, base64 on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob(pub Vec<u8>);

impl From<Integer> for i64 {
    fn from(value: Integer) -> i64 {
        value.0
    }
}

impl From<Long> for i64 {
    fn from(value: Long) -> i64 {
        value.0
    }
}

fn not_convertible<E: Error>(kind: &str, target: &str) -> E {
    E::custom(format!("{kind} cannot be converted to {target}"))
}

fn boolean_kind(value: bool) -> &'static str {
    if value { "TRUE_VALUE" } else { "FALSE_VALUE" }
}

fn number_kind(value: f64) -> &'static str {
    if value.fract() == 0.0 { "NUMBER_VALUE" } else { "DECIMAL_VALUE" }
}

/// The visitor methods every scalar shares: no list, no object, no null.
macro_rules! refuse_collections {
    ($class:literal) => {
        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str($class)
        }
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Err(E::custom("Unexpected token received from parser"))
        }
        fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
            Err(A::Error::custom(concat!("Unrecognized collection type class ", $class)))
        }
        fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
            Err(A::Error::custom(STRUCTURE_NOT_EXPECTED))
        }
    };
}

struct Text;

impl Shape for String {
    fn decode<'de, D: Deserializer<'de>>(from: D, _: Place) -> Result<Self, D::Error> {
        from.deserialize_any(Text)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = String;
    refuse_collections!("java.lang.String");
    fn visit_str<E: Error>(self, value: &str) -> Result<String, E> {
        Ok(value.to_owned())
    }
    fn visit_string<E: Error>(self, value: String) -> Result<String, E> {
        Ok(value)
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<String, E> {
        Err(not_convertible(boolean_kind(value), "String"))
    }
    fn visit_u64<E: Error>(self, _: u64) -> Result<String, E> {
        Err(not_convertible("NUMBER_VALUE", "String"))
    }
    fn visit_i64<E: Error>(self, _: i64) -> Result<String, E> {
        Err(not_convertible("NUMBER_VALUE", "String"))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<String, E> {
        Err(not_convertible(number_kind(value), "String"))
    }
}

struct Truth;

impl Shape for bool {
    fn decode<'de, D: Deserializer<'de>>(from: D, _: Place) -> Result<Self, D::Error> {
        from.deserialize_any(Truth)
    }
}

impl<'de> Visitor<'de> for Truth {
    type Value = bool;
    refuse_collections!("java.lang.Boolean");
    fn visit_bool<E: Error>(self, value: bool) -> Result<bool, E> {
        Ok(value)
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<bool, E> {
        match value.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" => Ok(true),
            "false" | "0" | "no" => Ok(false),
            _ => Err(E::custom("Unexpected token received from parser")),
        }
    }
    fn visit_u64<E: Error>(self, _: u64) -> Result<bool, E> {
        Err(not_convertible("NUMBER_VALUE", "Boolean"))
    }
    fn visit_i64<E: Error>(self, _: i64) -> Result<bool, E> {
        Err(not_convertible("NUMBER_VALUE", "Boolean"))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<bool, E> {
        Err(not_convertible(number_kind(value), "Boolean"))
    }
}

/// A number: whole ones are rounded down, as AWS does with `1.5` for an integer.
macro_rules! number {
    ($name:ident, $visitor:ident, $class:literal, $target:literal, $inner:ty) => {
        struct $visitor;

        impl Shape for $name {
            fn decode<'de, D: Deserializer<'de>>(from: D, _: Place) -> Result<Self, D::Error> {
                from.deserialize_any($visitor)
            }
        }

        impl<'de> Visitor<'de> for $visitor {
            type Value = $name;
            refuse_collections!($class);
            fn visit_bool<E: Error>(self, value: bool) -> Result<$name, E> {
                Err(not_convertible(boolean_kind(value), $target))
            }
            fn visit_str<E: Error>(self, _: &str) -> Result<$name, E> {
                Err(not_convertible("STRING_VALUE", $target))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<$name, E> {
                Ok($name(<$inner>::from_unsigned(value)))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<$name, E> {
                Ok($name(<$inner>::from_signed(value)))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<$name, E> {
                Ok($name(<$inner>::from_float(value)))
            }
        }
    };
}

trait FromJsonNumber {
    fn from_unsigned(value: u64) -> Self;
    fn from_signed(value: i64) -> Self;
    fn from_float(value: f64) -> Self;
}

impl FromJsonNumber for i64 {
    fn from_unsigned(value: u64) -> i64 {
        i64::try_from(value).unwrap_or(i64::MAX)
    }
    fn from_signed(value: i64) -> i64 {
        value
    }
    #[expect(clippy::cast_possible_truncation, reason = "saturating is what is wanted")]
    fn from_float(value: f64) -> i64 {
        value.floor() as i64
    }
}

impl FromJsonNumber for f64 {
    #[expect(clippy::cast_precision_loss, reason = "JSON numbers are doubles here")]
    fn from_unsigned(value: u64) -> f64 {
        value as f64
    }
    #[expect(clippy::cast_precision_loss, reason = "JSON numbers are doubles here")]
    fn from_signed(value: i64) -> f64 {
        value as f64
    }
    fn from_float(value: f64) -> f64 {
        value
    }
}

number!(Integer, IntegerVisitor, "java.lang.Integer", "Integer", i64);
number!(Long, LongVisitor, "java.lang.Long", "Long", i64);
number!(Double, DoubleVisitor, "java.lang.Double", "Double", f64);
number!(Timestamp, TimestampVisitor, "java.util.Date", "Date", f64);

struct Bytes;

impl Shape for Blob {
    fn decode<'de, D: Deserializer<'de>>(from: D, _: Place) -> Result<Self, D::Error> {
        from.deserialize_any(Bytes)
    }
}

const NOT_BASE64_TEXT: &str = "only base-64-encoded strings are convertible to bytes";

impl<'de> Visitor<'de> for Bytes {
    type Value = Blob;
    refuse_collections!("java.nio.ByteBuffer");
    fn visit_bool<E: Error>(self, _: bool) -> Result<Blob, E> {
        Err(E::custom(NOT_BASE64_TEXT))
    }
    fn visit_u64<E: Error>(self, _: u64) -> Result<Blob, E> {
        Err(E::custom(NOT_BASE64_TEXT))
    }
    fn visit_i64<E: Error>(self, _: i64) -> Result<Blob, E> {
        Err(E::custom(NOT_BASE64_TEXT))
    }
    fn visit_f64<E: Error>(self, _: f64) -> Result<Blob, E> {
        Err(E::custom(NOT_BASE64_TEXT))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Blob, E> {
        if !value.len().is_multiple_of(4) {
            let found = value.len();
            return Err(E::custom(format!(
                "Base64 encoded length is expected a multiple of 4 bytes but found: {found}"
            )));
        }
        // The misspelling is AWS's.
        let bad = |_| E::custom("Invalid last non-pad Base64 character dectected");
        STANDARD.decode(value).map(Blob).map_err(bad)
    }
}
