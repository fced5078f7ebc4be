//! Clients that restore into tables and look at what is in them, through ends of the server.

use super::{
    check::{Found, compare, without_expired},
    stage::{Stage, Stumble, none},
    wanted::{Kind, Wanted},
};
use crate::{
    dynamo::{RequestError, describe, named, send, settle},
    http::Connection,
    outage::{PATIENCE, Scene, Violation},
    random::Random,
};
use std::{sync::atomic::Ordering, thread, time::Duration};

/// The longest that a restore may take once the server is up.
const LONGEST: Duration = Duration::from_secs(60);

/// How far a restore into a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It was asked for; there may be no answer.
    Asked,
    /// It was begun.
    Begun,
    /// What it made is right, and has to go.
    Compared,
}

/// What was restored and found to be right.
#[derive(Debug, Clone, Copy, Default)]
pub struct Done {
    /// Whole tables.
    pub whole: u64,
    /// Parts of tables.
    pub parts: u64,
    /// Backups.
    pub backups: u64,
    /// Their items.
    pub items: u64,
}

/// One client. What it has begun goes on after a restart.
pub struct Restorer {
    number: u64,
    names: u64,
    pending: Option<(Wanted, Step)>,
    /// What it has done.
    pub done: Done,
}

impl Restorer {
    /// One that has nothing to do yet.
    pub fn new(number: u64) -> Restorer {
        Restorer { number, names: 0, pending: None, done: Done::default() }
    }

    /// Whether it has begun something that is not done.
    pub fn is_busy(&self) -> bool {
        self.pending.as_ref().is_some_and(|(_, step)| *step != Step::Compared)
    }

    /// Restores until the server is ended.
    pub fn run(&mut self, stage: &Stage) -> Vec<Violation> {
        let what = format!("restoring as client {}", self.number);
        match self.work(stage) {
            Ok(()) => Vec::new(),
            Err(stumble) => stumble.violations(&what, Some(&stage.scene)),
        }
    }

    fn work(&mut self, stage: &Stage) -> Result<(), Stumble> {
        let mut random = stage.random(3 << 16 | self.number);
        let mut connection = open(&stage.scene)?;
        self.settle(&mut connection)?;
        loop {
            if self.pending.is_some() {
                self.carry_on(&mut connection)?;
            } else if stage.ending() {
                return Ok(());
            } else if stage.left.fetch_sub(1, Ordering::SeqCst) <= 0
                || !self.begin(stage, &mut random, &mut connection)?
            {
                stage.left.fetch_add(1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(5));
            }
        }
    }

    fn begin(
        &mut self,
        stage: &Stage,
        random: &mut Random,
        connection: &mut Connection,
    ) -> Result<bool, RequestError> {
        self.names += 1;
        let name = format!("restored-{}-{}", self.number, self.names);
        let Some(wanted) = Wanted::choose(&stage.notes, random, name) else { return Ok(false) };
        self.ask(wanted, connection)?;
        Ok(true)
    }

    /// Begins a restore.
    pub fn ask(&mut self, wanted: Wanted, connection: &mut Connection) -> Result<(), RequestError> {
        let (operation, body) = (wanted.operation, wanted.body.clone());
        let (_, step) = self.pending.insert((wanted, Step::Asked));
        send(connection, operation, &body)?;
        *step = Step::Begun;
        Ok(())
    }

    /// Finds out whether a restore without an answer was begun.
    fn settle(&mut self, connection: &mut Connection) -> Result<(), RequestError> {
        if let Some((wanted, step @ Step::Asked)) = &mut self.pending {
            match describe(connection, &wanted.name)? {
                Some(_) => *step = Step::Begun,
                None => self.pending = None,
            }
        }
        Ok(())
    }

    /// Brings what was begun to its end, on a server that nobody ends.
    pub fn finish(&mut self, connection: &mut Connection) -> Result<(), Stumble> {
        self.settle(connection)?;
        while self.pending.is_some() {
            self.carry_on(connection)?;
        }
        Ok(())
    }

    fn carry_on(&mut self, connection: &mut Connection) -> Result<(), Stumble> {
        let Some((wanted, step)) = &mut self.pending else { return Ok(()) };
        match step {
            Step::Asked | Step::Begun => {
                let what = format!("{} {}", wanted.operation, wanted.body);
                if !settle(connection, &wanted.name, true, LONGEST)? {
                    let text = format!("{what}: not done after {LONGEST:?}");
                    return none(vec![Violation::misbehaved(text)]);
                }
                let found = Found::read(connection, &wanted.name)?;
                let then = wanted.items().into_owned();
                let then = without_expired(then, wanted.second(), &found.items);
                none(compare(&what, &then, wanted.bytes(), &found))?;
                self.done.items += found.items.len() as u64;
                *match wanted.kind {
                    Kind::Whole => &mut self.done.whole,
                    Kind::Part => &mut self.done.parts,
                    Kind::Backup => &mut self.done.backups,
                } += 1;
                *step = Step::Compared;
            }
            Step::Compared => {
                match send(connection, "DeleteTable", &named(&wanted.name)) {
                    Err(error) if !error.is_not_found() => return Err(error.into()),
                    _ => self.pending = None,
                };
            }
        }
        Ok(())
    }
}

/// Connects to the server.
pub fn open(scene: &Scene) -> Result<Connection, RequestError> {
    Connection::open(&scene.endpoint, PATIENCE).map_err(RequestError::Call)
}
