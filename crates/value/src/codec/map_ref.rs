//! Attributes by name read in place: a map, or the body of an item.

use std::cmp::Ordering;
use std::iter::FusedIterator;

use super::counted::Counted;
use super::reader::Reader;
use super::value_ref::ValueRef;
use crate::{CodecError, Map};

/// A map inside encoded bytes.
#[derive(Clone, Copy, Debug)]
pub struct MapRef<'a> {
    entries: Counted<'a>,
    depth: usize,
}

impl<'a> MapRef<'a> {
    pub(super) fn new(body: Reader<'a>, depth: usize) -> Result<MapRef<'a>, CodecError> {
        let entries = Counted::new(body)?;
        Ok(MapRef { entries, depth })
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.left()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries in the byte order of their names.
    pub fn iter(&self) -> Entries<'a> {
        Entries { entries: self.entries, depth: self.depth, previous: None }
    }

    /// The value of a name. Entries before it are stepped over, entries after it not looked at.
    pub fn get(&self, name: &str) -> Result<Option<ValueRef<'a>>, CodecError> {
        let mut entries = self.entries;
        while entries.left() > 0 {
            let found = entries.next_with(|reader| {
                let order = reader.bytes()?.cmp(name.as_bytes());
                let value = match order {
                    Ordering::Less => ValueRef::skip(reader).map(|()| None)?,
                    Ordering::Equal => Some(ValueRef::read(reader, self.depth)?),
                    Ordering::Greater => None,
                };
                Ok((order, value))
            });
            match found.transpose()? {
                Some((Ordering::Less, _)) => {}
                Some((_, value)) => return Ok(value),
                None => break,
            }
        }
        Ok(None)
    }

    /// The entries on their own.
    pub fn to_map(&self) -> Result<Map, CodecError> {
        // No entry is shorter than a byte, and all of them are there: so this is not too much.
        let mut entries = Vec::with_capacity(self.len());
        for entry in self.iter() {
            let (name, value) = entry?;
            entries.push((name.to_owned(), value.to_value()?));
        }
        Ok(entries.into_iter().collect())
    }
}

impl<'a> IntoIterator for MapRef<'a> {
    type Item = Result<(&'a str, ValueRef<'a>), CodecError>;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

/// The entries of a [`MapRef`] or the attributes of an item. An error ends them.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    entries: Counted<'a>,
    depth: usize,
    previous: Option<&'a str>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(&'a str, ValueRef<'a>), CodecError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (depth, previous) = (self.depth, self.previous);
        let entry = self.entries.next_with(|reader| {
            let name = reader.text()?;
            if previous.is_some_and(|previous| previous >= name) {
                return Err(CodecError::Unordered("attribute names"));
            }
            Ok((name, ValueRef::read(reader, depth)?))
        });
        if let Some(Ok((name, _))) = &entry {
            self.previous = Some(name);
        }
        entry
    }
}

impl FusedIterator for Entries<'_> {}
