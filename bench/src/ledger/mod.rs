//! What clients of a server that is about to fail were promised, and holding the server to it. Every moment
//! is also a place in the trace of the server's disk, so that the promises of any place are known.

mod check;
mod client;
mod clock;
mod deed;
mod item;
mod observe;
mod request;
mod stream;
mod tables;

pub use check::check;
pub use client::Client;
pub use clock::{Clock, Moment};
pub use deed::{Deed, Known, Ledger};
pub use item::Key;
pub use observe::{Seen, observe};
pub use tables::TablesClient;
