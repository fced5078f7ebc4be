//! Ion text: an item or a change of one a line, as exports have them. What is read may also be
//! written by hand: over several lines, with comments, in any notation of the same values.
//!
//! - `write`: lines as exports have them.
//! - `frames`: cuts a text into its top-level values, piece by piece.
//! - `scan`: the words of one value: symbols, strings, numbers, blobs.
//! - `read`: one top-level value as an item.

mod frames;
mod read;
mod scan;
mod write;

pub(crate) use frames::{Frame, Frames};
pub(crate) use read::is_symbol_table;
pub use read::{read_change, read_item};
pub use write::{write_change, write_item};

/// The annotations that tell sets from lists.
const STRING_SET: &str = "$dynamodb_SS";
const NUMBER_SET: &str = "$dynamodb_NS";
const BINARY_SET: &str = "$dynamodb_BS";

/// The version marker that every line of an export starts with.
const VERSION_MARKER: &str = "$ion_1_0";

#[cfg(test)]
mod tests;
