//! The words that may not stand in a path unless they come through an alias.

const LONGEST: usize = 32;

/// Upper-case words in byte order, one a line.
const WORDS: &str = include_str!("reserved.txt");

static TABLE: std::sync::LazyLock<Vec<&'static str>> =
    std::sync::LazyLock::new(|| WORDS.lines().collect());

/// Whether a name is reserved, in any mix of cases.
pub(crate) fn is_reserved(name: &str) -> bool {
    if name.len() > LONGEST {
        return false;
    }
    let upper = name.to_ascii_uppercase();
    TABLE.binary_search(&upper.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_whole() {
        assert_eq!(TABLE.len(), 573);
        assert!(TABLE.is_sorted_by(|left, right| left < right));
        assert!(TABLE.iter().all(|word| word.len() <= LONGEST));
    }

    #[test]
    fn case_does_not_matter() {
        for (name, reserved) in [
            ("name", true),
            ("Name", true),
            ("ABORT", true),
            ("zone", true),
            ("size", true),
            ("namez", false),
            ("nam", false),
            ("", false),
            ("id", false),
        ] {
            assert_eq!(is_reserved(name), reserved, "{name}");
        }
    }
}
