//! The parser of updates. The right-hand sides of SET are read with a stack of its own.

use std::sync::Arc;

use super::cursor::Cursor;
use super::token::{Comparator, TokenKind};
use super::{Function, PathSyntax, Term};
use crate::{ExpressionError, Fault, Kind};

/// An update as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateSyntax {
    pub(crate) clauses: Vec<ClauseSyntax>,
    /// The right-hand sides of all SET clauses.
    pub(crate) terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClauseSyntax {
    pub(crate) target: PathSyntax,
    pub(crate) action: ActionSyntax,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ActionSyntax {
    /// The right-hand side is the terms from `start` up to `end`.
    Set {
        start: usize,
        end: usize,
    },
    Remove,
    Add(Arc<str>),
    Delete(Arc<str>),
}

impl UpdateSyntax {
    /// Reads an update.
    pub fn parse(text: &str) -> Result<UpdateSyntax, ExpressionError> {
        parse(text).map_err(|fault| fault.of(Kind::Update))
    }
}

fn parse(text: &str) -> Result<UpdateSyntax, Fault> {
    let mut parser = Parser { cursor: Cursor::new(text)?, clauses: Vec::new(), terms: Vec::new() };
    let mut seen = Vec::new();
    loop {
        let section = parser.cursor.peek();
        let Some(name) = section_name(section) else {
            return Err(parser.cursor.error());
        };
        parser.cursor.take();
        if seen.contains(&name) {
            parser.cursor.findings.repeated_section(name);
        }
        seen.push(name);
        parser.section(section)?;
        if parser.cursor.peek() == TokenKind::End {
            break;
        }
    }
    parser.cursor.findings.of_update()?;
    Ok(UpdateSyntax { clauses: parser.clauses, terms: parser.terms })
}

fn section_name(token: TokenKind) -> Option<&'static str> {
    match token {
        TokenKind::Set => Some("SET"),
        TokenKind::Remove => Some("REMOVE"),
        TokenKind::Add => Some("ADD"),
        TokenKind::Delete => Some("DELETE"),
        _ => None,
    }
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    clauses: Vec<ClauseSyntax>,
    terms: Vec<Term>,
}

/// Something begun and not finished on a right-hand side.
#[derive(Clone, Copy)]
enum Frame {
    /// A place where a sum may stand: the whole right-hand side, or parentheses in it.
    Level {
        root: bool,
    },
    /// Parentheses around what must be an operand.
    Group,
    Call {
        function: Function,
        operands: usize,
    },
    /// A sum or difference whose right operand is being read.
    Arithmetic {
        plus: bool,
    },
}

/// What has just been read in full. `grouped` says that parentheses are straight around it.
#[derive(Clone, Copy)]
struct Current {
    is_operand: bool,
    grouped: bool,
}

enum Next {
    ReadOperand,
    Continue(Current),
    Finish,
}

const OPERAND: Current = Current { is_operand: true, grouped: false };

impl Parser<'_> {
    fn section(&mut self, section: TokenKind) -> Result<(), Fault> {
        loop {
            let target = self.cursor.path()?;
            let action = match section {
                TokenKind::Set => self.set()?,
                TokenKind::Add => ActionSyntax::Add(self.value()?),
                TokenKind::Delete => ActionSyntax::Delete(self.value()?),
                _ => ActionSyntax::Remove,
            };
            self.clauses.push(ClauseSyntax { target, action });
            let next = self.cursor.peek();
            if next == TokenKind::Comma {
                self.cursor.take();
            } else if next == TokenKind::End || section_name(next).is_some() {
                return Ok(());
            } else {
                return Err(self.cursor.error());
            }
        }
    }

    fn value(&mut self) -> Result<Arc<str>, Fault> {
        Ok(self.cursor.expect(TokenKind::Value)?.into())
    }

    fn set(&mut self) -> Result<ActionSyntax, Fault> {
        self.cursor.expect(TokenKind::Comparator(Comparator::Eq))?;
        let start = self.terms.len();
        let mut frames = vec![Frame::Level { root: true }];
        loop {
            self.operand(&mut frames)?;
            let mut current = OPERAND;
            loop {
                match self.after(&mut frames, current)? {
                    Next::Continue(next) => current = next,
                    Next::ReadOperand => break,
                    Next::Finish => {
                        let end = self.terms.len();
                        return Ok(ActionSyntax::Set { start, end });
                    }
                }
            }
        }
    }

    /// Reads up to the end of a path or value, opening what stands before it.
    fn operand(&mut self, frames: &mut Vec<Frame>) -> Result<(), Fault> {
        loop {
            match (self.cursor.peek(), self.cursor.peek_second()) {
                (TokenKind::Identifier, TokenKind::Open) => {
                    let name = self.cursor.take();
                    self.cursor.take();
                    let function = self.cursor.findings.function(name, true);
                    let operands = 0;
                    frames.push(Frame::Call { function, operands });
                }
                (TokenKind::Identifier | TokenKind::Alias, _) => {
                    let path = self.cursor.path()?;
                    self.terms.push(Term::Path(path));
                    return Ok(());
                }
                (TokenKind::Value, _) => {
                    let name = self.cursor.take();
                    self.terms.push(Term::Value(name.into()));
                    return Ok(());
                }
                (TokenKind::Open, _) => {
                    self.cursor.take();
                    frames.push(match frames.last() {
                        Some(Frame::Level { .. }) => Frame::Level { root: false },
                        _ => Frame::Group,
                    });
                }
                _ => return Err(self.cursor.error()),
            }
        }
    }

    /// What the token at hand makes of what has been read.
    fn after(&mut self, frames: &mut Vec<Frame>, current: Current) -> Result<Next, Fault> {
        let token = self.cursor.peek();
        match frames.pop() {
            Some(Frame::Level { root }) => {
                if current.is_operand && matches!(token, TokenKind::Plus | TokenKind::Minus) {
                    self.cursor.take();
                    self.cursor.findings.operator();
                    let plus = token == TokenKind::Plus;
                    frames.extend([Frame::Level { root }, Frame::Arithmetic { plus }]);
                    Ok(Next::ReadOperand)
                } else if root {
                    Ok(Next::Finish)
                } else {
                    self.close(current)
                }
            }
            Some(Frame::Group) => self.close(current),
            Some(Frame::Arithmetic { plus }) => {
                self.terms.push(if plus { Term::Plus } else { Term::Minus });
                Ok(Next::Continue(Current { is_operand: false, grouped: false }))
            }
            Some(Frame::Call { function, operands }) => {
                let operands = operands + 1;
                if token == TokenKind::Comma {
                    self.cursor.take();
                    frames.push(Frame::Call { function, operands });
                    return Ok(Next::ReadOperand);
                }
                self.cursor.expect(TokenKind::Close)?;
                self.terms.push(Term::Call { function, operands });
                Ok(Next::Continue(OPERAND))
            }
            None => Err(self.cursor.error()),
        }
    }

    fn close(&mut self, current: Current) -> Result<Next, Fault> {
        self.cursor.expect(TokenKind::Close)?;
        if current.grouped {
            self.cursor.findings.redundant_parentheses();
        }
        Ok(Next::Continue(Current { grouped: true, ..current }))
    }
}
