//! Items as people and their tools have them: plain JSON, and tables of comma-separated values.
//! Types are lost on the way out: sets become arrays and binaries text. On the way in JSON's own
//! types count, and columns have the types that are given for them.

mod json;
mod parse;
mod source;
mod table;
mod typed;

pub use json::write_json;
pub use parse::{read_json, read_json_value};
pub use source::{Found, Items, Layout};
pub use table::{TableWriter, cell};
pub use typed::ColumnType;
