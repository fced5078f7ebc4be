//! Items as people and their tools like them: plain JSON, and tables of comma-separated values.
//! Types are lost: these lines are for reading, not for bringing items back.

mod json;
mod table;

pub use json::write_json;
pub use table::TableWriter;
