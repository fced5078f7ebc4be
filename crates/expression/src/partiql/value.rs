//! Values as statements write them: parameters, and literals that may have parameters inside. A
//! value is a run of parts in postfix order, so that nesting costs no stack.

use std::sync::Arc;

use value::{MAX_DEPTH, Map, Number, Value, ValueError};

use super::cursor::{Cursor, unquoted};
use super::error::{StatementError, syntax};
use super::token::TokenKind;

/// A value, not resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueSyntax {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(Value),
    /// The parameter of that number.
    Parameter(usize),
    /// A list of that many parts before it.
    List(usize),
    /// A set of that many parts before it.
    Set(usize),
    /// A map of the parts before it, by their names.
    Map(Vec<String>),
}

/// A container that is open.
enum Frame {
    List(usize),
    Set(usize),
    Map(Vec<String>),
}

/// Whether a value begins at the cursor.
pub(super) fn at_value(cursor: &Cursor<'_>) -> bool {
    match cursor.peek() {
        TokenKind::Text
        | TokenKind::Number
        | TokenKind::Parameter
        | TokenKind::OpenBracket
        | TokenKind::OpenBrace
        | TokenKind::OpenSet => true,
        TokenKind::Minus | TokenKind::Plus => cursor.peek_second() == TokenKind::Number,
        TokenKind::Word => ["TRUE", "FALSE", "NULL"].iter().any(|word| cursor.at_word(word)),
        _ => false,
    }
}

/// Reads a value and gives the name under which it can be found once it is resolved.
pub(super) fn value(cursor: &mut Cursor<'_>) -> Result<Arc<str>, StatementError> {
    let parts = parts(cursor)?;
    let name = name_of(cursor.values.len());
    cursor.values.push(ValueSyntax { parts });
    Ok(name.into())
}

/// The name of a statement's value by its number.
pub(super) fn name_of(number: usize) -> String {
    format!("?{number}")
}

fn parts(cursor: &mut Cursor<'_>) -> Result<Vec<Part>, StatementError> {
    let mut parts = Vec::new();
    let mut frames: Vec<Frame> = Vec::new();
    loop {
        if let Some(mut frame) = Frame::opened(cursor.peek()) {
            cursor.take();
            let empty = cursor.peek() == frame.end();
            if !empty {
                frame.begin_member(cursor)?;
            }
            frames.push(frame);
            if frames.len() > MAX_DEPTH {
                return Err(StatementError::Nesting(place(&frames)));
            }
            if !empty {
                continue;
            }
        } else {
            parts.push(scalar(cursor)?);
            frames.last_mut().map(Frame::count);
        }
        // A whole value has been read, and containers may end with it.
        loop {
            let Some(frame) = frames.last_mut() else { return Ok(parts) };
            if cursor.takes(TokenKind::Comma) {
                frame.begin_member(cursor)?;
                break;
            }
            let end = frame.end();
            if !cursor.takes(end) {
                return Err(syntax("Expected comma or the end of a literal"));
            }
            parts.extend(frames.pop().map(Frame::part));
            frames.last_mut().map(Frame::count);
        }
    }
}

fn scalar(cursor: &mut Cursor<'_>) -> Result<Part, StatementError> {
    if !at_value(cursor) {
        return Err(cursor.unexpected());
    }
    let negative = match cursor.peek() {
        TokenKind::Minus | TokenKind::Plus => cursor.take() == "-",
        _ => false,
    };
    let literal = match cursor.peek() {
        TokenKind::Parameter => {
            cursor.take();
            cursor.parameters += 1;
            return Ok(Part::Parameter(cursor.parameters - 1));
        }
        TokenKind::Text => Value::S(unquoted(cursor.take())),
        TokenKind::Number => {
            let sign = if negative { "-" } else { "" };
            let number = Number::parse(&format!("{sign}{}", cursor.take()));
            Value::N(number.map_err(ValueError::from)?)
        }
        _ if cursor.takes_word("TRUE") => Value::Bool(true),
        _ if cursor.takes_word("FALSE") => Value::Bool(false),
        _ => {
            cursor.take();
            Value::Null
        }
    };
    Ok(Part::Literal(literal))
}

impl Frame {
    /// The container that a token opens.
    fn opened(token: TokenKind) -> Option<Frame> {
        match token {
            TokenKind::OpenBracket => Some(Frame::List(0)),
            TokenKind::OpenSet => Some(Frame::Set(0)),
            TokenKind::OpenBrace => Some(Frame::Map(Vec::new())),
            _ => None,
        }
    }

    fn end(&self) -> TokenKind {
        match self {
            Frame::List(_) => TokenKind::CloseBracket,
            Frame::Set(_) => TokenKind::CloseSet,
            Frame::Map(_) => TokenKind::CloseBrace,
        }
    }

    /// Reads what stands before a member.
    fn begin_member(&mut self, cursor: &mut Cursor<'_>) -> Result<(), StatementError> {
        if let Frame::Map(names) = self {
            let name = cursor.expect(TokenKind::Text, "string literal as the name of a field")?;
            names.push(unquoted(name));
            cursor.expect(TokenKind::Colon, "colon")?;
        }
        Ok(())
    }

    /// Counts a member that has been read.
    fn count(&mut self) {
        if let Frame::List(members) | Frame::Set(members) = self {
            *members += 1;
        }
    }

    fn part(self) -> Part {
        match self {
            Frame::List(members) => Part::List(members),
            Frame::Set(members) => Part::Set(members),
            Frame::Map(names) => Part::Map(names),
        }
    }
}

/// Where in the whole value the innermost open container stands.
fn place(frames: &[Frame]) -> String {
    let mut place = "root".to_owned();
    for frame in frames.iter().take(frames.len().saturating_sub(1)) {
        match frame {
            Frame::List(members) | Frame::Set(members) => place.push_str(&format!("[{members}]")),
            Frame::Map(names) => {
                place.push('.');
                place.push_str(names.last().map_or("", String::as_str));
            }
        }
    }
    place
}

impl ValueSyntax {
    /// The value with the request's parameters in it.
    pub(super) fn bind(&self, parameters: &[Value]) -> Result<Value, StatementError> {
        let mut stack: Vec<Value> = Vec::new();
        for part in &self.parts {
            let value = match part {
                Part::Literal(value) => value.clone(),
                Part::Parameter(number) => {
                    parameters.get(*number).cloned().ok_or(StatementError::ParameterCount)?
                }
                Part::List(members) => Value::L(members_of(&mut stack, *members)),
                Part::Set(members) => set(members_of(&mut stack, *members))?,
                Part::Map(names) => {
                    let members = members_of(&mut stack, names.len());
                    if names.iter().any(String::is_empty) {
                        return Err(ValueError::EmptyAttributeName.into());
                    }
                    Value::M(names.iter().cloned().zip(members).collect::<Map>())
                }
            };
            stack.push(value);
        }
        stack.pop().ok_or_else(|| syntax("Expected expression"))
    }
}

fn members_of(stack: &mut Vec<Value>, members: usize) -> Vec<Value> {
    stack.split_off(stack.len().saturating_sub(members))
}

fn set(members: Vec<Value>) -> Result<Value, StatementError> {
    let mut strings = Vec::new();
    let mut numbers = Vec::new();
    let mut binaries = Vec::new();
    let count = members.len();
    for member in members {
        match member {
            Value::S(text) => strings.push(text),
            Value::N(number) => numbers.push(number),
            Value::B(bytes) => binaries.push(bytes),
            _ => return Err(StatementError::SetElements),
        }
    }
    if strings.len() == count {
        Ok(Value::string_set(strings)?)
    } else if numbers.len() == count {
        Ok(Value::number_set(numbers)?)
    } else if binaries.len() == count {
        Ok(Value::binary_set(binaries)?)
    } else {
        Err(StatementError::SetElements)
    }
}
