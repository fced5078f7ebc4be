//! Damages copies of the originals, one after another on several threads.

use super::{
    copies,
    harm::{self, FileKind, Harm},
    judge::{self, Case, Outcome, Served},
    originals::Originals,
    server::{NoServer, Program},
    truth,
};
use crate::{Failure, cli::RotOptions, random::Random};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

/// What is counted.
#[derive(Default)]
struct Counts {
    outcomes: BTreeMap<(FileKind, Outcome), u32>,
    unseen: BTreeMap<FileKind, u32>,
    panics: u32,
    violations: Vec<String>,
}

pub struct Campaign<'a> {
    program: &'a Program,
    originals: &'a Originals,
    place: &'a Path,
    damages: u32,
    threads: u32,
    seed: u64,
    done: AtomicU32,
    counts: Mutex<Counts>,
}

impl<'a> Campaign<'a> {
    pub fn new(
        options: &RotOptions,
        program: &'a Program,
        originals: &'a Originals,
        place: &'a Path,
    ) -> Campaign<'a> {
        Campaign {
            program,
            originals,
            place,
            damages: options.damages,
            threads: options.threads,
            seed: options.seed,
            done: AtomicU32::new(0),
            counts: Mutex::default(),
        }
    }

    /// Healthy directories have no findings.
    pub fn check_originals(&mut self) -> Result<bool, Failure> {
        let mut healthy = true;
        for original in &self.originals.0 {
            let before = copies::look(&original.path)?;
            let verdict = self.program.verify(&original.path, &self.place.join("verify.log"))?;
            if verdict.status != Some(0) {
                healthy = false;
                self.violation(format!(
                    "healthy {}: verify says {}",
                    original.name, verdict.output
                ));
            }
            if before != copies::look(&original.path)? {
                healthy = false;
                self.violation(format!("healthy {}: verify has changed it", original.name));
            }
        }
        Ok(healthy)
    }

    /// Does all damages. Stops early once there are many violations; one is enough if a fault is planted.
    pub fn run(&self) {
        let enough = if self.program.planted.is_some() { 1 } else { 200 };
        let next = AtomicU32::new(0);
        thread::scope(|scope| {
            for thread in 0..self.threads {
                let next = &next;
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= self.damages || self.violations().len() >= enough {
                            return;
                        }
                        if let Err(error) = self.damage(number, thread) {
                            self.violation(format!("damage {number}: {error}"));
                        }
                        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
                        if done.is_multiple_of(1000) {
                            println!("{done} damages, {} violations", self.violations().len());
                        }
                    }
                });
            }
        });
    }

    /// Damage number so-and-so: the kinds of files come in turn, the rest is chance.
    fn damage(&self, number: u32, thread: u32) -> Result<(), Failure> {
        let mut random = Random::stream(self.seed, u64::from(number));
        let place = self.place.join(format!("damaged-{thread}"));
        let case = loop {
            let case = self.choose(number, &mut random)?;
            let broken: Vec<PathBuf> =
                [Some(&case.file), case.harm.other()].into_iter().flatten().cloned().collect();
            if place.exists() {
                fs::remove_dir_all(&place)?;
            }
            copies::copy(&case.original.path, &place, &broken)?;
            if case.harm.apply(&place, &case.file)? {
                break case;
            }
        };
        if let Err(violation) = self.judge(&case, &place, thread)? {
            let Case { original, file, harm, .. } = &case;
            let original = original.name;
            let text = format!(
                "damage {number} (seed {}): {original}/{}: {harm}: {violation}",
                self.seed,
                file.display()
            );
            self.violation(text);
            let kept = self.place.join(format!("violation-{number}"));
            copies::copy(&place, &kept, &[])?;
        }
        Ok(())
    }

    fn judge(
        &self,
        case: &Case<'_>,
        place: &Path,
        thread: u32,
    ) -> Result<Result<(), String>, Failure> {
        let before = copies::look(place)?;
        let log = self.place.join(format!("verify-{thread}.log"));
        let verdict = self.program.verify(place, &log)?;
        if copies::look(place)? != before {
            return Ok(Err("verify has changed the directory".to_owned()));
        }
        let log = self.place.join(format!("server-{thread}.log"));
        let served = match self.program.serve(place, !case.original.unsynced, &log) {
            Ok(mut server) => {
                let answers = truth::ask_everything(&server.endpoint);
                if server.process.ended()?.is_some() {
                    return Ok(Err("the server has ended by itself".to_owned()));
                }
                server.process.kill()?;
                Served::Answered(answers)
            }
            Err(NoServer::Ended) => Served::Refused,
            Err(NoServer::Hangs) => Served::Hung,
            Err(NoServer::Failed(error)) => return Err(error.into()),
        };
        let log = fs::read_to_string(&log).unwrap_or_default();
        let outcome = match judge::served(case, &served, &log) {
            Ok(outcome) => outcome,
            Err(violation) => return Ok(Err(violation)),
        };
        let mut counts = self.counts();
        *counts.outcomes.entry((case.kind, outcome)).or_default() += 1;
        counts.panics += u32::from(log.contains("panicked at"));
        match judge::verified(case, &verdict, outcome) {
            Ok(seen) => {
                *counts.unseen.entry(case.kind).or_default() += u32::from(!seen);
                Ok(Ok(()))
            }
            Err(violation) => Ok(Err(violation)),
        }
    }

    fn choose(&self, number: u32, random: &mut Random) -> Result<Case<'a>, Failure> {
        let originals = &self.originals.0;
        let count = u32::try_from(originals.len()).unwrap_or(1);
        let original = originals
            .get(usize::try_from(number % count).unwrap_or(0))
            .ok_or("there is no original")?;
        let mut kinds: BTreeMap<FileKind, Vec<PathBuf>> = BTreeMap::new();
        for file in copies::files(&original.path)? {
            if let Some(kind) = FileKind::of(&original.path, &file)
                // Whoever acknowledges before the disk has it accepts that the end is lost.
                && !(original.unsynced && kind == FileKind::Journal)
            {
                kinds.entry(kind).or_default().push(file);
            }
        }
        // Tables and journals hold the data: every second damage is one of them.
        let turn = usize::try_from(number / count).unwrap_or(0);
        let heavy = [FileKind::Table, FileKind::Journal];
        let (kind, files) = match heavy.get(turn % 4).and_then(|kind| kinds.get_key_value(kind)) {
            Some(found) => found,
            None => {
                let light = turn / 4 * 2 + turn % 2;
                kinds.iter().nth(light % kinds.len().max(1)).ok_or("there are no files")?
            }
        };
        let pick = |random: &mut Random, files: &[PathBuf]| {
            let number = random.between(0, files.len() as u64);
            files.get(usize::try_from(number).unwrap_or(0)).cloned()
        };
        let file = pick(random, files).ok_or("there is no file")?;
        let path = original.path.join(&file);
        let (length, used) = (fs::metadata(&path)?.len(), harm::used(&path)?);
        let same_kind = files.len() > 1 && random.percent(70);
        let all: Vec<PathBuf> = kinds.values().flatten().cloned().collect();
        let mut others = if same_kind { files.clone() } else { all };
        others.retain(|other| *other != file);
        let harm = Harm::choose(random, length, used, &others);
        Ok(Case { original, file, kind: *kind, harm, used })
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn violation(&self, text: String) {
        println!("{text}");
        self.counts().violations.push(text);
    }

    pub fn violations(&self) -> Vec<String> {
        self.counts().violations.clone()
    }

    pub fn damages(&self) -> u32 {
        self.done.load(Ordering::Relaxed)
    }

    /// How damages of each kind of file were met.
    pub fn tally(&self) -> String {
        let counts = self.counts();
        let mut text = String::new();
        for ((kind, outcome), count) in &counts.outcomes {
            let _ = writeln!(text, "  {kind:?}: {outcome:?} {count}");
        }
        for (kind, count) in counts.unseen.iter().filter(|(_, count)| **count > 0) {
            let _ = writeln!(text, "  {kind:?}: nothing for verify to find {count}");
        }
        let _ = write!(text, "  panics that were caught: {}", counts.panics);
        text
    }
}
