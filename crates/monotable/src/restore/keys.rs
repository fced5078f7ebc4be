//! A file with a key a line, as JSON: plain values, or typed as the API has them.

use crate::table_key::{KeyAttribute, KeyValueError, TableKey};
use serde_json::{Map, Value, value::RawValue};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

/// The most keys of a restore.
const MOST: usize = 2000;

/// A file of keys that is none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeysError {
    #[error("cannot read {}: {source}", file.display())]
    Unread { file: PathBuf, source: io::Error },
    #[error("{}, line {line}: {source}", file.display())]
    Line { file: PathBuf, line: usize, source: LineError },
    #[error("{} has no keys", .0.display())]
    Empty(PathBuf),
    #[error(
        "{}, line {line}: a restore takes at most {MOST} keys; use --where or --pk-prefix, or \
         several files", file.display()
    )]
    TooMany { file: PathBuf, line: usize },
}

/// A line that is no key.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    #[error("not a key as JSON, like {example} ({source})")]
    Json { example: String, source: serde_json::Error },
    #[error("{name} is not in the key of '{table}'; a key is like {example}")]
    Unknown { name: String, table: String, example: String },
    #[error("{0} is missing")]
    Missing(String),
    #[error(transparent)]
    Value(#[from] KeyValueError),
}

/// The keys of a file.
pub(super) fn read(file: &Path, table: &TableKey) -> Result<Vec<Value>, KeysError> {
    let unread = |source| KeysError::Unread { file: file.to_owned(), source };
    let lines = BufReader::new(File::open(file).map_err(unread)?).lines();
    let mut keys = Vec::new();
    for (line, text) in (1..).zip(lines) {
        let text = text.map_err(unread)?;
        if text.trim().is_empty() {
            continue;
        }
        let file = || file.to_owned();
        if keys.len() == MOST {
            return Err(KeysError::TooMany { file: file(), line });
        }
        let wrong = |source| KeysError::Line { file: file(), line, source };
        keys.push(key(&text, table).map_err(wrong)?);
    }
    // No keys would mean the whole table.
    if keys.is_empty() {
        return Err(KeysError::Empty(file.to_owned()));
    }
    Ok(keys)
}

fn key(line: &str, table: &TableKey) -> Result<Value, LineError> {
    let example = || {
        let members = table.names().into_iter().map(|name| format!("{name:?}: ..."));
        format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
    };
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(line)
        .map_err(|source| LineError::Json { example: example(), source })?;
    let unknown = members.keys().find(|name| table.attributes().all(|own| own.name != **name));
    if let Some(name) = unknown.cloned() {
        let table = table.table.clone();
        return Err(LineError::Unknown { name, table, example: example() });
    }
    let mut key = Map::new();
    for attribute in table.attributes() {
        let given = members.get(&attribute.name);
        let given = given.ok_or_else(|| LineError::Missing(attribute.name.clone()))?;
        key.insert(attribute.name.clone(), value(given.get(), attribute)?);
    }
    Ok(Value::Object(key))
}

/// The value that a piece of JSON means. Digits of numbers stay as they are written.
fn value(json: &str, attribute: &KeyAttribute) -> Result<Value, KeyValueError> {
    let unlike = || attribute.unlike(json);
    match json.chars().next() {
        Some('"') => attribute.value(&serde_json::from_str::<String>(json).map_err(|_| unlike())?),
        Some('-' | '0'..='9') if attribute.kind.name() == "N" => attribute.value(json),
        Some('{') => {
            let typed: BTreeMap<String, String> =
                serde_json::from_str(json).map_err(|_| unlike())?;
            match typed.first_key_value().filter(|_| typed.len() == 1) {
                Some((kind, text)) if kind == attribute.kind.name() => attribute.value(text),
                _ => Err(unlike()),
            }
        }
        _ => Err(unlike()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table_key::KeyKind;
    use serde_json::json;

    fn table(sort: KeyKind) -> TableKey {
        TableKey {
            table: "t".to_owned(),
            partition: KeyAttribute { name: "PK".to_owned(), kind: KeyKind::S },
            sort: Some(KeyAttribute { name: "SK".to_owned(), kind: sort }),
        }
    }

    #[test]
    fn keys_are_plain_or_typed() {
        let digits = "12345678901234567890.123456789";
        for (sort, line, expect) in [
            (KeyKind::S, r#"{"PK": "a", "SK": "5"}"#.to_owned(), json!({"S": "5"})),
            (
                KeyKind::S,
                r#"{"SK": {"S": "\u00e9"}, "PK": "a"}"#.to_owned(),
                json!({"S": "\u{e9}"}),
            ),
            (KeyKind::N, r#"{"PK": {"S": "a"}, "SK": -5}"#.to_owned(), json!({"N": "-5"})),
            (KeyKind::N, format!(r#"{{"PK": "a", "SK": {digits}}}"#), json!({ "N": digits })),
            (KeyKind::N, r#"{"PK": "a", "SK": "5"}"#.to_owned(), json!({"N": "5"})),
            (KeyKind::B, r#"{"PK": "a", "SK": "AAE="}"#.to_owned(), json!({"B": "AAE="})),
            (KeyKind::B, r#"{"PK": "a", "SK": {"B": "AAE="}}"#.to_owned(), json!({"B": "AAE="})),
        ] {
            let found = key(&line, &table(sort)).unwrap();
            assert_eq!(found, json!({"PK": {"S": "a"}, "SK": expect}), "{line}");
        }
    }

    #[test]
    fn other_lines_are_refused() {
        for (sort, line, text) in [
            (KeyKind::S, "PK=a", r#"not a key as JSON, like {"PK": ..., "SK": ...}"#),
            (KeyKind::S, "[1]", "not a key as JSON"),
            (KeyKind::S, r#"{"PK": "a"}"#, "SK is missing"),
            (KeyKind::S, r#"{"PK": "a", "SK": "b", "x": 1}"#, "x is not in the key of 't'"),
            (KeyKind::S, r#"{"PK": "a", "SK": 5}"#, "SK is a string, which \"5\" is not"),
            (KeyKind::S, r#"{"PK": "a", "SK": null}"#, "SK is a string"),
            (KeyKind::S, r#"{"PK": "a", "SK": {"N": "5"}}"#, "SK is a string"),
            (KeyKind::S, r#"{"PK": "a", "SK": {"S": "5", "N": "5"}}"#, "SK is a string"),
            (KeyKind::N, r#"{"PK": "a", "SK": "b"}"#, "SK is a number, which \"b\" is not"),
            (KeyKind::B, r#"{"PK": "a", "SK": "x"}"#, "SK is binary (Base64)"),
        ] {
            let error = key(line, &table(sort)).unwrap_err().to_string();
            assert!(error.contains(text), "{line}: {error}");
        }
    }

    #[test]
    fn files_are_read_to_the_most_keys() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("keys");
        let check = |content: &str| {
            std::fs::write(&file, content).unwrap();
            read(&file, &table(KeyKind::N)).map_err(|error| error.to_string())
        };
        let line = |n: usize| format!("{{\"PK\": \"a\", \"SK\": {n}}}\n");
        let full: String = (0..2000).map(line).collect();
        assert_eq!(check(&format!("\n{full}\n")).unwrap().len(), 2000);
        let error = check(&format!("{full}\n{}", line(2000))).unwrap_err();
        assert!(error.contains("line 2002: a restore takes at most 2000 keys"), "{error}");
        let error = check(&format!("{}\n{{\"PK\": 1}}", line(0))).unwrap_err();
        assert!(error.contains("keys, line 3: "), "{error}");
        assert!(check("\n \n").unwrap_err().ends_with("has no keys"));
        assert!(read(&directory.path().join("none"), &table(KeyKind::N)).is_err());
    }
}
