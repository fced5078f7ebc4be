//! The parser of conditions. Its stack is its own: text decides how deep it gets.

use super::cursor::Cursor;
use super::level::Level;
use super::token::TokenKind;
use super::{Comparator, Function, Node, Term, TestKind, TestSyntax};
use crate::Fault;

/// A parser, and once it is done what it has read.
pub(super) struct Parser<'t> {
    cursor: Cursor<'t>,
    pub(super) terms: Vec<Term>,
    pub(super) tests: Vec<TestSyntax>,
    pub(super) nodes: Vec<Node>,
    frames: Vec<Frame>,
}

/// Something begun and not finished. `start` is where its terms begin.
#[derive(Clone, Copy)]
enum Frame {
    /// A place where a condition may stand. In parentheses it may still turn out an operand.
    Level {
        root: bool,
        level: Level,
    },
    /// Parentheses around what must be an operand.
    Group,
    Call {
        function: Function,
        operands: usize,
        start: usize,
    },
    Compare {
        comparator: Comparator,
        start: usize,
    },
    BetweenLower {
        start: usize,
    },
    BetweenUpper {
        start: usize,
    },
    In {
        operands: usize,
        start: usize,
    },
}

/// What has just been read in full. `grouped` says that parentheses are straight around it.
#[derive(Clone, Copy)]
enum Current {
    Operand { start: usize, call: Option<Function>, grouped: bool },
    Condition { grouped: bool },
}

/// What the parser does next.
enum Next {
    ReadOperand,
    Continue(Current),
    Finish,
}

impl<'t> Parser<'t> {
    /// Reads a whole condition.
    pub(super) fn read(text: &'t str) -> Result<Parser<'t>, Fault> {
        let mut parser = Parser {
            cursor: Cursor::new(text)?,
            terms: Vec::new(),
            tests: Vec::new(),
            nodes: Vec::new(),
            frames: Vec::new(),
        };
        parser.condition()?;
        std::mem::take(&mut parser.cursor.findings).of_condition()?;
        Ok(parser)
    }

    fn condition(&mut self) -> Result<(), Fault> {
        self.frames.push(Frame::Level { root: true, level: Level::default() });
        loop {
            let mut current = self.operand()?;
            loop {
                match self.after(current)? {
                    Next::Continue(next) => current = next,
                    Next::ReadOperand => break,
                    Next::Finish => return Ok(()),
                }
            }
        }
    }

    /// Reads up to the end of a path or value, opening what stands before it.
    fn operand(&mut self) -> Result<Current, Fault> {
        loop {
            let start = self.terms.len();
            match (self.cursor.peek(), self.cursor.peek_second()) {
                (TokenKind::Identifier, TokenKind::Open) => {
                    let name = self.cursor.take();
                    self.cursor.take();
                    let function = self.cursor.findings.function(name, false);
                    let operands = 0;
                    self.frames.push(Frame::Call { function, operands, start });
                    continue;
                }
                (TokenKind::Identifier | TokenKind::Alias, _) => {
                    let path = self.cursor.path()?;
                    self.terms.push(Term::Path(path));
                }
                (TokenKind::Value, _) => {
                    let name = self.cursor.take();
                    self.terms.push(Term::Value(name.into()));
                }
                (TokenKind::Open, _) => {
                    self.cursor.take();
                    let frame = match self.frames.last() {
                        Some(Frame::Level { .. }) => {
                            Frame::Level { root: false, level: Level::default() }
                        }
                        _ => Frame::Group,
                    };
                    self.frames.push(frame);
                    continue;
                }
                (TokenKind::Not, _) => match self.frames.last_mut() {
                    Some(Frame::Level { level, .. }) => {
                        level.nots += 1;
                        self.cursor.take();
                        self.cursor.findings.operator();
                        continue;
                    }
                    _ => return Err(self.cursor.error()),
                },
                _ => return Err(self.cursor.error()),
            }
            return Ok(Current::Operand { start, call: None, grouped: false });
        }
    }

    /// What the token at hand makes of what has been read.
    fn after(&mut self, current: Current) -> Result<Next, Fault> {
        let Some(frame) = self.frames.last().copied() else {
            return Err(self.cursor.error());
        };
        match frame {
            Frame::Level { root, level } => return self.in_level(root, level, current),
            Frame::Group => {
                self.cursor.expect(TokenKind::Close)?;
                self.frames.pop();
                return Ok(Next::Continue(self.grouped(current)));
            }
            Frame::Compare { comparator, start } => {
                self.used_as_operand(current);
                self.frames.pop();
                return Ok(self.test(TestKind::Compare(comparator), start));
            }
            Frame::BetweenLower { start } => {
                self.used_as_operand(current);
                self.cursor.expect(TokenKind::And)?;
                self.replace(Frame::BetweenUpper { start });
            }
            Frame::BetweenUpper { start } => {
                self.used_as_operand(current);
                self.frames.pop();
                return Ok(self.test(TestKind::Between, start));
            }
            Frame::In { operands, start } => {
                self.used_as_operand(current);
                let operands = operands + 1;
                if self.closes_list()? {
                    self.cursor.findings.in_operands(1 + operands);
                    self.frames.pop();
                    return Ok(self.test(TestKind::In, start));
                }
                self.replace(Frame::In { operands, start });
            }
            Frame::Call { function, operands, start } => {
                self.used_as_operand(current);
                let operands = operands + 1;
                if self.closes_list()? {
                    self.frames.pop();
                    self.terms.push(Term::Call { function, operands });
                    return Ok(Next::Continue(Current::Operand {
                        start,
                        call: Some(function),
                        grouped: false,
                    }));
                }
                self.replace(Frame::Call { function, operands, start });
            }
        }
        Ok(Next::ReadOperand)
    }

    /// What the token at hand makes of an operand or condition where a condition may stand.
    fn in_level(&mut self, root: bool, level: Level, current: Current) -> Result<Next, Fault> {
        let token = self.cursor.peek();
        let closes = token == TokenKind::Close && !root;
        match current {
            Current::Operand { start, call, .. } => match token {
                TokenKind::Comparator(comparator) => {
                    self.begin_test(current, Frame::Compare { comparator, start });
                    Ok(Next::ReadOperand)
                }
                TokenKind::Between => {
                    self.begin_test(current, Frame::BetweenLower { start });
                    Ok(Next::ReadOperand)
                }
                TokenKind::In => {
                    let operands = 0;
                    self.begin_test(current, Frame::In { operands, start });
                    self.cursor.expect(TokenKind::Open)?;
                    Ok(Next::ReadOperand)
                }
                _ if closes && level.is_fresh() => {
                    self.cursor.take();
                    self.frames.pop();
                    Ok(Next::Continue(self.grouped(current)))
                }
                TokenKind::And | TokenKind::Or | TokenKind::Close | TokenKind::End => {
                    let Some(function) = call else {
                        return Err(self.cursor.error());
                    };
                    if function == Function::Size {
                        self.cursor.findings.misused(function);
                    }
                    Ok(self.test(TestKind::Call, start))
                }
                _ => Err(self.cursor.error()),
            },
            Current::Condition { .. } if closes => {
                self.cursor.take();
                self.frames.pop();
                let direct = level.is_fresh();
                level.finish(&mut self.nodes);
                let inner = Current::Condition { grouped: direct && current.is_grouped() };
                Ok(Next::Continue(self.grouped(inner)))
            }
            Current::Condition { .. } => match token {
                TokenKind::And | TokenKind::Or => {
                    self.cursor.take();
                    self.cursor.findings.operator();
                    let level = level.joined(token == TokenKind::Or, &mut self.nodes);
                    self.replace(Frame::Level { root, level });
                    Ok(Next::ReadOperand)
                }
                TokenKind::End if root => {
                    level.finish(&mut self.nodes);
                    Ok(Next::Finish)
                }
                _ => Err(self.cursor.error()),
            },
        }
    }

    fn replace(&mut self, frame: Frame) {
        self.frames.pop();
        self.frames.push(frame);
    }

    /// Reads the comma or the end of a list of operands; says which it was.
    fn closes_list(&mut self) -> Result<bool, Fault> {
        if self.cursor.peek() == TokenKind::Comma {
            self.cursor.take();
            return Ok(false);
        }
        self.cursor.expect(TokenKind::Close)?;
        Ok(true)
    }

    /// Reads the operator of a test whose left operand is known.
    fn begin_test(&mut self, left: Current, frame: Frame) {
        self.used_as_operand(left);
        self.cursor.take();
        self.cursor.findings.operator();
        self.frames.push(frame);
    }

    fn test(&mut self, kind: TestKind, start: usize) -> Next {
        let end = self.terms.len();
        self.tests.push(TestSyntax { kind, start, end });
        self.nodes.push(Node::Test);
        Next::Continue(Current::Condition { grouped: false })
    }

    fn used_as_operand(&mut self, current: Current) {
        if let Current::Operand { call: Some(function), .. } = current
            && function != Function::Size
        {
            self.cursor.findings.misused(function);
        }
    }

    fn grouped(&mut self, current: Current) -> Current {
        if current.is_grouped() {
            self.cursor.findings.redundant_parentheses();
        }
        match current {
            Current::Operand { start, call, .. } => Current::Operand { start, call, grouped: true },
            Current::Condition { .. } => Current::Condition { grouped: true },
        }
    }
}

impl Current {
    fn is_grouped(&self) -> bool {
        match self {
            Current::Operand { grouped, .. } | Current::Condition { grouped } => *grouped,
        }
    }
}
