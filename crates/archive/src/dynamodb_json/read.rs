//! Reads lines of DynamoDB JSON. Recursion is bounded twice: by the levels an item may have, and by
//! the reader's own limit for what is skipped.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::de::{Deserialize, SeqAccess};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use value::{Item, MAX_DEPTH, Number, Value, ValueError};

use crate::bad::check_name;
use crate::{BadItem, NetChange};

/// The item of a line.
pub fn read_item(line: &[u8]) -> Result<Item, BadItem> {
    let parts = read(line)?;
    parts.item.ok_or_else(|| missing("Item"))
}

/// The change of a line.
pub fn read_change(line: &[u8]) -> Result<NetChange, BadItem> {
    let parts = read(line)?;
    Ok(NetChange {
        written_micros: parts.written_micros.ok_or_else(|| missing("Metadata"))?,
        keys: parts.keys.ok_or_else(|| missing("Keys"))?,
        new_image: parts.new_image,
        old_image: parts.old_image,
    })
}

fn missing(member: &str) -> BadItem {
    BadItem::Syntax(format!("the line has no member {member}"))
}

#[derive(Default)]
struct Parts {
    item: Option<Item>,
    written_micros: Option<u64>,
    keys: Option<Item>,
    new_image: Option<Item>,
    old_image: Option<Item>,
}

fn read(line: &[u8]) -> Result<Parts, BadItem> {
    // serde's errors are texts, so a refused value is handed out beside them.
    let refused = RefCell::new(None);
    let mut from = serde_json::Deserializer::from_slice(line);
    let outcome = LineSeed { refused: &refused }
        .deserialize(&mut from)
        .and_then(|parts| from.end().map(|()| parts));
    outcome.map_err(|error| match refused.take() {
        Some(refused) => BadItem::Value(refused),
        None => BadItem::Syntax(error.to_string()),
    })
}

type Refused = RefCell<Option<ValueError>>;

fn refuse<E: serde::de::Error>(refused: &Refused, error: ValueError) -> E {
    let text = error.to_string();
    refused.replace(Some(error));
    E::custom(text)
}

/// A string that is copied only if it has escapes.
struct Text<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        from.deserialize_str(TextVisitor)
    }
}

struct LineSeed<'r> {
    refused: &'r Refused,
}

impl<'de> DeserializeSeed<'de> for LineSeed<'_> {
    type Value = Parts;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Parts, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for LineSeed<'_> {
    type Value = Parts;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object with an item or a change")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parts, A::Error> {
        let mut parts = Parts::default();
        while let Some(Text(name)) = map.next_key()? {
            let slot = match name.as_ref() {
                "Item" => &mut parts.item,
                "Keys" => &mut parts.keys,
                "NewImage" => &mut parts.new_image,
                "OldImage" => &mut parts.old_image,
                "Metadata" => {
                    parts.written_micros = map.next_value::<Metadata>()?.0;
                    continue;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            let seed = MapSeed { depth: 1, refused: self.refused };
            if slot.replace(map.next_value_seed(seed)?).is_some() {
                return Err(A::Error::custom(format!("{name} is there twice")));
            }
        }
        Ok(parts)
    }
}

/// `{"WriteTimestampMicros": {"N": "1"}}`, or with a plain string as the guide shows it.
struct Metadata(Option<u64>);

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Members {
            write_timestamp_micros: Option<Time>,
        }
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Time {
            Plain(String),
            Typed {
                #[serde(rename = "N")]
                n: String,
            },
        }
        let time = Members::deserialize(from)?.write_timestamp_micros;
        let text = time.map(|(Time::Plain(text) | Time::Typed { n: text })| text);
        let micros = text.map(|text| text.parse().map_err(D::Error::custom)).transpose()?;
        Ok(Metadata(micros))
    }
}

/// Reads attributes by name, at a level of nesting; an item is the first.
struct MapSeed<'r> {
    depth: usize,
    refused: &'r Refused,
}

impl<'de> DeserializeSeed<'de> for MapSeed<'_> {
    type Value = Item;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Item, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for MapSeed<'_> {
    type Value = Item;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("attributes by name")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
        let mut item = Item::new();
        while let Some(Text(name)) = map.next_key()? {
            check_name(&name).map_err(|error| refuse(self.refused, error))?;
            let seed = ValueSeed { depth: self.depth, refused: self.refused };
            item.insert(name.into_owned(), map.next_value_seed(seed)?);
        }
        Ok(item)
    }
}

struct ListSeed<'r> {
    depth: usize,
    refused: &'r Refused,
}

impl<'de> DeserializeSeed<'de> for ListSeed<'_> {
    type Value = Vec<Value>;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Vec<Value>, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ListSeed<'_> {
    type Value = Vec<Value>;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of attribute values")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<Value>, A::Error> {
        let mut list = Vec::new();
        while let Some(element) =
            elements.next_element_seed(ValueSeed { depth: self.depth, refused: self.refused })?
        {
            list.push(element);
        }
        Ok(list)
    }
}

/// Reads `{"S": ...}` inside a container of that level.
struct ValueSeed<'r> {
    depth: usize,
    refused: &'r Refused,
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an attribute value with its type")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let Some(Text(name)) = map.next_key()? else {
            return Err(refuse(self.refused, ValueError::Empty));
        };
        let made = match name.as_ref() {
            "S" => Ok(Value::S(map.next_value()?)),
            "N" => map.next_value().map(|Text(text)| number(&text))?.map(Value::N),
            "B" => Ok(Value::B(map.next_value::<Blob>()?.0)),
            "BOOL" => Ok(Value::Bool(map.next_value()?)),
            "NULL" if map.next_value()? => Ok(Value::Null),
            "NULL" => Err(ValueError::NullMustBeTrue),
            "SS" => Value::string_set(map.next_value()?),
            "NS" => {
                let texts: Vec<Text<'_>> = map.next_value()?;
                let numbers: Result<_, ValueError> =
                    texts.iter().map(|Text(text)| number(text)).collect();
                numbers.and_then(Value::number_set)
            }
            "BS" => {
                let blobs: Vec<Blob> = map.next_value()?;
                Value::binary_set(blobs.into_iter().map(|blob| blob.0).collect())
            }
            "L" | "M" if self.depth >= MAX_DEPTH => Err(ValueError::TooDeep),
            "L" => {
                let seed = ListSeed { depth: self.depth + 1, refused: self.refused };
                Ok(Value::L(map.next_value_seed(seed)?))
            }
            "M" => {
                let seed = MapSeed { depth: self.depth + 1, refused: self.refused };
                Ok(Value::M(map.next_value_seed(seed)?))
            }
            other => return Err(A::Error::custom(format!("{other} is no type of a value"))),
        };
        let value = made.map_err(|error| refuse(self.refused, error))?;
        match map.next_key::<IgnoredAny>()? {
            None => Ok(value),
            Some(_) => Err(refuse(self.refused, ValueError::SeveralTypes)),
        }
    }
}

fn number(text: &str) -> Result<Number, ValueError> {
    Number::parse(text).map_err(ValueError::Number)
}

struct Blob(Vec<u8>);

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Text(text) = Text::deserialize(from)?;
        STANDARD.decode(text.as_bytes()).map(Blob).map_err(D::Error::custom)
    }
}
