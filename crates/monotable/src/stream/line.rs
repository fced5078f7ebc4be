//! A record as a line for people: when, what, the key, and what changed.

use super::{
    changes::{Change, changes},
    record::{Event, Record},
    value::{cut, name, shown},
};
use anstyle::{AnsiColor, Style};
use serde_json::{Map, Value};
use std::time::{Duration, SystemTime};

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();
const KEY: Style = Style::new().bold();
const PLAIN: Style = Style::new();

/// The most characters of a value, if lines are shortened; the first bound that lets all values
/// into the line is taken, else the last.
const SHORT_VALUES: [usize; 3] = [60, 40, 20];
const SHORT_KEY: usize = 40;
const SHORT_PART: usize = 24;
/// The fewest characters that are left for what changed, however narrow the terminal is.
const LEAST_ROOM: usize = 24;
/// How much of what two long texts have in common is shown before they differ.
const COMMON: usize = 8;

/// How lines look.
#[derive(Debug, Clone)]
pub(super) struct Look {
    pub(super) colour: bool,
    /// How many characters a line has; none for all there is.
    pub(super) width: Option<usize>,
    /// The names of the key's attributes, the partition key first.
    pub(super) key: Vec<String>,
}

/// Pieces of text, each with its style.
#[derive(Debug, Default)]
struct Text(Vec<(Style, String)>);

impl Text {
    fn push(&mut self, style: Style, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.0.push((style, text));
        }
    }

    fn with(mut self, style: Style, text: impl Into<String>) -> Text {
        self.push(style, text);
        self
    }

    fn append(&mut self, mut other: Text) {
        self.0.append(&mut other.0);
    }

    fn len(&self) -> usize {
        self.0.iter().map(|(_, text)| text.chars().count()).sum()
    }

    /// Takes away what is too much.
    fn cut(self, most: usize) -> Text {
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

    fn render(&self, colour: bool) -> String {
        let pieces = self.0.iter().map(|(style, text)| {
            if colour { format!("{style}{text}{style:#}") } else { text.clone() }
        });
        pieces.collect()
    }
}

/// The line of a record, without its end.
pub(super) fn line(record: &Record, look: &Look) -> String {
    let mut line = Text::default();
    line.push(DIM, time(record.seconds, look.width.is_some()));
    line.push(PLAIN, " ");
    line.push(event_style(record.event), record.event.name());
    line.push(PLAIN, " ");
    line.push(KEY, key(record, look));
    if record.is_expiry() {
        line.push(PLAIN, " by time to live");
    }
    let room = look.width.map(|width| width.saturating_sub(line.len() + 2).max(LEAST_ROOM));
    let text = match room {
        None => joined(parts(record, look, None), None),
        Some(room) => {
            let whole = SHORT_VALUES.into_iter().find_map(|most| {
                let text = joined(parts(record, look, Some(most)), None);
                (text.len() <= room).then_some(text)
            });
            let shortest = SHORT_VALUES.last().copied();
            whole.unwrap_or_else(|| {
                let mut parts = parts(record, look, shortest);
                // Short ones first, so that the line says as much as it can.
                parts.sort_by_key(|part| part.len() > SHORT_PART);
                joined(parts, Some(room))
            })
        }
    };
    if text.len() > 0 {
        line.push(PLAIN, "  ");
        line.append(text);
    }
    line.render(look.colour)
}

/// `2026-01-31T12:00:00Z`. Records are kept for a day, so that the hour says enough to people.
fn time(seconds: u64, short: bool) -> String {
    let moment = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    let moment = moment.unwrap_or(SystemTime::UNIX_EPOCH);
    let text = humantime::format_rfc3339_seconds(moment).to_string();
    match text.split_once('T') {
        Some((_, hour)) if short => hour.to_owned(),
        _ => text,
    }
}

fn event_style(event: Event) -> Style {
    let colour = match event {
        Event::Insert => AnsiColor::Green,
        Event::Modify => AnsiColor::Yellow,
        Event::Remove => AnsiColor::Red,
    };
    colour.on_default()
}

/// The values of the key, which have the same names in every line.
fn key(record: &Record, look: &Look) -> String {
    let most = look.width.map(|width| (width / 4).clamp(12, SHORT_KEY));
    let values = look.key.iter().filter_map(|name| record.keys()?.get(name));
    values.map(|value| shown(value, most)).collect::<Vec<_>>().join(" / ")
}

/// What happened, attribute by attribute.
fn parts(record: &Record, look: &Look, most: Option<usize>) -> Vec<Text> {
    let attributes = |image: &Map<String, Value>, style: Style| {
        let others = image.iter().filter(|(name, _)| !look.key.contains(name));
        others
            .map(|(attribute, value)| {
                Text::default()
                    .with(DIM, format!("{}: ", name(attribute)))
                    .with(style, shown(value, most))
            })
            .collect::<Vec<Text>>()
    };
    match (record.old_image(), record.new_image()) {
        (Some(old), Some(new)) => {
            changes(old, new).iter().map(|change| changed(change, most)).collect()
        }
        (None, Some(new)) => attributes(new, PLAIN),
        (Some(old), None) => {
            let mut parts = attributes(old, DIM);
            // The stream shows only what the item was before.
            if let Some(first) = parts.first_mut().filter(|_| record.event == Event::Modify) {
                first.0.insert(0, (PLAIN, "was ".to_owned()));
            }
            parts
        }
        (None, None) => Vec::new(),
    }
}

fn changed(change: &Change<'_>, most: Option<usize>) -> Text {
    let text = Text::default();
    let path = |sign: &str| format!("{sign}{}: ", change.path);
    match (change.old, change.new) {
        (Some(old), Some(new)) => {
            let (old, new) = difference(shown(old, None), shown(new, None), most);
            text.with(DIM, path("")).with(DIM, old).with(DIM, " -> ").with(PLAIN, new)
        }
        (None, Some(new)) => text.with(ADDED, path("+")).with(PLAIN, shown(new, most)),
        (old, None) => {
            let old = old.map_or(String::new(), |old| shown(old, most));
            text.with(REMOVED, path("-")).with(DIM, old)
        }
    }
}

/// Two texts, cut so that it can be seen where they differ.
fn difference(old: String, new: String, most: Option<usize>) -> (String, String) {
    let common = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    let begin = |text: String| match most {
        Some(most) if text.chars().count() > most && common > most / 2 => {
            format!("...{}", text.chars().skip(common.saturating_sub(COMMON)).collect::<String>())
        }
        _ => text,
    };
    (cut(begin(old), most), cut(begin(new), most))
}

/// The parts in one text, as many as there is room for.
fn joined(parts: Vec<Text>, room: Option<usize>) -> Text {
    let mut text = Text::default();
    let count = parts.len();
    for (at, part) in parts.into_iter().enumerate() {
        let separator = if at == 0 { "" } else { ", " };
        let behind = count - at - 1;
        // Something must be left for saying that there is more.
        let kept = if behind == 0 { 0 } else { format!(", +{behind} more").len() };
        let left = room.map(|room| room.saturating_sub(text.len() + separator.len() + kept));
        match left {
            Some(left) if part.len() > left && at > 0 => {
                text.push(DIM, format!("{separator}+{} more", behind + 1));
                break;
            }
            Some(left) => {
                text.push(DIM, separator);
                text.append(part.cut(left));
            }
            None => {
                text.push(DIM, separator);
                text.append(part);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests;
