//! The parser of projections.

use super::PathSyntax;
use super::cursor::Cursor;
use super::token::TokenKind;
use crate::{ExpressionError, Fault, Kind};

/// A projection as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectionSyntax {
    pub(crate) paths: Vec<PathSyntax>,
}

impl ProjectionSyntax {
    /// Reads a projection.
    pub fn parse(text: &str) -> Result<ProjectionSyntax, ExpressionError> {
        parse(text).map_err(|fault| fault.of(Kind::Projection))
    }
}

fn parse(text: &str) -> Result<ProjectionSyntax, Fault> {
    let mut cursor = Cursor::new(text)?;
    let mut paths = vec![cursor.path()?];
    while cursor.peek() == TokenKind::Comma {
        cursor.take();
        paths.push(cursor.path()?);
    }
    cursor.expect(TokenKind::End)?;
    cursor.findings.of_update()?;
    Ok(ProjectionSyntax { paths })
}
