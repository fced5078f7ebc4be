//! The parser of WHERE. It gives the same tree as the parser of condition expressions; parentheses
//! are kept on a stack of its own.

use super::cursor::Cursor;
use super::error::{StatementError, syntax};
use super::token::TokenKind;
use super::value::{at_value, value};
use crate::syntax::{
    ConditionSyntax, Function, Level, MAX_IN_OPERANDS, Node, Term, TestKind, TestSyntax, steps,
};
use crate::{Fault, Kind};

/// Reads a condition.
pub(super) fn condition(cursor: &mut Cursor<'_>) -> Result<ConditionSyntax, StatementError> {
    let mut parser = Parser { cursor, terms: Vec::new(), tests: Vec::new(), nodes: Vec::new() };
    parser.read()?;
    Ok(ConditionSyntax {
        kind: Kind::Condition,
        terms: parser.terms,
        tests: parser.tests,
        steps: steps(&parser.nodes).into(),
        nodes: parser.nodes,
    })
}

struct Parser<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    terms: Vec<Term>,
    tests: Vec<TestSyntax>,
    nodes: Vec<Node>,
}

/// The functions of conditions that give a truth value.
const TRUTHS: [Function; 3] = [Function::AttributeType, Function::BeginsWith, Function::Contains];

impl Parser<'_, '_> {
    fn read(&mut self) -> Result<(), StatementError> {
        let mut outer: Vec<Level> = Vec::new();
        let mut level = Level::default();
        loop {
            loop {
                if self.cursor.takes_word("NOT") {
                    level.nots += 1;
                } else if self.cursor.takes(TokenKind::Open) {
                    outer.push(level);
                    level = Level::default();
                } else {
                    break;
                }
            }
            self.test()?;
            loop {
                if self.cursor.takes_word("AND") {
                    level = level.joined(false, &mut self.nodes);
                    break;
                } else if self.cursor.takes_word("OR") {
                    level = level.joined(true, &mut self.nodes);
                    break;
                }
                level.finish(&mut self.nodes);
                let Some(around) = outer.pop() else { return Ok(()) };
                self.cursor.expect(TokenKind::Close, "right parenthesis")?;
                level = around;
            }
        }
    }

    /// One test, from its first operand to its last.
    fn test(&mut self) -> Result<(), StatementError> {
        let start = self.terms.len();
        let call = self.operand()?;
        let mut negated = false;
        let kind = match self.cursor.peek() {
            _ if call.is_some_and(|function| TRUTHS.contains(&function)) => TestKind::Call,
            TokenKind::Comparator(comparator) => {
                self.cursor.take();
                self.plain_operand()?;
                TestKind::Compare(comparator)
            }
            TokenKind::Word => {
                if self.cursor.takes_word("IS") {
                    negated = self.cursor.takes_word("NOT");
                    self.is()?;
                    TestKind::Call
                } else {
                    negated = self.cursor.takes_word("NOT");
                    if negated && self.cursor.at_word("MISSING") {
                        self.is()?;
                        TestKind::Call
                    } else {
                        self.range()?
                    }
                }
            }
            _ => return Err(self.cursor.unexpected()),
        };
        let end = self.terms.len();
        self.tests.push(TestSyntax { kind, start, end });
        self.nodes.push(Node::Test);
        if negated {
            self.nodes.push(Node::Not);
        }
        Ok(())
    }

    /// The rest of `IS NULL` and `IS MISSING`.
    fn is(&mut self) -> Result<(), StatementError> {
        if self.cursor.takes_word("MISSING") {
            self.terms.push(Term::Call { function: Function::AttributeNotExists, operands: 1 });
        } else if self.cursor.takes_word("NULL") {
            self.terms.push(Term::Call { function: Function::IsNull, operands: 1 });
        } else {
            return Err(self.cursor.unexpected());
        }
        Ok(())
    }

    /// The rest of BETWEEN and IN.
    fn range(&mut self) -> Result<TestKind, StatementError> {
        if self.cursor.takes_word("BETWEEN") {
            self.plain_operand()?;
            self.cursor.expect_word("AND")?;
            self.plain_operand()?;
            return Ok(TestKind::Between);
        }
        if !self.cursor.takes_word("IN") {
            return Err(match self.cursor.at_word("LIKE") {
                true => syntax("Unsupported operator: LIKE"),
                false => self.cursor.unexpected(),
            });
        }
        let end = match self.cursor.peek() {
            TokenKind::Open => TokenKind::Close,
            TokenKind::OpenBracket => TokenKind::CloseBracket,
            _ => return Err(self.cursor.unexpected()),
        };
        self.cursor.take();
        let mut operands = 0;
        loop {
            self.plain_operand()?;
            operands += 1;
            if !self.cursor.takes(TokenKind::Comma) {
                break;
            }
        }
        self.cursor.expect(end, "the end of the list of IN")?;
        if operands > MAX_IN_OPERANDS {
            return Err(Fault::TooManyInOperands(operands).into());
        }
        Ok(TestKind::In)
    }

    /// An operand that is no truth value.
    fn plain_operand(&mut self) -> Result<(), StatementError> {
        match self.operand()? {
            Some(function) if TRUTHS.contains(&function) => {
                Err(Fault::MisusedFunction(function.name()).into())
            }
            _ => Ok(()),
        }
    }

    /// A path, a value or a call; gives the function that is called.
    fn operand(&mut self) -> Result<Option<Function>, StatementError> {
        if at_value(self.cursor) {
            let name = value(self.cursor)?;
            self.terms.push(Term::Value(name));
            return Ok(None);
        }
        if self.cursor.peek() == TokenKind::Word && self.cursor.peek_second() == TokenKind::Open {
            return self.call().map(Some);
        }
        if !self.cursor.at_path() {
            return Err(self.cursor.unexpected());
        }
        let path = self.cursor.path()?;
        self.terms.push(Term::Path(path));
        Ok(None)
    }

    fn call(&mut self) -> Result<Function, StatementError> {
        let name = self.cursor.take();
        let known = [&TRUTHS[..], &[Function::Size]].concat();
        let function = known.into_iter().find(|known| known.name().eq_ignore_ascii_case(name));
        let Some(function) = function else {
            return Err(Fault::UnknownFunction(name.to_owned()).into());
        };
        self.cursor.take();
        let mut operands = 0;
        loop {
            // Calls do not stand in calls.
            if at_value(self.cursor) {
                let name = value(self.cursor)?;
                self.terms.push(Term::Value(name));
            } else if self.cursor.at_path() {
                let path = self.cursor.path()?;
                self.terms.push(Term::Path(path));
            } else {
                return Err(self.cursor.unexpected());
            }
            operands += 1;
            if !self.cursor.takes(TokenKind::Comma) {
                break;
            }
        }
        self.cursor.expect(TokenKind::Close, "right parenthesis")?;
        self.terms.push(Term::Call { function, operands });
        Ok(function)
    }
}
