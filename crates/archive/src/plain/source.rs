//! Items of a text that people give, one by one with the lines they start in.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use value::{Item, Value};

use super::parse::read_json;
use super::typed::ColumnType;
use crate::csv_rows::{CsvOptions, Delimiter, Rows};
use crate::import::lines::{Lines, TooLong};
use crate::{BadItem, dynamodb_json};

/// The longest text of one item. None that fits into a table comes near it.
const MAX_ITEM_BYTES: usize = 16 * 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How items are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A line each, with types.
    DynamoDbJson,
    /// A line each, without types.
    Json,
    /// A row each, below a row with names.
    Csv,
}

/// An item, or what is none in its place.
pub struct Found {
    /// The line it starts in, from one.
    pub line: u64,
    /// The item, or what is wrong with it.
    pub item: Result<Item, BadItem>,
}

/// The items of a text.
pub struct Items<R> {
    from: Reader<R>,
    types: BTreeMap<String, ColumnType>,
}

enum Reader<R> {
    Lines(Lines<R>, fn(&[u8]) -> Result<Item, BadItem>),
    Rows(Box<Rows<'static, R>>),
}

/// Rows are read as strings here, and get their types afterwards.
static STRINGS: CsvOptions =
    CsvOptions { delimiter: Delimiter::COMMA, header: None, key_types: BTreeMap::new() };

impl<R: BufRead> Items<R> {
    /// Items of a text. The types are those of columns; a column without one has strings.
    pub fn new(layout: Layout, types: BTreeMap<String, ColumnType>, from: R) -> Items<R> {
        let lines = |from| Lines::new(MAX_ITEM_BYTES, from);
        let from = match layout {
            Layout::DynamoDbJson => Reader::Lines(lines(from), dynamodb_json::read_item),
            Layout::Json => Reader::Lines(lines(from), read_json),
            Layout::Csv => Reader::Rows(Box::new(Rows::new(&STRINGS, MAX_ITEM_BYTES, from))),
        };
        Items { from, types }
    }

    /// The next one; none at the end. An error is one of reading, not of the item.
    pub fn next_item(&mut self) -> io::Result<Option<Found>> {
        match &mut self.from {
            Reader::Rows(rows) => {
                let Some(row) = rows.next()? else { return Ok(None) };
                let item = row.item.and_then(|item| typed(item, &self.types));
                Ok(Some(Found { line: row.line, item }))
            }
            Reader::Lines(lines, read) => loop {
                let Some((line, text)) = lines.next()? else { return Ok(None) };
                let item = match text {
                    Ok(text) => {
                        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
                        if text.trim_ascii().is_empty() {
                            continue;
                        }
                        read(text)
                    }
                    Err(TooLong) => Err(BadItem::Syntax("the line is too long".to_owned())),
                };
                return Ok(Some(Found { line, item }));
            },
        }
    }
}

fn typed(item: Item, types: &BTreeMap<String, ColumnType>) -> Result<Item, BadItem> {
    let attributes = item.into_iter().map(|(name, value)| match (types.get(&name), value) {
        (Some(column), Value::S(text)) => match column.value(&text) {
            Ok(value) => Ok((name, value)),
            Err(error) => Err(BadItem::Syntax(format!("column {name}: {error}"))),
        },
        (_, value) => Ok((name, value)),
    });
    attributes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(layout: Layout, types: &[(&str, ColumnType)], text: &str) -> Vec<(u64, String)> {
        let types = types.iter().map(|(name, column)| ((*name).to_owned(), *column)).collect();
        let mut items = Items::new(layout, types, text.as_bytes());
        let mut found = Vec::new();
        while let Some(one) = items.next_item().unwrap() {
            let shown = match one.item {
                Ok(item) => format!("{item:?}"),
                Err(error) => error.to_string(),
            };
            found.push((one.line, shown));
        }
        found
    }

    #[test]
    fn each_layout_has_lines() {
        let expect = |line, text: &str| (line, text.to_owned());
        let json = "\u{feff}{\"a\":1}\r\n\n{\"a\":\"x\"}";
        let found = read(Layout::Json, &[], json);
        let expected = [expect(1, r#"{"a": N(Number(1))}"#), expect(3, r#"{"a": S("x")}"#)];
        assert_eq!(found, expected);
        let typed = "{\"Item\":{\"a\":{\"BOOL\":true}}}\n{\"a\":1}\n";
        let found = read(Layout::DynamoDbJson, &[], typed);
        assert_eq!(found[0], expect(1, r#"{"a": Bool(true)}"#));
        assert_eq!(found[1], expect(2, "the line has no member Item"));
    }

    #[test]
    fn columns_have_types() {
        let types = [("n", ColumnType::N), ("l", ColumnType::L)];
        let found = read(Layout::Csv, &types, "s,n,l\n7,7,\"[1,\n2]\"\n,x,\n");
        let item = r#"{"l": L([N(Number(1)), N(Number(2))]), "n": N(Number(7)), "s": S("7")}"#;
        assert_eq!(found[0], (2, item.to_owned()));
        assert_eq!(found[1].0, 4);
        assert!(found[1].1.starts_with("column n: "), "{}", found[1].1);
    }
}
