//! What operations took when it was last looked at: a line each, in a file of the repository.

use crate::Failure;
use std::{fmt::Write, fs, path::Path};

/// Instructions by operation.
#[derive(Debug, PartialEq, Eq)]
pub struct Record(pub Vec<(String, u64)>);

impl Record {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Record, Failure> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Record::parse(&text).map_err(|line| format!("{}: '{line}'", path.display()).into())
    }

    fn parse(text: &str) -> Result<Record, String> {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let parsed = lines.map(|line| {
            let (name, count) = line.split_once(' ')?;
            Some((name.to_owned(), count.trim().parse().ok()?))
        });
        let whole: Option<Vec<_>> = parsed.collect();
        whole.map(Record).ok_or_else(|| text.to_owned())
    }

    /// Writes a file.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut text =
            "# Instructions of one request, from the socket and back, counted by callgrind \
                        (make bench-guard RECORD=1).\n"
                .to_owned();
        for (name, count) in &self.0 {
            writeln!(text, "{name:<18} {count}")?;
        }
        Ok(fs::write(path, text)?)
    }

    /// Lines for people, and whether no operation takes so many percent more than recorded.
    pub fn compare(&self, counted: &Record, tolerance: u64) -> (String, bool) {
        let mut lines = String::new();
        let mut fine = true;
        for (name, count) in &counted.0 {
            let recorded = self.0.iter().find(|(known, _)| known == name);
            let verdict = match recorded {
                None => "not recorded",
                Some((_, was)) if count * 100 > was * (100 + tolerance) => "too many",
                // A record that is too high would let the next loss pass.
                Some((_, was)) if count * (100 + tolerance) < was * 100 => "fewer: record it",
                Some(_) => "fine",
            };
            fine &= verdict == "fine";
            let was = recorded.map_or(0, |(_, was)| *was);
            lines.push_str(&format!(
                "{name:<18} {was:>10} recorded {count:>10} counted  {verdict}\n"
            ));
        }
        (lines, fine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(count: u64) -> Record {
        Record(vec![("get-item".to_owned(), count)])
    }

    #[test]
    fn a_file_reads_back() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("r");
        record(123).write(&path).unwrap();
        assert_eq!(Record::read(&path).unwrap(), record(123));
        assert!(Record::parse("get-item many").is_err());
    }

    #[test]
    fn only_what_is_near_the_record_is_fine() {
        for (counted, fine) in [(100, true), (105, true), (106, false), (96, true), (90, false)] {
            assert_eq!(record(100).compare(&record(counted), 5).1, fine, "{counted}");
        }
        let other = Record(vec![("put-item".to_owned(), 100)]);
        assert!(!record(100).compare(&other, 5).1);
    }
}
