//! Carries out exports and imports: takes up what the database has filed, and moves items between
//! it and the storage that the operator has configured.
//!
//! What was under way when the program ended is begun again: an export reads the same moment and
//! writes the same files, an import puts the same items. Nothing that is half written is taken for
//! whole: an export's summary comes last, and an imported table is in use only after its import.
//!
//! A few go on at the same time, so that one with a slow storage does not keep the others waiting.

mod export;
mod failure;
mod import;
mod limits;
mod work;

pub use archive::storage::{S3Config, StorageConfig};

use engine::{Engine, EngineError, keys::JobNumber, transfer::TransferState};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::task::{JoinError, JoinSet};
use work::Work;

/// How often to look for what was left.
const PERIOD: Duration = Duration::from_secs(1);

/// How many go on at the same time.
const MOST: usize = 4;

/// Exports and imports of a database.
pub struct Transfers {
    work: Arc<Work>,
}

impl Transfers {
    /// Exports and imports of that database, to and from that storage.
    pub fn new(engine: Arc<Engine>, storage: Option<StorageConfig>) -> Transfers {
        Transfers { work: Arc::new(Work::new(engine, storage)) }
    }

    /// Carries them out for ever; a failure of the database is logged and tried again.
    pub async fn run_forever(&self) {
        let mut under_way = UnderWay::default();
        loop {
            if let Err(error) = self.take_up(&mut under_way).await {
                tracing::error!(%error, "exports and imports cannot be looked up");
                tokio::time::sleep(PERIOD).await;
            }
            tokio::select! {
                () = self.work.engine.transfer_asked_for() => {}
                Some(end) = under_way.tasks.join_next() => {
                    if let Err(error) = under_way.ended(end) {
                        tracing::error!(%error, "an export or import could not be carried on");
                    }
                }
                () = tokio::time::sleep(PERIOD) => {}
            }
        }
    }

    /// Carries out everything that is filed.
    pub async fn run(&self) -> Result<(), EngineError> {
        let mut under_way = UnderWay::default();
        loop {
            self.take_up(&mut under_way).await?;
            match under_way.tasks.join_next().await {
                Some(end) => under_way.ended(end)?,
                None => return Ok(()),
            }
        }
    }

    /// Begins what is filed and not begun, the oldest first, as far as there is room.
    async fn take_up(&self, under_way: &mut UnderWay) -> Result<(), EngineError> {
        for export in self.work.engine.exports().await? {
            if export.state == TransferState::InProgress && under_way.begin(export.number) {
                let (work, number) = (Arc::clone(&self.work), export.number);
                under_way.tasks.spawn(async move { (number, patient(work.export(export)).await) });
            }
        }
        for import in self.work.engine.imports().await? {
            if import.state == TransferState::InProgress && under_way.begin(import.number) {
                let (work, number) = (Arc::clone(&self.work), import.number);
                under_way.tasks.spawn(async move { (number, patient(work.import(import)).await) });
            }
        }
        Ok(())
    }
}

/// What failed is not tried again at once.
async fn patient(work: impl Future<Output = Result<(), EngineError>>) -> Result<(), EngineError> {
    let outcome = work.await;
    if outcome.is_err() {
        tokio::time::sleep(PERIOD).await;
    }
    outcome
}

/// What is being carried out. It ends with this.
#[derive(Default)]
struct UnderWay {
    tasks: JoinSet<(JobNumber, Result<(), EngineError>)>,
    numbers: BTreeSet<JobNumber>,
}

impl UnderWay {
    /// Whether something of that number can begin.
    fn begin(&mut self, number: JobNumber) -> bool {
        self.tasks.len() < MOST && self.numbers.insert(number)
    }

    fn ended(
        &mut self,
        end: Result<(JobNumber, Result<(), EngineError>), JoinError>,
    ) -> Result<(), EngineError> {
        match end {
            Ok((number, outcome)) => {
                self.numbers.remove(&number);
                outcome
            }
            // It would only panic again: it waits for another start of the program.
            Err(panic) => {
                tracing::error!(%panic, "an export or import was given up");
                Ok(())
            }
        }
    }
}
