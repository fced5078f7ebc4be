//! The key of a table on a running server, and keys as people write them.

use crate::client::{CallError, Client};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde::Deserialize;
use serde_json::{Value, json};

/// The key of a table: one or two attributes.
#[derive(Debug, Clone)]
pub(crate) struct TableKey {
    pub(crate) table: String,
    pub(crate) partition: KeyAttribute,
    pub(crate) sort: Option<KeyAttribute>,
}

/// An attribute of a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeyAttribute {
    pub(crate) name: String,
    pub(crate) kind: KeyKind,
}

/// The types that an attribute of a key can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum KeyKind {
    S,
    N,
    B,
}

impl KeyKind {
    /// As the API names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            KeyKind::S => "S",
            KeyKind::N => "N",
            KeyKind::B => "B",
        }
    }

    /// As people name it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            KeyKind::S => "a string",
            KeyKind::N => "a number",
            KeyKind::B => "binary (Base64)",
        }
    }
}

/// A text that is no value of an attribute.
#[derive(Debug, thiserror::Error)]
#[error("{name} is {}, which {given:?} is not", kind.word())]
pub(crate) struct KeyValueError {
    name: String,
    kind: KeyKind,
    given: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    table: Description,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Description {
    attribute_definitions: Vec<Definition>,
    key_schema: Vec<Element>,
    #[serde(default)]
    pub(crate) item_count: u64,
    /// Tells apart tables that had the same name one after the other.
    #[serde(default)]
    pub(crate) table_id: String,
    #[serde(default)]
    pub(crate) table_status: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Definition {
    attribute_name: String,
    attribute_type: KeyKind,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Element {
    attribute_name: String,
    key_type: String,
}

impl TableKey {
    /// Asks the server for the key of a table.
    pub(crate) fn find(client: &mut Client, table: &str) -> Result<TableKey, CallError> {
        let described = describe(client, table)?;
        described.key(table).ok_or_else(|| client.misanswer("a table without a key"))
    }

    /// The attributes, the partition key first.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.attributes().map(|attribute| attribute.name.clone()).collect()
    }
}

impl Description {
    /// The key; none if there is none.
    pub(crate) fn key(&self, table: &str) -> Option<TableKey> {
        let part = |role: &str| {
            let element = self.key_schema.iter().find(|element| element.key_type == role)?;
            let name = element.attribute_name.clone();
            let defined =
                self.attribute_definitions.iter().find(|one| one.attribute_name == name)?;
            Some(KeyAttribute { name, kind: defined.attribute_type })
        };
        Some(TableKey { table: table.to_owned(), partition: part("HASH")?, sort: part("RANGE") })
    }
}

/// How many items a table has.
pub(crate) fn item_count(client: &mut Client, table: &str) -> Result<u64, CallError> {
    Ok(describe(client, table)?.item_count)
}

/// A table as it is.
pub(crate) fn describe(client: &mut Client, table: &str) -> Result<Description, CallError> {
    let answer: Answer = client.call("DescribeTable", &json!({ "TableName": table }))?;
    Ok(answer.table)
}

impl KeyAttribute {
    /// The attribute value that a text means, by the attribute's type.
    pub(crate) fn value(&self, text: &str) -> Result<Value, KeyValueError> {
        let fits = match self.kind {
            KeyKind::S => true,
            KeyKind::N => value::Number::parse(text).is_ok(),
            KeyKind::B => BASE64_STANDARD.decode(text).is_ok(),
        };
        if !fits {
            return Err(self.unlike(text));
        }
        Ok(json!({ self.kind.name(): text }))
    }

    /// The error of something that is no value of this attribute.
    pub(crate) fn unlike(&self, given: &str) -> KeyValueError {
        KeyValueError { name: self.name.clone(), kind: self.kind, given: given.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_type_of_the_attribute() {
        let value = |kind, text: &str| {
            let attribute = KeyAttribute { name: "k".to_owned(), kind };
            attribute.value(text).map_err(|error| error.to_string())
        };
        assert_eq!(value(KeyKind::S, "5"), Ok(json!({"S": "5"})));
        for digits in ["5", "-1.50", "1e3", "12345678901234567890123456789012345678"] {
            assert_eq!(value(KeyKind::N, digits), Ok(json!({ "N": digits })));
        }
        assert_eq!(value(KeyKind::B, "AAE="), Ok(json!({"B": "AAE="})));
        assert_eq!(value(KeyKind::N, "a"), Err("k is a number, which \"a\" is not".to_owned()));
        assert!(value(KeyKind::N, "").is_err());
        assert!(value(KeyKind::B, "AA").unwrap_err().contains("binary (Base64)"));
    }
}
