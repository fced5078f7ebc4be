//! Very many items that expire in the same second: how fast they go, and what other requests feel
//! of it meanwhile.

pub mod foreground;
mod report;
pub mod table;

use crate::{
    Failure,
    cli::ExpiryOptions,
    dynamo::describe,
    http::{Connection, Endpoint},
    monotable::{self, Monotable, Storage},
    scale::Memory,
};
use foreground::{Foreground, Phase};
use report::Figures;
use serde_json::Value;
use std::{
    path::Path,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use table::Table;

const START_PATIENCE: Duration = Duration::from_secs(30);
/// No request takes this long.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often to look how many items are left.
const LOOK: Duration = Duration::from_millis(100);
/// Deleting that makes no progress for so long has failed.
const STUCK: Duration = Duration::from_secs(60);

/// Loads, waits and measures; false if a request failed or something is left.
pub fn run(options: ExpiryOptions) -> Result<bool, Failure> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("expiry-");
    let directory = match &options.directory {
        Some(parent) => builder.tempdir_in(parent)?,
        None => builder.tempdir()?,
    };
    let figures = measure(&options, directory.path())?;
    report::print(&figures);
    Ok(figures.left == 0 && figures.rounds.iter().all(|round| round.errors == 0))
}

fn measure(options: &ExpiryOptions, directory: &Path) -> Result<Figures, Failure> {
    let (data, log) = (directory.join("data"), directory.join("server.log"));
    let starting = monotable::start(&options.server, Storage::Disk(&data), &log)?;
    let server = starting.ready(START_PATIENCE)?;
    let time = Duration::from_secs(options.seconds.into());
    let lead = options.lead.map_or(options.items / 10_000 + 20, u64::from);
    let due = now()?.as_secs() + lead + time.as_secs() + 1;
    let table = Table { items: options.items, due, stream: options.stream };
    let load_rate = table.load(&server.endpoint, options.connections)?;

    let foreground = Foreground::start(&server.endpoint, &table)?;
    // The last moments before are the ones to measure: what the load left to do is done by then.
    let begin = Duration::from_secs(due - 1).saturating_sub(time);
    if now()? > begin {
        return Err(format!("loading took more than {lead} s; give --lead").into());
    }
    let wait = begin.saturating_sub(now()?);
    println!("waiting {} s for the items to expire", (wait + time).as_secs());
    thread::sleep(wait);
    foreground.enter(Phase::Before);
    thread::sleep(time);
    foreground.enter(Phase::Other);
    let before = Memory::of(server.process.id())?;
    let deletion = watch(&server, &table, &foreground)?;
    foreground.enter(Phase::After);
    thread::sleep(time);
    foreground.enter(Phase::Other);
    let after = Memory::of(server.process.id())?;
    Ok(Figures {
        items: table.items,
        stream: table.stream,
        load_rate,
        around: time,
        time: deletion.time,
        late: deletion.late,
        left: deletion.left,
        memory: [before, deletion.memory, after],
        rounds: foreground.stop()?,
    })
}

/// What was seen of the deletion.
struct Deletion {
    /// From the first item that was gone to the last.
    time: Duration,
    /// How long after its second the first was gone.
    late: Duration,
    /// The most memory that the server had meanwhile.
    memory: Memory,
    /// Items and index entries that should be gone and are not.
    left: u64,
}

/// Looks on until all items are gone, or nothing goes any more.
fn watch(server: &Monotable, table: &Table, phases: &Foreground) -> Result<Deletion, Failure> {
    let mut connection = connect(&server.endpoint)?;
    let mut memory = Memory::of(server.process.id())?;
    let mut begun: Option<(Instant, Duration)> = None;
    let (mut last, mut changed) = (table.items, Instant::now());
    loop {
        let [left, indexed] = left(&mut connection)?;
        if left < table.items && begun.is_none() {
            phases.enter(Phase::During);
            let late = now()?.saturating_sub(Duration::from_secs(table.due));
            begun = Some((Instant::now(), late));
        }
        if left < last {
            (last, changed) = (left, Instant::now());
        }
        let found = Memory::of(server.process.id())?;
        memory.resident = memory.resident.max(found.resident);
        memory.anonymous = memory.anonymous.max(found.anonymous);
        if left == 0 || changed.elapsed() > STUCK {
            let (since, late) = begun.unwrap_or((Instant::now(), Duration::ZERO));
            return Ok(Deletion { time: since.elapsed(), late, memory, left: left + indexed });
        }
        thread::sleep(LOOK);
    }
}

/// How many items and index entries there are that expire.
fn left(connection: &mut Connection) -> Result<[u64; 2], Failure> {
    let description = describe(connection, table::NAME)?.ok_or("the table is gone")?;
    let count = |value: &Value| value.get("ItemCount").and_then(Value::as_u64);
    let items = count(&description).ok_or("no count of items")?;
    let index = description.get("GlobalSecondaryIndexes").and_then(|indexes| indexes.get(0));
    let indexed = index.and_then(count).ok_or("no count of the index")?;
    Ok([items.saturating_sub(table::KEPT), indexed])
}

/// Connects to a server.
pub fn connect(endpoint: &Endpoint) -> Result<Connection, String> {
    let connection = Connection::open(endpoint, PATIENCE);
    connection.map_err(|error| format!("{endpoint}: {error}"))
}

/// The time since 1970.
pub fn now() -> Result<Duration, Failure> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?)
}
