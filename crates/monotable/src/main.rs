//! The `monotable` program.

mod banner;
mod cli;
mod client;
mod columns;
mod ending;
mod export;
mod files;
mod history;
mod import;
mod interrupt;
mod line;
mod logs;
mod meter;
mod output;
mod partiql;
mod restore;
mod serve;
mod settings;
mod since;
mod stream;
mod table_key;
mod verify;

use clap::Parser;
use cli::{Cli, Command};
use ending::Ending;
use std::process::ExitCode;

/// Gives memory back where the system's allocator keeps it: blocks of the cache and entries of
/// memory tables come and go in millions, from all threads.
#[cfg(all(unix, not(target_env = "musl")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The exit status of a program that was interrupted, as shells have it.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Serve(options) => serve::run(options),
        Command::Partiql(options) => partiql::run(options),
        Command::Stream(command) => stream::run(command),
        Command::Restore(options) => restore::run(&options),
        Command::History(options) => history::run(&options),
        Command::Export(options) => export::run(&options).map_err(Into::into),
        Command::Import(options) => import::run(&options).map_err(Into::into),
        Command::Verify(options) => return verify::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("monotable: {error}");
            match error.downcast_ref::<Ending>() {
                Some(ending) => ExitCode::from(ending.status()),
                None if restore::is_interrupted(&*error) => ExitCode::from(INTERRUPTED),
                None => ExitCode::FAILURE,
            }
        }
    }
}
