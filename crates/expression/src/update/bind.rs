//! Puts names and values into an update and checks what can be known without an item, by class over
//! the whole expression: names, values, overlap, conflict, operands of ADD and DELETE, operands of
//! functions.

use std::sync::Arc;

use value::Value;

use super::{Action, Clause, Instruction, Origin, Update};
use crate::syntax::{ActionSyntax, Function, Term};
use crate::{ExpressionError, Fault, Kind, Path, Placeholders, UpdateSyntax, overlap};

impl UpdateSyntax {
    /// Puts the request's names and values in and checks them.
    pub fn bind(&self, placeholders: &mut Placeholders) -> Result<Update, ExpressionError> {
        self.bound(placeholders).map_err(|fault| fault.of(Kind::Update))
    }

    fn bound(&self, placeholders: &mut Placeholders) -> Result<Update, Fault> {
        let mut paths = self.bind_names(placeholders)?.into_iter();
        let mut clauses = Vec::with_capacity(self.clauses.len());
        let mut function_fault = None;
        for clause in &self.clauses {
            // The paths come back in the order in which they were bound.
            let Some(target) = paths.next() else { break };
            let action = match &clause.action {
                ActionSyntax::Remove => Action::Remove,
                ActionSyntax::Add(value) => Action::Add(placeholders.value(value)?),
                ActionSyntax::Delete(value) => Action::Delete(placeholders.value(value)?),
                ActionSyntax::Set { start, end } => {
                    let mut right = RightHandSide::default();
                    for term in self.terms.get(*start..*end).unwrap_or_default() {
                        right.push(term, &mut paths, placeholders)?;
                    }
                    function_fault = function_fault.or(right.fault);
                    Action::Set(right.instructions)
                }
            };
            clauses.push(Clause { target, action });
        }
        overlap::check(clauses.iter().map(|clause| &clause.target))?;
        for clause in &clauses {
            check_action(&clause.action)?;
        }
        match function_fault {
            Some(fault) => Err(fault),
            None => Ok(Update::new(clauses, Origin::Expression)),
        }
    }

    /// All paths in the order written: names come before values in the order of errors.
    fn bind_names(&self, placeholders: &mut Placeholders) -> Result<Vec<Path>, Fault> {
        let mut paths = Vec::new();
        for clause in &self.clauses {
            paths.push(clause.target.bind(placeholders)?);
            if let ActionSyntax::Set { start, end } = clause.action {
                for term in self.terms.get(start..end).unwrap_or_default() {
                    if let Term::Path(path) = term {
                        paths.push(path.bind(placeholders)?);
                    }
                }
            }
        }
        Ok(paths)
    }
}

/// What is known of an operand without an item.
enum Shape {
    Path,
    Value(Arc<Value>),
    Computed,
}

/// A right-hand side being bound, with the first fault of its functions.
#[derive(Default)]
struct RightHandSide {
    instructions: Vec<Instruction>,
    shapes: Vec<Shape>,
    fault: Option<Fault>,
}

impl RightHandSide {
    fn push(
        &mut self,
        term: &Term,
        paths: &mut impl Iterator<Item = Path>,
        placeholders: &mut Placeholders,
    ) -> Result<(), Fault> {
        let (instruction, shape) = match term {
            Term::Path(_) => match paths.next() {
                Some(path) => (Instruction::Path(path), Shape::Path),
                None => return Ok(()),
            },
            Term::Value(name) => {
                let value = placeholders.value(name)?;
                (Instruction::Value(value.clone()), Shape::Value(value))
            }
            Term::Call { function, operands } => {
                self.call(*function, *operands);
                match function {
                    Function::IfNotExists => (Instruction::IfNotExists, Shape::Computed),
                    _ => (Instruction::ListAppend, Shape::Computed),
                }
            }
            Term::Plus => {
                self.check_types("+", 2, "N");
                (Instruction::Plus, Shape::Computed)
            }
            Term::Minus => {
                self.check_types("-", 2, "N");
                (Instruction::Minus, Shape::Computed)
            }
        };
        let taken = match term {
            Term::Path(_) | Term::Value(_) => 0,
            Term::Call { operands, .. } => *operands,
            Term::Plus | Term::Minus => 2,
        };
        self.shapes.truncate(self.shapes.len().saturating_sub(taken));
        self.shapes.push(shape);
        self.instructions.push(instruction);
        Ok(())
    }

    fn call(&mut self, function: Function, count: usize) {
        let operator = function.name();
        if count != function.arity() {
            self.fault.get_or_insert(Fault::OperandCount { operator, count });
        } else if function == Function::ListAppend {
            self.check_types(operator, count, "L");
        } else if !matches!(self.operands(count), [Shape::Path, ..]) {
            self.fault.get_or_insert(Fault::PathRequired(operator));
        }
    }

    fn operands(&self, count: usize) -> &[Shape] {
        let first = self.shapes.len().saturating_sub(count);
        self.shapes.get(first..).unwrap_or_default()
    }

    fn check_types(&mut self, operator: &'static str, count: usize, wanted: &str) {
        let mut types = self.operands(count).iter().filter_map(|shape| match shape {
            Shape::Value(value) => Some(value.type_name()),
            Shape::Path | Shape::Computed => None,
        });
        if let Some(operand) = types.find(|name| *name != wanted) {
            self.fault.get_or_insert(Fault::OperandType { operator, operand });
        }
    }
}

fn check_action(action: &Action) -> Result<(), Fault> {
    let (operator, value) = match action {
        Action::Add(value) => ("ADD", value),
        Action::Delete(value) => ("DELETE", value),
        Action::Set(_) | Action::Remove => return Ok(()),
    };
    let operand = match &**value {
        Value::Ss(_) | Value::Ns(_) | Value::Bs(_) => return Ok(()),
        Value::N(_) if operator == "ADD" => return Ok(()),
        Value::N(_) => "NUMBER",
        Value::S(_) => "STRING",
        Value::B(_) => "BINARY",
        Value::Bool(_) => "BOOLEAN",
        Value::Null => "NULL",
        Value::L(_) => "LIST",
        Value::M(_) => "MAP",
    };
    Err(Fault::ActionOperand { operator, operand })
}
