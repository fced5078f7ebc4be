//! Numbers as bytes that sort like the numbers. Part of the on-disk format.
//!
//! Sign byte (1 negative, 2 zero, 3 positive); for 0.d1d2.. * 10^e the byte e + 129; the digit pairs
//! d1d2 d3d4 .. each plus one; 0x00. For negatives all but the sign byte is complemented, so that
//! larger magnitudes sort first. The end mark is outside the range of pairs, so nothing is a prefix.

use super::Number;
use super::digits::{digit_count, for_each_from_last};
use crate::CodecError;

const NEGATIVE: u8 = 1;
const ZERO: u8 = 2;
const POSITIVE: u8 = 3;
const POINT_BIAS: i32 = 129;
const MAX_PAIRS: usize = 19;

impl Number {
    /// Appends the ordered form.
    pub fn encode_ordered(&self, out: &mut Vec<u8>) {
        if self.is_zero() {
            out.push(ZERO);
            return;
        }
        let digits = digit_count(self.coefficient);
        let point = i32::from(self.exponent) + digits;
        // 37 digits at most are padded, so the product stays below 10^38.
        let padded = if digits % 2 == 0 { self.coefficient } else { self.coefficient * 10 };
        let (sign, mask) = if self.negative { (NEGATIVE, 0xFF) } else { (POSITIVE, 0) };
        let mut buffer = [mask; MAX_PAIRS + 1];
        let mut slots = buffer.iter_mut().rev();
        // The last slot keeps the end mark.
        slots.next();
        for_each_from_last::<100>(padded, |pair| {
            if let Some(slot) = slots.next() {
                *slot = (pair + 1) ^ mask;
            }
        });
        let unused = slots.len();
        out.extend_from_slice(&[sign, (point + POINT_BIAS) as u8 ^ mask]);
        out.extend_from_slice(buffer.get(unused..).unwrap_or_default());
    }

    /// Takes a number in ordered form off the front of the input; on error the input is unchanged.
    pub fn decode_ordered(input: &mut &[u8]) -> Result<Number, CodecError> {
        let (mask, point, mut rest) = match split_head(input)? {
            Head::Zero(rest) => {
                *input = rest;
                return Ok(Number::ZERO);
            }
            Head::Digits { mask, point, rest } => (mask, point, rest),
        };
        // All pairs before the last, which may be a single digit and its padding.
        let mut coefficient: u128 = 0;
        let mut last = 0;
        let mut pairs = 0;
        loop {
            let (byte, tail) = rest.split_first().ok_or(CodecError::UnexpectedEnd)?;
            rest = tail;
            let Some(pair) = (byte ^ mask).checked_sub(1) else {
                break;
            };
            if pair > 99 {
                return Err(CodecError::BadNumber("digit pair above 99"));
            }
            if pairs == MAX_PAIRS {
                return Err(CodecError::BadNumber("more than 38 digits"));
            }
            if pairs == 0 && pair < 10 {
                return Err(CodecError::BadNumber("leading zero"));
            }
            coefficient = coefficient * 100 + u128::from(last);
            last = pair;
            pairs += 1;
        }
        if last == 0 {
            return Err(CodecError::BadNumber("no digits or trailing zeros"));
        }
        let single = last % 10 == 0;
        let coefficient = if single {
            coefficient * 10 + u128::from(last / 10)
        } else {
            coefficient * 100 + u128::from(last)
        };
        let digits = 2 * pairs as i32 - i32::from(single);
        *input = rest;
        Ok(Number { coefficient, exponent: (point - digits) as i16, negative: mask != 0 })
    }

    /// Steps over a number without looking at its digits.
    pub(crate) fn skip_ordered(input: &mut &[u8]) -> Result<(), CodecError> {
        *input = match split_head(input)? {
            Head::Zero(rest) => rest,
            Head::Digits { mask, rest, .. } => {
                let pairs = rest.iter().take_while(|byte| **byte != mask).count();
                rest.get(pairs + 1..).ok_or(CodecError::UnexpectedEnd)?
            }
        };
        Ok(())
    }
}

enum Head<'a> {
    Zero(&'a [u8]),
    Digits { mask: u8, point: i32, rest: &'a [u8] },
}

fn split_head(input: &[u8]) -> Result<Head<'_>, CodecError> {
    let (mask, point, rest) = match input {
        [ZERO, rest @ ..] => return Ok(Head::Zero(rest)),
        [NEGATIVE, point, rest @ ..] => (0xFF, point, rest),
        [POSITIVE, point, rest @ ..] => (0, point, rest),
        [] | [NEGATIVE | POSITIVE] => return Err(CodecError::UnexpectedEnd),
        _ => return Err(CodecError::BadNumber("unknown sign")),
    };
    Ok(Head::Digits { mask, point: i32::from(point ^ mask) - POINT_BIAS, rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_fixed_by_the_format() {
        let check = |text: &str, expected: &[u8]| {
            let number = Number::parse(text).unwrap();
            let mut bytes = Vec::new();
            number.encode_ordered(&mut bytes);
            assert_eq!(bytes, expected, "{text}");
            let mut input = bytes.as_slice();
            assert_eq!(Number::decode_ordered(&mut input), Ok(number), "{text}");
            assert!(input.is_empty());
        };
        check("0", &[2]);
        check("1", &[3, 130, 11, 0]);
        check("-1", &[1, 125, 244, 255]);
        check("10", &[3, 131, 11, 0]);
        check("12.3", &[3, 131, 13, 31, 0]);
        check("-12.3", &[1, 124, 242, 224, 255]);
        check("1E-130", &[3, 0, 11, 0]);
        check("9.9E125", &[3, 255, 100, 0]);
        let mut longest = vec![3, 167];
        longest.extend([100; 19]);
        longest.push(0);
        check(&"9".repeat(38), &longest);
    }

    #[test]
    fn bytes_no_encoder_writes_are_refused() {
        let mut too_long = vec![3, 200];
        too_long.extend([50; 20]);
        too_long.push(0);
        for (bytes, expected) in [
            (&[][..], CodecError::UnexpectedEnd),
            (&[3], CodecError::UnexpectedEnd),
            (&[1], CodecError::UnexpectedEnd),
            (&[3, 130], CodecError::UnexpectedEnd),
            (&[3, 130, 11], CodecError::UnexpectedEnd),
            (&[0], CodecError::BadNumber("unknown sign")),
            (&[4, 130, 11, 0], CodecError::BadNumber("unknown sign")),
            (&[3, 130, 102, 0], CodecError::BadNumber("digit pair above 99")),
            (&[3, 130, 10, 0], CodecError::BadNumber("leading zero")),
            (&[3, 130, 1, 12, 0], CodecError::BadNumber("leading zero")),
            (&[3, 130, 0], CodecError::BadNumber("no digits or trailing zeros")),
            (&[3, 130, 11, 1, 0], CodecError::BadNumber("no digits or trailing zeros")),
            (&[1, 125, 244, 254, 255], CodecError::BadNumber("no digits or trailing zeros")),
            (&too_long, CodecError::BadNumber("more than 38 digits")),
        ] {
            let mut input = bytes;
            assert_eq!(Number::decode_ordered(&mut input), Err(expected), "{bytes:?}");
            assert_eq!(input, bytes);
        }
    }
}
