//! One connection of the generator: a request at a time, written as a whole, its answer read as it
//! comes. The socket blocks, but nothing is read before the system says that something is there.

use super::answer::Head;
use crate::http::{CallError, Endpoint};
use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    time::Duration,
};

/// How much is read at once. Larger answers take several reads.
const READ: usize = 64 * 1024;

/// A connection that is made when it is first needed, and again if the server closes it.
pub struct Client {
    endpoint: Endpoint,
    patience: Duration,
    stream: Option<TcpStream>,
    /// A request is under way.
    waiting: bool,
    inbound: Vec<u8>,
    read: usize,
    head: Option<Head>,
}

/// A whole answer.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The body as it was sent.
    pub body: &'a [u8],
}

impl Client {
    /// Not connected yet.
    pub fn new(endpoint: &Endpoint, patience: Duration) -> Client {
        Client {
            endpoint: endpoint.clone(),
            patience,
            stream: None,
            waiting: false,
            inbound: vec![0; READ],
            read: 0,
            head: None,
        }
    }

    /// Connects, if there is no connection; gives the socket if it did.
    pub fn connect(&mut self) -> Result<Option<&TcpStream>, CallError> {
        if self.stream.is_some() {
            return Ok(None);
        }
        Ok(Some(self.stream.insert(self.endpoint.connect(self.patience)?)))
    }

    /// Sends a request.
    pub fn send(&mut self, request: &[u8]) -> Result<(), CallError> {
        self.read = 0;
        self.head = None;
        self.waiting = true;
        // It has room: it is small, and everything before it was answered.
        let stream = self.stream.as_mut().ok_or_else(no_connection)?;
        Ok(stream.write_all(request)?)
    }

    /// Reads what is there, once; the answer if that was the last of it.
    pub fn receive(&mut self) -> Result<Option<Answer<'_>>, CallError> {
        if !self.waiting {
            // Nothing was asked for: the server has closed a connection that was not used.
            self.stream = None;
            return Ok(None);
        }
        if self.read == self.inbound.len() {
            self.inbound.resize(self.read * 2, 0);
        }
        let stream = self.stream.as_mut().ok_or_else(no_connection)?;
        let free = self.inbound.get_mut(self.read..).unwrap_or_default();
        let read = stream.read(free)?;
        self.read += read;
        let bytes = self.inbound.get(..self.read).unwrap_or_default();
        if self.head.is_none() {
            self.head = Head::read(bytes)?;
        }
        let closed = read == 0;
        let length = match &self.head {
            Some(head) => head.body(bytes, closed)?.map(|length| (*head, length)),
            None => None,
        };
        let Some((head, length)) = length else {
            let ended = CallError::Closed(ErrorKind::UnexpectedEof.into());
            return if closed { Err(ended) } else { Ok(None) };
        };
        self.waiting = false;
        if head.close {
            self.stream = None;
        }
        let body = self.inbound.get(head.begin..head.begin + length).unwrap_or_default();
        Ok(Some(Answer { status: head.status, body }))
    }
}

fn no_connection() -> CallError {
    CallError::Closed(ErrorKind::NotConnected.into())
}
