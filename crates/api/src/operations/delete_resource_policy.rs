//! DeleteResourcePolicy: succeeds without a policy, unless a revision is expected.

use super::{change_error, put_resource_policy::check_revision};
use crate::{
    Caller,
    arn::{no_resource, resource_table},
    error::ApiError,
    wire::{DeleteResourcePolicyInput, DeleteResourcePolicyOutput},
};
use engine::{Engine, table::Table};
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) async fn delete_resource_policy(
    engine: &Engine,
    caller: &Caller,
    request: DeleteResourcePolicyInput,
) -> Result<DeleteResourcePolicyOutput, ApiError> {
    let arn = request.resource_arn.unwrap_or_default();
    let entry = resource_table(engine, caller, &arn)?;
    let expected = request.expected_revision_id;
    let deleted = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&deleted);
    engine
        .change_table(&entry.table.name, move |table, _| {
            check_revision(table, expected.as_deref())?;
            let revision = table.policy.as_ref().map(|policy| policy.revision.clone());
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = revision;
            Ok(Table { policy: None, ..table.clone() })
        })
        .await
        .map_err(|error| change_error(error, || no_resource(&arn)))?;
    let revision_id = deleted.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(DeleteResourcePolicyOutput { revision_id })
}
