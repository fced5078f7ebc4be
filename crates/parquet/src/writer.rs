//! Writes items as a table of Parquet, a group of rows at a time.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType,
    Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use value::{Item, Value, item_size};

use crate::column::{Column, Kind, unscaled};

/// How much of a table is in memory at a time, as DynamoDB counts bytes, and as rows.
const GROUP_BYTES: usize = 16 * 1024 * 1024;
const GROUP_ROWS: usize = 100_000;

/// The text of a value in a column of texts.
pub type CellText = fn(&Value) -> Vec<u8>;

/// A table that cannot be written.
#[derive(Debug)]
pub struct WriteError(ParquetError);

impl std::fmt::Display for WriteError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

impl std::error::Error for WriteError {}

impl From<ParquetError> for WriteError {
    fn from(error: ParquetError) -> WriteError {
        WriteError(error)
    }
}

/// Writes items as rows.
pub struct TableWriter<W: Write + Send> {
    columns: Vec<Column>,
    text: CellText,
    file: SerializedFileWriter<W>,
    rows: Vec<Item>,
    bytes: usize,
}

impl<W: Write + Send> TableWriter<W> {
    /// Starts a table with those columns; attributes without a column are left out.
    pub fn new(columns: Vec<Column>, text: CellText, to: W) -> Result<TableWriter<W>, WriteError> {
        let fields = columns.iter().map(Column::field).collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder("item").with_fields(fields).build()?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("monotable version ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let file = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties))?;
        Ok(TableWriter { columns, text, file, rows: Vec::new(), bytes: 0 })
    }

    /// Writes an item.
    pub fn write(&mut self, item: Item) -> Result<(), WriteError> {
        self.bytes += item_size(&item);
        self.rows.push(item);
        if self.bytes >= GROUP_BYTES || self.rows.len() >= GROUP_ROWS {
            self.write_group()?;
        }
        Ok(())
    }

    /// Completes the table.
    pub fn finish(mut self) -> Result<W, WriteError> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        Ok(self.file.into_inner()?)
    }

    fn write_group(&mut self) -> Result<(), WriteError> {
        let mut group = self.file.next_row_group()?;
        for column in &self.columns {
            let values = self.rows.iter().map(|item| present(item, &column.name));
            let text = self.text;
            match column.kind {
                Kind::Text => write::<ByteArrayType, W>(&mut group, values, |value| {
                    Some(ByteArray::from(text(value)))
                }),
                Kind::Integer => write::<Int64Type, W>(&mut group, values, |value| match value {
                    Value::N(number) => number.to_i64(),
                    _ => None,
                }),
                Kind::Decimal { scale, .. } => {
                    write::<FixedLenByteArrayType, W>(&mut group, values, |value| match value {
                        Value::N(number) => {
                            let units = unscaled(number, scale)?;
                            Some(FixedLenByteArray::from(units.to_be_bytes().to_vec()))
                        }
                        _ => None,
                    })
                }
                Kind::Binary => {
                    write::<ByteArrayType, W>(&mut group, values, |value| match value {
                        Value::B(bytes) => Some(ByteArray::from(bytes.clone())),
                        _ => None,
                    })
                }
                Kind::Boolean => write::<BoolType, W>(&mut group, values, |value| match value {
                    Value::Bool(truth) => Some(*truth),
                    _ => None,
                }),
            }?;
        }
        group.close()?;
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }
}

/// The value of an attribute; none for one that is null.
fn present<'i>(item: &'i Item, name: &str) -> Option<&'i Value> {
    item.get(name).filter(|value| **value != Value::Null)
}

/// Writes the values of a column in a group of rows. A value that the column cannot hold is an
/// error: it would be lost.
fn write<'i, T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: impl Iterator<Item = Option<&'i Value>>,
    convert: impl Fn(&'i Value) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let unfit = || ParquetError::General("a value does not fit into its column".to_owned());
    let mut held = Vec::new();
    let mut levels: Vec<i16> = Vec::new();
    for value in values {
        levels.push(i16::from(value.is_some()));
        if let Some(value) = value {
            held.push(convert(value).ok_or_else(unfit)?);
        }
    }
    let missing = || ParquetError::General("the group has too few columns".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(&held, Some(&levels), None)?;
    column.close()
}
