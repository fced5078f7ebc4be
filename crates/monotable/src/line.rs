//! Items, and what became of them, as lines for people: shortened to the width of the terminal.

mod changes;
mod event;
mod text;
mod value;

pub(crate) use event::{Event, TIME_TO_LIVE};
pub(crate) use text::{DIM, KEY, PLAIN, Text};
pub(crate) use value::shown;

use crate::output;
use changes::{Change, changes};
use serde_json::{Map, Value};
use text::{ADDED, REMOVED};
use value::{cut, name};

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
pub(crate) struct Look {
    pub(crate) colour: bool,
    /// How many characters a line has; none for all there is.
    pub(crate) width: Option<usize>,
    /// The names of the key's attributes, the partition key first.
    pub(crate) key: Vec<String>,
}

impl Look {
    /// As standard output wants it.
    pub(crate) fn of_output(key: Vec<String>, full: bool) -> Look {
        let width = output::width().filter(|_| !full);
        Look { colour: output::is_colourful(), width, key }
    }

    /// The values of a key, which have the same names in every line.
    pub(crate) fn key(&self, attributes: &Map<String, Value>) -> String {
        let most = self.width.map(|width| (width / 4).clamp(12, SHORT_KEY));
        let values = self.key.iter().filter_map(|name| attributes.get(name));
        values.map(|value| shown(value, most)).collect::<Vec<_>>().join(" / ")
    }
}

/// An item before and after, as far as it is known.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Images<'i> {
    pub(crate) old: Option<&'i Map<String, Value>>,
    pub(crate) new: Option<&'i Map<String, Value>>,
    /// What to say before an item that is only known as it was.
    pub(crate) before_old: &'static str,
}

/// The line that begins with this text and goes on with what happened, attribute by attribute.
pub(crate) fn finished(mut line: Text, images: Images<'_>, look: &Look) -> String {
    let room = look.width.map(|width| width.saturating_sub(line.len() + 2).max(LEAST_ROOM));
    let text = match room {
        None => joined(parts(images, look, None), None),
        Some(room) => {
            let whole = SHORT_VALUES.into_iter().find_map(|most| {
                let text = joined(parts(images, look, Some(most)), None);
                (text.len() <= room).then_some(text)
            });
            let shortest = SHORT_VALUES.last().copied();
            whole.unwrap_or_else(|| {
                let mut parts = parts(images, look, shortest);
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

/// What happened, attribute by attribute.
fn parts(images: Images<'_>, look: &Look, most: Option<usize>) -> Vec<Text> {
    let attributes = |image: &Map<String, Value>, style, before: &str| {
        let others = image.iter().filter(|(name, _)| !look.key.contains(name));
        others
            .enumerate()
            .map(|(at, (attribute, value))| {
                Text::default()
                    .with(PLAIN, if at == 0 { before } else { "" })
                    .with(DIM, format!("{}: ", name(attribute)))
                    .with(style, shown(value, most))
            })
            .collect::<Vec<Text>>()
    };
    match (images.old, images.new) {
        (Some(old), Some(new)) => {
            changes(old, new).iter().map(|change| changed(change, most)).collect()
        }
        (None, Some(new)) => attributes(new, PLAIN, ""),
        (Some(old), None) => attributes(old, DIM, images.before_old),
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
