//! How far a restore is: a bar on a terminal, a line every few seconds elsewhere. Both on standard
//! error.

use super::description::{Description, Goal, Phase, plural};
use crate::output;
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

/// How often there is a line where there is no terminal.
const LINES: Duration = Duration::from_secs(3);
const TICK: Duration = Duration::from_millis(100);

const COUNTING: &str = "{spinner} {msg} [{elapsed}]";
const MEASURED: &str = "{spinner} {msg} [{bar:30}] {percent}% [{elapsed}]";

/// What shows how far a restore is.
#[derive(Debug, Clone)]
pub(super) struct Indicator {
    /// Hidden where there is no terminal.
    bar: ProgressBar,
    is_bar: bool,
    last: Instant,
}

impl Indicator {
    pub(super) fn new() -> Indicator {
        let is_bar = io::stderr().is_terminal();
        let bar = if is_bar { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        Indicator { bar, is_bar, last: Instant::now() }
    }

    /// Shows how far it is.
    pub(super) fn show(&mut self, is: &Description) {
        let (text, share) = doing(is);
        if !self.is_bar {
            if self.last.elapsed() >= LINES {
                self.last = Instant::now();
                output::note(&format!("restore {}: {text}", is.restore_id));
            }
            return;
        }
        // Each of these may draw: the message comes first, so that there is no bar without one.
        self.bar.set_message(text);
        let template = if share.is_some() { MEASURED } else { COUNTING };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("=> ").tick_chars("|/-\\ "));
        }
        if let Some((done, all)) = share {
            self.bar.set_length(all);
            self.bar.set_position(done.min(all));
        }
        self.bar.enable_steady_tick(TICK);
    }

    /// Says something beside it.
    pub(super) fn note(&self, text: &str) {
        self.bar.suspend(|| output::note(text));
    }

    /// Takes it away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// What a restore is doing, and the share of it that is done, where that is known.
fn doing(is: &Description) -> (String, Option<(u64, u64)>) {
    match is.phase {
        Phase::Copying if is.source_item_count > 0 => {
            let (read, all) = (is.items_read, is.source_item_count);
            (format!("copying, {read} of {}", plural(all, "item")), Some((read, all)))
        }
        Phase::Copying => (format!("copying, {}", plural(is.items_read, "item")), None),
        Phase::Undoing => {
            (format!("going back in time, {}", plural(is.changes_read, "change")), None)
        }
        Phase::Applying if is.goal() == Goal::Preview => {
            (format!("comparing, {} would change", plural(is.items_written, "item")), None)
        }
        Phase::Applying => {
            let done = is.items_written.saturating_add(is.conflicts);
            (format!("putting back, {}", plural(done, "item")), None)
        }
        Phase::Done => ("ending".to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::restore::description::tests::restore;
    use serde_json::json;

    #[test]
    fn phases_are_told() {
        for (members, expect, share) in [
            (
                json!({"Phase": "COPYING", "SourceItemCount": 50, "ItemsRead": 20}),
                "copying, 20 of 50 items",
                Some((20, 50)),
            ),
            (json!({"Phase": "COPYING", "ItemsRead": 1}), "copying, 1 item", None),
            (json!({"Phase": "UNDOING", "ChangesRead": 7}), "going back in time, 7 changes", None),
            (
                json!({"Phase": "APPLYING", "ItemsWritten": 7, "Conflicts": 1}),
                "putting back, 8 items",
                None,
            ),
            (
                json!({"Phase": "APPLYING", "ItemsWritten": 1, "DryRun": true}),
                "comparing, 1 item would change",
                None,
            ),
            (json!({"Phase": "DONE"}), "ending", None),
        ] {
            assert_eq!(doing(&restore(members)), (expect.to_owned(), share));
        }
    }
}
