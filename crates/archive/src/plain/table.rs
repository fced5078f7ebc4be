//! A table of comma-separated values: a column for each attribute of a header that is given.

use std::io::{self, Write};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use value::{Item, Value};

use super::json;

/// Writes items as rows.
pub struct TableWriter<W: Write> {
    columns: Vec<String>,
    rows: csv::Writer<W>,
}

impl<W: Write> TableWriter<W> {
    /// Starts a table with those columns; attributes without a column are left out.
    pub fn new(columns: Vec<String>, to: W) -> io::Result<TableWriter<W>> {
        let mut table = TableWriter::rows(columns, to);
        table.rows.write_record(&table.columns)?;
        Ok(table)
    }

    /// Rows without a header, as they follow in a table that has one.
    pub fn rows(columns: Vec<String>, to: W) -> TableWriter<W> {
        TableWriter { columns, rows: csv::Writer::from_writer(to) }
    }

    /// Writes an item. Texts stand as they are, what is nested is plain JSON, and what is null or
    /// absent is empty.
    pub fn write(&mut self, item: &Item) -> io::Result<()> {
        for column in &self.columns {
            self.rows.write_field(item.get(column).map(cell).unwrap_or_default())?;
        }
        Ok(self.rows.write_record(None::<&[u8]>)?)
    }

    /// Completes the table.
    pub fn finish(self) -> io::Result<W> {
        self.rows.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}

/// A value as the text of a cell.
pub fn cell(value: &Value) -> Vec<u8> {
    match value {
        Value::S(text) => text.clone().into_bytes(),
        Value::B(bytes) => STANDARD.encode(bytes).into_bytes(),
        Value::Null => Vec::new(),
        other => {
            let mut out = Vec::new();
            json::value(other, &mut out);
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use value::Number;

    use super::*;

    #[test]
    fn rows_follow_the_header() {
        let columns = ["pk", "n", "absent", "l"].map(str::to_owned).to_vec();
        let mut table = TableWriter::new(columns, Vec::new()).unwrap();
        let list = Value::L(vec![Value::S("x".to_owned()), Value::Null]);
        for (pk, n, l) in
            [("a,\"b\"\n", Value::N(Number::from(-7)), list), ("", Value::Null, Value::Bool(true))]
        {
            let item = Item::from([
                ("pk".to_owned(), Value::S(pk.to_owned())),
                ("n".to_owned(), n),
                ("l".to_owned(), l),
                ("other".to_owned(), Value::Null),
            ]);
            table.write(&item).unwrap();
        }
        let text = String::from_utf8(table.finish().unwrap()).unwrap();
        let expected = "pk,n,absent,l\n\"a,\"\"b\"\"\n\",-7,,\"[\"\"x\"\",null]\"\n,,,true\n";
        assert_eq!(text, expected);
    }
}
