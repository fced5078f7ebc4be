//! HTTP in front of the API: connections, limits, credentials, compression,
//! checksums. The only crate that knows HTTP; knows nothing of what the
//! operations do.

mod answer;
mod body;
mod credentials;
mod listen;
mod pages;
mod request_id;
mod service;

pub use listen::{Listener, serve};
pub use service::Service;
