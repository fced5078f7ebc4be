//! Recognises whole answers in what a connection has read so far.

use crate::http::CallError;

const MOST_BODY: usize = 64 * 1024 * 1024;

/// What the head of an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The HTTP status.
    pub status: u16,
    /// The server closes after this answer.
    pub close: bool,
    /// Where the body begins.
    pub begin: usize,
    length: Length,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Bytes(usize),
    Chunked,
    UntilClosed,
}

impl Head {
    /// Reads the head, if it is there as a whole.
    pub fn read(bytes: &[u8]) -> Result<Option<Head>, CallError> {
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Ok(None);
        };
        let text = bytes.get(..end).and_then(|head| std::str::from_utf8(head).ok());
        let text = text.ok_or(CallError::Malformed("not text"))?;
        let (first, rest) = text.split_once("\r\n").unwrap_or((text, ""));
        let mut words = first.split(' ');
        let version = words.next().unwrap_or_default();
        let status = words.next().and_then(|status| status.parse().ok());
        let status = status.filter(|_| version.starts_with("HTTP/1."));
        let status = status.ok_or(CallError::Malformed("status line"))?;
        let mut head = Head {
            status,
            close: version == "HTTP/1.0",
            begin: end + 4,
            length: Length::UntilClosed,
        };
        for line in rest.split("\r\n").filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').ok_or(CallError::Malformed("header"))?;
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                let length = value.parse().ok().filter(|length| *length <= MOST_BODY);
                let length = length.ok_or(CallError::Malformed("content length"))?;
                head.length = Length::Bytes(length);
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                head.length = Length::Chunked;
            } else if name.eq_ignore_ascii_case("connection") {
                head.close = value.eq_ignore_ascii_case("close");
            }
        }
        if head.length == Length::UntilClosed {
            head.close = true;
        }
        Ok(Some(head))
    }

    /// How many bytes the body takes as it is sent, if it is there as a whole. `closed` says that
    /// nothing more comes.
    pub fn body(&self, bytes: &[u8], closed: bool) -> Result<Option<usize>, CallError> {
        let body = bytes.get(self.begin..).unwrap_or_default();
        match self.length {
            Length::Bytes(length) => Ok((body.len() >= length).then_some(length)),
            Length::UntilClosed => Ok(closed.then_some(body.len())),
            Length::Chunked => chunks(body),
        }
    }
}

/// Where chunks end, if the last one is there. No server is expected to send trailers.
fn chunks(body: &[u8]) -> Result<Option<usize>, CallError> {
    let mut place = 0;
    while let Some(rest) = body.get(place..) {
        let Some(line) = rest.windows(2).position(|two| two == b"\r\n") else { break };
        let size = rest.get(..line).and_then(|line| std::str::from_utf8(line).ok());
        let size = size.and_then(|line| line.split(';').next()).map(str::trim);
        let size = size.and_then(|size| usize::from_str_radix(size, 16).ok());
        let size = size.filter(|size| *size <= MOST_BODY);
        let size = size.ok_or(CallError::Malformed("chunk size"))?;
        // The line, the chunk and the ends of both.
        place += line + 2 + size + 2;
        if size == 0 {
            return Ok((body.len() >= place).then_some(place));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &str, closed: bool, status: u16, close: bool, body: usize) {
        for cut in 0..answer.len() {
            let part = answer.get(..cut).unwrap().as_bytes();
            let whole = Head::read(part).unwrap().map(|head| head.body(part, false).unwrap());
            assert!(matches!(whole, None | Some(None)), "whole with {cut} bytes of {answer}");
        }
        let head = Head::read(answer.as_bytes()).unwrap().unwrap();
        assert_eq!((head.status, head.close), (status, close), "{answer}");
        assert_eq!(head.body(answer.as_bytes(), closed).unwrap(), Some(body), "{answer}");
    }

    #[test]
    fn an_answer_is_whole_with_its_last_byte() {
        check("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc", false, 200, false, 3);
        check("HTTP/1.0 400 No\r\nContent-Length: 1\r\nServer: x\r\n\r\na", false, 400, true, 1);
        check(
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na",
            false,
            200,
            true,
            1,
        );
        check(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            false,
            200,
            false,
            13,
        );
        check("HTTP/1.1 200 OK\r\n\r\nto the end", true, 200, true, 10);
    }

    #[test]
    fn what_is_not_http_is_refused() {
        for answer in ["SSH-2.0\r\n\r\n", "HTTP/1.1 x\r\n\r\n", "HTTP/1.1 200 OK\r\nx\r\n\r\n"] {
            assert!(Head::read(answer.as_bytes()).is_err(), "{answer}");
        }
    }
}
