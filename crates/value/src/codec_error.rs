//! What can be wrong with stored bytes. Every such error means damaged data or a bug, never a bad
//! request, so the texts are for operators and logs.

use thiserror::Error;

/// Bytes that are not the encoding of a value, a key or an item.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CodecError {
    /// The input stops in the middle of something.
    #[error("encoded bytes end too early")]
    UnexpectedEnd,
    /// Something follows the last element of an item, a container or a set.
    #[error("{0} unexpected bytes after the last element")]
    TrailingBytes(usize),
    /// The item was written in a format this build does not know.
    #[error("unknown item format version {0}")]
    UnknownVersion(u8),
    /// The byte in the place of a type tag is none.
    #[error("unknown type tag {0}")]
    UnknownTag(u8),
    /// A length or count is too large or not in its shortest form.
    #[error("malformed variable-length integer")]
    BadVarint,
    /// A container claims more elements than it has bytes.
    #[error("{count} elements claimed in {available} bytes")]
    BadCount {
        /// The number of elements the header claims.
        count: u64,
        /// The bytes that are there.
        available: usize,
    },
    /// The bytes of a string or an attribute name are not UTF-8.
    #[error("text is not valid UTF-8")]
    BadText,
    /// The bytes of a number are not what the encoder writes for any number.
    #[error("malformed number: {0}")]
    BadNumber(&'static str),
    /// A zero byte inside a key string is followed by neither of the two bytes allowed there.
    #[error("malformed key: byte {0:#04x} after a zero byte")]
    BadEscape(u8),
    /// Attribute names or set elements are not strictly ascending.
    #[error("{0} are not in strictly ascending order")]
    Unordered(&'static str),
    /// A set without elements.
    #[error("set without elements")]
    EmptySet,
    /// Containers are nested deeper than any item may be.
    #[error("containers nested deeper than {limit} levels", limit = crate::MAX_DEPTH)]
    TooDeep,
    /// The size in the header is not the size of the item that follows.
    #[error("item header says size {stored}, its attributes have {actual}")]
    SizeMismatch {
        /// The size in the header.
        stored: usize,
        /// The size of the decoded item.
        actual: usize,
    },
    /// A value of a type that cannot be a key was to be encoded as one.
    #[error("a value of type {0} cannot be a key")]
    NotAKey(&'static str),
}
