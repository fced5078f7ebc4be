//! Items as a table of text: a column an attribute, a line an item.

use super::attributes::shown;
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
        let widths: Vec<usize> = (0..names.len())
            .map(|column| {
                rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max()
            })
            .map(Option::unwrap_or_default)
            .collect();
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        rows.insert(1, rule);
        for row in rows {
            let cells = row.iter().zip(&widths);
            let cells: Vec<String> = cells
                .map(|(cell, wide)| format!("{cell}{}", " ".repeat(wide - width(cell))))
                .collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
    }
    let plural = if items.len() == 1 { "" } else { "s" };
    text.push_str(&format!("({} item{plural})\n", items.len()));
    text
}

fn width(cell: &str) -> usize {
    cell.chars().count()
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
