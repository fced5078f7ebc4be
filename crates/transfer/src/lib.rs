//! Carries out exports and imports: takes up what the database has filed, and moves items between
//! it and the storage that the operator has configured.
//!
//! What was under way when the program ended is begun again: an export reads the same moment and
//! writes the same files, an import puts the same items. Nothing that is half written is taken for
//! whole: an export's summary comes last, and an imported table is in use only after its import.

mod export;
mod failure;
mod import;

pub use archive::storage::{S3Config, StorageConfig};

use archive::storage::Storage;
use engine::{
    Engine, EngineError,
    transfer::{Export, TransferState},
};
use failure::Failure;
use std::{sync::Arc, time::Duration};
use store::Planted;

/// How often to look for what was left.
const PERIOD: Duration = Duration::from_secs(1);

/// Exports and imports of a database.
pub struct Transfers {
    engine: Arc<Engine>,
    storage: Option<Storage>,
}

impl Transfers {
    /// Exports and imports of that database, to and from that storage.
    pub fn new(engine: Arc<Engine>, storage: Option<StorageConfig>) -> Transfers {
        Transfers { engine, storage: storage.map(Storage::new) }
    }

    /// Carries them out for ever; a failure of the database is logged and tried again.
    pub async fn run_forever(&self) {
        loop {
            if let Err(error) = self.run().await {
                tracing::error!(%error, "an export or import could not be carried on");
            }
            tokio::select! {
                () = self.engine.transfer_asked_for() => {}
                () = tokio::time::sleep(PERIOD) => {}
            }
        }
    }

    /// Carries out everything that is filed.
    pub async fn run(&self) -> Result<(), EngineError> {
        for mut export in self.engine.exports().await? {
            if export.state != TransferState::InProgress {
                continue;
            }
            tracing::info!(table = export.table, id = export.id, "exporting");
            if Planted::ExportCompleteFirst.is_on() {
                let state = TransferState::Completed;
                self.engine.keep_export(&Export { state, ..export.clone() }).await?;
            }
            let outcome = match &self.storage {
                Some(storage) => export::run(&self.engine, storage, &mut export).await,
                None => Err(Failure::not_configured()),
            };
            self.engine.forget_past(export.number).await?;
            export.state = ended(outcome, "an export failed")?;
            export.finished = Some(self.engine.now());
            self.engine.keep_export(&export).await?;
        }
        for mut import in self.engine.imports().await? {
            if import.state != TransferState::InProgress {
                continue;
            }
            tracing::info!(table = import.table, id = import.id, "importing");
            let outcome = match &self.storage {
                Some(storage) => import::run(&self.engine, storage, &mut import).await,
                None => Err(Failure::not_configured()),
            };
            import.state = ended(outcome, "an import failed")?;
            import.finished = Some(self.engine.now());
            self.engine.keep_import(&import).await?;
        }
        Ok(())
    }
}

/// How something stands that came to this end.
fn ended(outcome: Result<(), Failure>, what: &str) -> Result<TransferState, EngineError> {
    match outcome {
        Ok(()) => Ok(TransferState::Completed),
        Err(Failure::Refused { code, message }) => {
            tracing::warn!(code, message, "{what}");
            Ok(TransferState::Failed { code: code.to_owned(), message })
        }
        Err(Failure::Engine(error)) => Err(error),
    }
}
