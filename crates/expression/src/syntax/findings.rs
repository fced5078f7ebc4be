//! Faults a parser meets while the text is still well formed. Syntax errors come before all of
//! these, so they are kept until the end and then reported by class.

use super::{Function, MAX_IN_OPERANDS, MAX_OPERATORS, MAX_PATH_DEPTH};
use crate::Fault;
use crate::reserved::is_reserved;

/// The first fault of each class.
#[derive(Debug, Default)]
pub(super) struct Findings {
    operators: usize,
    redundant: Option<Fault>,
    function: Option<Fault>,
    misused: Option<Fault>,
    reserved: Option<Fault>,
    index: Option<Fault>,
    section: Option<Fault>,
    depth: Option<Fault>,
    in_operands: Option<Fault>,
}

impl Findings {
    pub(super) fn operator(&mut self) {
        self.operators += 1;
    }

    pub(super) fn redundant_parentheses(&mut self) {
        self.redundant.get_or_insert(Fault::RedundantParentheses);
    }

    /// The function of that name. A name that is none is found as a fault, and the function given
    /// back in its place never leaves the parser.
    pub(super) fn function(&mut self, name: &str, in_update: bool) -> Function {
        self.operator();
        let (function, fault) = match Function::named(name) {
            Some(function) if function.is_for_updates() == in_update => (function, None),
            Some(function) if in_update => (function, Some(Fault::NotInUpdate(function.name()))),
            Some(function) => (function, Some(Fault::NotInCondition(function.name()))),
            None => (Function::Size, Some(Fault::UnknownFunction(name.to_owned()))),
        };
        self.function = self.function.take().or(fault);
        function
    }

    pub(super) fn misused(&mut self, function: Function) {
        self.misused.get_or_insert(Fault::MisusedFunction(function.name()));
    }

    pub(super) fn name(&mut self, name: &str) {
        if self.reserved.is_none() && is_reserved(name) {
            self.reserved = Some(Fault::ReservedWord(name.to_owned()));
        }
    }

    pub(super) fn index(&mut self, text: &str) -> usize {
        // A list index is a signed 32-bit integer to DynamoDB.
        match text.parse::<i32>().map(usize::try_from) {
            Ok(Ok(index)) => index,
            _ => {
                self.index.get_or_insert_with(|| Fault::ListIndex(text.to_owned()));
                0
            }
        }
    }

    pub(super) fn path_depth(&mut self, depth: usize) {
        if depth > MAX_PATH_DEPTH {
            self.depth.get_or_insert(Fault::PathTooDeep(depth));
        }
    }

    pub(super) fn in_operands(&mut self, operands: usize) {
        if operands > MAX_IN_OPERANDS {
            self.in_operands.get_or_insert(Fault::TooManyInOperands(operands));
        }
    }

    pub(super) fn repeated_section(&mut self, section: &'static str) {
        self.section.get_or_insert(Fault::RepeatedSection(section));
    }

    /// The fault DynamoDB reports first in a condition.
    pub(super) fn of_condition(self) -> Result<(), Fault> {
        first([
            too_many(self.operators),
            self.redundant,
            self.function,
            self.misused,
            self.reserved,
            self.index,
            self.depth,
            self.in_operands,
        ])
    }

    /// The fault DynamoDB reports first in an update or a projection.
    pub(super) fn of_update(self) -> Result<(), Fault> {
        first([
            too_many(self.operators),
            self.redundant,
            self.reserved,
            self.index,
            self.function,
            self.section,
            self.depth,
        ])
    }
}

fn too_many(operators: usize) -> Option<Fault> {
    (operators > MAX_OPERATORS).then_some(Fault::TooManyOperators(operators))
}

fn first<const N: usize>(faults: [Option<Fault>; N]) -> Result<(), Fault> {
    faults.into_iter().flatten().next().map_or(Ok(()), Err)
}
