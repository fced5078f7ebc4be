//! The name of an export: when it was asked for, and a number by chance.

use std::fmt;
use std::str::FromStr;

/// A name such as `01693685827463-2d8752fd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExportId {
    millis: u64,
    random: u32,
}

impl ExportId {
    /// The name of an export asked for at that moment (milliseconds since 1970).
    pub fn new(millis: u64, random: u32) -> ExportId {
        ExportId { millis, random }
    }

    /// A number that no other export's data file has: the name's, with the file's.
    pub(super) fn with_file(self, file: u32) -> u128 {
        u128::from(self.millis) << 64 | u128::from(self.random) << 32 | u128::from(file)
    }
}

impl fmt::Display for ExportId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:014}-{:08x}", self.millis, self.random)
    }
}

/// A text that is no name of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the name of an export")]
pub struct NotAnExportId;

impl FromStr for ExportId {
    type Err = NotAnExportId;

    fn from_str(text: &str) -> Result<ExportId, NotAnExportId> {
        let (millis, random) = text.split_once('-').ok_or(NotAnExportId)?;
        let millis = millis.parse().map_err(|_| NotAnExportId)?;
        let random = u32::from_str_radix(random, 16).map_err(|_| NotAnExportId)?;
        let id = ExportId { millis, random };
        // One text for one name.
        if id.to_string() == text { Ok(id) } else { Err(NotAnExportId) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_one_text() {
        let id = ExportId::new(1_693_685_827_463, 0x2d87_52fd);
        assert_eq!(id.to_string(), "01693685827463-2d8752fd");
        assert_eq!("01693685827463-2d8752fd".parse(), Ok(id));
        assert_eq!(ExportId::new(0, 1).to_string(), "00000000000000-00000001");
        for text in ["", "1-2", "01693685827463-2D8752FD", "01693685827463", "x-2d8752fd"] {
            assert_eq!(text.parse::<ExportId>(), Err(NotAnExportId), "{text}");
        }
    }
}
