//! A record as a line for people: when, what, the key, and what changed.

use super::record::Record;
use crate::line::{DIM, Event, Images, KEY, Look, PLAIN, Text, finished};
use std::time::{Duration, SystemTime};

/// The line of a record, without its end.
pub(super) fn line(record: &Record, look: &Look) -> String {
    let mut line = Text::default();
    line.push(DIM, time(record.seconds, look.width.is_some()));
    line.push(PLAIN, " ");
    line.push(record.event.style(), record.event.name());
    line.push(PLAIN, " ");
    line.push(KEY, record.keys().map_or(String::new(), |keys| look.key(keys)));
    if record.is_expiry() {
        line.push(PLAIN, " by time to live");
    }
    // A stream may show only what the item was before.
    let before_old = if record.event == Event::Modify { "was " } else { "" };
    let images = Images { old: record.old_image(), new: record.new_image(), before_old };
    finished(line, images, look)
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

#[cfg(test)]
mod tests;
