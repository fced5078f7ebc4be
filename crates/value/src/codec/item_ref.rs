//! An item read in place, for reads that need its size or a few of its attributes.

use super::VERSION;
use super::map_ref::{Entries, MapRef};
use super::reader::Reader;
use super::value_ref::ValueRef;
use crate::{CodecError, Item, item_size};

/// An item inside encoded bytes. Only its head is checked at first; what follows is checked when it
/// is read.
#[derive(Clone, Copy, Debug)]
pub struct ItemRef<'a> {
    size: usize,
    attributes: MapRef<'a>,
}

impl<'a> ItemRef<'a> {
    /// Reads the head of an item; the bytes must hold nothing but the item.
    pub fn new(bytes: &'a [u8]) -> Result<ItemRef<'a>, CodecError> {
        let mut reader = Reader::new(bytes);
        let version = reader.byte()?;
        if version != VERSION {
            return Err(CodecError::UnknownVersion(version));
        }
        let size = usize::try_from(reader.varint()?).map_err(|_| CodecError::BadVarint)?;
        let attributes = MapRef::new(reader, 0)?;
        Ok(ItemRef { size, attributes })
    }

    /// The item's size as [`item_size`] counts it.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The number of attributes.
    pub fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Whether there are no attributes.
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// The attributes in the byte order of their names.
    pub fn attributes(&self) -> Entries<'a> {
        self.attributes.iter()
    }

    /// The value of an attribute. Attributes before it are stepped over, those after it not looked
    /// at.
    pub fn get(&self, name: &str) -> Result<Option<ValueRef<'a>>, CodecError> {
        self.attributes.get(name)
    }

    /// The item on its own, all of it checked.
    pub fn to_item(&self) -> Result<Item, CodecError> {
        let item = self.attributes.to_map()?;
        let actual = item_size(&item);
        if actual != self.size {
            return Err(CodecError::SizeMismatch { stored: self.size, actual });
        }
        Ok(item)
    }
}
