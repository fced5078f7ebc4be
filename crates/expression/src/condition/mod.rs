//! Conditions and filters with their names and values resolved.

mod bind;
mod evaluate;

use std::sync::Arc;

use value::Value;

use crate::path::Path;
use crate::syntax::{Comparator, Node, Step, steps};

pub(crate) use evaluate::order;

/// A condition that can be asked of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub(crate) tests: Vec<Test>,
    pub(crate) steps: Arc<[Step]>,
}

/// One test of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) kind: TestKind,
    pub(crate) operands: Vec<Operand>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestKind {
    Compare(Comparator),
    Between,
    In,
    Exists,
    NotExists,
    /// The type of the attribute, by its name on the wire.
    Type(&'static str),
    BeginsWith,
    Contains,
    /// Of the legacy parameters; unlike NOT CONTAINS it does not hold for a missing attribute.
    NotContains,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Path(Path),
    Value(Arc<Value>),
    /// The size of what is at a place.
    SizeOf(Path),
    /// The size of a value of the request, as a number.
    Size(Value),
}

impl Condition {
    pub(crate) fn new(tests: Vec<Test>, nodes: &[Node]) -> Condition {
        let steps = steps(nodes).into();
        Condition { tests, steps }
    }

    /// All paths mentioned, in the order written.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let operands = self.tests.iter().flat_map(|test| &test.operands);
        operands.filter_map(|operand| match operand {
            Operand::Path(path) | Operand::SizeOf(path) => Some(path),
            Operand::Value(_) | Operand::Size(_) => None,
        })
    }

    /// The top-level attributes mentioned, in the order written, perhaps more than once.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        self.paths().map(Path::root)
    }

    /// The paths that lead below a top-level attribute.
    pub fn nested_paths(&self) -> impl Iterator<Item = &Path> {
        self.paths().filter(|path| path.is_nested())
    }
}
