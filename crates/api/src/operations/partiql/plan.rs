//! How a SELECT is read: one item, partitions one after another, or everything. A pure function of
//! the statement and the key of what it reads.

use crate::error::ApiError;
use engine::{
    pages::Direction,
    table::{KeyAttribute, KeySchema},
};
use expression::{
    Condition, KeyCondition,
    partiql::{Order, Select},
};
use value::{KeyType, key};

/// How to read, and what to leave out of what is read.
#[derive(Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) access: Access,
    pub(super) rest: Option<Condition>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Access {
    /// The one item of a full key.
    Get(KeyCondition),
    /// Ranges of partitions, one after another.
    Query { ranges: Vec<KeyCondition>, direction: Direction },
    /// Everything.
    Scan,
}

/// The plan of a SELECT on a table or index with that key; only a table's key names one item.
pub(super) fn plan(key: &KeySchema, unique: bool, select: &Select) -> Result<Plan, ApiError> {
    fn typed(attributes: &[KeyAttribute]) -> Vec<(&str, KeyType)> {
        attributes.iter().map(|attribute| (attribute.name.as_str(), attribute.kind)).collect()
    }
    let (partition, sort) = (typed(&key.partition), typed(&key.sort));
    let schema = expression::KeySchema { partition: &partition, sort: &sort };
    let filter = select.filter.as_ref();
    let partitions = filter.map(|filter| filter.partitions(schema)).transpose();
    let partitions = partitions.map_err(|error| ApiError::validation(error.to_string()))?;
    let Some(partitions) = partitions.flatten() else {
        check_scan_order(key, select)?;
        let rest = filter.map(|filter| filter.condition().clone());
        return Ok(Plan { access: Access::Scan, rest });
    };
    let mut ranges = partitions.conditions;
    check_order(key, &select.order, ranges.len() > 1)?;
    arrange(&mut ranges, key, &select.order);
    let access = match ranges.as_slice() {
        [only] if unique && only.sort.len() == key.sort.len() => Access::Get(only.clone()),
        _ => Access::Query { ranges, direction: direction(key, &select.order) },
    };
    Ok(Plan { access, rest: partitions.rest })
}

fn is_one_of(attributes: &[KeyAttribute], order: &Order) -> bool {
    attributes.iter().any(|attribute| attribute.name == order.attribute)
}

/// A scan has no order to ask for.
fn check_scan_order(key: &KeySchema, select: &Select) -> Result<(), ApiError> {
    if select.order.is_empty() {
        return Ok(());
    }
    if select.filter.is_none() {
        return Err(ApiError::validation(
            "Must have WHERE clause in the statement when using ORDER BY clause.",
        ));
    }
    check_order(key, &select.order, false)?;
    Err(ApiError::validation(
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY \
         clause.",
    ))
}

/// Only keys give an order, and of several partitions the partition key comes first.
fn check_order(key: &KeySchema, order: &[Order], several: bool) -> Result<(), ApiError> {
    let is_key = |order: &&Order| is_one_of(&key.partition, order) || is_one_of(&key.sort, order);
    if let Some(other) = order.iter().find(|order| !is_key(order)) {
        return Err(ApiError::validation(format!(
            "Variable reference {} in ORDER BY clause must be part of the primary key",
            other.attribute
        )));
    }
    if several && order.first().is_some_and(|first| !is_one_of(&key.partition, first)) {
        return Err(ApiError::validation(
            "Must have hash key in ORDER BY clause when more than one hash key condition specified \
             in WHERE clause.",
        ));
    }
    Ok(())
}

/// Puts partitions in the order asked for; without one they stay as written.
fn arrange(ranges: &mut [KeyCondition], key: &KeySchema, order: &[Order]) {
    // The last one asked for is sorted by first, so that the others overrule it.
    for order in order.iter().rev() {
        let place = key.partition.iter().position(|attribute| attribute.name == order.attribute);
        let Some(place) = place else { continue };
        let encoded = |range: &KeyCondition| {
            let mut bytes = Vec::new();
            // Values of key conditions can be keys.
            let _ = range.partition.get(place).map(|value| key::encode(value, &mut bytes));
            bytes
        };
        ranges.sort_by_cached_key(encoded);
        if order.descending {
            ranges.reverse();
        }
    }
}

fn direction(key: &KeySchema, order: &[Order]) -> Direction {
    match order.iter().find(|order| is_one_of(&key.sort, order)) {
        Some(Order { descending: true, .. }) => Direction::Backward,
        _ => Direction::Forward,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expression::partiql::{Statement, StatementSyntax};

    fn schema() -> KeySchema {
        let attribute = |name: &str, kind| KeyAttribute { name: name.to_owned(), kind };
        KeySchema {
            partition: vec![attribute("pk", KeyType::S)],
            sort: vec![attribute("sk", KeyType::N)],
        }
    }

    fn planned(text: &str, unique: bool) -> Result<Plan, ApiError> {
        let statement = StatementSyntax::parse(text).unwrap().bind(&[]).unwrap();
        let Statement::Select(select) = statement else { panic!("{text} is no SELECT") };
        plan(&schema(), unique, &select)
    }

    /// `get`, `scan`, or the partitions with their ranges; then the attributes left to the filter.
    fn shown(text: &str, unique: bool) -> String {
        let plan = match planned(text, unique) {
            Ok(plan) => plan,
            Err(error) => return error.message.unwrap_or_default(),
        };
        let shown = |condition: &KeyCondition| {
            let part = |value: &value::Value| match value {
                value::Value::S(text) => text.clone(),
                value::Value::N(number) => number.to_string(),
                other => format!("{other:?}"),
            };
            let parts: Vec<String> =
                condition.partition.iter().chain(&condition.sort).map(part).collect();
            let range = match &condition.range {
                None => "",
                Some(expression::KeyRange::Between(..)) => " between",
                Some(expression::KeyRange::Gt(_)) => " above",
                Some(expression::KeyRange::Le(_)) => " up to",
                Some(_) => " other",
            };
            format!("{}{range}", parts.join("/"))
        };
        let mut text = match &plan.access {
            Access::Get(condition) => format!("get {}", shown(condition)),
            Access::Scan => "scan".to_owned(),
            Access::Query { ranges, direction } => {
                let ranges: Vec<String> = ranges.iter().map(shown).collect();
                let back = if *direction == Direction::Backward { " backward" } else { "" };
                format!("query {}{back}", ranges.join(", "))
            }
        };
        if let Some(rest) = &plan.rest {
            let names: Vec<&str> = rest.attributes().collect();
            text.push_str(&format!("; filter {}", names.join(" ")));
        }
        text
    }

    #[test]
    fn key_lookups_do_not_scan() {
        for (condition, expect) in [
            ("pk = 'a' AND sk = 1", "get a/1"),
            ("sk = 1 AND 'a' = pk", "get a/1"),
            ("(pk = 'a' AND (sk = 1)) AND b = 2", "get a/1; filter b"),
            ("pk = 'a'", "query a"),
            ("pk IN ['a']", "query a"),
            ("pk = 'a' AND sk > 1", "query a above"),
            ("pk = 'a' AND sk <= 1 AND sk > 0", "query a up to; filter sk"),
            ("pk = 'a' AND sk BETWEEN 1 AND 2", "query a between"),
            ("pk = 'a' AND 3 < sk", "query a above"),
            ("pk = 'a' AND (b = 1 OR c = 2)", "query a; filter b c"),
            ("pk = 'a' AND NOT sk = 1", "query a; filter sk"),
            ("pk = 'a' AND sk IN (1, 2)", "query a; filter sk"),
            ("pk IN ('b', 'a', 'b')", "query b, a"),
            ("pk = 'b' OR pk = 'a'", "query b, a"),
            ("(pk = 'b' OR pk IN ['a', 'c']) AND sk = 1", "query b/1, a/1, c/1"),
            ("pk = 'a' AND pk = 'b'", "query a; filter pk"),
            ("pk = 'a' OR b = 1", "scan; filter pk b"),
            ("pk > 'a'", "scan; filter pk"),
            ("NOT pk = 'a'", "scan; filter pk"),
            ("NOT (pk = 'a' AND sk = 1)", "scan; filter pk sk"),
            ("sk = 1", "scan; filter sk"),
            ("pk.x = 'a'", "scan; filter pk"),
            ("pk = b", "scan; filter pk b"),
            ("pk IN ('a', b)", "scan; filter pk b"),
            ("pk = 'a' AND b = 1 OR c = 2", "scan; filter pk b c"),
            ("begins_with(pk, 'a')", "scan; filter pk"),
        ] {
            let text = format!("SELECT * FROM t WHERE {condition}");
            assert_eq!(shown(&text, true), expect, "{condition}");
        }
        assert_eq!(shown("SELECT * FROM t", true), "scan");
    }

    #[test]
    fn an_index_may_have_several_items_of_a_key() {
        let text = "SELECT * FROM t.i WHERE pk = 'a' AND sk = 1";
        assert_eq!(shown(text, false), "query a/1");
    }

    #[test]
    fn order_is_that_of_keys() {
        for (rest, expect) in [
            ("WHERE pk = 'a' ORDER BY sk", "query a"),
            ("WHERE pk = 'a' ORDER BY sk DESC", "query a backward"),
            ("WHERE pk = 'a' ORDER BY pk DESC, sk ASC", "query a"),
            ("WHERE pk IN ('b', 'c', 'a') ORDER BY pk", "query a, b, c"),
            ("WHERE pk IN ('b', 'c', 'a') ORDER BY pk DESC, sk DESC", "query c, b, a backward"),
            (
                "WHERE pk IN ('b', 'a') ORDER BY sk",
                "Must have hash key in ORDER BY clause when more than one hash key condition \
                 specified in WHERE clause.",
            ),
            ("ORDER BY sk", "Must have WHERE clause in the statement when using ORDER BY clause."),
            (
                "WHERE sk = 1 ORDER BY sk",
                "Must have at least one non-optional hash key condition in WHERE clause when using \
                 ORDER BY clause.",
            ),
            (
                "WHERE pk = 'a' ORDER BY b",
                "Variable reference b in ORDER BY clause must be part of the primary key",
            ),
            (
                "WHERE pk = 'a' ORDER BY sk.x",
                "Variable reference sk.x in ORDER BY clause must be part of the primary key",
            ),
        ] {
            assert_eq!(shown(&format!("SELECT * FROM t {rest}"), true), expect, "{rest}");
        }
    }

    #[test]
    fn keys_have_their_types() {
        let expect = "One or more parameter values were invalid: Condition parameter type does not \
                      match schema type";
        for condition in ["pk = 1", "pk = 'a' AND sk = 'b'", "pk IN ('a', 1)"] {
            assert_eq!(shown(&format!("SELECT * FROM t WHERE {condition}"), true), expect);
        }
    }
}
