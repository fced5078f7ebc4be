//! What is measured and how, as the command line says it.

use super::{Target, Workload};
use clap::Args;
use std::{path::PathBuf, time::Duration};

/// Measure servers that are running.
#[derive(Debug, Args)]
pub struct LoadOptions {
    /// A server to measure, on this machine; the first is the one others are held against
    #[arg(long = "target", value_name = "NAME=URL", required = true,
          value_parser = Target::parse)]
    pub targets: Vec<Target>,

    /// Send so many requests a second, whatever is answered, instead of waiting for answers
    #[arg(long, value_name = "N")]
    pub rate: Option<f64>,

    #[command(flatten)]
    pub plan: PlanOptions,
}

/// What is measured and for how long.
#[derive(Debug, Args)]
pub struct PlanOptions {
    /// Connections at once, each with one request under way; several numbers are measured one
    /// after the other
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "16,64",
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub connections: Vec<u32>,

    /// How long to measure one workload on one server in one round
    #[arg(long, value_name = "S", default_value = "1", value_parser = seconds)]
    pub seconds: Duration,

    /// How often to go round all servers
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: u32,

    /// Bytes of an item's longest attribute
    #[arg(long, value_name = "N", default_value_t = 200,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub item_bytes: u32,

    /// How many items there are; rounded to tens
    #[arg(long, value_name = "N", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    pub keys: u32,

    /// What to measure [default: all]
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub workloads: Vec<Workload>,

    /// Measure the first server with a second table, too, which has a stream of new and old images
    #[arg(long)]
    pub stream: bool,

    /// The same with a table that has point-in-time recovery on; `compare` also measures the room
    /// that both take on the disk
    #[arg(long)]
    pub recovery: bool,

    /// Write all figures to this file, also those of each round
    #[arg(long, value_name = "FILE", overrides_with = "json")]
    pub json: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("'{text}' is not a number"))?;
    if (0.05..=600.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("between 0.05 and 600".to_owned())
    }
}

/// How to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Connections at once, one number after the other.
    pub connections: Vec<u32>,
    /// How long one measurement takes.
    pub time: Duration,
    /// How often each is repeated.
    pub rounds: u32,
    /// Bytes of an item's longest attribute.
    pub item_bytes: usize,
    /// Items there are: a multiple of ten.
    pub keys: u64,
    /// What to measure.
    pub workloads: Vec<Workload>,
}

impl From<&PlanOptions> for Plan {
    fn from(options: &PlanOptions) -> Plan {
        let all = options.workloads.is_empty();
        Plan {
            connections: options.connections.clone(),
            time: options.seconds,
            rounds: options.rounds,
            item_bytes: options.item_bytes as usize,
            keys: u64::from(options.keys / 10 * 10),
            workloads: if all { Workload::ALL.to_vec() } else { options.workloads.clone() },
        }
    }
}
