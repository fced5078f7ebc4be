//! Reading an item from its first byte to its last, for those who need all of it in order and at once.

use super::{VERSION, reader::Reader, tag};
use crate::{CodecError, MAX_DEPTH, Number};

/// What holds other values, or elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// The item itself.
    Item,
    /// Map.
    M,
    /// List.
    L,
    /// String set.
    Ss,
    /// Number set.
    Ns,
    /// Binary set.
    Bs,
}

/// Takes the parts of an item in order.
///
/// Text comes as its bytes: whether they are UTF-8 is for the visitor to find out, who may look at each
/// of them anyway.
pub trait Visitor {
    /// A container begins.
    fn open(&mut self, container: Container);
    /// What comes next stands in the same container as what came before.
    fn next(&mut self);
    /// The name of the value that comes next.
    fn name(&mut self, name: &[u8]) -> Result<(), CodecError>;
    /// A string.
    fn text(&mut self, text: &[u8]) -> Result<(), CodecError>;
    /// A number.
    fn number(&mut self, number: Number);
    /// A binary.
    fn binary(&mut self, bytes: &[u8]);
    /// A boolean.
    fn boolean(&mut self, truth: bool);
    /// Null.
    fn null(&mut self);
    /// An element of a string set.
    fn text_element(&mut self, text: &[u8]) -> Result<(), CodecError>;
    /// An element of a number set.
    fn number_element(&mut self, number: Number);
    /// An element of a binary set.
    fn binary_element(&mut self, bytes: &[u8]);
    /// A container ends.
    fn close(&mut self, container: Container);
}

/// Shows an item to a visitor. Of damaged bytes it may have seen a part.
pub fn visit(bytes: &[u8], visitor: &mut impl Visitor) -> Result<(), CodecError> {
    let mut reader = Reader::new(bytes);
    let version = reader.byte()?;
    if version != VERSION {
        return Err(CodecError::UnknownVersion(version));
    }
    reader.varint()?;
    entries(reader, Container::Item, 0, visitor)
}

fn entries(
    mut reader: Reader<'_>,
    container: Container,
    depth: usize,
    visitor: &mut impl Visitor,
) -> Result<(), CodecError> {
    visitor.open(container);
    for place in 0..reader.varint()? {
        if place > 0 {
            visitor.next();
        }
        visitor.name(reader.bytes()?)?;
        value(&mut reader, depth, visitor)?;
    }
    visitor.close(container);
    ended(reader)
}

fn value(
    reader: &mut Reader<'_>,
    depth: usize,
    visitor: &mut impl Visitor,
) -> Result<(), CodecError> {
    match reader.byte()? {
        tag::S => visitor.text(reader.bytes()?)?,
        tag::N => visitor.number(reader.number()?),
        tag::B => visitor.binary(reader.bytes()?),
        tag::FALSE => visitor.boolean(false),
        tag::TRUE => visitor.boolean(true),
        tag::NULL => visitor.null(),
        tag::L | tag::M if depth >= MAX_DEPTH => return Err(CodecError::TooDeep),
        tag::M => entries(Reader::new(reader.bytes()?), Container::M, depth + 1, visitor)?,
        tag::L => elements(reader.bytes()?, Container::L, visitor, |reader, visitor| {
            value(reader, depth + 1, visitor)
        })?,
        tag::SS => elements(reader.bytes()?, Container::Ss, visitor, |reader, visitor| {
            visitor.text_element(reader.bytes()?)
        })?,
        tag::NS => elements(reader.bytes()?, Container::Ns, visitor, |reader, visitor| {
            visitor.number_element(reader.number()?);
            Ok(())
        })?,
        tag::BS => elements(reader.bytes()?, Container::Bs, visitor, |reader, visitor| {
            visitor.binary_element(reader.bytes()?);
            Ok(())
        })?,
        unknown => return Err(CodecError::UnknownTag(unknown)),
    }
    Ok(())
}

fn elements<'a, V: Visitor>(
    body: &'a [u8],
    container: Container,
    visitor: &mut V,
    element: impl Fn(&mut Reader<'a>, &mut V) -> Result<(), CodecError>,
) -> Result<(), CodecError> {
    let mut reader = Reader::new(body);
    visitor.open(container);
    for place in 0..reader.varint()? {
        if place > 0 {
            visitor.next();
        }
        element(&mut reader, visitor)?;
    }
    visitor.close(container);
    ended(reader)
}

fn ended(reader: Reader<'_>) -> Result<(), CodecError> {
    match reader.remaining() {
        0 => Ok(()),
        extra => Err(CodecError::TrailingBytes(extra)),
    }
}
