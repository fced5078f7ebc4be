//! What operands are made of. An operand is a run of terms in postfix order: `size(a)` is `a`, then
//! a call that takes one operand.

use std::sync::Arc;

use crate::{Element, Fault, Path, Placeholders};

/// One step of a path, not resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ElementSyntax {
    Name(Arc<str>),
    Alias(Arc<str>),
    Index(usize),
}

/// A path, not resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathSyntax {
    pub(crate) root: ElementSyntax,
    pub(crate) rest: Vec<ElementSyntax>,
}

impl PathSyntax {
    /// The path with its aliases replaced.
    pub(crate) fn bind(&self, placeholders: &mut Placeholders) -> Result<Path, Fault> {
        let root = match &self.root {
            ElementSyntax::Name(name) => name.clone(),
            ElementSyntax::Alias(alias) => placeholders.name(alias)?,
            // The grammar lets no path begin with an index.
            ElementSyntax::Index(index) => index.to_string().into(),
        };
        let mut rest = Vec::with_capacity(self.rest.len());
        for element in &self.rest {
            rest.push(match element {
                ElementSyntax::Name(name) => Element::Name(name.clone()),
                ElementSyntax::Alias(alias) => Element::Name(placeholders.name(alias)?),
                ElementSyntax::Index(index) => Element::Index(*index),
            });
        }
        Ok(Path::new(root, rest))
    }
}

/// A function of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Contains,
    Size,
    IfNotExists,
    ListAppend,
    /// Only statements have it, as an operator.
    IsNull,
}

impl Function {
    /// The functions that expressions can name.
    const ALL: [Function; 8] = [
        Function::AttributeExists,
        Function::AttributeNotExists,
        Function::AttributeType,
        Function::BeginsWith,
        Function::Contains,
        Function::Size,
        Function::IfNotExists,
        Function::ListAppend,
    ];

    pub(crate) fn named(name: &str) -> Option<Function> {
        Function::ALL.into_iter().find(|known| known.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Function::AttributeExists => "attribute_exists",
            Function::AttributeNotExists => "attribute_not_exists",
            Function::AttributeType => "attribute_type",
            Function::BeginsWith => "begins_with",
            Function::Contains => "contains",
            Function::Size => "size",
            Function::IfNotExists => "if_not_exists",
            Function::ListAppend => "list_append",
            Function::IsNull => "IS NULL",
        }
    }

    pub(crate) fn is_for_updates(self) -> bool {
        matches!(self, Function::IfNotExists | Function::ListAppend)
    }

    /// How many operands the function takes.
    pub(crate) fn arity(self) -> usize {
        match self {
            Function::AttributeExists
            | Function::AttributeNotExists
            | Function::Size
            | Function::IsNull => 1,
            _ => 2,
        }
    }
}

/// A term of an operand; calls, sums and differences take what stands before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    Path(PathSyntax),
    Value(Arc<str>),
    Call { function: Function, operands: usize },
    Plus,
    Minus,
}
