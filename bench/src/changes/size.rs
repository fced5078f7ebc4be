//! Sizes as DynamoDB counts them, counted here on our own, since the server's counts are held
//! against them.

use super::table::{Item, Items};
use serde_json::Value;

/// How many items there are, and how many bytes they have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Items or entries.
    pub count: u64,
    /// Their sizes added up.
    pub bytes: u64,
}

impl Totals {
    /// Those of some items.
    pub fn of(items: &Items) -> Totals {
        Totals { count: items.len() as u64, bytes: items.values().map(size).sum() }
    }
}

/// The size of an item: its names and values.
fn size(item: &Item) -> u64 {
    item.iter().map(|(name, value)| name.len() as u64 + value_size(value)).sum()
}

/// The size of a text, of an integer, or of bytes whose base64 has no padding.
fn value_size(value: &Value) -> u64 {
    let text = |kind: &str| value.get(kind).and_then(Value::as_str);
    if let Some(number) = text("N") {
        number_size(number)
    } else if let Some(base64) = text("B") {
        base64.len() as u64 / 4 * 3
    } else {
        text("S").map_or(0, |text| text.len() as u64)
    }
}

/// The size of an integer: half a byte a digit without trailing zeros, a byte, and one for a sign.
fn number_size(number: &str) -> u64 {
    let digits = number.trim_start_matches('-').trim_end_matches('0');
    1 + (digits.len() as u64).div_ceil(2) + u64::from(number.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn integers_have_the_sizes_of_the_sheet() {
        for (number, size) in [
            ("0", 1),
            ("1", 2),
            ("12", 2),
            ("100", 2),
            ("123", 3),
            ("1010", 3),
            ("-42", 3),
            ("123456", 4),
        ] {
            assert_eq!(number_size(number), size, "{number}");
        }
    }

    #[test]
    fn sizes_are_names_and_values() {
        let item = json!({"pk": {"S": "ab"}, "bytes": {"B": "AAAABBBB"}, "hits": {"N": "15"}});
        assert_eq!(size(item.as_object().unwrap()), 4 + 11 + 6);
    }
}
