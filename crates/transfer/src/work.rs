//! One export or import from where it was filed to its end.

use crate::{export, failure::Failure, import, limits::Limits};
use archive::storage::{Storage, StorageConfig};
use engine::{
    Engine, EngineError,
    transfer::{Export, Import, TransferState},
};
use std::sync::Arc;
use store::Planted;

/// What carries out exports and imports.
pub(crate) struct Work {
    pub(crate) engine: Arc<Engine>,
    storage: Option<Storage>,
    limits: Limits,
}

impl Work {
    pub(crate) fn new(engine: Arc<Engine>, storage: Option<StorageConfig>) -> Work {
        let limits = Limits::read();
        let storage = storage.map(|config| Storage::new(config).with_patience(limits.patience));
        Work { engine, storage, limits }
    }

    pub(crate) async fn export(&self, mut export: Export) -> Result<(), EngineError> {
        tracing::info!(table = export.table, id = export.id, "exporting");
        if Planted::ExportCompleteFirst.is_on() {
            let state = TransferState::Completed;
            self.engine.keep_export(&Export { state, ..export.clone() }).await?;
        }
        let file_bytes = self.limits.data_file_bytes;
        let outcome = match &self.storage {
            Some(storage) => export::run(&self.engine, storage, &mut export, file_bytes).await,
            None => Err(Failure::not_configured()),
        };
        self.engine.forget_past(export.number).await?;
        export.state = ended(outcome, "an export failed")?;
        export.finished = Some(self.engine.now());
        self.engine.keep_export(&export).await
    }

    pub(crate) async fn import(&self, mut import: Import) -> Result<(), EngineError> {
        tracing::info!(table = import.table, id = import.id, "importing");
        let outcome = match &self.storage {
            Some(storage) => import::run(&self.engine, storage, &mut import).await,
            None => Err(Failure::not_configured()),
        };
        import.state = ended(outcome, "an import failed")?;
        import.finished = Some(self.engine.now());
        self.engine.keep_import(&import).await
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
