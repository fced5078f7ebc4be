//! The lexer of statements. It never fails: what is no token becomes one that no rule takes.

use crate::syntax::Comparator;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A bare word: a keyword, a function or a name.
    Word,
    /// A name in double quotes.
    Quoted,
    /// A string in single quotes.
    Text,
    Number,
    Parameter,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    OpenSet,
    CloseSet,
    Dot,
    Comma,
    Colon,
    Semicolon,
    Star,
    Plus,
    Minus,
    Comparator(Comparator),
    Unknown,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The tokens of a text; the last one is always the end.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = match blank(rest) {
            0 => {
                let (kind, length) = token(first, rest);
                (Some(kind), length)
            }
            length => (None, length),
        };
        let end = start + length;
        tokens.extend(kind.map(|kind| Token { kind, start, end }));
        start = end;
        rest = text.get(end..).unwrap_or_default();
    }
    tokens.push(Token { kind: TokenKind::End, start, end: start });
    tokens
}

/// The bytes of the blank or comment at the front of a text.
fn blank(rest: &str) -> usize {
    if rest.starts_with("--") {
        return rest.find('\n').map_or(rest.len(), |end| end + 1);
    }
    if let Some(comment) = rest.strip_prefix("/*") {
        return comment.find("*/").map_or(rest.len(), |end| end + 4);
    }
    rest.bytes().take_while(u8::is_ascii_whitespace).count()
}

/// The token at the front of a text that begins with `first`, and its bytes.
fn token(first: char, rest: &str) -> (TokenKind, usize) {
    let second = rest.as_bytes().get(1).copied();
    match first {
        'a'..='z' | 'A'..='Z' | '_' | '$' => {
            let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
            (TokenKind::Word, rest.bytes().take_while(in_word).count())
        }
        '0'..='9' => (TokenKind::Number, number(rest)),
        '\'' => quoted(TokenKind::Text, '\'', rest),
        '"' => quoted(TokenKind::Quoted, '"', rest),
        '?' => (TokenKind::Parameter, 1),
        '(' => (TokenKind::Open, 1),
        ')' => (TokenKind::Close, 1),
        '[' => (TokenKind::OpenBracket, 1),
        ']' => (TokenKind::CloseBracket, 1),
        '{' => (TokenKind::OpenBrace, 1),
        '}' => (TokenKind::CloseBrace, 1),
        '.' => (TokenKind::Dot, 1),
        ',' => (TokenKind::Comma, 1),
        ':' => (TokenKind::Colon, 1),
        ';' => (TokenKind::Semicolon, 1),
        '*' => (TokenKind::Star, 1),
        '+' => (TokenKind::Plus, 1),
        '-' => (TokenKind::Minus, 1),
        '=' => (TokenKind::Comparator(Comparator::Eq), 1),
        '!' if second == Some(b'=') => (TokenKind::Comparator(Comparator::Ne), 2),
        '<' if second == Some(b'<') => (TokenKind::OpenSet, 2),
        '<' if second == Some(b'>') => (TokenKind::Comparator(Comparator::Ne), 2),
        '<' if second == Some(b'=') => (TokenKind::Comparator(Comparator::Le), 2),
        '<' => (TokenKind::Comparator(Comparator::Lt), 1),
        '>' if second == Some(b'>') => (TokenKind::CloseSet, 2),
        '>' if second == Some(b'=') => (TokenKind::Comparator(Comparator::Ge), 2),
        '>' => (TokenKind::Comparator(Comparator::Gt), 1),
        other => (TokenKind::Unknown, other.len_utf8()),
    }
}

/// The bytes of a number: digits, perhaps a fraction, perhaps an exponent.
fn number(rest: &str) -> usize {
    let digits = |from: usize| {
        let rest = rest.as_bytes().get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let at = |position: usize| rest.as_bytes().get(position).copied();
    let mut length = digits(0);
    if at(length) == Some(b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if matches!(at(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(at(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

/// A token that ends with its mark; a doubled mark stands for itself.
fn quoted(kind: TokenKind, mark: char, rest: &str) -> (TokenKind, usize) {
    let mut length = 1;
    while let Some(end) = rest.get(length..).and_then(|rest| rest.find(mark)) {
        length += end + 1;
        if !rest.get(length..).unwrap_or_default().starts_with(mark) {
            return (kind, length);
        }
        length += 1;
    }
    (TokenKind::Unknown, rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let tokens = tokens(text);
        let texts: Vec<&str> = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::End)
            .map(|token| &text[token.start..token.end])
            .collect();
        assert_eq!(texts, expect, "{text}");
    }

    #[test]
    fn texts_are_cut_at_the_longest_match() {
        check("", &[]);
        check(" \t\r\n-- all of it", &[]);
        check("a/* b */c -- d\ne", &["a", "c", "e"]);
        check("/* open", &[]);
        check("SELECT*FROM\"a\"\"b\".c", &["SELECT", "*", "FROM", "\"a\"\"b\"", ".", "c"]);
        check("'it''s' 'open", &["'it''s'", "'open"]);
        check("a.b[10]", &["a", ".", "b", "[", "10", "]"]);
        check(
            "<<1,2.50,1e3,1E-2,7.x>>",
            &["<<", "1", ",", "2.50", ",", "1e3", ",", "1E-2", ",", "7", ".", "x", ">>"],
        );
        check(
            "a<>b!=c<=d>=e<f>g=h",
            &["a", "<>", "b", "!=", "c", "<=", "d", ">=", "e", "<", "f", ">", "g", "=", "h"],
        );
        check("n+1-?", &["n", "+", "1", "-", "?"]);
        check("\u{e9}!", &["\u{e9}", "!"]);
    }
}
