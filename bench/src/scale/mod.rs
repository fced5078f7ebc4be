//! The same measurements on tables of several sizes: what grows with the number of items.

mod measure;
mod memory;
mod report;
mod table;
mod verify;

use crate::{
    Failure,
    cli::ScaleOptions,
    compare::appends_per_second,
    monotable::{self, Storage},
};
use measure::{Kind, measure};
use report::Figures;
use std::{path::Path, time::Duration};
use table::Table;

pub use memory::{Memory, disk_bytes};

const START_PATIENCE: Duration = Duration::from_secs(30);
const STOP_PATIENCE: Duration = Duration::from_secs(60);
/// How long the floor is measured before each size.
const FLOOR_TIME: Duration = Duration::from_secs(2);
/// Connections while measuring: few, since latency is asked for and not capacity.
const CONNECTIONS: u32 = 4;

/// Loads and measures every size; false if any request failed, or if `verify` finds anything.
pub fn run(options: ScaleOptions) -> Result<bool, Failure> {
    let mut sizes = options.items.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let mut all = Vec::new();
    for items in sizes {
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix("scale-");
        let directory = match &options.directory {
            Some(parent) => builder.tempdir_in(parent)?,
            None => builder.tempdir()?,
        };
        let figures = one_size(&options, &Table::new(items), directory.path())?;
        report::print(&figures);
        all.push(figures);
    }
    if let [smallest, .., largest] = all.as_slice() {
        report::print_growth(smallest, largest);
    }
    Ok(all.iter().all(Figures::are_good))
}

fn one_size(options: &ScaleOptions, table: &Table, directory: &Path) -> Result<Figures, Failure> {
    let floor = appends_per_second(directory, FLOOR_TIME)?;
    let (data, log) = (directory.join("data"), directory.join("server.log"));
    let starting = monotable::start(&options.server, Storage::Disk(&data), &log)?;
    let mut server = starting.ready(START_PATIENCE)?;
    let load_rate = table.load(&server.endpoint, options.connections)?;
    let process = server.process.id();
    let after_load = Memory::of(process)?;
    let time = Duration::from_secs(options.seconds.into());
    let mut operations = Vec::new();
    for kind in Kind::ALL {
        let round = measure(kind, table, &server.endpoint, CONNECTIONS, time)?;
        operations.push((kind, round));
    }
    let after_measuring = Memory::of(process)?;
    server.process.terminate(STOP_PATIENCE)?.ok_or("the server does not stop")?;
    Ok(Figures {
        items: table.items(),
        floor,
        load_rate,
        after_load,
        operations,
        after_measuring,
        disk_bytes: disk_bytes(&data)?,
        verified: verify::verify(&options.server, &data)?,
    })
}
