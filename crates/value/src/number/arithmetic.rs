//! Exact decimal sums, for `SET a = a + :n` and `ADD`. Nothing is ever rounded: a sum that needs
//! more digits than a number has is refused.

use std::ops::Neg;

use super::digits::pow10;
use super::{Number, NumberError};

impl Number {
    /// The exact sum.
    pub fn checked_add(&self, other: &Number) -> Result<Number, NumberError> {
        if self.is_zero() {
            return Ok(*other);
        }
        if other.is_zero() {
            return Ok(*self);
        }
        let (high, low) =
            if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let shift = i32::from(high.exponent) - i32::from(low.exponent);
        // A shifted operand beyond u128 is above 3.4E38 and the other below 1E38, so what remains
        // after any subtraction still has 39 digits; and the last one, that of `low`, is not zero.
        let widened = u32::try_from(shift)
            .ok()
            .and_then(pow10)
            .and_then(|scale| high.coefficient.checked_mul(scale))
            .ok_or(NumberError::Overflow)?;
        let lower = low.coefficient;
        let (negative, coefficient) = if high.negative == low.negative {
            let sum = widened.checked_add(lower).ok_or(NumberError::Overflow)?;
            (high.negative, sum)
        } else if widened >= lower {
            (high.negative, widened - lower)
        } else {
            (low.negative, lower - widened)
        };
        Number::from_parts(negative, coefficient, i32::from(low.exponent))
    }

    /// The exact difference.
    pub fn checked_sub(&self, other: &Number) -> Result<Number, NumberError> {
        self.checked_add(&-*other)
    }
}

impl Neg for Number {
    type Output = Number;

    fn neg(self) -> Number {
        Number { negative: !self.negative && !self.is_zero(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn sums_are_exact() {
        let nines = "9".repeat(38);
        for (left, right, sum) in [
            ("0", "0", "0"),
            ("0", "-5", "-5"),
            ("1", "2", "3"),
            ("5", "5", "10"),
            ("1.5", "-1.5", "0"),
            ("0.1", "0.2", "0.3"),
            ("-3", "1", "-2"),
            ("1", "-3", "-2"),
            ("1e37", "1", "10000000000000000000000000000000000001"),
            ("1e38", "-1", &nines),
            ("-1e38", "1", &format!("-{nines}")),
            (&nines, "1", &format!("1{}", "0".repeat(38))),
            ("9.9e125", "-9.8e125", &format!("1{}", "0".repeat(124))),
            ("5e-130", "-4e-130", &format!("0.{}1", "0".repeat(129))),
        ] {
            assert_eq!(number(left).checked_add(&number(right)), Ok(number(sum)), "{left} {right}");
            assert_eq!(
                number(left).checked_sub(&-number(right)),
                Ok(number(sum)),
                "{left} {right}"
            );
        }
    }

    #[test]
    fn sums_that_do_not_fit_are_refused() {
        use NumberError::{Overflow, Underflow};
        for (left, right, error) in [
            ("1e50", "1", Overflow),
            ("1e38", "1", Overflow),
            ("1e39", "-1", Overflow),
            ("3e38", "-1", Overflow),
            ("4e38", "-1", Overflow),
            ("1", "1e-130", Overflow),
            ("1e125", "1e-130", Overflow),
            (&"9".repeat(38), "0.1", Overflow),
            ("5e125", "5e125", Overflow),
            ("-9e125", "-1e125", Overflow),
            ("1.1e-130", "-1e-130", Underflow),
        ] {
            assert_eq!(
                number(left).checked_add(&number(right)),
                Err(error.clone()),
                "{left} {right}"
            );
            assert_eq!(number(right).checked_add(&number(left)), Err(error), "{left} {right}");
        }
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(-Number::ZERO, Number::ZERO);
        assert_eq!(-(-Number::from(4)), Number::from(4));
    }
}
