//! Puts names and values into a condition and checks what can be known without an item. Each test
//! is checked on its own, from left to right: placeholders, operand counts, distinct operands,
//! operand types.

use std::cmp::Ordering;
use std::sync::Arc;

use value::Value;

use super::evaluate::{order, size};
use super::{Condition, Operand, Test, TestKind};
use crate::syntax::{self, Comparator, Function, Term, TestSyntax};
use crate::{ConditionSyntax, ExpressionError, Fault, Placeholders};

/// How DynamoDB prints the type of an operand that has none yet.
const ANY_TYPE: &str = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}";

const TYPES: [&str; 10] = ["S", "SS", "N", "NS", "B", "BS", "BOOL", "NULL", "L", "M"];

impl ConditionSyntax {
    /// Puts the request's names and values in and checks them.
    pub fn bind(&self, placeholders: &mut Placeholders) -> Result<Condition, ExpressionError> {
        let mut tests = Vec::with_capacity(self.tests.len());
        for test in &self.tests {
            let terms = self.terms.get(test.start..test.end).unwrap_or_default();
            let bound = bind(test, terms, placeholders);
            tests.push(bound.map_err(|fault| fault.of(self.kind))?);
        }
        let steps = self.steps.clone();
        Ok(Condition { tests, steps })
    }
}

/// A term whose placeholders are resolved.
enum Resolved {
    Operand(Operand),
    Call(Function, usize),
}

fn bind(test: &TestSyntax, terms: &[Term], placeholders: &mut Placeholders) -> Result<Test, Fault> {
    let mut resolved = Vec::with_capacity(terms.len());
    for term in terms {
        resolved.push(match term {
            Term::Path(path) => Resolved::Operand(Operand::Path(path.bind(placeholders)?)),
            Term::Value(name) => Resolved::Operand(Operand::Value(placeholders.value(name)?)),
            Term::Call { function, operands } => Resolved::Call(*function, *operands),
            // The grammar of conditions has no arithmetic.
            Term::Plus | Term::Minus => continue,
        });
    }
    let mut binder = Binder::default();
    let mut operands: Vec<Operand> = Vec::new();
    let mut call = None;
    for term in resolved {
        match term {
            Resolved::Operand(operand) => operands.push(operand),
            Resolved::Call(function, count) => {
                let first = operands.len().saturating_sub(count);
                let arguments = operands.split_off(first);
                if count != function.arity() {
                    let operator = function.name();
                    return Err(Fault::OperandCount { operator, count });
                }
                match function {
                    Function::Size => operands.push(binder.size(arguments)),
                    _ => call = Some(binder.call(function, arguments)),
                }
            }
        }
    }
    let bound = match (test.kind, call) {
        (syntax::TestKind::Call, Some(bound)) => bound,
        (syntax::TestKind::Compare(comparator), _) => binder.compare(comparator, operands),
        (syntax::TestKind::Between, _) => binder.between(operands),
        (syntax::TestKind::In | syntax::TestKind::Call, _) => Test { kind: TestKind::In, operands },
    };
    match binder.distinct.or(binder.operand) {
        Some(fault) => Err(fault),
        None => Ok(bound),
    }
}

/// The first fault of each of the last two classes.
#[derive(Default)]
struct Binder {
    distinct: Option<Fault>,
    operand: Option<Fault>,
}

impl Binder {
    fn compare(&mut self, comparator: Comparator, operands: Vec<Operand>) -> Test {
        let operator = comparator.symbol();
        self.check_distinct(operator, &operands);
        if !matches!(comparator, Comparator::Eq | Comparator::Ne) {
            self.check_types(operator, &operands, &["S", "N", "B"]);
        }
        Test { kind: TestKind::Compare(comparator), operands }
    }

    fn between(&mut self, operands: Vec<Operand>) -> Test {
        self.check_types("BETWEEN", &operands, &["S", "N", "B"]);
        if let [_, Operand::Value(lower), Operand::Value(upper)] = operands.as_slice() {
            let fault = match order(lower, upper) {
                None => Some(Fault::BetweenTypes { lower: shown(lower), upper: shown(upper) }),
                Some(Ordering::Greater) => {
                    Some(Fault::BetweenOrder { lower: shown(lower), upper: shown(upper) })
                }
                Some(_) => None,
            };
            self.operand = self.operand.take().or(fault);
        }
        Test { kind: TestKind::Between, operands }
    }

    fn call(&mut self, function: Function, operands: Vec<Operand>) -> Test {
        let name = function.name();
        let kind = match function {
            Function::AttributeExists => {
                self.check_path(name, &operands);
                TestKind::Exists
            }
            Function::AttributeNotExists => {
                self.check_path(name, &operands);
                TestKind::NotExists
            }
            Function::IsNull => {
                self.check_path(name, &operands);
                TestKind::Type("NULL")
            }
            Function::AttributeType => {
                self.check_path(name, &operands);
                TestKind::Type(self.type_name(operands.get(1)))
            }
            Function::BeginsWith => {
                self.check_distinct(name, &operands);
                self.check_types(name, &operands, &["S", "B"]);
                TestKind::BeginsWith
            }
            _ => {
                self.check_distinct(name, &operands);
                TestKind::Contains
            }
        };
        Test { kind, operands }
    }

    fn size(&mut self, mut operands: Vec<Operand>) -> Operand {
        let sized = ["S", "B", "SS", "NS", "BS", "L", "M"];
        self.check_types(Function::Size.name(), &operands, &sized);
        match operands.pop() {
            Some(Operand::Path(path)) => Operand::SizeOf(path),
            Some(Operand::Value(value)) => Operand::Size(size(&value).unwrap_or(Value::Null)),
            // The size of a size has been found as a fault.
            Some(Operand::SizeOf(_) | Operand::Size(_)) | None => Operand::Size(Value::Null),
        }
    }

    /// The type that `attribute_type` is to look for.
    fn type_name(&mut self, operand: Option<&Operand>) -> &'static str {
        let fault = match operand.and_then(Operand::as_value) {
            Some(Value::S(wanted)) => match TYPES.iter().find(|name| *name == wanted) {
                Some(name) => return name,
                None => Fault::UnknownType(wanted.clone()),
            },
            _ => Fault::OperandType {
                operator: Function::AttributeType.name(),
                operand: operand.and_then(Operand::type_name).unwrap_or(ANY_TYPE),
            },
        };
        self.operand.get_or_insert(fault);
        ""
    }

    fn check_path(&mut self, operator: &'static str, operands: &[Operand]) {
        if !matches!(operands.first(), Some(Operand::Path(_))) {
            self.operand.get_or_insert(Fault::PathRequired(operator));
        }
    }

    fn check_distinct(&mut self, operator: &'static str, operands: &[Operand]) {
        if let [Operand::Path(left), Operand::Path(right)] = operands
            && left == right
        {
            self.distinct
                .get_or_insert_with(|| Fault::SameOperand { operator, operand: left.to_string() });
        }
    }

    fn check_types(&mut self, operator: &'static str, operands: &[Operand], allowed: &[&str]) {
        let mut types = operands.iter().filter_map(Operand::type_name);
        if let Some(operand) = types.find(|name| !allowed.contains(name)) {
            self.operand.get_or_insert(Fault::OperandType { operator, operand });
        }
    }
}

impl Operand {
    fn as_value(&self) -> Option<&Value> {
        match self {
            Operand::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The operand's type, if it does not depend on the item.
    fn type_name(&self) -> Option<&'static str> {
        match self {
            Operand::Path(_) => None,
            Operand::Value(value) => Some(value.type_name()),
            Operand::SizeOf(_) | Operand::Size(_) => Some("N"),
        }
    }
}

/// A bound as the error texts show it; for binaries that is the service's own object.
fn shown(value: &Arc<Value>) -> String {
    match &**value {
        Value::S(text) => format!("S:{text}"),
        Value::N(number) => format!("N:{number}"),
        Value::B(bytes) => {
            let length = bytes.len();
            format!("B:java.nio.HeapByteBuffer[pos=0 lim={length} cap={length}]")
        }
        other => other.type_name().to_owned(),
    }
}
