//! How AWS words what it refuses. AWS has two wordings in the field; this is
//! the classic one, and the place where the other would be chosen.

use crate::wire::{Violation, Violations};
use std::fmt::Write;

/// A check of the request itself: plain in the classic wording.
pub(crate) fn request(text: String) -> String {
    text
}

/// Constraints of the model that do not hold.
pub(crate) fn violations(found: &Violations) -> String {
    if let Some(name) = found.absent_parameter() {
        return format!("The parameter '{name}' is required but was not present in the request");
    }
    let list = found.list();
    let plural = if list.len() == 1 { "" } else { "s" };
    let mut text = format!("{} validation error{plural} detected: ", list.len());
    for (i, Violation { value, path, constraint }) in list.iter().enumerate() {
        if i > 0 {
            text.push_str("; ");
        }
        let value = match value {
            Some(value) => format!("'{value}'"),
            None => "null".to_owned(),
        };
        let _ =
            write!(text, "Value {value} at '{path}' failed to satisfy constraint: {constraint}");
    }
    text
}
