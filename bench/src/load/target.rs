//! A server that is measured through its API.

use super::{
    Contender, Extra, Plan, Workload,
    generator::{Pace, Round, Setting, measure},
    script::Script,
    table::open,
};
use crate::{dynamo::Refusal, http::Endpoint};
use std::collections::HashMap;

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

/// One answer for each operation of each workload.
pub type Answers = HashMap<(Workload, &'static str), Vec<u8>>;

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

    /// The same server with a table that has more.
    pub fn with(&self, extra: Extra) -> Target {
        let name = format!("{} {}", self.name, extra.name());
        Target { name, endpoint: self.endpoint.clone(), extra }
    }

    /// The name of the table that is measured.
    pub fn table(&self) -> &'static str {
        match self.extra {
            Extra::Nothing => "bench",
            Extra::Stream => "bench-stream",
            Extra::Recovery => "bench-recovery",
        }
    }

    /// Sends each request of a workload once, and looks at the whole answer.
    pub fn probe(&self, workload: Workload, plan: &Plan) -> Result<Answers, String> {
        let mut connection = open(self)?;
        let mut script = Script::new(workload, &self.endpoint, self.table(), plan);
        let mut answers = Answers::new();
        for &(_, kind) in workload.kinds() {
            let answer = connection.call(kind.operation(), script.body(kind));
            let answer = answer.map_err(|error| error.to_string())?;
            if answer.status != 200 {
                return Err(Refusal::read(answer.status, answer.body).to_string());
            }
            let value = serde_json::from_slice(answer.body);
            kind.check(&value.map_err(|_| "an answer that is not JSON")?, plan.keys)?;
            answers.insert((workload, kind.operation()), answer.body.to_vec());
        }
        Ok(answers)
    }

    /// Measures one workload.
    pub fn measure(
        &self,
        workload: Workload,
        connections: u32,
        pace: Pace,
        plan: &Plan,
    ) -> Result<Round, String> {
        self.probe(workload, plan)?;
        let mut script = Script::new(workload, &self.endpoint, self.table(), plan);
        let setting = Setting { connections, pace, time: plan.time, item_bytes: plan.item_bytes };
        measure(&mut script, &self.endpoint, setting)
    }
}

impl Contender for Target {
    fn name(&self) -> &str {
        &self.name
    }

    fn measure(
        &mut self,
        workload: Workload,
        connections: u32,
        pace: Pace,
        plan: &Plan,
    ) -> Result<Round, String> {
        Target::measure(self, workload, connections, pace, plan)
    }
}
