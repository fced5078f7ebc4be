//! LEB128 integers: seven bits a byte, the lowest first. Only the shortest form is accepted, or one
//! item could have two encodings.

use crate::CodecError;

const MORE: u8 = 0x80;

/// Appends an integer.
pub(super) fn push(mut value: u64, out: &mut Vec<u8>) {
    while value >= u64::from(MORE) {
        out.push(value as u8 | MORE);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes an integer off the front of the input.
#[inline]
pub(super) fn take(input: &mut &[u8]) -> Result<u64, CodecError> {
    // Nearly all are short.
    if let [byte, rest @ ..] = *input
        && byte & MORE == 0
    {
        *input = rest;
        return Ok(u64::from(*byte));
    }
    take_long(input)
}

fn take_long(input: &mut &[u8]) -> Result<u64, CodecError> {
    let mut value: u64 = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, rest) = input.split_first().ok_or(CodecError::UnexpectedEnd)?;
        *input = rest;
        let bits = u64::from(byte & !MORE);
        // The tenth byte has room for one bit only.
        if bits << shift >> shift != bits {
            return Err(CodecError::BadVarint);
        }
        value |= bits << shift;
        if byte & MORE == 0 {
            let shortest = *byte != 0 || shift == 0;
            return shortest.then_some(value).ok_or(CodecError::BadVarint);
        }
    }
    Err(CodecError::BadVarint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_come_back() {
        let powers = (0..64).map(|bit| 1u64 << bit);
        let values = powers.flat_map(|power| [power - 1, power, power + 1]);
        for value in values.chain([u64::MAX]) {
            let mut bytes = Vec::new();
            push(value, &mut bytes);
            let mut input = bytes.as_slice();
            assert_eq!(take(&mut input), Ok(value));
            assert!(input.is_empty());
        }
    }

    #[test]
    fn other_forms_are_refused() {
        let too_large = [[0xFF; 9].as_slice(), &[0x02]].concat();
        let too_long = [[0xFF; 10].as_slice(), &[0x00]].concat();
        for (bytes, expected) in [
            (&[][..], CodecError::UnexpectedEnd),
            (&[0x80], CodecError::UnexpectedEnd),
            (&[0x80, 0x00], CodecError::BadVarint),
            (&[0xFF, 0x80, 0x00], CodecError::BadVarint),
            (&too_large, CodecError::BadVarint),
            (&too_long, CodecError::BadVarint),
        ] {
            assert_eq!(take(&mut { bytes }), Err(expected), "{bytes:?}");
        }
    }
}
