//! What stands beside Monotable, as the command line says it.

use crate::load::{PlanOptions, Target};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Start Monotable and others, and measure them side by side.
#[derive(Debug, Args)]
pub struct CompareOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// Where `make bench-peers` has put the other servers
    #[arg(long, value_name = "DIR")]
    pub peers: Option<PathBuf>,

    /// What to measure beside Monotable [default: all]
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub beside: Vec<Beside>,

    /// Another server of the API to measure, on this machine and running
    #[arg(long = "peer", value_name = "NAME=URL", value_parser = Target::parse)]
    pub others: Vec<Target>,

    /// Measure latencies at a fixed rate, too: so many percent of what each server reached; 0 to
    /// leave that out
    #[arg(long, value_name = "PERCENT", default_value_t = 50,
          value_parser = clap::value_parser!(u32).range(0..=100))]
    pub share: u32,

    /// Draw the figures as SVG into this file
    #[arg(long, value_name = "FILE", overrides_with = "plot")]
    pub plot: Option<PathBuf>,

    /// Put the tables into this document, between the lines `<!-- bench:begin -->` and
    /// `<!-- bench:end -->`
    #[arg(long, value_name = "FILE")]
    pub write_docs: Option<PathBuf>,

    /// Where to put the temporary data; decides which disk is measured [default: the system's]
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,

    #[command(flatten)]
    pub plan: PlanOptions,
}

/// What can stand beside Monotable with its data on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Beside {
    /// Monotable with its data in memory
    Memory,
    /// dynoxide with a database file
    DynoxideFile,
    /// dynoxide with its data in memory
    DynoxideMemory,
    /// dynalite, which keeps its data in memory by default
    Dynalite,
    /// moto, which keeps its data in memory
    Moto,
    /// A bare HTTP server that answers the same bytes
    Bare,
    /// The store alone: the same writes committed without HTTP
    Commits,
}

/// Answer every request with the same bytes: what HTTP alone costs.
#[derive(Debug, Args)]
pub struct BareOptions {
    /// A JSON object with the body of the answer for each operation; others are answered with `{}`
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,

    /// The port to listen on; 0 for one that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
}
