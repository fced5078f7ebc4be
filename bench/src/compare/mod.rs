//! Monotable beside other servers of the DynamoDB API on the same machine and disk, and beside what
//! it cannot exceed: a bare HTTP server and the store alone.

mod bare;
mod commits;
mod docs;
mod floor;
mod idle;
mod options;
mod plot;
mod results;
mod room;
mod server;

use crate::{
    Failure,
    load::{Answers, Contender, Extra, Pace, Plan, Role, Sheet, Target, make},
    scale::Memory,
};
use bare::Bare;
use commits::Commits;
use idle::Idle;
use results::Results;
use server::{Absent, Running, Server, Started};
use std::{path::Path, rc::Rc, time::Duration};

pub use bare::serve as serve_bare;
pub use floor::appends_per_second;
pub use options::{BareOptions, Beside, CompareOptions};

const START_PATIENCE: Duration = Duration::from_secs(30);
/// How long the floor is measured at most, before and after the servers.
const FLOOR_TIME: Duration = Duration::from_secs(2);

/// Starts the servers and measures them; false if anything of ours failed.
pub fn run(options: CompareOptions) -> Result<bool, Failure> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("compare-");
    let directory = match &options.directory {
        Some(parent) => builder.tempdir_in(parent)?,
        None => builder.tempdir()?,
    };
    let path = directory.path();
    let plan = Plan::from(&options.plan);
    let floor_time = FLOOR_TIME.min(plan.time * 2);

    let mut field = Field::default();
    field.enter(&options, &plan, path)?;
    let before = appends_per_second(path, floor_time)?;
    let mut sheet = Sheet::measure(&mut field.contenders, &plan, Pace::Closed)?;
    if options.share > 0 {
        let share = f64::from(options.share) / 100.0;
        sheet.measure_fixed(&mut field.contenders, &plan, share)?;
    }
    let after = appends_per_second(path, floor_time)?;
    for (idle, running) in &mut field.servers {
        idle.after = Some(Memory::of(running.process.id())?);
    }
    let results = Results {
        sheet: &sheet,
        plan: &plan,
        share: options.share,
        idle: field.servers.iter().map(|(idle, _)| idle.clone()).collect(),
        floor: [before, after],
        acknowledges: &field.acknowledges,
    };
    // Files first: whoever reads the text may go away.
    results.write(&options)?;
    println!("{}", results.text());
    drop(field);
    if options.plan.recovery {
        room::measure(&options.server, path, &plan)?;
    }
    Ok(sheet.is_good())
}

/// All that takes part.
#[derive(Default)]
struct Field {
    contenders: Vec<Box<dyn Contender>>,
    servers: Vec<(Idle, Rc<Running>)>,
    acknowledges: Vec<(&'static str, &'static str)>,
}

impl Field {
    /// Starts what was asked for. Monotable is the first.
    fn enter(&mut self, options: &CompareOptions, plan: &Plan, path: &Path) -> Result<(), Failure> {
        let asked_for =
            |beside: Beside| options.beside.is_empty() || options.beside.contains(&beside);
        let ours = self.start(Server::Monotable, options, plan, path)?;
        let ours = Target::new(Server::Monotable.name(), &ours.endpoint);
        let answers = self.answers(&ours, plan)?;
        for (beside, server) in [
            (Beside::Memory, Server::MonotableMemory),
            (Beside::DynoxideFile, Server::DynoxideFile),
            (Beside::DynoxideMemory, Server::DynoxideMemory),
            (Beside::Dynalite, Server::Dynalite),
            (Beside::Moto, Server::Moto),
        ] {
            if !asked_for(beside) {
                continue;
            }
            if let Err(why) = server.program(options) {
                self.contenders.push(Box::new(Absent::missing(server.name(), why)));
                continue;
            }
            match self.start(server, options, plan, path) {
                Ok(_) => {}
                Err(error) if server.role() == Role::Peer => {
                    let failed = Absent::failed(server.name(), error.to_string());
                    self.contenders.push(Box::new(failed));
                }
                Err(error) => return Err(error),
            }
        }
        for target in &options.others {
            eprintln!("{}: a table", target.name);
            let contender: Box<dyn Contender> = match make(target, plan) {
                Ok(()) => Box::new(target.clone()),
                Err(error) => Box::new(Absent::failed(&target.name, error.to_string())),
            };
            self.contenders.push(contender);
        }
        if asked_for(Beside::Bare) {
            self.contenders.push(Box::new(Bare::new(answers, path.join("answers.json"))));
        }
        if asked_for(Beside::Commits) {
            self.contenders.push(Box::new(Commits::new(&path.join("commits"), plan)?));
        }
        Ok(())
    }

    /// Starts a server with its tables, and lets it rest.
    fn start(
        &mut self,
        server: Server,
        options: &CompareOptions,
        plan: &Plan,
        path: &Path,
    ) -> Result<Rc<Running>, Failure> {
        let (name, program) = (server.name(), server.program(options)?);
        eprintln!("{name}: starts, and a table");
        let idle = Idle::measure(server, &program, path)?;
        let running = Rc::new(server.start(&program, path)?);
        let plain = Target::new(name, &running.endpoint);
        let mut targets = vec![plain.clone()];
        if server == Server::Monotable {
            let extras = Extra::asked_for(&options.plan);
            targets.extend(extras.into_iter().map(|extra| plain.with(extra)));
        }
        for target in targets {
            make(&target, plan)
                .map_err(|error| format!("{} cannot be loaded: {error}", target.name))?;
            let started = Started::new(target, server.role(), Rc::clone(&running));
            self.contenders.push(Box::new(started));
        }
        running.process.pause()?;
        self.servers.push((idle, Rc::clone(&running)));
        self.acknowledges.push((name, server.acknowledges()));
        Ok(running)
    }

    /// What Monotable answers to each request, for the bare server to answer the same.
    fn answers(&self, ours: &Target, plan: &Plan) -> Result<Answers, Failure> {
        let mut answers = Answers::new();
        for (_, running) in &self.servers {
            running.process.resume()?;
            for &workload in &plan.workloads {
                let probed = ours.probe(workload, plan);
                let name = workload.name();
                answers.extend(probed.map_err(|error| format!("{name}: {error}"))?);
            }
            running.process.pause()?;
        }
        Ok(answers)
    }
}
