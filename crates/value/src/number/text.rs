//! The text of a number as DynamoDB returns it: plain decimal, never an exponent.

use std::fmt::{self, Debug, Display, Formatter};

use super::Number;
use super::digits::for_each_from_last;

impl Number {
    /// Appends the text.
    pub fn push_text(&self, out: &mut Vec<u8>) {
        if self.is_zero() {
            out.push(b'0');
            return;
        }
        let mut buffer = [b'0'; 38];
        let mut slots = buffer.iter_mut().rev();
        for_each_from_last::<10>(self.coefficient, |digit| {
            if let Some(slot) = slots.next() {
                *slot = b'0' + digit;
            }
        });
        let unused = slots.len();
        let digits = buffer.get(unused..).unwrap_or_default();

        if self.negative {
            out.push(b'-');
        }
        if let Ok(zeros) = usize::try_from(self.exponent) {
            out.extend_from_slice(digits);
            out.resize(out.len() + zeros, b'0');
            return;
        }
        let fraction = usize::from(self.exponent.unsigned_abs());
        match digits.len().checked_sub(fraction) {
            Some(point) if point > 0 => {
                let (integer, fraction) = digits.split_at_checked(point).unwrap_or_default();
                out.extend_from_slice(integer);
                out.push(b'.');
                out.extend_from_slice(fraction);
            }
            _ => {
                out.extend_from_slice(b"0.");
                out.resize(out.len() + fraction - digits.len(), b'0');
                out.extend_from_slice(digits);
            }
        }
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(40);
        self.push_text(&mut text);
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl Debug for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
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
