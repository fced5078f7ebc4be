//! Expected answers, and whether an answer found is one of them.

use super::{
    capacity::{Cost, Detail},
    value::{Item, item_answer, sort_sets_of_item},
};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;

/// What the server has to answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// Success.
    Done {
        /// A member with an item or a part of one.
        member: Option<(&'static str, Item)>,
        /// What it costs, if that was asked for.
        cost: Option<(Cost, Detail)>,
    },
    /// The condition does not hold; with the item if it was asked for and is there.
    ConditionFailed(Option<Item>),
    /// The request cannot be carried out. One of these texts is given.
    Invalid(BTreeSet<String>),
}

impl Expected {
    /// The answers that are right, as status and body.
    fn bodies(&self) -> (u16, Vec<Json>) {
        match self {
            Expected::Done { member, cost } => {
                let mut body = Map::new();
                if let Some((name, item)) = member {
                    body.insert((*name).to_owned(), item_answer(item));
                }
                if let Some((cost, detail)) = cost {
                    body.insert("ConsumedCapacity".to_owned(), cost.json(*detail));
                }
                (200, vec![Json::Object(body)])
            }
            Expected::ConditionFailed(item) => {
                let message = "The conditional request failed";
                let mut body = refusal("ConditionalCheckFailedException", message);
                if let Some(item) = item {
                    body.insert("Item".to_owned(), item_answer(item));
                }
                (400, vec![Json::Object(body)])
            }
            Expected::Invalid(messages) => {
                let bodies = messages.iter().map(|m| refusal("ValidationException", m).into());
                (400, bodies.collect())
            }
        }
    }

    /// Says what is expected, if that is not what was found.
    pub fn difference(&self, status: u16, body: &[u8]) -> Option<String> {
        let (expected_status, bodies) = self.bodies();
        let found = serde_json::from_slice(body).unwrap_or(Json::Null);
        if status == expected_status && bodies.contains(&comparable(found)) {
            return None;
        }
        let bodies: Vec<String> = bodies.iter().map(Json::to_string).collect();
        Some(format!("{expected_status} {}", bodies.join(" or ")))
    }
}

fn refusal(kind: &str, message: &str) -> Map<String, Json> {
    Map::from_iter([("__type".to_owned(), json!(kind)), ("message".to_owned(), json!(message))])
}

/// Takes away what may differ: the order of sets, the namespace of an error's name, the case of
/// `message` and how many zeros follow a whole number of units.
fn comparable(mut answer: Json) -> Json {
    let Some(body) = answer.as_object_mut() else { return answer };
    for member in ["Item", "Attributes"] {
        if let Some(item) = body.get_mut(member) {
            sort_sets_of_item(item);
        }
    }
    if let Some(Json::String(kind)) = body.get_mut("__type") {
        *kind = kind.rsplit('#').next().unwrap_or_default().to_owned();
    }
    if let Some(message) = body.remove("Message") {
        body.entry("message").or_insert(message);
    }
    if let Some(cost) = body.get_mut("ConsumedCapacity") {
        floats(cost);
    }
    answer
}

fn floats(value: &mut Json) {
    match value {
        Json::Number(number) => *value = json!(number.as_f64()),
        Json::Object(members) => members.values_mut().for_each(floats),
        _ => {}
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
