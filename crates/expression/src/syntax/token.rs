//! The lexer. It never fails: what is no token of the language becomes a token that no rule takes.

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparator {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparator {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Comparator::Eq => "=",
            Comparator::Ne => "<>",
            Comparator::Lt => "<",
            Comparator::Le => "<=",
            Comparator::Gt => ">",
            Comparator::Ge => ">=",
        }
    }

    /// The operator that says the same with its operands exchanged.
    pub(crate) fn mirrored(self) -> Comparator {
        match self {
            Comparator::Eq => Comparator::Eq,
            Comparator::Ne => Comparator::Ne,
            Comparator::Lt => Comparator::Gt,
            Comparator::Le => Comparator::Ge,
            Comparator::Gt => Comparator::Lt,
            Comparator::Ge => Comparator::Le,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Identifier,
    Alias,
    Value,
    Index,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Dot,
    Comma,
    Plus,
    Minus,
    Comparator(Comparator),
    And,
    Or,
    Not,
    In,
    Between,
    Set,
    Remove,
    Add,
    Delete,
    Unknown,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The tokens of a text; the last one is always the end.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = match first {
            ' ' | '\t' | '\r' | '\n' => (None, 1),
            _ => {
                let (kind, length) = token(first, rest);
                (Some(kind), length)
            }
        };
        let end = start + length;
        tokens.extend(kind.map(|kind| Token { kind, start, end }));
        start = end;
        rest = text.get(end..).unwrap_or_default();
    }
    tokens.push(Token { kind: TokenKind::End, start, end: start });
    tokens
}

/// The token at the front of a text that begins with `first`, and its bytes.
fn token(first: char, rest: &str) -> (TokenKind, usize) {
    let second = rest.as_bytes().get(1).copied();
    match first {
        'a'..='z' | 'A'..='Z' => {
            let length = run(rest);
            (word(rest.get(..length).unwrap_or_default()), length)
        }
        '#' | ':' => match run(rest.get(1..).unwrap_or_default()) {
            0 => (TokenKind::Unknown, 1),
            length if first == '#' => (TokenKind::Alias, 1 + length),
            length => (TokenKind::Value, 1 + length),
        },
        // An index has no leading zeros: `01` is two tokens.
        '0' => (TokenKind::Index, 1),
        '1'..='9' => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            (TokenKind::Index, digits)
        }
        '(' => (TokenKind::Open, 1),
        ')' => (TokenKind::Close, 1),
        '[' => (TokenKind::OpenBracket, 1),
        ']' => (TokenKind::CloseBracket, 1),
        '.' => (TokenKind::Dot, 1),
        ',' => (TokenKind::Comma, 1),
        '+' => (TokenKind::Plus, 1),
        '-' => (TokenKind::Minus, 1),
        '=' => (TokenKind::Comparator(Comparator::Eq), 1),
        '<' if second == Some(b'>') => (TokenKind::Comparator(Comparator::Ne), 2),
        '<' if second == Some(b'=') => (TokenKind::Comparator(Comparator::Le), 2),
        '<' => (TokenKind::Comparator(Comparator::Lt), 1),
        '>' if second == Some(b'=') => (TokenKind::Comparator(Comparator::Ge), 2),
        '>' => (TokenKind::Comparator(Comparator::Gt), 1),
        other => (TokenKind::Unknown, other.len_utf8()),
    }
}

fn run(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// All keywords are keywords in every kind of expression.
fn word(text: &str) -> TokenKind {
    [
        ("AND", TokenKind::And),
        ("OR", TokenKind::Or),
        ("NOT", TokenKind::Not),
        ("IN", TokenKind::In),
        ("BETWEEN", TokenKind::Between),
        ("SET", TokenKind::Set),
        ("REMOVE", TokenKind::Remove),
        ("ADD", TokenKind::Add),
        ("DELETE", TokenKind::Delete),
    ]
    .into_iter()
    .find(|(keyword, _)| keyword.eq_ignore_ascii_case(text))
    .map_or(TokenKind::Identifier, |(_, kind)| kind)
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
        assert_eq!(tokens.last().unwrap().kind, TokenKind::End);
    }

    #[test]
    fn texts_are_cut_at_the_longest_match() {
        check("", &[]);
        check(" \t\r\n", &[]);
        check("a-b", &["a", "-", "b"]);
        check("a.b[10]", &["a", ".", "b", "[", "10", "]"]);
        check("a[01]", &["a", "[", "0", "1", "]"]);
        check("#a1_:b_2", &["#a1_", ":b_2"]);
        check("# :", &["#", ":"]);
        check(
            "a<>b<=c>=d<e>f=g",
            &["a", "<>", "b", "<=", "c", ">=", "d", "<", "e", ">", "f", "=", "g"],
        );
        check("a= =b", &["a", "=", "=", "b"]);
        check("_a", &["_", "a"]);
        check("1a", &["1", "a"]);
        check("a\u{e9}b", &["a", "\u{e9}", "b"]);
        check("'x'", &["'", "x", "'"]);
    }

    #[test]
    fn keywords_have_any_case() {
        for (text, kind) in [
            ("and", TokenKind::And),
            ("Or", TokenKind::Or),
            ("nOT", TokenKind::Not),
            ("in", TokenKind::In),
            ("BETWEEN", TokenKind::Between),
            ("set", TokenKind::Set),
            ("Remove", TokenKind::Remove),
            ("add", TokenKind::Add),
            ("DELETE", TokenKind::Delete),
            ("ands", TokenKind::Identifier),
            ("size", TokenKind::Identifier),
        ] {
            assert_eq!(tokens(text)[0].kind, kind, "{text}");
        }
    }
}
