//! Why a restore cannot be had.

use super::keys::KeysError;
use crate::{
    client::{CallError, EndpointOption},
    since::SinceError,
};
use std::io;

/// How the server names a table whose changes are not recorded.
const NOT_ENABLED: &str = "PointInTimeRecoveryUnavailableException";
/// What the server puts before what it has against a condition.
const CONDITION: &str = "Invalid Condition: ";

/// Why.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RestoreError {
    #[error(transparent)]
    Call(CallError),
    #[error(
        "point-in-time recovery is off for '{table}', so that its changes are not recorded; this \
         turns it on, for changes from then on:\n  \
         aws dynamodb update-continuous-backups --table-name {table} --endpoint-url {url} \\\n    \
         --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true"
    )]
    NotEnabled { table: String, url: String },
    #[error("--where cannot be understood: {0}")]
    Condition(String),
    #[error("--pk-prefix is for strings, and the partition key {name} of '{table}' is {kind}")]
    Prefix { name: String, table: String, kind: &'static str },
    #[error(transparent)]
    Keys(#[from] KeysError),
    #[error(transparent)]
    Time(#[from] SinceError),
    #[error(
        "to restore in place without a question, which only a terminal can be asked, --yes is \
         needed; --dry-run shows what would change"
    )]
    MustNotAsk,
    #[error("nothing has been changed")]
    Declined,
    #[error(
        "{what} {id} goes on in the server, nobody waits for it any more; this shows it:\n  \
         monotable restore --list{flag}\n  monotable restore --watch {id}{flag}"
    )]
    Interrupted { what: &'static str, id: String, flag: String },
    #[error("the server at this address does not know the restore {0}: it is another one")]
    Forgotten(String),
    #[error("the restore {id} has failed: {reason}")]
    Failed { id: String, reason: String },
    #[error(transparent)]
    System(#[from] io::Error),
}

impl From<CallError> for RestoreError {
    fn from(error: CallError) -> RestoreError {
        match &error {
            CallError::Refused { message, .. } if message.starts_with(CONDITION) => {
                RestoreError::Condition(message.trim_start_matches(CONDITION).to_owned())
            }
            _ => RestoreError::Call(error),
        }
    }
}

/// The error with advice, if it is that the changes of the table are not recorded.
pub(crate) fn instead(error: CallError, table: &str, endpoint: &EndpointOption) -> RestoreError {
    if error.is(NOT_ENABLED) {
        let url = endpoint.url().to_owned();
        return RestoreError::NotEnabled { table: table.to_owned(), url };
    }
    error.into()
}
