//! Reads a request's body: within the size limit, within the memory that all
//! bodies together may take, within a time, and decompressed.

use crate::{
    gate::{Gate, Pass},
    limits::Limits,
};
use bytes::{Bytes, BytesMut};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use http_body_util::BodyExt;
use hyper::{
    HeaderMap,
    body::{Body as _, Frame, Incoming},
    header,
};
use std::{
    future::{Future, poll_fn},
    io::Read,
    pin::Pin,
    task::Poll,
    time::{Duration, Instant},
};
use store::Planted;

/// The largest body, as sent and as decompressed.
pub(crate) const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Bodies up to this size are not counted against the common memory.
const SMALL: usize = 16 * 1024;
/// Room for a body of up to this size is taken when it is no longer small; a larger one gets room as
/// it comes, so that a client cannot hold what it only announces.
const TRUSTED: usize = 1024 * 1024;
/// How fast a body must come in the long run, in bytes a second.
const SLOWEST: usize = 32 * 1024;
/// How long a client may be silent while bodies take more than half of their memory.
const PATIENCE_IN_A_CROWD: Duration = Duration::from_secs(2);
/// How long the rest of a refused body is read and thrown away, for the client to hear the answer.
const DRAIN: Duration = Duration::from_secs(2);

/// Why a body was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// More than 16 MB.
    TooLarge,
    /// The client went away.
    Interrupted,
    /// The client took too long.
    Late,
    /// An encoding nobody knows, or a damaged stream.
    Undecodable,
    /// Too many large bodies at once.
    Busy,
}

/// The memory that large bodies share.
pub(crate) struct BodyMemory {
    gate: Gate,
    patience: Duration,
}

/// A body, with its share of the memory for as long as it is kept.
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    _share: Option<Pass>,
}

impl BodyMemory {
    pub(crate) fn new(limits: &Limits) -> BodyMemory {
        let never = Duration::from_secs(u64::from(u32::MAX));
        let patience = if Planted::NoBodyTimeout.is_on() { never } else { limits.patience };
        BodyMemory { gate: Gate::new(limits.memory), patience }
    }

    /// Reads a body whole.
    pub(crate) async fn read(
        &self,
        headers: &HeaderMap,
        mut body: Incoming,
    ) -> Result<Body, BodyError> {
        let announced = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok());
        let announced: Option<usize> = announced.and_then(|v| v.parse().ok());
        if announced.is_some_and(|length| length > MOST_BYTES) {
            return Err(BodyError::TooLarge);
        }
        let read = self.collect(announced, &mut body).await;
        if read.as_ref().is_err_and(|error| *error == BodyError::Busy) {
            let _ = tokio::time::timeout(DRAIN, drain(&mut body)).await;
        }
        let read = read?;
        match headers.get(header::CONTENT_ENCODING).map(|v| v.as_bytes()) {
            None | Some(b"" | b"identity") => Ok(read),
            Some(encoding) => self.decompress(encoding, read).await,
        }
    }

    async fn collect(
        &self,
        announced: Option<usize>,
        body: &mut Incoming,
    ) -> Result<Body, BodyError> {
        let mut bytes = BytesMut::with_capacity(announced.unwrap_or(0).min(SMALL));
        let (mut share, mut room) = (None, SMALL);
        let mut started = None;
        while !body.is_end_stream()
            && let Some(frame) = self.next(body, &mut started, bytes.len()).await?
        {
            let Ok(data) = frame.into_data() else { continue };
            let length = bytes.len() + data.len();
            if length > MOST_BYTES {
                return Err(BodyError::TooLarge);
            }
            if length > room {
                let wanted = match announced {
                    Some(announced) if announced <= TRUSTED => announced.max(length),
                    Some(announced) => (2 * length).min(announced.max(length)),
                    None => (2 * length).min(MOST_BYTES),
                };
                // What is held already counts again until the larger share is there.
                share = Some(self.gate.enter(wanted).await.ok_or(BodyError::Busy)?);
                room = wanted;
                bytes.reserve(room - bytes.len());
            }
            bytes.extend_from_slice(&data);
        }
        Ok(Body { bytes: bytes.freeze(), _share: share })
    }

    /// The next piece. A client must not pause for long, and must not be slow for ever; its time
    /// starts when it has to be waited for.
    async fn next(
        &self,
        body: &mut Incoming,
        started: &mut Option<Instant>,
        length: usize,
    ) -> Result<Option<Frame<Bytes>>, BodyError> {
        let mut frame = body.frame();
        let at_hand = poll_fn(|context| Poll::Ready(Pin::new(&mut frame).poll(context))).await;
        let frame = match at_hand {
            Poll::Ready(frame) => frame,
            Poll::Pending => {
                let started = *started.get_or_insert_with(Instant::now);
                let crowded = length > SMALL && self.gate.is_crowded();
                let most = if crowded { PATIENCE_IN_A_CROWD } else { self.patience };
                let whole = self.patience + Duration::from_secs((length / SLOWEST) as u64);
                let wait = self.patience.min(most).min(whole.saturating_sub(started.elapsed()));
                tokio::time::timeout(wait, frame).await.map_err(|_| BodyError::Late)?
            }
        };
        frame.transpose().map_err(|_| BodyError::Interrupted)
    }

    /// Not on the tasks that serve others: a few bytes can become very many.
    async fn decompress(&self, encoding: &[u8], body: Body) -> Result<Body, BodyError> {
        let decode = match encoding {
            b"gzip" => gunzip,
            b"deflate" => inflate,
            _ => return Err(BodyError::Undecodable),
        };
        let mut share = self.gate.enter(MOST_BYTES).await.ok_or(BodyError::Busy)?;
        let decoding = tokio::task::spawn_blocking(move || decode(&body.bytes));
        let out = decoding.await.map_err(|_| BodyError::Undecodable)??;
        share.shrink(out.len());
        Ok(Body { bytes: out.into(), _share: Some(share) })
    }
}

fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, BodyError> {
    take(MultiGzDecoder::new(bytes))
}

fn inflate(bytes: &[u8]) -> Result<Vec<u8>, BodyError> {
    take(ZlibDecoder::new(bytes))
}

fn take(decoder: impl Read) -> Result<Vec<u8>, BodyError> {
    let mut out = Vec::new();
    let read = decoder.take(MOST_BYTES as u64 + 1).read_to_end(&mut out);
    read.map_err(|_| BodyError::Undecodable)?;
    if out.len() > MOST_BYTES { Err(BodyError::TooLarge) } else { Ok(out) }
}

async fn drain(body: &mut Incoming) {
    while let Some(Ok(_)) = body.frame().await {}
}
