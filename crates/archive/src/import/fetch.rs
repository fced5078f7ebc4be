//! Fetches objects and hands their pieces to a thread that reads them.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use bytes::Bytes;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::pages::Pages;
use super::read::read;
use super::{ImportSource, Page};
use crate::storage::{Bucket, ObjectInfo, StorageError};

/// Pieces of an object that wait for the reader.
const PIECES: usize = 4;

/// Reads all objects, until one cannot be fetched or nobody listens any more.
pub(super) async fn fetch_all(
    bucket: Bucket,
    objects: Vec<ObjectInfo>,
    source: Arc<ImportSource>,
    pages: Sender<Result<Page, StorageError>>,
    read_bytes: Arc<AtomicU64>,
) {
    for object in objects {
        let out = Pages::new(&object.key, pages.clone(), read_bytes.clone());
        if let Err(error) = fetch(&bucket, &object.key, source.clone(), out).await {
            // Nobody may be there to hear it.
            let _ = pages.send(Err(error)).await;
            return;
        }
        if pages.is_closed() {
            return;
        }
    }
}

async fn fetch(
    bucket: &Bucket,
    key: &str,
    source: Arc<ImportSource>,
    out: Pages,
) -> Result<(), StorageError> {
    let mut download = bucket.get(key).await?;
    let (send, pieces) = channel(PIECES);
    let reading = tokio::task::spawn_blocking(move || {
        read(&source, Pieces { pieces, piece: Bytes::new(), ended: false }, out);
    });
    let fetched = loop {
        let (piece, last) = match download.next().await {
            Ok(Some(piece)) => (Piece::Bytes(piece), false),
            Ok(None) => (Piece::End, true),
            Err(error) => break Err(error),
        };
        // The reader goes away when its object is beyond help, or when nobody listens.
        if send.send(piece).await.is_err() || last {
            break Ok(());
        }
    };
    drop(send);
    reading.await.map_err(|error| StorageError::Other(error.to_string()))?;
    fetched
}

/// A piece of an object. Its end is one, so that nothing cut off is taken for whole.
enum Piece {
    Bytes(Bytes),
    End,
}

/// The pieces of an object as one stream, for a thread that may wait.
pub(super) struct Pieces {
    pieces: Receiver<Piece>,
    piece: Bytes,
    ended: bool,
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() && !self.ended {
            match self.pieces.blocking_recv() {
                Some(Piece::Bytes(piece)) => self.piece = piece,
                Some(Piece::End) => self.ended = true,
                None => return Err(io::ErrorKind::BrokenPipe.into()),
            }
        }
        let length = into.len().min(self.piece.len());
        let taken = self.piece.split_to(length);
        if let Some(into) = into.get_mut(..length) {
            into.copy_from_slice(&taken);
        }
        Ok(length)
    }
}
