//! Text in colours, which knows how long it is.

use super::value::cut;
use anstyle::{AnsiColor, Style};

pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const KEY: Style = Style::new().bold();
pub(crate) const PLAIN: Style = Style::new();

/// Pieces of text, each with its style.
#[derive(Debug, Default)]
pub(crate) struct Text(Vec<(Style, String)>);

impl Text {
    pub(crate) fn push(&mut self, style: Style, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.0.push((style, text));
        }
    }

    pub(crate) fn with(mut self, style: Style, text: impl Into<String>) -> Text {
        self.push(style, text);
        self
    }

    pub(crate) fn append(&mut self, mut other: Text) {
        self.0.append(&mut other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|(_, text)| text.chars().count()).sum()
    }

    /// Takes away what is too much.
    pub(super) fn cut(self, most: usize) -> Text {
        let mut left = most;
        let mut kept = Text::default();
        for (style, text) in self.0 {
            let length = text.chars().count();
            kept.push(style, cut(text, Some(left)));
            if length > left {
                break;
            }
            left -= length;
        }
        kept
    }

    pub(crate) fn render(&self, colour: bool) -> String {
        let pieces = self.0.iter().map(|(style, text)| {
            if colour { format!("{style}{text}{style:#}") } else { text.clone() }
        });
        pieces.collect()
    }
}
