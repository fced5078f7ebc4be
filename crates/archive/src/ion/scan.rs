//! The words of Ion text: symbols, strings, numbers, blobs. It goes over a text byte by byte and
//! never recurses.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use value::Number;

use crate::BadItem;

/// Whether the name can stand without quotes and is nothing but a name.
pub(super) fn is_identifier(name: &str) -> bool {
    let starts = name.bytes().next().is_some_and(|byte| is_identifier_byte(byte, true));
    let keyword = matches!(name, "null" | "true" | "false" | "nan");
    // A dollar and digits are a symbol's number; version markers are none of ours.
    let special = name.strip_prefix('$').is_some_and(|rest| {
        rest.starts_with("ion_") || rest.bytes().all(|byte| byte.is_ascii_digit())
    });
    starts && !keyword && !special && name.bytes().all(|byte| is_identifier_byte(byte, false))
}

fn is_identifier_byte(byte: u8, first: bool) -> bool {
    match byte {
        b'_' | b'$' => true,
        b'0'..=b'9' => !first,
        byte => byte.is_ascii_alphabetic(),
    }
}

pub(super) fn syntax<T>(text: impl Into<String>) -> Result<T, BadItem> {
    Err(BadItem::Syntax(text.into()))
}

/// A place in a text.
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Scan<'a> {
        Scan { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over the token if it comes next.
    pub(super) fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Whether a long string comes next.
    pub(super) fn at_long_quote(&self) -> bool {
        self.rest().starts_with("'''")
    }

    pub(super) fn expect(&mut self, token: &str) -> Result<(), BadItem> {
        if self.take(token) { Ok(()) } else { self.unexpected(token) }
    }

    pub(super) fn unexpected<T>(&self, wanted: &str) -> Result<T, BadItem> {
        match self.rest().chars().next() {
            Some(found) => syntax(format!("expected {wanted}, found {found:?}")),
            None => syntax(format!("expected {wanted}, found the end")),
        }
    }

    /// Steps over white space and comments.
    pub(super) fn skip_blank(&mut self) -> Result<(), BadItem> {
        loop {
            let rest = self.rest();
            let blank = |c: char| c.is_ascii_whitespace() || c == '\u{b}';
            self.at += rest.len() - rest.trim_start_matches(blank).len();
            if self.take("//") {
                self.at += self.rest().find(['\n', '\r']).unwrap_or(self.rest().len());
            } else if self.take("/*") {
                match self.rest().find("*/") {
                    Some(end) => self.at += end + 2,
                    None => return syntax("a comment does not end"),
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Steps over the bytes of one kind.
    fn run(&mut self, kind: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().position(|byte| !kind(byte)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// A bare word: a name, a keyword, or a typed null such as `null.int`.
    pub(super) fn word(&mut self) -> &'a str {
        self.run(|byte| is_identifier_byte(byte, false) || byte == b'.')
    }

    /// A name without quotes; not one that is a number, a keyword or a symbol's number.
    pub(super) fn identifier(&mut self) -> Result<String, BadItem> {
        let name = self.run(|byte| is_identifier_byte(byte, false));
        if is_identifier(name) || name.starts_with("$ion_") {
            return Ok(name.to_owned());
        }
        if name.is_empty() {
            return self.unexpected("a name");
        }
        syntax(format!("{name} is no name; it would have to be in quotes"))
    }

    /// The text up to the closing quotes; the opening ones are behind us.
    pub(super) fn quoted(&mut self, quotes: &str) -> Result<String, BadItem> {
        let long = quotes == "'''";
        let mut text = String::new();
        loop {
            if self.take(quotes) {
                return Ok(text);
            }
            let Some(next) = self.rest().chars().next() else {
                return syntax("a text does not end");
            };
            self.at += next.len_utf8();
            match next {
                '\\' => self.escape(&mut text)?,
                '\n' | '\r' if !long => return syntax("a text does not end on its line"),
                '\r' => {
                    // All line breaks count as the same.
                    self.take("\n");
                    text.push('\n');
                }
                '\t' | '\n' | '\u{b}' | '\u{c}' => text.push(next),
                next if u32::from(next) < 0x20 => {
                    return syntax("a text has a control character that is not escaped");
                }
                next => text.push(next),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Result<(), BadItem> {
        let Some(kind) = self.rest().chars().next() else {
            return syntax("a text does not end");
        };
        self.at += kind.len_utf8();
        let simple = match kind {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            'v' => '\u{b}',
            '"' | '\'' | '?' | '\\' | '/' => kind,
            // A line break behind a backslash is not part of the text.
            '\n' => return Ok(()),
            '\r' => {
                self.take("\n");
                return Ok(());
            }
            'x' => self.code(2)?,
            'u' => self.code(4)?,
            'U' => self.code(8)?,
            other => return syntax(format!("\\{other} is no escape")),
        };
        text.push(simple);
        Ok(())
    }

    /// The character of a code with that many digits. Two codes may be the halves of one.
    fn code(&mut self, digits: usize) -> Result<char, BadItem> {
        let mut code = self.hex(digits)?;
        if digits == 4 && (0xD800..0xDC00).contains(&code) && self.take("\\u") {
            let low = self.hex(4)?;
            if (0xDC00..0xE000).contains(&low) {
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            }
        }
        char::from_u32(code).map_or_else(|| syntax("an escape is no character"), Ok)
    }

    fn hex(&mut self, digits: usize) -> Result<u32, BadItem> {
        let text = self.rest().get(..digits);
        let text = text.filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(code) = text.and_then(|text| u32::from_str_radix(text, 16).ok()) else {
            return syntax("an escape has too few digits");
        };
        self.at += digits;
        Ok(code)
    }

    /// A blob; `{{` is behind us.
    pub(super) fn blob(&mut self) -> Result<Vec<u8>, BadItem> {
        let Some(end) = self.rest().find("}}") else {
            return syntax("a blob does not end");
        };
        let mut text = self.rest().get(..end).unwrap_or_default().to_owned();
        if text.contains(['"', '\'']) {
            return syntax("a clob is no type of a value");
        }
        self.at += end + 2;
        text.retain(|c| !c.is_ascii_whitespace());
        STANDARD.decode(text).or_else(|error| syntax(format!("a blob is no base64: {error}")))
    }

    /// A number: an integer in base 10, 16 or 2, a decimal or a float.
    pub(super) fn number(&mut self) -> Result<Number, BadItem> {
        let word = self.run(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte));
        if word == "-inf" {
            return syntax("an infinite number is no type of a value");
        }
        let bad = || syntax(format!("{word} is no number"));
        if !digits_are_well_placed(word) {
            return bad();
        }
        let plain = word.replace('_', "");
        let (sign, unsigned) = plain.strip_prefix('-').map_or(("", &*plain), |rest| ("-", rest));
        let based = |prefixes: [&str; 2], base| {
            let digits = prefixes.iter().find_map(|prefix| unsigned.strip_prefix(prefix))?;
            // The standard library would take a sign here as well.
            let digits = if digits.starts_with('+') { "" } else { digits };
            Some(u128::from_str_radix(digits, base).map(|magnitude| format!("{sign}{magnitude}")))
        };
        if let Some(integer) = based(["0x", "0X"], 16).or_else(|| based(["0b", "0B"], 2)) {
            return match integer {
                Ok(text) => Ok(Number::parse(&text)?),
                Err(_) => bad(),
            };
        }
        // Ion has no leading zeros, and an exponent with d where it is a decimal's.
        let zeros =
            unsigned.starts_with('0') && unsigned.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if zeros || !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
            return bad();
        }
        let text = plain.replace(['d', 'D'], "e");
        let text = text.strip_suffix('.').map_or(text.clone(), str::to_owned).replace(".e", "e");
        Ok(Number::parse(&text)?)
    }
}

/// Underscores may only stand between two digits.
fn digits_are_well_placed(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_').all(|(at, _)| {
        let neighbour = |at: Option<usize>| at.and_then(|at| bytes.get(at));
        [neighbour(at.checked_sub(1)), neighbour(at.checked_add(1))]
            .iter()
            .all(|byte| byte.is_some_and(u8::is_ascii_hexdigit))
    })
}
