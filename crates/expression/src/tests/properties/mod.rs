//! Properties that hold for all texts and items, and the models they are held against.

mod evaluation;
mod never_panic;
mod round_trip;
mod statements;
mod tree;
mod update_model;

use proptest::prelude::*;
use value::{Item, Map, Number, Value};

use crate::syntax::{ElementSyntax, PathSyntax};

/// Values of all types from a universe so small that equal ones meet.
fn values() -> impl Strategy<Value = Value> {
    let text = prop::sample::select(vec!["", "a", "ab", "b"]).prop_map(str::to_owned);
    let bytes = prop::collection::vec(0..2_u8, 0..3);
    let number = (-2..3_i64).prop_map(Number::from);
    let leaf = prop_oneof![
        text.clone().prop_map(Value::S),
        number.clone().prop_map(Value::N),
        bytes.clone().prop_map(Value::B),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        prop::collection::btree_set(text, 1..3)
            .prop_map(|set| Value::Ss(set.into_iter().collect())),
        prop::collection::btree_set(number, 1..3)
            .prop_map(|set| Value::Ns(set.into_iter().collect())),
        prop::collection::btree_set(bytes, 1..3)
            .prop_map(|set| Value::Bs(set.into_iter().collect())),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::L),
            maps(inner).prop_map(Value::M),
        ]
    })
}

fn maps(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Map> {
    let names = prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned);
    prop::collection::btree_map(names, values, 0..4)
}

fn items() -> impl Strategy<Value = Item> {
    maps(values())
}

/// Paths that often lead somewhere in those items.
fn paths() -> impl Strategy<Value = PathSyntax> {
    let name = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "c"])
            .prop_map(|name| ElementSyntax::Name(name.into())),
        1 => prop::sample::select(vec!["#a", "#b", "#c"])
            .prop_map(|alias| ElementSyntax::Alias(alias.into())),
    ];
    let index = (0..5_usize).prop_map(ElementSyntax::Index);
    let rest = prop::collection::vec(prop_oneof![name.clone(), index], 0..3);
    (name, rest).prop_map(|(root, rest)| PathSyntax { root, rest })
}

/// The value of an attribute name or an alias for it, both called the same.
fn plain(name: &str) -> &str {
    name.trim_start_matches('#')
}

fn find<'i>(path: &PathSyntax, item: &'i Item) -> Option<&'i Value> {
    let (ElementSyntax::Name(root) | ElementSyntax::Alias(root)) = &path.root else {
        return None;
    };
    let mut value = item.get(plain(root))?;
    for element in &path.rest {
        value = match (element, value) {
            (ElementSyntax::Name(name) | ElementSyntax::Alias(name), Value::M(map)) => {
                map.get(plain(name))?
            }
            (ElementSyntax::Index(index), Value::L(list)) => list.get(*index)?,
            _ => return None,
        };
    }
    Some(value)
}
