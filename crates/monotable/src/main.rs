//! The `monotable` program.

mod banner;
mod cli;
mod client;
mod line;
mod logs;
mod output;
mod partiql;
mod serve;
mod settings;
mod since;
mod stream;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

/// Gives memory back where the system's allocator keeps it: blocks of the cache and entries of
/// memory tables come and go in millions, from all threads.
#[cfg(all(unix, not(target_env = "musl")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Serve(options) => serve::run(options),
        Command::Partiql(options) => partiql::run(options),
        Command::Stream(command) => stream::run(command),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("monotable: {error}");
            ExitCode::FAILURE
        }
    }
}
