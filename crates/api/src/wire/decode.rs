//! Reads requests. A wrong JSON kind gives AWS's SerializationException text;
//! constraints are checked afterwards, because AWS reports those together.

use super::{
    echo::{Echo, Echoed},
    violations::{Path, Violations},
};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::{collections::BTreeMap, fmt, marker::PhantomData};

/// Why a request was refused before its operation began.
#[derive(Debug)]
pub enum RequestError {
    /// The body is not a JSON object of the right kinds; the text may be absent.
    Serialization(Option<String>),
    /// The constraints that do not hold.
    Violations(Violations),
}

/// Where a structure stands: AWS words a wrong kind differently for the two.
#[derive(Clone, Copy)]
pub enum Place {
    /// As a member of a structure.
    Member,
    /// As an element of a list or a map.
    Element,
}

/// Something that can be read from JSON as AWS reads it.
pub trait Shape: Sized {
    /// No list of them is longer in any request that makes sense; a longer one is refused
    /// before it takes memory.
    const MOST_IN_LIST: usize = usize::MAX;
    /// Reads one value.
    fn decode<'de, D: Deserializer<'de>>(from: D, place: Place) -> Result<Self, D::Error>;
}

/// A generated structure of a request.
pub trait Input: Default + Shape + Echoed {
    /// The structure's name in the model.
    const NAME: &'static str;
    /// Reads the member `name`; false if there is no such member.
    fn decode_member<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        map: &mut A,
    ) -> Result<bool, A::Error>;
    /// Reports the constraints that do not hold.
    fn check(&self, at: &Path<'_>, found: &mut Violations);
    /// Prints the members as AWS does inside violations.
    fn echo(&self, out: &mut Echo<'_>);
}

/// Reads a request and checks the model's constraints on it.
pub fn read<T: Input>(body: &[u8]) -> Result<T, RequestError> {
    let text = std::str::from_utf8(body).map_err(|_| RequestError::Serialization(None))?;
    let mut from = serde_json::Deserializer::from_str(text);
    // Depth is bounded by the shapes, by the nesting limit of attribute values,
    // and unknown members are skipped without recursion.
    from.disable_recursion_limit();
    let request: T = T::decode(&mut from, Place::Member)
        .and_then(|request| from.end().map(|()| request))
        // AWS parses before it converts: what is wrong with broken JSON is that it is broken.
        .map_err(|error| conversion_text(&error).filter(|_| is_json(body)))
        .map_err(RequestError::Serialization)?;
    let mut found = Violations::default();
    request.check(&Path::ROOT, &mut found);
    if found.is_empty() { Ok(request) } else { Err(RequestError::Violations(found)) }
}

/// Whether the body is JSON at all.
pub fn is_json(body: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(body) else { return false };
    let mut from = serde_json::Deserializer::from_str(text);
    from.disable_recursion_limit();
    from.deserialize_ignored_any(IgnoredAny).and_then(|_| from.end()).is_ok()
}

/// Our own text out of a serde_json error, or none where the JSON itself is broken.
fn conversion_text(error: &serde_json::Error) -> Option<String> {
    if !error.is_data() {
        return None;
    }
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    Some(text.strip_suffix(&position).unwrap_or(&text).to_owned())
}

/// Reads the member that a map stands at; null counts as absent.
pub fn member<'de, T: Shape, A: MapAccess<'de>>(map: &mut A) -> Result<Option<T>, A::Error> {
    map.next_value_seed(Nullable(Seed(Place::Member, PhantomData)))
}

pub(super) struct Seed<T>(pub(super) Place, pub(super) PhantomData<T>);

impl<'de, T: Shape> DeserializeSeed<'de> for Seed<T> {
    type Value = T;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<T, D::Error> {
        T::decode(from, self.0)
    }
}

/// Reads what the inner seed reads, or null as `None`.
pub(super) struct Nullable<S>(pub(super) S);

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Nullable<S> {
    type Value = Option<S::Value>;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_option(self)
    }
}

impl<'de, S: DeserializeSeed<'de>> Visitor<'de> for Nullable<S> {
    type Value = Option<S::Value>;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value or null")
    }
    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        self.0.deserialize(from).map(Some)
    }
}

/// The `visit_*` methods of a visitor that takes no scalar.
macro_rules! refuse_scalars {
    ($text:expr) => {
        fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
            Err(E::custom($text(&self)))
        }
        fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
            Err(E::custom($text(&self)))
        }
        fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
            Err(E::custom($text(&self)))
        }
        fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
            Err(E::custom($text(&self)))
        }
        fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
            Err(E::custom($text(&self)))
        }
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Err(E::custom($text(&self)))
        }
    };
}
pub(super) use refuse_scalars;

/// AWS's text for an object where it belongs nowhere.
pub(super) const STRUCTURE_NOT_EXPECTED: &str =
    "Start of structure or map found where not expected";

struct Structure<T>(Place, PhantomData<T>);

impl Place {
    fn scalar_text(self) -> &'static str {
        match self {
            Place::Member => "Unexpected field type",
            Place::Element => "Unexpected value type in payload",
        }
    }
}

pub(super) fn structure<'de, T: Input, D: Deserializer<'de>>(
    from: D,
    place: Place,
) -> Result<T, D::Error> {
    from.deserialize_any(Structure(place, PhantomData))
}

impl<'de, T: Input> Visitor<'de> for Structure<T> {
    type Value = T;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(T::NAME)
    }
    refuse_scalars!(|visitor: &Self| visitor.0.scalar_text());
    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<T, A::Error> {
        Err(A::Error::custom(format!(
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.{}",
            T::NAME
        )))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut read = T::default();
        while let Some(name) = map.next_key_seed(Name)? {
            if !read.decode_member(&name, &mut map)? {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(read)
    }
}

/// A member's name, borrowed from the request where it has no escapes.
pub(super) struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = std::borrow::Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = std::borrow::Cow<'de, str>;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a member name")
    }
    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(name.into())
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(name.to_owned().into())
    }
}

struct List<T>(PhantomData<T>);

impl<T: Shape> Shape for Vec<T> {
    fn decode<'de, D: Deserializer<'de>>(from: D, _: Place) -> Result<Self, D::Error> {
        from.deserialize_any(List(PhantomData))
    }
}

impl<'de, T: Shape> Visitor<'de> for List<T> {
    type Value = Vec<T>;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list")
    }
    refuse_scalars!(|_: &Self| "Unexpected field type");
    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Vec<T>, A::Error> {
        Err(A::Error::custom(STRUCTURE_NOT_EXPECTED))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element_seed(Seed(Place::Element, PhantomData))? {
            if list.len() == T::MOST_IN_LIST {
                return Err(A::Error::custom("Too many elements in a list"));
            }
            list.push(element);
        }
        Ok(list)
    }
}

struct Entries<T>(PhantomData<T>);

impl<T: Shape> Shape for BTreeMap<String, T> {
    fn decode<'de, D: Deserializer<'de>>(from: D, _: Place) -> Result<Self, D::Error> {
        from.deserialize_any(Entries(PhantomData))
    }
}

impl<'de, T: Shape> Visitor<'de> for Entries<T> {
    type Value = BTreeMap<String, T>;
    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a map")
    }
    refuse_scalars!(|_: &Self| "Unexpected field type");
    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom("Unrecognized collection type java.util.Map"))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some(name) = map.next_key_seed(Name)? {
            let value = map.next_value_seed(Nullable(Seed(Place::Element, PhantomData)))?;
            if let Some(value) = value {
                entries.insert(name.into_owned(), value);
            }
        }
        Ok(entries)
    }
}
