//! The parser of the SET and REMOVE clauses of UPDATE. It gives the same tree as the parser of
//! update expressions.

use super::cursor::Cursor;
use super::error::{StatementError, syntax};
use super::token::TokenKind;
use super::value::{at_value, value};
use crate::Fault;
use crate::syntax::{
    ActionSyntax, ClauseSyntax, Comparator, Function, PathSyntax, Term, UpdateSyntax,
};

/// The functions of sets: the update expression has actions for them.
pub(super) const SET_ADD: &str = "set_add";
pub(super) const SET_DELETE: &str = "set_delete";

/// Reads the clauses of an update, of which there must be one.
pub(super) fn update(cursor: &mut Cursor<'_>) -> Result<UpdateSyntax, StatementError> {
    let mut update = UpdateSyntax { clauses: Vec::new(), terms: Vec::new() };
    loop {
        let set = cursor.takes_word("SET");
        if !set && !cursor.takes_word("REMOVE") {
            break;
        }
        loop {
            let target = cursor.path()?;
            let action = match set {
                true => right_hand_side(cursor, &target, &mut update.terms)?,
                false => ActionSyntax::Remove,
            };
            update.clauses.push(ClauseSyntax { target, action });
            if !cursor.takes(TokenKind::Comma) {
                break;
            }
        }
    }
    match update.clauses.is_empty() {
        true => Err(syntax("Expected data manipulation")),
        false => Ok(update),
    }
}

fn right_hand_side(
    cursor: &mut Cursor<'_>,
    target: &PathSyntax,
    terms: &mut Vec<Term>,
) -> Result<ActionSyntax, StatementError> {
    cursor.expect(TokenKind::Comparator(Comparator::Eq), "equal sign")?;
    let start = terms.len();
    if let Some(action) = set_function(cursor, target)? {
        return Ok(action);
    }
    operand(cursor, terms)?;
    loop {
        let sign = match cursor.peek() {
            TokenKind::Plus => Term::Plus,
            TokenKind::Minus => Term::Minus,
            _ => break,
        };
        cursor.take();
        operand(cursor, terms)?;
        terms.push(sign);
    }
    Ok(ActionSyntax::Set { start, end: terms.len() })
}

/// `set_add(path, set)` and `set_delete(path, set)`.
fn set_function(
    cursor: &mut Cursor<'_>,
    target: &PathSyntax,
) -> Result<Option<ActionSyntax>, StatementError> {
    if cursor.peek_second() != TokenKind::Open {
        return Ok(None);
    }
    let name = if cursor.takes_word(SET_ADD) {
        SET_ADD
    } else if cursor.takes_word(SET_DELETE) {
        SET_DELETE
    } else {
        return Ok(None);
    };
    cursor.take();
    if !cursor.at_path() {
        return Err(StatementError::SetFunction(name));
    }
    let path = cursor.path()?;
    cursor.expect(TokenKind::Comma, "comma")?;
    if path != *target || !at_value(cursor) {
        return Err(StatementError::SetFunction(name));
    }
    let value = value(cursor)?;
    cursor.expect(TokenKind::Close, "right parenthesis")?;
    Ok(Some(match name {
        SET_ADD => ActionSyntax::Add(value),
        _ => ActionSyntax::Delete(value),
    }))
}

/// An operand of a sum: a value, a path, or `list_append` of two of them.
fn operand(cursor: &mut Cursor<'_>, terms: &mut Vec<Term>) -> Result<(), StatementError> {
    if cursor.peek() != TokenKind::Word || cursor.peek_second() != TokenKind::Open {
        return plain_operand(cursor, terms);
    }
    let name = cursor.take();
    let function = Function::ListAppend;
    if !function.name().eq_ignore_ascii_case(name) {
        return Err(Fault::UnknownFunction(name.to_owned()).into());
    }
    cursor.take();
    let mut operands = 0;
    loop {
        plain_operand(cursor, terms)?;
        operands += 1;
        if !cursor.takes(TokenKind::Comma) {
            break;
        }
    }
    cursor.expect(TokenKind::Close, "right parenthesis")?;
    terms.push(Term::Call { function, operands });
    Ok(())
}

fn plain_operand(cursor: &mut Cursor<'_>, terms: &mut Vec<Term>) -> Result<(), StatementError> {
    if at_value(cursor) {
        let name = value(cursor)?;
        terms.push(Term::Value(name));
    } else if cursor.at_path() {
        let path = cursor.path()?;
        terms.push(Term::Path(path));
    } else {
        return Err(cursor.unexpected());
    }
    Ok(())
}
