//! How far an export or an import is: a bar on a terminal, a line every few seconds elsewhere,
//! nothing if that is wished. All of it on standard error.

use crate::output;
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

/// How often there is a line where there is no terminal.
const LINES: Duration = Duration::from_secs(5);
/// How often a terminal is drawn on.
const DRAWINGS: Duration = Duration::from_millis(100);

/// The message is cut off at the width of the terminal.
const TEMPLATE: &str = "{spinner} {wide_msg}";
const BAR_WIDTH: usize = 20;

/// What shows how far it is.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    bar: ProgressBar,
    kind: Kind,
    what: String,
    begun: Instant,
    last: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Bar,
    Lines,
    Quiet,
}

impl Meter {
    /// Shows something that is going on. No bar is drawn where the output itself appears.
    pub(crate) fn new(quiet: bool, to_standard_output: bool) -> Meter {
        let is_shared = to_standard_output && io::stdout().is_terminal();
        let kind = match io::stderr().is_terminal() && !is_shared {
            _ if quiet => Kind::Quiet,
            true => Kind::Bar,
            false => Kind::Lines,
        };
        let bar = if kind == Kind::Bar { ProgressBar::no_length() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.tick_chars("|/-\\ "));
        }
        Meter { bar, kind, what: String::new(), begun: Instant::now(), last: Some(Instant::now()) }
    }

    /// Says what is done from here on.
    pub(crate) fn begin(&mut self, what: &str) {
        self.what = what.to_owned();
        self.begun = Instant::now();
        self.last = if self.kind == Kind::Bar { None } else { Some(Instant::now()) };
    }

    /// Shows how far it is, and the share that is done, where it is known.
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String, share: Option<(u64, u64)>) {
        let every = if self.kind == Kind::Bar { DRAWINGS } else { LINES };
        if self.kind == Kind::Quiet || self.last.is_some_and(|last| last.elapsed() < every) {
            return;
        }
        self.last = Some(Instant::now());
        let (what, text) = (&self.what, text());
        let share = share.filter(|(_, all)| *all > 0);
        let percent = share.map(|(done, all)| done.min(all).saturating_mul(100) / all);
        if self.kind == Kind::Lines {
            let percent = percent.map(|percent| format!("{percent}%, ")).unwrap_or_default();
            output::note(&format!("{what}: {percent}{text}"));
            return;
        }
        let percent = percent.map(|percent| format!(" {} {percent:>3}%", drawn(percent)));
        let seconds = self.begun.elapsed().as_secs();
        // All of it at once: each change may be drawn.
        self.bar.set_message(format!("{what}{} {text} [{seconds}s]", percent.unwrap_or_default()));
        self.bar.tick();
    }

    /// Says something beside it.
    pub(crate) fn note(&self, text: &str) {
        if self.kind != Kind::Quiet {
            self.warn(text);
        }
    }

    /// Says something that must be said.
    pub(crate) fn warn(&self, text: &str) {
        self.bar.suspend(|| output::note(text));
    }

    /// Takes it away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// A bar that is full at a hundred.
fn drawn(percent: u64) -> String {
    let full = usize::try_from(percent).unwrap_or(100).min(100) * BAR_WIDTH / 100;
    let head = if full < BAR_WIDTH { ">" } else { "" };
    format!("[{:<BAR_WIDTH$}]", format!("{}{head}", "=".repeat(full)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow() {
        for (percent, bar) in [
            (0, "[>                   ]"),
            (50, "[==========>         ]"),
            (99, "[===================>]"),
            (100, "[====================]"),
        ] {
            assert_eq!(drawn(percent), bar);
        }
    }
}
