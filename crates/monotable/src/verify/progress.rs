//! How far the look is: on a terminal only, and on standard error.

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};

const MEASURED: &str = "{spinner} reading files [{bar:30}] {bytes} of {total_bytes} [{elapsed}]";
const COUNTING: &str = "{spinner} {msg} [{elapsed}]";

/// What shows it; hidden where there is no terminal.
pub(super) struct Indicator {
    bar: ProgressBar,
    entries: u64,
}

impl Indicator {
    /// For reading so many bytes.
    pub(super) fn of_files(bytes: u64) -> Indicator {
        Indicator::new(ProgressBar::new(bytes), MEASURED)
    }

    /// For reading entries whose number is not known.
    pub(super) fn of_entries() -> Indicator {
        Indicator::new(ProgressBar::new_spinner(), COUNTING)
    }

    fn new(bar: ProgressBar, template: &str) -> Indicator {
        let bar = if io::stderr().is_terminal() { bar } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> ").tick_chars("|/-\\ "));
        }
        Indicator { bar, entries: 0 }
    }

    /// So many more bytes were read.
    pub(super) fn add(&mut self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// So many more entries were read.
    pub(super) fn tell(&mut self, what: &str, entries: u64) {
        self.entries += entries;
        self.bar
            .set_message(format!("reading {what}, {} entries in all", HumanCount(self.entries)));
        self.bar.tick();
    }

    /// Prints something without tearing what is shown.
    pub(super) fn beside(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Takes it away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
