//! Why an export or import ends early.

use archive::storage::StorageError;
use engine::{EngineError, recovery::RestoreError};

/// Why an export or import ends early.
pub(crate) enum Failure {
    /// It cannot be done, and will not be tried again.
    Refused {
        /// A word for programs.
        code: &'static str,
        /// The reason for people.
        message: String,
    },
    /// The database failed; it is tried again later.
    Engine(EngineError),
}

impl Failure {
    pub(crate) fn refused(code: &'static str, message: impl Into<String>) -> Failure {
        Failure::Refused { code, message: message.into() }
    }

    pub(crate) fn not_configured() -> Failure {
        Failure::refused(
            "StorageNotConfigured",
            "The server has no storage for exports and imports: start it with --s3-endpoint or \
             --storage-dir",
        )
    }

    pub(crate) fn no_table(name: &str) -> Failure {
        Failure::refused("TableNotFound", format!("Table not found: {name}"))
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        Failure::Engine(error)
    }
}

impl From<value::CodecError> for Failure {
    fn from(error: value::CodecError) -> Failure {
        Failure::Engine(error.into())
    }
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Failure {
        let code = match error {
            StorageError::NoSuchBucket => "S3NoSuchBucket",
            StorageError::AccessDenied => "S3AccessDenied",
            StorageError::NotFound(_) => "S3NoSuchKey",
            StorageError::Unavailable(_) => "S3ServiceUnavailable",
            StorageError::Other(_) => "S3Error",
        };
        Failure::refused(code, error.to_string())
    }
}

impl From<RestoreError> for Failure {
    fn from(error: RestoreError) -> Failure {
        match error {
            RestoreError::Engine(error) => Failure::Engine(error),
            RestoreError::OutOfWindow { .. } => {
                Failure::refused("InvalidExportTime", "The moment can no longer be exported")
            }
            RestoreError::NotEnabled => Failure::refused(
                "PointInTimeRecoveryUnavailable",
                "Point in time recovery is not enabled any more",
            ),
            other => Failure::refused("ExportFailed", other.to_string()),
        }
    }
}
