//! Which attributes items have, and which type of column holds all values of each.

use std::collections::BTreeMap;

use value::{Item, Value};

use crate::column::{Column, Kind, MAX_DIGITS, digit_counts};

/// What was seen of the items so far.
#[derive(Debug, Default)]
pub struct Survey {
    attributes: BTreeMap<String, Seen>,
}

/// What was seen of an attribute.
#[derive(Debug, Default)]
struct Seen {
    text: bool,
    number: bool,
    binary: bool,
    boolean: bool,
    /// A number that no machine integer holds.
    beyond_integer: bool,
    whole_digits: u32,
    fraction_digits: u32,
}

impl Survey {
    /// Looks at an item.
    pub fn see(&mut self, item: &Item) {
        for (name, value) in item {
            match self.attributes.get_mut(name) {
                Some(seen) => seen.see(value),
                None => self.attributes.entry(name.clone()).or_default().see(value),
            }
        }
    }

    /// How many attributes there are.
    pub fn attribute_count(&self) -> usize {
        self.attributes.len()
    }

    /// The columns that hold everything that was seen, those that are named first before the others.
    pub fn columns(&self, first: &[String]) -> Vec<Column> {
        let others = self.attributes.keys().filter(|name| !first.contains(name));
        self.chosen(&first.iter().chain(others).cloned().collect::<Vec<_>>())
    }

    /// The columns of these attributes alone.
    pub fn chosen(&self, names: &[String]) -> Vec<Column> {
        let kind = |name: &str| self.attributes.get(name).map_or(Kind::Text, Seen::kind);
        names.iter().map(|name| Column { name: name.clone(), kind: kind(name) }).collect()
    }
}

impl Seen {
    fn see(&mut self, value: &Value) {
        match value {
            Value::N(number) => {
                self.number = true;
                self.beyond_integer |= number.to_i64().is_none();
                let (whole, fraction) = digit_counts(number);
                self.whole_digits = self.whole_digits.max(whole);
                self.fraction_digits = self.fraction_digits.max(fraction);
            }
            Value::B(_) => self.binary = true,
            Value::Bool(_) => self.boolean = true,
            Value::Null => {}
            Value::S(_)
            | Value::L(_)
            | Value::M(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_) => self.text = true,
        }
    }

    fn kind(&self) -> Kind {
        let digits = self.whole_digits.saturating_add(self.fraction_digits);
        match (self.text, self.number, self.binary, self.boolean) {
            (false, true, false, false) if !self.beyond_integer => Kind::Integer,
            (false, true, false, false) if digits <= MAX_DIGITS => {
                Kind::Decimal { precision: digits.max(1), scale: self.fraction_digits }
            }
            (false, false, true, false) => Kind::Binary,
            (false, false, false, true) => Kind::Boolean,
            _ => Kind::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::Number;

    fn kind(values: &[Value]) -> Kind {
        let mut survey = Survey::default();
        for value in values {
            survey.see(&Item::from([("a".to_owned(), value.clone())]));
        }
        survey.columns(&[])[0].kind
    }

    #[test]
    fn a_column_holds_all_that_was_seen() {
        let number = |text: &str| Value::N(Number::parse(text).unwrap());
        let text = Value::S("x".to_owned());
        for (values, expect) in [
            (vec![number("1"), Value::Null, number("-5")], Kind::Integer),
            (vec![number("9223372036854775807")], Kind::Integer),
            (vec![number("9223372036854775808")], Kind::Decimal { precision: 19, scale: 0 }),
            (vec![number("1.25"), number("100")], Kind::Decimal { precision: 5, scale: 2 }),
            (vec![number("0.001")], Kind::Decimal { precision: 3, scale: 3 }),
            (vec![number("1e37"), number("0.1")], Kind::Text),
            (vec![number("1e-50")], Kind::Text),
            (vec![number("1"), text.clone()], Kind::Text),
            (vec![Value::B(vec![1])], Kind::Binary),
            (vec![Value::B(vec![1]), text], Kind::Text),
            (vec![Value::Bool(true), Value::Null], Kind::Boolean),
            (vec![Value::Null], Kind::Text),
            (vec![Value::L(vec![])], Kind::Text),
        ] {
            assert_eq!(kind(&values), expect, "{values:?}");
        }
    }

    #[test]
    fn keys_come_first() {
        let mut survey = Survey::default();
        for name in ["b", "sk", "a", "pk"] {
            survey.see(&Item::from([(name.to_owned(), Value::Null)]));
        }
        let keys = ["pk".to_owned(), "sk".to_owned()];
        let names: Vec<String> =
            survey.columns(&keys).into_iter().map(|column| column.name).collect();
        assert_eq!(names, ["pk", "sk", "a", "b"]);
    }
}
