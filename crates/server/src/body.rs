//! Reads a request's body: within the size limit, within the memory that all
//! bodies together may take, within a time, and decompressed.

use crate::{
    gate::{Gate, Pass},
    http::{Head, Source},
    limits::Limits,
};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use std::{
    future::poll_fn,
    io::Read,
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
    pub(crate) bytes: Vec<u8>,
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
        head: &Head,
        source: &mut impl Source,
    ) -> Result<Body, BodyError> {
        let read = self.collect(source).await?;
        match head.get("content-encoding") {
            None | Some(b"" | b"identity") => Ok(read),
            Some(encoding) => self.decompress(encoding, read).await,
        }
    }

    async fn collect(&self, source: &mut impl Source) -> Result<Body, BodyError> {
        let announced =
            source.announced().map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        if announced.is_some_and(|length| length > MOST_BYTES) {
            return Err(BodyError::TooLarge);
        }
        let (mut share, mut room) = (None, SMALL);
        let mut bytes = Vec::with_capacity(announced.unwrap_or(0).min(SMALL));
        let mut started = None;
        loop {
            // One byte more than there is room for tells whether there has to be more.
            let here = room + 1 - bytes.len();
            if self.next(source, &mut bytes, here, &mut started).await? == 0 {
                return Ok(Body { bytes, _share: share });
            }
            let length = bytes.len();
            if length > MOST_BYTES {
                return Err(BodyError::TooLarge);
            }
            if length > room {
                room = match announced {
                    Some(announced) if announced <= TRUSTED => announced,
                    Some(announced) => (2 * length).min(announced),
                    None => (2 * length).min(MOST_BYTES),
                };
                // What is held already counts again until the larger share is there.
                share = Some(self.gate.enter(room).await.ok_or(BodyError::Busy)?);
                bytes.reserve_exact(room + 1 - length);
            }
        }
    }

    /// Reads what there is next, and gives how much. A client must not pause for long, and must not be
    /// slow for ever; its time starts when it has to be waited for.
    async fn next(
        &self,
        source: &mut impl Source,
        bytes: &mut Vec<u8>,
        most: usize,
        started: &mut Option<Instant>,
    ) -> Result<usize, BodyError> {
        let at_hand = poll_fn(|context| Poll::Ready(source.poll_read(context, bytes, most))).await;
        let read = match at_hand {
            Poll::Ready(read) => read,
            Poll::Pending => {
                let started = *started.get_or_insert_with(Instant::now);
                let crowded = bytes.len() > SMALL && self.gate.is_crowded();
                let most_wait = if crowded { PATIENCE_IN_A_CROWD } else { self.patience };
                let whole = self.patience + Duration::from_secs((bytes.len() / SLOWEST) as u64);
                let wait =
                    self.patience.min(most_wait).min(whole.saturating_sub(started.elapsed()));
                let waiting = poll_fn(|context| source.poll_read(context, bytes, most));
                tokio::time::timeout(wait, waiting).await.map_err(|_| BodyError::Late)?
            }
        };
        read.map_err(|_| BodyError::Interrupted)
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
        Ok(Body { bytes: out, _share: Some(share) })
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
