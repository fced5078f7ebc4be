//! A set read in place; one code for the three types of sets.

use std::iter::FusedIterator;
use std::marker::PhantomData;

use super::counted::Counted;
use super::reader::Reader;
use crate::{CodecError, Number};

mod sealed {
    use super::{CodecError, Reader};

    pub trait Read<'a>: Copy + Ord {
        fn read(reader: &mut Reader<'a>) -> Result<Self, CodecError>;
    }
}

/// What a set may be of: `&str`, [`Number`] or `&[u8]`.
pub trait SetElement<'a>: sealed::Read<'a> {}

impl<'a, T: sealed::Read<'a>> SetElement<'a> for T {}

impl<'a> sealed::Read<'a> for &'a str {
    fn read(reader: &mut Reader<'a>) -> Result<&'a str, CodecError> {
        reader.text()
    }
}

impl<'a> sealed::Read<'a> for Number {
    fn read(reader: &mut Reader<'a>) -> Result<Number, CodecError> {
        reader.number()
    }
}

impl<'a> sealed::Read<'a> for &'a [u8] {
    fn read(reader: &mut Reader<'a>) -> Result<&'a [u8], CodecError> {
        reader.bytes()
    }
}

/// A set inside encoded bytes.
#[derive(Clone, Copy, Debug)]
pub struct SetRef<'a, T> {
    elements: Counted<'a>,
    element: PhantomData<T>,
}

impl<'a, T: SetElement<'a>> SetRef<'a, T> {
    pub(super) fn new(body: &'a [u8]) -> Result<SetRef<'a, T>, CodecError> {
        let elements = Counted::new(Reader::new(body))?;
        if elements.left() == 0 {
            return Err(CodecError::EmptySet);
        }
        Ok(SetRef { elements, element: PhantomData })
    }

    /// The number of elements, at least one.
    #[expect(clippy::len_without_is_empty, reason = "a set is never empty")]
    pub fn len(&self) -> usize {
        self.elements.left()
    }

    /// The elements in ascending order.
    pub fn iter(&self) -> SetElements<'a, T> {
        SetElements { elements: self.elements, previous: None }
    }

    pub(super) fn collect_with<U>(&self, own: impl Fn(T) -> U) -> Result<Vec<U>, CodecError> {
        let mut elements = Vec::with_capacity(self.len());
        for element in self.iter() {
            elements.push(own(element?));
        }
        Ok(elements)
    }
}

impl<'a, T: SetElement<'a>> IntoIterator for SetRef<'a, T> {
    type Item = Result<T, CodecError>;
    type IntoIter = SetElements<'a, T>;

    fn into_iter(self) -> SetElements<'a, T> {
        self.iter()
    }
}

/// The elements of a [`SetRef`]. An error ends them.
#[derive(Clone, Debug)]
pub struct SetElements<'a, T> {
    elements: Counted<'a>,
    previous: Option<T>,
}

impl<'a, T: SetElement<'a>> Iterator for SetElements<'a, T> {
    type Item = Result<T, CodecError>;

    fn next(&mut self) -> Option<Self::Item> {
        let previous = self.previous;
        let element = self.elements.next_with(|reader| {
            let element = T::read(reader)?;
            match previous {
                Some(previous) if previous >= element => Err(CodecError::Unordered("set elements")),
                _ => Ok(element),
            }
        });
        if let Some(Ok(element)) = &element {
            self.previous = Some(*element);
        }
        element
    }
}

impl<'a, T: SetElement<'a>> FusedIterator for SetElements<'a, T> {}
