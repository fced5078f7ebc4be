//! Attribute values of the model, as requests and answers write them, and their sizes.

use super::decimal::Decimal;
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// An item: attributes by name.
pub type Item = BTreeMap<String, Value>;

/// An attribute's value. Equality is that of DynamoDB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    S(String),
    N(Decimal),
    B(Vec<u8>),
    Bool(bool),
    Null,
    Ss(BTreeSet<String>),
    Ns(BTreeSet<Decimal>),
    Bs(BTreeSet<Vec<u8>>),
    L(Vec<Value>),
    M(Item),
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    S,
    N,
    B,
    Bool,
    Null,
    Ss,
    Ns,
    Bs,
    L,
    M,
}

impl Kind {
    /// All types.
    pub const ALL: [Kind; 10] = [
        Kind::S,
        Kind::N,
        Kind::B,
        Kind::Bool,
        Kind::Null,
        Kind::Ss,
        Kind::Ns,
        Kind::Bs,
        Kind::L,
        Kind::M,
    ];

    /// Its name in requests and answers.
    pub fn name(self) -> &'static str {
        match self {
            Kind::S => "S",
            Kind::N => "N",
            Kind::B => "B",
            Kind::Bool => "BOOL",
            Kind::Null => "NULL",
            Kind::Ss => "SS",
            Kind::Ns => "NS",
            Kind::Bs => "BS",
            Kind::L => "L",
            Kind::M => "M",
        }
    }
}

/// How numbers are written.
#[derive(Clone, Copy)]
enum Form {
    /// As answers have them.
    Plain,
    /// Some with an exponent, which the server has to undo.
    Mixed,
}

impl Value {
    /// Its type.
    pub fn kind(&self) -> Kind {
        match self {
            Value::S(_) => Kind::S,
            Value::N(_) => Kind::N,
            Value::B(_) => Kind::B,
            Value::Bool(_) => Kind::Bool,
            Value::Null => Kind::Null,
            Value::Ss(_) => Kind::Ss,
            Value::Ns(_) => Kind::Ns,
            Value::Bs(_) => Kind::Bs,
            Value::L(_) => Kind::L,
            Value::M(_) => Kind::M,
        }
    }

    /// What it adds to the size of an item.
    pub fn size(&self) -> u64 {
        match self {
            Value::S(text) => text.len() as u64,
            Value::N(number) => number.size(),
            Value::B(bytes) => bytes.len() as u64,
            Value::Bool(_) | Value::Null => 1,
            Value::Ss(set) => set.iter().map(|text| text.len() as u64).sum(),
            Value::Ns(set) => set.iter().map(Decimal::size).sum(),
            Value::Bs(set) => set.iter().map(|bytes| bytes.len() as u64).sum(),
            Value::L(list) => 3 + list.iter().map(|value| 1 + value.size()).sum::<u64>(),
            Value::M(map) => 3 + map.len() as u64 + item_size(map),
        }
    }

    /// Levels of lists and maps.
    pub fn depth(&self) -> usize {
        match self {
            Value::L(list) => 1 + list.iter().map(Value::depth).max().unwrap_or(0),
            Value::M(map) => 1 + map.values().map(Value::depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// The value in a request.
    pub fn request(&self) -> Json {
        self.json(Form::Mixed)
    }

    fn json(&self, form: Form) -> Json {
        let content = match self {
            Value::S(text) => json!(text),
            Value::N(number) => json!(form.number(number)),
            Value::B(bytes) => json!(base64(bytes)),
            Value::Bool(truth) => json!(truth),
            Value::Null => json!(true),
            Value::Ss(set) => json!(set),
            Value::Ns(set) => set.iter().map(|number| form.number(number)).collect(),
            Value::Bs(set) => set.iter().map(|bytes| base64(bytes)).collect(),
            Value::L(list) => list.iter().map(|value| value.json(form)).collect(),
            Value::M(map) => item_json(map, form),
        };
        Json::Object(Map::from_iter([(self.kind().name().to_owned(), content)]))
    }
}

impl Form {
    fn number(self, number: &Decimal) -> String {
        match self {
            Form::Plain => number.to_string(),
            Form::Mixed => {
                let (plain, scientific) = (number.to_string(), number.scientific());
                if scientific.len() % 3 == 1 { scientific } else { plain }
            }
        }
    }
}

/// An item in a request.
pub fn item_request(item: &Item) -> Json {
    item_json(item, Form::Mixed)
}

/// An item in an answer, with its sets in order.
pub fn item_answer(item: &Item) -> Json {
    let mut json = item_json(item, Form::Plain);
    sort_sets_of_item(&mut json);
    json
}

fn item_json(item: &Item, form: Form) -> Json {
    Json::Object(item.iter().map(|(name, value)| (name.clone(), value.json(form))).collect())
}

/// The size of an item.
pub fn item_size(item: &Item) -> u64 {
    item.iter().map(|(name, value)| name.len() as u64 + value.size()).sum()
}

/// Puts the elements of all sets in the order of their texts, since answers have them in any.
pub fn sort_sets_of_item(item: &mut Json) {
    for (_, value) in item.as_object_mut().into_iter().flatten() {
        sort_sets(value);
    }
}

fn sort_sets(value: &mut Json) {
    for (kind, content) in value.as_object_mut().into_iter().flatten() {
        match (kind.as_str(), content) {
            ("SS" | "NS" | "BS", Json::Array(elements)) => {
                elements.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            }
            ("L", Json::Array(elements)) => elements.iter_mut().for_each(sort_sets),
            ("M", map) => sort_sets_of_item(map),
            _ => {}
        }
    }
}

/// Base64 with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS.get((bits >> (18 - 6 * place) & 63) as usize);
            let padding = place > group.len();
            text.push(if padding { '=' } else { char::from(letter.copied().unwrap_or(b'=')) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_is_base64() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
        ] {
            assert_eq!(base64(bytes), text);
        }
    }

    #[test]
    fn sizes_are_names_and_values() {
        let number = |n| Value::N(Decimal::new(n, 0));
        let map = Item::from([("xy".to_owned(), Value::Bool(true)), ("z".to_owned(), number(-42))]);
        let item = Item::from([
            ("text".to_owned(), Value::S("\u{e9}a".to_owned())),
            ("list".to_owned(), Value::L(vec![Value::Null, Value::B(vec![1, 2, 3])])),
            ("map".to_owned(), Value::M(map)),
            ("set".to_owned(), Value::Ns(BTreeSet::from([Decimal::new(7, 0), Decimal::new(0, 0)]))),
        ]);
        let (text, list, map, set) = (4 + 3, 4 + 3 + 2 + 4, 3 + 3 + 1 + 3 + 1 + 4, 3 + 3);
        assert_eq!(item_size(&item), text + list + map + set);
    }

    #[test]
    fn only_sets_are_sorted() {
        let mut found = json!({
            "SS": {"SS": ["b", "a"]},
            "l": {"L": [{"NS": ["2", "10"]}, {"N": "1"}]},
            "m": {"M": {"L": {"L": [{"S": "b"}, {"S": "a"}]}}},
        });
        sort_sets_of_item(&mut found);
        assert_eq!(
            found,
            json!({
                "SS": {"SS": ["a", "b"]},
                "l": {"L": [{"NS": ["10", "2"]}, {"N": "1"}]},
                "m": {"M": {"L": {"L": [{"S": "b"}, {"S": "a"}]}}},
            })
        );
    }
}
