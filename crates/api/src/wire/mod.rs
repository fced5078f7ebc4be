//! The AWS JSON 1.0 wire: generated shapes, how they are read from and written
//! as JSON, and the constraint checks that come with them. Knows no engine and
//! no HTTP.

mod attribute;
mod decode;
mod echo;
mod encode;
mod scalar;
mod stored;
mod violations;

pub use attribute::{AttributeMap, AttributeValue};
pub use decode::{RequestError, is_json, read};
pub use encode::{Body, Json, ObjectWriter, Output, to_json};
pub use scalar::{Blob, Double, Integer, Long, Timestamp};
pub use shapes::*;
pub use violations::Violations;

pub(crate) use encode::structure;
pub(crate) use violations::Violation;

/// A string with a fixed set of values; others are kept until they are refused.
pub trait Enumeration: Sized {
    /// The values, in the order AWS prints them.
    const VALUES: &'static [&'static str];
    /// Reads the value, known or not.
    fn from_text(text: String) -> Self;
    /// The value as it is sent.
    fn as_str(&self) -> &str;
    /// Whether it is one of `VALUES`.
    fn is_known(&self) -> bool;
}

/// Implements reading, echoing and writing for what `build/` generates.
macro_rules! structure {
    ($name:ident) => {
        impl super::decode::Shape for $name {
            const MOST_IN_LIST: usize = 2_000;
            fn decode<'de, D: serde::Deserializer<'de>>(
                from: D,
                place: super::decode::Place,
            ) -> Result<Self, D::Error> {
                super::decode::structure(from, place)
            }
        }
        impl super::echo::Echoed for $name {
            fn echo(&self, out: &mut String) {
                super::echo::structure(self, out);
            }
        }
    };
}

macro_rules! output {
    ($name:ident) => {
        impl Json for $name {
            fn write(&self, out: &mut super::encode::Body) {
                super::encode::structure(self, out);
            }
        }
    };
}

macro_rules! enumeration {
    ($name:ident) => {
        impl super::decode::Shape for $name {
            fn decode<'de, D: serde::Deserializer<'de>>(
                from: D,
                place: super::decode::Place,
            ) -> Result<Self, D::Error> {
                String::decode(from, place).map(Self::from_text)
            }
        }
        impl super::echo::Echoed for $name {
            fn echo(&self, out: &mut String) {
                out.push_str(self.as_str());
            }
        }
        impl Json for $name {
            fn write(&self, out: &mut super::encode::Body) {
                super::encode::text(self.as_str(), out);
            }
        }
    };
}

#[allow(
    missing_docs,
    dead_code,
    clippy::all,
    reason = "generated; the shapes and their names are AWS's and documented there"
)]
mod shapes {
    use super::{
        AttributeMap, AttributeValue, Double, Enumeration, Integer, Long, Output, Timestamp,
        Violations,
        decode::{Input, RequestError, member, read},
        echo::Echo,
        encode::{Json, ObjectWriter},
        violations::Path,
    };
    use serde::de::MapAccess;
    use std::collections::BTreeMap;

    include!(concat!(env!("OUT_DIR"), "/shapes.rs"));
}
