//! Attribute values and names as a line shows them. No text can do anything to the terminal.

use serde_json::Value;

/// The most characters of a binary value in a line that is shortened.
const SHORT_BINARY: usize = 24;

/// A value: strings quoted, numbers bare. `most` is how many characters it may take, if there is
/// a bound.
pub(crate) fn shown(value: &Value, most: Option<usize>) -> String {
    let mut text = String::new();
    write(&mut text, value, most.is_some());
    cut(text, most)
}

/// The name of an attribute: quoted if it could be taken for something else.
pub(super) fn name(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '#' | '@' | '/');
    let begins = text.starts_with(|c: char| is_plain(c) && c != '-');
    if begins && text.chars().all(is_plain) { text.to_owned() } else { format!("{text:?}") }
}

/// The beginning of a text that is too long.
pub(super) fn cut(text: String, most: Option<usize>) -> String {
    match most {
        Some(most) if text.chars().count() > most => {
            let kept: String = text.chars().take(most.saturating_sub(3)).collect();
            format!("{kept}...")
        }
        _ => text,
    }
}

fn write(text: &mut String, value: &Value, short: bool) {
    let typed = value.as_object().and_then(|members| members.iter().next());
    match typed.map(|(kind, content)| (kind.as_str(), content)) {
        Some(("S", Value::String(string))) => text.push_str(&format!("{string:?}")),
        Some(("N", Value::String(digits))) => text.push_str(digits),
        Some(("B", Value::String(base64))) => write_binary(text, base64, short),
        Some(("BOOL", Value::Bool(truth))) => text.push_str(if *truth { "true" } else { "false" }),
        Some(("NULL", _)) => text.push_str("null"),
        Some(("L", Value::Array(elements))) => {
            write_between(text, "[]", elements, |text, element| write(text, element, short));
        }
        Some(("M", Value::Object(members))) => {
            write_between(text, "{}", members, |text, (member, value)| {
                text.push_str(&name(member));
                text.push_str(": ");
                write(text, value, short);
            });
        }
        Some(("SS" | "NS" | "BS", Value::Array(elements))) => {
            let kind = typed.and_then(|(kind, _)| kind.get(..1)).unwrap_or_default();
            write_between(text, "<>", elements, |text, element| match (kind, element.as_str()) {
                ("S", Some(string)) => text.push_str(&format!("{string:?}")),
                ("N", Some(digits)) => text.push_str(digits),
                (_, base64) => write_binary(text, base64.unwrap_or_default(), short),
            });
        }
        _ => text.push_str(&value.to_string()),
    }
}

fn write_binary(text: &mut String, base64: &str, short: bool) {
    let base64 = cut(base64.to_owned(), short.then_some(SHORT_BINARY));
    text.push_str(&format!("base64({base64})"));
}

fn write_between<T>(
    text: &mut String,
    brackets: &str,
    elements: impl IntoIterator<Item = T>,
    write: impl Fn(&mut String, T),
) {
    let (opening, closing) = brackets.split_at(1);
    text.push_str(opening);
    for (at, element) in elements.into_iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        write(text, element);
    }
    text.push_str(closing);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_plain() {
        for (value, expect) in [
            (json!({"S": "it's \"a\""}), r#""it's \"a\"""#),
            (json!({"S": "5"}), "\"5\""),
            (json!({"S": "\u{1b}[31m\n\u{e9}\u{202e}"}), "\"\\u{1b}[31m\\n\u{e9}\\u{202e}\""),
            (json!({"N": "12345678901234567890.5"}), "12345678901234567890.5"),
            (json!({"B": "AAE="}), "base64(AAE=)"),
            (json!({"BOOL": false}), "false"),
            (json!({"NULL": true}), "null"),
            (json!({"L": [{"N": "1"}, {"S": "a"}, {"L": []}]}), "[1, \"a\", []]"),
            (json!({"M": {"a": {"N": "1"}, "b c": {"M": {}}}}), "{a: 1, \"b c\": {}}"),
            (json!({"SS": ["a", "b"]}), "<\"a\", \"b\">"),
            (json!({"NS": ["1", "2"]}), "<1, 2>"),
            (json!({"BS": ["AAE="]}), "<base64(AAE=)>"),
        ] {
            assert_eq!(shown(&value, None), expect, "{value}");
        }
    }

    #[test]
    fn long_values_are_cut() {
        let long = "x".repeat(100);
        assert_eq!(shown(&json!({ "S": long }), Some(10)), "\"xxxxxx...");
        assert_eq!(shown(&json!({ "S": long }), None).len(), 102);
        assert_eq!(shown(&json!({"S": "12345678"}), Some(10)), "\"12345678\"");
        let binary = shown(&json!({ "B": long }), Some(1000));
        assert_eq!(binary, format!("base64({}...)", "x".repeat(21)));
    }

    #[test]
    fn odd_names_are_quoted() {
        for (given, expect) in [
            ("name", "name"),
            ("GSI1-PK", "GSI1-PK"),
            ("a.b", "\"a.b\""),
            ("-a", "\"-a\""),
            ("", "\"\""),
            ("a\u{7}", "\"a\\u{7}\""),
        ] {
            assert_eq!(name(given), expect);
        }
    }
}
