//! What the clauses of an update write. All of them read the item as it was.

use value::{Item, MAX_ITEM_SIZE, Value, value_size};

use super::sets::{Rest, difference, union};
use super::{Action, Clause, Instruction, UpdateError};

/// A value worked out but not copied yet.
pub(super) enum Computed<'a> {
    Borrowed(&'a Value),
    Owned(Value),
    /// The elements of a list, run by run.
    List(Vec<&'a [Value]>),
}

/// What a clause does to its target.
pub(super) enum Effect<'a> {
    Set(Computed<'a>),
    Remove,
    /// A DELETE that leaves everything as it is.
    Keep,
}

impl Clause {
    pub(super) fn effect<'a>(
        &'a self,
        old: &'a Item,
        legacy: bool,
    ) -> Result<Effect<'a>, UpdateError> {
        let mismatch = if legacy { UpdateError::TypeMismatch } else { UpdateError::OperandType };
        match &self.action {
            Action::Set(instructions) => Ok(Effect::Set(evaluate(instructions, old)?)),
            Action::Remove => Ok(Effect::Remove),
            Action::Add(operand) => {
                let Some(current) = self.target.find(old) else {
                    return Ok(Effect::Set(Computed::Borrowed(operand)));
                };
                Ok(Effect::Set(match (current, &**operand) {
                    (Value::N(left), Value::N(right)) => {
                        Computed::Owned(Value::N(left.checked_add(right)?))
                    }
                    (Value::L(left), Value::L(right)) if legacy => {
                        Computed::List(vec![left, right])
                    }
                    (left, right) => Computed::Owned(union(left, right).ok_or(mismatch)?),
                }))
            }
            Action::Delete(operand) => {
                let Some(current) = self.target.find(old) else {
                    return Ok(Effect::Keep);
                };
                Ok(match difference(current, operand).ok_or(mismatch)? {
                    Rest::Unchanged => Effect::Keep,
                    Rest::Some(value) => Effect::Set(Computed::Owned(value)),
                    Rest::Nothing => Effect::Remove,
                })
            }
        }
    }
}

/// The value of a right-hand side. Faults stay with their operand, because `if_not_exists` may not
/// need it.
fn evaluate<'a>(
    instructions: &'a [Instruction],
    old: &'a Item,
) -> Result<Computed<'a>, UpdateError> {
    let mut stack: Vec<Result<Computed<'a>, UpdateError>> = Vec::new();
    for instruction in instructions {
        let result = match instruction {
            Instruction::Value(value) => Ok(Computed::Borrowed(value)),
            Instruction::Path(path) => match path.find(old) {
                Some(value) => Ok(Computed::Borrowed(value)),
                None => Err(UpdateError::MissingOperand),
            },
            operator => {
                let right = stack.pop().unwrap_or(Err(UpdateError::MissingOperand));
                let left = stack.pop().unwrap_or(Err(UpdateError::MissingOperand));
                combine(operator, left, right)
            }
        };
        stack.push(result);
    }
    stack.pop().unwrap_or(Err(UpdateError::MissingOperand))
}

fn combine<'a>(
    operator: &Instruction,
    left: Result<Computed<'a>, UpdateError>,
    right: Result<Computed<'a>, UpdateError>,
) -> Result<Computed<'a>, UpdateError> {
    if *operator == Instruction::IfNotExists {
        return left.or(right);
    }
    let (left, right) = (left?, right?);
    if *operator == Instruction::ListAppend {
        let mut runs = left.into_runs()?;
        runs.append(&mut right.into_runs()?);
        return Ok(Computed::List(runs));
    }
    let (Some(Value::N(left)), Some(Value::N(right))) = (left.as_value(), right.as_value()) else {
        return Err(UpdateError::OperandType);
    };
    let number = if *operator == Instruction::Plus {
        left.checked_add(right)?
    } else {
        left.checked_sub(right)?
    };
    Ok(Computed::Owned(Value::N(number)))
}

impl<'a> Computed<'a> {
    fn as_value(&self) -> Option<&Value> {
        match self {
            Computed::Borrowed(value) => Some(value),
            Computed::Owned(value) => Some(value),
            Computed::List(_) => None,
        }
    }

    fn into_runs(self) -> Result<Vec<&'a [Value]>, UpdateError> {
        match self {
            Computed::Borrowed(Value::L(elements)) => Ok(vec![elements]),
            Computed::List(runs) => Ok(runs),
            Computed::Borrowed(_) | Computed::Owned(_) => Err(UpdateError::OperandType),
        }
    }

    /// The value's size, or some size above the limit of items.
    pub(super) fn size(&self) -> usize {
        match self {
            Computed::Borrowed(value) => value_size(value),
            Computed::Owned(value) => value_size(value),
            Computed::List(runs) => {
                let mut size = value_size(&Value::L(Vec::new()));
                for element in runs.iter().copied().flatten() {
                    size += 1 + value_size(element);
                    if size > MAX_ITEM_SIZE {
                        break;
                    }
                }
                size
            }
        }
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            Computed::Borrowed(value) => value.clone(),
            Computed::Owned(value) => value,
            Computed::List(runs) => Value::L(runs.concat()),
        }
    }
}
