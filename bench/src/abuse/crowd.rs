//! Clients that are slow, stop in the middle or never take their answers. The server must let go of
//! each of them in time, so that a crowd of them cannot hold it.

use crate::http::Endpoint;
use socket2::SockRef;
use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// How the server is to be started: what it gives a client.
pub const PATIENCE: Duration = Duration::from_secs(3);
/// The same for its command line.
pub const PATIENCE_ARGUMENT: &str = "3s";
/// By then the server must have let go of a client.
const GRACE: Duration = Duration::from_secs(20);
const PACE: Duration = Duration::from_secs(1);
const ROUND: Duration = Duration::from_millis(50);
/// What a body may have, and what may be on its way to the server besides.
const LIMIT: usize = 24 * 1024 * 1024;
/// The most that an endless body sends. The server must have had enough long before.
const ENDLESS: usize = 64 * 1024 * 1024;

/// How a client misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Manner {
    /// A head, a byte a second.
    SlowHead,
    /// A body, a byte a second.
    SlowBody,
    /// Half a head, then nothing.
    HalfHead,
    /// Half a body, then nothing.
    HalfBody,
    /// Half a request, and the connection ends.
    HalfAndGone,
    /// Nothing at all.
    Silent,
    /// A body in pieces, without end.
    Endless,
    /// A request whose large answer is never taken.
    Deaf,
}

impl Manner {
    /// All of them.
    pub const ALL: [Manner; 8] = [
        Manner::SlowHead,
        Manner::SlowBody,
        Manner::HalfHead,
        Manner::HalfBody,
        Manner::HalfAndGone,
        Manner::Silent,
        Manner::Endless,
        Manner::Deaf,
    ];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Manner::SlowHead => "slow heads",
            Manner::SlowBody => "slow bodies",
            Manner::HalfHead => "half heads",
            Manner::HalfBody => "half bodies",
            Manner::HalfAndGone => "half and gone",
            Manner::Silent => "silent",
            Manner::Endless => "endless bodies",
            Manner::Deaf => "answers not taken",
        }
    }
}

/// What became of the crowd.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Clients of whom the server let go.
    pub let_go: u64,
    /// The longest that took.
    pub longest: Duration,
    /// What should not be.
    pub complaints: Vec<String>,
}

struct Client {
    manner: Manner,
    stream: TcpStream,
    since: Instant,
    rest: Vec<u8>,
    next: Instant,
    sent: usize,
}

/// What deaf clients ask for, and how many there are of every manner.
pub struct Plan<'a> {
    /// How many of every manner at once.
    pub each: usize,
    /// Operation and body of a request with a large answer.
    pub large: (&'a str, &'a str),
}

/// Keeps a crowd at the server until told to stop; then waits until the server has let go of all.
pub fn run(endpoint: &Endpoint, plan: &Plan<'_>, stop: &AtomicBool) -> Outcome {
    let mut outcome = Outcome::default();
    let mut clients: Vec<Client> = Vec::new();
    loop {
        let stopping = stop.load(Ordering::Relaxed);
        if !stopping {
            for manner in Manner::ALL {
                let there = clients.iter().filter(|client| client.manner == manner).count();
                for _ in there..plan.each {
                    match Client::open(endpoint, manner, plan) {
                        Ok(client) => clients.push(client),
                        Err(error) => outcome.complain(format!("no connection: {error}")),
                    }
                }
            }
        }
        clients.retain_mut(|client| {
            let gone = client.go_on();
            let age = client.since.elapsed();
            if gone {
                outcome.let_go += 1;
                outcome.longest = outcome.longest.max(age);
            } else if age > PATIENCE + GRACE {
                let name = client.manner.name();
                outcome.complain(format!("{name}: the server still waits after {age:.1?}"));
                return false;
            }
            !gone
        });
        if clients.is_empty() && stopping || outcome.complaints.len() > 20 {
            return outcome;
        }
        thread::sleep(ROUND);
    }
}

impl Outcome {
    fn complain(&mut self, text: String) {
        self.complaints.push(text);
    }
}

impl Client {
    fn open(endpoint: &Endpoint, manner: Manner, plan: &Plan<'_>) -> std::io::Result<Client> {
        let stream = TcpStream::connect_timeout(&endpoint.address(), GRACE)?;
        let head = |operation: &str, length: &str| {
            format!(
                "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
                 Content-Type: application/x-amz-json-1.0\r\nAuthorization: AWS4-HMAC-SHA256 \
                 Credential=abuse/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, \
                 Signature=0000000000000000000000000000000000000000000000000000000000000000\r\n\
                 X-Amz-Date: 20260101T000000Z\r\n{length}\r\n\r\n"
            )
        };
        let body = r#"{"TableName":"abuse","Key":{"pk":{"S":"p1"},"sk":{"S":"s1"}}}"#;
        let get = head("GetItem", &format!("Content-Length: {}", body.len()));
        let half = |text: &str| text.as_bytes().get(..text.len() / 2).unwrap_or_default().to_vec();
        let (first, rest) = match manner {
            Manner::SlowHead => (Vec::new(), get.into_bytes()),
            Manner::SlowBody => (get.into_bytes(), body.as_bytes().to_vec()),
            Manner::HalfHead => (half(&get), Vec::new()),
            Manner::HalfBody | Manner::HalfAndGone => {
                let mut bytes = get.into_bytes();
                bytes.extend(half(body));
                (bytes, Vec::new())
            }
            Manner::Silent => (Vec::new(), Vec::new()),
            Manner::Endless => {
                (head("PutItem", "Transfer-Encoding: chunked").into_bytes(), Vec::new())
            }
            Manner::Deaf => {
                let _ = SockRef::from(&stream).set_recv_buffer_size(4096);
                let (operation, body) = plan.large;
                let mut bytes =
                    head(operation, &format!("Content-Length: {}", body.len())).into_bytes();
                bytes.extend_from_slice(body.as_bytes());
                (bytes, Vec::new())
            }
        };
        (&stream).write_all(&first)?;
        stream.set_nonblocking(true)?;
        let now = Instant::now();
        Ok(Client { manner, stream, since: now, rest, next: now, sent: 0 })
    }

    /// Misbehaves a little more. True if the connection is over.
    fn go_on(&mut self) -> bool {
        match self.manner {
            Manner::HalfAndGone => return true,
            Manner::Endless => return self.endless(),
            Manner::SlowHead | Manner::SlowBody if Instant::now() >= self.next => {
                self.next += PACE;
                let byte = if self.rest.is_empty() { b' ' } else { self.rest.remove(0) };
                if let Err(error) = self.stream.write(&[byte])
                    && error.kind() != ErrorKind::WouldBlock
                {
                    return true;
                }
            }
            _ => {}
        }
        // One who does not take an answer can only see that the connection is reset.
        if self.manner == Manner::Deaf {
            return matches!(self.stream.take_error(), Ok(Some(_)) | Err(_)) || self.is_reset();
        }
        let mut bytes = [0; 512];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return error.kind() != ErrorKind::WouldBlock,
            }
        }
    }

    /// A byte more to a server that has gone is refused.
    fn is_reset(&mut self) -> bool {
        if Instant::now() < self.next {
            return false;
        }
        self.next += PACE;
        match self.stream.write_all(b" ") {
            Ok(_) => false,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }

    fn endless(&mut self) -> bool {
        let mut chunk = b"4000\r\n".to_vec();
        chunk.resize(chunk.len() + 0x4000, b' ');
        chunk.extend_from_slice(b"\r\n");
        // So much a round that the limit of a body is reached within seconds.
        for _ in 0..32 {
            let rest = std::mem::take(&mut self.rest);
            let piece = if rest.is_empty() { chunk.clone() } else { rest };
            match self.stream.write(&piece) {
                Ok(written) => {
                    self.sent += written;
                    self.rest = piece.get(written..).unwrap_or_default().to_vec();
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.rest = piece;
                    break;
                }
                Err(_) => return true,
            }
        }
        // Up to its limit the server is right to read on, however long this takes.
        if self.sent < LIMIT {
            self.since = Instant::now();
        }
        let mut bytes = [0; 512];
        match self.stream.read(&mut bytes) {
            Ok(0) => true,
            Ok(_) => false,
            Err(error) if error.kind() == ErrorKind::WouldBlock => self.sent > ENDLESS,
            Err(_) => true,
        }
    }
}
