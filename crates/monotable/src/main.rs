//! The `monotable` program.

mod banner;
mod cli;
mod logs;
mod partiql;
mod serve;
mod settings;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Serve(options) => serve::run(options),
        Command::Partiql(options) => partiql::run(options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("monotable: {error}");
            ExitCode::FAILURE
        }
    }
}
