//! A table as it was at a moment: a table of its own that the server makes, and that is deleted
//! once it has been read.

use super::state::TableCopy;
use crate::{
    client::{CallError, Client, EndpointOption},
    ending::Ending,
    interrupt::Interrupt,
    meter::Meter,
    restore::instead,
    table_key::describe,
};
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

const LOOK: Duration = Duration::from_millis(100);
/// How long to try to delete a copy that is still being made.
const PATIENCE: Duration = Duration::from_secs(60);
/// The longest name of a table, without what is put behind it.
const MOST_NAME: usize = 200;
const MISSING: &str = "ResourceNotFoundException";

/// A name for the copy of a table.
pub(super) fn name(table: &str, millis: u64) -> String {
    let table: String = table.rsplit('/').next().unwrap_or(table).chars().take(MOST_NAME).collect();
    format!("{table}.export-{millis}-{}", std::process::id())
}

/// Makes the copy, unless it is there already, and waits for it.
pub(super) fn ensure(
    client: &mut Client,
    source: &str,
    copy: &TableCopy,
    endpoint: &EndpointOption,
    interrupt: &Interrupt,
    meter: &mut Meter,
) -> Result<(), Ending> {
    match describe(client, &copy.table) {
        Err(error) if error.is(MISSING) => make(client, source, copy, endpoint)?,
        outcome => {
            outcome?;
        }
    }
    meter.begin(&format!("restoring '{source}' as it was into '{}'", copy.table));
    loop {
        let found = describe(client, &copy.table)?;
        if found.table_status == "ACTIVE" {
            return Ok(());
        }
        meter.show(|| found.table_status.to_ascii_lowercase(), None);
        if !interrupt.pause(LOOK) {
            return Err(Ending::Interrupted("interrupted".to_owned()));
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 have 41 bits")]
fn make(
    client: &mut Client,
    source: &str,
    copy: &TableCopy,
    endpoint: &EndpointOption,
) -> Result<(), Ending> {
    let request = json!({
        "SourceTableName": source,
        "TargetTableName": copy.table,
        "RestoreDateTime": copy.moment as f64 / 1000.0,
        "GlobalSecondaryIndexOverride": [],
        "LocalSecondaryIndexOverride": [],
        "BillingModeOverride": "PAY_PER_REQUEST",
    });
    let made: Result<Json, CallError> = client.call("RestoreTableToPointInTime", &request);
    match made {
        Ok(_) => Ok(()),
        Err(error) if error.is("PointInTimeRecoveryUnavailableException") => {
            Err(Ending::Failed(instead(error, source, endpoint).to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Deletes the copy, if it is there.
pub(super) fn delete(client: &mut Client, table: &str) -> Result<(), CallError> {
    let begun = Instant::now();
    loop {
        let deleted: Result<Json, CallError> =
            client.call("DeleteTable", &json!({ "TableName": table }));
        match deleted {
            Ok(_) => return Ok(()),
            Err(error) if error.is(MISSING) => return Ok(()),
            // It is still being made, or only the connection was gone.
            Err(error) if error.is("ResourceInUseException") || error.may_pass() => {
                if begun.elapsed() > PATIENCE || matches!(error, CallError::Connection { .. }) {
                    return Err(error);
                }
                std::thread::sleep(LOOK);
            }
            Err(error) => return Err(error),
        }
    }
}
