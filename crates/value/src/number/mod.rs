//! Decimal numbers as DynamoDB has them: 38 significant digits, magnitude 1E-130 to just below 1E126.
//!
//! The form is canonical (no trailing zeros in the coefficient, one zero), so equality and hashing
//! of the fields are numeric equality. Every constructor of this module must keep that.

mod arithmetic;
mod digits;
mod error;
mod ordered;
mod parse;
mod text;

use std::cmp::Ordering;

pub use error::NumberError;

use digits::{MAX_DIGITS, digit_count, pow10, strip_trailing_zeros};

/// Largest position of the leading digit: 9.99E125 is a number, 1E126 is not.
const MAX_SCIENTIFIC: i32 = 125;
/// Smallest position of the leading digit.
const MIN_SCIENTIFIC: i32 = -130;

/// A decimal number: `coefficient * 10^exponent` with a sign.
// Packed to the alignment of a word: with that of u128 every `Value` would grow by half.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(Rust, packed(8))]
pub struct Number {
    coefficient: u128,
    exponent: i16,
    negative: bool,
}

impl Number {
    /// The number zero.
    pub const ZERO: Number = Number { coefficient: 0, exponent: 0, negative: false };

    /// Brings any coefficient and exponent into canonical form; a result that does not fit is an
    /// error of magnitude, also when it is the digits that are too many.
    fn from_parts(negative: bool, coefficient: u128, exponent: i32) -> Result<Number, NumberError> {
        if coefficient == 0 {
            return Ok(Number::ZERO);
        }
        let (coefficient, stripped) = strip_trailing_zeros(coefficient);
        let exponent = exponent + stripped;
        let digits = digit_count(coefficient);
        let scientific = exponent + digits - 1;
        if digits > MAX_DIGITS || scientific > MAX_SCIENTIFIC {
            return Err(NumberError::Overflow);
        }
        if scientific < MIN_SCIENTIFIC {
            return Err(NumberError::Underflow);
        }
        Ok(Number { coefficient, exponent: exponent as i16, negative })
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.coefficient == 0
    }

    /// Whether this is less than zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The same value as a machine integer, if it is one.
    pub fn to_i64(&self) -> Option<i64> {
        let scale = u32::try_from(self.exponent).ok().and_then(pow10)?;
        let magnitude = i128::try_from(self.coefficient.checked_mul(scale)?).ok()?;
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// The bytes this number counts for in an item's size.
    pub fn size(&self) -> usize {
        let coefficient = self.coefficient;
        if coefficient == 0 {
            return 1;
        }
        let digits = digit_count(coefficient);
        let fraction = -i32::from(self.exponent);
        // Zeros at either end are free, so only a point between two digits splits them in two groups.
        let groups = if fraction > 0 && fraction < digits {
            half_up(digits - fraction) + half_up(fraction)
        } else {
            half_up(digits)
        };
        1 + groups + usize::from(self.negative)
    }

    fn signum(&self) -> i8 {
        match (self.negative, self.is_zero()) {
            (true, _) => -1,
            (false, true) => 0,
            (false, false) => 1,
        }
    }

    /// Order of the absolute values of two non-zero numbers.
    fn cmp_magnitude(&self, other: &Number) -> Ordering {
        let (left, right) = (self.coefficient, other.coefficient);
        let (left_digits, right_digits) = (digit_count(left), digit_count(right));
        let left_scientific = i32::from(self.exponent) + left_digits;
        let right_scientific = i32::from(other.exponent) + right_digits;
        left_scientific.cmp(&right_scientific).then_with(|| {
            let width = left_digits.max(right_digits);
            widen(left, width - left_digits).cmp(&widen(right, width - right_digits))
        })
    }
}

/// Appends zeros; both operands stay below 10^38, so the product cannot overflow.
fn widen(coefficient: u128, zeros: i32) -> u128 {
    let scale = u32::try_from(zeros).ok().and_then(pow10).unwrap_or(1);
    coefficient.saturating_mul(scale)
}

fn half_up(digits: i32) -> usize {
    digits.unsigned_abs().div_ceil(2) as usize
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        match (self.signum(), other.signum()) {
            (1, 1) => self.cmp_magnitude(other),
            (-1, -1) => other.cmp_magnitude(self),
            (left, right) => left.cmp(&right),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i64> for Number {
    fn from(integer: i64) -> Number {
        let (coefficient, exponent) = strip_trailing_zeros(u128::from(integer.unsigned_abs()));
        Number { coefficient, exponent: exponent as i16, negative: integer < 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn sizes_follow_the_sheet() {
        let digits38 = "12345678901234567890123456789012345678";
        for (text, size) in [
            ("0", 1),
            ("-0", 1),
            ("1", 2),
            ("12", 2),
            ("15", 2),
            ("100", 2),
            ("0042", 2),
            ("123", 3),
            ("1010", 3),
            ("1234", 3),
            ("-42", 3),
            ("1.5", 3),
            ("0.15", 2),
            ("1.234", 4),
            ("100.5", 4),
            ("123456", 4),
            ("3.14159", 5),
            (digits38, 20),
            ("1E125", 2),
            ("1E-100", 2),
            ("0.0000001", 2),
            ("100.05", 4),
            ("-1.5", 4),
        ] {
            assert_eq!(number(text).size(), size, "{text}");
        }
    }

    #[test]
    fn order_is_numeric() {
        let ascending = [
            "-9.9E125", "-1E125", "-100", "-99", "-1.51", "-1.5", "-1", "-1E-130", "0", "1E-130",
            "0.5", "1", "1.5", "1.51", "2", "9", "10", "11", "100", "1E125", "9.9E125",
        ];
        for (i, left) in ascending.iter().enumerate() {
            for (j, right) in ascending.iter().enumerate() {
                assert_eq!(number(left).cmp(&number(right)), i.cmp(&j), "{left} {right}");
            }
        }
    }

    #[test]
    fn integers_convert_both_ways() {
        for integer in [0, 1, -1, 10, -1000, 1_700_000_000, i64::MAX, i64::MIN] {
            assert_eq!(Number::from(integer), number(&integer.to_string()));
            assert_eq!(Number::from(integer).to_i64(), Some(integer));
        }
        for text in ["1.5", "9223372036854775808", "1E125", "1E-130", "-1E38"] {
            assert_eq!(number(text).to_i64(), None, "{text}");
        }
    }

    #[test]
    fn a_number_takes_three_words() {
        assert_eq!(size_of::<Number>(), 24);
        assert_eq!(size_of::<crate::Value>(), 32);
    }
}
