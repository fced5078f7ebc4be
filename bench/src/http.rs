//! A small HTTP/1.1 client for one request at a time on a kept connection. It spends little, since
//! it shares the machine with the server it measures, and it connects to this machine only.

use std::{
    fmt, io,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream},
    time::Duration,
};

const MOST_LINE: u64 = 16 * 1024;
const MOST_HEADERS: usize = 100;
const MOST_BODY: u64 = 64 * 1024 * 1024;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(SocketAddr);

impl Endpoint {
    /// The endpoint of a port of this machine.
    pub fn local(port: u16) -> Endpoint {
        Endpoint(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.0
    }

    /// Reads `http://127.0.0.1:8000`.
    pub fn parse(url: &str) -> Result<Endpoint, String> {
        let rest = url.strip_prefix("http://");
        let rest = rest.ok_or_else(|| format!("'{url}' does not begin with http://"))?;
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let numeric = authority.replace("localhost:", "127.0.0.1:");
        let address: SocketAddr =
            numeric.parse().map_err(|_| format!("'{url}' is not http://ADDRESS:PORT"))?;
        if address.ip().is_loopback() {
            Ok(Endpoint(address))
        } else {
            Err(format!("'{url}' is not on this machine"))
        }
    }

    /// Connects. Each wait for the server, now and later, lasts no longer than `patience`.
    pub fn connect(&self, patience: Duration) -> Result<TcpStream, CallError> {
        let stream = TcpStream::connect_timeout(&self.0, patience)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        Ok(stream)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.0)
    }
}

/// Why there is no answer. Whether the request was carried out is not known.
#[derive(Debug)]
pub enum CallError {
    /// The connection could not be made or ended.
    Closed(io::Error),
    /// The server took too long.
    TimedOut,
    /// The answer is not HTTP as this client understands it.
    Malformed(&'static str),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Closed(error) => write!(f, "the connection ended: {error}"),
            CallError::TimedOut => f.write_str("no answer in time"),
            CallError::Malformed(what) => write!(f, "an answer that is not HTTP: {what}"),
        }
    }
}

impl std::error::Error for CallError {}

impl From<io::Error> for CallError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => CallError::TimedOut,
            _ => CallError::Closed(error),
        }
    }
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The body, with no transfer encoding left.
    pub body: &'a [u8],
}

/// A kept connection. After an error it is of no more use.
pub struct Connection {
    endpoint: Endpoint,
    patience: Duration,
    stream: BufReader<TcpStream>,
    /// The server has said that it closes after its last answer.
    over: bool,
    outbound: Vec<u8>,
    line: Vec<u8>,
    body: Vec<u8>,
}

/// What the head of an answer says about its body.
struct Head {
    status: u16,
    length: Option<u64>,
    chunked: bool,
    close: bool,
}

impl Connection {
    /// Connects. Each wait for the server, now and later, lasts no longer than `patience`.
    pub fn open(endpoint: &Endpoint, patience: Duration) -> Result<Connection, CallError> {
        Ok(Connection {
            endpoint: endpoint.clone(),
            patience,
            stream: connect(endpoint, patience)?,
            over: false,
            outbound: Vec::new(),
            line: Vec::new(),
            body: Vec::new(),
        })
    }

    /// Sends a DynamoDB request and waits for its answer.
    pub fn call(&mut self, operation: &str, body: &str) -> Result<Answer<'_>, CallError> {
        if self.over {
            self.stream = connect(&self.endpoint, self.patience)?;
            self.over = false;
        }
        self.outbound.clear();
        write!(self.outbound, "{}{}\r\n\r\n", head(&self.endpoint, operation), body.len())?;
        self.outbound.extend_from_slice(body.as_bytes());
        self.stream.get_mut().write_all(&self.outbound)?;
        let head = self.head()?;
        self.over = head.close;
        self.read_body(&head)?;
        Ok(Answer { status: head.status, body: &self.body })
    }

    fn head(&mut self) -> Result<Head, CallError> {
        let status = status(self.next_line()?).ok_or(CallError::Malformed("status line"))?;
        let mut head = Head { status, length: None, chunked: false, close: false };
        for _ in 0..MOST_HEADERS {
            let line = self.next_line()?;
            if line.is_empty() {
                return Ok(head);
            }
            let Some((name, value)) = line.split_once(':') else {
                return Err(CallError::Malformed("header"));
            };
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                let length = value.parse();
                head.length = Some(length.map_err(|_| CallError::Malformed("content length"))?);
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                head.chunked = value.eq_ignore_ascii_case("chunked");
            } else if name.eq_ignore_ascii_case("connection") {
                head.close = value.eq_ignore_ascii_case("close");
            }
        }
        Err(CallError::Malformed("too many headers"))
    }

    fn read_body(&mut self, head: &Head) -> Result<(), CallError> {
        self.body.clear();
        match head.length {
            _ if head.chunked => self.read_chunks(),
            Some(length) => self.read_exactly(length),
            None if head.close => {
                let mut rest = (&mut self.stream).take(MOST_BODY);
                rest.read_to_end(&mut self.body)?;
                Ok(())
            }
            None => Err(CallError::Malformed("no content length")),
        }
    }

    fn read_chunks(&mut self) -> Result<(), CallError> {
        // Every round but the last reads at least a byte, so the limit of the body bounds them.
        loop {
            let line = self.next_line()?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(size, 16);
            let size = size.map_err(|_| CallError::Malformed("chunk size"))?;
            if size == 0 {
                break;
            }
            self.read_exactly(size)?;
            if !self.next_line()?.is_empty() {
                return Err(CallError::Malformed("end of chunk"));
            }
        }
        for _ in 0..MOST_HEADERS {
            if self.next_line()?.is_empty() {
                return Ok(());
            }
        }
        Err(CallError::Malformed("too many trailers"))
    }

    /// Adds that many bytes to the body.
    fn read_exactly(&mut self, length: u64) -> Result<(), CallError> {
        if self.body.len() as u64 + length > MOST_BODY {
            return Err(CallError::Malformed("body too large"));
        }
        let read = (&mut self.stream).take(length).read_to_end(&mut self.body)?;
        if read as u64 == length {
            Ok(())
        } else {
            Err(CallError::Closed(ErrorKind::UnexpectedEof.into()))
        }
    }

    /// The next line, without its end.
    fn next_line(&mut self) -> Result<&str, CallError> {
        self.line.clear();
        let mut stream = (&mut self.stream).take(MOST_LINE);
        stream.read_until(b'\n', &mut self.line)?;
        let Some(line) = self.line.strip_suffix(b"\n") else {
            let cut = self.line.len() as u64 == MOST_LINE;
            let ended = CallError::Closed(ErrorKind::UnexpectedEof.into());
            return Err(if cut { CallError::Malformed("line too long") } else { ended });
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        std::str::from_utf8(line).map_err(|_| CallError::Malformed("not text"))
    }
}

fn connect(endpoint: &Endpoint, patience: Duration) -> Result<BufReader<TcpStream>, CallError> {
    Ok(BufReader::with_capacity(16 * 1024, endpoint.connect(patience)?))
}

/// The head of a request, up to the number of bytes of its body.
///
/// The signature is well-formed only: a server that checks it is no target of this program.
pub fn head(endpoint: &Endpoint, operation: &str) -> String {
    format!(
        "POST / HTTP/1.1\r\n\
         Host: {}\r\n\
         Content-Type: application/x-amz-json-1.0\r\n\
         Authorization: AWS4-HMAC-SHA256 \
         Credential=bench/20260101/us-east-1/dynamodb/aws4_request, \
         SignedHeaders=host;x-amz-date, Signature=0\r\n\
         X-Amz-Date: 20260101T000000Z\r\n\
         X-Amz-Target: {}.{operation}\r\n\
         Content-Length: ",
        endpoint.0,
        service(operation),
    )
}

/// The service that has an operation, with its version.
pub fn service(operation: &str) -> &'static str {
    match operation {
        "ListStreams" | "DescribeStream" | "GetShardIterator" | "GetRecords" => {
            "DynamoDBStreams_20120810"
        }
        "RestoreItems" | "DescribeRestore" | "ListRestores" | "DescribeItemHistory" => {
            "Monotable_1"
        }
        _ => "DynamoDB_20120810",
    }
}

fn status(line: &str) -> Option<u16> {
    let mut words = line.split(' ');
    words.next().filter(|word| word.starts_with("HTTP/1."))?;
    words.next()?.parse().ok()
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
