//! Decimal digits of a coefficient: counting, stripping, splitting. Numbers are read and written
//! with every item, so this avoids u128 divisions where a u64 one will do.

/// Significant digits a number may have.
pub(super) const MAX_DIGITS: i32 = 38;

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const POWERS: [u128; 39] = {
    let mut powers = [1; 39];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// Digits split off by one u128 division: the largest even count that fits a u64.
const CHUNK_DIGITS: u32 = 18;
const CHUNK: u128 = 1_000_000_000_000_000_000;

/// Ten to the given power, up to 38.
pub(super) fn pow10(power: u32) -> Option<u128> {
    POWERS.get(power as usize).copied()
}

/// Number of decimal digits; none for zero.
pub(super) fn digit_count(coefficient: u128) -> i32 {
    let bits = u128::BITS - coefficient.leading_zeros();
    // 1233 / 4096 is just below log10(2): the guess is right or one too low.
    let guess = (bits * 1233) >> 12;
    let more = pow10(guess).is_some_and(|power| coefficient >= power);
    guess as i32 + i32::from(more)
}

/// The coefficient without its trailing zeros, and how many there were; zero has none.
pub(super) fn strip_trailing_zeros(mut coefficient: u128) -> (u128, i32) {
    let mut stripped = 0;
    while coefficient > u128::from(u64::MAX) && coefficient.is_multiple_of(10) {
        coefficient /= 10;
        stripped += 1;
    }
    if let Ok(mut small) = u64::try_from(coefficient) {
        while small != 0 && small.is_multiple_of(10) {
            small /= 10;
            stripped += 1;
        }
        coefficient = u128::from(small);
    }
    (coefficient, stripped)
}

/// Hands out the digits from the last to the first, in groups: `RADIX` 10 gives single digits,
/// 100 gives pairs.
pub(super) fn for_each_from_last<const RADIX: u64>(coefficient: u128, mut give: impl FnMut(u8)) {
    let groups_in_chunk = CHUNK_DIGITS / RADIX.ilog10();
    let mut rest = coefficient;
    while rest != 0 {
        let (high, mut low) =
            if rest < CHUNK { (0, rest as u64) } else { (rest / CHUNK, (rest % CHUNK) as u64) };
        let mut pending = if high == 0 { 0 } else { groups_in_chunk };
        while low != 0 || pending != 0 {
            give((low % RADIX) as u8);
            low /= RADIX;
            pending = pending.saturating_sub(1);
        }
        rest = high;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_counted_at_every_power() {
        assert_eq!(digit_count(0), 0);
        for power in 0..=38 {
            let value = pow10(power).unwrap();
            assert_eq!(digit_count(value), power as i32 + 1);
            assert_eq!(digit_count(value + 1), power as i32 + 1);
            assert_eq!(digit_count(value - 1), power as i32);
        }
        for bit in 0..128 {
            let value = 1u128 << bit;
            assert_eq!(digit_count(value), value.to_string().len() as i32);
        }
        assert_eq!(digit_count(u128::MAX), 39);
        assert_eq!(pow10(39), None);
    }

    #[test]
    fn trailing_zeros_are_stripped() {
        assert_eq!(strip_trailing_zeros(0), (0, 0));
        for power in 0..=37 {
            let value = 7 * pow10(power).unwrap();
            assert_eq!(strip_trailing_zeros(value), (7, power as i32));
        }
        assert_eq!(strip_trailing_zeros(u128::MAX), (u128::MAX, 0));
    }

    #[test]
    fn groups_come_from_the_last() {
        fn check<const RADIX: u64>(value: u128, expected: &[u8]) {
            let mut groups = Vec::new();
            for_each_from_last::<RADIX>(value, |group| groups.push(group));
            assert_eq!(groups, expected, "{value}");
        }
        check::<10>(0, &[]);
        check::<10>(120, &[0, 2, 1]);
        check::<100>(12_345, &[45, 23, 1]);
        let mut expected = [0; 38];
        expected[37] = 1;
        check::<10>(pow10(37).unwrap(), &expected);
        check::<100>(pow10(38).unwrap() - 1, &[99; 19]);
    }
}
