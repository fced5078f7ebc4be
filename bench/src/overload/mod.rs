//! Overload: more writes than the disk takes, and larger answers than the memory holds. What is too much
//! is refused in a way that SDKs try again after; what is accepted is answered within a bound, reads go on,
//! memory stays bounded, and all is well as soon as the load has gone.

mod readers;
mod writers;

use crate::{
    Failure,
    cli::OverloadOptions,
    dynamo::{send, settle},
    good::{self, Fare},
    histogram::Histogram,
    http::{Connection, Endpoint},
    monotable::{self, Storage},
    outage::{Place, Violation, stop},
    watched::{self, Watch},
};
use clap::ValueEnum;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

const START: Duration = Duration::from_secs(60);
const PATIENCE: Duration = Duration::from_secs(60);
const ALONE: Duration = Duration::from_secs(3);
/// The server's resident memory.
const MEMORY: u64 = 2560 << 20;
/// Accepted writes, and reads beside them.
const LONGEST_WRITE: Duration = Duration::from_secs(15);
const READ_P99: Duration = Duration::from_secs(1);
const LONGEST_READ: Duration = Duration::from_secs(5);
/// From the end of the load to a write that is answered.
const RECOVERY: Duration = Duration::from_secs(5);
/// What the server gives a client that does not take its answer.
const CLIENT_PATIENCE: &str = "5s";
/// By then it must have let go of all of them.
const LET_GO: Duration = Duration::from_secs(30);

/// By then it must have taken them.
const ARRIVAL: Duration = Duration::from_secs(2);
/// Connections of good clients, which come and go.
const SLACK: u64 = 8;

/// A fault of the server that must be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Plant {
    /// All work is let in at once
    UnboundedQueue,
    /// An answer that is not taken is kept without end
    NoAnswerTimeout,
}

impl Plant {
    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Parts of complaints that show it.
    fn shows_as(self) -> &'static [&'static str] {
        match self {
            Plant::UnboundedQueue => &["of memory", "nothing was refused", "accepted writes"],
            Plant::NoAnswerTimeout => &["answers that nobody takes"],
        }
    }
}

/// Runs the campaign; false if anything is wrong, or if a planted fault is not found.
pub fn run(options: OverloadOptions) -> Result<bool, Failure> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?;
    let plants = if options.plant_all { Plant::value_variants() } else { &options.plant };
    if plants.is_empty() {
        let place = Place::new(&options.server, options.data.as_deref(), "overload-")?;
        let complaints = campaign(&options, place.directory(), None)?;
        let failed = u32::from(!complaints.is_empty());
        if failed > 0 {
            let violations: Vec<_> = complaints.into_iter().map(Violation::misbehaved).collect();
            place.report(&violations);
        }
        println!("{} passed, {failed} failed", 1 - failed);
        return Ok(failed == 0);
    }
    let (mut passed, mut failed) = (0, 0);
    for &plant in plants {
        let place = Place::new(&options.server, None, "overload-")?;
        let complaints = campaign(&options, place.directory(), Some(plant))?;
        let shows = |text: &&String| plant.shows_as().iter().any(|part| text.contains(part));
        match complaints.iter().find(shows) {
            Some(text) => {
                passed += 1;
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

fn campaign(
    options: &OverloadOptions,
    directory: &Path,
    plant: Option<Plant>,
) -> Result<Vec<String>, Failure> {
    let (data, log) = (directory.join("data"), directory.join("server.log"));
    let name = plant.map(Plant::name);
    let delay = options.sync_ms.to_string();
    let slow = options.slow_sync.as_ref().map(|path| path.display().to_string());
    let mut environment = vec![("SLOW_SYNC_MS", delay.as_str()), ("SLOW_SYNC_MS_PER_MB", "10")];
    environment.extend(slow.as_deref().map(|path| ("LD_PRELOAD", path)));
    environment.extend(name.as_deref().map(|name| ("MONOTABLE_PLANTED", name)));
    let arguments = ["--client-patience", CLIENT_PATIENCE];
    let storage = Storage::Disk(&data);
    let starting = monotable::start_in(&options.server, storage, &arguments, &environment, &log)?;
    let mut server = starting.ready(START)?;
    let endpoint = server.endpoint.clone();
    let process = server.process.id();
    let before = watched::sockets(process)?;
    let batch = prepare(&endpoint)?;
    let watch = Watch::begin(process);
    let mut complaints = Vec::new();

    let alone = good::alone(&endpoint, ALONE);
    println!("alone: {} MB", watch.most() >> 20);
    show(&alone);

    let time = Duration::from_secs(options.seconds);
    let writers = usize::try_from(options.writers)?;
    let (beside, written) =
        good::beside(&endpoint, || writers::run(&endpoint, writers, options.item_bytes, time));
    let recovered = recover(&endpoint)?;
    println!(
        "{} writers of {} bytes: {} accepted ({}), {} refused ({}); {} MB; a write {:.0} ms after",
        options.writers,
        options.item_bytes,
        written.accepted.count(),
        latencies(&written.accepted),
        written.refused.count(),
        latencies(&written.refused),
        watch.most() >> 20,
        recovered.as_secs_f64() * 1e3,
    );
    show(&beside);
    complaints.extend(written.complaints.iter().take(5).cloned());
    if written.accepted.count() == 0 {
        complaints.push("no write was accepted".to_owned());
    }
    if written.refused.count() == 0 && writers * options.item_bytes > 1 << 30 {
        complaints.push("nothing was refused".to_owned());
    }
    if written.accepted.permille(1000) > LONGEST_WRITE {
        complaints.push(format!("accepted writes: {}", latencies(&written.accepted)));
    }
    if recovered > RECOVERY {
        complaints.push(format!("the first write after the load took {recovered:.1?}"));
    }
    complaints.extend(of_reads("beside writers", &beside));

    let (beside, read) =
        good::beside(&endpoint, || readers::run(&endpoint, options.readers, &batch, time));
    println!(
        "{} readers of 16 MB: {} answered ({}), {} refused; {} MB",
        options.readers,
        read.answered.count(),
        latencies(&read.answered),
        read.refused,
        watch.most() >> 20
    );
    show(&beside);
    complaints.extend(read.complaints.iter().take(5).cloned());
    if read.answered.count() == 0 {
        complaints.push("no large read was answered".to_owned());
    }
    complaints.extend(of_reads("beside large reads", &beside));

    // Those before are to be gone.
    watched::sockets_back(process, before + SLACK, LET_GO)?;
    let (beside, held) = good::beside(&endpoint, || deaf(&endpoint, options, process, &batch));
    let (took, left) = held?;
    println!(
        "{} readers that take nothing: let go after {:.1} s; {} MB",
        options.readers,
        took.as_secs_f64(),
        watch.most() >> 20
    );
    show(&beside);
    if left > 0 {
        complaints.push(format!("answers that nobody takes: {left} are kept after {took:.1?}"));
    }
    complaints.extend(of_reads("beside deaf readers", &beside));

    if watch.most() > MEMORY {
        let text = format!("{} MB of memory, above {}", watch.most() >> 20, MEMORY >> 20);
        complaints.push(text);
    }
    complaints.extend(watched::failures(&log)?);
    if plant.is_none() {
        complaints.extend(stop(&mut server).err().into_iter().flatten().map(|v| v.text));
    }
    Ok(complaints)
}

fn prepare(endpoint: &Endpoint) -> Result<String, Failure> {
    let mut connection = Connection::open(endpoint, PATIENCE)?;
    good::prepare(&mut connection)?;
    let create = r#"{"TableName":"overload","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;
    send(&mut connection, "CreateTable", create)?;
    settle(&mut connection, "overload", true, PATIENCE)?;
    Ok(readers::prepare(&mut connection)?)
}

/// How long it takes until a write is answered, tried as SDKs do.
fn recover(endpoint: &Endpoint) -> Result<Duration, Failure> {
    let started = Instant::now();
    let put = r#"{"TableName":"overload","Item":{"pk":{"S":"after"}}}"#;
    loop {
        let mut connection = Connection::open(endpoint, PATIENCE)?;
        match send(&mut connection, "PutItem", put) {
            Ok(()) => return Ok(started.elapsed()),
            Err(error) if error.is("ThrottlingException") => {
                thread::sleep(Duration::from_millis(50));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Readers that take nothing: how long until the server has let go of them, and how many are left then.
fn deaf(
    endpoint: &Endpoint,
    options: &OverloadOptions,
    process: u32,
    batch: &str,
) -> Result<(Duration, u64), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let bound = watched::sockets(process).map_err(|error| text(&error))? + SLACK;
    let started = Instant::now();
    let streams = readers::deaf(endpoint, options.readers, batch).map_err(|error| text(&error))?;
    // They have to be there before they can go.
    while watched::sockets(process).map_err(|error| text(&error))? <= bound
        && started.elapsed() < ARRIVAL
    {
        thread::sleep(Duration::from_millis(2));
    }
    let there = watched::sockets_back(process, bound, LET_GO).map_err(|error| text(&error))?;
    let took = started.elapsed();
    drop(streams);
    Ok((took, there.saturating_sub(bound)))
}

fn of_reads(when: &str, fare: &Fare) -> Vec<String> {
    let served = &fare.get;
    let mut complaints: Vec<String> = served.complaints.clone();
    complaints.extend(fare.put.complaints.iter().cloned());
    if served.latencies.count() == 0 {
        complaints.push("no read was answered".to_owned());
    }
    if served.latencies.permille(990) > READ_P99 || served.latencies.permille(1000) > LONGEST_READ {
        complaints.push(format!("GetItem: {}", latencies(&served.latencies)));
    }
    complaints.into_iter().map(|text| format!("{when}: {text}")).collect()
}

fn show(fare: &Fare) {
    println!("  GetItem: {}\n  PutItem: {}", fare.get, fare.put);
}

fn latencies(histogram: &Histogram) -> String {
    let latency = |permille| histogram.permille(permille).as_secs_f64() * 1e3;
    format!("p50 {:.0} ms, p99 {:.0} ms, max {:.0} ms", latency(500), latency(990), latency(1000))
}
