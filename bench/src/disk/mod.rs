//! Disks as faults leave them. A server runs above a layer (`bench/interpose/disk.c`) that traces what it
//! does to its files and makes chosen calls fail. From a trace follow all disks that a power loss may leave.

mod content;
mod control;
mod layer;
mod loss;
mod trace;
mod tree;

pub use control::{Control, Fault};
pub use layer::Layer;
pub use loss::Loss;
pub use trace::{Record, Trace};
pub use tree::Tree;
