//! A large table that is restored while it is in use and the server is killed in the middle: how
//! fast that is, what it takes, and what other requests feel of it.

mod change;
mod report;
mod verify;
mod watch;

use crate::{
    Failure,
    cli::RestoreScaleOptions,
    dynamo::send,
    expiry::{
        connect,
        foreground::{Foreground, Phase, Round},
        now,
        table::{NAME, Table},
    },
    monotable::{self, Monotable, Storage},
    scale::Memory,
};
use report::Figures;
use serde_json::json;
use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};
use watch::Watch;

const START_PATIENCE: Duration = Duration::from_secs(60);
/// On both sides of the moment that is restored.
const MARGIN: Duration = Duration::from_secs(1);
/// No item expires while this is measured.
const LATER: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// The table that is made.
const TARGET: &str = "restored";

/// Loads, changes, restores and measures; false if an item is not as it was.
pub fn run(options: RestoreScaleOptions) -> Result<bool, Failure> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("restore-scale-");
    let directory = match &options.directory {
        Some(parent) => builder.tempdir_in(parent)?,
        None => builder.tempdir()?,
    };
    let figures = measure(&options, directory.path())?;
    report::print(&figures);
    let errors = figures.rounds.iter().map(|round| round.errors).sum::<u64>();
    Ok(figures.wrong.is_empty() && errors == 0)
}

fn start(options: &RestoreScaleOptions, directory: &Path) -> Result<Monotable, Failure> {
    let (data, log) = (directory.join("data"), directory.join("server.log"));
    let starting = monotable::start(&options.server, Storage::Disk(&data), &log)?;
    Ok(starting.ready(START_PATIENCE)?)
}

fn measure(options: &RestoreScaleOptions, directory: &Path) -> Result<Figures, Failure> {
    let mut server = start(options, directory)?;
    let around = Duration::from_secs(options.seconds.into());
    let table = Table { items: options.items, due: (now()? + LATER).as_secs(), stream: false };
    let load_rate = table.load(&server.endpoint, options.connections)?;
    let mut connection = connect(&server.endpoint)?;
    let recovery = json!({"PointInTimeRecoveryEnabled": true});
    let request = json!({"TableName": NAME, "PointInTimeRecoverySpecification": recovery});
    send(&mut connection, "UpdateContinuousBackups", &request.to_string())?;
    thread::sleep(MARGIN);
    let moment = now()?.as_millis() as u64;
    thread::sleep(MARGIN);
    let change_rate = change::a_tenth(&server.endpoint, &table, options.connections)?;

    let foreground = Foreground::start(&server.endpoint, &table)?;
    // What the load left to do is mostly done by then.
    thread::sleep(around);
    foreground.enter(Phase::Before);
    thread::sleep(around);
    foreground.enter(Phase::Other);
    let before = Memory::of(server.process.id())?;

    let at = moment as f64 / 1e3;
    let request =
        json!({"SourceTableName": NAME, "TargetTableName": TARGET, "RestoreDateTime": at});
    let begun = Instant::now();
    send(&mut connection, "RestoreTableToPointInTime", &request.to_string())?;
    foreground.enter(Phase::During);
    let mut watch = Watch::new(before);
    let half = watch.until(&server, Some(table.items / 2))?;
    let mut rounds = foreground.stop()?;
    let down = Instant::now();
    server.process.kill()?;
    server = start(options, directory)?;
    let down = down.elapsed();
    let resumed = Watch::read(&mut connect(&server.endpoint)?)?;
    let foreground = Foreground::start(&server.endpoint, &table)?;
    foreground.enter(Phase::During);
    watch.until(&server, None)?;
    let time = begun.elapsed().saturating_sub(down);
    merge(&mut rounds, foreground.stop()?);
    let after = Memory::of(server.process.id())?;
    println!("restored after {:.0} s; reading all of it", time.as_secs_f64());
    Ok(Figures {
        items: table.items,
        load_rate,
        change_rate,
        time,
        down,
        cut: [half.read, resumed.read],
        changes: watch.last.changes,
        memory: [before, watch.memory, after],
        rounds,
        wrong: verify::all(&server.endpoint, table.items)?,
    })
}

fn merge(rounds: &mut [Round], more: Vec<Round>) {
    for other in more {
        if let Some(round) = rounds.iter_mut().find(|round| round.operation == other.operation) {
            for (mine, theirs) in round.latencies.iter_mut().zip(&other.latencies) {
                mine.merge(theirs);
            }
            round.errors += other.errors;
            round.first_error = round.first_error.take().or(other.first_error);
        }
    }
}
