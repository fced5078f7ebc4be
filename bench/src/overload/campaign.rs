//! One server that is asked for too much: the phases, and what is wrong after each.

use super::{Plant, bounds, readers, writers};
use crate::{
    Failure,
    cli::OverloadOptions,
    dynamo::{send, settle},
    good,
    histogram::Histogram,
    http::{Connection, Endpoint},
    monotable::{self, Monotable, Storage},
    outage::stop,
    watched::{self, Watch},
};
use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

const START: Duration = Duration::from_secs(60);
const PATIENCE: Duration = Duration::from_secs(60);
const ALONE: Duration = Duration::from_secs(3);
/// What the server gives a client that does not take its answer.
const CLIENT_PATIENCE: &str = "5s";
/// By then it must have let go of all of them.
const LET_GO: Duration = Duration::from_secs(20);
/// By then it must have taken them.
const ARRIVAL: Duration = Duration::from_secs(2);
/// Connections of good clients, which come and go.
const SLACK: u64 = 4;
/// So much at once is more than a slow disk takes in the time that writes wait.
const MUCH: usize = 400 << 20;

/// A server under load.
pub struct Campaign<'a> {
    options: &'a OverloadOptions,
    server: Monotable,
    endpoint: Endpoint,
    process: u32,
    batch: String,
    sockets: u64,
    watch: Watch,
    complaints: Vec<String>,
}

/// Runs the phases that can show the fault; all of them if there is none.
pub fn run(
    options: &OverloadOptions,
    directory: &Path,
    plant: Option<Plant>,
) -> Result<Vec<String>, Failure> {
    let log = directory.join("server.log");
    let mut campaign = Campaign::begin(options, directory, &log, plant)?;
    if plant != Some(Plant::NoAnswerTimeout) {
        campaign.alone();
        campaign.writers()?;
    }
    if plant.is_none() {
        campaign.readers();
    }
    if plant != Some(Plant::UnboundedQueue) {
        campaign.deaf_readers()?;
    }
    campaign.complaints.extend(bounds::of_memory(campaign.watch.most()));
    campaign.complaints.extend(watched::failures(&log)?);
    if plant.is_none() {
        let ended = stop(&mut campaign.server).err().into_iter().flatten();
        campaign.complaints.extend(ended.map(|violation| violation.text));
    }
    Ok(campaign.complaints)
}

impl<'a> Campaign<'a> {
    fn begin(
        options: &'a OverloadOptions,
        directory: &Path,
        log: &Path,
        plant: Option<Plant>,
    ) -> Result<Campaign<'a>, Failure> {
        let data = directory.join("data");
        let name = plant.map(Plant::name);
        let delay = options.sync_ms.to_string();
        let slow = options.slow_sync.as_ref().map(|path| path.display().to_string());
        let mut environment = vec![("SLOW_SYNC_MS", delay.as_str()), ("SLOW_SYNC_MS_PER_MB", "10")];
        environment.extend(slow.as_deref().map(|path| ("LD_PRELOAD", path)));
        environment.extend(name.as_deref().map(|name| ("MONOTABLE_PLANTED", name)));
        let arguments = ["--client-patience", CLIENT_PATIENCE];
        let storage = Storage::Disk(&data);
        let starting =
            monotable::start_in(&options.server, storage, &arguments, &environment, log)?;
        let server = starting.ready(START)?;
        let (endpoint, process) = (server.endpoint.clone(), server.process.id());
        let sockets = watched::sockets(process)?;
        let batch = prepare(&endpoint)?;
        let (watch, complaints) = (Watch::begin(process), Vec::new());
        Ok(Campaign { options, server, endpoint, process, batch, sockets, watch, complaints })
    }

    fn time(&self) -> Duration {
        Duration::from_secs(self.options.seconds)
    }

    fn megabytes(&self) -> u64 {
        self.watch.most() >> 20
    }

    fn alone(&self) {
        let fare = good::alone(&self.endpoint, ALONE);
        println!("alone, {} MB:\n{fare}", self.megabytes());
    }

    /// More writes than the disk takes.
    fn writers(&mut self) -> Result<(), Failure> {
        let (writers, bytes) = (usize::try_from(self.options.writers)?, self.options.item_bytes);
        let (fare, seen) = good::beside(&self.endpoint, || {
            writers::run(&self.endpoint, writers, bytes, self.time())
        });
        let recovered = recover(&self.endpoint)?;
        println!(
            "{writers} writers of {bytes} bytes, {} MB: {} accepted ({}), {} refused ({}); \
             a write {:.0} ms after\n{fare}",
            self.megabytes(),
            seen.accepted.count(),
            latencies(&seen.accepted),
            seen.refused.count(),
            latencies(&seen.refused),
            recovered.as_secs_f64() * 1e3,
        );
        self.complaints.extend(seen.complaints.into_iter().take(5));
        if seen.accepted.count() == 0 {
            self.complaints.push("no write was accepted".to_owned());
        }
        let much = self.options.slow_sync.is_some() && writers * bytes > MUCH;
        if seen.refused.count() == 0 && much {
            self.complaints.push("nothing was refused".to_owned());
        }
        self.complaints.extend(bounds::of_writes(&seen.accepted));
        self.complaints.extend(bounds::of_recovery(recovered));
        self.complaints.extend(bounds::of_reads("beside writers", &fare));
        Ok(())
    }

    /// More and larger answers than the memory holds.
    fn readers(&mut self) {
        let readers = self.options.readers;
        let (fare, seen) = good::beside(&self.endpoint, || {
            readers::run(&self.endpoint, readers, &self.batch, self.time())
        });
        println!(
            "{readers} readers of 16 MB, {} MB: {} answered ({}), {} refused\n{fare}",
            self.megabytes(),
            seen.answered.count(),
            latencies(&seen.answered),
            seen.refused,
        );
        self.complaints.extend(seen.complaints.into_iter().take(5));
        if seen.answered.count() == 0 {
            self.complaints.push("no large read was answered".to_owned());
        }
        self.complaints.extend(bounds::of_reads("beside large reads", &fare));
    }

    /// Answers that nobody takes.
    fn deaf_readers(&mut self) -> Result<(), Failure> {
        // Those before are to be gone.
        watched::sockets_back(self.process, self.sockets + SLACK, LET_GO)?;
        let (fare, held) =
            good::beside(&self.endpoint, || self.deaf().map_err(|failure| failure.to_string()));
        let (took, left) = held?;
        println!(
            "{} readers that take nothing, {} MB: let go after {:.1} s\n{fare}",
            self.options.readers,
            self.megabytes(),
            took.as_secs_f64(),
        );
        if left > 0 {
            let text = format!("answers that nobody takes: {left} are kept after {took:.1?}");
            self.complaints.push(text);
        }
        self.complaints.extend(bounds::of_reads("beside deaf readers", &fare));
        Ok(())
    }

    /// How long it is until the server has let go of readers that take nothing, and how many are left
    /// then.
    fn deaf(&self) -> Result<(Duration, u64), Failure> {
        let bound = watched::sockets(self.process)? + SLACK;
        let started = Instant::now();
        let streams = readers::deaf(&self.endpoint, self.options.readers, &self.batch)?;
        // They have to be there before they can go.
        while watched::sockets(self.process)? <= bound && started.elapsed() < ARRIVAL {
            thread::sleep(Duration::from_millis(2));
        }
        let there = watched::sockets_back(self.process, bound, LET_GO)?;
        let took = started.elapsed();
        drop(streams);
        Ok((took, there.saturating_sub(bound)))
    }
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

pub fn latencies(histogram: &Histogram) -> String {
    let latency = |permille| histogram.permille(permille).as_secs_f64() * 1e3;
    format!("p50 {:.0} ms, p99 {:.0} ms, max {:.0} ms", latency(500), latency(990), latency(1000))
}
