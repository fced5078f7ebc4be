//! Attribute definitions and key schemas.

use crate::{
    error::ApiError,
    wire::{AttributeDefinition, Enumeration, KeySchemaElement, KeyType as WireKeyType},
};
use engine::table::{KeyAttribute, KeySchema};
use std::collections::HashSet;
use value::KeyType;

/// The `AttributeDefinitions` of a request.
pub(crate) struct Definitions {
    list: Vec<KeyAttribute>,
}

impl Definitions {
    /// Reads the definitions; a name may stand there once.
    pub(crate) fn new(definitions: &[AttributeDefinition]) -> Result<Definitions, ApiError> {
        let mut list: Vec<KeyAttribute> = Vec::with_capacity(definitions.len());
        let mut names = HashSet::with_capacity(definitions.len());
        for definition in definitions {
            let name = definition.attribute_name.clone().unwrap_or_default();
            if !names.insert(name.clone()) {
                return Err(ApiError::validation(format!("Attribute Name is duplicated: {name}")));
            }
            let kind = definition.attribute_type.as_ref().map(Enumeration::as_str);
            let kind = kind.and_then(KeyType::from_name).unwrap_or(KeyType::S);
            list.push(KeyAttribute { name, kind });
        }
        Ok(Definitions { list })
    }

    /// The definitions one by one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.list.iter()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    fn find(&self, name: &str) -> Option<&KeyAttribute> {
        self.list.iter().find(|attribute| attribute.name == name)
    }

    /// Refuses definitions that no key uses.
    pub(crate) fn all_used<'a>(
        &self,
        schemas: impl Iterator<Item = &'a KeySchema> + Clone,
    ) -> Result<(), ApiError> {
        let used: HashSet<&str> =
            schemas.clone().flat_map(KeySchema::attributes).map(|a| a.name.as_str()).collect();
        if self.list.iter().all(|attribute| used.contains(&attribute.name.as_str())) {
            return Ok(());
        }
        let mut used_once: Vec<&str> = Vec::new();
        for name in schemas.flat_map(KeySchema::attributes).map(|a| a.name.as_str()) {
            if !used_once.contains(&name) {
                used_once.push(name);
            }
        }
        Err(ApiError::parameters(format!(
            "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
            self.names(),
            used_once.join(", ")
        )))
    }

    fn names(&self) -> String {
        self.list.iter().map(|a| a.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The definitions of a schema's attributes.
    fn resolve(&self, elements: &[KeySchemaElement]) -> Result<Vec<KeyAttribute>, ApiError> {
        let attributes: Option<Vec<KeyAttribute>> =
            elements.iter().map(|element| self.find(name(element)).cloned()).collect();
        attributes.ok_or_else(|| {
            let keys: Vec<&str> = elements.iter().map(name).collect();
            ApiError::parameters(format!(
                "Some index key attributes are not defined in AttributeDefinitions. \
                 Keys: [{}], AttributeDefinitions: [{}]",
                keys.join(", "),
                self.names()
            ))
        })
    }

    /// A schema of one partition attribute and at most one sort attribute.
    pub(crate) fn simple_key(&self, elements: &[KeySchemaElement]) -> Result<KeySchema, ApiError> {
        let attributes = self.resolve(elements)?;
        let mut names = attributes.iter().map(|a| &a.name);
        if let (Some(hash), Some(range)) = (names.next(), names.next())
            && hash == range
        {
            return Err(ApiError::validation(SAME_NAME));
        }
        first_is_hash(elements)?;
        if elements.get(1).is_some_and(|second| !is(second, &WireKeyType::Range)) {
            return Err(ApiError::validation(
                "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type",
            ));
        }
        Ok(split(attributes, 1))
    }

    /// A schema of up to four partition and four sort attributes.
    pub(crate) fn wide_key(&self, elements: &[KeySchemaElement]) -> Result<KeySchema, ApiError> {
        let attributes = self.resolve(elements)?;
        for (i, attribute) in attributes.iter().enumerate() {
            if attributes.iter().take(i).any(|earlier| earlier.name == attribute.name) {
                let text = if attributes.len() == 2 { SAME_NAME } else { SAME_NAME_TWICE };
                return Err(ApiError::validation(text));
            }
        }
        first_is_hash(elements)?;
        let hashes = elements.iter().take_while(|e| is(e, &WireKeyType::Hash)).count();
        if elements.iter().skip(hashes).any(|e| is(e, &WireKeyType::Hash)) {
            return Err(ApiError::validation(
                "All HASH key attributes must precede RANGE key attributes in the KeySchema",
            ));
        }
        for (kind, count) in [("HASH", hashes), ("RANGE", elements.len() - hashes)] {
            if count > MOST_KEY_ATTRIBUTES {
                return Err(ApiError::validation(format!(
                    "The KeySchema exceeds the maximum allowed number of {kind} key attributes"
                )));
            }
        }
        Ok(split(attributes, hashes))
    }
}

const MOST_KEY_ATTRIBUTES: usize = 4;
const SAME_NAME: &str =
    "Both the Hash Key and the Range Key element in the KeySchema have the same name";
const SAME_NAME_TWICE: &str = "The KeySchema contains multiple key attributes with the same name";

/// The table's own key.
pub(crate) fn table_key(
    definitions: &Definitions,
    elements: &[KeySchemaElement],
    with_indexes: bool,
) -> Result<KeySchema, ApiError> {
    if elements.len() > definitions.len() {
        return Err(ApiError::validation(
            "Invalid KeySchema: Some index key attribute have no definition",
        ));
    }
    let key = definitions.simple_key(elements)?;
    if !with_indexes && key.len() != definitions.len() {
        return Err(ApiError::parameters(
            "Number of attributes in KeySchema does not exactly match number of attributes defined \
             in AttributeDefinitions",
        ));
    }
    Ok(key)
}

fn name(element: &KeySchemaElement) -> &str {
    element.attribute_name.as_deref().unwrap_or_default()
}

fn is(element: &KeySchemaElement, kind: &WireKeyType) -> bool {
    element.key_type.as_ref() == Some(kind)
}

fn first_is_hash(elements: &[KeySchemaElement]) -> Result<(), ApiError> {
    if elements.first().is_some_and(|first| is(first, &WireKeyType::Hash)) {
        return Ok(());
    }
    Err(ApiError::validation(
        "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
    ))
}

fn split(mut attributes: Vec<KeyAttribute>, partition: usize) -> KeySchema {
    let sort = attributes.split_off(partition.min(attributes.len()));
    KeySchema { partition: attributes, sort }
}
