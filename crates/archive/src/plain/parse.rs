//! Reads plain JSON as an item: strings, numbers, truths, nulls, lists and maps. Digits of numbers
//! are taken as they are written, never by way of a float.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use value::{Item, MAX_DEPTH, Number, Value, ValueError};

use crate::BadItem;
use crate::bad::check_name;

/// The item of a line of plain JSON.
pub fn read_json(line: &[u8]) -> Result<Item, BadItem> {
    let text = text(line)?;
    if !text.trim_start().starts_with('{') {
        return Err(BadItem::Syntax("the line is no JSON object".to_owned()));
    }
    map(text, 1)
}

/// The value that a piece of plain JSON means, as an attribute of an item.
pub fn read_json_value(json: &[u8]) -> Result<Value, BadItem> {
    value(text(json)?.trim(), 1)
}

fn text(bytes: &[u8]) -> Result<&str, BadItem> {
    std::str::from_utf8(bytes).map_err(|_| BadItem::Syntax("the text is no UTF-8".to_owned()))
}

/// Reads a container of that level; an item is the first.
fn map(json: &str, depth: usize) -> Result<Item, BadItem> {
    let members: Members<'_> = parsed(json)?;
    let mut item = Item::new();
    for (name, member) in members.0 {
        check_name(&name)?;
        item.insert(name, value(member.get(), depth)?);
    }
    Ok(item)
}

/// Reads a value inside a container of that level.
fn value(json: &str, depth: usize) -> Result<Value, BadItem> {
    match json.bytes().next() {
        Some(b'{' | b'[') if depth >= MAX_DEPTH => Err(ValueError::TooDeep.into()),
        Some(b'{') => Ok(Value::M(map(json, depth + 1)?)),
        Some(b'[') => {
            let elements: Vec<&RawValue> = parsed(json)?;
            let elements = elements.into_iter().map(|element| value(element.get(), depth + 1));
            Ok(Value::L(elements.collect::<Result<_, _>>()?))
        }
        Some(b'"') => Ok(Value::S(parsed(json)?)),
        Some(b'-' | b'0'..=b'9') => {
            // Only what JSON calls a number is one: neither 007 nor 1_000.
            let number: &RawValue = parsed(json)?;
            Ok(Value::N(Number::parse(number.get())?))
        }
        Some(b'n') => parsed::<()>(json).map(|()| Value::Null),
        _ => Ok(Value::Bool(parsed(json)?)),
    }
}

fn parsed<'t, T: Deserialize<'t>>(json: &'t str) -> Result<T, BadItem> {
    serde_json::from_str(json).map_err(|error| BadItem::Syntax(error.to_string()))
}

/// The members of an object; one that is there twice is refused, since one of the two would be lost.
struct Members<'t>(BTreeMap<String, &'t RawValue>);

impl<'t> Deserialize<'t> for Members<'t> {
    fn deserialize<D: serde::Deserializer<'t>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'t> serde::de::Visitor<'t> for Visitor {
            type Value = Members<'t>;
            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("an object")
            }
            fn visit_map<A>(self, mut map: A) -> Result<Members<'t>, A::Error>
            where
                A: serde::de::MapAccess<'t>,
            {
                let mut members = BTreeMap::new();
                while let Some((name, member)) = map.next_entry::<String, &RawValue>()? {
                    if members.contains_key(&name) {
                        let text = format!("{name} is there twice");
                        return Err(serde::de::Error::custom(text));
                    }
                    members.insert(name, member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Value {
        Value::N(Number::parse(text).unwrap())
    }

    #[test]
    fn json_types_are_attribute_types() {
        let digits = "12345678901234567890.123456789012345678";
        let line = format!(
            r#" {{"s":"a\n\u00e9","n":{digits},"e":1E3,"t":true,"z":null,"l":[1,["x"]],"m":{{"":2}}}}"#
        );
        // An empty name is refused wherever it is.
        assert!(read_json(line.as_bytes()).is_err());
        let item = read_json(line.replace("\"\":2", "\"k\":-2").as_bytes()).unwrap();
        assert_eq!(item["s"], Value::S("a\n\u{e9}".to_owned()));
        assert_eq!(item["n"], number(digits));
        assert_eq!(item["e"], number("1000"));
        assert_eq!(item["t"], Value::Bool(true));
        assert_eq!(item["z"], Value::Null);
        let inner = Value::L(vec![Value::S("x".to_owned())]);
        assert_eq!(item["l"], Value::L(vec![number("1"), inner]));
        assert_eq!(item["m"], Value::M(Item::from([("k".to_owned(), number("-2"))])));
    }

    #[test]
    fn other_lines_are_refused() {
        for line in [
            "",
            "[]",
            "5",
            "{",
            "{\"a\":}",
            "{\"a\":1}{}",
            "{\"a\":1,\"a\":2}",
            "{\"a\":01}",
            "{\"a\":+1}",
            "{\"a\":NaN}",
            "{\"a\":tru}",
            "{\"a\":1e999}",
            "{\"a\":123456789012345678901234567890123456789}",
            "{\"a\":\"\\ud800\"}",
        ] {
            assert!(read_json(line.as_bytes()).is_err(), "{line}");
        }
        assert!(read_json(b"{\"a\":\"\xff\"}").is_err());
        assert!(read_json(format!("{{\"a\":{}", "[".repeat(100_000)).as_bytes()).is_err());
        let deep = |levels| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        assert!(read_json(deep(31).as_bytes()).is_ok());
        let too_deep = BadItem::Value(ValueError::TooDeep);
        assert_eq!(read_json(deep(32).as_bytes()), Err(too_deep));
    }
}
