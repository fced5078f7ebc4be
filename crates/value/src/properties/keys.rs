//! Key bytes: their order is that of the values, they end themselves, and damage is noticed.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::strategies::{binary, near_numbers, number, string};
use crate::key::{decode, encode, encode_prefix};
use crate::{CodecError, KeyType, Number, Value};

fn key() -> impl Strategy<Value = Value> {
    prop_oneof![
        string().prop_map(Value::S),
        number().prop_map(Value::N),
        binary().prop_map(Value::B),
    ]
}

/// Two keys of one type.
fn keys() -> impl Strategy<Value = (Value, Value)> {
    prop_oneof![
        (string(), string()).prop_map(|(left, right)| (Value::S(left), Value::S(right))),
        (binary(), binary()).prop_map(|(left, right)| (Value::B(left), Value::B(right))),
        (number(), number()).prop_map(|(left, right)| (Value::N(left), Value::N(right))),
        near_numbers().prop_map(|(left, right)| (Value::N(left), Value::N(right))),
    ]
}

fn encoded(values: &[&Value]) -> Vec<u8> {
    let mut out = Vec::new();
    for value in values {
        encode(value, &mut out).unwrap();
    }
    out
}

fn order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::S(left), Value::S(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::N(left), Value::N(right)) => left.cmp(right),
        (Value::B(left), Value::B(right)) => left.cmp(right),
        _ => panic!("two types"),
    }
}

proptest! {
    #[test]
    fn keys_come_back(first in key(), second in key()) {
        let bytes = encoded(&[&first, &second]);
        let mut input = bytes.as_slice();
        for value in [first, second] {
            prop_assert_eq!(decode(KeyType::of(&value).unwrap(), &mut input), Ok(value));
        }
        prop_assert!(input.is_empty());
    }

    #[test]
    fn order_is_that_of_the_values((left, right) in keys()) {
        prop_assert_eq!(encoded(&[&left]).cmp(&encoded(&[&right])), order(&left, &right));
    }

    #[test]
    fn order_holds_when_bytes_follow(
        (left, right) in keys(),
        left_tail in binary(),
        right_tail in binary(),
    ) {
        prop_assume!(order(&left, &right) != Ordering::Equal);
        let left_bytes = [encoded(&[&left]), left_tail].concat();
        let right_bytes = [encoded(&[&right]), right_tail].concat();
        prop_assert_eq!(left_bytes.cmp(&right_bytes), order(&left, &right));
    }

    #[test]
    fn order_of_two_components(
        (left, right) in keys(),
        (left_second, right_second) in keys(),
        same in any::<bool>(),
    ) {
        let right = if same { left.clone() } else { right };
        let expected = order(&left, &right).then(order(&left_second, &right_second));
        let left_bytes = encoded(&[&left, &left_second]);
        let right_bytes = encoded(&[&right, &right_second]);
        prop_assert_eq!(left_bytes.cmp(&right_bytes), expected);
    }

    #[test]
    fn prefix_bytes_are_those_of_values_with_the_prefix(
        bytes in binary(),
        split in any::<prop::sample::Index>(),
        other in binary(),
    ) {
        let prefix = &bytes[..split.index(bytes.len() + 1)];
        let mut prefix_bytes = Vec::new();
        encode_prefix(prefix, &mut prefix_bytes);
        prop_assert!(encoded(&[&Value::B(bytes.clone())]).starts_with(&prefix_bytes));
        let has_prefix = other.starts_with(prefix);
        let other_bytes = encoded(&[&Value::B(other)]);
        prop_assert_eq!(other_bytes.starts_with(&prefix_bytes), has_prefix);
    }

    #[test]
    fn accepted_bytes_are_the_only_form(
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..30),
            (0..=4u8, any::<u8>(), proptest::collection::vec(0..=102u8, 0..21)).prop_map(
                |(sign, point, pairs)| [vec![sign, point], pairs, vec![0]].concat()
            ),
        ],
    ) {
        for key_type in [KeyType::S, KeyType::N, KeyType::B] {
            let mut input = bytes.as_slice();
            if let Ok(value) = decode(key_type, &mut input) {
                let used = &bytes[..bytes.len() - input.len()];
                prop_assert_eq!(encoded(&[&value]), used);
            } else {
                prop_assert_eq!(input.len(), bytes.len());
            }
        }
    }

    #[test]
    fn a_cut_number_is_refused_and_a_skipped_one_ends_where_a_read_one_does(
        number in number(),
        tail in binary(),
    ) {
        let mut bytes = Vec::new();
        number.encode_ordered(&mut bytes);
        for length in 0..bytes.len() {
            let mut input = &bytes[..length];
            prop_assert_eq!(
                Number::decode_ordered(&mut input),
                Err(CodecError::UnexpectedEnd)
            );
            prop_assert!(Number::skip_ordered(&mut &bytes[..length]).is_err());
        }
        bytes.extend_from_slice(&tail);
        let (mut read, mut skipped) = (bytes.as_slice(), bytes.as_slice());
        prop_assert_eq!(Number::decode_ordered(&mut read), Ok(number));
        prop_assert_eq!(Number::skip_ordered(&mut skipped), Ok(()));
        prop_assert_eq!(read, tail.as_slice());
        prop_assert_eq!(skipped, tail.as_slice());
    }
}
