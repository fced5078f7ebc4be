//! Spoils good bodies: their JSON, or their bytes.

use super::requests::{Requests, pick};
use crate::random::Random;
use serde_json::{Map, Number, Value, json};

/// Stands for text that no JSON value can hold; put in when the body is written.
const HOLE: &str = "%HOLE%";
/// Bodies stay well below the limit of a request, or a million of them would take days.
const MOST_BYTES: usize = 64 * 1024;
/// One in so many bodies has something that is really large.
const RARELY: u64 = 300;

const WORDS: [&str; 40] = [
    "(",
    ")",
    "AND",
    "OR",
    "NOT",
    "BETWEEN",
    "IN",
    "#",
    ":",
    ".",
    "[",
    "]",
    ",",
    "=",
    "<>",
    "<",
    ">=",
    "attribute_exists",
    "size",
    "begins_with",
    "contains",
    "SET",
    "REMOVE",
    "ADD",
    "DELETE",
    "+",
    "-",
    "1",
    "99999999999999999999",
    "if_not_exists(",
    "list_append(",
    "'",
    "\"",
    "<<",
    ">>",
    "?",
    "--",
    "*",
    "\u{0}",
    "\u{1F600}",
];
const NUMBERS: [&str; 16] = [
    "1e999",
    "-1e-999",
    "NaN",
    "Infinity",
    "-0",
    "00",
    "1E+",
    "0x1",
    "",
    " 1",
    "1 ",
    "1_000",
    "1e126",
    "9.9999999999999999999999999999999999999E+125",
    "123456789012345678901234567890123456789",
    ".",
];
const NAMES: [&str; 12] =
    ["", "S", "N", "M", "L", "TableName", "tablename", "__type", "\u{0}", "Item", "NULL", "SS"];
/// Text that JSON allows, or nearly.
const TEXTS: [&str; 14] = [
    "1e400",
    "-1e-400",
    "123456789012345678901234567890",
    "0.1e1",
    "1.",
    "01",
    "+1",
    "nul",
    "tru",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\"\\x\"",
    "{\"a\":1,\"a\":2}",
    "'x'",
];
const BROKEN_UTF8: [&[u8]; 7] =
    [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82", b"\x80", b"\xfe\xff"];

/// A body whose JSON is spoilt in a few places.
pub fn json(body: &Value, requests: &Requests, random: &mut Random) -> Vec<u8> {
    let mut body = body.clone();
    let mut hole = None;
    for _ in 0..random.between(1, 4) {
        let place = random.between(0, count(&body));
        if let Some(node) = nth(&mut body, &mut { place }) {
            change(node, requests, random, &mut hole);
        }
    }
    let mut text = body.to_string();
    if let Some(hole) = hole {
        text = text.replacen(&format!("\"{HOLE}\""), &hole, 1);
    }
    text.into_bytes()
}

/// A body with bytes changed, taken out or put in, wherever that is.
pub fn bytes(body: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = body.to_vec();
    for _ in 0..random.between(1, 6) {
        let at = index(random, bytes.len() as u64 + 1);
        let until = (at + index(random, 20)).min(bytes.len());
        match random.between(0, 8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..until)),
            2 => {
                let piece = bytes.get(at..until).unwrap_or_default().to_vec();
                bytes.splice(at..at, piece);
            }
            3 => {
                let piece = pick(&BROKEN_UTF8, random).copied().unwrap_or_default();
                bytes.splice(at..at, piece.iter().copied());
            }
            4 => {
                let piece: Vec<u8> =
                    (0..random.between(1, 40)).map(|_| random.next() as u8).collect();
                bytes.splice(at..at, piece);
            }
            5 => {
                let piece = pick(&TEXTS, random).copied().unwrap_or_default();
                bytes.splice(at..until, piece.bytes());
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.between(0, 8);
                }
            }
        }
    }
    bytes
}

fn change(node: &mut Value, requests: &Requests, random: &mut Random, hole: &mut Option<String>) {
    match random.between(0, 14) {
        0 => *node = scalar(random),
        1 => *node = json!([]),
        2 => *node = json!({}),
        3 => {
            let mut other = requests.any(random).body.clone();
            let place = random.between(0, count(&other));
            if let Some(part) = nth(&mut other, &mut { place }) {
                *node = part.take();
            }
        }
        4 => {
            *hole = Some(nest(random));
            *node = json!(HOLE);
        }
        5 => {
            *hole = pick(&TEXTS, random).map(|&text| text.to_owned());
            *node = json!(HOLE);
        }
        6 => *node = json!({ "M": { "a": node.take() } }),
        _ => match node {
            Value::String(text) => change_text(text, random),
            Value::Array(values) => change_list(values, random),
            Value::Object(members) => change_members(members, random),
            _ => *node = scalar(random),
        },
    }
}

fn change_text(text: &mut String, random: &mut Random) {
    let chars: Vec<char> = text.chars().collect();
    let at = index(random, chars.len() as u64 + 1);
    let (before, after) = chars.split_at(at.min(chars.len()));
    let (mut changed, rest): (String, String) = (before.iter().collect(), after.iter().collect());
    match random.between(0, 8) {
        0 => {
            let length = long(random);
            random.letters(length, &mut changed);
        }
        1..5 => {
            changed.push(' ');
            changed.push_str(pick(&WORDS, random).copied().unwrap_or_default());
            changed.push(' ');
        }
        5 => changed.push(char::from_u32(random.between(0, 0x11_0000) as u32).unwrap_or('\u{7f}')),
        6 => return text.truncate(before.iter().map(|c| c.len_utf8()).sum()),
        _ => {
            *text = pick(&NUMBERS, random).copied().unwrap_or_default().to_owned();
            return;
        }
    }
    changed.push_str(&rest);
    *text = changed;
}

fn change_list(values: &mut Vec<Value>, random: &mut Random) {
    let at = index(random, values.len() as u64);
    match random.between(0, 4) {
        0 if at < values.len() => drop(values.remove(at)),
        1 => values.push(scalar(random)),
        2 => values.reverse(),
        _ => {
            let Some(value) = values.get(at).cloned() else { return };
            let times = (long(random) / value.to_string().len().max(1)).max(1);
            values.extend(std::iter::repeat_n(value, times));
        }
    }
}

fn change_members(members: &mut Map<String, Value>, random: &mut Random) {
    let keys: Vec<String> = members.keys().cloned().collect();
    let key = pick(&keys, random).cloned().unwrap_or_default();
    match random.between(0, 5) {
        0 => drop(members.remove(&key)),
        1 => {
            let name = pick(&NAMES, random).copied().unwrap_or_default();
            let value = members.remove(&key).unwrap_or_default();
            members.insert(name.to_owned(), value);
        }
        2 => {
            let mut name = key.clone();
            change_text(&mut name, random);
            let value = members.remove(&key).unwrap_or_default();
            members.insert(name, value);
        }
        3 => {
            for number in 0..long(random) / 20 {
                members.insert(format!("a{number}"), json!({"N": "1"}));
            }
        }
        _ => drop(members.insert("Unknown".to_owned(), scalar(random))),
    }
}

fn scalar(random: &mut Random) -> Value {
    match random.between(0, 9) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => Number::from_f64(random.next() as f64 / 1e10).map_or(Value::Null, Value::Number),
        5 => json!(""),
        6 => json!({"S": "x"}),
        7 => json!({"L": [{"N": "1"}, {"NULL": true}]}),
        _ => json!(pick(&NUMBERS, random)),
    }
}

/// Something nested: as deep as a value may be, a little deeper, or without reason.
fn nest(random: &mut Random) -> String {
    let depth = match random.between(0, 4) {
        0 => random.between(28, 36),
        1 => random.between(36, 300),
        _ => long(random) as u64,
    };
    let depth = usize::try_from(depth).unwrap_or(0);
    let (open, inner, close) = match random.between(0, 4) {
        0 => ("[", "", "]"),
        1 => ("{\"M\":{\"a\":", "{\"S\":\"x\"}", "}}"),
        2 => ("{\"L\":[", "{\"N\":\"1\"}", "]}"),
        _ => ("{\"a\":", "1", "}"),
    };
    // Sometimes nobody closes it.
    let closing = if random.percent(80) { depth } else { 0 };
    format!("{}{inner}{}", open.repeat(depth), close.repeat(closing))
}

/// How long something long is; rarely it is really long.
fn long(random: &mut Random) -> usize {
    let most = if random.between(0, RARELY) == 0 { 20 * MOST_BYTES } else { MOST_BYTES / 16 };
    usize::try_from(random.spread(1, most as u64)).unwrap_or(1)
}

fn index(random: &mut Random, below: u64) -> usize {
    usize::try_from(random.between(0, below)).unwrap_or(0)
}

fn count(value: &Value) -> u64 {
    1 + match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

fn nth<'a>(value: &'a mut Value, place: &mut u64) -> Option<&'a mut Value> {
    if *place == 0 {
        return Some(value);
    }
    *place -= 1;
    match value {
        Value::Array(values) => values.iter_mut().find_map(|value| nth(value, place)),
        Value::Object(members) => members.values_mut().find_map(|value| nth(value, place)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_can_be_chosen() {
        let mut value = json!({"a": [1, 2], "b": {"c": "d"}});
        assert_eq!(count(&value), 6);
        let mut seen = Vec::new();
        for place in 0..6 {
            seen.push(nth(&mut value, &mut { place }).unwrap().to_string());
        }
        seen.dedup();
        assert_eq!(seen.len(), 6);
        assert!(nth(&mut value, &mut 6).is_none());
    }

    #[test]
    fn bytes_are_spoilt_in_place_and_repeatably() {
        let body = br#"{"TableName":"abuse"}"#;
        let spoilt: Vec<Vec<u8>> =
            (0..200).map(|seed| bytes(body, &mut Random::new(seed))).collect();
        assert!(spoilt.iter().filter(|bytes| bytes.as_slice() != body).count() > 150);
        assert_eq!(bytes(body, &mut Random::new(5)), spoilt[5]);
        assert!(spoilt.iter().any(|bytes| std::str::from_utf8(bytes).is_err()));
    }
}
