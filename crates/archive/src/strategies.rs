//! Any item, for the property tests of the formats.

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use value::{Item, Number, Value};

fn number() -> impl Strategy<Value = Number> {
    let digits = vec(0..10u8, 0..38);
    let any = (any::<bool>(), 1..10u8, digits, -130..=125i32).prop_map(
        |(negative, first, rest, exponent)| {
            let sign = if negative { "-" } else { "" };
            let rest: String = rest.iter().map(|digit| char::from(b'0' + digit)).collect();
            Number::parse(&format!("{sign}{first}.{rest}e{exponent}")).unwrap()
        },
    );
    prop_oneof![Just(Number::ZERO), (-1000i64..1000).prop_map(Number::from), any]
}

/// Texts in which what formats treat apart is common.
fn text() -> impl Strategy<Value = String> {
    let special = proptest::sample::select(
        "\0\n\r\t\u{7f}\\\"'/*{}[],:;|$ _\u{85}\u{2028}\u{feff}\u{10ffff}"
            .chars()
            .collect::<Vec<_>>(),
    );
    let character = prop_oneof![special, Just('a'), any::<char>()];
    prop_oneof![
        4 => vec(character, 0..8).prop_map(String::from_iter),
        1 => proptest::sample::select(vec!["null", "true", "$ion_1_0", "'''", "$10", "Item"])
            .prop_map(str::to_owned),
    ]
}

fn name() -> impl Strategy<Value = String> {
    text().prop_filter("names are not empty", |name| !name.is_empty())
}

fn value() -> impl Strategy<Value = Value> {
    let binary = || vec(any::<u8>(), 0..8);
    let leaf = prop_oneof![
        text().prop_map(Value::S),
        number().prop_map(Value::N),
        binary().prop_map(Value::B),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        btree_set(text(), 1..4).prop_map(|set| Value::Ss(set.into_iter().collect())),
        btree_set(number(), 1..4).prop_map(|set| Value::Ns(set.into_iter().collect())),
        btree_set(binary(), 1..4).prop_map(|set| Value::Bs(set.into_iter().collect())),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::L),
            btree_map(name(), inner, 0..5).prop_map(Value::M),
        ]
    })
}

/// Any item.
pub(crate) fn item() -> impl Strategy<Value = Item> {
    btree_map(name(), value(), 0..6)
}
