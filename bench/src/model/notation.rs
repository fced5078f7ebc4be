//! Writing expressions: paths and values become text and placeholders.

use super::{
    path::{Path, Step},
    value::Value,
};
use serde_json::{Map, Value as Json, json};

/// The placeholders of a request.
#[derive(Debug, Default)]
pub struct Notation {
    names: Map<String, Json>,
    values: Map<String, Json>,
    written: usize,
}

impl Notation {
    /// A path; names that cannot stand for themselves get a placeholder, and some others do.
    pub fn path(&mut self, path: &Path) -> String {
        let mut text = String::new();
        for step in &path.0 {
            match step {
                Step::Name(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(&self.name(name));
                }
                Step::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        text
    }

    fn name(&mut self, name: &str) -> String {
        self.written += 1;
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric()) && name != "status";
        if plain && !self.written.is_multiple_of(4) {
            return name.to_owned();
        }
        let placeholder = format!("#n{}", self.names.len());
        self.names.insert(placeholder.clone(), json!(name));
        placeholder
    }

    /// A value, which always gets a placeholder.
    pub fn value(&mut self, value: &Value) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value.request());
        placeholder
    }

    /// Adds the placeholders to a request.
    pub fn add_to(self, request: &mut Map<String, Json>) {
        for (member, entries) in
            [("ExpressionAttributeNames", self.names), ("ExpressionAttributeValues", self.values)]
        {
            if !entries.is_empty() {
                request.insert(member.to_owned(), Json::Object(entries));
            }
        }
    }
}
