//! The type that a column of a table is said to have, and texts of that type.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use value::{Number, Value};

use super::parse::read_json_value;
use crate::BadItem;

/// What the texts of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Strings, as they stand.
    S,
    /// Numbers.
    N,
    /// Binaries as Base64.
    B,
    /// `true` or `false`.
    Bool,
    /// A JSON array of strings, for a set.
    Ss,
    /// A JSON array of numbers, for a set.
    Ns,
    /// A JSON array of Base64 strings, for a set.
    Bs,
    /// A JSON array.
    L,
    /// A JSON object.
    M,
    /// Any JSON.
    Json,
}

impl ColumnType {
    /// The names, as people give them.
    pub const NAMES: &'static str = "S, N, B, BOOL, SS, NS, BS, L, M and JSON";

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<ColumnType> {
        Some(match name {
            "S" => ColumnType::S,
            "N" => ColumnType::N,
            "B" => ColumnType::B,
            "BOOL" => ColumnType::Bool,
            "SS" => ColumnType::Ss,
            "NS" => ColumnType::Ns,
            "BS" => ColumnType::Bs,
            "L" => ColumnType::L,
            "M" => ColumnType::M,
            "JSON" => ColumnType::Json,
            _ => return None,
        })
    }

    /// The value that a text of this type means.
    pub fn value(self, text: &str) -> Result<Value, BadItem> {
        match self {
            ColumnType::S => Ok(Value::S(text.to_owned())),
            ColumnType::N => Ok(Value::N(Number::parse(text)?)),
            ColumnType::B => Ok(Value::B(binary(text)?)),
            ColumnType::Bool => match text {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => Err(BadItem::Syntax(format!("{text:?} is neither true nor false"))),
            },
            ColumnType::Ss => Ok(Value::string_set(elements(text, |value| match value {
                Value::S(text) => Some(Ok(text)),
                _ => None,
            })?)?),
            ColumnType::Ns => Ok(Value::number_set(elements(text, |value| match value {
                Value::N(number) => Some(Ok(number)),
                _ => None,
            })?)?),
            ColumnType::Bs => Ok(Value::binary_set(elements(text, |value| match value {
                Value::S(text) => Some(binary(&text)),
                _ => None,
            })?)?),
            ColumnType::L | ColumnType::M | ColumnType::Json => {
                let value = read_json_value(text.as_bytes())?;
                match (self, &value) {
                    (ColumnType::L, Value::L(_)) | (ColumnType::M, Value::M(_)) => Ok(value),
                    (ColumnType::Json, _) => Ok(value),
                    (ColumnType::L, _) => Err(BadItem::Syntax("this is no JSON array".to_owned())),
                    _ => Err(BadItem::Syntax("this is no JSON object".to_owned())),
                }
            }
        }
    }
}

fn binary(text: &str) -> Result<Vec<u8>, BadItem> {
    STANDARD.decode(text).map_err(|error| BadItem::Syntax(format!("this is no Base64: {error}")))
}

/// The elements of a set that is written as a JSON array.
fn elements<T>(
    text: &str,
    element: impl Fn(Value) -> Option<Result<T, BadItem>>,
) -> Result<Vec<T>, BadItem> {
    let Value::L(values) = read_json_value(text.as_bytes())? else {
        return Err(BadItem::Syntax("this is no JSON array".to_owned()));
    };
    let wrong = || BadItem::Syntax("an element has another type than the set".to_owned());
    values.into_iter().map(|value| element(value).ok_or_else(wrong)?).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_type_of_their_column() {
        let text = |text: &str| text.to_owned();
        for (name, given, expect) in [
            ("S", "5", Value::S(text("5"))),
            ("N", "1.50", Value::N(Number::parse("1.5").unwrap())),
            ("B", "AQ==", Value::B(vec![1])),
            ("BOOL", "true", Value::Bool(true)),
            ("SS", "[\"b\",\"a\"]", Value::Ss(vec![text("a"), text("b")])),
            ("NS", "[2]", Value::Ns(vec![Number::from(2)])),
            ("BS", "[\"AQ==\"]", Value::Bs(vec![vec![1]])),
            ("L", "[null]", Value::L(vec![Value::Null])),
            ("M", "{}", Value::M(value::Item::new())),
            ("JSON", "null", Value::Null),
        ] {
            let column = ColumnType::from_name(name).unwrap();
            assert_eq!(column.value(given), Ok(expect), "{name} {given}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for (name, given) in [
            ("N", "one"),
            ("B", "?"),
            ("BOOL", "True"),
            ("SS", "a"),
            ("SS", "[]"),
            ("SS", "[1]"),
            ("SS", "[\"a\",\"a\"]"),
            ("NS", "[\"1\"]"),
            ("BS", "[\"?\"]"),
            ("L", "{}"),
            ("M", "[]"),
            ("JSON", "a"),
        ] {
            let column = ColumnType::from_name(name).unwrap();
            assert!(column.value(given).is_err(), "{name} {given}");
        }
        assert_eq!(ColumnType::from_name("s"), None);
    }
}
