//! Reading decimal text. Range errors follow Java's BigDecimal, which the service is built on: the
//! magnitude of a zero counts too, by its scale. One pass over the text, whatever its length.

use std::str::FromStr;

use super::digits::{MAX_DIGITS, pow10};
use super::{MAX_SCIENTIFIC, MIN_SCIENTIFIC, Number, NumberError};

/// Beyond this an exponent is out of range for any text that fits in memory, so digits that follow
/// may be dropped; and sums with a text length stay far from overflow.
const EXPONENT_CAP: i64 = 1 << 60;

impl Number {
    /// Reads a number from text: optional sign, digits, optional fraction, optional exponent.
    pub fn parse(text: &str) -> Result<Number, NumberError> {
        let literal = Literal::scan(text.as_bytes())
            .ok_or_else(|| NumberError::NotNumeric(text.to_owned()))?;
        literal.number()
    }
}

impl FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Number, NumberError> {
        Number::parse(text)
    }
}

struct Literal {
    negative: bool,
    mantissa: Mantissa,
    integer_digits: i64,
    exponent: i64,
}

impl Literal {
    fn scan(text: &[u8]) -> Option<Literal> {
        let (negative, rest) = take_sign(text);
        let mut mantissa = Mantissa::default();
        let mut rest = mantissa.take_digits(rest);
        let integer_digits = mantissa.seen;
        if let [b'.', fraction @ ..] = rest {
            rest = mantissa.take_digits(fraction);
        }
        if mantissa.seen == 0 {
            return None;
        }
        let exponent = match rest {
            [] => 0,
            [b'e' | b'E', exponent @ ..] => take_exponent(exponent)?,
            _ => return None,
        };
        Some(Literal { negative, mantissa, integer_digits, exponent })
    }

    fn number(&self) -> Result<Number, NumberError> {
        let is_zero = self.mantissa.significant == 0;
        let scientific = if is_zero {
            self.exponent - (self.mantissa.seen - self.integer_digits)
        } else {
            self.exponent + self.integer_digits - self.mantissa.leading_zeros - 1
        };
        if scientific > i64::from(MAX_SCIENTIFIC) {
            return Err(NumberError::Overflow);
        }
        if scientific < i64::from(MIN_SCIENTIFIC) {
            return Err(NumberError::Underflow);
        }
        if is_zero {
            return Ok(Number::ZERO);
        }
        if self.mantissa.significant > i64::from(MAX_DIGITS) {
            return Err(NumberError::TooManyDigits);
        }
        Ok(Number {
            coefficient: self.mantissa.coefficient,
            exponent: (scientific - self.mantissa.significant + 1) as i16,
            negative: self.negative,
        })
    }
}

/// The digits before the exponent, without regard to the point.
#[derive(Default)]
struct Mantissa {
    /// All digits, zeros included.
    seen: i64,
    /// Zeros before the first other digit.
    leading_zeros: i64,
    /// Digits from the first to the last that is not zero.
    significant: i64,
    /// Zeros since the last other digit: they count only if another one follows.
    pending_zeros: i64,
    /// The significant digits, as long as there are no more than allowed.
    coefficient: u128,
}

impl Mantissa {
    fn take_digits<'a>(&mut self, mut text: &'a [u8]) -> &'a [u8] {
        while let [byte @ b'0'..=b'9', rest @ ..] = text {
            self.push(byte - b'0');
            text = rest;
        }
        text
    }

    fn push(&mut self, digit: u8) {
        self.seen += 1;
        if digit == 0 {
            if self.significant == 0 {
                self.leading_zeros += 1;
            } else {
                self.pending_zeros += 1;
            }
            return;
        }
        let shift = self.pending_zeros + 1;
        self.significant += shift;
        self.pending_zeros = 0;
        if self.significant <= i64::from(MAX_DIGITS) {
            let scale = pow10(shift as u32).unwrap_or(1);
            self.coefficient = self.coefficient * scale + u128::from(digit);
        }
    }
}

fn take_sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

fn take_exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = take_sign(text);
    if digits.is_empty() {
        return None;
    }
    let mut exponent: i64 = 0;
    for byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        let digit = i64::from(byte - b'0');
        exponent = exponent.saturating_mul(10).saturating_add(digit).min(EXPONENT_CAP);
    }
    Some(if negative { -exponent } else { exponent })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_forms_are_normalised() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("0.00", "0"),
            ("-0e-5", "0"),
            ("5", "5"),
            ("+5", "5"),
            ("-5", "-5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-.5e1", "-5"),
            ("1e3", "1000"),
            ("1E+3", "1000"),
            ("1.5E2", "150"),
            ("1.5E-2", "0.015"),
            ("00042", "42"),
            ("3.1400", "3.14"),
            ("1.0", "1"),
            ("0.1e126", &format!("1{}", "0".repeat(125))),
            ("0.0e126", "0"),
            ("0e125", "0"),
            ("0e-130", "0"),
            ("1e0000000000000000000000000000003", "1000"),
        ] {
            assert_eq!(Number::parse(text).unwrap().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_numeric() {
        for text in [
            "",
            " ",
            " 1",
            "1 ",
            "1 2",
            "+",
            "-",
            "--1",
            "+-1",
            ".",
            "-.",
            "e5",
            ".e5",
            "1e",
            "1e+",
            "1e-",
            "1e5.",
            "1e5e5",
            "1.2.3",
            "NaN",
            "Infinity",
            "-Infinity",
            "0x10",
            "1_000",
            "1,5",
            "abc",
            "1a",
            "1e5x",
            "\u{0661}",
            "1\0",
        ] {
            let expected = Err(NumberError::NotNumeric(text.to_owned()));
            assert_eq!(Number::parse(text), expected, "{text:?}");
            assert_eq!(text.parse::<Number>(), expected, "{text:?}");
        }
    }

    #[test]
    fn range_is_checked_before_digits() {
        use NumberError::{Overflow, TooManyDigits, Underflow};
        let nines = "9".repeat(38);
        let long = "1".repeat(39);
        for (text, expected) in [
            ("1e126", Overflow),
            ("-1e126", Overflow),
            ("10e125", Overflow),
            ("0e126", Overflow),
            ("0.0e127", Overflow),
            ("1e99999999999999999999", Overflow),
            ("0e99999999999999999999", Overflow),
            ("1e-131", Underflow),
            ("0.1e-130", Underflow),
            ("0e-131", Underflow),
            ("0.0e-130", Underflow),
            ("1e-99999999999999999999", Underflow),
            (&long, TooManyDigits),
            (&format!("-0.{long}"), TooManyDigits),
            (&format!("1{}1", "0".repeat(37)), TooManyDigits),
            (&format!("{long}e100"), Overflow),
            (&format!("{long}e-200"), Underflow),
            (&format!("1{}", "0".repeat(126)), Overflow),
            (&format!("0.{}", "0".repeat(131)), Underflow),
        ] {
            assert_eq!(Number::parse(text), Err(expected), "{text}");
        }
        for text in [
            "1e125",
            "1e-130",
            "-1e-130",
            &nines,
            &format!("{nines}e88"),
            &format!("{}.{}", &nines[..19], &nines[19..]),
            &format!("000{nines}000.000"),
            &format!("1{}1", "0".repeat(36)),
            &format!("{}e-167", &nines),
        ] {
            assert!(Number::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn megabytes_of_digits_are_read_in_one_pass() {
        let zeros = "0".repeat(2_000_000);
        let ten = Number::from(10);
        assert_eq!(Number::parse(&format!("{zeros}10.{zeros}")), Ok(ten));
        assert_eq!(Number::parse(&format!("0.{zeros}1e2000002")), Ok(ten));
        assert_eq!(Number::parse(&format!("1{zeros}e-1999999")), Ok(ten));
        assert_eq!(Number::parse(&format!("1e{zeros}1")), Ok(ten));
        let nines = "9".repeat(2_000_000);
        assert_eq!(Number::parse(&nines), Err(NumberError::Overflow));
        assert_eq!(Number::parse(&format!("0.{nines}")), Err(NumberError::TooManyDigits));
        assert_eq!(Number::parse(&format!("1e-{nines}")), Err(NumberError::Underflow));
    }
}
