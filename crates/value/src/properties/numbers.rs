//! Numbers against their text.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::strategies::{near_numbers, number};
use crate::{Number, NumberError};

/// The size rule of the service, word for word, on the plain text.
fn size_by_text(text: &str) -> usize {
    let unsigned = text.trim_start_matches('-');
    let (integer, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let mut integer = integer.trim_start_matches('0');
    let mut fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        integer = integer.trim_end_matches('0');
    }
    if integer.is_empty() {
        fraction = fraction.trim_start_matches('0');
    }
    let sign = usize::from(text.starts_with('-'));
    1 + integer.len().div_ceil(2) + fraction.len().div_ceil(2) + sign
}

/// Order of the values by the plain texts alone.
fn order_by_text(left: &str, right: &str) -> Ordering {
    fn magnitude(text: &str) -> (usize, String) {
        let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
        (integer.len(), format!("{integer}{fraction}"))
    }
    match (left.strip_prefix('-'), right.strip_prefix('-')) {
        (None, None) => magnitude(left).cmp(&magnitude(right)),
        (Some(left), Some(right)) => magnitude(right).cmp(&magnitude(left)),
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
    }
}

/// What parsing must give, by plain string work on the parts of a literal.
fn parse_by_text(integer: &str, fraction: &str, exponent: i64) -> Result<String, NumberError> {
    let digits = format!("{integer}{fraction}");
    let significant = digits.trim_start_matches('0');
    let scientific = if significant.is_empty() {
        exponent - fraction.len() as i64
    } else {
        exponent + significant.len() as i64 - 1 - fraction.len() as i64
    };
    let trimmed = significant.trim_end_matches('0');
    match scientific {
        126.. => return Err(NumberError::Overflow),
        ..-130 => return Err(NumberError::Underflow),
        _ if trimmed.len() > 38 => return Err(NumberError::TooManyDigits),
        _ if trimmed.is_empty() => return Ok("0".to_owned()),
        _ => {}
    }
    if scientific < 0 {
        let zeros = "0".repeat(-scientific as usize - 1);
        return Ok(format!("0.{zeros}{trimmed}"));
    }
    let point = scientific as usize + 1;
    if trimmed.len() <= point {
        return Ok(format!("{trimmed}{}", "0".repeat(point - trimmed.len())));
    }
    let (integer, fraction) = trimmed.split_at(point);
    Ok(format!("{integer}.{fraction}"))
}

proptest! {
    #[test]
    fn text_comes_back(number in number()) {
        let text = number.to_string();
        prop_assert_eq!(Number::parse(&text), Ok(number));
        prop_assert!(!text.contains(['e', 'E', '+']));
        prop_assert!(!text.contains('.') || !text.ends_with(['0', '.']));
    }

    #[test]
    fn literals_parse_as_by_hand(
        integer in "[0-9]{0,30}|0{0,3}[1-9]0{0,130}|0{1,3}",
        fraction in "[0-9]{0,30}|0{0,130}[1-9]0{0,3}|0{0,140}",
        exponent in prop_oneof![Just(0i64), -5i64..5, -300i64..300],
    ) {
        prop_assume!(!integer.is_empty() || !fraction.is_empty());
        let expected = parse_by_text(&integer, &fraction, exponent);
        let parsed = Number::parse(&format!("{integer}.{fraction}e{exponent}"));
        prop_assert_eq!(parsed.map(|number| number.to_string()), expected);
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in "[-+.eE0-9 x]{0,12}|\\PC{0,12}") {
        match Number::parse(&text) {
            Ok(number) => prop_assert_eq!(Number::parse(&number.to_string()), Ok(number)),
            Err(NumberError::NotNumeric(echo)) => prop_assert_eq!(echo, text),
            Err(_) => {}
        }
    }

    #[test]
    fn size_is_that_of_the_text(number in number()) {
        prop_assert_eq!(number.size(), size_by_text(&number.to_string()));
    }

    #[test]
    fn order_is_that_of_the_text(left in number(), right in number()) {
        let expected = order_by_text(&left.to_string(), &right.to_string());
        prop_assert_eq!(left.cmp(&right), expected);
        prop_assert_eq!(left == right, expected == Ordering::Equal);
    }

    #[test]
    fn order_of_near_numbers_is_that_of_the_text((left, right) in near_numbers()) {
        let expected = order_by_text(&left.to_string(), &right.to_string());
        prop_assert_eq!(left.cmp(&right), expected);
    }

    #[test]
    fn integers_are_numbers(integer in any::<i64>()) {
        let number = Number::from(integer);
        prop_assert_eq!(number.to_string(), integer.to_string());
        prop_assert_eq!(number.to_i64(), Some(integer));
    }
}
