//! How tests are joined at one level of parentheses. Both syntaxes count the same way.

use super::Node;

/// What has been read of a level: negations of the term at hand, terms of the AND at hand, ANDs of
/// the OR.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Level {
    pub(crate) nots: usize,
    ands: usize,
    ors: usize,
}

impl Level {
    /// Whether nothing has been joined or negated yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.nots == 0 && self.ands == 0 && self.ors == 0
    }

    /// The level after an AND, or after an OR, that follows the term just read.
    pub(crate) fn joined(self, or: bool, nodes: &mut Vec<Node>) -> Level {
        let level = self.finish_term(nodes);
        if or { level.finish_and(nodes) } else { level }
    }

    /// Ends the level after the term just read.
    pub(crate) fn finish(self, nodes: &mut Vec<Node>) {
        let level = self.finish_term(nodes).finish_and(nodes);
        if level.ors > 1 {
            nodes.push(Node::Or(level.ors));
        }
    }

    /// Negates the term just read if it is to be. Any chain of negations is one or two of them.
    fn finish_term(self, nodes: &mut Vec<Node>) -> Level {
        let nots = self.nots.min(2 - self.nots % 2);
        nodes.extend(std::iter::repeat_n(Node::Not, nots));
        Level { nots: 0, ands: self.ands + 1, ..self }
    }

    fn finish_and(self, nodes: &mut Vec<Node>) -> Level {
        if self.ands > 1 {
            nodes.push(Node::And(self.ands));
        }
        Level { ands: 0, ors: self.ors + 1, ..self }
    }
}
