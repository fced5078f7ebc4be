//! What became of one item within a time.

use value::Item;

/// The net change of an item: what it was before, and what it is at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetChange {
    /// When it was last written, in microseconds since 1970.
    pub written_micros: u64,
    /// Its primary key.
    pub keys: Item,
    /// The item at the end; none if it was deleted.
    pub new_image: Option<Item>,
    /// The item before; none if there was none, or if it is not wanted.
    pub old_image: Option<Item>,
}
