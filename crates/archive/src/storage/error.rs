//! What can go wrong with a storage, sorted the way callers report it.

use std::error::Error as _;
use std::io;

use object_store::client::HttpError;
use thiserror::Error;

/// A failed use of a storage.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StorageError {
    /// The bucket does not exist.
    #[error("The specified bucket does not exist")]
    NoSuchBucket,
    /// The credentials do not allow it.
    #[error("Access Denied")]
    AccessDenied,
    /// The bucket has no object of that key.
    #[error("The specified key does not exist: {0}")]
    NotFound(String),
    /// The storage cannot be reached or is not well; trying again later may help.
    #[error("The storage is not available: {0}")]
    Unavailable(String),
    /// Anything else.
    #[error("The storage failed: {0}")]
    Other(String),
}

impl StorageError {
    /// An error of the library, for the object of that key.
    pub(super) fn sort(error: object_store::Error, key: &str) -> StorageError {
        let text = error.to_string();
        // The library keeps the answer's body only as part of its text.
        if text.contains("<Code>NoSuchBucket</Code>") {
            return StorageError::NoSuchBucket;
        }
        match error {
            object_store::Error::NotFound { .. } => StorageError::NotFound(key.to_owned()),
            object_store::Error::PermissionDenied { .. }
            | object_store::Error::Unauthenticated { .. } => StorageError::AccessDenied,
            error if is_denied_by_system(&error) => StorageError::AccessDenied,
            error if is_transport(&error) => StorageError::Unavailable(text),
            _ => match status(&text) {
                Some(401 | 403) => StorageError::AccessDenied,
                Some(404) => StorageError::NotFound(key.to_owned()),
                Some(429 | 500..) => StorageError::Unavailable(text),
                _ => StorageError::Other(text),
            },
        }
    }
}

/// The HTTP status in an error's text. The library sorts errors by it, but not those of listings.
fn status(text: &str) -> Option<u16> {
    let (_, rest) = text.split_once("status code: ")?;
    rest.get(..3)?.parse().ok()
}

fn sources(
    error: &object_store::Error,
) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(error.source(), |&error| error.source())
}

fn is_denied_by_system(error: &object_store::Error) -> bool {
    sources(error).any(|source| {
        source
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    })
}

fn is_transport(error: &object_store::Error) -> bool {
    sources(error).any(|source| source.is::<HttpError>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(source: impl std::error::Error + Send + Sync + 'static) -> object_store::Error {
        object_store::Error::Generic { store: "S3", source: Box::new(source) }
    }

    #[test]
    fn errors_are_sorted() {
        let missing = io::Error::other("404: <Error><Code>NoSuchBucket</Code></Error>");
        let missing = object_store::Error::NotFound { path: "k".into(), source: missing.into() };
        assert_eq!(StorageError::sort(missing, "k"), StorageError::NoSuchBucket);

        let absent = object_store::Error::NotFound { path: "k".into(), source: "no".into() };
        assert_eq!(StorageError::sort(absent, "k"), StorageError::NotFound("k".to_owned()));

        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert_eq!(StorageError::sort(generic(denied), "k"), StorageError::AccessDenied);

        let denied = "Error performing list request: non-2xx status code: 403 Forbidden: no";
        let denied = StorageError::sort(generic(io::Error::other(denied)), "k");
        assert_eq!(denied, StorageError::AccessDenied);

        let busy = io::Error::other("Server returned non-2xx status code: 503: SlowDown");
        let busy = StorageError::sort(generic(busy), "k");
        assert!(matches!(busy, StorageError::Unavailable(_)), "{busy:?}");

        let unknown = StorageError::sort(generic(io::Error::other("odd")), "k");
        assert!(matches!(unknown, StorageError::Other(_)), "{unknown:?}");
    }
}
