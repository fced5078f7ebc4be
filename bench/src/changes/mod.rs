//! Clients that change one table in every way there is, and what must hold for its items, its
//! indexes and its stream after that. The campaigns of crashes and of streams share it.

pub mod belief;
pub mod check;
pub mod client;
pub mod contents;
pub mod deed;
pub mod follow;
pub mod idle;
pub mod index;
pub mod lineage;
mod matching;
pub mod record;
pub mod request;
mod size;
pub mod span;
pub mod stage;
mod statement;
pub mod table;
