//! Puts the tables into a document, between two comments.

use crate::Failure;
use std::{fs, path::Path};

const BEGIN: &str = "<!-- bench:begin -->\n";
const END: &str = "<!-- bench:end -->";

/// Replaces what stands between the comments of a file.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let document = fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let replaced = replace(&document, text)
        .ok_or_else(|| format!("{} has no lines {} and {END}", path.display(), BEGIN.trim()))?;
    fs::write(path, replaced)?;
    Ok(())
}

fn replace(document: &str, text: &str) -> Option<String> {
    let (before, rest) = document.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{}\n{END}{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_comments_changes() {
        let document = "# A\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nrest\n";
        let replaced = replace(document, "| new |\n").unwrap();
        assert_eq!(replaced, "# A\n<!-- bench:begin -->\n| new |\n<!-- bench:end -->\nrest\n");
        assert_eq!(replace(&replaced, "| new |").unwrap(), replaced);
        assert_eq!(replace("nothing", "x"), None);
    }
}
