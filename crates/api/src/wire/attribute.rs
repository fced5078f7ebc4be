//! Attribute values on the wire. A value that AWS would refuse is kept as its
//! error, because other checks of the request come first.

use super::{
    Json,
    decode::{Name, Nullable, Place, STRUCTURE_NOT_EXPECTED, Seed, Shape, refuse_scalars},
    echo::Echoed,
    encode::{Body, ObjectWriter, base64_text, list, number_text, text},
    scalar::Blob,
    stored::write_stored,
};
use bytes::Bytes;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::{fmt, marker::PhantomData};
use value::{Item, MAX_DEPTH, Number, Value, ValueError};

/// A value as it was sent: usable or not.
#[derive(Debug, Clone)]
pub enum AttributeValue {
    /// A usable value.
    Value(Value),
    /// A value AWS refuses, and why.
    Invalid(ValueError),
}

impl AttributeValue {
    /// The value, or why it is refused.
    pub fn into_value(self) -> Result<Value, ValueError> {
        match self {
            AttributeValue::Value(value) => Ok(value),
            AttributeValue::Invalid(error) => Err(error),
        }
    }
}

/// A map of values: an item, a key, or part of one.
#[derive(Debug, Clone)]
pub enum AttributeMap {
    /// A usable map.
    Item(Item),
    /// An item as the store holds it; it goes out without being taken apart.
    Encoded(Bytes),
    /// A map with a value AWS refuses, and why.
    Invalid(ValueError),
}

impl AttributeMap {
    /// The item, or why it is refused.
    pub fn into_item(self) -> Result<Item, ValueError> {
        match self {
            AttributeMap::Item(item) => Ok(item),
            AttributeMap::Invalid(error) => Err(error),
            // Only answers hold encoded items.
            AttributeMap::Encoded(_) => Ok(Item::new()),
        }
    }
}

/// The longest attribute name.
const MAX_NAME_BYTES: usize = 65_535;
/// The item itself is the first level of nesting.
const ITEM_DEPTH: usize = 1;

/// Where a value stands, and what becomes of one that nests too deep.
#[derive(Clone, Copy)]
struct Depth {
    level: usize,
    /// Whether it is cut off one level below the limit, which leaves it too deep for any
    /// item, instead of being refused at once.
    cut: bool,
}

impl Depth {
    fn below(self) -> Depth {
        Depth { level: self.level + 1, ..self }
    }

    fn too_deep<T: Default>(self) -> Result<T, ValueError> {
        if self.cut { Ok(T::default()) } else { Err(ValueError::TooDeep) }
    }
}

impl Shape for AttributeValue {
    fn decode<'de, D: Deserializer<'de>>(from: D, _: Place) -> Result<Self, D::Error> {
        // Such a value may never reach an item: how deep it nests is the item's concern.
        let depth = Depth { level: ITEM_DEPTH, cut: true };
        let decoded = ValueSeed { depth }.deserialize(from)?;
        Ok(match decoded {
            Ok(value) => AttributeValue::Value(value),
            Err(error) => AttributeValue::Invalid(error),
        })
    }
}

impl Shape for AttributeMap {
    fn decode<'de, D: Deserializer<'de>>(from: D, _: Place) -> Result<Self, D::Error> {
        let depth = Depth { level: ITEM_DEPTH, cut: false };
        let decoded = MapSeed { depth }.deserialize(from)?;
        Ok(match decoded {
            Ok(item) => AttributeMap::Item(item),
            Err(error) => AttributeMap::Invalid(error),
        })
    }
}

/// Reads `{"S": ...}` standing inside a container of the given depth.
struct ValueSeed {
    depth: Depth,
}

impl<'de> DeserializeSeed<'de> for ValueSeed {
    type Value = Result<Value, ValueError>;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed {
    type Value = Result<Value, ValueError>;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an attribute value")
    }
    refuse_scalars!(|_: &Self| "Unexpected value type in payload");
    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        let text =
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue";
        Err(A::Error::custom(text))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        let mut several = false;
        while let Some(name) = map.next_key_seed(Name)? {
            let read = match name.as_ref() {
                "S" => scalar::<String, A>(&mut map)?.map(|s| Ok(Value::S(s))),
                "N" => scalar::<String, A>(&mut map)?.map(|text| number(&text).map(Value::N)),
                "B" => scalar::<Blob, A>(&mut map)?.map(|blob| Ok(Value::B(blob.0))),
                "BOOL" => scalar::<bool, A>(&mut map)?.map(|truth| Ok(Value::Bool(truth))),
                "NULL" => scalar::<bool, A>(&mut map)?.map(null),
                "SS" => scalar::<Vec<String>, A>(&mut map)?.map(Value::string_set),
                "NS" => scalar::<Vec<String>, A>(&mut map)?.map(number_set),
                "BS" => scalar::<Vec<Blob>, A>(&mut map)?.map(binary_set),
                "L" => {
                    let list =
                        map.next_value_seed(Nullable(ListSeed { depth: self.depth.below() }))?;
                    list.map(|list| list.map(Value::L))
                }
                "M" => {
                    let entries =
                        map.next_value_seed(Nullable(MapSeed { depth: self.depth.below() }))?;
                    entries.map(|entries| entries.map(Value::M))
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    None
                }
            };
            if read.is_some() {
                several |= found.is_some();
                found = read;
            }
        }
        Ok(match found {
            _ if several => Err(ValueError::SeveralTypes),
            Some(value) => value,
            None => Err(ValueError::Empty),
        })
    }
}

fn scalar<'de, T: Shape, A: MapAccess<'de>>(map: &mut A) -> Result<Option<T>, A::Error> {
    map.next_value_seed(Nullable(Seed::<T>(Place::Member, PhantomData)))
}

fn number(text: &str) -> Result<Number, ValueError> {
    Number::parse(text).map_err(ValueError::Number)
}

fn null(truth: bool) -> Result<Value, ValueError> {
    if truth { Ok(Value::Null) } else { Err(ValueError::NullMustBeTrue) }
}

fn number_set(texts: Vec<String>) -> Result<Value, ValueError> {
    let numbers: Result<Vec<Number>, ValueError> = texts.iter().map(|text| number(text)).collect();
    Value::number_set(numbers?)
}

fn binary_set(blobs: Vec<Blob>) -> Result<Value, ValueError> {
    Value::binary_set(blobs.into_iter().map(|blob| blob.0).collect())
}

struct ListSeed {
    depth: Depth,
}

impl<'de> DeserializeSeed<'de> for ListSeed {
    type Value = Result<Vec<Value>, ValueError>;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ListSeed {
    type Value = Result<Vec<Value>, ValueError>;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of attribute values")
    }
    refuse_scalars!(|_: &Self| "Unexpected field type");
    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(STRUCTURE_NOT_EXPECTED))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        if self.depth.level > MAX_DEPTH {
            while elements.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(self.depth.too_deep());
        }
        let mut list = Ok(Vec::new());
        while let Some(element) = elements.next_element_seed(ValueSeed { depth: self.depth })? {
            keep(&mut list, element, Vec::push);
        }
        Ok(list)
    }
}

struct MapSeed {
    depth: Depth,
}

impl<'de> DeserializeSeed<'de> for MapSeed {
    type Value = Result<Item, ValueError>;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MapSeed {
    type Value = Result<Item, ValueError>;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a map of attribute values")
    }
    refuse_scalars!(|_: &Self| "Unexpected field type");
    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(
            "Unrecognized collection type java.util.Map<java.lang.String, \
             com.amazonaws.dynamodb.v20120810.AttributeValue>",
        ))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        if self.depth.level > MAX_DEPTH {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(self.depth.too_deep());
        }
        // Sorted once at the end. Of a name that comes again the last value counts.
        let mut item = Ok(Vec::new());
        while let Some(name) = map.next_key_seed(Name)? {
            let value = map.next_value_seed(Nullable(ValueSeed { depth: self.depth }))?;
            let Some(value) = value else { continue };
            let value = match name.len() {
                0 => Err(ValueError::EmptyAttributeName),
                length if length > MAX_NAME_BYTES => Err(ValueError::AttributeNameTooLong),
                _ => value,
            };
            keep(&mut item, value, |item, value| item.push((name.into_owned(), value)));
        }
        Ok(item.map(Item::from_iter))
    }
}

/// Adds a value to what was read so far; the first refused value decides.
fn keep<T>(
    so_far: &mut Result<T, ValueError>,
    value: Result<Value, ValueError>,
    add: impl FnOnce(&mut T, Value),
) {
    if let Ok(collected) = so_far {
        match value {
            Ok(value) => add(collected, value),
            Err(error) => *so_far = Err(error),
        }
    }
}

impl Echoed for AttributeValue {
    fn echo(&self, out: &mut String) {
        out.push_str("AttributeValue");
    }
}

impl Echoed for AttributeMap {
    fn echo(&self, out: &mut String) {
        out.push('{');
        if let AttributeMap::Item(item) = self {
            for (i, name) in item.keys().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                out.push_str(name);
                out.push_str("=AttributeValue");
            }
        }
        out.push('}');
    }
}

impl Json for AttributeValue {
    fn write(&self, out: &mut Body) {
        match self {
            AttributeValue::Value(value) => write_value(value, out),
            AttributeValue::Invalid(_) => out.extend(b"{}"),
        }
    }
}

impl Json for AttributeMap {
    fn write(&self, out: &mut Body) {
        match self {
            AttributeMap::Item(item) => write_item(item, out),
            AttributeMap::Encoded(bytes) => {
                out.reserve(self.size());
                if let Err(error) = write_stored(bytes, out) {
                    out.damaged(error);
                }
            }
            AttributeMap::Invalid(_) => out.extend(b"{}"),
        }
    }

    fn size(&self) -> usize {
        match self {
            // Names of types, quotes and braces take about as much as short values do.
            AttributeMap::Encoded(bytes) => 2 * bytes.len(),
            AttributeMap::Item(_) | AttributeMap::Invalid(_) => 0,
        }
    }
}

fn write_item(item: &Item, out: &mut Body) {
    let mut object = ObjectWriter::open(out);
    for (name, value) in item {
        write_value(value, object.name(name));
    }
    object.close();
}

/// Writes `{"<type>": ...}`.
fn typed<T>(name: &'static str, out: &mut Body, write: impl FnOnce(&mut Body) -> T) -> T {
    out.extend(b"{\"");
    out.extend(name.as_bytes());
    out.extend(b"\":");
    let written = write(out);
    out.push(b'}');
    written
}

fn write_value(value: &Value, out: &mut Body) {
    typed(value.type_name(), out, |out| match value {
        Value::S(string) => text(string, out),
        Value::N(number) => number_text(number, out),
        Value::B(bytes) => base64_text(bytes, out),
        Value::Bool(truth) => truth.write(out),
        Value::Null => true.write(out),
        Value::L(values) => list(values.iter(), out, write_value),
        Value::M(map) => write_item(map, out),
        Value::Ss(strings) => list(strings.iter(), out, |s, out| text(s, out)),
        Value::Ns(numbers) => list(numbers.iter(), out, number_text),
        Value::Bs(blobs) => list(blobs.iter(), out, |b, out| base64_text(b, out)),
    });
}
