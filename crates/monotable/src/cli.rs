//! The command line.

use crate::{
    export::ExportOptions, history::HistoryOptions, import::ImportOptions, partiql::PartiqlOptions,
    restore::RestoreOptions, stream::StreamCommand, verify::VerifyOptions,
};
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Deserialize;
use std::{net::IpAddr, path::PathBuf};

/// A database that speaks the DynamoDB API and understands single-table design.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the DynamoDB API
    ///
    /// Settings come from flags, then from environment variables, then from the file that
    /// --config names, then from the defaults. The file is TOML with the same names:
    /// port = 8000, data = "/var/lib/monotable", durability = "sync".
    Serve(ServeOptions),

    /// Run a PartiQL statement on a running server
    ///
    /// Prints what the statement gives as a table, all pages of it.
    Partiql(PartiqlOptions),

    /// Look at the stream of a table on a running server
    #[command(subcommand)]
    Stream(StreamCommand),

    /// Make items of a table on a running server what they were at an earlier moment
    ///
    /// All of --where, --pk-prefix and --keys that are given must hold; with none of them the whole
    /// table is meant. The server does the work; this waits for it and shows how far it is.
    Restore(RestoreOptions),

    /// Show the versions of an item on a running server, newest first
    History(HistoryOptions),

    /// Write the items of a table on a running server to a file
    ///
    /// Without --at each item is as it is at the moment when it is read, and those moments differ
    /// while somebody writes. With --at all of them are as they were at one moment.
    ///
    /// The file is there once it is whole; until then there is FILE.part. An export that was
    /// interrupted goes on when the same command is given again.
    Export(ExportOptions),

    /// Put the items of files into a table on a running server
    ///
    /// An item that is there already is replaced. So an import may be repeated, and one that was
    /// interrupted goes on when the same command is given again.
    Import(ImportOptions),

    /// Look at a data directory that no server uses, and say what is wrong with it
    ///
    /// Nothing is changed. First every file is compared with its checksums; then it is checked that
    /// indexes, counters and expiries follow from the items, that the change log is complete, and that
    /// everything belongs to something. Ends with 0 if all is well, with 1 if something is wrong, with
    /// 2 if the directory cannot be looked at.
    Verify(VerifyOptions),
}

/// The settings of `serve` as one source gives them: absent ones are for the next source.
#[derive(Debug, Default, Args, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ServeOptions {
    /// Address to listen on [default: 127.0.0.1]
    #[arg(long, value_name = "ADDRESS", env = "MONOTABLE_HOST")]
    pub host: Option<IpAddr>,

    /// Port to listen on; 0 takes a free one [default: 8000]
    #[arg(long, short, value_name = "PORT", env = "MONOTABLE_PORT")]
    pub port: Option<u16>,

    /// Directory that holds the data [default: monotable in the user's data directory]
    #[arg(long, short, value_name = "DIR", env = "MONOTABLE_DATA")]
    pub data: Option<PathBuf>,

    /// Keep everything in memory; nothing is left when the server stops
    #[arg(
        long,
        env = "MONOTABLE_MEMORY",
        num_args = 0..=1,
        default_missing_value = "true",
        require_equals = true,
        value_name = "BOOL",
        hide_possible_values = true
    )]
    pub memory: Option<bool>,

    /// When a write is acknowledged [default: sync]
    #[arg(long, value_name = "WHEN", env = "MONOTABLE_DURABILITY")]
    pub durability: Option<DurabilityOption>,

    /// Megabytes of memory for data read from the disk [default: 160]
    #[arg(long, value_name = "MB", env = "MONOTABLE_CACHE_MB")]
    pub cache_mb: Option<u64>,

    /// How long tables stay CREATING, UPDATING and DELETING, such as 500ms or 2s [default: 0s]
    #[arg(long, value_name = "TIME", env = "MONOTABLE_TABLE_DELAY")]
    pub table_delay: Option<String>,

    /// How late reads are that are not strongly consistent, to test programs with [default: 0s]
    #[arg(long, value_name = "TIME", env = "MONOTABLE_GSI_LAG")]
    pub gsi_lag: Option<String>,

    /// The most bytes of an item collection in a table with local indexes [default: 10 GB]
    #[arg(long, value_name = "BYTES", env = "MONOTABLE_COLLECTION_LIMIT")]
    pub collection_limit: Option<u64>,

    /// How many shards a stream has at a time [default: 1]
    #[arg(
        long,
        value_name = "NUMBER",
        env = "MONOTABLE_STREAM_SHARDS",
        value_parser = clap::value_parser!(u16).range(1..=1000)
    )]
    pub stream_shards: Option<u16>,

    /// How long a shard of a stream takes records before others follow it [default: 4h]
    #[arg(long, value_name = "TIME", env = "MONOTABLE_SHARD_AGE")]
    pub shard_age: Option<String>,

    /// How long items stay after their time to live has ended [default: 0s]
    #[arg(long, value_name = "TIME", env = "MONOTABLE_TTL_DELAY")]
    pub ttl_delay: Option<String>,

    /// Server that speaks S3's protocol, for exports and imports, such as http://127.0.0.1:9000
    #[arg(long, value_name = "URL", env = "MONOTABLE_S3_ENDPOINT")]
    pub s3_endpoint: Option<String>,

    /// Region that requests to it are signed for [default: us-east-1]
    #[arg(long, value_name = "REGION", env = "MONOTABLE_S3_REGION")]
    pub s3_region: Option<String>,

    /// Access key for it
    #[arg(long, value_name = "KEY", env = "MONOTABLE_S3_ACCESS_KEY")]
    pub s3_access_key: Option<String>,

    /// Secret key for it; better given by the environment or the file
    #[arg(long, value_name = "KEY", env = "MONOTABLE_S3_SECRET_KEY", hide_env_values = true)]
    pub s3_secret_key: Option<String>,

    /// Directory for exports and imports in the place of S3; its subdirectories are the buckets
    #[arg(long, value_name = "DIR", env = "MONOTABLE_STORAGE_DIR")]
    pub storage_dir: Option<PathBuf>,

    /// How long clients may be silent within a request, and take for their answers [default: 60s]
    #[arg(long, value_name = "TIME", env = "MONOTABLE_CLIENT_PATIENCE")]
    pub client_patience: Option<String>,

    /// Accept requests from other machines without checking their credentials
    #[arg(
        long,
        env = "MONOTABLE_NO_AUTH",
        num_args = 0..=1,
        default_missing_value = "true",
        require_equals = true,
        value_name = "BOOL",
        hide_possible_values = true
    )]
    pub no_auth: Option<bool>,

    /// What to log: error, warn, info, debug, trace, or a filter such as
    /// info,monotable_server=debug [default: info]
    #[arg(long, value_name = "FILTER", env = "MONOTABLE_LOG")]
    pub log: Option<String>,

    /// How to log [default: text]
    #[arg(long, value_name = "FORMAT", env = "MONOTABLE_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,

    /// TOML file with settings
    #[arg(long, short, value_name = "FILE", env = "MONOTABLE_CONFIG")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DurabilityOption {
    /// Once it is on the disk: survives a power cut
    Sync,
    /// Once the operating system has it: survives a crash of the server, not of the machine
    Os,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}
