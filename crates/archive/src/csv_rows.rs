//! Reads rows of comma-separated values as items. Columns of keys have the types of the keys; all
//! others are strings, and an empty one is no attribute.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use csv::{ByteRecord, Reader, ReaderBuilder};
use value::{Item, KeyType, Number, Value};

use crate::BadItem;
use crate::bad::check_name;

/// What stands between two columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delimiter(u8);

impl Delimiter {
    /// The comma.
    pub const COMMA: Delimiter = Delimiter(b',');

    /// One of the characters that may be one: `,` `;` `:` `|`, tab and space.
    pub fn new(text: &str) -> Option<Delimiter> {
        match text.as_bytes() {
            [byte @ (b',' | b';' | b':' | b'|' | b'\t' | b' ')] => Some(Delimiter(*byte)),
            _ => None,
        }
    }
}

/// How rows are read.
#[derive(Clone, Debug)]
pub struct CsvOptions {
    /// What stands between two columns.
    pub delimiter: Delimiter,
    /// The names of the columns; if absent they are in the first row.
    pub header: Option<Vec<String>>,
    /// The types of the attributes that are keys of the table or of an index.
    pub key_types: BTreeMap<String, KeyType>,
}

/// A row that is an item or not.
pub(crate) struct Row {
    /// The line it starts in, from one.
    pub(crate) line: u64,
    pub(crate) item: Result<Item, BadItem>,
}

/// The rows of a text.
pub(crate) struct Rows<'a, R> {
    key_types: &'a BTreeMap<String, KeyType>,
    header: Option<Vec<String>>,
    reader: Reader<Allowance<R>>,
    max_bytes: usize,
    ended: bool,
}

impl<'a, R: Read> Rows<'a, R> {
    /// Rows of a text; one that is longer than the limit ends it.
    pub(crate) fn new(options: &'a CsvOptions, max_bytes: usize, from: R) -> Rows<'a, R> {
        let reader = ReaderBuilder::new()
            .delimiter(options.delimiter.0)
            .has_headers(false)
            .flexible(true)
            .from_reader(Allowance { from, left: max_bytes, start: 0, piece: Vec::new() });
        let header = options.header.clone();
        Rows { key_types: &options.key_types, header, reader, max_bytes, ended: false }
    }

    /// The next row; none at the end. An error is one of reading, not of the row.
    pub(crate) fn next(&mut self) -> io::Result<Option<Row>> {
        loop {
            if self.ended {
                return Ok(None);
            }
            // An open quote would take in the rest of the file.
            self.reader.get_mut().left = self.max_bytes;
            let mut record = ByteRecord::new();
            let line = self.reader.position().line();
            match self.reader.read_byte_record(&mut record) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) => {
                    self.ended = true;
                    let error = match error.into_kind() {
                        csv::ErrorKind::Io(error) => error,
                        other => io::Error::other(format!("{other:?}")),
                    };
                    if error.kind() != io::ErrorKind::FileTooLarge {
                        return Err(error);
                    }
                    let text = "the row is too long; a quote may be open".to_owned();
                    return Ok(Some(Row { line, item: Err(BadItem::Syntax(text)) }));
                }
            }
            let line = self.line_of(&record);
            if let Some(header) = &self.header {
                let item = item(header, self.key_types, &record);
                return Ok(Some(Row { line, item }));
            }
            match header(&record) {
                Ok(names) => self.header = Some(names),
                Err(error) => {
                    // Without names no row means anything.
                    self.ended = true;
                    return Ok(Some(Row { line, item: Err(error) }));
                }
            }
        }
    }
}

impl<R: Read> Rows<'_, R> {
    /// The line a record that was just read starts in. The reader's own count is that of the
    /// record before it, which is another if a line is blank or ends in two bytes.
    fn line_of(&self, record: &ByteRecord) -> u64 {
        let end = self.reader.position();
        let within = record.as_slice().iter().filter(|byte| **byte == b'\n').count() as u64;
        let ended = end.byte().checked_sub(1).and_then(|at| self.reader.get_ref().byte_at(at));
        end.line().saturating_sub(within + u64::from(ended == Some(b'\n')))
    }
}

fn text(field: &[u8]) -> Result<&str, BadItem> {
    std::str::from_utf8(field).map_err(|_| BadItem::Syntax("a column is no UTF-8".to_owned()))
}

fn header(record: &ByteRecord) -> Result<Vec<String>, BadItem> {
    let mut names = Vec::new();
    for field in record {
        let name = text(field)?;
        check_name(name)?;
        names.push(name.to_owned());
    }
    let distinct: BTreeSet<&String> = names.iter().collect();
    if distinct.len() < names.len() {
        return Err(BadItem::Syntax("two columns have the same name".to_owned()));
    }
    Ok(names)
}

fn item(
    header: &[String],
    key_types: &BTreeMap<String, KeyType>,
    record: &ByteRecord,
) -> Result<Item, BadItem> {
    let mut item = Item::new();
    for (position, field) in record.iter().enumerate() {
        if field.is_empty() {
            continue;
        }
        let Some(name) = header.get(position) else {
            return Err(BadItem::Syntax("the row has more columns than the header".to_owned()));
        };
        let field = text(field)?;
        let value = match key_types.get(name) {
            Some(KeyType::N) => Value::N(Number::parse(field)?),
            Some(KeyType::B) => Value::B(STANDARD.decode(field).map_err(|error| {
                BadItem::Syntax(format!("the key {name} is no base64: {error}"))
            })?),
            Some(KeyType::S) | None => Value::S(field.to_owned()),
        };
        item.insert(name.clone(), value);
    }
    Ok(item)
}

/// A reader that gives so many bytes and no more, until it is given more.
struct Allowance<R> {
    from: R,
    left: usize,
    /// The last piece that was read, and where it is in the text.
    start: u64,
    piece: Vec<u8>,
}

impl<R> Allowance<R> {
    /// A byte of the last piece.
    fn byte_at(&self, at: u64) -> Option<u8> {
        let within = usize::try_from(at.checked_sub(self.start)?).ok()?;
        self.piece.get(within).copied()
    }
}

impl<R: Read> Read for Allowance<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !into.is_empty() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let length = into.len().min(self.left);
        let count = self.from.read(into.get_mut(..length).unwrap_or_default())?;
        self.left -= count;
        if count > 0 {
            self.start += self.piece.len() as u64;
            self.piece.clear();
            self.piece.extend_from_slice(into.get(..count).unwrap_or_default());
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(delimiter: &str, header: Option<&[&str]>) -> CsvOptions {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        CsvOptions {
            delimiter: Delimiter::new(delimiter).unwrap(),
            header: header.map(names),
            key_types: [("pk", KeyType::S), ("n", KeyType::N), ("b", KeyType::B)]
                .map(|(name, key_type)| (name.to_owned(), key_type))
                .into(),
        }
    }

    /// The rows as their lines and attributes, those that are bad without.
    fn rows(options: &CsvOptions, text: &[u8]) -> Vec<(u64, Option<String>)> {
        let mut rows = Rows::new(options, 1000, text);
        let mut found = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let shown = |item: Item| {
                let shown: Vec<String> =
                    item.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
                shown.join(" ")
            };
            found.push((row.line, row.item.ok().map(shown)));
        }
        found
    }

    fn good(line: u64, text: &str) -> (u64, Option<String>) {
        (line, Some(text.to_owned()))
    }

    #[test]
    fn rows_are_items() {
        let text = b"pk,n,x,b\r\na,1.50,\"say \"\"hi\"\",\nnext\",AQ==\nb,,,\n\n c ,-2\n";
        let expected = [
            good(2, r#"b=B([1]) n=N(Number(1.5)) pk=S("a") x=S("say \"hi\",\nnext")"#),
            good(4, r#"pk=S("b")"#),
            good(6, r#"n=N(Number(-2)) pk=S(" c ")"#),
        ];
        assert_eq!(rows(&options(",", None), text), expected);
    }

    #[test]
    fn every_delimiter_works() {
        for delimiter in [",", ";", ":", "|", "\t", " "] {
            let text = format!("pk{delimiter}x\na{delimiter}\"1{delimiter}2\"");
            let expected = good(2, &format!("pk=S(\"a\") x=S({:?})", format!("1{delimiter}2")));
            assert_eq!(rows(&options(delimiter, None), text.as_bytes()), [expected]);
        }
        assert_eq!(Delimiter::new("x"), None);
        assert_eq!(Delimiter::new(",,"), None);
    }

    #[test]
    fn a_header_that_is_given_leaves_the_first_row_to_items() {
        let options = options(",", Some(&["pk", "x"]));
        assert_eq!(rows(&options, b"pk,x\n"), [good(1, r#"pk=S("pk") x=S("x")"#)]);
    }

    #[test]
    fn bad_rows_cost_only_themselves() {
        let text = b"pk,n,b\na,one,\nb,,?\nc,1,AQ==,more\nd\xff,1\ne,1\n";
        let found = rows(&options(",", None), text);
        let expected =
            [(2, None), (3, None), (4, None), (5, None), good(6, r#"n=N(Number(1)) pk=S("e")"#)];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_bad_header_leaves_no_rows() {
        for text in ["pk,pk\na,b\n", "pk,\na,b\n"] {
            assert_eq!(rows(&options(",", None), text.as_bytes()), [(1, None)], "{text:?}");
        }
    }

    #[test]
    fn an_open_quote_does_not_take_in_the_file() {
        let text = format!("pk\na\n\"b\n{}", "c\n".repeat(2000));
        let found = rows(&options(",", None), text.as_bytes());
        assert_eq!(found.last(), Some(&(3, None)));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_name() {
        let found = rows(&options(",", None), "\u{feff}pk\na\n".as_bytes());
        assert_eq!(found, [good(2, r#"pk=S("a")"#)]);
    }
}
