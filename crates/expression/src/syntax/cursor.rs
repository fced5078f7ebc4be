//! The tokens of one text, read from front to back by all parsers.

use super::findings::Findings;
use super::token::{Token, TokenKind, tokens};
use super::{ElementSyntax, MAX_EXPRESSION_SIZE, PathSyntax};
use crate::Fault;

pub(super) struct Cursor<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    position: usize,
    pub(super) findings: Findings,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Result<Cursor<'t>, Fault> {
        if text.is_empty() {
            return Err(Fault::Empty);
        }
        if text.len() > MAX_EXPRESSION_SIZE {
            return Err(Fault::TooLong(text.len()));
        }
        Ok(Cursor { text, tokens: tokens(text), position: 0, findings: Findings::default() })
    }

    pub(super) fn peek(&self) -> TokenKind {
        self.kind_at(self.position)
    }

    pub(super) fn peek_second(&self) -> TokenKind {
        self.kind_at(self.position + 1)
    }

    fn kind_at(&self, position: usize) -> TokenKind {
        self.tokens.get(position).map_or(TokenKind::End, |token| token.kind)
    }

    /// The text of the token at hand, which is then behind the cursor.
    pub(super) fn take(&mut self) -> &'t str {
        let text = self.token_text(self.position);
        self.position += 1;
        text
    }

    pub(super) fn expect(&mut self, kind: TokenKind) -> Result<&'t str, Fault> {
        if self.peek() == kind { Ok(self.take()) } else { Err(self.error()) }
    }

    /// A path, which begins at the cursor.
    pub(super) fn path(&mut self) -> Result<PathSyntax, Fault> {
        let root = self.name()?;
        let mut rest = Vec::new();
        loop {
            match self.peek() {
                TokenKind::Dot => {
                    self.take();
                    rest.push(self.name()?);
                }
                TokenKind::OpenBracket => {
                    self.take();
                    let index = self.expect(TokenKind::Index)?;
                    rest.push(ElementSyntax::Index(self.findings.index(index)));
                    self.expect(TokenKind::CloseBracket)?;
                }
                _ => break,
            }
        }
        self.findings.path_depth(1 + rest.len());
        Ok(PathSyntax { root, rest })
    }

    fn name(&mut self) -> Result<ElementSyntax, Fault> {
        match self.peek() {
            TokenKind::Identifier => {
                let name = self.take();
                self.findings.name(name);
                Ok(ElementSyntax::Name(name.into()))
            }
            TokenKind::Alias => Ok(ElementSyntax::Alias(self.take().into())),
            _ => Err(self.error()),
        }
    }

    /// The error for the token at hand.
    pub(super) fn error(&self) -> Fault {
        let before = self.position.checked_sub(1);
        if self.peek() == TokenKind::End {
            let near = before.map_or("", |before| self.token_text(before));
            return Fault::Syntax { token: "<EOF>".to_owned(), near: near.to_owned() };
        }
        let start = self.bounds(before.unwrap_or(self.position)).0;
        let after = match self.peek_second() {
            TokenKind::End => self.position,
            _ => self.position + 1,
        };
        let end = self.bounds(after).1;
        Fault::Syntax {
            token: self.token_text(self.position).to_owned(),
            near: self.text.get(start..end).unwrap_or_default().to_owned(),
        }
    }

    fn token_text(&self, position: usize) -> &'t str {
        let (start, end) = self.bounds(position);
        self.text.get(start..end).unwrap_or_default()
    }

    fn bounds(&self, position: usize) -> (usize, usize) {
        self.tokens.get(position).map_or((0, 0), |token| (token.start, token.end))
    }
}
