//! Turns the table's stream on and off while clients write.

use super::{stage::Stage, table::NAME};
use crate::{
    dynamo::{RequestError, describe, send},
    http::Connection,
    outage::{PATIENCE, Violation},
};
use serde_json::{Value, json};
use std::{
    thread,
    time::{Duration, Instant},
};

/// Switches until the server is ended; how often, and what should not be.
pub fn run(stage: &Stage) -> (u64, Vec<Violation>) {
    let mut switches = 0;
    match work(stage, &mut switches) {
        Ok(()) => (switches, Vec::new()),
        Err(error) => {
            let complaint = stage.scene.complaint("switching the stream", &error);
            (switches, complaint.map(Violation::misbehaved).into_iter().collect())
        }
    }
}

fn work(stage: &Stage, switches: &mut u64) -> Result<(), RequestError> {
    let mut random = stage.random(2 << 16);
    let open = Connection::open(&stage.scene.endpoint, PATIENCE);
    let mut connection = open.map_err(RequestError::Call)?;
    let description = describe(&mut connection, NAME)?.unwrap_or_default();
    let enabled = description.pointer("/StreamSpecification/StreamEnabled");
    let mut enabled = enabled.and_then(Value::as_bool).unwrap_or(false);
    loop {
        let wait = Instant::now() + Duration::from_micros(random.spread(20_000, 2_000_000));
        while Instant::now() < wait {
            if stage.ending() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(2));
        }
        enabled = !enabled;
        let view = ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"];
        let view = view.get(random.between(0, 4) as usize).copied().unwrap_or("KEYS_ONLY");
        let specification = if enabled {
            json!({"StreamEnabled": true, "StreamViewType": view})
        } else {
            json!({"StreamEnabled": false})
        };
        let body = json!({"TableName": NAME, "StreamSpecification": specification});
        send(&mut connection, "UpdateTable", &body.to_string())?;
        *switches += 1;
    }
}
