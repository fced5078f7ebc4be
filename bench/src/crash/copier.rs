//! Clients that make copies of the table: by restoring it to a moment or from a backup, or by
//! exporting and importing it. A copy goes on after the server's end, and must have what was noted.

use super::{
    copy::{BUCKET, Copy, Step},
    errand::Errand,
    notes::{Notes, Source},
};
use crate::{
    changes::contents::Contents,
    dynamo::{RequestError, ask, describe, named, send},
    http::Connection,
    outage::{PATIENCE, Scene, Violation},
    random::Random,
};
use serde_json::{Value, json};
use std::{
    fs,
    sync::{atomic::Ordering, mpsc::Sender},
    thread,
    time::{Duration, Instant},
};

/// The longest that a copy may take on a server that nobody ends.
const LONGEST: Duration = Duration::from_secs(60);
/// How often to look whether something is done.
const PAUSE: Duration = Duration::from_millis(3);

/// What was copied and found to be right.
#[derive(Debug, Clone, Copy, Default)]
pub struct Done {
    /// Restored to moments.
    pub moments: u64,
    /// Restored from backups.
    pub backups: u64,
    /// Exported and imported.
    pub files: u64,
}

/// One client. What it has begun goes on after a restart.
pub struct Copier {
    number: u32,
    names: u64,
    pending: Option<Copy>,
    /// What it has done.
    pub done: Done,
}

/// Why a client ended.
pub enum Stumble {
    /// A request without the answer it should have.
    Request(RequestError),
    /// Something is wrong.
    Wrong(Vec<Violation>),
}

impl From<RequestError> for Stumble {
    fn from(error: RequestError) -> Stumble {
        Stumble::Request(error)
    }
}

impl Copier {
    /// One that has nothing to do yet.
    pub fn new(number: u32) -> Copier {
        Copier { number, names: 0, pending: None, done: Done::default() }
    }

    /// Whether work of the server's is under way.
    pub fn is_busy(&self) -> bool {
        let work =
            |copy: &Copy| !matches!(copy.step, Step::Ask | Step::Compared | Step::AskImport(_));
        self.pending.as_ref().is_some_and(work)
    }

    /// Copies until the server is ended; what should not be.
    pub fn run(
        &mut self,
        scene: &Scene,
        notes: &Notes,
        begun: &Sender<Errand>,
        cycle: u32,
    ) -> Vec<Violation> {
        let purpose = u64::from(cycle) << 32 | 1 << 22 | u64::from(self.number);
        let mut random = Random::stream(scene.seed, purpose);
        match self.work(scene, notes, begun, &mut random) {
            Ok(()) => Vec::new(),
            Err(Stumble::Wrong(violations)) => violations,
            Err(Stumble::Request(error)) => {
                let complaint = scene.complaint(&self.what(), &error);
                complaint.map(Violation::misbehaved).into_iter().collect()
            }
        }
    }

    fn work(
        &mut self,
        scene: &Scene,
        notes: &Notes,
        begun: &Sender<Errand>,
        random: &mut Random,
    ) -> Result<(), Stumble> {
        let open = Connection::open(&scene.endpoint, PATIENCE);
        let mut connection = open.map_err(RequestError::Call)?;
        while !scene.ending.load(Ordering::SeqCst) {
            if self.pending.is_none() {
                self.choose(notes, random);
            }
            match self.carry_on(&mut connection, notes)? {
                // Nobody may listen any more.
                Progress::Begun(errand) => drop(begun.send(errand)),
                Progress::Made => {}
                Progress::None => thread::sleep(PAUSE),
            }
        }
        Ok(())
    }

    fn choose(&mut self, notes: &Notes, random: &mut Random) {
        let Some((source, noted)) = notes.choose(random) else { return };
        self.names += 1;
        let table = format!("copy-{}-{}", self.number, self.names);
        let by_files = matches!(source, Source::Moment(_)) && random.percent(50);
        self.pending = Some(Copy { source, by_files, noted, table, step: Step::Ask });
    }

    /// Brings what was begun to its end, on a server that nobody ends.
    pub fn finish(
        &mut self,
        connection: &mut Connection,
        notes: &Notes,
    ) -> Result<(), Vec<Violation>> {
        let deadline = Instant::now() + LONGEST;
        while self.pending.is_some() {
            match self.carry_on(connection, notes) {
                Ok(Progress::None) if Instant::now() >= deadline => {
                    let text = format!("{}: not done after {LONGEST:?}", self.what());
                    return Err(vec![Violation::misbehaved(text)]);
                }
                Ok(Progress::None) => thread::sleep(PAUSE),
                Ok(_) => {}
                Err(Stumble::Wrong(violations)) => return Err(violations),
                Err(Stumble::Request(error)) => {
                    return Err(vec![Violation::misbehaved(format!("{}: {error}", self.what()))]);
                }
            }
        }
        Ok(())
    }

    /// The copy in words.
    fn what(&self) -> String {
        self.pending.as_ref().map_or_else(|| "copying".to_owned(), Copy::to_string)
    }

    /// Makes the next step, if the one before is done.
    fn carry_on(
        &mut self,
        connection: &mut Connection,
        notes: &Notes,
    ) -> Result<Progress, Stumble> {
        let what = self.what();
        let Some(copy) = &mut self.pending else { return Ok(Progress::None) };
        let (step, progress) = match &copy.step {
            Step::Ask if copy.by_files => {
                let answer = ask(connection, "ExportTableToPointInTime", &copy.export(notes))?;
                let arn = text(&answer, "/ExportDescription/ExportArn")?;
                (Step::Exporting(arn), Progress::Begun(Errand::Export))
            }
            Step::Ask => {
                let (operation, body) = copy.restore();
                match send(connection, operation, &body) {
                    // It was asked for before, without an answer.
                    Err(error) if error.is("TableAlreadyExistsException") => {}
                    answer => answer?,
                }
                (Step::Filling, Progress::Begun(Errand::Restore))
            }
            Step::Exporting(arn) => {
                let body = json!({"ExportArn": arn}).to_string();
                let answer = ask(connection, "DescribeExport", &body)?;
                let export = answer.get("ExportDescription").unwrap_or(&Value::Null);
                match export.get("ExportStatus").and_then(Value::as_str) {
                    Some("IN_PROGRESS") => return Ok(Progress::None),
                    Some("COMPLETED") => (Step::AskImport(arn.clone()), Progress::Made),
                    _ => return wrong(format!("{what}: {export}")),
                }
            }
            Step::AskImport(arn) => {
                let answer = ask(connection, "ImportTable", &copy.import(arn))?;
                let arn = text(&answer, "/ImportTableDescription/ImportArn")?;
                (Step::Importing(arn), Progress::Begun(Errand::Import))
            }
            Step::Importing(arn) => {
                let body = json!({"ImportArn": arn}).to_string();
                let answer = ask(connection, "DescribeImport", &body)?;
                let import = answer.get("ImportTableDescription").unwrap_or(&Value::Null);
                match import.get("ImportStatus").and_then(Value::as_str) {
                    Some("IN_PROGRESS") => return Ok(Progress::None),
                    Some("COMPLETED") => (Step::Filling, Progress::Made),
                    _ => return wrong(format!("{what}: {import}")),
                }
            }
            Step::Filling => {
                let Some(description) = describe(connection, &copy.table)? else {
                    return Err(lost(format!("{what}: the table is not there")));
                };
                if description.get("TableStatus").is_none_or(|status| status != "ACTIVE") {
                    return Ok(Progress::None);
                }
                let Some(found) = Contents::read(connection, &copy.table)? else {
                    return Err(lost(format!("{what}: the table is gone")));
                };
                let violations = copy.violations(&found);
                if !violations.is_empty() {
                    return Err(Stumble::Wrong(violations));
                }
                *match (copy.by_files, &copy.source) {
                    (true, _) => &mut self.done.files,
                    (false, Source::Moment(_)) => &mut self.done.moments,
                    (false, Source::Backup(_)) => &mut self.done.backups,
                } += 1;
                (Step::Compared, Progress::Made)
            }
            Step::Compared => {
                // Where nothing was exported there is nothing.
                let _ = fs::remove_dir_all(notes.storage.join(BUCKET).join(&copy.table));
                match send(connection, "DeleteTable", &named(&copy.table)) {
                    Err(error) if !error.is_not_found() => return Err(error.into()),
                    _ => self.pending = None,
                }
                return Ok(Progress::Made);
            }
        };
        copy.step = step;
        Ok(progress)
    }
}

/// What a step came to.
enum Progress {
    /// The server works on something.
    Begun(Errand),
    /// The next step can be made.
    Made,
    /// What was begun is not done.
    None,
}

fn text(answer: &Value, pointer: &str) -> Result<String, RequestError> {
    let found = answer.pointer(pointer).and_then(Value::as_str);
    found.map(str::to_owned).ok_or(RequestError::Unexpected("an answer without an ARN"))
}

fn wrong(text: String) -> Result<Progress, Stumble> {
    Err(Stumble::Wrong(vec![Violation::inconsistent(text)]))
}

fn lost(text: String) -> Stumble {
    Stumble::Wrong(vec![Violation::lost(text)])
}
