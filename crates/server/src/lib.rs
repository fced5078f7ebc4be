//! HTTP in front of the API: connections, limits, credentials, compression,
//! checksums. The only crate that knows HTTP; knows nothing of what the
//! operations do.

mod answer;
mod body;
mod connections;
mod credentials;
mod gate;
mod http;
mod limits;
mod listen;
mod pages;
mod request_id;
mod service;
mod work;

pub use limits::Limits;
pub use listen::{Listener, serve};
pub use service::Service;
