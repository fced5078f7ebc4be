//! HTTP as it is spoken with clients: version 1 by a loop of our own, version 2 by hyper. Both hand
//! the same `Head` and a `Source` of the body to the service, and send the same `Answer`.

mod buffer;
mod chunks;
mod counted;
mod framing;
mod head;
pub(crate) mod one;
pub(crate) mod two;

pub(crate) use head::{Head, Method};

use std::{
    io,
    task::{Context, Poll},
};

/// Where a body comes from.
pub(crate) trait Source: Send {
    /// The length that the client has announced.
    fn announced(&self) -> Option<u64>;

    /// Adds up to `most` bytes of the body to `into`; none if it is at its end.
    fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        into: &mut Vec<u8>,
        most: usize,
    ) -> Poll<io::Result<usize>>;
}

/// A body that breaks off or is not as HTTP has it.
fn broken(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
