//! Requests that no good client sends, of every kind, as bytes for a connection.

use super::{
    requests::{Request, Requests, pick},
    spoil,
};
use crate::{http::service, random::Random};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

/// The kinds, for the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A body whose JSON is spoilt.
    Json,
    /// A body whose bytes are spoilt.
    Bytes,
    /// Headers that are missing, wrong, odd or too large.
    Headers,
    /// Bodies that are compressed, badly or too well.
    Compressed,
    /// What is no HTTP, or lies about its length.
    Framing,
    /// Random bytes.
    Noise,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] =
        [Kind::Json, Kind::Bytes, Kind::Headers, Kind::Compressed, Kind::Framing, Kind::Noise];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Json => "spoilt JSON",
            Kind::Bytes => "spoilt bytes",
            Kind::Headers => "odd headers",
            Kind::Compressed => "bad compression",
            Kind::Framing => "false framing",
            Kind::Noise => "random bytes",
        }
    }

    /// One of them. Whole requests are sent several at a time, so the others come up more often here.
    pub fn any(random: &mut Random) -> Kind {
        match random.between(0, 100) {
            0..38 => Kind::Json,
            38..56 => Kind::Bytes,
            56..68 => Kind::Headers,
            68..71 => Kind::Compressed,
            71..92 => Kind::Framing,
            _ => Kind::Noise,
        }
    }

    /// Whether the connection goes on after it: then there must be an answer.
    pub fn is_whole(self) -> bool {
        !matches!(self, Kind::Framing | Kind::Noise)
    }
}

/// The bytes of a request.
pub fn of(kind: Kind, requests: &Requests, random: &mut Random) -> Vec<u8> {
    let request = requests.any(random);
    let good = || request.body.to_string().into_bytes();
    match kind {
        Kind::Json => {
            whole(request, "POST / HTTP/1.1", &[], &spoil::json(&request.body, requests, random))
        }
        Kind::Bytes => whole(request, "POST / HTTP/1.1", &[], &spoil::bytes(&good(), random)),
        Kind::Headers => odd_headers(request, &good(), random),
        Kind::Compressed => compressed(request, &good(), random),
        Kind::Framing => false_framing(request, &good(), random),
        Kind::Noise => noise(random),
    }
}

/// A good request of that operation, but for what the caller gives.
pub fn whole(request: &Request, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let length = body.len().to_string();
    let mut bytes = head(&request.operation, line, headers, &[("Content-Length", &length)]);
    bytes.extend_from_slice(body);
    bytes
}

/// A head with usual headers; those the caller gives take their place, or are further ones. One
/// without a value is left out.
fn head(operation: &str, line: &str, given: &[(&str, &str)], more: &[(&str, &str)]) -> Vec<u8> {
    let target = format!("{}.{operation}", service(operation));
    let usual = [
        ("Host", "localhost"),
        ("Content-Type", "application/x-amz-json-1.0"),
        ("X-Amz-Date", "20260101T000000Z"),
        (
            "Authorization",
            "AWS4-HMAC-SHA256 Credential=abuse/20260101/us-east-1/dynamodb/aws4_request, \
             SignedHeaders=host;x-amz-date;x-amz-target, Signature=0000000000000000000000000000000000000000000000000000000000000000",
        ),
        ("X-Amz-Target", &target),
    ];
    let mut bytes = format!("{line}\r\n").into_bytes();
    let kept = usual.iter().filter(|(name, _)| !given.iter().any(|(other, _)| other == name));
    for (name, value) in kept.chain(given).chain(more) {
        if !value.is_empty() {
            let _ = write!(bytes, "{name}: {value}\r\n");
        }
    }
    bytes.extend_from_slice(b"\r\n");
    bytes
}

fn odd_headers(request: &Request, body: &[u8], random: &mut Random) -> Vec<u8> {
    const LINES: [&str; 10] = [
        "PUT / HTTP/1.1",
        "DELETE / HTTP/1.1",
        "PATCH / HTTP/1.1",
        "FOO / HTTP/1.1",
        "POST /x HTTP/1.1",
        "POST /%00?X-Amz-Signature=1 HTTP/1.1",
        "POST /?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=%ff HTTP/1.1",
        "OPTIONS / HTTP/1.1",
        "GET / HTTP/1.1",
        "POST http://other/ HTTP/1.1",
    ];
    const ODD: [(&str, &str); 36] = [
        ("Content-Type", ""),
        ("Content-Type", "text/plain"),
        ("Content-Type", "application/x-amz-json-1.1"),
        ("Content-Type", "application/json; charset=\u{ff}"),
        ("Content-Type", "application/cbor"),
        ("X-Amz-Target", ""),
        ("X-Amz-Target", "DynamoDB_20120810"),
        ("X-Amz-Target", "DynamoDB_20120810."),
        ("X-Amz-Target", "dynamodb_20120810.getitem"),
        ("X-Amz-Target", "DynamoDB_20111205.GetItem"),
        ("X-Amz-Target", "Monotable_1.GetItem"),
        ("X-Amz-Target", "\u{ff}"),
        ("X-Amz-Target", "a.b.c"),
        ("Authorization", ""),
        ("Authorization", "AWS4-HMAC-SHA256"),
        ("Authorization", "Bearer x"),
        ("Authorization", "AWS4-HMAC-SHA256 Credential=a"),
        ("Authorization", "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=, Signature="),
        ("Authorization", "AWS4-HMAC-SHA256 Credential=////,SignedHeaders=;;;,Signature=g"),
        (
            "Authorization",
            "AWS4-HMAC-SHA256 Credential=\u{e9}/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
        ),
        (
            "Authorization",
            "AWS4-ECDSA-P256-SHA256 Credential=a/20260101/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
        ),
        ("X-Amz-Date", ""),
        ("X-Amz-Date", "yesterday"),
        ("X-Amz-Date", "99999999T999999Z"),
        ("Accept-Encoding", "gzip;q=,deflate;q=0,,;"),
        ("Accept-Encoding", "gzip, deflate"),
        ("Accept-Encoding", "br;q=1.0"),
        ("Origin", "null"),
        ("Expect", "100-continue"),
        ("Connection", "keep-alive, upgrade"),
        ("Upgrade", "websocket"),
        ("X-Amz-Security-Token", "x"),
        ("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD"),
        ("Host", "\u{fc}:99999"),
        ("Te", "trailers"),
        ("Cookie", "a=b; a=b;;;=\u{1}"),
    ];
    let line = match random.percent(30) {
        true => pick(&LINES, random).copied().unwrap_or_default(),
        false => "POST / HTTP/1.1",
    };
    let mut large = String::new();
    let mut headers: Vec<(&str, &str)> = Vec::new();
    for _ in 0..random.between(1, 4) {
        headers.extend(pick(&ODD, random));
    }
    if random.percent(10) {
        let length = usize::try_from(random.spread(100, 60_000)).unwrap_or(0);
        random.letters(length, &mut large);
        headers.push(("X-Large", &large));
    }
    if random.percent(5) {
        headers.extend(std::iter::repeat_n(("X-Many", "1"), 300));
    }
    whole(request, line, &headers, body)
}

fn compressed(request: &Request, body: &[u8], random: &mut Random) -> Vec<u8> {
    let gzip = |body: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let _ = encoder.write_all(body);
        encoder.finish().unwrap_or_default()
    };
    // A bomb now and then: 16 KB that become 16 MB, or just one byte more than is allowed.
    let (name, bytes) = match random.between(0, 40) {
        0 => ("gzip", gzip(&vec![b' '; 16 * 1024 * 1024 + 1])),
        1 => ("gzip", gzip(&vec![b'['; 8 * 1024 * 1024])),
        2..12 => ("gzip", gzip(&spoil::bytes(body, random))),
        12..24 => ("gzip", spoil::bytes(&gzip(body), random)),
        24..30 => ("deflate", gzip(body)),
        30..34 => ("gzip", body.to_vec()),
        _ => (
            pick(&["br", "gzip, gzip", "identity", "zstd", "x"], random).copied().unwrap_or("x"),
            body.to_vec(),
        ),
    };
    whole(request, "POST / HTTP/1.1", &[("Content-Encoding", name)], &bytes)
}

/// Sent on a connection of its own, which then ends.
fn false_framing(request: &Request, body: &[u8], random: &mut Random) -> Vec<u8> {
    const LINES: [&str; 14] = [
        "POST",
        "POST /",
        "POST / HTTP/9.9",
        "POST  /  HTTP/1.1",
        "\r\n\r\n\r\nPOST / HTTP/1.1",
        " POST / HTTP/1.1",
        "HEAD / HTTP/1.1",
        "CONNECT a:1 HTTP/1.1",
        "TRACE / HTTP/1.1",
        "POST /\u{0} HTTP/1.1",
        "GET http:// HTTP/1.1",
        "POST * HTTP/1.1",
        "PRI * HTTP/2.0",
        "POST / HTTP/1.0",
    ];
    const FRAMES: [(&str, &str); 16] = [
        ("Content-Length", "-1"),
        ("Content-Length", "1e3"),
        ("Content-Length", "99999999999999999999"),
        ("Content-Length", "16777217"),
        ("Content-Length", "16777216"),
        ("Content-Length", "+5"),
        ("Content-Length", "5, 5"),
        ("Transfer-Encoding", "chunked"),
        ("Transfer-Encoding", "gzip, chunked"),
        ("Transfer-Encoding", "chunked, chunked"),
        ("Transfer-Encoding", "identity"),
        ("Transfer-Encoding", "x"),
        ("Bad Name", "1"),
        ("Bad:Name", "1"),
        ("X", "\u{0}"),
        ("X\u{ff}", "1"),
    ];
    const CHUNKS: [&str; 9] = [
        "5\r\nhello\r\n0\r\n\r\n",
        "zz\r\n",
        "-1\r\n",
        "ffffffffffffffff\r\n",
        "5\r\nhel",
        "5;a=b;;;\r\nhello\r\n0\r\nX: y\r\n\r\n",
        "0\r\n\r\n",
        "5hello",
        "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
    ];
    let operation = &request.operation;
    let line = if random.percent(30) { pick(&LINES, random).copied() } else { None };
    let line = line.unwrap_or("POST / HTTP/1.1");
    let length = (body.len() as u64).to_string();
    match random.between(0, 8) {
        // Says more, or less, than it sends.
        0 => {
            let told = (body.len() as u64 + random.between(1, 5_000)).to_string();
            let mut bytes = head(operation, line, &[], &[("Content-Length", &told)]);
            bytes.extend_from_slice(body);
            bytes
        }
        1 => {
            let told = random.between(0, body.len() as u64).to_string();
            let mut bytes = head(operation, line, &[], &[("Content-Length", &told)]);
            bytes.extend_from_slice(body);
            bytes
        }
        // Says it twice, and not the same.
        2 => {
            let mut bytes =
                head(operation, line, &[], &[("Content-Length", &length), ("Content-Length", "3")]);
            bytes.extend_from_slice(body);
            bytes
        }
        3 => {
            let chunked = ("Transfer-Encoding", "chunked");
            let both = [chunked, ("Content-Length", length.as_str())];
            let headers = if random.percent(50) { &both[..] } else { &both[..1] };
            let mut bytes = head(operation, line, &[], headers);
            for _ in 0..random.between(1, 4) {
                bytes.extend_from_slice(
                    pick(&CHUNKS, random).copied().unwrap_or_default().as_bytes(),
                );
            }
            bytes
        }
        4 => {
            let odd = pick(&FRAMES, random).copied().unwrap_or_default();
            let mut bytes = head(operation, line, &[], &[odd]);
            bytes.extend_from_slice(body);
            bytes
        }
        // A head too large to be read.
        5 => {
            let mut large = String::new();
            let size = usize::try_from(random.spread(10_000, 200_000)).unwrap_or(0);
            random.letters(size, &mut large);
            head(operation, line, &[], &[("X-Large", &large), ("Content-Length", "0")])
        }
        6 => {
            let many = vec![("X", "y"); usize::try_from(random.spread(100, 5_000)).unwrap_or(0)];
            head(operation, line, &many, &[("Content-Length", "0")])
        }
        // Cut off, or spoilt, wherever that is.
        _ => {
            let good = whole(request, line, &[], body);
            spoil::bytes(&good, random)
        }
    }
}

fn noise(random: &mut Random) -> Vec<u8> {
    let length = random.spread(1, 20_000);
    let mut bytes: Vec<u8> = match random.between(0, 4) {
        0 => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        1 => b"POST / HTTP/1.1\r\n".to_vec(),
        // The beginning of TLS.
        2 => b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        _ => Vec::new(),
    };
    bytes.extend((0..length).map(|_| random.next() as u8));
    bytes
}
