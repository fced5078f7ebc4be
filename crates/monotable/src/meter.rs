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

const COUNTING: &str = "{spinner} {msg} [{elapsed}]";
const MEASURED: &str = "{spinner} {prefix} [{bar:24}] {percent:>3}% {msg} [{elapsed}]";

/// What shows how far it is.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    bar: ProgressBar,
    kind: Kind,
    what: String,
    last: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Bar,
    Lines,
    Quiet,
}

impl Meter {
    /// Shows something that is going on, such as `exporting orders`.
    pub(crate) fn new(quiet: bool) -> Meter {
        let kind = match io::stderr().is_terminal() {
            _ if quiet => Kind::Quiet,
            true => Kind::Bar,
            false => Kind::Lines,
        };
        let bar =
            if kind == Kind::Bar { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        Meter { bar, kind, what: String::new(), last: Some(Instant::now()) }
    }

    /// Says what is done from here on.
    pub(crate) fn begin(&mut self, what: &str) {
        self.what = what.to_owned();
        self.bar.reset_elapsed();
        self.last = if self.kind == Kind::Bar { None } else { Some(Instant::now()) };
    }

    /// Shows how far it is, and the share that is done, where it is known.
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String, share: Option<(u64, u64)>) {
        let every = if self.kind == Kind::Bar { DRAWINGS } else { LINES };
        if self.kind == Kind::Quiet || self.last.is_some_and(|last| last.elapsed() < every) {
            return;
        }
        self.last = Some(Instant::now());
        let share = share.filter(|(_, all)| *all > 0);
        if self.kind == Kind::Lines {
            let percent = share.map(|(done, all)| done.min(all).saturating_mul(100) / all);
            let percent = percent.map(|percent| format!("{percent}%, ")).unwrap_or_default();
            output::note(&format!("{}: {percent}{}", self.what, text()));
            return;
        }
        // Each of these may draw: the texts come first, so that there is no bar without them.
        match share {
            Some((done, all)) => {
                self.bar.set_prefix(self.what.clone());
                self.bar.set_message(text());
                self.bar.set_length(all);
                self.bar.set_position(done.min(all));
            }
            None => self.bar.set_message(format!("{} {}", self.what, text())),
        }
        let template = if share.is_some() { MEASURED } else { COUNTING };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("=> ").tick_chars("|/-\\ "));
        }
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
