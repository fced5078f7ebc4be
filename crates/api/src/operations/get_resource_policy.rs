//! GetResourcePolicy.

use super::put_resource_policy::not_found;
use crate::{
    Caller,
    arn::resource_table,
    error::ApiError,
    wire::{GetResourcePolicyInput, GetResourcePolicyOutput},
};
use engine::Engine;

pub(crate) fn get_resource_policy(
    engine: &Engine,
    caller: &Caller,
    request: GetResourcePolicyInput,
) -> Result<GetResourcePolicyOutput, ApiError> {
    let arn = request.resource_arn.unwrap_or_default();
    let entry = resource_table(engine, caller, &arn)?;
    let policy = entry.table.policy.as_ref().ok_or_else(|| not_found(&arn))?;
    Ok(GetResourcePolicyOutput {
        policy: Some(policy.text.clone()),
        revision_id: Some(policy.revision.clone()),
    })
}
