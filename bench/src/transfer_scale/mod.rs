//! A large table that is exported and imported while the server is in use: how fast that is, what
//! it takes, what other requests feel of it, and what a kill in the middle of it leaves.

mod digest;
mod files;
mod item;
mod kills;
mod report;
mod table;
mod transfer;

use crate::{
    Failure,
    cli::TransferScaleOptions,
    expiry::{
        foreground::{Foreground, Phase},
        now,
        table::Table,
    },
    monotable::{self, Monotable, Storage},
    scale::Memory,
};
use report::Figures;
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

const START_PATIENCE: Duration = Duration::from_secs(60);
/// On both sides of the moment that is exported.
const MARGIN: Duration = Duration::from_secs(1);
/// No item of the foreground expires while this is measured.
const LATER: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// The table that is made.
const TARGET: &str = "imported";

/// Where all of it happens.
struct Scene<'a> {
    program: &'a Path,
    directory: &'a Path,
    storage: PathBuf,
    items: u64,
}

impl Scene<'_> {
    fn storage(&self) -> &Path {
        &self.storage
    }

    fn start(&self) -> Result<Monotable, Failure> {
        let (data, log) = (self.directory.join("data"), self.directory.join("server.log"));
        let storage = self.storage.to_str().ok_or("the directory's name is no text")?;
        let more = ["--storage-dir", storage];
        let starting = monotable::start_with(self.program, Storage::Disk(&data), &more, &log)?;
        Ok(starting.ready(START_PATIENCE)?)
    }
}

/// Loads, exports, imports, kills and measures; false if something is wrong. With a planted fault
/// it is the other way round.
pub fn run(options: TransferScaleOptions) -> Result<bool, Failure> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("transfer-scale-");
    let directory = match &options.directory {
        Some(parent) => builder.tempdir_in(parent)?,
        None => builder.tempdir()?,
    };
    let scene = Scene {
        program: &options.server,
        directory: directory.path(),
        storage: directory.path().join("storage"),
        items: options.items,
    };
    fs::create_dir_all(scene.storage.join(files::BUCKET))?;
    let wrong = measure(&options, &scene)?;
    match wrong.as_slice() {
        [] => println!("every item is as it was"),
        wrong => wrong.iter().for_each(|text| println!("wrong: {text}")),
    }
    Ok(wrong.is_empty() != options.planted)
}

fn measure(options: &TransferScaleOptions, scene: &Scene<'_>) -> Result<Vec<String>, Failure> {
    let items = options.items;
    let mut server = scene.start()?;
    // The foreground has a table of its own, with nothing that expires.
    let others = Table { items: 0, due: (now()? + LATER).as_secs(), stream: false };
    others.load(&server.endpoint, options.connections)?;
    table::create(&server.endpoint)?;
    println!("loading {items} items over {} connections", options.connections);
    let load_rate = table::fill(&server.endpoint, items, options.connections)?;
    thread::sleep(MARGIN);
    let moment = now()?.as_secs_f64();
    thread::sleep(MARGIN);
    table::change(&server.endpoint, items, options.connections)?;

    let around = Duration::from_secs(options.seconds.into());
    let foreground = Foreground::start(&server.endpoint, &others)?;
    // What the load left to do is mostly done by then.
    thread::sleep(around);
    foreground.enter(Phase::Before);
    thread::sleep(around);
    let before = Memory::of(server.process.id())?;
    let mut wrong = Vec::new();

    let export = transfer::export(&server.endpoint, moment)?;
    foreground.enter(Phase::During);
    let exported = export.over(&server)?;
    foreground.enter(Phase::Other);
    println!("exported after {:.1} s", exported.time.as_secs_f64());
    let files = files::listed(&files::folder(scene.storage(), &export.arn))?;
    if !exported.completed || exported.count("ItemCount") != items || files.items != items {
        wrong.push(format!("the export ended as {}, with {files:?}", exported.description));
    }

    let import = transfer::import(&server.endpoint, &export, TARGET)?;
    foreground.enter(Phase::After);
    let imported = import.over(&server)?;
    let rounds = foreground.stop()?;
    println!("imported after {:.1} s; reading all of it", imported.time.as_secs_f64());
    if !imported.completed || imported.count("ImportedItemCount") != items {
        wrong.push(format!("the import ended as {}", imported.description));
    }
    let found = table::read(&server.endpoint, TARGET)?;
    if found != table::wanted(items)? {
        wrong.push(format!("the import left other items: {found:?}"));
    }
    let errors = rounds.iter().map(|round| round.errors).sum::<u64>();
    if errors > 0 {
        wrong.push(format!("{errors} requests beside it failed"));
    }
    let usual = [exported.time, imported.time];
    let figures =
        Figures { items, load_rate, before, export: (exported, files), import: imported, rounds };
    report::print(&figures);

    let [usual_export, usual_import] = usual;
    let export = kills::export(scene, &mut server, moment, usual_export, &mut wrong)?;
    kills::import(scene, &mut server, &export, usual_import, &mut wrong)?;
    Ok(wrong)
}
