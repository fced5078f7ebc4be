//! The database: tables and items, and what follows from a change of an item.
//! Built once, above the `store` contract. Knows no JSON and no HTTP, and asks
//! for time and chance only through [`environment::Environment`].

mod catalogue;
pub mod environment;
mod error;
mod expiry;
pub mod items;
pub mod keys;
mod lag;
pub mod log;
pub mod pages;
mod records;
pub mod recovery;
pub mod table;
pub mod tables;
pub mod transfer;
pub mod verify;

pub use catalogue::Entry;
pub use error::EngineError;

use catalogue::Catalogue;
use environment::{Environment, Moment};
use std::{sync::Arc, time::Duration};
use store::Store;

/// What an operator can choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How long tables stay CREATING, UPDATING and DELETING.
    pub table_delay: Duration,
    /// The most bytes of an item collection in a table with local indexes.
    pub collection_limit: i64,
    /// How late reads are that are not strongly consistent; zero for not at all.
    pub read_lag: Duration,
    /// How many shards a stream has at a time.
    pub stream_shards: u16,
    /// How long a shard takes changes before others follow it.
    pub shard_age: Duration,
    /// How long items stay after they have expired.
    pub ttl_delay: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            table_delay: Duration::ZERO,
            collection_limit: 10 * 1024 * 1024 * 1024,
            read_lag: Duration::ZERO,
            stream_shards: 1,
            shard_age: Duration::from_secs(4 * 60 * 60),
            ttl_delay: Duration::ZERO,
        }
    }
}

/// A database on a store.
pub struct Engine {
    store: Arc<dyn Store>,
    catalogue: Catalogue,
    environment: Arc<dyn Environment>,
    settings: Settings,
    /// Woken when there is something to sweep.
    sweeper: tokio::sync::Notify,
    /// Woken when there is an index to build.
    builder: tokio::sync::Notify,
    /// Woken when there is something to restore or to back up.
    restorer: tokio::sync::Notify,
    /// Woken when there is something to export or to import.
    transfers: tokio::sync::Notify,
    /// Held from looking for a transfer's token to filing the transfer.
    transfer_turn: tokio::sync::Mutex<()>,
    lag: lag::Lag,
}

impl Engine {
    /// Opens the database that a store holds.
    pub async fn open(
        store: Arc<dyn Store>,
        environment: Arc<dyn Environment>,
        settings: Settings,
    ) -> Result<Engine, EngineError> {
        let catalogue = Catalogue::load(&*store).await?;
        let engine = Engine {
            store,
            catalogue,
            environment,
            settings,
            sweeper: tokio::sync::Notify::new(),
            builder: tokio::sync::Notify::new(),
            restorer: tokio::sync::Notify::new(),
            transfers: tokio::sync::Notify::new(),
            transfer_turn: tokio::sync::Mutex::default(),
            lag: lag::Lag::default(),
        };
        engine.open_missing_shards().await?;
        Ok(engine)
    }

    /// The time.
    pub fn now(&self) -> Moment {
        self.environment.now()
    }

    /// Tells the background work that there is something to do.
    pub fn wake(&self) {
        self.sweeper.notify_one();
        self.builder.notify_one();
    }

    /// Waits for one's turn to file an export or import; it ends with the guard.
    pub async fn transfer_turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.transfer_turn.lock().await
    }

    /// Waits until there may be something to export or to import.
    pub async fn transfer_asked_for(&self) {
        self.transfers.notified().await;
    }

    /// A random UUID.
    pub fn uuid(&self) -> String {
        environment::uuid(&*self.environment)
    }

    /// Whether the store answers.
    pub async fn check(&self) -> Result<(), EngineError> {
        let snapshot = self.store.snapshot().await?;
        snapshot.get(&keys::Key::NextTable.encode()).await?;
        Ok(())
    }

    /// Ends the store cleanly: everything under way is answered and durable.
    pub async fn close(&self) -> Result<(), EngineError> {
        Ok(self.store.close().await?)
    }
}
