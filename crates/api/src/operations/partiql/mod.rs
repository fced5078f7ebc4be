//! What the three PartiQL operations have in common: a statement with its parameters, the plan of
//! a SELECT, and the write that an INSERT, UPDATE or DELETE is.

mod next_token;
mod plan;
mod select;
mod single;
mod write;

pub(super) use select::{Paging, select};
pub(super) use single::{SingleRead, single_read};
pub(super) use write::{StatementWrite, duplicate_item, statement_write};

use crate::{error::ApiError, wire::AttributeValue};
use expression::{Cache, partiql::Statement};
use value::Value;

/// What must be said of a key that is not given in full.
pub(super) const KEY_REQUIRED: &str =
    "Where clause does not contain a mandatory equality on all key attributes";

/// Reads a statement and puts its parameters in, before any table is looked up. Gives the
/// parameters as well.
pub(super) fn prepare(
    cache: &Cache,
    text: &str,
    parameters: Option<Vec<AttributeValue>>,
) -> Result<(Statement, Vec<Value>), ApiError> {
    let syntax = cache.statement(text)?;
    let parameters = parameters.unwrap_or_default().into_iter();
    let parameters =
        parameters.map(AttributeValue::into_value).collect::<Result<Vec<Value>, _>>()?;
    Ok((syntax.bind(&parameters)?, parameters))
}

/// Refuses a batch or transaction that both reads and writes.
pub(super) fn refuse_mix(
    operation: &str,
    mut reads: impl Iterator<Item = bool>,
) -> Result<(), ApiError> {
    let first = reads.next();
    if first.is_some_and(|first| reads.any(|other| other != first)) {
        return Err(ApiError::request(format!(
            "Both read and write statements found in {operation}. A request must be either all \
             reads or all writes."
        )));
    }
    Ok(())
}
