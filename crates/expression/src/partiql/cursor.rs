//! The tokens of one statement, read from front to back.

use std::sync::Arc;

use super::error::{StatementError, syntax};
use super::token::{Token, TokenKind, tokens};
use super::value::ValueSyntax;
use crate::Fault;
use crate::syntax::{ElementSyntax, MAX_PATH_DEPTH, PathSyntax};

/// Words that are no names unless they stand in double quotes.
const KEYWORDS: [&str; 35] = [
    "ALL",
    "AND",
    "AS",
    "ASC",
    "BETWEEN",
    "BY",
    "DELETE",
    "DESC",
    "DISTINCT",
    "EXISTS",
    "FALSE",
    "FROM",
    "GROUP",
    "HAVING",
    "IN",
    "INSERT",
    "INTO",
    "IS",
    "JOIN",
    "LIKE",
    "LIMIT",
    "MISSING",
    "NOT",
    "NULL",
    "OR",
    "ORDER",
    "REMOVE",
    "RETURNING",
    "SELECT",
    "SET",
    "TRUE",
    "UPDATE",
    "VALUE",
    "VALUES",
    "WHERE",
];

pub(super) struct Cursor<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    position: usize,
    /// The values of the statement, in the order written.
    pub(super) values: Vec<ValueSyntax>,
    /// How many question marks have been read.
    pub(super) parameters: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Cursor<'t> {
        let tokens = tokens(text);
        Cursor { text, tokens, position: 0, values: Vec::new(), parameters: 0 }
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

    fn text_at(&self, position: usize) -> &'t str {
        let token = self.tokens.get(position);
        token.and_then(|token| self.text.get(token.start..token.end)).unwrap_or_default()
    }

    /// The text of the token at hand, which is then behind the cursor.
    pub(super) fn take(&mut self) -> &'t str {
        let text = self.text_at(self.position);
        self.position += 1;
        text
    }

    /// Takes the token at hand if it is of that kind.
    pub(super) fn takes(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        self.position += usize::from(found);
        found
    }

    pub(super) fn expect(
        &mut self,
        kind: TokenKind,
        what: &str,
    ) -> Result<&'t str, StatementError> {
        if self.peek() == kind { Ok(self.take()) } else { Err(syntax(format!("Expected {what}"))) }
    }

    /// Whether the token at hand is that keyword.
    pub(super) fn at_word(&self, word: &str) -> bool {
        self.is_word(self.position, word)
    }

    fn is_word(&self, position: usize, word: &str) -> bool {
        self.kind_at(position) == TokenKind::Word
            && self.text_at(position).eq_ignore_ascii_case(word)
    }

    /// Takes the token at hand if it is that keyword.
    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        self.position += usize::from(found);
        found
    }

    /// Takes two keywords that stand together.
    pub(super) fn takes_words(&mut self, first: &str, second: &str) -> bool {
        let found = self.at_word(first) && self.is_word(self.position + 1, second);
        self.position += if found { 2 } else { 0 };
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), StatementError> {
        if self.takes_word(word) { Ok(()) } else { Err(syntax(format!("Expected {word}"))) }
    }

    fn at_keyword(&self) -> bool {
        KEYWORDS.iter().any(|keyword| self.at_word(keyword))
    }

    /// Whether a path begins at the cursor.
    pub(super) fn at_path(&self) -> bool {
        match self.peek() {
            TokenKind::Quoted => true,
            TokenKind::Word => !self.at_keyword(),
            _ => false,
        }
    }

    /// A name, which begins at the cursor.
    pub(super) fn name(&mut self) -> Result<Arc<str>, StatementError> {
        match self.peek() {
            TokenKind::Quoted => Ok(unquoted(self.take()).into()),
            TokenKind::Word if self.at_keyword() => Err(syntax("Unexpected keyword")),
            TokenKind::Word => Ok(self.take().into()),
            _ => Err(syntax("Expected identifier for simple path")),
        }
    }

    /// A document path, which begins at the cursor.
    pub(super) fn path(&mut self) -> Result<PathSyntax, StatementError> {
        let root = ElementSyntax::Name(self.attribute_name()?);
        let mut rest = Vec::new();
        loop {
            if self.takes(TokenKind::Dot) {
                rest.push(ElementSyntax::Name(self.attribute_name()?));
            } else if self.takes(TokenKind::OpenBracket) {
                rest.push(match self.peek() {
                    TokenKind::Text => ElementSyntax::Name(unquoted(self.take()).into()),
                    TokenKind::Number => ElementSyntax::Index(index(self.take())?),
                    _ => return Err(syntax("Unexpected path component")),
                });
                self.expect(TokenKind::CloseBracket, "right bracket")?;
            } else {
                break;
            }
        }
        let depth = 1 + rest.len();
        if depth > MAX_PATH_DEPTH {
            return Err(Fault::PathTooDeep(depth).into());
        }
        Ok(PathSyntax { root, rest })
    }

    fn attribute_name(&mut self) -> Result<Arc<str>, StatementError> {
        let name = self.name()?;
        if name.is_empty() { Err(StatementError::EmptyComponent) } else { Ok(name) }
    }

    /// The error for a token that cannot stand where a value or a path may.
    pub(super) fn unexpected(&self) -> StatementError {
        syntax(match self.peek() {
            TokenKind::End => "Expected expression",
            TokenKind::Word => "Unexpected keyword",
            TokenKind::Comparator(_) | TokenKind::Plus | TokenKind::Minus | TokenKind::Star => {
                "Unexpected operator"
            }
            _ => "Unexpected term",
        })
    }

    /// Reads the end of a statement.
    pub(super) fn finish(&mut self) -> Result<(), StatementError> {
        self.takes(TokenKind::Semicolon);
        if self.peek() == TokenKind::End {
            return Ok(());
        }
        let unsupported = ["LIMIT", "GROUP", "HAVING", "JOIN", "AS", "LIKE"];
        Err(match unsupported.into_iter().find(|word| self.at_word(word)) {
            Some(clause) => syntax(format!("Unsupported clause: {clause}")),
            None => syntax("Unexpected token after expression"),
        })
    }
}

/// What stands between the quotes of a token, with doubled quotes made single.
pub(super) fn unquoted(token: &str) -> String {
    let mark = token.get(..1).unwrap_or_default();
    let inner = token.get(1..token.len().saturating_sub(1)).unwrap_or_default();
    inner.replace(&mark.repeat(2), mark)
}

fn index(text: &str) -> Result<usize, StatementError> {
    // A list index is a signed 32-bit integer to DynamoDB.
    match text.parse::<i32>().map(usize::try_from) {
        Ok(Ok(index)) => Ok(index),
        _ => Err(Fault::ListIndex(text.to_owned()).into()),
    }
}
