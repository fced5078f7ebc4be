//! What a restore would change, for people.

use super::description::{Description, Sample, plural};
use crate::line::{Event, Images, KEY, Look, PLAIN, Text, finished};

/// The counts, and a line for each of the samples. `into` is the table that would be made.
pub(super) fn text(preview: &Description, look: &Look, into: Option<&str>) -> String {
    let moment = preview.moment().unwrap_or_default();
    let source = preview.source();
    let count = preview.items_written;
    if count == 0 {
        return format!(
            "No item that is meant has changed since {moment}: {source} is as it was.\n"
        );
    }
    let items = plural(count, "item");
    let mut text = match into {
        Some(name) => {
            format!("In '{name}' {items} would be as of {moment}, other than in {source} as it is")
        }
        None => format!("{items} of {source} would become what they were at {moment}"),
    };
    text.push_str(&format!(": {}.\n", kinds(preview, into.is_some())));
    for sample in &preview.samples {
        text.push_str(&line(sample, look));
        text.push('\n');
    }
    let others = count.saturating_sub(preview.samples.len() as u64);
    if others > 0 {
        text.push_str(&format!("... and {others} more.\n"));
    }
    text
}

/// How many of the items come back, change, and are deleted, as far as it is known.
fn kinds(preview: &Description, into: bool) -> String {
    let deleted = preview.items_deleted;
    let kept = preview.items_written.saturating_sub(deleted);
    let are_all_known = preview.samples.len() as u64 == preview.items_written;
    let known = |wanted: Event| {
        let count = preview.samples.iter().filter(|sample| event(sample) == wanted).count() as u64;
        (count, wanted)
    };
    let (changed, back) = (known(Event::Modify).0, known(Event::Insert).0);
    let parts = if are_all_known {
        vec![(changed, "would change"), (back, "would come back")]
    } else {
        vec![(kept, "would change or come back")]
    };
    let gone = if into { "would not be there" } else { "would be deleted" };
    let parts = parts.into_iter().chain([(deleted, gone)]).filter(|(count, _)| *count > 0);
    parts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

fn event(sample: &Sample) -> Event {
    match (&sample.now, &sample.then) {
        (None, _) => Event::Insert,
        (Some(_), Some(_)) => Event::Modify,
        (Some(_), None) => Event::Remove,
    }
}

/// The line that the stream would have for the change.
fn line(sample: &Sample, look: &Look) -> String {
    let event = event(sample);
    let item = sample.then.as_ref().or(sample.now.as_ref());
    let line = Text::default()
        .with(PLAIN, "  ")
        .with(event.style(), event.name())
        .with(PLAIN, " ")
        .with(KEY, item.map_or(String::new(), |item| look.key(item)));
    let images = Images { old: sample.now.as_ref(), new: sample.then.as_ref(), before_old: "" };
    finished(line, images, look)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::restore::description::tests::restore;
    use serde_json::{Value, json};

    fn look() -> Look {
        Look { colour: false, width: None, key: vec!["PK".to_owned(), "SK".to_owned()] }
    }

    fn item(sk: &str, amount: u32) -> Value {
        json!({"PK": {"S": "a"}, "SK": {"S": sk}, "amount": {"N": amount.to_string()}})
    }

    fn preview(written: u64, deleted: u64) -> Description {
        let samples = [
            json!({"Now": item("changed", 7), "Then": item("changed", 5)}),
            json!({"Then": item("gone", 5)}),
            json!({"Now": item("added", 9)}),
        ];
        restore(json!({
            "TargetTableName": null, "DryRun": true, "ItemsWritten": written,
            "ItemsDeleted": deleted, "Samples": samples[..written.min(3) as usize],
        }))
    }

    #[test]
    fn samples_are_lines_of_the_stream() {
        let expect = "\
3 items of 'finance' would become what they were at 2026-01-31T12:00:00Z: 1 would change, 1 would come back, 1 would be deleted.
  MODIFY \"a\" / \"changed\"  amount: 7 -> 5
  INSERT \"a\" / \"gone\"  amount: 5
  REMOVE \"a\" / \"added\"  amount: 9
";
        assert_eq!(text(&preview(3, 1), &look(), None), expect);
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        let text_of = |written, deleted| text(&preview(written, deleted), &look(), None);
        let many = text_of(100, 30);
        assert!(many.contains(": 70 would change or come back, 30 would be deleted.\n"), "{many}");
        assert!(many.ends_with("\n... and 97 more.\n"), "{many}");
        let one = text_of(1, 0);
        assert!(one.starts_with("1 item of 'finance' would become"), "{one}");
        assert!(one.contains(": 1 would change.\n"), "{one}");
        let none = text_of(0, 0);
        assert_eq!(
            none,
            "No item that is meant has changed since 2026-01-31T12:00:00Z: 'finance' is as it was.\n"
        );
    }

    #[test]
    fn another_table_is_compared_with_this_one() {
        let found = text(&preview(3, 1), &look(), Some("copy"));
        assert!(found.contains("1 would not be there.\n"), "{found}");
        assert!(found.starts_with("In 'copy' 3 items would be as of "), "{found}");
    }
}
