//! `monotable serve`.

use crate::{
    banner::banner,
    cli::{DurabilityOption, ServeOptions},
    logs,
    settings::{Settings, Storage, TransferStorage},
};
use engine::{Engine, environment::System};
use server::{Limits, Listener, Service};
use std::{error::Error, sync::Arc};
use store::{Clock, Durability, Embedded, Memory, Options, Store};
use tokio::{
    signal::unix::{SignalKind, signal},
    task::JoinHandle,
};
use transfer::{S3Config, StorageConfig, Transfers};

/// Serves until the process is told to stop.
pub fn run(options: ServeOptions) -> Result<(), Box<dyn Error>> {
    let settings = Settings::resolve(options)?;
    logs::start(&settings.log, settings.log_format)?;
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(serve(settings))
}

async fn serve(settings: Settings) -> Result<(), Box<dyn Error>> {
    // Before anything is opened, so that a signal during the start is not lost.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let limits = Limits { patience: settings.client_patience, ..Limits::of_this_machine() };
    let store = open(&settings.storage)?;
    let engine = Engine::open(store, Arc::new(System), settings.engine.clone()).await?;
    let engine = Arc::new(engine);
    let listener = match Listener::bind(settings.address).await {
        Ok(listener) => listener,
        Err(error) => {
            engine.close().await?;
            let address = settings.address;
            return Err(format!("cannot listen on {address}: {error}; choose with --port").into());
        }
    };
    let address = listener.address()?;
    println!("{}", banner(&settings, address));
    tracing::info!(%address, "serving");

    let transfers = Transfers::new(Arc::clone(&engine), settings.transfers.map(storage_config));
    let background = background(&engine);
    let transferring = tokio::spawn(async move { transfers.run_forever().await });
    let stop = async {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tracing::info!("stopping: requests under way are answered first");
    };
    server::serve(listener, Service::new(Arc::clone(&engine), limits), stop).await;
    for task in background.into_iter().chain([transferring]) {
        task.abort();
    }
    engine.close().await?;
    tracing::info!("stopped");
    Ok(())
}

/// Everything that goes on besides requests.
fn background(engine: &Arc<Engine>) -> [JoinHandle<()>; 6] {
    let [building, sweeping, viewing, logging, expiring, restoring] =
        [(); 6].map(|()| Arc::clone(engine));
    [
        tokio::spawn(async move { building.build_forever().await }),
        tokio::spawn(async move { sweeping.sweep_forever().await }),
        tokio::spawn(async move { viewing.take_views_forever().await }),
        tokio::spawn(async move { logging.keep_log_forever().await }),
        tokio::spawn(async move { expiring.expire_forever().await }),
        tokio::spawn(async move { restoring.restore_forever().await }),
    ]
}

fn storage_config(storage: TransferStorage) -> StorageConfig {
    match storage {
        TransferStorage::Directory(path) => StorageConfig::Folder(path),
        TransferStorage::S3 { endpoint, region, access_key, secret_key } => {
            StorageConfig::S3(S3Config {
                allow_http: endpoint.starts_with("http:"),
                endpoint: Some(endpoint),
                region,
                access_key,
                secret_key,
                path_style: true,
            })
        }
    }
}

fn open(storage: &Storage) -> Result<Arc<dyn Store>, Box<dyn Error>> {
    Ok(match storage {
        Storage::Memory => Arc::new(Memory::new(Clock::system())),
        Storage::Directory { path, durability, cache_mb } => {
            let durability = match durability {
                DurabilityOption::Sync => Durability::Sync,
                DurabilityOption::Os => Durability::Os,
            };
            let cache_bytes = cache_mb.saturating_mul(1024 * 1024);
            let options = Options { durability, cache_bytes, ..Options::default() };
            Arc::new(Embedded::open(path, options)?)
        }
    })
}
