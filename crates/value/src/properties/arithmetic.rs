//! Sums against schoolbook arithmetic on long rows of digits.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::strategies::{near_numbers, number};
use crate::{Number, NumberError};

/// Digits before and after the point: more than any number or sum of two has.
const INTEGER: usize = 130;
const FRACTION: usize = 170;

/// A signed row of decimal digits with a fixed point, the most significant first.
#[derive(Clone)]
struct Row {
    negative: bool,
    digits: Vec<u8>,
}

impl Row {
    fn new(number: &Number) -> Row {
        let text = number.to_string();
        let unsigned = text.trim_start_matches('-');
        let (integer, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let padded = format!("{integer:0>INTEGER$}{fraction:0<FRACTION$}");
        Row {
            negative: text.starts_with('-'),
            digits: padded.bytes().map(|byte| byte - b'0').collect(),
        }
    }

    fn negated(mut self) -> Row {
        self.negative = !self.negative;
        self
    }

    fn plus(&self, other: &Row) -> Row {
        if self.negative != other.negative && self.digits.cmp(&other.digits) == Ordering::Less {
            return other.plus(self);
        }
        let mut carry = 0;
        let mut digits = Vec::new();
        for (left, right) in self.digits.iter().zip(&other.digits).rev() {
            let (left, right) = (*left as i8, *right as i8);
            let sum = if self.negative == other.negative {
                left + right + carry
            } else {
                left - right + carry
            };
            digits.push(sum.rem_euclid(10) as u8);
            carry = sum.div_euclid(10);
        }
        assert_eq!(carry, 0);
        digits.reverse();
        Row { negative: self.negative, digits }
    }

    fn number(&self) -> Result<Number, NumberError> {
        let Some(first) = self.digits.iter().position(|digit| *digit != 0) else {
            return Ok(Number::ZERO);
        };
        let last = self.digits.iter().rposition(|digit| *digit != 0).unwrap();
        let scientific = INTEGER as i32 - 1 - first as i32;
        if last - first >= 38 || scientific > 125 {
            return Err(NumberError::Overflow);
        }
        if scientific < -130 {
            return Err(NumberError::Underflow);
        }
        let mut text = String::from(if self.negative { "-" } else { "" });
        for (position, digit) in self.digits.iter().enumerate() {
            if position == INTEGER {
                text.push('.');
            }
            text.push(char::from(b'0' + digit));
        }
        Number::parse(&text)
    }
}

fn check(left: Number, right: Number) -> Result<(), TestCaseError> {
    let (left_row, right_row) = (Row::new(&left), Row::new(&right));
    let sum = left_row.plus(&right_row).number();
    prop_assert_eq!(left.checked_add(&right), sum.clone());
    prop_assert_eq!(right.checked_add(&left), sum);
    let difference = left_row.plus(&right_row.negated()).number();
    prop_assert_eq!(left.checked_sub(&right), difference);
    Ok(())
}

proptest! {
    #[test]
    fn sums_of_any_numbers(left in number(), right in number()) {
        check(left, right)?;
    }

    #[test]
    fn sums_of_near_numbers((left, right) in near_numbers()) {
        check(left, right)?;
    }

    #[test]
    fn sums_around_the_digit_limit(shift in 35i32..42, lead in 1i64..40, low in -30i64..30) {
        let high = Number::parse(&format!("{lead}e{shift}")).unwrap();
        check(high, Number::from(low))?;
    }

    #[test]
    fn a_difference_undoes_a_sum((left, right) in near_numbers()) {
        if let Ok(sum) = left.checked_add(&right) {
            prop_assert_eq!(sum.checked_sub(&right), Ok(left));
        }
    }
}
