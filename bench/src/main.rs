//! Measures Monotable, tries to make it lose data and holds its answers against a model. It knows the server only from outside: as a
//! program to start and kill, and as an HTTP endpoint. Only what a commit costs is measured on the store itself.

mod abuse;
mod changes;
mod cli;
mod compare;
mod crash;
mod disk;
mod drive;
mod dynamo;
mod expiry;
mod faults;
mod good;
mod guard;
mod histogram;
mod history;
mod http;
mod ledger;
mod load;
mod model;
mod monotable;
mod outage;
mod overload;
mod power;
mod process;
mod random;
mod restore_scale;
mod restores;
mod rot;
mod scale;
mod streams;
mod transfer_scale;
mod transfers;
mod watched;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

/// The server's allocator, for what is held against the server.
#[cfg(all(unix, not(target_env = "musl")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Why a command could not do its work, in words for the person who started it.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Abuse(options) => abuse::run(options),
        Command::Overload(options) => overload::run(options),
        Command::Crash(options) => crash::run(options),
        Command::Power(options) => power::run(options),
        Command::Faults(options) => faults::run(options),
        Command::Transfers(options) => transfers::run(options),
        Command::Streams(options) => streams::run(options),
        Command::Restores(options) => restores::run(options),
        Command::Rot(options) => rot::run(options),
        Command::History(options) => history::run(options),
        Command::Model(options) => model::run(options),
        Command::Load(options) => load::run(options),
        Command::Compare(options) => compare::run(options),
        Command::Bare(options) => compare::serve_bare(&options),
        Command::Scale(options) => scale::run(options),
        Command::Expiry(options) => expiry::run(options),
        Command::RestoreScale(options) => restore_scale::run(options),
        Command::Guard(options) => guard::run(options),
        Command::TransferScale(options) => transfer_scale::run(options),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("monotable-bench: {failure}");
            ExitCode::FAILURE
        }
    }
}
