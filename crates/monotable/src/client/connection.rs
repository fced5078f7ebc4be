//! An HTTP/1.1 connection that is kept for further requests: as much of the protocol as a server
//! of DynamoDB's API needs.

use std::{
    io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write},
    net::TcpStream,
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(120);
/// More than any answer has.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
const MOST_HEAD_BYTES: u64 = 64 * 1024;

/// An answer, read to its end.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// The first line, for messages.
    pub(super) line: String,
    pub(super) body: Vec<u8>,
    /// Whether the connection can take another request.
    pub(super) reusable: bool,
}

/// What the head of an answer says about the body.
#[derive(Default)]
struct Framing {
    length: Option<u64>,
    coded: bool,
    closing: bool,
}

/// A connection to a server.
#[derive(Debug)]
pub(super) struct Connection {
    reader: BufReader<TcpStream>,
}

impl Connection {
    pub(super) fn open(address: &str) -> Result<Connection> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Connection { reader: BufReader::new(stream) })
    }

    /// Sends a request, which has its head and its body, and waits for the answer. What is not
    /// HTTP is `InvalidData`.
    pub(super) fn send(&mut self, request: &str) -> Result<Answer> {
        self.reader.get_mut().write_all(request.as_bytes())?;
        read_answer(&mut self.reader)
    }
}

fn read_answer(reader: &mut impl BufRead) -> Result<Answer> {
    let mut head = reader.take(MOST_HEAD_BYTES);
    let line = read_line(&mut head)?;
    let status = line.strip_prefix("HTTP/1.").and_then(|rest| rest.split(' ').nth(1));
    let status = status.and_then(|digits| digits.parse().ok());
    let status = status.ok_or_else(|| Error::new(ErrorKind::InvalidData, "not HTTP"))?;
    let mut framing = Framing { closing: line.starts_with("HTTP/1.0"), ..Framing::default() };
    loop {
        let field = read_line(&mut head)?;
        if field.is_empty() {
            break;
        }
        let (name, value) = field.split_once(':').unwrap_or_default();
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => framing.length = value.parse().ok(),
            "transfer-encoding" => framing.coded = true,
            "connection" => framing.closing |= value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let mut body = Vec::new();
    let mut reusable = !framing.closing;
    match framing.length {
        Some(length) if length <= MOST_BYTES => {
            reader.take(length).read_to_end(&mut body)?;
            if body.len() as u64 != length {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        // No server of DynamoDB's API answers like this; what is in there does not matter.
        _ if framing.coded || !framing.closing => reusable = false,
        _ => {
            reader.take(MOST_BYTES).read_to_end(&mut body)?;
        }
    }
    Ok(Answer { status, line, body, reusable })
}

/// A line without its end.
fn read_line(reader: &mut impl BufRead) -> Result<String> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(u16, String, bool)> {
        let answer = read_answer(&mut text.as_bytes())?;
        Ok((answer.status, String::from_utf8(answer.body).unwrap(), answer.reusable))
    }

    #[test]
    fn answers_end_where_their_length_says() {
        let kept = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1";
        assert_eq!(read(kept).unwrap(), (200, "{}".to_owned(), true));
        let closed = "HTTP/1.1 400 Bad Request\r\nconnection: Close\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(read(closed).unwrap(), (400, "{}".to_owned(), false));
        let without = "HTTP/1.0 200 OK\r\n\r\n{}";
        assert_eq!(read(without).unwrap(), (200, "{}".to_owned(), false));
        let chunked = "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxx";
        assert_eq!(read(chunked).unwrap(), (404, String::new(), false));
    }

    #[test]
    fn half_an_answer_is_none() {
        for text in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}"] {
            assert_eq!(read(text).unwrap_err().kind(), ErrorKind::UnexpectedEof, "{text}");
        }
        assert_eq!(read("SSH-2.0\r\n").unwrap_err().kind(), ErrorKind::InvalidData);
    }
}
