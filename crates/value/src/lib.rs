//! Attribute values of Monotable: numbers, items, their sizes and their byte forms.
//!
//! - `number`: decimal numbers of up to 38 digits, their text, order, size and arithmetic.
//! - `value`: the ten attribute types, items, and the texts for values that are refused.
//! - `size`: how many bytes an item counts against limits and capacity.
//! - [`key`]: key values as bytes that sort like the values.
//! - [`codec`]: whole items as bytes, with a reader that copies nothing.
//!
//! This crate is pure: it knows no I/O, no JSON, no clock and no table schema.

pub mod codec;
mod codec_error;
pub mod key;
mod number;
#[cfg(test)]
mod properties;
mod size;
mod value;
mod value_error;

pub use codec_error::CodecError;
pub use key::KeyType;
pub use number::{Number, NumberError};
pub use size::{item_size, value_size};
pub use value::{Item, MAX_DEPTH, MAX_ITEM_SIZE, Map, Value};
pub use value_error::ValueError;
