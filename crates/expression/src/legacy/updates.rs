//! Updates of `AttributeUpdates`.

use std::collections::BTreeMap;
use std::sync::Arc;

use value::Value;

use super::{AttributeAction, AttributeUpdate, LegacyError};
use crate::update::{Action, Clause, Instruction, Origin};
use crate::{ExpressionError, Path, Update};

/// The update of `AttributeUpdates`; an empty one creates the bare item.
pub fn attribute_updates(
    updates: &BTreeMap<String, AttributeUpdate>,
) -> Result<Update, ExpressionError> {
    let mut clauses = Vec::with_capacity(updates.len());
    for (name, update) in updates {
        clauses.push(Clause { target: Path::attribute(name), action: action(update)? });
    }
    Ok(Update::new(clauses, Origin::Legacy))
}

fn action(update: &AttributeUpdate) -> Result<Action, LegacyError> {
    let Some(value) = &update.value else {
        return match update.action {
            AttributeAction::Delete => Ok(Action::Remove),
            AttributeAction::Put | AttributeAction::Add => Err(LegacyError::UpdateWithoutValue),
        };
    };
    let is_set = matches!(value, Value::Ss(_) | Value::Ns(_) | Value::Bs(_));
    let shared = Arc::new(value.clone());
    match update.action {
        AttributeAction::Put => Ok(Action::Set(vec![Instruction::Value(shared)])),
        AttributeAction::Delete if is_set => Ok(Action::Delete(shared)),
        AttributeAction::Delete => Err(LegacyError::DeleteType(value.type_name())),
        AttributeAction::Add if is_set || matches!(value, Value::N(_) | Value::L(_)) => {
            Ok(Action::Add(shared))
        }
        AttributeAction::Add => Err(LegacyError::AddType(value.type_name())),
    }
}
