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
/// How often it does so before the disk is taken. The next time tables are merged, too.
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
    /// How often one item is written before. Then only calls on other files than journals fail.
    pub heat: u32,
    /// Whether the server writes nothing to tables, which must not fail for want of room.
    pub is_quiet: bool,
}

impl Scene {
    /// No disk: the server makes all of it.
    pub fn fresh() -> Scene {
        let (disk, seen) = (Tree::empty(), Seen::default());
        Scene { name: "fresh", disk, seen, steps: 30, heat: 0, is_quiet: true }
    }

    /// A disk as a power loss leaves it, with a torn journal and half a table; and one on which tables are
    /// made and merged.
    pub fn used(layer: &Layer, directory: &Path, seed: u64) -> Result<[Scene; 2], Vec<Violation>> {
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
        let seen = read(&server, seed, &ledger, u64::MAX)?;
        stop(&mut server)?;
        let disk = Tree::load(&root).map_err(misbehaved)?;
        let merging = Scene { name: "merging", disk, seen, steps: 15, heat: HEAT, is_quiet: false };

        let trace = Trace::read(&path).map_err(misbehaved)?;
        let place = torn_place(&trace)
            .ok_or_else(|| misbehaved("no tables were written while a journal was"))?;
        let mut tree = Tree::empty();
        for (record, _) in trace.records.get(..place).unwrap_or_default() {
            tree.apply(&trace, record).map_err(misbehaved)?;
        }
        let root = directory.join("torn");
        Loss::Torn.build(&tree, &trace, &mut Random::new(seed), &root).map_err(misbehaved)?;
        let disk = Tree::load(&root).map_err(misbehaved)?;
        let mut server = layer.start(&root, &control, None, &log).map_err(misbehaved)?;
        let seen = read(&server, seed, &ledger, trace.length_after(place))?;
        stop(&mut server)?;
        let torn = Scene { name: "torn", disk, seen, steps: 15, heat: 0, is_quiet: false };
        Ok([torn, merging])
    }

    /// Makes the disk in a directory.
    pub fn set_up(&self, root: &Path) -> std::io::Result<()> {
        let trace = Trace::empty();
        Loss::Everything.build(&self.disk, &trace, &mut Random::new(0), root)
    }
}

/// All that a server has, if that is what it was to have at a place of the trace.
fn read(
    server: &Monotable,
    seed: u64,
    ledger: &Ledger,
    place: u64,
) -> Result<Seen, Vec<Violation>> {
    let mut connection = Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)?;
    let (seen, mut violations) = observe(&mut connection, seed, true).map_err(misbehaved)?;
    violations.extend(check(&ledger.at(place), &seen));
    if violations.is_empty() { Ok(seen) } else { Err(violations) }
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
fn torn_place(trace: &Trace) -> Option<usize> {
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
