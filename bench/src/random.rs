//! Repeatable randomness: SplitMix64. Nothing here is secret.

/// A stream of numbers that a seed decides.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The stream of a seed for one purpose among many, unrelated to those of its neighbours.
    pub fn stream(seed: u64, purpose: u64) -> Random {
        let mut mixed = Random(seed ^ purpose.wrapping_mul(0xd6e8_feb8_6659_fd93));
        Random(mixed.next())
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `low..high`; `low` if there is none.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        let width = high.saturating_sub(low).max(1);
        low + self.next() % width
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.between(0, 100) < chance
    }

    /// A number in `low..high` with every order of magnitude equally likely.
    pub fn spread(&mut self, low: u64, high: u64) -> u64 {
        let bits = |n: u64| u64::from(n.max(1).ilog2());
        let magnitude = self.between(bits(low), bits(high.saturating_sub(1)) + 1);
        let from = low.max(1 << magnitude);
        self.between(from, high.min(2 << magnitude).max(from + 1))
    }

    /// Adds that many characters of the base64 alphabet.
    pub fn letters(&mut self, length: usize, text: &mut String) {
        const LETTERS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        text.reserve(length);
        let mut left = length;
        while left > 0 {
            let mut bits = self.next();
            for _ in 0..left.min(10) {
                let letter = LETTERS.get((bits & 63) as usize).copied().unwrap_or(b'A');
                text.push(char::from(letter));
                bits >>= 6;
            }
            left = left.saturating_sub(10);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_their_bounds() {
        let mut random = Random::new(7);
        for _ in 0..10_000 {
            assert!((3..9).contains(&random.between(3, 9)));
            assert!((20..500).contains(&random.spread(20, 500)));
        }
        assert_eq!(random.between(5, 5), 5);
    }

    #[test]
    fn letters_are_as_many_as_asked_for() {
        for length in [0, 1, 9, 10, 11, 100] {
            let mut text = String::new();
            Random::new(1).letters(length, &mut text);
            assert_eq!(text.len(), length);
        }
    }
}
