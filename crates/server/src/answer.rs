//! Answers: headers, checksum, compression.

use api::{ApiError, ErrorKind};
use bytes::Bytes;
use flate2::{
    Compression,
    write::{GzEncoder, ZlibEncoder},
};
use http_body_util::Full;
use hyper::{
    HeaderMap, Response, StatusCode,
    header::{self, HeaderName, HeaderValue},
};
use std::io::Write;

/// An answer that is ready.
pub(crate) type Answer = Response<Bytes>;
/// An answer as it is handed to the connection.
pub(crate) type Sent = Response<Full<Bytes>>;

pub(crate) const JSON_1_0: &str = "application/x-amz-json-1.0";
/// AWS compresses answers above this size.
const COMPRESSED_ABOVE: usize = 4096;
const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
/// How many headers most answers have, with those that hyper adds.
const MOST_HEADERS: usize = 8;
const SERVER: HeaderValue = HeaderValue::from_static("Monotable");

/// An answer of the API: JSON, with its checksum and compressed if the client likes.
pub(crate) fn json(
    status: u16,
    body: Vec<u8>,
    content_type: &'static str,
    request: &HeaderMap,
) -> Answer {
    let wanted = if body.len() > COMPRESSED_ABOVE { encoding(request) } else { None };
    let compressed = wanted.and_then(|encoding| Some((encoding, encoding.compress(&body)?)));
    let (encoding, body) = match compressed {
        Some((encoding, body)) => (Some(encoding), body),
        None => (None, body),
    };
    let checksum = crc32fast::hash(&body);
    let mut answer = plain(status, body, content_type);
    answer.headers_mut().insert(CRC32, HeaderValue::from(checksum));
    if let Some(encoding) = encoding {
        let name = HeaderValue::from_static(encoding.name());
        answer.headers_mut().insert(header::CONTENT_ENCODING, name);
    }
    answer
}

/// An error of the API.
pub(crate) fn error(error: &ApiError, content_type: &'static str, request: &HeaderMap) -> Answer {
    json(error.kind.status(), error.body(), content_type, request)
}

/// The error AWS has for what it cannot make sense of, outside of its protocol.
pub(crate) fn not_found() -> Answer {
    plain(404, b"<UnknownOperationException/>\n".to_vec(), "")
}

/// A body that is too large. AWS closes the connection; so does the server.
pub(crate) fn too_large(request: &HeaderMap) -> Answer {
    let text = "Request body exceeds the maximum of 16777216 bytes";
    let mut answer = error(&ApiError::new(ErrorKind::Validation, text), JSON_1_0, request);
    *answer.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
    answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    answer
}

/// A body that did not come in time.
pub(crate) fn late() -> Answer {
    let mut answer = plain(408, Vec::new(), "");
    answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    answer
}

/// An answer without checksum.
pub(crate) fn plain(status: u16, body: Vec<u8>, content_type: &'static str) -> Answer {
    let mut answer = Response::new(Bytes::from(body));
    *answer.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = answer.headers_mut();
    headers.reserve(MOST_HEADERS);
    headers.insert(header::SERVER, SERVER);
    if !content_type.is_empty() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    answer
}

/// Adds the request's id, and leave for a browser's script to read the answer.
pub(crate) fn finish(mut answer: Answer, id: &str, from_script: bool) -> Sent {
    let headers = answer.headers_mut();
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    if from_script {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("x-amzn-RequestId,x-amz-crc32,Date"),
        );
    }
    answer.map(Full::new)
}

/// What a browser asks before it sends a request from another origin.
pub(crate) fn preflight(request: &HeaderMap) -> Answer {
    let mut answer = plain(200, Vec::new(), "");
    let echoed = [
        (header::ACCESS_CONTROL_REQUEST_HEADERS, header::ACCESS_CONTROL_ALLOW_HEADERS),
        (header::ACCESS_CONTROL_REQUEST_METHOD, header::ACCESS_CONTROL_ALLOW_METHODS),
    ];
    for (asked, allowed) in echoed {
        if let Some(value) = request.get(asked) {
            answer.headers_mut().insert(allowed, value.clone());
        }
    }
    let age = HeaderValue::from_static("172800");
    answer.headers_mut().insert(header::ACCESS_CONTROL_MAX_AGE, age);
    answer
}

#[derive(Clone, Copy)]
enum Encoding {
    Gzip,
    Deflate,
}

impl Encoding {
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

/// The first encoding the client accepts that we have.
fn encoding(request: &HeaderMap) -> Option<Encoding> {
    let accepted = request.get(header::ACCEPT_ENCODING)?.to_str().ok()?;
    accepted.split(',').find_map(|entry| {
        let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
        if weight
            .trim()
            .trim_start_matches("q=")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .is_empty()
            && !weight.trim().is_empty()
        {
            return None;
        }
        match name.trim() {
            "gzip" => Some(Encoding::Gzip),
            "deflate" => Some(Encoding::Deflate),
            _ => None,
        }
    })
}
