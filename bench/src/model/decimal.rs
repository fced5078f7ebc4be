//! Numbers of the model: exact decimals, added digit by digit as on paper. Nothing is shared with
//! the server's arithmetic, so that an error would have to be made twice.

use std::{cmp::Ordering, fmt};

/// Significant digits of a number that can be stored.
const MOST_DIGITS: usize = 38;
/// The power of ten of the first digit of the largest number.
const LARGEST: i32 = 125;

/// A decimal number. No digit at either end is zero; zero has none, and no sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    /// The most significant first.
    digits: Vec<u8>,
    /// The power of ten of the last digit.
    exponent: i32,
}

impl Decimal {
    /// That integer times a power of ten.
    pub fn new(integer: i128, exponent: i32) -> Decimal {
        let digits = integer.unsigned_abs().to_string();
        let digits = digits.bytes().map(|digit| digit - b'0').collect();
        Decimal::trimmed(integer < 0, digits, exponent)
    }

    fn trimmed(negative: bool, digits: Vec<u8>, exponent: i32) -> Decimal {
        let mut digits: Vec<u8> = digits.into_iter().skip_while(|&digit| digit == 0).collect();
        let mut exponent = exponent;
        while digits.last() == Some(&0) {
            digits.pop();
            exponent += 1;
        }
        if digits.is_empty() {
            return Decimal { negative: false, digits, exponent: 0 };
        }
        Decimal { negative, digits, exponent }
    }

    /// The number with the other sign.
    pub fn negated(&self) -> Decimal {
        let negative = !self.negative && !self.digits.is_empty();
        Decimal { negative, ..self.clone() }
    }

    /// The exact sum, which may be more than can be stored.
    pub fn plus(&self, other: &Decimal) -> Decimal {
        let low = self.exponent.min(other.exponent);
        let high = self.first().max(other.first());
        let mut columns: Vec<i32> =
            (low..=high).map(|power| self.digit(power) + other.digit(power)).collect();
        let (digits, negative) = match carried(&columns) {
            Some(digits) => (digits, false),
            None => {
                columns.iter_mut().for_each(|column| *column = -*column);
                (carried(&columns).unwrap_or_default(), true)
            }
        };
        Decimal::trimmed(negative, digits.into_iter().rev().collect(), low)
    }

    /// Whether it can be stored: few enough digits, and not too large.
    pub fn is_storable(&self) -> bool {
        self.digits.len() <= MOST_DIGITS && self.first() <= LARGEST
    }

    /// What it adds to the size of an item.
    pub fn size(&self) -> u64 {
        let plain = self.to_string();
        let plain = plain.trim_start_matches('-');
        let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
        let mut whole = whole.trim_start_matches('0');
        let mut fraction = fraction;
        if fraction.is_empty() {
            whole = whole.trim_end_matches('0');
        }
        if whole.is_empty() {
            fraction = fraction.trim_start_matches('0');
        }
        let halves = whole.len().div_ceil(2) + fraction.len().div_ceil(2);
        1 + halves as u64 + u64::from(self.negative)
    }

    /// The number with an exponent, as a request may have it and an answer never has.
    pub fn scientific(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        format!("{sign}{digits}E{}", self.exponent)
    }

    /// The power of ten of the first digit.
    fn first(&self) -> i32 {
        self.exponent + self.digits.len() as i32 - 1
    }

    /// The digit of a power of ten, with the number's sign.
    fn digit(&self, power: i32) -> i32 {
        let place = usize::try_from(self.first() - power).ok();
        let digit = place.and_then(|place| self.digits.get(place)).copied().unwrap_or(0);
        if self.negative { -i32::from(digit) } else { i32::from(digit) }
    }
}

/// Makes digits of columns, the least significant first; none if the number is negative.
fn carried(columns: &[i32]) -> Option<Vec<u8>> {
    let mut carry = 0;
    let mut digits = Vec::with_capacity(columns.len() + 1);
    for column in columns {
        let value = column + carry;
        digits.push(value.rem_euclid(10) as u8);
        carry = value.div_euclid(10);
    }
    digits.push(u8::try_from(carry).ok()?);
    Some(digits)
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let difference = self.plus(&other.negated());
        match (difference.negative, difference.digits.is_empty()) {
            (_, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, false) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    /// The plain form of answers: no exponent, no needless zeros.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        for power in (self.exponent.min(0)..=self.first().max(0)).rev() {
            write!(f, "{}", self.digit(power).abs())?;
            if power == 0 && self.exponent < 0 {
                f.write_str(".")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_plainly() {
        for (integer, exponent, text) in [
            (0, 5, "0"),
            (42, 0, "42"),
            (-420, -1, "-42"),
            (15, -1, "1.5"),
            (15, -4, "0.0015"),
            (-5, 3, "-5000"),
            (1, 20, "100000000000000000000"),
        ] {
            assert_eq!(Decimal::new(integer, exponent).to_string(), text);
        }
        assert_eq!(Decimal::new(-1250, 0).scientific(), "-125E1");
    }

    #[test]
    fn sums_are_exact() {
        for (a, b, sum) in [
            ((1, -1), (2, -1), "0.3"),
            ((999, 0), (1, 0), "1000"),
            ((1000, 0), (-1, 0), "999"),
            ((1, 0), (-1000, 0), "-999"),
            ((-5, 0), (5, 0), "0"),
            ((-7, 0), (-8, 0), "-15"),
            ((19, 0), (-20, 0), "-1"),
            ((21, 0), (-19, 0), "2"),
            ((1, 30), (1, -2), "1000000000000000000000000000000.01"),
        ] {
            let (a, b) = (Decimal::new(a.0, a.1), Decimal::new(b.0, b.1));
            assert_eq!(a.plus(&b).to_string(), sum);
            assert_eq!(b.plus(&a).to_string(), sum);
        }
    }

    #[test]
    fn sums_agree_with_machine_arithmetic() {
        for a in -120..120 {
            for b in [-1005, -99, -10, -1, 0, 1, 9, 10, 100, 999] {
                let sum = Decimal::new(a, 0).plus(&Decimal::new(b, 0));
                assert_eq!(sum, Decimal::new(a + b, 0));
                assert_eq!(Decimal::new(a, 0).cmp(&Decimal::new(b, 0)), a.cmp(&b));
            }
        }
    }

    #[test]
    fn only_so_many_digits_can_be_stored() {
        let large = Decimal::new(1, 50);
        assert!(large.is_storable());
        assert!(!large.plus(&Decimal::new(1, 0)).is_storable());
        assert!(Decimal::new(1, 125).is_storable());
        assert!(!Decimal::new(5, 125).plus(&Decimal::new(5, 125)).is_storable());
    }

    #[test]
    fn sizes_are_those_of_the_sheet() {
        for (integer, exponent, size) in [
            (0, 0, 1),
            (1, 0, 2),
            (12, 0, 2),
            (100, 0, 2),
            (123, 0, 3),
            (1010, 0, 3),
            (-42, 0, 3),
            (15, -1, 3),
            (15, -2, 2),
            (1234, -3, 4),
            (1005, -1, 4),
            (314_159, -5, 5),
            (1, 125, 2),
            (1, -100, 2),
        ] {
            assert_eq!(Decimal::new(integer, exponent).size(), size, "{integer}E{exponent}");
        }
    }
}
