//! Conditions as written: a list of tests, and how they are joined.

use std::sync::Arc;

use super::condition_parser::Parser;
use super::{Comparator, Step, Term, steps};
use crate::{ExpressionError, Fault, Kind};

/// A condition, a filter or a key condition as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionSyntax {
    pub(crate) kind: Kind,
    /// The operands of all tests.
    pub(crate) terms: Vec<Term>,
    pub(crate) tests: Vec<TestSyntax>,
    /// How the tests are joined, in postfix order.
    pub(crate) nodes: Vec<Node>,
    pub(crate) steps: Arc<[Step]>,
}

/// One test: its operands are the terms from `start` up to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TestSyntax {
    pub(crate) kind: TestKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestKind {
    Compare(Comparator),
    Between,
    In,
    /// The last term is the call.
    Call,
}

/// A node of a condition in postfix order: AND and OR join that many nodes before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Test,
    Not,
    And(usize),
    Or(usize),
}

impl ConditionSyntax {
    /// Reads a condition, filter or key condition, as `kind` says.
    pub fn parse(kind: Kind, text: &str) -> Result<ConditionSyntax, ExpressionError> {
        parse(kind, text).map_err(|fault| fault.of(kind))
    }
}

fn parse(kind: Kind, text: &str) -> Result<ConditionSyntax, Fault> {
    let parser = Parser::read(text)?;
    Ok(ConditionSyntax {
        kind,
        terms: parser.terms,
        tests: parser.tests,
        steps: steps(&parser.nodes).into(),
        nodes: parser.nodes,
    })
}
