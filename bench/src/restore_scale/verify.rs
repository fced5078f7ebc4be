//! Reads all of a restored table, and finds what is not as it was loaded.

use crate::{
    Failure,
    dynamo::ask,
    expiry::{connect, table::KEPT},
    http::Endpoint,
};
use serde_json::{Value, json};
use std::{collections::HashSet, thread};

/// Parts that are read at the same time.
const SEGMENTS: u64 = 4;
/// More is not told.
const MOST: usize = 10;

/// What is wrong, in words.
pub fn all(endpoint: &Endpoint, items: u64) -> Result<Vec<String>, Failure> {
    let parts: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..SEGMENTS).map(|segment| scope.spawn(move || part(endpoint, segment))).collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    let mut seen = HashSet::new();
    let mut wrong = Vec::new();
    for part in parts {
        for item in part.map_err(|_| "a thread panicked")?? {
            match number(&item) {
                Some(number) if seen.insert(number) => {}
                _ => wrong.push(format!("{item} is not as it was, or there twice")),
            }
        }
    }
    if seen.len() as u64 != items + KEPT {
        wrong.push(format!("{} items as they were, not {}", seen.len(), items + KEPT));
    }
    wrong.truncate(MOST);
    Ok(wrong)
}

fn part(endpoint: &Endpoint, segment: u64) -> Result<Vec<Value>, String> {
    let mut connection = connect(endpoint)?;
    let mut request =
        json!({"TableName": super::TARGET, "Segment": segment, "TotalSegments": SEGMENTS});
    let mut found = Vec::new();
    loop {
        let answer = ask(&mut connection, "Scan", &request.to_string());
        let mut answer = answer.map_err(|error| error.to_string())?;
        if let Some(Value::Array(items)) = answer.get_mut("Items") {
            found.append(items);
        }
        match (answer.get_mut("LastEvaluatedKey"), request.as_object_mut()) {
            (Some(key), Some(request)) => {
                request.insert("ExclusiveStartKey".to_owned(), key.take());
            }
            _ => return Ok(found),
        }
    }
}

/// The number of an item that is as it was loaded; those that stay are below the others.
fn number(item: &Value) -> Option<i64> {
    let text = |path: &str| item.pointer(path)?.as_str();
    let key = text("/pk/S")?;
    match key.strip_prefix("kept-") {
        Some(number) if text("/value/N") == Some("0") => number.parse::<i64>().ok().map(|n| !n),
        Some(_) => None,
        None => {
            let right = text("/text/S") == Some("a small item") && text("/group/S").is_some();
            key.strip_prefix("item-").filter(|_| right)?.parse().ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_items_as_they_were_loaded_have_a_number() {
        let kept = |value: &str| json!({"pk": {"S": "kept-000000003"}, "value": {"N": value}});
        assert_eq!(number(&kept("0")), Some(-4));
        assert_eq!(number(&kept("1")), None);
        let item = |text: &str| {
            let group = json!({"S": "G#0"});
            json!({"pk": {"S": "item-000000003"}, "group": group, "text": {"S": text}})
        };
        assert_eq!(number(&item("a small item")), Some(3));
        assert_eq!(number(&item("a changed item")), None);
        assert_eq!(number(&json!({"pk": {"S": "other"}})), None);
    }
}
