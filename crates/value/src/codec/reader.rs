//! A cursor over encoded bytes that lends out slices of them and never reads past the end.

use super::varint;
use crate::{CodecError, Number};

#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    pub(super) fn remaining(&self) -> usize {
        self.rest.len()
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8, CodecError> {
        let (byte, rest) = self.rest.split_first().ok_or(CodecError::UnexpectedEnd)?;
        self.rest = rest;
        Ok(*byte)
    }

    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64, CodecError> {
        varint::take(&mut self.rest)
    }

    /// Bytes with their length in front.
    #[inline]
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], CodecError> {
        let length = self.varint()?;
        let length = usize::try_from(length).map_err(|_| CodecError::UnexpectedEnd)?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(CodecError::UnexpectedEnd)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// UTF-8 text with its length in front.
    pub(super) fn text(&mut self) -> Result<&'a str, CodecError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| CodecError::BadText)
    }

    pub(super) fn number(&mut self) -> Result<Number, CodecError> {
        Number::decode_ordered(&mut self.rest)
    }

    pub(super) fn skip_number(&mut self) -> Result<(), CodecError> {
        Number::skip_ordered(&mut self.rest)
    }
}
