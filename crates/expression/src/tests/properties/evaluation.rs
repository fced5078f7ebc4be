//! Conditions against a model that walks the tree as it was before it was written down.

use std::cmp::Ordering;

use proptest::prelude::*;
use value::{Item, Number, Value};

use super::tree::{Operand, Tree, TreeTest, Writer, trees};
use super::{find, items, values};
use crate::syntax::{Comparator, Function};
use crate::{ConditionSyntax, Kind, MAX_EXPRESSION_SIZE, Placeholders};

/// The values as `:v0`, `:v1` and so on, and an alias for each name.
pub(super) fn given(values: &[Value]) -> Placeholders {
    let names = ["a", "b", "c"].map(|name| (format!("#{name}"), name.to_owned()));
    let values = values.iter().cloned().enumerate();
    let values = values.map(|(number, value)| (format!(":v{number}"), value));
    Placeholders::new(Some(names.into()), Some(values.collect())).unwrap()
}

struct Model<'m> {
    item: &'m Item,
    values: &'m [Value],
}

impl Model<'_> {
    fn value(&self, operand: &Operand) -> Option<Value> {
        match operand {
            Operand::Path(path) => find(path, self.item).cloned(),
            Operand::Value(name) => {
                let number: usize = name[2..].parse().unwrap();
                Some(self.values[number].clone())
            }
            Operand::Call(_, operands) => {
                let size = match self.value(&operands[0])? {
                    Value::S(text) => text.len(),
                    Value::B(bytes) => bytes.len(),
                    Value::L(list) => list.len(),
                    Value::M(map) => map.len(),
                    Value::Ss(set) => set.len(),
                    Value::Ns(set) => set.len(),
                    Value::Bs(set) => set.len(),
                    _ => return None,
                };
                Some(Value::N(Number::from(size as i64)))
            }
            Operand::Arithmetic(..) => None,
        }
    }

    fn order(&self, left: &Operand, right: &Operand) -> Option<Ordering> {
        match (self.value(left)?, self.value(right)?) {
            (Value::S(left), Value::S(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
            (Value::N(left), Value::N(right)) => Some(left.cmp(&right)),
            (Value::B(left), Value::B(right)) => Some(left.cmp(&right)),
            _ => None,
        }
    }

    fn equal(&self, left: &Operand, right: &Operand) -> bool {
        let left = self.value(left);
        left.is_some() && left == self.value(right)
    }

    fn test(&self, test: &TreeTest) -> bool {
        match test {
            TreeTest::Compare(comparator, left, right) => {
                let order = self.order(left, right);
                match comparator {
                    Comparator::Eq => self.equal(left, right),
                    Comparator::Ne => !self.equal(left, right),
                    Comparator::Lt => order == Some(Ordering::Less),
                    Comparator::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
                    Comparator::Gt => order == Some(Ordering::Greater),
                    Comparator::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
                }
            }
            TreeTest::Between(value, lower, upper) => {
                let from = self.order(lower, value);
                let to = self.order(value, upper);
                matches!(from, Some(Ordering::Less | Ordering::Equal))
                    && matches!(to, Some(Ordering::Less | Ordering::Equal))
            }
            TreeTest::In(value, members) => members.iter().any(|member| self.equal(value, member)),
            TreeTest::Call(function, operands) => {
                let first = self.value(&operands[0]);
                match function {
                    Function::AttributeExists => return first.is_some(),
                    Function::AttributeNotExists => return first.is_none(),
                    _ => {}
                }
                let (Some(first), Some(second)) = (first, self.value(&operands[1])) else {
                    return false;
                };
                match (function, &first, &second) {
                    (Function::BeginsWith, Value::S(whole), Value::S(part)) => {
                        whole.get(..part.len()) == Some(part)
                    }
                    (Function::BeginsWith, Value::B(whole), Value::B(part)) => {
                        whole.get(..part.len()) == Some(part)
                    }
                    (Function::Contains, Value::S(whole), Value::S(part)) => {
                        (0..=whole.len()).any(|start| whole[start..].starts_with(part.as_str()))
                    }
                    (Function::Contains, Value::B(whole), Value::B(part)) => {
                        (0..=whole.len()).any(|start| whole[start..].starts_with(part))
                    }
                    (Function::Contains, Value::Ss(set), Value::S(part)) => set.contains(part),
                    (Function::Contains, Value::Ns(set), Value::N(part)) => set.contains(part),
                    (Function::Contains, Value::Bs(set), Value::B(part)) => set.contains(part),
                    (Function::Contains, Value::L(list), part) => list.contains(part),
                    _ => false,
                }
            }
        }
    }

    fn tree(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Test(test) => self.test(test),
            Tree::Not(inner) => !self.tree(inner),
            Tree::And(trees) => trees.iter().all(|tree| self.tree(tree)),
            Tree::Or(trees) => trees.iter().any(|tree| self.tree(tree)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1500,
        max_global_rejects: 50_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn conditions_hold_as_the_model_says(
        tree in trees(),
        values in prop::collection::vec(values(), 6),
        items in prop::collection::vec(items(), 1..6),
    ) {
        let mut writer = Writer::new(vec![0, 1, 2, 3, 4]);
        writer.tree(&tree);
        prop_assume!(writer.text.len() <= MAX_EXPRESSION_SIZE);
        let syntax = ConditionSyntax::parse(Kind::Filter, &writer.text).unwrap();
        // What is refused is refused for its operands; that is tested row by row elsewhere.
        let condition = syntax.bind(&mut given(&values));
        prop_assume!(condition.is_ok());
        let condition = condition.unwrap();
        for item in &items {
            let model = Model { item, values: &values };
            prop_assert_eq!(condition.matches(item), model.tree(&tree), "{}", writer.text);
        }
    }

    #[test]
    fn substrings_of_binaries_are_found(
        whole in prop::collection::vec(0..2_u8, 0..24),
        part in prop::collection::vec(0..2_u8, 0..6),
    ) {
        let expect = (0..=whole.len()).any(|start| whole[start..].starts_with(&part));
        let syntax = ConditionSyntax::parse(Kind::Condition, "contains(:v0, :v1)").unwrap();
        let values = [Value::B(whole), Value::B(part)];
        let condition = syntax.bind(&mut given(&values)).unwrap();
        prop_assert_eq!(condition.matches(&Item::new()), expect);
    }
}
