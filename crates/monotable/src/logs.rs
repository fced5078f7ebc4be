//! Logs, on standard error.

use crate::cli::LogFormat;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// A filter that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("'{filter}' is no log filter: {source}")]
pub struct FilterError {
    filter: String,
    source: tracing_subscriber::filter::ParseError,
}

/// Starts logging.
pub fn start(filter: &str, format: LogFormat) -> Result<(), FilterError> {
    // The storage engine tells at `info` what only its developers can use. HTTP/2 tells of every
    // client that misuses it, who could fill the disk with that.
    let directives = format!("fjall=warn,lsm_tree=warn,h2=error,{filter}");
    let filter = EnvFilter::try_new(directives)
        .map_err(|source| FilterError { filter: filter.to_owned(), source })?;
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => subscriber.init(),
        LogFormat::Json => subscriber.json().flatten_event(true).init(),
    }
    Ok(())
}
