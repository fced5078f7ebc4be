//! How `export` and `import` end when they do not succeed.

use crate::{client::CallError, since::SinceError};
use std::{io, path::Path};

/// What is said, and with which exit status.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Ending {
    /// The command line asks for what there is not.
    #[error("{0}")]
    Usage(String),
    /// Somebody pressed Ctrl-C.
    #[error("{0}")]
    Interrupted(String),
    #[error("{0}")]
    Failed(String),
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Time(#[from] SinceError),
    #[error("cannot {doing} {file}: {source}")]
    File { doing: &'static str, file: String, source: io::Error },
    /// Nobody reads standard output any more.
    #[error("nobody reads the output any more")]
    Unread,
}

impl Ending {
    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Ending::Usage(_) => 2,
            Ending::Interrupted(_) => crate::INTERRUPTED,
            _ => 1,
        }
    }

    /// The same with advice behind it.
    pub(crate) fn with(self, advice: &str) -> Ending {
        match self {
            Ending::Usage(text) => Ending::Usage(format!("{text}{advice}")),
            Ending::Interrupted(text) => Ending::Interrupted(format!("{text}{advice}")),
            other => Ending::Failed(format!("{other}{advice}")),
        }
    }

    /// What cannot be done with a file.
    pub(crate) fn file(doing: &'static str, file: &Path) -> impl Fn(io::Error) -> Ending {
        let file = file.display().to_string();
        move |source| Ending::File { doing, file: file.clone(), source }
    }
}

/// As many of something, for people.
pub(crate) fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

/// A number with its thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many bytes, for people.
pub(crate) fn bytes(number: u64) -> String {
    indicatif::HumanBytes(number).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(count(1, "item"), "1 item");
        assert_eq!(count(2000, "item"), "2,000 items");
    }
}
