//! Exports.

use super::{FileFormat, Place, TransferState, export_key, id, is_over};
use crate::{
    Engine,
    environment::Moment,
    error::EngineError,
    keys::{JobNumber, Key, TableNumber},
    table::{self, KeySchema, Table},
};
use serde::{Deserialize, Serialize};
use store::Write;

/// An export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Export {
    /// Its number.
    pub number: JobNumber,
    /// What its ARN ends with.
    pub id: String,
    /// The name of its table.
    pub table: String,
    /// The number of its table.
    pub table_number: TableNumber,
    /// The ARN of its table.
    pub table_arn: String,
    /// The UUID of its table.
    pub table_id: String,
    /// The key of its table.
    pub key: KeySchema,
    /// What was asked for.
    pub plan: ExportPlan,
    /// When it was asked for.
    pub started: Moment,
    /// When it ended.
    pub finished: Option<Moment>,
    /// How it stands.
    pub state: TransferState,
    /// Items written.
    pub items: u64,
    /// Bytes of the items.
    pub bytes: u64,
    /// Where its summary is.
    pub manifest: Option<String>,
}

/// An export as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportPlan {
    /// What is exported.
    pub range: ExportRange,
    /// Whether the moment was left to us.
    pub any_moment: bool,
    /// Where to.
    pub place: Place,
    /// In which form.
    pub format: FileFormat,
    /// How the storage is to encrypt it, as it was said.
    pub encryption: Option<String>,
    /// With which key.
    pub encryption_key: Option<String>,
    /// The client's token.
    pub token: Option<String>,
}

/// What is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportRange {
    /// The table at a moment.
    Full {
        /// The moment.
        moment: Moment,
    },
    /// What changed between two moments.
    Incremental {
        /// The first moment, whose changes count.
        from: Moment,
        /// The second, whose changes do not.
        to: Moment,
        /// What is shown of each item.
        view: ExportView,
    },
}

/// What an incremental export shows of each item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportView {
    /// The item after.
    New,
    /// The item before and after.
    NewAndOld,
}

impl Export {
    /// The ARN.
    pub fn arn(&self) -> String {
        format!("{}/export/{}", self.table_arn, self.id)
    }
}

impl Engine {
    /// Files an export of a table, to be carried out by whoever knows where it goes.
    pub async fn create_export(
        &self,
        table: &Table,
        plan: ExportPlan,
    ) -> Result<Export, EngineError> {
        let started = self.now();
        let export = Export {
            number: 0,
            id: id(started, self.environment.random()),
            table: table.name.clone(),
            table_number: table.number,
            table_arn: table.arn(),
            table_id: table.uuid.clone(),
            key: table.key.clone(),
            plan,
            started,
            finished: None,
            state: TransferState::InProgress,
            items: 0,
            bytes: 0,
            manifest: None,
        };
        let filed = export.clone();
        let number = self
            .next_job(move |number| {
                let value = table::write(&Export { number, ..filed.clone() })?;
                Ok(vec![Write::Put { key: export_key(number), value }])
            })
            .await?;
        self.transfers.notify_one();
        Ok(Export { number, ..export })
    }

    /// Keeps how an export stands.
    pub async fn keep_export(&self, export: &Export) -> Result<(), EngineError> {
        let value = table::write(export)?;
        self.write(vec![Write::Put { key: export_key(export.number), value }]).await
    }

    /// All exports, oldest first; those that ended long ago are forgotten.
    pub async fn exports(&self) -> Result<Vec<Export>, EngineError> {
        let exports: Vec<Export> = self.records(Key::exports()).await?;
        let now = self.now();
        let (over, known): (Vec<Export>, Vec<Export>) =
            exports.into_iter().partition(|export| is_over(export.finished, now));
        for export in over {
            self.write(vec![Write::Delete { key: export_key(export.number) }]).await?;
        }
        Ok(known)
    }
}
