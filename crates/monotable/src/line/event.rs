//! What can happen to an item, and who does it.

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

/// Who deletes items whose time to live has ended.
pub(crate) const TIME_TO_LIVE: &str = "dynamodb.amazonaws.com";

/// What happened to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Event {
    Insert,
    Modify,
    Remove,
}

impl Event {
    /// The event that the API names so.
    pub(crate) fn named(name: &str) -> Option<Event> {
        Event::value_variants().iter().copied().find(|event| event.name() == name)
    }

    /// As the API names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Event::Insert => "INSERT",
            Event::Modify => "MODIFY",
            Event::Remove => "REMOVE",
        }
    }

    /// As a terminal shows it.
    pub(crate) fn style(self) -> Style {
        let colour = match self {
            Event::Insert => AnsiColor::Green,
            Event::Modify => AnsiColor::Yellow,
            Event::Remove => AnsiColor::Red,
        };
        colour.on_default()
    }
}
