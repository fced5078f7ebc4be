//! Operations: their requests, and what the model says they do.

use super::{
    answer::Expected,
    capacity::{Cost, Detail},
    condition::Condition,
    notation::Notation,
    path::{Path, select},
    table::{INDEX_KEYS, NAME},
    update::Update,
    value::{Item, Value, item_request},
};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;

/// What a write gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returned {
    None,
    AllOld,
    UpdatedOld,
    AllNew,
    UpdatedNew,
}

impl Returned {
    fn name(self) -> &'static str {
        match self {
            Returned::None => "NONE",
            Returned::AllOld => "ALL_OLD",
            Returned::UpdatedOld => "UPDATED_OLD",
            Returned::AllNew => "ALL_NEW",
            Returned::UpdatedNew => "UPDATED_NEW",
        }
    }
}

/// What is done.
#[derive(Debug, Clone)]
pub enum Deed {
    Get { projection: Vec<Path>, consistent: bool },
    Put(Item),
    Update(Update),
    Delete,
}

/// One request.
#[derive(Debug, Clone)]
pub struct Operation {
    pub key: Item,
    pub deed: Deed,
    pub condition: Option<Condition>,
    pub returned: Returned,
    /// A failed condition gives the item back.
    pub item_on_failure: bool,
    /// The answer says what it costs.
    pub cost: Option<Detail>,
}

/// What the model says.
#[derive(Debug)]
pub struct Prediction {
    pub answer: Expected,
    /// The item afterwards.
    pub after: Option<Item>,
}

impl Operation {
    /// The operation's name.
    pub fn name(&self) -> &'static str {
        match self.deed {
            Deed::Get { .. } => "GetItem",
            Deed::Put(_) => "PutItem",
            Deed::Update(_) => "UpdateItem",
            Deed::Delete => "DeleteItem",
        }
    }

    /// The body of the request.
    pub fn request(&self) -> String {
        let mut notation = Notation::default();
        let mut request = Map::new();
        let mut add = |member: &str, value: Json| request.insert(member.to_owned(), value);
        add("TableName", json!(NAME));
        match &self.deed {
            Deed::Put(item) => add("Item", item_request(item)),
            _ => add("Key", item_request(&self.key)),
        };
        match &self.deed {
            Deed::Get { projection, consistent } => {
                add("ConsistentRead", json!(consistent));
                let paths: Vec<String> = projection.iter().map(|p| notation.path(p)).collect();
                if !paths.is_empty() {
                    add("ProjectionExpression", json!(paths.join(", ")));
                }
            }
            Deed::Update(update) if !update.clauses.is_empty() => {
                add("UpdateExpression", json!(update.text(&mut notation)));
            }
            Deed::Update(_) | Deed::Put(_) | Deed::Delete => {}
        }
        if let Some(condition) = &self.condition {
            add("ConditionExpression", json!(condition.text(&mut notation)));
        }
        if self.returned != Returned::None {
            add("ReturnValues", json!(self.returned.name()));
        }
        if self.item_on_failure {
            add("ReturnValuesOnConditionCheckFailure", json!("ALL_OLD"));
        }
        if let Some(detail) = self.cost {
            add("ReturnConsumedCapacity", json!(detail.name()));
        }
        notation.add_to(&mut request);
        Json::Object(request).to_string()
    }

    /// What it does to the item that is there, if one is, and what is answered.
    pub fn predict(&self, before: Option<&Item>) -> Prediction {
        let unchanged = |answer| Prediction { answer, after: before.cloned() };
        if let Deed::Get { projection, consistent } = &self.deed {
            let part = |item: &Item| match projection.as_slice() {
                [] => item.clone(),
                paths => select(item, paths),
            };
            let member = before.map(|item| ("Item", part(item)));
            let cost = self.cost.map(|detail| (Cost::of_read(before, *consistent), detail));
            return unchanged(Expected::Done { member, cost });
        }
        if let Deed::Put(item) = &self.deed
            && let Some(message) = unfit_to_put(item)
        {
            return unchanged(Expected::Invalid(BTreeSet::from([message])));
        }
        let empty = Item::new();
        let condition = self.condition.as_ref();
        if condition.is_some_and(|condition| !condition.holds(before.unwrap_or(&empty))) {
            let item = before.filter(|_| self.item_on_failure).cloned();
            return unchanged(Expected::ConditionFailed(item));
        }
        let after = match &self.deed {
            Deed::Put(item) => Some(item.clone()),
            Deed::Update(update) => match update.apply(before, &self.key) {
                Ok(after) => after,
                Err(faults) => {
                    let messages = faults.iter().map(|fault| fault.message().to_owned());
                    return unchanged(Expected::Invalid(messages.collect()));
                }
            },
            Deed::Delete | Deed::Get { .. } => None,
        };
        if let (Deed::Update(_), Some(message)) = (&self.deed, after.as_ref().and_then(unfit_to_be))
        {
            return unchanged(Expected::Invalid(BTreeSet::from([message.to_owned()])));
        }
        let member = self.attributes(before, after.as_ref()).map(|item| ("Attributes", item));
        let cost = Cost::of_write(before, after.as_ref());
        let cost = self.cost.map(|detail| (cost, detail));
        Prediction { answer: Expected::Done { member, cost }, after }
    }

    fn attributes(&self, before: Option<&Item>, after: Option<&Item>) -> Option<Item> {
        let empty = Item::new();
        let (old, new) = match &self.deed {
            Deed::Update(update) => {
                (update.touched_before(), update.touched_after(before.unwrap_or(&empty)))
            }
            _ => (Vec::new(), Vec::new()),
        };
        let touched = |item: Option<&Item>, paths: &[Path]| {
            item.map(|item| select(item, paths)).filter(|part| !part.is_empty())
        };
        match self.returned {
            Returned::None => None,
            Returned::AllOld => before.cloned(),
            Returned::AllNew => after.cloned(),
            Returned::UpdatedOld => touched(before, &old),
            Returned::UpdatedNew => touched(after, &new),
        }
    }
}

/// Why an item cannot be put: an index's key is of the wrong type, or empty.
fn unfit_to_put(item: &Item) -> Option<String> {
    INDEX_KEYS.iter().find_map(|(name, kind, index)| match item.get(*name)? {
        value if value.kind() != *kind => Some(format!(
            "One or more parameter values were invalid: Type mismatch for Index Key {name} \
             Expected: {} Actual: {} IndexName: {index}",
            kind.name(),
            value.kind().name(),
        )),
        Value::S(text) if text.is_empty() => Some(format!(
            "One or more parameter values are not valid. A value specified for a secondary index \
             key is not supported. The AttributeValue for a key attribute cannot contain an empty \
             string value. IndexName: {index}, IndexKey: {name}"
        )),
        _ => None,
    })
}

/// Why an update's result cannot be: likewise.
fn unfit_to_be(item: &Item) -> Option<&'static str> {
    INDEX_KEYS.iter().find_map(|(name, kind, _)| match item.get(*name)? {
        value if value.kind() != *kind => Some(
            "The update expression attempted to update the secondary index key to unsupported type",
        ),
        Value::S(text) if text.is_empty() => Some(
            "One or more parameter values are not valid. The update expression attempted to \
             update a secondary index key to a value that is not supported. The AttributeValue \
             for a key attribute cannot contain an empty string value.",
        ),
        _ => None,
    })
}
