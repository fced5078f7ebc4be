//! `monotable stream`: commands that look at the streams of tables on a running server.

mod changes;
mod line;
mod output;
mod reader;
mod record;
mod since;
mod source;
mod tail;
mod value;

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
