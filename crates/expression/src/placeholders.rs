//! The names and values a request gives for its expressions, and which of them were used.

use std::collections::BTreeMap;
use std::sync::Arc;

use value::Value;

use crate::{ExpressionError, Fault, PlaceholderError};

const MAX_KEY_SIZE: usize = 255;
const NAMES: &str = "ExpressionAttributeNames";
const VALUES: &str = "ExpressionAttributeValues";

#[derive(Clone, Debug)]
struct Entry<T> {
    content: T,
    used: bool,
}

/// `ExpressionAttributeNames` and `ExpressionAttributeValues` of one request.
#[derive(Clone, Debug, Default)]
pub struct Placeholders {
    names: BTreeMap<String, Entry<Arc<str>>>,
    values: BTreeMap<String, Entry<Arc<Value>>>,
}

impl Placeholders {
    /// Takes the request's maps; refuses empty ones and keys that are no placeholders.
    pub fn new(
        names: Option<BTreeMap<String, String>>,
        values: Option<BTreeMap<String, Value>>,
    ) -> Result<Placeholders, ExpressionError> {
        if names.as_ref().is_some_and(BTreeMap::is_empty) {
            return Err(PlaceholderError::NoNames.into());
        }
        for (key, name) in names.iter().flatten() {
            check_key(key, '#', NAMES, PlaceholderError::NameKey)?;
            if name.is_empty() {
                return Err(PlaceholderError::EmptyName(key.clone()).into());
            }
        }
        if values.as_ref().is_some_and(BTreeMap::is_empty) {
            return Err(PlaceholderError::NoValues.into());
        }
        for key in values.iter().flat_map(BTreeMap::keys) {
            check_key(key, ':', VALUES, PlaceholderError::ValueKey)?;
        }
        Ok(Placeholders {
            names: entries(names, |name| name.into()),
            values: entries(values, Arc::new),
        })
    }

    /// The values of a statement, by the names its tree has for them.
    pub(crate) fn of_statement(values: impl Iterator<Item = (String, Value)>) -> Placeholders {
        Placeholders { names: BTreeMap::new(), values: entries(Some(values.collect()), Arc::new) }
    }

    /// The error for a value that could not even be read.
    pub fn invalid_value(key: &str, message: impl std::fmt::Display) -> ExpressionError {
        PlaceholderError::Value { message: message.to_string(), key: key.to_owned() }.into()
    }

    /// Refuses placeholders that none of the expressions bound so far has used.
    pub fn all_used(&self) -> Result<(), ExpressionError> {
        let names = unused(&self.names);
        if !names.is_empty() {
            return Err(PlaceholderError::UnusedNames(names).into());
        }
        let values = unused(&self.values);
        if !values.is_empty() {
            return Err(PlaceholderError::UnusedValues(values).into());
        }
        Ok(())
    }

    /// The attribute name an alias stands for.
    pub(crate) fn name(&mut self, alias: &str) -> Result<Arc<str>, Fault> {
        match self.names.get_mut(alias) {
            Some(entry) => {
                entry.used = true;
                Ok(entry.content.clone())
            }
            None => Err(Fault::UndefinedName(alias.to_owned())),
        }
    }

    /// The value a placeholder stands for.
    pub(crate) fn value(&mut self, key: &str) -> Result<Arc<Value>, Fault> {
        match self.values.get_mut(key) {
            Some(entry) => {
                entry.used = true;
                Ok(entry.content.clone())
            }
            None => Err(Fault::UndefinedValue(key.to_owned())),
        }
    }
}

fn check_key(
    key: &str,
    mark: char,
    parameter: &'static str,
    syntax: fn(String) -> PlaceholderError,
) -> Result<(), PlaceholderError> {
    if key.len() > MAX_KEY_SIZE {
        let size = key.len();
        return Err(PlaceholderError::KeyTooLong { parameter, size });
    }
    let well_formed = key.strip_prefix(mark).is_some_and(|rest| {
        !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    });
    if well_formed { Ok(()) } else { Err(syntax(key.to_owned())) }
}

fn entries<T, U>(
    map: Option<BTreeMap<String, T>>,
    content: impl Fn(T) -> U,
) -> BTreeMap<String, Entry<U>> {
    let used = false;
    map.into_iter()
        .flatten()
        .map(|(key, value)| {
            let content = content(value);
            (key, Entry { content, used })
        })
        .collect()
}

fn unused<T>(entries: &BTreeMap<String, Entry<T>>) -> Vec<String> {
    let unused = entries.iter().filter(|(_, entry)| !entry.used);
    unused.map(|(key, _)| key.clone()).collect()
}
