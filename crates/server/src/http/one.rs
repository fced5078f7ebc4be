//! HTTP/1: one request after the other, until one side has had enough.

use super::{
    Head, Method, Source, broken,
    buffer::{Buffer, poll_read},
    framing::Framing,
};
use crate::{
    answer::{self, Answer, Date},
    connections::{Place, Standing},
    service::Service,
};
use httparse::Status;
use std::{
    borrow::Cow,
    future::poll_fn,
    io::{self, IoSlice},
    mem::MaybeUninit,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    net::TcpStream,
};

/// Heads that are longer and not whole by then are not read any further.
const MOST_HEAD: usize = 80 * 1024;
/// More fields than a head within the limit on its bytes is likely to have.
const MOST_FIELDS: usize = 400;
/// What a client of HTTP/2 says first.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const GO_ON: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
/// Bodies of answers up to this size are sent in one piece with the head.
const SMALL: usize = 16 * 1024;
/// How long, and how much, is read and thrown away of what a client still sends when it has been
/// answered: a connection that is closed before would take the answer with it.
const FAREWELL: Duration = Duration::from_secs(2);
const MOST_FAREWELL: usize = 32 * 1024 * 1024;

/// How a conversation ended.
pub(crate) enum Ended {
    /// For good.
    Here,
    /// The client speaks HTTP/2; this is what it has said.
    InHttp2(Vec<u8>),
}

/// Answers requests for as long as the client likes.
pub(crate) async fn converse(
    stream: &mut TcpStream,
    service: &Arc<Service>,
    place: &Place,
) -> io::Result<Ended> {
    let standing = &place.standing;
    let mut buffer = Buffer::default();
    let mut date = Date::default();
    let mut is_first = true;
    loop {
        standing.rest();
        let request = match next(stream, &mut buffer, standing, is_first).await? {
            Next::Request(request) => request,
            Next::Preface => return Ok(Ended::InHttp2(buffer.into_unused())),
            Next::End => return Ok(Ended::Here),
            Next::Refused(status) => {
                let answer = answer::plain(status, Vec::new(), "");
                send(stream, standing, &answer, date.now(), Some("close"), true).await?;
                part(stream, buffer).await?;
                return Ok(Ended::Here);
            }
        };
        is_first = false;
        standing.begin();
        let Request { head, framing, is_old, keeps, expects } = request;
        let has_body = head.method != Method::Head;
        let go_on = if expects { GO_ON } else { &[] };
        let mut incoming = Incoming { stream, buffer: &mut buffer, framing, go_on };
        let reply = service.answer(head, &mut incoming, standing).await;
        let is_read = incoming.skip();
        let keeps = keeps && is_read && !reply.answer.closes && !place.is_stopping();
        let connection = match (keeps, is_old) {
            (false, _) => Some("close"),
            (true, true) => Some("keep-alive"),
            (true, false) => None,
        };
        send(stream, standing, &reply.answer, date.now(), connection, has_body).await?;
        drop(reply);
        if !keeps {
            if !is_read {
                part(stream, buffer).await?;
            }
            return Ok(Ended::Here);
        }
    }
}

/// What comes next on a connection.
enum Next {
    Request(Request),
    Preface,
    End,
    Refused(u16),
}

/// A head, and what follows from it for the connection.
struct Request {
    head: Head,
    framing: Framing,
    /// HTTP/1.0.
    is_old: bool,
    /// Whether the client keeps the connection.
    keeps: bool,
    /// Whether it waits to be told to send its body.
    expects: bool,
}

async fn next(
    stream: &mut TcpStream,
    buffer: &mut Buffer,
    standing: &Standing,
    is_first: bool,
) -> io::Result<Next> {
    // Of which bytes it is known that they are no whole head.
    let mut seen = 0;
    let mut has_begun = false;
    loop {
        let unused = buffer.unused();
        let begun = unused.get(..unused.len().min(PREFACE.len())).unwrap_or_default();
        if unused.is_empty() {
            // Nobody has said anything.
        } else if is_first && PREFACE.starts_with(begun) {
            if begun.len() == PREFACE.len() {
                return Ok(Next::Preface);
            }
        } else if seen == 0 || has_end(unused, seen) {
            match parse(unused) {
                Ok(Some((request, length))) => {
                    buffer.consume(length);
                    return Ok(Next::Request(request));
                }
                Ok(None) => seen = unused.len(),
                Err(status) => return Ok(Next::Refused(status)),
            }
        } else {
            seen = unused.len();
        }
        if unused.len() > MOST_HEAD {
            return Ok(Next::Refused(431));
        }
        if !has_begun && !unused.is_empty() {
            // From now on the client has its time for the rest.
            has_begun = true;
            standing.rest();
        }
        if poll_fn(|context| buffer.poll_fill(stream, context)).await? == 0 {
            return Ok(Next::End);
        }
    }
}

/// Whether there is an empty line in what has come after the first `seen` bytes.
fn has_end(bytes: &[u8], seen: usize) -> bool {
    let new = bytes.get(seen.saturating_sub(2)..).unwrap_or_default();
    new.windows(2).any(|pair| pair == b"\n\n") || new.windows(3).any(|three| three == b"\n\r\n")
}

/// Reads a head, and gives how long it is; none if it is not whole, a status if it is none.
fn parse(bytes: &[u8]) -> Result<Option<(Request, usize)>, u16> {
    let mut room = [const { MaybeUninit::uninit() }; MOST_FIELDS];
    let mut parsed = httparse::Request::new(&mut []);
    let length = match parsed.parse_with_uninit_headers(bytes, &mut room) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(431),
        Err(_) => return Err(400),
    };
    let (authority, target) = parsed.path.and_then(apart).ok_or(400u16)?;
    let method = parsed.method.unwrap_or_default();
    let mut head = Head::new(method, &target, parsed.headers.len() + 1, length);
    if let Some(authority) = authority {
        head.add("host", authority.as_bytes());
    }
    for field in parsed.headers.iter() {
        head.add(field.name, field.value);
    }
    let is_old = parsed.version == Some(0);
    let framing = Framing::of(&head, is_old).ok_or(400u16)?;
    let keeps =
        !head.lists("connection", "close") && (!is_old || head.lists("connection", "keep-alive"));
    let expects = !is_old && head.lists("expect", "100-continue");
    Ok(Some((Request { head, framing, is_old, keeps, expects }, length)))
}

/// The host, if a target names it as to a proxy, and what is left of the target.
fn apart(target: &str) -> Option<(Option<&str>, Cow<'_, str>)> {
    if target.starts_with('/') || target == "*" {
        return Some((None, Cow::Borrowed(target)));
    }
    let rest = ["http://", "https://"].into_iter().find_map(|scheme| {
        let start = target.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| target.get(scheme.len()..))?
    })?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at_checked(end)?;
    let target = if rest.starts_with('/') { rest.into() } else { format!("/{rest}").into() };
    Some((Some(authority), target))
}

/// The body of a request.
struct Incoming<'a> {
    stream: &'a mut TcpStream,
    buffer: &'a mut Buffer,
    framing: Framing,
    /// What the client waits for before it sends anything.
    go_on: &'static [u8],
}

impl Source for Incoming<'_> {
    fn announced(&self) -> Option<u64> {
        match self.framing {
            Framing::Length(length) => Some(length),
            Framing::Chunks(_) => None,
        }
    }

    fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        into: &mut Vec<u8>,
        most: usize,
    ) -> Poll<io::Result<usize>> {
        loop {
            let taken = self.take(into, most)?;
            if taken > 0 || self.framing.is_at_end() {
                return Poll::Ready(Ok(taken));
            }
            while !self.go_on.is_empty() {
                match ready!(Pin::new(&mut *self.stream).poll_write(context, self.go_on))? {
                    0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    sent => self.go_on = self.go_on.get(sent..).unwrap_or_default(),
                }
            }
            let read = match &mut self.framing {
                // Where it is wanted, not one byte more than the body has.
                Framing::Length(left) => {
                    let most = usize::try_from(*left).unwrap_or(usize::MAX).min(most);
                    let read = ready!(poll_read(self.stream, context, into, most))?;
                    *left -= read as u64;
                    read
                }
                Framing::Chunks(_) => ready!(self.buffer.poll_fill(self.stream, context))?,
            };
            match (&self.framing, read) {
                (_, 0) => return Poll::Ready(Err(broken("a body that is cut off"))),
                (Framing::Length(_), _) => return Poll::Ready(Ok(read)),
                // What has been read is taken apart first.
                (Framing::Chunks(_), _) => {}
            }
        }
    }
}

impl Incoming<'_> {
    /// Takes what has been read already; gives how many bytes of the body that are.
    fn take(&mut self, into: &mut Vec<u8>, most: usize) -> io::Result<usize> {
        let unused = self.buffer.unused();
        let (used, taken) = match &mut self.framing {
            Framing::Length(left) => {
                let here = usize::try_from(*left).unwrap_or(usize::MAX).min(most).min(unused.len());
                into.extend_from_slice(unused.get(..here).unwrap_or_default());
                *left -= here as u64;
                (here, here)
            }
            Framing::Chunks(chunks) => {
                let before = into.len();
                let used = chunks.take(unused, into, most)?;
                (used, into.len() - before)
            }
        };
        self.buffer.consume(used);
        Ok(taken)
    }

    /// Throws away what is left of the body, if it is here. Whether the next request comes next.
    fn skip(mut self) -> bool {
        if !self.framing.is_at_end() && !self.buffer.unused().is_empty() {
            let _ = self.take(&mut Vec::new(), usize::MAX);
        }
        self.framing.is_at_end()
    }
}

/// Sends an answer.
async fn send(
    stream: &mut TcpStream,
    standing: &Arc<Standing>,
    answer: &Answer,
    date: &[u8],
    connection: Option<&'static str>,
    has_body: bool,
) -> io::Result<()> {
    let body = if has_body { answer.body.as_slice() } else { &[] };
    let (inside, body) = if body.len() <= SMALL { (body, &[][..]) } else { (&[][..], body) };
    let mut head = answer.head(date, connection, inside.len());
    head.extend_from_slice(inside);
    let (mut sent, mut waiting) = (0, None);
    let whole = head.len() + body.len();
    poll_fn(|context| {
        while sent < whole {
            let first = head.get(sent..).unwrap_or_default();
            let second = body.get(sent.saturating_sub(head.len())..).unwrap_or_default();
            let stream = Pin::new(&mut *stream);
            let written = if second.is_empty() {
                stream.poll_write(context, first)
            } else {
                let slices = [IoSlice::new(first), IoSlice::new(second)];
                stream.poll_write_vectored(context, &slices)
            };
            match written {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => sent += count,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    let waiting = waiting.get_or_insert_with(|| standing.sends(whole));
                    waiting.took(sent);
                    return Poll::Pending;
                }
            }
        }
        Poll::Ready(Ok(()))
    })
    .await
}

/// Ends a connection on which a client may still be sending.
async fn part(stream: &mut TcpStream, mut buffer: Buffer) -> io::Result<()> {
    stream.shutdown().await?;
    let listening = async {
        let mut left = MOST_FAREWELL;
        while left > 0 {
            buffer.consume(usize::MAX);
            match poll_fn(|context| buffer.poll_fill(stream, context)).await? {
                0 => break,
                count => left = left.saturating_sub(count),
            }
        }
        Ok(())
    };
    tokio::time::timeout(FAREWELL, listening).await.unwrap_or(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(text: &str) -> Option<u16> {
        parse(text.as_bytes()).err()
    }

    fn request(text: &str) -> Request {
        let (request, length) = parse(text.as_bytes()).unwrap_or_default().unwrap();
        assert_eq!(length, text.len());
        request
    }

    #[test]
    fn connections_are_kept_as_the_client_likes() {
        for (version, field, keeps) in [
            ("1.1", "X: y", true),
            ("1.1", "Connection: close", false),
            ("1.1", "connection: x, Close", false),
            ("1.0", "X: y", false),
            ("1.0", "Connection: Keep-Alive", true),
            ("1.0", "Connection: keep-alive, close", false),
        ] {
            let found = request(&format!("POST / HTTP/{version}\r\n{field}\r\n\r\n"));
            assert_eq!(found.keeps, keeps, "{version} {field}");
        }
        assert!(request("POST / HTTP/1.1\r\nExpect: 100-Continue\r\n\r\n").expects);
        assert!(!request("POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n").expects);
    }

    #[test]
    fn targets_are_paths_with_or_without_the_host() {
        for (target, path, query, host) in [
            ("/", "/", None, "y"),
            ("/a?b", "/a", Some("b"), "y"),
            ("*", "*", None, "y"),
            ("http://x:8000", "/", None, "x:8000"),
            ("HTTP://x:8000/a/b?c", "/a/b", Some("c"), "x:8000"),
            ("https://x/", "/", None, "x"),
            ("http://x?a=b/c", "/", Some("a=b/c"), "x"),
        ] {
            let head = request(&format!("POST {target} HTTP/1.1\r\nHost: y\r\n\r\n")).head;
            assert_eq!((head.path(), head.query()), (path, query), "{target}");
            assert_eq!(head.text("host"), Some(host), "{target}");
        }
        for target in ["a", "ftp://x/", "localhost:80"] {
            assert_eq!(status(&format!("POST {target} HTTP/1.1\r\n\r\n")), Some(400));
        }
    }

    #[test]
    fn what_is_no_head_is_refused() {
        assert_eq!(status("hello\r\n\r\n"), Some(400));
        assert_eq!(status("GET / HTTP/9.9\r\n\r\n"), Some(400));
        assert_eq!(status("GET / HTTP/1.1\r\nno colon\r\n\r\n"), Some(400));
        assert_eq!(status("GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n"), Some(400));
        assert_eq!(status("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"), Some(400));
        let many = "A: b\r\n".repeat(MOST_FIELDS + 1);
        assert_eq!(status(&format!("GET / HTTP/1.1\r\n{many}\r\n")), Some(431));
        assert_eq!(status("GET / HT"), None);
    }

    #[test]
    fn an_empty_line_is_found_wherever_a_head_is_cut() {
        let head = b"GET / HTTP/1.1\r\nA: b\r\n\r\n";
        for seen in 1..head.len() {
            assert!(has_end(head, seen), "{seen}");
            assert!(!has_end(&head[..head.len() - 1], seen));
        }
        assert!(has_end(b"GET / HTTP/1.1\n\n", 15));
    }
}
