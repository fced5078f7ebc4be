//! Errors as AWS sends them. The only place that knows `__type` names, their
//! namespaces, and which HTTP status goes with which.

use crate::{
    wire::{AttributeMap, Json, Output, RequestError},
    wording,
};
use engine::{EngineError, items::ItemError};
use expression::{ExpressionError, partiql::StatementError};
use value::{CodecError, ValueError};

/// The errors this server sends, by AWS's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are AWS's")]
pub enum ErrorKind {
    AccessDenied,
    BackupInUse,
    BackupNotFound,
    ConditionalCheckFailed,
    ExpiredIterator,
    ContinuousBackupsUnavailable,
    DuplicateItem,
    ExportConflict,
    ExportNotFound,
    IdempotentParameterMismatch,
    ImportConflict,
    ImportNotFound,
    IncompleteSignature,
    InternalServerError,
    InvalidExportTime,
    InvalidRestoreTime,
    InvalidSignature,
    ItemCollectionSizeLimitExceeded,
    LimitExceeded,
    MissingAuthenticationToken,
    PointInTimeRecoveryUnavailable,
    PolicyNotFound,
    ResourceInUse,
    ResourceNotFound,
    Serialization,
    TableAlreadyExists,
    TableInUse,
    TableNotFound,
    Throttling,
    TransactionCanceled,
    TrimmedDataAccess,
    UnknownOperation,
    Validation,
}

const MODELLED: &str = "com.amazonaws.dynamodb.v20120810#";
const SERVICE: &str = "com.amazon.coral.service#";
const VALIDATE: &str = "com.amazon.coral.validate#";

impl ErrorKind {
    fn type_name(self) -> (&'static str, &'static str) {
        match self {
            ErrorKind::AccessDenied => (SERVICE, "AccessDeniedException"),
            ErrorKind::BackupInUse => (MODELLED, "BackupInUseException"),
            ErrorKind::BackupNotFound => (MODELLED, "BackupNotFoundException"),
            ErrorKind::ConditionalCheckFailed => (MODELLED, "ConditionalCheckFailedException"),
            ErrorKind::ExpiredIterator => (MODELLED, "ExpiredIteratorException"),
            ErrorKind::ExportConflict => (MODELLED, "ExportConflictException"),
            ErrorKind::ExportNotFound => (MODELLED, "ExportNotFoundException"),
            ErrorKind::ImportConflict => (MODELLED, "ImportConflictException"),
            ErrorKind::ImportNotFound => (MODELLED, "ImportNotFoundException"),
            ErrorKind::InvalidExportTime => (MODELLED, "InvalidExportTimeException"),
            ErrorKind::ContinuousBackupsUnavailable => {
                (MODELLED, "ContinuousBackupsUnavailableException")
            }
            ErrorKind::DuplicateItem => (MODELLED, "DuplicateItemException"),
            ErrorKind::IdempotentParameterMismatch => {
                (MODELLED, "IdempotentParameterMismatchException")
            }
            ErrorKind::IncompleteSignature => (SERVICE, "IncompleteSignatureException"),
            ErrorKind::InternalServerError => (MODELLED, "InternalServerError"),
            ErrorKind::InvalidRestoreTime => (MODELLED, "InvalidRestoreTimeException"),
            ErrorKind::InvalidSignature => (SERVICE, "InvalidSignatureException"),
            ErrorKind::ItemCollectionSizeLimitExceeded => {
                (MODELLED, "ItemCollectionSizeLimitExceededException")
            }
            ErrorKind::LimitExceeded => (MODELLED, "LimitExceededException"),
            ErrorKind::MissingAuthenticationToken => {
                (SERVICE, "MissingAuthenticationTokenException")
            }
            ErrorKind::PointInTimeRecoveryUnavailable => {
                (MODELLED, "PointInTimeRecoveryUnavailableException")
            }
            ErrorKind::PolicyNotFound => (MODELLED, "PolicyNotFoundException"),
            ErrorKind::ResourceInUse => (MODELLED, "ResourceInUseException"),
            ErrorKind::ResourceNotFound => (MODELLED, "ResourceNotFoundException"),
            ErrorKind::Serialization => (SERVICE, "SerializationException"),
            ErrorKind::TableAlreadyExists => (MODELLED, "TableAlreadyExistsException"),
            ErrorKind::TableInUse => (MODELLED, "TableInUseException"),
            ErrorKind::TableNotFound => (MODELLED, "TableNotFoundException"),
            ErrorKind::Throttling => (MODELLED, "ThrottlingException"),
            ErrorKind::TransactionCanceled => (MODELLED, "TransactionCanceledException"),
            ErrorKind::TrimmedDataAccess => (MODELLED, "TrimmedDataAccessException"),
            ErrorKind::UnknownOperation => (SERVICE, "UnknownOperationException"),
            ErrorKind::Validation => (VALIDATE, "ValidationException"),
        }
    }

    /// The error's name, without its namespace.
    pub fn name(self) -> &'static str {
        self.type_name().1
    }

    /// The HTTP status that goes with it.
    pub fn status(self) -> u16 {
        match self {
            ErrorKind::InternalServerError => 500,
            _ => 400,
        }
    }

    /// The member that holds the text; AWS is not of one mind.
    fn text_member(self) -> &'static str {
        match self {
            ErrorKind::Serialization
            | ErrorKind::TransactionCanceled
            | ErrorKind::IdempotentParameterMismatch => "Message",
            _ => "message",
        }
    }
}

/// An error on its way to the client.
#[derive(Debug)]
pub struct ApiError {
    /// Which one.
    pub kind: ErrorKind,
    /// Its text; a body that is no JSON gets none.
    pub message: Option<String>,
    /// The item that failed a condition, if it was asked for.
    pub item: Option<AttributeMap>,
    /// Why a transaction was cancelled, one reason a write.
    pub reasons: Option<Vec<CancellationReason>>,
}

/// Why one write of a transaction could not be made, or that it could.
#[derive(Debug)]
pub struct CancellationReason {
    /// `None`, `ConditionalCheckFailed`, `ValidationError` and so on.
    pub code: &'static str,
    /// The text of the failure.
    pub message: Option<String>,
    /// The item that failed a condition, if it was asked for.
    pub item: Option<AttributeMap>,
}

impl Json for CancellationReason {
    fn write(&self, out: &mut crate::wire::Body) {
        crate::wire::structure(self, out);
    }
}

impl Output for CancellationReason {
    fn encode_members(&self, object: &mut crate::wire::ObjectWriter<'_>) {
        object.member("Code", &Some(self.code.to_owned()));
        object.member("Message", &self.message);
        object.member("Item", &self.item);
    }
}

impl ApiError {
    /// An error with a text.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> ApiError {
        ApiError { kind, message: Some(message.into()), item: None, reasons: None }
    }

    /// An error without a text.
    pub fn bare(kind: ErrorKind) -> ApiError {
        ApiError { kind, message: None, item: None, reasons: None }
    }

    /// A check of the request itself that failed, before any table was looked up.
    pub(crate) fn request(text: impl Into<String>) -> ApiError {
        ApiError::new(ErrorKind::Validation, wording::request(text.into()))
    }

    /// A check that failed against what is there.
    pub(crate) fn validation(text: impl Into<String>) -> ApiError {
        ApiError::new(ErrorKind::Validation, text)
    }

    /// A check of parameters, in the form most of AWS's take.
    pub(crate) fn parameters(text: impl std::fmt::Display) -> ApiError {
        ApiError::validation(format!("One or more parameter values were invalid: {text}"))
    }

    /// A failure inside; the cause goes to the log, not to the client.
    pub fn internal(cause: &dyn std::error::Error) -> ApiError {
        tracing::error!(%cause, "a request failed inside");
        ApiError::new(
            ErrorKind::InternalServerError,
            "The request processing has failed because of an unknown error, exception or failure.",
        )
    }

    /// A request of something that is not there yet.
    pub(crate) fn unsupported(what: &str) -> ApiError {
        ApiError::request(format!("{what} is not supported by this version of Monotable"))
    }

    /// The table an operation on items needs is not there.
    pub(crate) fn no_resource() -> ApiError {
        ApiError::new(ErrorKind::ResourceNotFound, "Requested resource not found")
    }

    /// The table an operation on tables needs is not there.
    pub(crate) fn no_table(name: &str) -> ApiError {
        let text = format!("Requested resource not found: Table: {name} not found");
        ApiError::new(ErrorKind::ResourceNotFound, text)
    }

    /// The body to send.
    pub fn body(&self) -> Vec<u8> {
        crate::wire::to_json(self).unwrap_or_default()
    }
}

impl Json for ApiError {
    fn write(&self, out: &mut crate::wire::Body) {
        crate::wire::structure(self, out);
    }
}

impl Output for ApiError {
    fn encode_members(&self, object: &mut crate::wire::ObjectWriter<'_>) {
        let (namespace, name) = self.kind.type_name();
        object.member("__type", &Some(format!("{namespace}{name}")));
        object.member(self.kind.text_member(), &self.message);
        object.member("Item", &self.item);
        object.member("CancellationReasons", &self.reasons);
    }
}

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Serialization(message) => {
                ApiError { message, ..ApiError::bare(ErrorKind::Serialization) }
            }
            RequestError::Violations(found) => {
                ApiError::new(ErrorKind::Validation, wording::violations(&found))
            }
        }
    }
}

impl From<ValueError> for ApiError {
    fn from(error: ValueError) -> Self {
        ApiError::request(error.to_string())
    }
}

impl From<ExpressionError> for ApiError {
    fn from(error: ExpressionError) -> Self {
        ApiError::request(error.to_string())
    }
}

impl From<StatementError> for ApiError {
    fn from(error: StatementError) -> Self {
        ApiError::request(error.to_string())
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        ApiError::internal(&error)
    }
}

impl From<CodecError> for ApiError {
    fn from(error: CodecError) -> Self {
        ApiError::internal(&error)
    }
}

impl From<ItemError> for ApiError {
    fn from(error: ItemError) -> Self {
        match error {
            ItemError::NoSuchTable => ApiError::no_resource(),
            ItemError::Key(error) => ApiError::validation(error.to_string()),
            ItemError::Update(error) => ApiError::validation(error.to_string()),
            ItemError::TooLarge => ApiError::validation(error.to_string()),
            ItemError::ConditionFailed(_) => {
                ApiError::new(ErrorKind::ConditionalCheckFailed, "The conditional request failed")
            }
            ItemError::CollectionFull => ApiError::new(
                ErrorKind::ItemCollectionSizeLimitExceeded,
                "Collection size exceeded.",
            ),
            ItemError::Engine(error) => error.into(),
        }
    }
}
