//! The parser of whole statements.

use super::condition::condition;
use super::cursor::Cursor;
use super::error::{StatementError, syntax};
use super::token::TokenKind;
use super::update::update;
use super::value::{ValueSyntax, at_value, value};
use super::{Order, Returning, Target};
use crate::syntax::{ConditionSyntax, PathSyntax, UpdateSyntax};
use std::sync::Arc;

/// A statement as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementSyntax {
    pub(super) verb: Verb,
    /// The values that the verb's parts name.
    pub(super) values: Vec<ValueSyntax>,
    /// How many question marks there are.
    pub(super) parameters: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Select(SelectSyntax),
    Exists(SelectSyntax),
    Insert {
        from: Target,
        value: Arc<str>,
    },
    Update {
        from: Target,
        update: UpdateSyntax,
        filter: Option<ConditionSyntax>,
        returning: Option<Returning>,
    },
    Delete {
        from: Target,
        filter: Option<ConditionSyntax>,
        returns_old: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SelectSyntax {
    pub(super) from: Target,
    /// None for everything.
    pub(super) paths: Option<Vec<PathSyntax>>,
    pub(super) filter: Option<ConditionSyntax>,
    pub(super) order: Vec<Order>,
}

impl StatementSyntax {
    /// Reads a statement.
    pub fn parse(text: &str) -> Result<StatementSyntax, StatementError> {
        let mut cursor = Cursor::new(text);
        let verb = verb(&mut cursor)?;
        cursor.finish()?;
        Ok(StatementSyntax { verb, values: cursor.values, parameters: cursor.parameters })
    }
}

fn verb(cursor: &mut Cursor<'_>) -> Result<Verb, StatementError> {
    if cursor.takes_word("SELECT") {
        return Ok(Verb::Select(select(cursor)?));
    }
    if cursor.takes_word("EXISTS") {
        cursor.expect(TokenKind::Open, "left parenthesis")?;
        cursor.expect_word("SELECT")?;
        let select = select(cursor)?;
        cursor.expect(TokenKind::Close, "right parenthesis")?;
        return Ok(Verb::Exists(select));
    }
    if cursor.takes_word("INSERT") {
        cursor.expect_word("INTO")?;
        let from = from(cursor)?;
        cursor.expect_word("VALUE")?;
        if !at_value(cursor) {
            return Err(cursor.unexpected());
        }
        return Ok(Verb::Insert { from, value: value(cursor)? });
    }
    if cursor.takes_word("UPDATE") {
        let from = from(cursor)?;
        let update = update(cursor)?;
        let filter = filter(cursor)?;
        let returning = returning(cursor)?;
        return Ok(Verb::Update { from, update, filter, returning });
    }
    if cursor.takes_word("DELETE") {
        cursor.expect_word("FROM")?;
        let from = from(cursor)?;
        let filter = filter(cursor)?;
        let returning = returning(cursor)?;
        return match returning {
            Some(Returning { modified: false, new: false }) | None => {
                Ok(Verb::Delete { from, filter, returns_old: returning.is_some() })
            }
            Some(other) => Err(StatementError::DeleteReturning(other.to_string())),
        };
    }
    Err(syntax("Expected data manipulation"))
}

fn select(cursor: &mut Cursor<'_>) -> Result<SelectSyntax, StatementError> {
    let paths = if cursor.takes(TokenKind::Star) {
        None
    } else {
        let mut paths = Vec::new();
        loop {
            paths.push(column(cursor)?);
            if !cursor.takes(TokenKind::Comma) {
                break;
            }
        }
        Some(paths)
    };
    cursor.expect_word("FROM")?;
    let from = from(cursor)?;
    let filter = filter(cursor)?;
    let mut order = Vec::new();
    if cursor.takes_words("ORDER", "BY") {
        loop {
            let path = cursor.path()?;
            let descending = cursor.takes_word("DESC");
            if !descending {
                cursor.takes_word("ASC");
            }
            order.push(Order::new(&path, descending));
            if !cursor.takes(TokenKind::Comma) {
                break;
            }
        }
    }
    Ok(SelectSyntax { from, paths, filter, order })
}

/// One entry of what is selected: a path, and nothing that is worked out.
fn column(cursor: &mut Cursor<'_>) -> Result<PathSyntax, StatementError> {
    if cursor.peek() == TokenKind::Word && cursor.peek_second() == TokenKind::Open {
        let name = cursor.take();
        return Err(syntax(format!("Unsupported function in SELECT: {name}")));
    }
    if !cursor.at_path() {
        return Err(cursor.unexpected());
    }
    cursor.path()
}

/// A table, and perhaps an index of it.
fn from(cursor: &mut Cursor<'_>) -> Result<Target, StatementError> {
    let mut names = vec![cursor.name()?];
    while cursor.takes(TokenKind::Dot) {
        names.push(cursor.name()?);
    }
    if names.iter().any(|name| name.is_empty()) {
        return Err(StatementError::EmptyComponent);
    }
    if cursor.peek() == TokenKind::Comma || cursor.at_path() {
        return Err(syntax("Only select from a single table or index is supported"));
    }
    let mut names = names.into_iter();
    match (names.next(), names.next(), names.next()) {
        (Some(table), index, None) => Ok(Target { table, index }),
        _ => Err(StatementError::PathComponents),
    }
}

fn filter(cursor: &mut Cursor<'_>) -> Result<Option<ConditionSyntax>, StatementError> {
    if cursor.takes_word("WHERE") { condition(cursor).map(Some) } else { Ok(None) }
}

/// A RETURNING clause.
fn returning(cursor: &mut Cursor<'_>) -> Result<Option<Returning>, StatementError> {
    if !cursor.takes_word("RETURNING") {
        return Ok(None);
    }
    let modified = cursor.takes_word("MODIFIED");
    if !modified {
        cursor.expect_word("ALL")?;
    }
    let new = cursor.takes_word("NEW");
    if !new {
        cursor.expect_word("OLD")?;
    }
    cursor.expect(TokenKind::Star, "asterisk")?;
    Ok(Some(Returning { modified, new }))
}
