//! A value read in place. Scalars are decoded, containers only measured; what is inside them is
//! checked when it is read.

use super::list_ref::ListRef;
use super::map_ref::MapRef;
use super::reader::Reader;
use super::set_ref::SetRef;
use super::tag;
use crate::{CodecError, MAX_DEPTH, Number, Value};

/// A value inside encoded bytes.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    /// String.
    S(&'a str),
    /// Number.
    N(Number),
    /// Binary.
    B(&'a [u8]),
    /// Boolean.
    Bool(bool),
    /// Null.
    Null,
    /// List.
    L(ListRef<'a>),
    /// Map.
    M(MapRef<'a>),
    /// String set.
    Ss(SetRef<'a, &'a str>),
    /// Number set.
    Ns(SetRef<'a, Number>),
    /// Binary set.
    Bs(SetRef<'a, &'a [u8]>),
}

impl<'a> ValueRef<'a> {
    /// Reads a value that is inside `depth` containers, not counting the item. The bound holds for
    /// whoever walks the value too: damaged bytes can lead nobody into unbounded recursion.
    pub(super) fn read(reader: &mut Reader<'a>, depth: usize) -> Result<ValueRef<'a>, CodecError> {
        Ok(match reader.byte()? {
            tag::S => ValueRef::S(reader.text()?),
            tag::N => ValueRef::N(reader.number()?),
            tag::B => ValueRef::B(reader.bytes()?),
            tag::FALSE => ValueRef::Bool(false),
            tag::TRUE => ValueRef::Bool(true),
            tag::NULL => ValueRef::Null,
            tag::L | tag::M if depth >= MAX_DEPTH => return Err(CodecError::TooDeep),
            tag::L => ValueRef::L(ListRef::new(reader.bytes()?, depth + 1)?),
            tag::M => ValueRef::M(MapRef::new(Reader::new(reader.bytes()?), depth + 1)?),
            tag::SS => ValueRef::Ss(SetRef::new(reader.bytes()?)?),
            tag::NS => ValueRef::Ns(SetRef::new(reader.bytes()?)?),
            tag::BS => ValueRef::Bs(SetRef::new(reader.bytes()?)?),
            unknown => return Err(CodecError::UnknownTag(unknown)),
        })
    }

    /// Steps over a value without looking into it.
    pub(super) fn skip(reader: &mut Reader<'a>) -> Result<(), CodecError> {
        match reader.byte()? {
            tag::FALSE | tag::TRUE | tag::NULL => Ok(()),
            tag::N => reader.skip_number(),
            tag::S | tag::B | tag::L | tag::M | tag::SS | tag::NS | tag::BS => {
                reader.bytes().map(|_| ())
            }
            unknown => Err(CodecError::UnknownTag(unknown)),
        }
    }

    /// The type's name on the wire.
    pub fn type_name(&self) -> &'static str {
        match self {
            ValueRef::S(_) => "S",
            ValueRef::N(_) => "N",
            ValueRef::B(_) => "B",
            ValueRef::Bool(_) => "BOOL",
            ValueRef::Null => "NULL",
            ValueRef::L(_) => "L",
            ValueRef::M(_) => "M",
            ValueRef::Ss(_) => "SS",
            ValueRef::Ns(_) => "NS",
            ValueRef::Bs(_) => "BS",
        }
    }

    /// The value on its own.
    pub fn to_value(&self) -> Result<Value, CodecError> {
        Ok(match self {
            ValueRef::S(text) => Value::S((*text).to_owned()),
            ValueRef::N(number) => Value::N(*number),
            ValueRef::B(bytes) => Value::B(bytes.to_vec()),
            ValueRef::Bool(truth) => Value::Bool(*truth),
            ValueRef::Null => Value::Null,
            ValueRef::L(list) => Value::L(list.to_vec()?),
            ValueRef::M(map) => Value::M(map.to_map()?),
            ValueRef::Ss(set) => Value::Ss(set.collect_with(str::to_owned)?),
            ValueRef::Ns(set) => Value::Ns(set.collect_with(|number| number)?),
            ValueRef::Bs(set) => Value::Bs(set.collect_with(<[u8]>::to_vec)?),
        })
    }
}
