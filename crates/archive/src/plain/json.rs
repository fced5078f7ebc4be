//! A line of plain JSON: numbers as numbers, sets as arrays, binaries as base64.

use value::{Item, Value};

use crate::json_text::{array, base64, object, string};

/// Appends an item as a line of plain JSON.
pub fn write_json(item: &Item, out: &mut Vec<u8>) {
    attributes(item, out);
    out.push(b'\n');
}

fn attributes(item: &Item, out: &mut Vec<u8>) {
    object(item.iter().map(|(name, attribute)| (name.as_str(), attribute)), out, value);
}

/// Appends a value as plain JSON.
pub(super) fn value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::S(text) => string(text, out),
        Value::N(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Value::B(bytes) => base64(bytes, out),
        Value::Bool(truth) => out.extend_from_slice(truth.to_string().as_bytes()),
        Value::Null => out.extend_from_slice(b"null"),
        Value::L(values) => array(values, out, self::value),
        Value::M(map) => attributes(map, out),
        Value::Ss(texts) => array(texts, out, |text, out| string(text, out)),
        Value::Ns(numbers) => {
            array(numbers, out, |n, out| out.extend_from_slice(n.to_string().as_bytes()));
        }
        Value::Bs(blobs) => array(blobs, out, |blob, out| base64(blob, out)),
    }
}

#[cfg(test)]
mod tests {
    use value::Number;

    use super::*;

    #[test]
    fn values_are_plain() {
        let number = |text: &str| Number::parse(text).unwrap();
        let item: Item = [
            ("b", Value::B(vec![1])),
            ("l", Value::L(vec![Value::Null, Value::Bool(true), Value::S("\"".to_owned())])),
            ("m", Value::M(Item::from([("x".to_owned(), Value::N(number("1e3")))]))),
            ("ns", Value::Ns(vec![number("-1.5"), number("2")])),
            ("ss", Value::Ss(vec!["a".to_owned()])),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
        let mut line = Vec::new();
        write_json(&item, &mut line);
        let expected = concat!(
            r#"{"b":"AQ==","l":[null,true,"\""],"m":{"x":1000},"#,
            "\"ns\":[-1.5,2],\"ss\":[\"a\"]}\n"
        );
        assert_eq!(String::from_utf8(line).unwrap(), expected);
    }
}
