//! PutResourcePolicy. The policy is kept and given back; it is not enforced.

use super::{change_error, create_table::policy};
use crate::{
    Caller,
    arn::{no_resource, resource_table},
    error::{ApiError, ErrorKind},
    wire::{PutResourcePolicyInput, PutResourcePolicyOutput},
};
use engine::{Engine, table::Table};

/// Asks for there being no policy yet.
const NO_POLICY: &str = "NO_POLICY";

pub(crate) async fn put_resource_policy(
    engine: &Engine,
    caller: &Caller,
    request: PutResourcePolicyInput,
) -> Result<PutResourcePolicyOutput, ApiError> {
    let arn = request.resource_arn.unwrap_or_default();
    let new = policy(engine, request.policy.unwrap_or_default())?;
    let entry = resource_table(engine, caller, &arn)?;
    let expected = request.expected_revision_id;
    let entry = engine
        .change_table(&entry.table.name, move |table, _| {
            check_revision(table, expected.as_deref())?;
            // The same policy again keeps its revision.
            let unchanged = table.policy.clone().filter(|current| current.text == new.text);
            let policy = Some(unchanged.unwrap_or_else(|| new.clone()));
            Ok(Table { policy, ..table.clone() })
        })
        .await
        .map_err(|error| change_error(error, || no_resource(&arn)))?;
    let revision = entry.table.policy.as_ref().map(|policy| policy.revision.clone());
    Ok(PutResourcePolicyOutput { revision_id: revision })
}

/// Holds the request to the revision it expects.
pub(super) fn check_revision(table: &Table, expected: Option<&str>) -> Result<(), ApiError> {
    let current = table.policy.as_ref().map(|policy| policy.revision.as_str());
    let fits = match expected {
        None => true,
        Some(NO_POLICY) => current.is_none(),
        Some(revision) => current == Some(revision),
    };
    if fits { Ok(()) } else { Err(not_found(&table.arn())) }
}

/// There is no such policy, or not in that revision.
pub(super) fn not_found(arn: &str) -> ApiError {
    let text = format!("Resource-based policy not found for the provided ResourceArn: {arn}");
    ApiError::new(ErrorKind::PolicyNotFound, text)
}
