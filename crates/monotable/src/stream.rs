//! `monotable stream`: commands that look at the streams of tables on a running server.

mod line;
mod reader;
mod record;
mod source;
mod tail;

use clap::Subcommand;
use std::error::Error;

/// The commands of `stream`.
#[derive(Debug, Subcommand)]
pub enum StreamCommand {
    /// Print the changes of a table as they happen
    ///
    /// Begins with what changes from now on, and goes on until it is stopped. The table must
    /// have a stream.
    Tail(tail::TailOptions),
}

/// Runs one of them.
pub fn run(command: StreamCommand) -> Result<(), Box<dyn Error>> {
    match command {
        StreamCommand::Tail(options) => tail::run(&options),
    }
}
