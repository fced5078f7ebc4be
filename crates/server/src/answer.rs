//! Answers: their fields, checksum and compression.

use crate::{http::Head, request_id::RequestId};
use api::{ApiError, ErrorKind};
use flate2::{
    Compression,
    write::{GzEncoder, ZlibEncoder},
};
use std::{
    io::Write,
    time::{SystemTime, UNIX_EPOCH},
};

pub(crate) const JSON_1_0: &str = "application/x-amz-json-1.0";
/// AWS compresses answers above this size.
const COMPRESSED_ABOVE: usize = 4096;
/// Room for a head.
const ROOM: usize = 512;

/// An answer that is ready.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// Whether the connection ends with it.
    pub(crate) closes: bool,
    content_type: &'static str,
    checksum: Option<u32>,
    encoding: Option<Encoding>,
    id: Option<RequestId>,
    others: Vec<(&'static str, Vec<u8>)>,
}

impl Answer {
    /// Adds the request's id, and leave for a browser's script to read the answer.
    pub(crate) fn finish(&mut self, id: RequestId, from_script: bool) {
        self.id = Some(id);
        if from_script {
            self.others.push(("Access-Control-Allow-Origin", b"*".to_vec()));
            let exposed = b"x-amzn-RequestId,x-amz-crc32,Date".to_vec();
            self.others.push(("Access-Control-Expose-Headers", exposed));
        }
    }

    /// All fields but those that depend on the connection.
    pub(crate) fn fields(&self, mut each: impl FnMut(&str, &[u8])) {
        each("Server", b"Monotable");
        if let Some(id) = &self.id {
            each("x-amzn-RequestId", id.as_bytes());
        }
        if !self.content_type.is_empty() {
            each("Content-Type", self.content_type.as_bytes());
        }
        if let Some(checksum) = self.checksum {
            each("x-amz-crc32", itoa::Buffer::new().format(checksum).as_bytes());
        }
        if let Some(encoding) = self.encoding {
            each("Content-Encoding", encoding.name().as_bytes());
        }
        for (name, value) in &self.others {
            each(name, value);
        }
        each("Content-Length", itoa::Buffer::new().format(self.body.len()).as_bytes());
    }

    /// Status line and fields as HTTP/1 has them, up to the empty line, with so much room behind it.
    pub(crate) fn head(&self, date: &[u8], connection: Option<&str>, room: usize) -> Vec<u8> {
        let mut head = Vec::with_capacity(ROOM + room);
        head.extend_from_slice(b"HTTP/1.1 ");
        head.extend_from_slice(itoa::Buffer::new().format(self.status).as_bytes());
        head.extend_from_slice(reason(self.status).as_bytes());
        let mut field = |name: &str, value: &[u8]| {
            head.extend_from_slice(name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value);
            head.extend_from_slice(b"\r\n");
        };
        self.fields(&mut field);
        field("Date", date);
        if let Some(connection) = connection {
            field("Connection", connection.as_bytes());
        }
        head.extend_from_slice(b"\r\n");
        head
    }
}

/// How a status line ends.
fn reason(status: u16) -> &'static str {
    match status {
        200 => " OK\r\n",
        400 => " Bad Request\r\n",
        404 => " Not Found\r\n",
        408 => " Request Timeout\r\n",
        413 => " Content Too Large\r\n",
        431 => " Request Header Fields Too Large\r\n",
        500 => " Internal Server Error\r\n",
        503 => " Service Unavailable\r\n",
        _ => " \r\n",
    }
}

/// The date as HTTP has it, written anew every second.
#[derive(Default)]
pub(crate) struct Date {
    second: u64,
    text: Vec<u8>,
}

impl Date {
    pub(crate) fn now(&mut self) -> &[u8] {
        let now = SystemTime::now();
        let second = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        if self.second != second || self.text.is_empty() {
            self.second = second;
            self.text = httpdate::fmt_http_date(now).into_bytes();
        }
        &self.text
    }
}

/// An answer of the API: JSON, with its checksum and compressed if the client likes.
pub(crate) fn json(
    status: u16,
    body: Vec<u8>,
    content_type: &'static str,
    wanted: Option<Encoding>,
) -> Answer {
    let compressed = wanted.and_then(|encoding| Some((encoding, encoding.compress(&body)?)));
    let (encoding, body) = match compressed {
        Some((encoding, body)) => (Some(encoding), body),
        None => (None, body),
    };
    let checksum = Some(crc32fast::hash(&body));
    Answer { checksum, encoding, ..plain(status, body, content_type) }
}

/// An error of the API.
pub(crate) fn error(error: &ApiError, content_type: &'static str, request: &Head) -> Answer {
    let body = error.body();
    let wanted = Encoding::wanted(request, body.len());
    json(error.kind.status(), body, content_type, wanted)
}

/// The same, to somebody who was not listened to.
pub(crate) fn refusal(error: &ApiError) -> Answer {
    json(error.kind.status(), error.body(), JSON_1_0, None)
}

/// The error AWS has for what it cannot make sense of, outside of its protocol.
pub(crate) fn not_found() -> Answer {
    plain(404, b"<UnknownOperationException/>\n".to_vec(), "")
}

/// A body that is too large. AWS closes the connection; so does the server.
pub(crate) fn too_large() -> Answer {
    let text = "Request body exceeds the maximum of 16777216 bytes";
    let answer = refusal(&ApiError::new(ErrorKind::Validation, text));
    Answer { status: 413, closes: true, ..answer }
}

/// A body that is cut off, or not as HTTP has it: nobody knows where the next request begins.
pub(crate) fn interrupted() -> Answer {
    Answer { closes: true, ..plain(400, Vec::new(), "") }
}

/// A body that did not come in time.
pub(crate) fn late() -> Answer {
    Answer { closes: true, ..plain(408, Vec::new(), "") }
}

/// An answer without checksum.
pub(crate) fn plain(status: u16, body: Vec<u8>, content_type: &'static str) -> Answer {
    Answer {
        status,
        body,
        closes: false,
        content_type,
        checksum: None,
        encoding: None,
        id: None,
        others: Vec::new(),
    }
}

/// What a browser asks before it sends a request from another origin.
pub(crate) fn preflight(request: &Head) -> Answer {
    let mut answer = plain(200, Vec::new(), "");
    let echoed = [
        ("access-control-request-headers", "Access-Control-Allow-Headers"),
        ("access-control-request-method", "Access-Control-Allow-Methods"),
    ];
    for (asked, allowed) in echoed {
        if let Some(value) = request.get(asked) {
            answer.others.push((allowed, value.to_vec()));
        }
    }
    answer.others.push(("Access-Control-Max-Age", b"172800".to_vec()));
    answer
}

/// How answers can be compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Gzip,
    Deflate,
}

impl Encoding {
    /// How to compress an answer of that size: as the first encoding that the client accepts and we have.
    pub(crate) fn wanted(request: &Head, size: usize) -> Option<Encoding> {
        if size <= COMPRESSED_ABOVE {
            return None;
        }
        let accepted = request.text("accept-encoding")?;
        accepted.split(',').find_map(|entry| {
            let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
            if is_nothing(weight.trim()) {
                return None;
            }
            match name.trim() {
                "gzip" => Some(Encoding::Gzip),
                "deflate" => Some(Encoding::Deflate),
                _ => None,
            }
        })
    }

    fn name(self) -> &'static str {
        match self {
            Encoding::Gzip => "gzip",
            Encoding::Deflate => "deflate",
        }
    }

    fn compress(self, body: &[u8]) -> Option<Vec<u8>> {
        let level = Compression::fast();
        let result = match self {
            Encoding::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), level);
                encoder.write_all(body).and_then(|()| encoder.finish())
            }
            Encoding::Deflate => {
                let mut encoder = ZlibEncoder::new(Vec::new(), level);
                encoder.write_all(body).and_then(|()| encoder.finish())
            }
        };
        result.ok()
    }
}

/// Whether a weight says that the encoding is not wanted: `q=0`, `q=0.0`.
fn is_nothing(weight: &str) -> bool {
    let digits = weight.trim_start_matches("q=").trim_end_matches('0').trim_end_matches('.');
    !weight.is_empty() && digits.is_empty()
}
