//! The command line.

use crate::{
    compare::{BareOptions, CompareOptions},
    crash::Fault,
    history::Plant,
    load::LoadOptions,
};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Measures Monotable and tries to make it lose data.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Kill the server again and again while it is written to, and check that nothing is lost
    Crash(CrashOptions),
    /// Let the power fail at many places of a run, and check that nothing promised by then is lost
    Power(PowerOptions),
    /// Let every call of the server on its files fail, and check that it refuses and loses nothing
    Faults(FaultsOptions),
    /// Damage files of healthy data directories, and check that no answer is wrong and each damage is named
    Rot(RotOptions),
    /// Race transactions through kills of the server, and check that each is made once or not at all
    Transfers(TransfersOptions),
    /// Write, expire, switch streams and kill the server, and check that streams say what happened
    Streams(StreamsOptions),
    /// Write, note what is there and kill the server, and check that restores give what was noted
    Restores(RestoresOptions),
    /// Record short histories of concurrent clients, and check that an order explains each of them
    History(HistoryOptions),
    /// Send random operations, and check every answer against a model in memory
    Model(ModelOptions),
    /// Send what no good client sends, hold connections, and check that good clients feel little of it
    Abuse(AbuseOptions),
    /// Ask for more than the disk and the memory take, and check what is refused and how the rest fares
    Overload(OverloadOptions),
    /// Measure requests per second and latency of servers that are running
    Load(LoadOptions),
    /// Start Monotable and other servers, and measure them side by side
    Compare(CompareOptions),
    /// Serve fixed answers: what HTTP alone costs
    Bare(BareOptions),
    /// Fill tables of several sizes, and measure how latency and memory grow with them
    Scale(ScaleOptions),
    /// Let very many items expire in the same second, and measure what other requests feel of it
    Expiry(ExpiryOptions),
    /// Restore a large table while it is in use and the server is killed, and measure that
    RestoreScale(RestoreScaleOptions),
    /// Count the instructions of hot operations, and compare with what was recorded
    Guard(GuardOptions),
    /// Export a large table and import it again while the server is in use and killed, and measure that
    TransferScale(TransferScaleOptions),
}

#[derive(Debug, Args)]
pub struct CrashOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many times to write, kill, restart and check; with a planted fault, at most so many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub cycles: u32,

    /// Threads that write at the same time
    #[arg(long, value_name = "W", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub writers: u32,

    /// Faults that the server, a debug build, makes, one after the other; each must be found
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub planted: Vec<Fault>,

    /// Plant every fault there is
    #[arg(long, conflicts_with = "planted")]
    pub planted_all: bool,

    /// Directory for the data and the server's log, kept at the end [default: a temporary one,
    /// kept only if something is wrong]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["planted", "planted_all"])]
    pub data: Option<PathBuf>,

    /// Makes the choices of a campaign repeatable, as far as threads and time allow
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct PowerOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// The library between the server and its files, built from bench/interpose/disk.c
    #[arg(long, value_name = "PATH")]
    pub layer: PathBuf,

    /// How many power losses to recover from
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub cycles: u32,

    /// How many of them to take from one run of the server
    #[arg(long, value_name = "N", default_value_t = 60,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub points: u32,

    /// In so many of a hundred runs large items are written, too, so that the store begins other journals
    #[arg(long, value_name = "PERCENT", default_value_t = 20,
          value_parser = clap::value_parser!(u64).range(0..=100))]
    pub bulk: u64,

    /// How often the server is started in a run
    #[arg(long, value_name = "N", default_value_t = 6,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    pub sessions: u32,

    /// How often one item is written in each of them; 4,096 times have the store write out its memory
    #[arg(long, value_name = "N", default_value_t = 9_000,
          value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub heat: u64,

    /// Clients that write at the same time
    #[arg(long, value_name = "W", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub writers: u32,

    /// Start the server, a debug build, with this fault, and demand that it is found
    #[arg(long, value_name = "NAME")]
    pub planted: Option<String>,

    /// Directory for the data and the server's log, kept at the end [default: a temporary one,
    /// kept only if something is wrong]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// Makes the choices of a campaign repeatable, as far as threads and time allow
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct RotOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many times to damage a file and look
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub damages: u32,

    /// How many directories to look at at a time
    #[arg(long, value_name = "T", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub threads: u32,

    /// Take less time to make the healthy directories, which have fewer tables then
    #[arg(long)]
    pub short: bool,

    /// Give the server this fault of its own (debug builds only), and demand that it is found
    #[arg(long, value_name = "NAME")]
    pub planted: Option<String>,

    /// Directory for the data, kept at the end [default: a temporary one, kept only if something is
    /// wrong]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// Makes the choices of a campaign repeatable
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct FaultsOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// The library between the server and its files, built from bench/interpose/disk.c
    #[arg(long, value_name = "PATH")]
    pub layer: PathBuf,

    /// The disks to begin with: none at all, one that a power loss has torn, one whose tables are merged
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          default_value = "fresh,torn,merging", value_parser = ["fresh", "torn", "merging"])]
    pub scenes: Vec<String>,

    /// Let only every so manieth call fail
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub step: u64,

    /// Let the disk be full after every multiple of so many bytes
    #[arg(long, value_name = "BYTES", default_value_t = 5_000,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub room: u64,

    /// Start the server, a debug build, with this fault, and demand that it is found
    #[arg(long, value_name = "NAME")]
    pub planted: Option<String>,

    /// Directory for the data and the server's log, kept at the end [default: a temporary one,
    /// kept only if something is wrong]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// Decides what is written, and which calls are left out
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct TransfersOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many times to write, kill, restart and check
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub cycles: u32,

    /// Clients that send transactions at the same time
    #[arg(long, value_name = "W", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub writers: u32,

    /// Directory for the data and the server's log, kept at the end [default: a temporary one,
    /// kept only if something is wrong]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// Makes the choices of a campaign repeatable, as far as threads and time allow
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct StreamsOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many times to write, kill, restart and check
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub cycles: u32,

    /// Clients that write at the same time
    #[arg(long, value_name = "W", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub writers: u32,

    /// Directory for the data and the server's log, kept at the end [default: a temporary one,
    /// kept only if something is wrong]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// Makes the choices of a campaign repeatable, as far as threads and time allow
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct RestoresOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many restores to make and compare, at least
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub restores: u64,

    /// How many keys the clients write to
    #[arg(long, value_name = "N", default_value_t = 2_000,
          value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    pub items: u64,

    /// Clients that write at the same time
    #[arg(long, value_name = "W", default_value_t = 4,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub writers: u32,

    /// Clients that restore at the same time
    #[arg(long, value_name = "R", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub restorers: u32,

    /// In so many of a hundred restores in place one of the items is written meanwhile
    #[arg(long, value_name = "PERCENT", default_value_t = 30,
          value_parser = clap::value_parser!(u64).range(0..=100))]
    pub meddle: u64,

    /// Directory for the data and the server's log, kept at the end [default: a temporary one,
    /// kept only if something is wrong]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// Makes the choices of a campaign repeatable, as far as threads and time allow
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct HistoryOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many histories to record; with a planted fault, at most so many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub histories: u64,

    /// In so many of a hundred histories the server is killed
    #[arg(long, value_name = "PERCENT", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(0..=100))]
    pub kills: u64,

    /// Faults to put between clients and server, one after the other; each must be found
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub plant: Vec<Plant>,

    /// Plant every fault there is
    #[arg(long, conflicts_with = "plant")]
    pub plant_all: bool,

    /// Directory for the data and the server's log, kept at the end [default: a temporary one,
    /// kept only if something is wrong]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["plant", "plant_all"])]
    pub data: Option<PathBuf>,

    /// Makes the choices of clients repeatable, as far as threads and time allow
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct ModelOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many operations to send in all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000_000))]
    pub operations: u64,

    /// Clients that send at the same time
    #[arg(long, value_name = "C", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub clients: u32,

    /// Decides the operations of every client
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// Let the server keep its data in memory, which is faster
    #[arg(long)]
    pub memory: bool,
}

#[derive(Debug, Args)]
pub struct AbuseOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many malformed requests to send
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000_000))]
    pub requests: u64,

    /// Clients that send them
    #[arg(long, value_name = "C", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=256))]
    pub clients: u32,

    /// Clients of every manner that hold on to their connections meanwhile
    #[arg(long, value_name = "C", default_value_t = 50)]
    pub crowd: usize,

    /// Connections that are kept and idle
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub idle: usize,

    /// Faults to start the server with, one after the other; each must be found. Needs a debug build
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub plant: Vec<crate::abuse::Plant>,

    /// Plant every fault there is
    #[arg(long, conflicts_with = "plant")]
    pub plant_all: bool,

    /// Directory for the data and the server's log, kept at the end [default: a temporary one,
    /// kept only if something is wrong]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["plant", "plant_all"])]
    pub data: Option<PathBuf>,

    /// Decides what is sent
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct OverloadOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// Clients that write at the same time
    #[arg(long, value_name = "C", default_value_t = 3_000,
          value_parser = clap::value_parser!(u64).range(1..=9_000))]
    pub writers: u64,

    /// Bytes of what they write
    #[arg(long, value_name = "N", default_value_t = 390_000)]
    pub item_bytes: usize,

    /// Clients that read batches of 16 MB at the same time
    #[arg(long, value_name = "C", default_value_t = 300)]
    pub readers: usize,

    /// How long writers and readers go on
    #[arg(long, value_name = "S", default_value_t = 20)]
    pub seconds: u64,

    /// Library that makes syncs slow (bench/interpose/slow_sync.c)
    #[arg(long, value_name = "PATH")]
    pub slow_sync: Option<PathBuf>,

    /// How slow, in milliseconds a sync
    #[arg(long, value_name = "MS", default_value_t = 50)]
    pub sync_ms: u64,

    /// Faults to start the server with, one after the other; each must be found. Needs a debug build
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub plant: Vec<crate::overload::Plant>,

    /// Plant every fault there is
    #[arg(long, conflicts_with = "plant")]
    pub plant_all: bool,

    /// Directory for the data and the server's log, kept at the end [default: a temporary one,
    /// kept only if something is wrong]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["plant", "plant_all"])]
    pub data: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ScaleOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many items to load, one table after the other
    #[arg(long, value_name = "LIST", required = true, value_delimiter = ',',
          value_parser = clap::value_parser!(u64).range(1_000..=1_000_000_000))]
    pub items: Vec<u64>,

    /// Connections that load at the same time
    #[arg(long, value_name = "N", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub connections: u32,

    /// How long to measure one operation
    #[arg(long, value_name = "S", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(1..=600))]
    pub seconds: u32,

    /// Where to put the temporary data; decides which disk is measured [default: the system's]
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExpiryOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many items expire
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
          value_parser = clap::value_parser!(u64).range(1_000..=100_000_000))]
    pub items: u64,

    /// Connections that load at the same time
    #[arg(long, value_name = "N", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub connections: u32,

    /// How long to measure before the items expire and after they are gone
    #[arg(long, value_name = "S", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=600))]
    pub seconds: u32,

    /// How long loading may take; the items expire after that and --seconds [default: a second for
    /// 10,000 items and 20 more]
    #[arg(long, value_name = "S")]
    pub lead: Option<u32>,

    /// Let the table have a stream of new and old images, too
    #[arg(long)]
    pub stream: bool,

    /// Where to put the temporary data; decides which disk is measured [default: the system's]
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RestoreScaleOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many items to load; a tenth of them is changed
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
          value_parser = clap::value_parser!(u64).range(1_000..=100_000_000))]
    pub items: u64,

    /// Connections that load at the same time
    #[arg(long, value_name = "N", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub connections: u32,

    /// How long to measure before the restore
    #[arg(long, value_name = "S", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=600))]
    pub seconds: u32,

    /// Where to put the temporary data; decides which disk is measured [default: the system's]
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct TransferScaleOptions {
    /// The monotable program
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// How many items to load
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
          value_parser = clap::value_parser!(u64).range(1_000..=100_000_000))]
    pub items: u64,

    /// Connections that load at the same time
    #[arg(long, value_name = "N", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub connections: u32,

    /// How long to measure before the export
    #[arg(long, value_name = "S", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=600))]
    pub seconds: u32,

    /// MONOTABLE_PLANTED names a fault for the server to have, which must be found
    #[arg(long)]
    pub planted: bool,

    /// Where to put the temporary data; decides which disk is measured [default: the system's]
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct GuardOptions {
    /// The monotable program, a release build
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,

    /// Where counts are recorded
    #[arg(long, value_name = "FILE")]
    pub file: PathBuf,

    /// Percent more or fewer that pass
    #[arg(long, value_name = "PERCENT", default_value_t = 5)]
    pub tolerance: u64,

    /// Record what is counted
    #[arg(long)]
    pub record: bool,
}
