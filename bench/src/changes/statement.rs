//! Writes as PartiQL says them.

use super::{
    deed::{Action, Deed, Expires},
    table::{BY, EXPIRES, Item, TABLE, number},
};
use serde_json::{Value, json};

/// The statement of a write, with its parameters. Updates that count cannot be said.
pub fn statement(deed: &Deed) -> Value {
    let (text, parameters) = match &deed.action {
        Action::Put(item) => insert(item),
        Action::Update(update) => {
            let mut text = format!(r#"UPDATE "{TABLE}" SET "{BY}" = ?"#);
            let mut parameters = vec![number(deed.id)];
            match update.expires {
                Expires::Keep => {}
                Expires::Set(second) => {
                    text.push_str(&format!(r#" SET "{EXPIRES}" = ?"#));
                    parameters.push(number(second));
                }
                Expires::Remove => text.push_str(&format!(r#" REMOVE "{EXPIRES}""#)),
            }
            finish(deed, text, parameters)
        }
        Action::Delete => finish(deed, format!(r#"DELETE FROM "{TABLE}""#), Vec::new()),
    };
    json!({"Statement": text, "Parameters": parameters})
}

fn insert(item: &Item) -> (String, Vec<Value>) {
    let members: Vec<String> = item.keys().map(|name| format!("'{name}': ?")).collect();
    let text = format!(r#"INSERT INTO "{TABLE}" VALUE {{{}}}"#, members.join(", "));
    (text, item.values().cloned().collect())
}

/// Adds which item is meant, and its condition.
fn finish(deed: &Deed, mut text: String, mut parameters: Vec<Value>) -> (String, Vec<Value>) {
    text.push_str(" WHERE pk = ? AND sk = ?");
    let key = deed.key.item();
    parameters.extend(["pk", "sk"].iter().filter_map(|name| key.get(*name)).cloned());
    if let Some(expected) = deed.expected {
        text.push_str(&format!(r#" AND "{BY}" = ?"#));
        parameters.push(number(expected));
    }
    (text, parameters)
}
