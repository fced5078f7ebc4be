//! How restores have ended, and which there are, for people.

use super::description::{Description, Goal, Status, moment, plural};
use crate::columns::aligned;

/// That a restore has begun.
pub(super) fn begun(is: &Description, flag: &str) -> String {
    let id = &is.restore_id;
    format!("The restore {id} has begun; monotable restore --watch {id}{flag} waits for its end.\n")
}

/// How a restore in place has ended.
pub(super) fn put_back(is: &Description) -> String {
    let (source, moment) = (is.source(), is.moment().unwrap_or_default());
    let mut text = if is.items_written > 0 {
        let items = plural(is.items_written, "item");
        let deleted = match is.items_deleted {
            0 => String::new(),
            1 if is.items_written == 1 => ", by deleting it".to_owned(),
            count => format!(", {count} of them by deleting"),
        };
        format!("Put back {items} of {source} as of {moment}{deleted}.\n")
    } else if is.conflicts > 0 {
        format!("Put back nothing of {source}.\n")
    } else {
        format!("Nothing to put back: {source} is as it was at {moment}, as far as is meant.\n")
    };
    if is.conflicts > 0 {
        let (items, them) = match is.conflicts {
            1 => ("1 item was".to_owned(), "it"),
            count => (format!("{count} items were"), "them"),
        };
        text.push_str(&format!(
            "{items} changed by others meanwhile and left alone; to put {them} back, too, restore \
             again with --to {moment}\n"
        ));
    }
    text
}

/// How a restore into a table has ended, which has so many items.
pub(super) fn restored_into(is: &Description, items: Option<u64>) -> String {
    let Goal::Into(target) = is.goal() else { return String::new() };
    let items = items.map_or(String::new(), |count| format!(" with {}", plural(count, "item")));
    let moment = is.moment().map_or(String::new(), |moment| format!(" as of {moment}"));
    format!("The table '{target}' is there{items}, from {}{moment}.\n", is.source())
}

/// All restores as a table.
pub(super) fn list<'d>(restores: impl Iterator<Item = &'d Description>) -> String {
    let heading =
        ["ID", "STARTED", "FROM", "TO", "GOAL", "STATUS", "WRITTEN", "DELETED", "CONFLICTS"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for is in restores {
        let goal = match is.goal() {
            Goal::Preview => "dry run".to_owned(),
            Goal::InPlace => "in place".to_owned(),
            Goal::Into(table) => format!("into {table}"),
        };
        let status = match (is.status, &is.failure_message) {
            (Status::InProgress, _) => "in progress".to_owned(),
            (Status::Completed, _) => "completed".to_owned(),
            (Status::Failed, reason) => {
                format!("failed: {}", reason.as_deref().unwrap_or_default())
            }
        };
        rows.push(vec![
            is.restore_id.clone(),
            moment(is.start_date_time.trunc()),
            is.table_name.clone().unwrap_or_else(|| "a backup".to_owned()),
            is.moment().unwrap_or_default(),
            goal,
            status,
            is.items_written.to_string(),
            is.items_deleted.to_string(),
            is.conflicts.to_string(),
        ]);
    }
    aligned(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::restore::description::tests::restore;
    use serde_json::json;

    #[test]
    fn ends_in_place_say_what_was_done() {
        for (members, expect) in [
            (
                json!({}),
                "Nothing to put back: 'finance' is as it was at 2026-01-31T12:00:00Z, as far as is meant.\n",
            ),
            (
                json!({"ItemsWritten": 1}),
                "Put back 1 item of 'finance' as of 2026-01-31T12:00:00Z.\n",
            ),
            (
                json!({"ItemsWritten": 1, "ItemsDeleted": 1}),
                "Put back 1 item of 'finance' as of 2026-01-31T12:00:00Z, by deleting it.\n",
            ),
            (
                json!({"ItemsWritten": 5, "ItemsDeleted": 2}),
                "Put back 5 items of 'finance' as of 2026-01-31T12:00:00Z, 2 of them by deleting.\n",
            ),
            (
                json!({"ItemsWritten": 5, "Conflicts": 2}),
                "Put back 5 items of 'finance' as of 2026-01-31T12:00:00Z.\n\
                 2 items were changed by others meanwhile and left alone; to put them back, too, \
                 restore again with --to 2026-01-31T12:00:00Z\n",
            ),
            (
                json!({"Conflicts": 1}),
                "Put back nothing of 'finance'.\n\
                 1 item was changed by others meanwhile and left alone; to put it back, too, \
                 restore again with --to 2026-01-31T12:00:00Z\n",
            ),
        ] {
            assert_eq!(put_back(&restore(members)), expect);
        }
    }

    #[test]
    fn ends_in_a_table_name_it() {
        let is = restore(json!({"TargetTableName": "copy"}));
        let expect =
            "The table 'copy' is there with 7 items, from 'finance' as of 2026-01-31T12:00:00Z.\n";
        assert_eq!(restored_into(&is, Some(7)), expect);
        let is = restore(json!({"TableName": null, "BackupArn": "arn", "RestoreDateTime": null}));
        assert_eq!(
            restored_into(&is, None),
            "The table 'finance' is there, from the backup arn.\n"
        );
    }

    #[test]
    fn lists_have_a_line_each() {
        let restores = [
            restore(json!({"ItemsWritten": 12, "Conflicts": 1})),
            restore(json!({"RestoreId": "10", "Status": "IN_PROGRESS", "TargetTableName": "copy"})),
        ];
        let expect = "\
ID  STARTED               FROM     TO                    GOAL       STATUS       WRITTEN  DELETED  CONFLICTS
3   2026-01-31T13:00:00Z  finance  2026-01-31T12:00:00Z  in place   completed    12       0        1
10  2026-01-31T13:00:00Z  finance  2026-01-31T12:00:00Z  into copy  in progress  0        0        0
";
        assert_eq!(list(restores.iter()), expect);
    }
}
