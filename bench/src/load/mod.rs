//! Measures servers side by side: every round visits every target with every operation, so that
//! what else happens on the machine hits all alike.

mod report;
mod table;
mod worker;

use crate::{
    Failure,
    cli::{LoadOptions, PlanOptions},
    drive::Round,
    histogram::Histogram,
    http::Endpoint,
};
use clap::ValueEnum;
use std::time::Duration;

pub use report::{Summary, median, print, print_ratios, write_json};
pub use table::{make, put_body, value};

/// A server to measure.
#[derive(Debug, Clone)]
pub struct Target {
    /// What to call it.
    pub name: String,
    /// Where it listens.
    pub endpoint: Endpoint,
    /// What the table that is measured has besides.
    pub extra: Extra,
}

/// What a table has besides its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// Nothing.
    Nothing,
    /// A stream of new and old images.
    Stream,
    /// Point-in-time recovery.
    Recovery,
}

impl Target {
    /// Reads `NAME=URL`.
    pub fn parse(text: &str) -> Result<Target, String> {
        let (name, url) =
            text.split_once('=').ok_or_else(|| format!("'{text}' is not NAME=URL"))?;
        Ok(Target::new(name, &Endpoint::parse(url)?))
    }

    /// A server whose table has nothing besides.
    pub fn new(name: &str, endpoint: &Endpoint) -> Target {
        Target { name: name.to_owned(), endpoint: endpoint.clone(), extra: Extra::Nothing }
    }

    /// This server, and the same with tables that have what was asked for.
    pub fn with_extras(self, options: &PlanOptions) -> Vec<Target> {
        let with = |extra, what: &str| Target {
            name: format!("{} with {what}", self.name),
            extra,
            ..self.clone()
        };
        let stream = options.stream.then(|| with(Extra::Stream, "a stream"));
        let recovery = options.recovery.then(|| with(Extra::Recovery, "recovery"));
        [Some(self), stream, recovery].into_iter().flatten().collect()
    }

    /// The name of the table that is measured.
    pub fn table(&self) -> &'static str {
        match self.extra {
            Extra::Nothing => "bench",
            Extra::Stream => "bench-stream",
            Extra::Recovery => "bench-recovery",
        }
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OperationKind {
    /// GetItem of an item that is there
    Get,
    /// PutItem over an item that is there
    Put,
    /// TransactWriteItems of two updates of items that are there, each with a condition
    Transact,
}

impl OperationKind {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            OperationKind::Get => "get",
            OperationKind::Put => "put",
            OperationKind::Transact => "transact",
        }
    }
}

/// How to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Connections at once.
    pub connections: u32,
    /// How long one measurement takes.
    pub time: Duration,
    /// How often each is repeated.
    pub rounds: u32,
    /// Bytes of the attribute besides the key.
    pub item_bytes: usize,
    /// Items there are.
    pub keys: u64,
    /// What to measure.
    pub operations: Vec<OperationKind>,
}

impl From<&PlanOptions> for Plan {
    fn from(options: &PlanOptions) -> Plan {
        Plan {
            connections: options.connections,
            time: Duration::from_secs(options.seconds.into()),
            rounds: options.rounds,
            item_bytes: options.item_bytes as usize,
            keys: options.keys.into(),
            operations: options.operations.clone(),
        }
    }
}

/// All that was measured of one operation on one target.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The target's name.
    pub target: String,
    /// What its table has besides.
    pub extra: Extra,
    /// The operation.
    pub operation: OperationKind,
    /// Requests per second of each round.
    pub rates: Vec<f64>,
    /// Latencies of all rounds.
    pub latencies: Histogram,
    /// Requests without the answer they should have.
    pub errors: u64,
    /// What the first of them was.
    pub first_error: Option<String>,
}

/// Measures the targets of the command line; false if any request failed.
pub fn run(options: LoadOptions) -> Result<bool, Failure> {
    let plan = Plan::from(&options.plan);
    let targets = options.targets.into_iter();
    let targets: Vec<_> = targets.flat_map(|target| target.with_extras(&options.plan)).collect();
    let figures = measure(&targets, &plan)?;
    let summaries = Summary::all(&figures);
    print(&summaries);
    print_ratios(&summaries);
    if let Some(path) = &options.plan.json {
        write_json(path, &plan, &summaries, &[])?;
    }
    Ok(figures.iter().all(|figure| figure.errors == 0))
}

/// Measures all targets. Figures are in the order of operations, then of targets.
pub fn measure(targets: &[Target], plan: &Plan) -> Result<Vec<Figure>, Failure> {
    for target in targets {
        table::make(target, plan)
            .map_err(|error| format!("{} cannot be loaded: {error}", target.name))?;
    }
    let mut figures: Vec<Figure> = Vec::new();
    for &operation in &plan.operations {
        figures.extend(targets.iter().map(|target| Figure::new(target, operation)));
    }
    for round in 0..plan.rounds as usize {
        for (&operation, row) in plan.operations.iter().zip(figures.chunks_mut(targets.len())) {
            // Each round begins with another target: none is always the one after the pause.
            let first = round % targets.len();
            let mut order: Vec<_> = targets.iter().zip(row).collect();
            order.rotate_left(first);
            for (target, figure) in order {
                figure.add(worker::measure(target, plan, operation)?);
            }
        }
    }
    Ok(figures)
}

impl Figure {
    fn new(target: &Target, operation: OperationKind) -> Figure {
        Figure {
            target: target.name.clone(),
            extra: target.extra,
            operation,
            rates: Vec::new(),
            latencies: Histogram::new(),
            errors: 0,
            first_error: None,
        }
    }

    fn add(&mut self, round: Round) {
        self.rates.push(round.latencies.count() as f64 / round.time.as_secs_f64());
        self.latencies.merge(&round.latencies);
        self.errors += round.errors;
        self.first_error = self.first_error.take().or(round.first_error);
    }
}
