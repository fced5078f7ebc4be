//! Items as tables of Parquet, with a column for each attribute.
//!
//! A [`Survey`] looks at all items first and says which columns there are and what type each has; a
//! [`TableWriter`] then writes the items. No number loses a digit: a column is never of floats.
//!
//! This crate is apart because the library beneath is large. It knows values, and neither tables
//! nor requests.

mod column;
mod survey;
mod writer;

pub use column::{Column, Kind};
pub use survey::Survey;
pub use writer::{CellText, TableWriter, WriteError};
