//! Items as a table of text: a column an attribute, a line an item.

use super::attributes::shown;
use crate::columns::{aligned, width};
use serde_json::Value;
use std::collections::BTreeSet;

/// The items as a table, and how many there are.
pub fn table(items: &[Value]) -> String {
    let objects: Vec<_> = items.iter().filter_map(Value::as_object).collect();
    let names: BTreeSet<&String> = objects.iter().flat_map(|item| item.keys()).collect();
    let mut rows = vec![names.iter().map(|name| (*name).clone()).collect::<Vec<String>>()];
    for item in objects {
        rows.push(names.iter().map(|name| item.get(*name).map_or(String::new(), shown)).collect());
    }
    let mut text = String::new();
    if !names.is_empty() {
        let widest = |column| rows.iter().filter_map(|row| row.get(column)).map(width).max();
        let rule = (0..names.len()).map(|column| "-".repeat(widest(column).unwrap_or_default()));
        let rule = rule.collect();
        rows.insert(1, rule);
        text = aligned(&rows);
    }
    let plural = if items.len() == 1 { "" } else { "s" };
    text.push_str(&format!("({} item{plural})\n", items.len()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_are_aligned() {
        let items = [
            json!({"pk": {"S": "a"}, "total": {"N": "10"}}),
            json!({"pk": {"S": "b\u{e9}c"}, "name": {"S": "Ada"}}),
        ];
        let expect = "\
name  pk   total
----  ---  -----
      a    10
Ada   b\u{e9}c
(2 items)
";
        assert_eq!(table(&items), expect);
        assert_eq!(table(&[]), "(0 items)\n");
        assert_eq!(table(&[json!({})]), "(1 item)\n");
    }
}
