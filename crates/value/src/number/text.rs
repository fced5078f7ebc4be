//! The text of a number as DynamoDB returns it: plain decimal, never an exponent.

use std::fmt::{self, Debug, Display, Formatter};

use super::Number;
use super::digits::for_each_from_last;

const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        let mut buffer = [b'0'; 38];
        let mut slots = buffer.iter_mut().rev();
        for_each_from_last::<10>(self.coefficient, |digit| {
            if let Some(slot) = slots.next() {
                *slot = b'0' + digit;
            }
        });
        let unused = slots.len();
        let (_, digits) = buffer.split_at_checked(unused).ok_or(fmt::Error)?;
        let digits = std::str::from_utf8(digits).map_err(|_| fmt::Error)?;

        if self.negative {
            f.write_str("-")?;
        }
        if let Ok(zeros) = usize::try_from(self.exponent) {
            f.write_str(digits)?;
            return write_zeros(f, zeros);
        }
        let fraction = usize::from(self.exponent.unsigned_abs());
        match digits.len().checked_sub(fraction) {
            Some(point) if point > 0 => {
                let (integer, fraction) = digits.split_at_checked(point).ok_or(fmt::Error)?;
                f.write_str(integer)?;
                f.write_str(".")?;
                f.write_str(fraction)
            }
            _ => {
                f.write_str("0.")?;
                write_zeros(f, fraction - digits.len())?;
                f.write_str(digits)
            }
        }
    }
}

impl Debug for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

fn write_zeros(f: &mut Formatter<'_>, mut count: usize) -> fmt::Result {
    while count > 0 {
        let zeros = ZEROS.get(..count).unwrap_or(ZEROS);
        f.write_str(zeros)?;
        count -= zeros.len();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_plain_decimal() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Number::parse(text).unwrap().to_string(), expected);
        };
        check("-0", "0");
        check("1.5E2", "150");
        check("-123.456", "-123.456");
        check("0.001", "0.001");
        check("-1e-3", "-0.001");
        check("0.12", "0.12");
        check("1E125", &format!("1{}", "0".repeat(125)));
        check("1E-130", &format!("0.{}1", "0".repeat(129)));
        check("-1.5E-130", &format!("-0.{}15", "0".repeat(129)));
        let digits = "12345678901234567890123456789012345678";
        check(digits, digits);
        check(&format!("{digits}E88"), &format!("{digits}{}", "0".repeat(88)));
        check(&format!("{digits}E-167"), &format!("0.{}{digits}", "0".repeat(129)));
        assert_eq!(format!("{:?}", Number::from(-7)), "Number(-7)");
    }
}
