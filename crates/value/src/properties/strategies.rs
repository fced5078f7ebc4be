//! Random numbers, values and items, with a bias to the edges.

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

use crate::{Item, Number, Value};

/// Text of a number with the given leading position: exactly the numbers there are.
fn literal(scientific: impl Strategy<Value = i32>) -> impl Strategy<Value = String> {
    let digits = prop_oneof![
        4 => vec(0..10u8, 0..38),
        1 => vec(prop_oneof![Just(0u8), Just(9u8)], 0..38),
        1 => vec(Just(9u8), 37),
    ];
    (any::<bool>(), 1..10u8, digits, scientific).prop_map(|(negative, first, rest, scientific)| {
        let sign = if negative { "-" } else { "" };
        let rest: String = rest.iter().map(|digit| char::from(b'0' + digit)).collect();
        format!("{sign}{first}.{rest}e{scientific}")
    })
}

fn parsed(text: String) -> Number {
    Number::parse(&text).unwrap()
}

/// Any number.
pub(super) fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        1 => Just(Number::ZERO),
        4 => (-1000i64..1000).prop_map(Number::from),
        4 => literal(-130..=125).prop_map(parsed),
        4 => literal(-3..=3).prop_map(parsed),
        1 => literal(prop_oneof![Just(-130), Just(125)]).prop_map(parsed),
    ]
}

/// Two numbers near enough to each other that digits meet in a sum.
pub(super) fn near_numbers() -> impl Strategy<Value = (Number, Number)> {
    (-130..=125i32).prop_flat_map(|base| {
        let other = (base - 40).max(-130)..=(base + 40).min(125);
        (literal(Just(base)).prop_map(parsed), literal(other).prop_map(parsed))
    })
}

/// Bytes in which zeros and 0xFF, the bytes the key encoding treats apart, are common.
pub(super) fn binary() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(0u8), Just(1), Just(254), Just(255), any::<u8>()];
    vec(byte, 0..12)
}

/// Strings in which zeros and long characters are common.
pub(super) fn string() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        Just('\0'),
        Just('a'),
        Just('\u{7f}'),
        Just('\u{80}'),
        Just('\u{10ffff}'),
        any::<char>()
    ];
    vec(character, 0..8).prop_map(String::from_iter)
}

/// Any value, nested up to four levels.
pub(super) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        string().prop_map(Value::S),
        "[a-z]{0,300}".prop_map(Value::S),
        number().prop_map(Value::N),
        binary().prop_map(Value::B),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        btree_set(string(), 1..5).prop_map(|set| Value::Ss(set.into_iter().collect())),
        btree_set(number(), 1..5).prop_map(|set| Value::Ns(set.into_iter().collect())),
        btree_set(binary(), 1..5).prop_map(|set| Value::Bs(set.into_iter().collect())),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::L),
            btree_map(string(), inner, 0..6).prop_map(Value::M),
        ]
    })
}

/// Any item.
pub(super) fn item() -> impl Strategy<Value = Item> {
    btree_map(string(), value(), 0..6)
}
