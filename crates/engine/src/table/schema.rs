//! Key schemas, with the types of their attributes resolved.

use serde::{Deserialize, Serialize};
use value::KeyType;

/// One attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyAttribute {
    /// The attribute's name.
    pub name: String,
    /// Its type.
    #[serde(with = "key_type")]
    pub kind: KeyType,
}

/// The key of a table or an index. Tables and local indexes have one partition
/// attribute and at most one sort attribute; global indexes up to four of each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeySchema {
    /// The attributes that choose the partition.
    pub partition: Vec<KeyAttribute>,
    /// The attributes that order a partition.
    pub sort: Vec<KeyAttribute>,
}

impl KeySchema {
    /// All attributes, partition first.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }

    /// How many attributes there are.
    pub fn len(&self) -> usize {
        self.partition.len() + self.sort.len()
    }

    /// A schema has at least one attribute; here for completeness.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Key types in records, by the letter DynamoDB uses.
mod key_type {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use value::KeyType;

    pub fn serialize<S: Serializer>(kind: &KeyType, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<KeyType, D::Error> {
        let name = String::deserialize(from)?;
        KeyType::from_name(&name).ok_or_else(|| D::Error::custom("unknown key type"))
    }
}
