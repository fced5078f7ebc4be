//! What was measured: a cell for each number of connections, workload and contender.

use super::{Contender, Pace, Plan, Round, Workload, contender::Role};
use crate::{Failure, histogram::Histogram};
use std::time::Duration;

/// Of fewer requests nothing is said about latencies at a fixed rate.
const LEAST_REQUESTS: f64 = 10.0;

/// All cells, and who they are of.
#[derive(Debug)]
pub struct Sheet {
    /// The names of the contenders, the one that others are held against first.
    pub contenders: Vec<Column>,
    /// What was measured.
    pub cells: Vec<Cell>,
}

/// One contender.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it is there for.
    pub role: Role,
    /// Why it was not measured at all.
    pub missing: Option<String>,
}

/// One workload on one contender.
#[derive(Debug)]
pub struct Cell {
    /// Connections at once.
    pub connections: u32,
    /// The workload.
    pub workload: Workload,
    /// The contender, by its place.
    pub contender: usize,
    /// Requests were sent at a fixed rate.
    pub fixed: bool,
    /// Answers a second of each round.
    pub rates: Vec<f64>,
    /// Latencies of all rounds.
    pub latencies: Histogram,
    /// What a request took of the generator's own core, in each round.
    pub costs: Vec<Duration>,
    /// What was wrong. Then it has no figures.
    pub error: Option<String>,
}

impl Cell {
    /// The middle one of the rounds.
    pub fn rate(&self) -> f64 {
        median(&self.rates)
    }

    /// Microseconds that a request took of the generator's own core: the middle one of the rounds.
    pub fn cost(&self) -> f64 {
        let costs = self.costs.iter().map(|cost| cost.as_secs_f64() * 1e6);
        median(&costs.collect::<Vec<f64>>())
    }

    /// The latency that so many in a thousand did not exceed. In a closed loop as it would be if
    /// the connections sent as often without waiting for answers.
    pub fn latency(&self, permille: u64) -> Duration {
        let rate = self.rate();
        if self.fixed || rate <= 0.0 {
            return self.latencies.permille(permille);
        }
        let interval = Duration::from_secs_f64(f64::from(self.connections) / rate);
        self.latencies.corrected(interval).permille(permille)
    }
}

impl Sheet {
    /// Measures all contenders: every round visits all with every workload, so that what else
    /// happens on the machine hits all alike.
    pub fn measure(
        contenders: &mut [Box<dyn Contender>],
        plan: &Plan,
        pace: Pace,
    ) -> Result<Sheet, Failure> {
        let mut sheet = Sheet {
            contenders: contenders.iter().map(|contender| Column::of(contender.as_ref())).collect(),
            cells: Vec::new(),
        };
        for &connections in &plan.connections {
            for round in 0..plan.rounds {
                eprintln!("{connections} connections, round {} of {}", round + 1, plan.rounds);
                for &workload in &plan.workloads {
                    // Each round begins with another one: none is always the one after the pause.
                    let number = contenders.len();
                    for place in (0..number).map(|place| (place + round as usize) % number) {
                        let Some(contender) = contenders.get_mut(place) else { continue };
                        let cell = sheet.cell(connections, workload, place, pace)?;
                        cell.add(contender.as_mut(), pace, plan);
                    }
                }
            }
        }
        sheet.cells.retain(|cell| cell.error.is_some() || !cell.rates.is_empty());
        Ok(sheet)
    }

    /// Measures each server once more with the first number of connections, at a fixed rate: this
    /// share of what it reached.
    pub fn measure_fixed(
        &mut self,
        contenders: &mut [Box<dyn Contender>],
        plan: &Plan,
        share: f64,
    ) -> Result<(), Failure> {
        let Some(&connections) = plan.connections.first() else { return Ok(()) };
        eprintln!("{connections} connections at a fixed rate");
        for &workload in &plan.workloads {
            for (place, contender) in contenders.iter_mut().enumerate() {
                let reached = self.find(connections, workload, place, false);
                let reached = reached.filter(|cell| cell.error.is_none()).map(Cell::rate);
                let Some(rate) = reached.filter(|_| contender.role() != Role::Limit) else {
                    continue;
                };
                if rate * share * plan.time.as_secs_f64() < LEAST_REQUESTS {
                    continue;
                }
                let pace = Pace::Fixed(rate * share);
                self.cell(connections, workload, place, pace)?.add(contender.as_mut(), pace, plan);
            }
        }
        Ok(())
    }

    /// A cell, if it was measured.
    pub fn find(
        &self,
        connections: u32,
        workload: Workload,
        contender: usize,
        fixed: bool,
    ) -> Option<&Cell> {
        let place = self.place(connections, workload, contender, fixed)?;
        self.cells.get(place)
    }

    fn place(
        &self,
        connections: u32,
        workload: Workload,
        contender: usize,
        fixed: bool,
    ) -> Option<usize> {
        self.cells.iter().position(|cell| {
            (cell.connections, cell.workload, cell.contender, cell.fixed)
                == (connections, workload, contender, fixed)
        })
    }

    fn cell(
        &mut self,
        connections: u32,
        workload: Workload,
        contender: usize,
        pace: Pace,
    ) -> Result<&mut Cell, Failure> {
        let fixed = pace != Pace::Closed;
        let place = match self.place(connections, workload, contender, fixed) {
            Some(place) => place,
            None => {
                self.cells.push(Cell {
                    connections,
                    workload,
                    contender,
                    fixed,
                    rates: Vec::new(),
                    latencies: Histogram::new(),
                    costs: Vec::new(),
                    error: None,
                });
                self.cells.len() - 1
            }
        };
        self.cells.get_mut(place).ok_or_else(|| "no such cell".into())
    }

    /// How many times the rate of another one the first contender has: the middle one of the ratios
    /// of rounds that came one after the other.
    pub fn ratio(&self, connections: u32, workload: Workload, other: usize) -> Option<f64> {
        let ours = self.find(connections, workload, 0, false)?;
        let theirs = self.find(connections, workload, other, false)?;
        if ours.error.is_some() || theirs.error.is_some() {
            return None;
        }
        let ratios = ours.rates.iter().zip(&theirs.rates).map(|(ours, theirs)| ours / theirs);
        Some(median(&ratios.collect::<Vec<f64>>()))
    }

    /// Whether all that is ours was answered as it should be. What a peer cannot do is its own
    /// affair.
    pub fn is_good(&self) -> bool {
        let ours = |cell: &&Cell| {
            let column = self.contenders.get(cell.contender);
            column.is_some_and(|column| column.role != Role::Peer)
        };
        let measured = self.cells.iter().any(|cell| cell.contender == 0);
        measured && self.cells.iter().filter(ours).all(|cell| cell.error.is_none())
    }
}

impl Column {
    fn of(contender: &dyn Contender) -> Column {
        Column {
            name: contender.name().to_owned(),
            role: contender.role(),
            missing: contender.missing().map(str::to_owned),
        }
    }
}

impl Cell {
    fn add(&mut self, contender: &mut dyn Contender, pace: Pace, plan: &Plan) {
        let skipped = contender.missing().is_some() || !contender.does(self.workload);
        if skipped || self.error.is_some() {
            return;
        }
        match contender.measure(self.workload, self.connections, pace, plan) {
            Ok(Round { rate, latencies, cost }) => {
                self.rates.push(rate);
                self.latencies.merge(&latencies);
                self.costs.push(cost);
            }
            Err(error) => {
                eprintln!("{}, {}: {error}", contender.name(), self.workload.name());
                self.error = Some(error);
            }
        }
    }
}

/// The middle value, or the mean of the two.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2);
    let lower = sorted.get(sorted.len().saturating_sub(1) / 2);
    match (lower, upper) {
        (Some(lower), Some(upper)) => (lower + upper) / 2.0,
        _ => 0.0,
    }
}

#[cfg(test)]
#[path = "sheet_tests.rs"]
mod tests;
