//! Bad clients: whatever they send, and however slowly, good clients are answered within bounds, the
//! server's memory stays bounded, its file descriptors come back, and nothing panics.

mod attempt;
mod bounds;
mod crowd;
mod http2;
mod idle;
mod requests;
mod sender;
mod spoil;
mod storm;
mod wire;

use crate::{
    Failure,
    cli::AbuseOptions,
    good,
    http::Connection,
    monotable::{self, Monotable, Storage},
    outage::{Place, Violation, stop},
    watched::{self, Watch},
};
use attempt::Kind;
use clap::ValueEnum;
use requests::Requests;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{fs, path::Path, thread, time::Duration};
use storm::{Aftermath, Strength};

const START: Duration = Duration::from_secs(60);
const ALONE: Duration = Duration::from_secs(3);
/// How much is sent to a server with a planted fault, at most.
const PLANTED_REQUESTS: u64 = 2_000;

/// A fault of the server that must be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Plant {
    /// Half a body is waited for without end
    NoBodyTimeout,
    /// An answer that is not taken is kept without end
    NoAnswerTimeout,
    /// A body that is not UTF-8 panics
    PanicOnInput,
    /// Descriptors of connections are kept
    KeptConnections,
}

impl Plant {
    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Part of the complaint that shows it.
    fn shows_as(self) -> &'static str {
        match self {
            Plant::NoBodyTimeout => "bodies: the server still waits",
            Plant::NoAnswerTimeout => "answers not taken: the server still waits",
            Plant::PanicOnInput => "panicked",
            Plant::KeptConnections => "sockets are left open",
        }
    }
}

/// Runs the campaign; false if anything is wrong, or if a planted fault is not found.
pub fn run(options: AbuseOptions) -> Result<bool, Failure> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?;
    let plants = if options.plant_all { Plant::value_variants() } else { &options.plant };
    if plants.is_empty() { unplanted(&options) } else { planted(&options, plants) }
}

fn unplanted(options: &AbuseOptions) -> Result<bool, Failure> {
    let place = Place::new(&options.server, options.data.as_deref(), "abuse-")?;
    let mut complaints = storm(options, place.directory(), options.requests, None)?;
    let cost = idle::many(&options.server, place.directory(), options.idle)?;
    println!("beside {} idle connections, {} bytes each:", options.idle, cost.bytes_each);
    println!("{}", cost.fare);
    complaints.extend(cost.complaints);
    let cost = idle::too_many(&options.server, place.directory())?;
    println!("beside {} of which most have no place:", idle::TOO_MANY);
    println!("{}", cost.fare);
    complaints.extend(cost.complaints);
    let failed = u32::from(!complaints.is_empty());
    if failed > 0 {
        let violations: Vec<_> = complaints.into_iter().map(Violation::misbehaved).collect();
        place.report(&violations);
    }
    println!("{} passed, {failed} failed", 1 - failed);
    Ok(failed == 0)
}

fn planted(options: &AbuseOptions, plants: &[Plant]) -> Result<bool, Failure> {
    let requests = options.requests.min(PLANTED_REQUESTS);
    let one = |plant: Plant| -> Result<Vec<String>, String> {
        let text = |failure: Failure| failure.to_string();
        let place = Place::new(&options.server, None, "abuse-").map_err(text)?;
        storm(options, place.directory(), requests, Some(plant)).map_err(text)
    };
    // Most of the time they wait for what does not come, so they do it side by side.
    let outcomes: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> =
            plants.iter().map(|&plant| (plant, scope.spawn(move || one(plant)))).collect();
        threads.into_iter().map(|(plant, thread)| (plant, thread.join())).collect()
    });
    let (mut passed, mut failed) = (0, 0);
    for (plant, outcome) in outcomes {
        let complaints = outcome.map_err(|_| "a thread panicked")??;
        match complaints.iter().find(|text| text.contains(plant.shows_as())) {
            Some(text) => {
                passed += 1;
                let text: String = text.chars().take(160).collect();
                println!("{}: found, as {text}", plant.name());
            }
            None => {
                failed += 1;
                println!("{}: not found; {complaints:?}", plant.name());
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(failed == 0)
}

/// Everything at once on one server, and what is wrong then.
fn storm(
    options: &AbuseOptions,
    directory: &Path,
    count: u64,
    plant: Option<Plant>,
) -> Result<Vec<String>, Failure> {
    let log = directory.join("server.log");
    let (data, buckets) = (directory.join("data"), directory.join("buckets"));
    fs::create_dir_all(buckets.join("bucket"))?;
    let buckets = buckets.display().to_string();
    let arguments =
        ["--client-patience", crowd::PATIENCE_ARGUMENT, "--storage-dir", buckets.as_str()];
    let name = plant.map(Plant::name);
    let environment: Vec<_> =
        name.iter().map(|name| ("MONOTABLE_PLANTED", name.as_str())).collect();
    let storage = Storage::Disk(&data);
    let starting = monotable::start_in(&options.server, storage, &arguments, &environment, &log)?;
    let mut server = starting.ready(START)?;
    let (requests, large) = prepare(&server)?;
    let process = server.process.id();
    let sockets = watched::sockets(process)?;
    let alone = if plant.is_none() { ALONE } else { Duration::from_millis(100) };
    let before = good::alone(&server.endpoint, alone);
    let watch = Watch::begin(process);
    let strength = Strength {
        requests: count,
        clients: options.clients,
        crowd: options.crowd,
        seed: options.seed,
    };
    let (beside, aftermath) = good::beside(&server.endpoint, || {
        storm::run(&server.endpoint, &requests, &large, &strength)
    });
    let most = watch.most();
    drop(watch);
    let mut complaints = bounds::of_fare("beside bad clients", &beside);
    complaints.extend(bounds::of_memory(most));
    complaints.extend(bounds::of_sockets(process, sockets)?);
    complaints.extend(watched::failures(&log)?);
    if let Some(status) = server.process.ended()? {
        complaints.push(format!("the server ended by itself: {status}"));
    }
    if plant.is_none() {
        print(&aftermath);
        println!("good clients before:\n{before}\ngood clients beside:\n{beside}");
        println!("memory: at most {} MB", most >> 20);
        complaints.extend(stop(&mut server).err().into_iter().flatten().map(|v| v.text));
    }
    complaints.extend(aftermath.tally.complaints);
    complaints.extend(aftermath.crowd.complaints);
    complaints.extend(aftermath.complaints);
    Ok(complaints)
}

fn prepare(server: &Monotable) -> Result<(Requests, String), Failure> {
    let mut connection = Connection::open(&server.endpoint, wire::PATIENCE)?;
    good::prepare(&mut connection)?;
    let requests = Requests::prepare(&mut connection)?;
    let large = storm::prepare(&mut connection)?;
    Ok((requests, large))
}

fn print(aftermath: &Aftermath) {
    let tally = &aftermath.tally;
    println!("abuse: {} malformed requests", tally.total());
    for kind in Kind::ALL {
        println!("  {}: {}", kind.name(), tally.sent.get(&kind).copied().unwrap_or_default());
    }
    for (status, count) in &tally.answers {
        match status {
            0 => println!("  closed: {count}"),
            status => println!("  answered {status}: {count}"),
        }
    }
    println!(
        "{} slow, silent or deaf clients let go, after {:.1} s at most; {} misused connections of HTTP/2",
        aftermath.crowd.let_go,
        aftermath.crowd.longest.as_secs_f64(),
        aftermath.http2
    );
}
