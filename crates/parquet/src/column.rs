//! A column: its name, its type, and values as that type has them.

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;
use value::Number;

/// The most digits of a decimal.
pub(crate) const MAX_DIGITS: u32 = 38;
/// The bytes of a decimal: as many as 38 digits need.
const DECIMAL_BYTES: i32 = 16;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8.
    Text,
    /// Integers of 64 bits.
    Integer,
    /// Decimal numbers with so many digits in all, and so many behind the point.
    Decimal {
        /// In all.
        precision: u32,
        /// Behind the point.
        scale: u32,
    },
    /// Bytes.
    Binary,
    /// Truths.
    Boolean,
}

/// A column of a table. An item that lacks the attribute has null there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name of the attribute.
    pub name: String,
    /// The type.
    pub kind: Kind,
}

impl Column {
    /// As the schema of a file has it.
    pub(crate) fn field(&self) -> Result<TypePtr, ParquetError> {
        let (physical, logical) = match self.kind {
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Integer => (Physical::INT64, None),
            Kind::Decimal { precision, scale } => {
                let (precision, scale) = (digits(precision), digits(scale));
                let decimal = LogicalType::decimal(scale, precision);
                let field = builder(&self.name, Physical::FIXED_LEN_BYTE_ARRAY)
                    .with_logical_type(Some(decimal))
                    .with_length(DECIMAL_BYTES)
                    .with_precision(precision)
                    .with_scale(scale);
                return Ok(Arc::new(field.build()?));
            }
            Kind::Binary => (Physical::BYTE_ARRAY, None),
            Kind::Boolean => (Physical::BOOLEAN, None),
        };
        let field = builder(&self.name, physical).with_logical_type(logical);
        Ok(Arc::new(field.build()?))
    }
}

fn builder(name: &str, physical: Physical) -> parquet::schema::types::PrimitiveTypeBuilder<'_> {
    Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL)
}

fn digits(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// The digits of a number before the point, leading zeros left out, and those behind it.
pub(crate) fn digit_counts(number: &Number) -> (u32, u32) {
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.trim_start_matches(['-', '0']);
    let count = |digits: &str| u32::try_from(digits.len()).unwrap_or(u32::MAX);
    (count(whole), count(fraction))
}

/// A number as a count of units of the last digit that the scale has; none if it does not fit.
pub(crate) fn unscaled(number: &Number, scale: u32) -> Option<i128> {
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let missing = scale.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    digits.checked_mul(10i128.checked_pow(missing)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_counted_and_shifted() {
        for (text, counts, at_three) in [
            ("0", (0, 0), Some(0)),
            ("-7", (1, 0), Some(-7000)),
            ("-0.05", (0, 2), Some(-50)),
            ("12.5", (2, 1), Some(12_500)),
            ("0.0001", (0, 4), None),
            ("1e5", (6, 0), Some(100_000_000)),
            ("1e36", (37, 0), None),
        ] {
            let number = Number::parse(text).unwrap();
            assert_eq!(digit_counts(&number), counts, "{text}");
            assert_eq!(unscaled(&number, 3), at_three, "{text}");
        }
        let longest = Number::parse(&"9".repeat(38)).unwrap();
        assert_eq!(unscaled(&longest, 0), Some(10i128.pow(38) - 1));
    }
}
