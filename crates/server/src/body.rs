//! Reads a request's body: within the size limit, within the memory that all
//! bodies together may take, within a time, and decompressed.

use bytes::{Bytes, BytesMut};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use http_body_util::BodyExt;
use hyper::{HeaderMap, body::Incoming, header};
use std::{io::Read, sync::Arc, time::Duration};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The largest body, as sent and as decompressed.
pub(crate) const MOST_BYTES: usize = 16 * 1024 * 1024;
/// How long a client may take to send a body.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bodies up to this size are not counted against the common memory.
const SMALL: usize = 64 * 1024;
/// Memory for large bodies and what is read from them, over all connections.
const COMMON_BYTES: usize = 2 * 1024 * 1024 * 1024 - 1;
/// How much more memory a body takes once it is read.
const WEIGHT: usize = 4;

/// Why a body was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// More than 16 MB.
    TooLarge,
    /// The client went away or took too long.
    Interrupted,
    /// An encoding nobody knows, or a damaged stream.
    Undecodable,
    /// Too many large bodies at once.
    Busy,
}

/// The memory that large bodies share.
pub(crate) struct BodyMemory(Arc<Semaphore>);

/// A body, with its share of the memory for as long as it is kept.
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    _share: Option<OwnedSemaphorePermit>,
}

impl BodyMemory {
    pub(crate) fn new() -> BodyMemory {
        BodyMemory(Arc::new(Semaphore::new(COMMON_BYTES)))
    }

    /// Reads a body whole.
    pub(crate) async fn read(
        &self,
        headers: &HeaderMap,
        body: Incoming,
    ) -> Result<Body, BodyError> {
        let announced = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok());
        let announced: Option<usize> = announced.and_then(|v| v.parse().ok());
        if announced.is_some_and(|length| length > MOST_BYTES) {
            return Err(BodyError::TooLarge);
        }
        let reading = self.collect(announced.unwrap_or(0), body);
        let body = tokio::time::timeout(PATIENCE, reading).await;
        let body = body.map_err(|_| BodyError::Interrupted)??;
        match headers.get(header::CONTENT_ENCODING).map(|v| v.as_bytes()) {
            None | Some(b"" | b"identity") => Ok(body),
            Some(encoding) => self.decompress(encoding, &body.bytes),
        }
    }

    async fn collect(&self, announced: usize, mut body: Incoming) -> Result<Body, BodyError> {
        let mut bytes = BytesMut::with_capacity(announced.min(SMALL));
        let mut share = None;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| BodyError::Interrupted)?.into_data() else { continue };
            if bytes.len() + data.len() > MOST_BYTES {
                return Err(BodyError::TooLarge);
            }
            let wanted = bytes.len() + data.len();
            if wanted > SMALL {
                self.grow(&mut share, wanted)?;
            }
            bytes.extend_from_slice(&data);
        }
        Ok(Body { bytes: bytes.freeze(), _share: share })
    }

    /// Reserves for what has arrived, twice as much each time, so that a client cannot
    /// hold what it only announces.
    fn grow(
        &self,
        share: &mut Option<OwnedSemaphorePermit>,
        bytes: usize,
    ) -> Result<(), BodyError> {
        let held = share.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if held < bytes.saturating_mul(WEIGHT) {
            let more = self.share((2 * bytes).saturating_mul(WEIGHT).saturating_sub(held))?;
            match share {
                Some(share) => share.merge(more),
                None => *share = Some(more),
            }
        }
        Ok(())
    }

    fn share(&self, permits: usize) -> Result<OwnedSemaphorePermit, BodyError> {
        let permits = u32::try_from(permits).unwrap_or(u32::MAX);
        Arc::clone(&self.0).try_acquire_many_owned(permits).map_err(|_| BodyError::Busy)
    }

    fn decompress(&self, encoding: &[u8], bytes: &[u8]) -> Result<Body, BodyError> {
        let mut room = self.share(MOST_BYTES)?;
        let mut out = Vec::new();
        let limit = MOST_BYTES as u64 + 1;
        let read = match encoding {
            b"gzip" => MultiGzDecoder::new(bytes).take(limit).read_to_end(&mut out),
            b"deflate" => ZlibDecoder::new(bytes).take(limit).read_to_end(&mut out),
            _ => return Err(BodyError::Undecodable),
        };
        read.map_err(|_| BodyError::Undecodable)?;
        if out.len() > MOST_BYTES {
            return Err(BodyError::TooLarge);
        }
        let kept = if out.len() > SMALL { out.len() * WEIGHT } else { 0 };
        let share = room.split(kept.min(MOST_BYTES));
        Ok(Body { bytes: out.into(), _share: share })
    }
}
