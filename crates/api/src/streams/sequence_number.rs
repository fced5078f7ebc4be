//! Sequence numbers: decimal numbers that grow with every record of a shard.

use engine::log::{Position, Version};

/// So that all have the same length, whatever the version.
const LEADING: &str = "1";
const VERSION_DIGITS: usize = 20;
const ORDINAL_DIGITS: usize = 5;

/// The sequence number of a place in the log.
pub(crate) fn sequence_number(position: Position) -> String {
    let Position { version, ordinal } = position;
    format!("{LEADING}{:0VERSION_DIGITS$}{ordinal:0ORDINAL_DIGITS$}", version.0)
}

/// The place a sequence number stands for.
pub(crate) fn parse_sequence_number(text: &str) -> Option<Position> {
    let digits = text.strip_prefix(LEADING)?;
    if digits.len() != VERSION_DIGITS + ORDINAL_DIGITS
        || !digits.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let (version, ordinal) = digits.split_at(VERSION_DIGITS);
    Some(Position { version: Version(version.parse().ok()?), ordinal: ordinal.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_read_as_they_are_written_and_keep_the_order() {
        let places = [(0, 0), (1, 0), (1, 7), (1, u16::MAX), (2, 0), (u64::MAX, u16::MAX)];
        let places =
            places.map(|(version, ordinal)| Position { version: Version(version), ordinal });
        for place in places {
            let text = sequence_number(place);
            assert_eq!(parse_sequence_number(&text), Some(place), "{text}");
            assert!((21..=40).contains(&text.len()));
        }
        let texts = places.map(sequence_number);
        assert!(texts.is_sorted());
        for text in ["", "1", "x", &"9".repeat(26), &"1".repeat(27), "1-0000000000000000000000001"]
        {
            assert_eq!(parse_sequence_number(text), None, "{text}");
        }
    }
}
