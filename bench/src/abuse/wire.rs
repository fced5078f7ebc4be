//! A connection that sends whatever it is told to, and reads answers as they come.

use crate::http::Endpoint;
use socket2::SockRef;
use std::{
    io::{self, BufRead, BufReader, ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    time::Duration,
};

/// No answer takes this long.
pub const PATIENCE: Duration = Duration::from_secs(20);
const MOST_LINE: u64 = 64 * 1024;

/// A connection.
pub struct Wire(BufReader<TcpStream>);

/// What came back.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Whether the server closes.
    pub close: bool,
    /// The body.
    pub body: Vec<u8>,
}

impl Wire {
    /// Connects.
    pub fn open(endpoint: &Endpoint) -> io::Result<Wire> {
        let stream = TcpStream::connect_timeout(&endpoint.address(), PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Wire(BufReader::new(stream)))
    }

    /// Ends without a farewell, so that a million of them leave no ports behind that wait.
    pub fn abandon(self) {
        let _ = SockRef::from(self.0.get_ref()).set_linger(Some(Duration::ZERO));
    }

    /// Sends bytes.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.get_mut().write_all(bytes)
    }

    /// Says that nothing more will come.
    pub fn finish(&mut self) -> io::Result<()> {
        self.0.get_ref().shutdown(Shutdown::Write)
    }

    /// The next answer; none if the connection ended instead.
    pub fn answer(&mut self) -> io::Result<Option<Answer>> {
        loop {
            let Some(answer) = self.one()? else { return Ok(None) };
            // A client that asked whether to go on is told so first.
            if answer.status >= 200 {
                return Ok(Some(answer));
            }
        }
    }

    fn one(&mut self) -> io::Result<Option<Answer>> {
        let line = self.line()?;
        if line.is_empty() {
            return Ok(None);
        }
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or(ErrorKind::InvalidData)?;
        let (mut length, mut close) = (0, false);
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(|_| ErrorKind::InvalidData)?;
            } else if let Some(value) = lower.strip_prefix("connection:") {
                close = value.trim() == "close";
            }
        }
        let mut body = Vec::new();
        (&mut self.0).take(length).read_to_end(&mut body)?;
        Ok(Some(Answer { status, close, body }))
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        (&mut self.0).take(MOST_LINE).read_until(b'\n', &mut line)?;
        let text = String::from_utf8(line).map_err(|_| ErrorKind::InvalidData)?;
        Ok(text.trim_end().to_owned())
    }
}

/// Whether a failure only says that the other side has closed.
pub fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset
            | ErrorKind::BrokenPipe
            | ErrorKind::ConnectionAborted
            | ErrorKind::UnexpectedEof
            | ErrorKind::NotConnected
    )
}
