//! What is done to a server while its calls fail, and on which disk.

use crate::{
    disk::{Control, Layer, Loss, Record, Trace, Tree},
    dynamo::RequestError,
    http::Connection,
    ledger::{Client, Clock, Ledger, Seen, check, observe},
    monotable::Monotable,
    outage::{PATIENCE, Violation, misbehaved, stop},
    random::Random,
};
use std::{fs, path::Path};

/// Versions of one item after which the store writes out its memory, and a few more.
const HEAT: u32 = 4_200;
/// How often it does so before the disk is taken: then tables are merged, too.
const FLUSHES: usize = 4;

/// A disk to begin with.
pub struct Scene {
    /// What it is called.
    pub name: &'static str,
    /// What is on it.
    disk: Tree,
    /// What a server finds on it.
    pub seen: Seen,
    /// How many steps a client makes.
    pub steps: u32,
    /// Whether the server writes nothing to tables, which must not fail for want of room.
    pub is_quiet: bool,
}

impl Scene {
    /// No disk: the server makes all of it.
    pub fn fresh() -> Scene {
        Scene {
            name: "fresh",
            disk: Tree::empty(),
            seen: Seen::default(),
            steps: 30,
            is_quiet: true,
        }
    }

    /// A disk on which much is to be done: a torn journal, another to be written to tables, tables to be
    /// merged. It is what a power loss leaves of a server that was written to.
    pub fn busy(layer: &Layer, directory: &Path, seed: u64) -> Result<Scene, Vec<Violation>> {
        let root = directory.join("disk");
        fs::create_dir_all(&root).map_err(misbehaved)?;
        let control = Control::create(&directory.join("control")).map_err(misbehaved)?;
        let path = directory.join("trace");
        let log = directory.join("log");
        let mut server = layer.start(&root, &control, Some(&path), &log).map_err(misbehaved)?;
        let clock = Clock::new(&control);
        let mut ledger = Ledger::default();
        let client = write(&clock, &server, seed);
        ledger.add(client.map_err(misbehaved)?.take_deeds());
        stop(&mut server)?;
        let trace = Trace::read(&path).map_err(misbehaved)?;
        let place = busy_place(&trace)
            .ok_or_else(|| misbehaved("no tables were written while a journal was"))?;
        let mut tree = Tree::empty();
        for (record, _) in trace.records.get(..place).unwrap_or_default() {
            tree.apply(&trace, record).map_err(misbehaved)?;
        }
        let root = directory.join("busy");
        Loss::Torn.build(&tree, &trace, &mut Random::new(seed), &root).map_err(misbehaved)?;
        let disk = Tree::load(&root).map_err(misbehaved)?;
        let mut server = layer.start(&root, &control, None, &log).map_err(misbehaved)?;
        let mut connection = Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)?;
        let (seen, mut violations) = observe(&mut connection, seed, true).map_err(misbehaved)?;
        violations.extend(check(&ledger.at(trace.length_after(place)), &seen));
        if !violations.is_empty() {
            return Err(violations);
        }
        stop(&mut server)?;
        Ok(Scene { name: "busy", disk, seen, steps: 15, is_quiet: false })
    }

    /// Makes the disk in a directory.
    pub fn set_up(&self, root: &Path) -> std::io::Result<()> {
        let trace = Trace::empty();
        Loss::Everything.build(&self.disk, &trace, &mut Random::new(0), root)
    }
}

fn write<'a>(
    clock: &'a Clock<'a>,
    server: &Monotable,
    seed: u64,
) -> Result<Client<'a>, RequestError> {
    let mut client = Client::new(clock, &server.endpoint, seed, 0, PATIENCE)?;
    client.create_tables()?;
    for _ in 0..FLUSHES {
        for _ in 0..20 {
            client.step()?;
        }
        for _ in 0..HEAT {
            client.heat(0)?;
        }
    }
    Ok(client)
}

/// Just after a write to a journal that comes after the beginning of the last table.
fn busy_place(trace: &Trace) -> Option<usize> {
    let mut journals = std::collections::HashSet::new();
    let mut tables = 0;
    for (number, (record, _)) in trace.records.iter().enumerate() {
        match record {
            Record::Created { inode, path } if path.ends_with(".jnl") => {
                journals.insert(*inode);
            }
            Record::Created { path, .. } if path.contains("/1/tables/") => tables += 1,
            Record::Written { inode, .. } if tables >= FLUSHES && journals.contains(inode) => {
                return Some(number + 1);
            }
            _ => {}
        }
    }
    None
}
