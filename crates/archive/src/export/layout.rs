//! The keys of an export's objects.

use super::{ExportFormat, ExportId, ExportKind, ExportSettings};

const FOLDER: &str = "AWSDynamoDB";
/// The letters of a data file's name; 26 of them hold 128 bits.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
const NAME_LENGTH: u32 = 26;
/// An odd number without pattern: multiplied with, numbers in a row lie far apart.
const SCATTER: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;

/// The keys of an export's objects.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The folder of all exports with the prefix, with a slash at its end.
    root: String,
    id: ExportId,
    incremental: bool,
    format: ExportFormat,
}

impl Layout {
    /// The layout of an export.
    pub fn new(settings: &ExportSettings) -> Layout {
        let prefix = settings.prefix.as_deref().unwrap_or_default().trim_matches('/');
        let root =
            if prefix.is_empty() { format!("{FOLDER}/") } else { format!("{prefix}/{FOLDER}/") };
        let incremental = matches!(settings.kind, ExportKind::Incremental { .. });
        Layout { root, id: settings.id, incremental, format: settings.format }
    }

    fn in_export(&self, name: &str) -> String {
        format!("{}{}/{name}", self.root, self.id)
    }

    /// The empty object that shows that the bucket can be written to.
    pub fn started(&self) -> String {
        self.in_export("_started")
    }

    /// The manifest that sums the export up; it is written last.
    pub fn manifest_summary(&self) -> String {
        self.in_export("manifest-summary.json")
    }

    /// The digest of the summary.
    pub fn manifest_summary_md5(&self) -> String {
        self.in_export("manifest-summary.md5")
    }

    /// The manifest that lists the data files.
    pub fn manifest_files(&self) -> String {
        self.in_export("manifest-files.json")
    }

    /// The digest of that list.
    pub fn manifest_files_md5(&self) -> String {
        self.in_export("manifest-files.md5")
    }

    /// A data file, by its number. Incremental exports share one folder.
    pub fn data_file(&self, number: u32) -> String {
        let name = data_file_name(self.id.with_file(number));
        let extension = self.format.extension();
        if self.incremental {
            format!("{}data/{name}.{extension}", self.root)
        } else {
            self.in_export(&format!("data/{name}.{extension}"))
        }
    }
}

/// The name for a number: different for different numbers, and without their order.
fn data_file_name(number: u128) -> String {
    // Both steps can be undone, so no two numbers meet.
    let scattered = number.wrapping_mul(SCATTER);
    let scattered = (scattered ^ scattered >> 64).wrapping_mul(SCATTER);
    (0..NAME_LENGTH)
        .map(|position| {
            let index = (scattered >> (position * 5)) as usize & 31;
            char::from(LETTERS.get(index).copied().unwrap_or(b'a'))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_of_data_files_do_not_meet() {
        let mut names = BTreeSet::new();
        for millis in 1_693_685_827_463..1_693_685_827_473 {
            for random in [0, 1, u32::MAX] {
                for file in 0..100 {
                    let name = data_file_name(ExportId::new(millis, random).with_file(file));
                    assert_eq!(name.len(), 26);
                    assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
                    assert!(names.insert(name));
                }
            }
        }
        let first: BTreeSet<_> = names.iter().map(|name| &name[..4]).collect();
        assert!(first.len() > 2500, "names of a row have the same start");
        assert_eq!(data_file_name(7), data_file_name(7));
    }
}
