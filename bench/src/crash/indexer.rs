//! A client that adds an index to the table in use and takes it away again.

use super::{errand::Errand, existence::Existence};
use crate::{
    changes::{index::BY_WRITE, table::TABLE},
    dynamo::{RequestError, describe, send},
    http::Connection,
    outage::{PATIENCE, Scene, Violation},
    random::Random,
};
use serde_json::{Value, json};
use std::{
    sync::{atomic::Ordering, mpsc::Sender},
    thread,
    time::{Duration, Instant},
};

/// How often to look whether an index is built.
const PAUSE: Duration = Duration::from_millis(3);

/// The status of the index, if it is there, and what is wrong with that.
type Seen = (Option<String>, Option<Violation>);

/// The client. What it knows outlives the server.
#[derive(Debug, Default)]
pub struct Indexer {
    existence: Existence,
    /// How often the index was built.
    pub built: u64,
    building: bool,
}

impl Indexer {
    /// Works until the server is ended; what should not be.
    pub fn run(&mut self, scene: &Scene, begun: &Sender<Errand>, cycle: u32) -> Option<Violation> {
        let mut random = Random::stream(scene.seed, u64::from(cycle) << 32 | 1 << 21);
        self.work(scene, begun, &mut random).unwrap_or_else(|error| {
            scene.complaint("changing the index", &error).map(Violation::misbehaved)
        })
    }

    fn work(
        &mut self,
        scene: &Scene,
        begun: &Sender<Errand>,
        random: &mut Random,
    ) -> Result<Option<Violation>, RequestError> {
        let open = Connection::open(&scene.endpoint, PATIENCE);
        let mut connection = open.map_err(RequestError::Call)?;
        while !scene.ending.load(Ordering::SeqCst) {
            let (status, wrong) = self.see(&mut connection)?;
            if wrong.is_some() {
                return Ok(wrong);
            }
            match status.as_deref() {
                None => {
                    self.existence = Existence::Open;
                    send(&mut connection, "UpdateTable", &create())?;
                    (self.existence, self.building) = (Existence::There, true);
                    // Nobody may listen any more.
                    let _ = begun.send(Errand::Index);
                }
                Some("ACTIVE") if random.percent(10) => {
                    self.existence = Existence::Open;
                    send(&mut connection, "UpdateTable", &delete())?;
                    self.existence = Existence::Gone;
                }
                Some(_) => {}
            }
            thread::sleep(PAUSE);
        }
        Ok(None)
    }

    /// Looks at the index, and holds what is there against what is known. Gives its status, and
    /// what is wrong.
    fn see(&mut self, connection: &mut Connection) -> Result<Seen, RequestError> {
        let status = status(connection)?;
        self.built += u64::from(self.building && status.as_deref() == Some("ACTIVE"));
        self.building = status.as_deref() == Some("CREATING");
        // One that is being deleted may still be seen.
        let there = status.as_deref().is_some_and(|status| status != "DELETING");
        let wrong = self.existence.settle(there);
        let wrong = wrong.map(|wrong| Violation::lost(format!("index {} {wrong}", BY_WRITE.name)));
        Ok((status, wrong))
    }

    /// Whether the index is being built, as far as is known.
    pub fn is_busy(&self) -> bool {
        self.building
    }

    /// Holds what is there after a restart against what is known; at times, once the index is
    /// built. Gives what is wrong.
    pub fn settle(
        &mut self,
        connection: &mut Connection,
        built: bool,
    ) -> Result<Option<Violation>, RequestError> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let (status, wrong) = self.see(connection)?;
            if wrong.is_some() || !built || status.is_none_or(|status| status == "ACTIVE") {
                return Ok(wrong);
            }
            thread::sleep(PAUSE);
        }
        Err(RequestError::Unexpected("an index that does not come to be"))
    }
}

/// The status of the index, if it is there.
fn status(connection: &mut Connection) -> Result<Option<String>, RequestError> {
    let description = describe(connection, TABLE)?.unwrap_or_default();
    let indexes = description.get("GlobalSecondaryIndexes").and_then(Value::as_array);
    let named = |index: &&Value| index.get("IndexName").is_some_and(|name| name == BY_WRITE.name);
    let index = indexes.into_iter().flatten().find(named);
    Ok(index.and_then(|index| index.get("IndexStatus")?.as_str()).map(str::to_owned))
}

fn create() -> String {
    json!({
        "TableName": TABLE,
        "AttributeDefinitions": [BY_WRITE.attribute()],
        "GlobalSecondaryIndexUpdates": [{"Create": BY_WRITE.definition()}],
    })
    .to_string()
}

fn delete() -> String {
    let delete = json!({"Delete": {"IndexName": BY_WRITE.name}});
    json!({"TableName": TABLE, "GlobalSecondaryIndexUpdates": [delete]}).to_string()
}
