//! A list read in place.

use std::iter::FusedIterator;

use super::counted::Counted;
use super::reader::Reader;
use super::value_ref::ValueRef;
use crate::{CodecError, Value};

/// A list inside encoded bytes.
#[derive(Clone, Copy, Debug)]
pub struct ListRef<'a> {
    elements: Counted<'a>,
    depth: usize,
}

impl<'a> ListRef<'a> {
    pub(super) fn new(body: &'a [u8], depth: usize) -> Result<ListRef<'a>, CodecError> {
        let elements = Counted::new(Reader::new(body))?;
        Ok(ListRef { elements, depth })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.elements.left()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in order.
    pub fn iter(&self) -> Elements<'a> {
        Elements { elements: self.elements, depth: self.depth }
    }

    /// The element at a position from zero; those before it are stepped over.
    pub fn get(&self, index: usize) -> Result<Option<ValueRef<'a>>, CodecError> {
        if index >= self.len() {
            return Ok(None);
        }
        let mut elements = self.iter();
        for _ in 0..index {
            elements.elements.next_with(ValueRef::skip).transpose()?;
        }
        elements.next().transpose()
    }

    /// The elements on their own.
    pub fn to_vec(&self) -> Result<Vec<Value>, CodecError> {
        let mut values = Vec::with_capacity(self.len());
        for element in self.iter() {
            values.push(element?.to_value()?);
        }
        Ok(values)
    }
}

impl<'a> IntoIterator for ListRef<'a> {
    type Item = Result<ValueRef<'a>, CodecError>;
    type IntoIter = Elements<'a>;

    fn into_iter(self) -> Elements<'a> {
        self.iter()
    }
}

/// The elements of a [`ListRef`]. An error ends them.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    elements: Counted<'a>,
    depth: usize,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Result<ValueRef<'a>, CodecError>;

    fn next(&mut self) -> Option<Self::Item> {
        let depth = self.depth;
        self.elements.next_with(|reader| ValueRef::read(reader, depth))
    }
}

impl FusedIterator for Elements<'_> {}
