//! The room on the disk that the same puts take with and without recovery, each in a server of its
//! own.

use super::START_PATIENCE;
use crate::{
    Failure,
    dynamo::send,
    http::Connection,
    load::{Extra, PATIENCE, Plan, Target, make, put_body},
    monotable::{self, Storage},
    random::Random,
    scale::disk_bytes,
};
use std::{path::Path, thread, time::Duration};

/// How often each item is put over, on average.
const OVER: u64 = 10;
/// Clients that put at the same time.
const CLIENTS: u64 = 16;
/// The longest that a server may take to end.
const END_PATIENCE: Duration = Duration::from_secs(45);

/// Measures and prints.
pub fn measure(program: &Path, directory: &Path, plan: &Plan) -> Result<(), Failure> {
    let plain = bytes(program, directory, plan, Extra::Nothing)?;
    let recovery = bytes(program, directory, plan, Extra::Recovery)?;
    println!(
        "\n{} puts over {} items take {:.1} MB of disk, with recovery {:.1} MB, {:.2} times as much",
        plan.keys * OVER,
        plan.keys,
        plain as f64 / 1e6,
        recovery as f64 / 1e6,
        recovery as f64 / plain as f64
    );
    let puts = plan.keys * (OVER + 1);
    println!(
        "  recovery: {:.0} bytes a put of {} bytes",
        (recovery as f64 - plain as f64) / puts as f64,
        plan.item_bytes
    );
    Ok(())
}

fn bytes(program: &Path, directory: &Path, plan: &Plan, extra: Extra) -> Result<u64, Failure> {
    let data = directory.join(format!("room-{extra:?}"));
    let log = directory.join("room.log");
    let starting = monotable::start(program, Storage::Disk(&data), &log)?;
    let mut server = starting.ready(START_PATIENCE)?;
    let target = Target { extra, ..Target::new("monotable", &server.endpoint) };
    make(&target, plan)?;
    let put = &|number: u64| -> Result<(), String> {
        let connection = Connection::open(&server.endpoint, PATIENCE);
        let mut connection = connection.map_err(|error| error.to_string())?;
        let mut random = Random::stream(number, 5);
        let (mut body, mut note) = (String::new(), String::new());
        for _ in 0..plan.keys * OVER / CLIENTS {
            // Another note each time: notes that repeat would be packed.
            note.clear();
            random.letters(plan.item_bytes, &mut note);
            put_body(&mut body, target.table(), random.between(0, plan.keys), plan.keys, &note);
            send(&mut connection, "PutItem", &body).map_err(|error| error.to_string())?;
        }
        Ok(())
    };
    thread::scope(|scope| -> Result<(), Failure> {
        let parts: Vec<_> = (0..CLIENTS).map(|number| scope.spawn(move || put(number))).collect();
        for part in parts {
            part.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })?;
    // What is kept in memory is on the disk after the end.
    server.process.terminate(END_PATIENCE)?;
    disk_bytes(&data)
}
