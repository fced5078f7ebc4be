//! What was read from a connection and is not used yet. Between requests that is nothing, and takes no
//! memory.

use bytes::BufMut;
use std::{
    future::Future,
    io,
    pin::pin,
    task::{Context, Poll},
};
use tokio::{io::AsyncReadExt, net::TcpStream};

/// What is read at once: more than most requests have.
const READ: usize = 16 * 1024;

#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    used: usize,
}

impl Buffer {
    /// What is not used yet.
    pub(crate) fn unused(&self) -> &[u8] {
        self.bytes.get(self.used..).unwrap_or_default()
    }

    /// So many bytes more are used.
    pub(crate) fn consume(&mut self, count: usize) {
        self.used = self.used.saturating_add(count).min(self.bytes.len());
        if self.used == self.bytes.len() {
            *self = Buffer::default();
        }
    }

    /// Reads what has come; gives how much, none if the client has ended.
    pub(crate) fn poll_fill(
        &mut self,
        stream: &mut TcpStream,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        self.bytes.drain(..self.used);
        self.used = 0;
        self.bytes.reserve(READ);
        let read = poll_read(stream, context, &mut self.bytes, READ);
        if self.bytes.is_empty() {
            self.bytes = Vec::new();
        }
        read
    }

    /// Everything, for somebody else to use.
    pub(crate) fn into_unused(mut self) -> Vec<u8> {
        self.bytes.split_off(self.used.min(self.bytes.len()))
    }
}

/// Reads up to `most` bytes, as far as `into` has room for them.
pub(crate) fn poll_read(
    stream: &mut TcpStream,
    context: &mut Context<'_>,
    into: &mut Vec<u8>,
    most: usize,
) -> Poll<io::Result<usize>> {
    pin!(stream.read_buf(&mut into.limit(most))).poll(context)
}
