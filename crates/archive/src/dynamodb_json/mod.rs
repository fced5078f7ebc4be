//! DynamoDB JSON: an item or a change of one a line, every value with its type.

mod read;
mod write;

pub use read::{read_change, read_item};
pub use write::{write_change, write_item};

#[cfg(test)]
mod tests {
    use value::{Item, Number, Value};

    use super::*;
    use crate::{BadItem, NetChange};

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    fn item(attributes: &[(&str, Value)]) -> Item {
        attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    #[test]
    fn an_item_is_one_line() {
        let item = item(&[
            ("b", Value::B(vec![255, 0])),
            ("bs", Value::Bs(vec![vec![1], vec![2]])),
            ("f", Value::Bool(false)),
            ("l", Value::L(vec![Value::Null, Value::N(number("1.50"))])),
            ("m", Value::M(item(&[("x\n", Value::S("a\"b\n".to_owned()))]))),
            ("ns", Value::Ns(vec![number("-1"), number("2")])),
            ("ss", Value::Ss(vec!["\u{e9}".to_owned()])),
        ]);
        let mut line = Vec::new();
        write_item(&item, &mut line);
        let expected = concat!(
            r#"{"Item":{"b":{"B":"/wA="},"bs":{"BS":["AQ==","Ag=="]},"f":{"BOOL":false},"#,
            r#""l":{"L":[{"NULL":true},{"N":"1.5"}]},"m":{"M":{"x\n":{"S":"a\"b\n"}}},"#,
            "\"ns\":{\"NS\":[\"-1\",\"2\"]},\"ss\":{\"SS\":[\"\u{e9}\"]}}}\n",
        );
        assert_eq!(String::from_utf8(line.clone()).unwrap(), expected);
        assert_eq!(read_item(&line), Ok(item));
    }

    #[test]
    fn a_change_is_one_line() {
        let key = item(&[("pk", Value::S("a".to_owned()))]);
        let new = item(&[("pk", Value::S("a".to_owned())), ("n", Value::N(number("2")))]);
        let mut change = NetChange {
            written_micros: 1_680_109_764_000_000,
            keys: key.clone(),
            new_image: Some(new),
            old_image: Some(key),
        };
        let mut line = Vec::new();
        write_change(&change, &mut line);
        let expected = concat!(
            r#"{"Metadata":{"WriteTimestampMicros":{"N":"1680109764000000"}},"#,
            r#""Keys":{"pk":{"S":"a"}},"NewImage":{"n":{"N":"2"},"pk":{"S":"a"}},"#,
            "\"OldImage\":{\"pk\":{\"S\":\"a\"}}}\n",
        );
        assert_eq!(String::from_utf8(line.clone()).unwrap(), expected);
        assert_eq!(read_change(&line), Ok(change.clone()));

        change.new_image = None;
        change.old_image = None;
        line.clear();
        write_change(&change, &mut line);
        assert!(line.ends_with(b"\"Keys\":{\"pk\":{\"S\":\"a\"}}}\n"));
        assert_eq!(read_change(&line), Ok(change));
    }

    #[test]
    fn the_time_of_a_change_may_be_a_plain_string() {
        let line = br#"{"Metadata":{"WriteTimestampMicros":"17"},"Keys":{"k":{"S":"a"}}}"#;
        assert_eq!(read_change(line).unwrap().written_micros, 17);
    }

    #[test]
    fn what_is_no_item_is_refused() {
        for line in [
            r#""#,
            r#"{}"#,
            r#"[]"#,
            r#"{"Item":[]}"#,
            r#"{"Item":{"a":1}}"#,
            r#"{"Item":{"a":{"S":1}}}"#,
            r#"{"Item":{"a":{"N":1}}}"#,
            r#"{"Item":{"a":{"N":"one"}}}"#,
            r#"{"Item":{"a":{"X":"1"}}}"#,
            r#"{"Item":{"a":{}}}"#,
            r#"{"Item":{"a":{"S":"1","N":"1"}}}"#,
            r#"{"Item":{"a":{"NULL":false}}}"#,
            r#"{"Item":{"a":{"BOOL":"true"}}}"#,
            r#"{"Item":{"a":{"B":"?"}}}"#,
            r#"{"Item":{"a":{"SS":[]}}}"#,
            r#"{"Item":{"a":{"SS":["1","1"]}}}"#,
            r#"{"Item":{"":{"S":"1"}}}"#,
            r#"{"Item":{"a":{"S":"1"}}"#,
            r#"{"Item":{"a":{"S":"1"}}} x"#,
            r#"{"Item":{},"Item":{}}"#,
        ] {
            assert!(read_item(line.as_bytes()).is_err(), "{line}");
        }
        assert!(read_item(b"{\"Item\":{\"a\":{\"S\":\"\xff\"}}}").is_err());
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |levels: usize| {
            let (open, close) = (r#"{"L":["#.repeat(levels), "]}".repeat(levels));
            format!(r#"{{"Item":{{"a":{open}{close}}}}}"#)
        };
        assert!(read_item(nested(31).as_bytes()).is_ok());
        assert_eq!(
            read_item(nested(32).as_bytes()),
            Err(BadItem::Value(value::ValueError::TooDeep))
        );
        assert!(read_item(nested(100_000).as_bytes()).is_err());
        assert!(read_item("[".repeat(100_000).as_bytes()).is_err());
    }
}
