//! A count and the elements it announces: the common part of items, lists, maps and sets.

use super::reader::Reader;
use crate::CodecError;

#[derive(Clone, Copy, Debug)]
pub(super) struct Counted<'a> {
    reader: Reader<'a>,
    left: usize,
}

impl<'a> Counted<'a> {
    /// Reads the count; all that remains must be the elements.
    pub(super) fn new(mut reader: Reader<'a>) -> Result<Counted<'a>, CodecError> {
        let count = reader.varint()?;
        let available = reader.remaining();
        // No element is shorter than a byte. With this a count is safe to allocate by.
        match usize::try_from(count) {
            Ok(left) if left <= available => Ok(Counted { reader, left }),
            _ => Err(CodecError::BadCount { count, available }),
        }
    }

    /// How many elements are still to come.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// The next element by the given way of reading one. Bytes after the last element are an error,
    /// and an error is the last thing that comes.
    pub(super) fn next_with<T>(
        &mut self,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, CodecError>,
    ) -> Option<Result<T, CodecError>> {
        let result = match (self.left, self.reader.remaining()) {
            (0, 0) => return None,
            (0, extra) => Err(CodecError::TrailingBytes(extra)),
            (left, _) => {
                self.left = left - 1;
                read(&mut self.reader)
            }
        };
        if result.is_err() {
            self.left = 0;
            self.reader = Reader::new(&[]);
        }
        Some(result)
    }
}
