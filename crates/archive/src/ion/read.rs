//! Reads one top-level value of Ion text as an item or a change. Recursion ends at the levels an item
//! may have.

use value::{Item, MAX_DEPTH, Value, ValueError};

use super::scan::{Scan, syntax};
use super::{BINARY_SET, NUMBER_SET, STRING_SET};
use crate::bad::check_name;
use crate::{BadItem, NetChange};

/// The item of a value such as `$ion_1_0 {Item:{...}}`.
pub fn read_item(text: &[u8]) -> Result<Item, BadItem> {
    match read(text, MAX_DEPTH)?.remove("Item") {
        Some(Value::M(item)) => Ok(item),
        _ => syntax("the value has no struct Item"),
    }
}

/// The change of a value such as `$ion_1_0 {Record:{...}}`.
pub fn read_change(text: &[u8]) -> Result<NetChange, BadItem> {
    let Some(Value::M(mut record)) = read(text, MAX_DEPTH + 1)?.remove("Record") else {
        return syntax("the value has no struct Record");
    };
    let mut image = |name: &str| match record.remove(name) {
        Some(Value::M(item)) => Ok(Some(item)),
        None => Ok(None),
        Some(_) => syntax(format!("{name} is no struct")),
    };
    let (keys, new_image, old_image) = (image("Keys")?, image("NewImage")?, image("OldImage")?);
    let time = match image("Metadata")?.and_then(|mut map| map.remove("WriteTimestampMicros")) {
        Some(Value::N(number)) => number.to_i64().and_then(|time| u64::try_from(time).ok()),
        Some(Value::S(text)) => text.parse().ok(),
        _ => None,
    };
    match (time, keys) {
        (Some(written_micros), Some(keys)) => {
            Ok(NetChange { written_micros, keys, new_image, old_image })
        }
        _ => syntax("the record has no time or no keys"),
    }
}

/// Whether the value tells a reader about symbols, and is no data.
pub(crate) fn is_symbol_table(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"$ion_1_0".as_slice()).unwrap_or(text).trim_ascii_start();
    text.starts_with(b"$ion_symbol_table")
}

/// The one struct of a text, with that many levels of containers within.
fn read(text: &[u8], levels: usize) -> Result<Item, BadItem> {
    let Ok(text) = std::str::from_utf8(text) else {
        return syntax("the text is no UTF-8");
    };
    let mut scan = Scan::new(text);
    scan.skip_blank()?;
    while scan.take("$ion_1_0") {
        scan.skip_blank()?;
    }
    let annotated = annotations(&mut scan)?;
    if annotated.word.is_some() || annotated.set.is_some() || !scan.take("{") {
        return syntax("the value is no struct");
    }
    let whole = structure(&mut scan, levels)?;
    scan.skip_blank()?;
    match scan.peek() {
        None => Ok(whole),
        Some(_) => scan.unexpected("the end"),
    }
}

/// The members of a struct that may hold that many levels; its opening brace is behind us.
fn structure(scan: &mut Scan<'_>, levels: usize) -> Result<Item, BadItem> {
    let mut map = Item::new();
    loop {
        scan.skip_blank()?;
        if scan.take("}") {
            return Ok(map);
        }
        let name = field_name(scan)?;
        check_name(&name)?;
        scan.skip_blank()?;
        scan.expect(":")?;
        scan.skip_blank()?;
        map.insert(name, value(scan, levels)?);
        scan.skip_blank()?;
        if !scan.take(",") && scan.peek() != Some(b'}') {
            return scan.unexpected("a comma or the end of the struct");
        }
    }
}

fn field_name(scan: &mut Scan<'_>) -> Result<String, BadItem> {
    if scan.peek() == Some(b'"') || scan.at_long_quote() {
        return strings(scan);
    }
    if scan.take("'") { scan.quoted("'") } else { scan.identifier() }
}

/// A string in any notation: long ones that follow each other are one.
fn strings(scan: &mut Scan<'_>) -> Result<String, BadItem> {
    if scan.take("\"") {
        return scan.quoted("\"");
    }
    let mut text = String::new();
    while scan.take("'''") {
        text.push_str(&scan.quoted("'''")?);
        scan.skip_blank()?;
    }
    Ok(text)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    Strings,
    Numbers,
    Binaries,
}

/// What stands before a value, and the word that turned out to be none of it.
struct Annotated<'a> {
    set: Option<Set>,
    word: Option<Word<'a>>,
}

enum Word<'a> {
    Bare(&'a str),
    Quoted,
}

/// Steps over annotations; only those of sets mean something.
fn annotations<'a>(scan: &mut Scan<'a>) -> Result<Annotated<'a>, BadItem> {
    let mut set = None;
    loop {
        scan.skip_blank()?;
        let quoted;
        let word = match scan.peek() {
            Some(b'\'') if !scan.at_long_quote() => {
                scan.expect("'")?;
                quoted = scan.quoted("'")?;
                Word::Quoted
            }
            Some(b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z') => {
                let bare = scan.word();
                quoted = bare.to_owned();
                Word::Bare(bare)
            }
            _ => return Ok(Annotated { set, word: None }),
        };
        scan.skip_blank()?;
        if !scan.take("::") {
            return Ok(Annotated { set, word: Some(word) });
        }
        match quoted.as_str() {
            STRING_SET => set = Some(Set::Strings),
            NUMBER_SET => set = Some(Set::Numbers),
            BINARY_SET => set = Some(Set::Binaries),
            _ => {}
        }
    }
}

/// A value with at most that many levels of containers.
fn value(scan: &mut Scan<'_>, levels: usize) -> Result<Value, BadItem> {
    let Annotated { set, word } = annotations(scan)?;
    match (word, scan.peek()) {
        (Some(_), _) if set.is_some() => syntax("a set is no list"),
        (Some(Word::Bare("true")), _) => Ok(Value::Bool(true)),
        (Some(Word::Bare("false")), _) => Ok(Value::Bool(false)),
        (Some(Word::Bare(word)), _) if is_null(word) => Ok(Value::Null),
        (Some(_), _) => syntax("a symbol is no type of a value"),
        (None, Some(b'[')) => {
            scan.expect("[")?;
            match set {
                // A set is no level, and holds none.
                Some(kind) => set_of(kind, list(scan, 0)?),
                None => list(scan, below(levels)?).map(Value::L),
            }
        }
        (None, _) if set.is_some() => syntax("a set is no list"),
        (None, Some(b'"' | b'\'')) => strings(scan).map(Value::S),
        (None, Some(b'{')) => {
            if scan.take("{{") {
                return scan.blob().map(Value::B);
            }
            scan.expect("{")?;
            structure(scan, below(levels)?).map(Value::M)
        }
        (None, Some(b'-' | b'0'..=b'9')) => scan.number().map(Value::N),
        (None, _) => scan.unexpected("a value"),
    }
}

fn below(levels: usize) -> Result<usize, ValueError> {
    levels.checked_sub(1).ok_or(ValueError::TooDeep)
}

/// `null`, or with one of Ion's types.
fn is_null(word: &str) -> bool {
    const TYPES: [&str; 13] = [
        "null",
        "bool",
        "int",
        "float",
        "decimal",
        "timestamp",
        "symbol",
        "string",
        "clob",
        "blob",
        "list",
        "sexp",
        "struct",
    ];
    match word.strip_prefix("null") {
        Some("") => true,
        Some(rest) => rest.strip_prefix('.').is_some_and(|name| TYPES.contains(&name)),
        None => false,
    }
}

/// The elements of a list that may hold that many levels; its opening bracket is behind us.
fn list(scan: &mut Scan<'_>, levels: usize) -> Result<Vec<Value>, BadItem> {
    let mut elements = Vec::new();
    loop {
        scan.skip_blank()?;
        if scan.take("]") {
            return Ok(elements);
        }
        elements.push(value(scan, levels)?);
        scan.skip_blank()?;
        if !scan.take(",") && scan.peek() != Some(b']') {
            return scan.unexpected("a comma or the end of the list");
        }
    }
}

fn set_of(kind: Set, elements: Vec<Value>) -> Result<Value, BadItem> {
    let (mut strings, mut numbers, mut binaries) = (Vec::new(), Vec::new(), Vec::new());
    for element in elements {
        match (kind, element) {
            (Set::Strings, Value::S(text)) => strings.push(text),
            (Set::Numbers, Value::N(number)) => numbers.push(number),
            (Set::Binaries, Value::B(bytes)) => binaries.push(bytes),
            _ => return syntax("a set has an element of another type"),
        }
    }
    Ok(match kind {
        Set::Strings => Value::string_set(strings)?,
        Set::Numbers => Value::number_set(numbers)?,
        Set::Binaries => Value::binary_set(binaries)?,
    })
}
