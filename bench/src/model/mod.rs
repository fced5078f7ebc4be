//! Holds every answer of the server to random operations against a plain model of DynamoDB in
//! memory. The model is written from the documents, on its own: it shares no code with the server,
//! so that a mistake shows unless it is made twice.

mod answer;
mod capacity;
mod client;
mod condition;
mod decimal;
mod end;
mod generate;
mod notation;
mod operation;
mod path;
mod shared;
mod table;
#[cfg(test)]
mod tests_of;
mod update;
mod update_text;
mod value;

use crate::{
    Failure,
    cli::ModelOptions,
    dynamo::{send, settle},
    http::Connection,
    monotable::{self, Storage},
};
use client::{Difference, PATIENCE, Record, Scene, Tally};
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

const START_PATIENCE: Duration = Duration::from_secs(60);
/// How often progress is printed.
const PROGRESS: Duration = Duration::from_secs(30);
/// How often it is looked whether all clients are done.
const LOOK: Duration = Duration::from_millis(20);
/// More than this many are only counted.
const MOST_PRINTED: usize = 5;

/// Runs the clients against a server of their own; false if any answer differs.
pub fn run(options: ModelOptions) -> Result<bool, Failure> {
    let directory = tempfile::Builder::new().prefix("model-").tempdir()?;
    let (data, log) = (directory.path().join("data"), directory.path().join("server.log"));
    let storage = if options.memory { Storage::Memory } else { Storage::Disk(&data) };
    let server = monotable::start(&options.server, storage, &log)?.ready(START_PATIENCE)?;
    let mut connection = Connection::open(&server.endpoint, PATIENCE)?;
    send(&mut connection, "CreateTable", &table::create())?;
    if !settle(&mut connection, table::NAME, true, PATIENCE)? {
        return Err("the table does not become active".into());
    }
    let scene = Scene {
        endpoint: server.endpoint.clone(),
        seed: options.seed,
        done: AtomicU64::new(0),
        over: AtomicBool::new(false),
    };
    let mut records = run_clients(&scene, &options)?;
    let mut differences: Vec<Difference> =
        records.iter_mut().filter_map(|record| record.difference.take()).collect();
    // What a client has not been told, it cannot expect.
    if differences.is_empty() {
        differences = end::check(&server.endpoint, &records)?;
    }
    if !differences.is_empty() {
        report(&differences);
        println!("  the server's log and data are kept in {}", directory.keep().display());
    }
    let mut tally = Tally::default();
    records.iter().for_each(|record| tally.add(record.tally));
    println!(
        "{} carried out, {} refused by their condition, {} refused as impossible ({} of them for \
         one of several reasons)",
        tally.done, tally.condition, tally.invalid, tally.ambiguous
    );
    println!(
        "model: {} operations from {} clients, {} differences",
        scene.done.load(Ordering::Relaxed),
        options.clients,
        differences.len()
    );
    let failed = u32::from(!differences.is_empty());
    println!("{} passed, {failed} failed", 1 - failed);
    Ok(failed == 0)
}

fn run_clients(scene: &Scene, options: &ModelOptions) -> Result<Vec<Record>, Failure> {
    let clients = u64::from(options.clients);
    let started = Instant::now();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..options.clients)
            .map(|client| {
                let more = u64::from(u64::from(client) < options.operations % clients);
                let operations = options.operations / clients + more;
                scope.spawn(move || client::run(scene, client, operations))
            })
            .collect();
        let mut next = PROGRESS;
        while !threads.iter().all(|thread| thread.is_finished()) {
            thread::sleep(LOOK);
            if started.elapsed() >= next {
                next += PROGRESS;
                let done = scene.done.load(Ordering::Relaxed);
                println!("{done} of {} operations", options.operations);
            }
        }
        let records = threads.into_iter().map(|thread| thread.join());
        records.map(|record| record.map_err(|_| "a client panicked".into())).collect()
    })
}

fn report(differences: &[Difference]) {
    for difference in differences.iter().take(MOST_PRINTED) {
        println!("difference:\n{difference}");
    }
    if differences.len() > MOST_PRINTED {
        println!("and {} more", differences.len() - MOST_PRINTED);
    }
}
