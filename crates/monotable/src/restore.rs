//! `monotable restore`: items of a table on a running server become what they were.

mod begin;
mod description;
mod error;
mod keys;
mod preview;
mod progress;
mod report;
mod wait;

pub(crate) use description::{Image, moment, plural};
pub(crate) use error::instead;

use crate::{
    client::{Client, EndpointOption},
    line::Look,
    output,
    table_key::{TableKey, item_count},
};
use begin::Request;
use clap::{ArgGroup, Args};
use description::{Goal, Restore, Status};
use error::RestoreError;
use serde::Deserialize;
use serde_json::json;
use std::{
    error::Error,
    io::{self, BufRead, IsTerminal, Write},
    path::PathBuf,
};

/// The options of `restore`.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group(
    ArgGroup::new("goal")
        .args(["into", "in_place", "dry_run", "list", "watch"])
        .multiple(true)
        .required(true)
))]
pub struct RestoreOptions {
    /// The table
    #[arg(value_name = "TABLE", required_unless_present_any = ["list", "watch"])]
    table: Option<String>,

    /// The moment to go back to: how long ago (10m, 1h30m, 2d), or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", required_unless_present_any = ["list", "watch"])]
    to: Option<String>,

    /// Only items for which this holds, as in the WHERE of PartiQL: "begins_with(SK, 'TXN#')"
    #[arg(long = "where", value_name = "CONDITION", allow_hyphen_values = true)]
    condition: Option<String>,

    /// Only items whose partition key begins with this
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pk_prefix: Option<String>,

    /// Only these items: a file with a key a line, as JSON: {"PK": "a", "SK": "b"}
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,

    /// Restore into a new table of this name
    #[arg(long, value_name = "NAME", conflicts_with = "in_place")]
    into: Option<String>,

    /// Restore back into the table
    #[arg(long)]
    in_place: bool,

    /// Only show what would change
    #[arg(long)]
    dry_run: bool,

    /// Do not show what would change and do not ask
    #[arg(long, short)]
    yes: bool,

    /// Do not wait for the end
    #[arg(long)]
    no_wait: bool,

    /// Print the description of the restore as JSON
    #[arg(long)]
    json: bool,

    /// Do not shorten lines to the width of the terminal
    #[arg(long)]
    full: bool,

    /// List the restores that the server knows
    #[arg(
        long,
        conflicts_with_all = ["table", "to", "condition", "pk_prefix", "keys", "into", "in_place",
                              "dry_run", "yes", "no_wait", "watch"]
    )]
    list: bool,

    /// Wait for the end of a restore that has begun
    #[arg(
        long,
        value_name = "ID",
        conflicts_with_all = ["table", "to", "condition", "pk_prefix", "keys", "into", "in_place",
                              "dry_run", "yes", "no_wait"]
    )]
    watch: Option<String>,

    #[command(flatten)]
    endpoint: EndpointOption,
}

/// Whether waiting for a restore was interrupted.
pub fn is_interrupted(error: &(dyn Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(RestoreError::Interrupted { .. }))
}

/// Restores, or looks at restores.
pub fn run(options: &RestoreOptions) -> Result<(), Box<dyn Error>> {
    if options.list {
        list(options)?;
    } else if let Some(id) = &options.watch {
        finish(options, wait::until_over(options.endpoint.client()?, id, &options.endpoint)?)?;
    } else {
        restore(options)?;
    }
    Ok(())
}

fn restore(options: &RestoreOptions) -> Result<(), RestoreError> {
    let must_ask = options.in_place && !options.dry_run && !options.yes;
    let can_ask = io::stdin().is_terminal() && io::stdout().is_terminal() && !options.json;
    if must_ask && !can_ask {
        return Err(RestoreError::MustNotAsk);
    }
    let (table, request) = begin::request(options)?;
    if must_ask && !agreed(options, &table, &request)? {
        return Ok(());
    }
    // Somebody may have thought about the question for longer than a connection is kept.
    let mut client = options.endpoint.client()?;
    let id = request.begin(&mut client, options)?;
    if options.no_wait {
        let begun = wait::describe(&mut client, &id)?;
        if options.json {
            return print(&format!("{}\n", begun.json));
        }
        return print(&report::begun(&begun.is, &options.endpoint.flag()));
    }
    finish(options, wait::until_over(client, &id, &options.endpoint)?)
}

/// Shows what would change and asks whether it shall.
fn agreed(
    options: &RestoreOptions,
    table: &TableKey,
    request: &Request,
) -> Result<bool, RestoreError> {
    let mut client = options.endpoint.client()?;
    let id = request.preview().begin(&mut client, options)?;
    let shown = wait::until_over(client, &id, &options.endpoint)?.is;
    if let Some(reason) = shown.failure() {
        return Err(reason);
    }
    print(&preview::text(&shown, &Look::of_output(table.names(), options.full), None))?;
    if shown.items_written == 0 {
        return Ok(false);
    }
    print(&format!("Put back {}? [y/N] ", plural(shown.items_written, "item")))?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(true),
        _ => Err(RestoreError::Declined),
    }
}

/// Says how a restore has ended.
fn finish(options: &RestoreOptions, restore: Restore) -> Result<(), RestoreError> {
    let Restore { json, is } = restore;
    if options.json {
        print(&format!("{json}\n"))?;
    }
    if let Some(reason) = is.failure() {
        return Err(reason);
    }
    if options.json {
        return Ok(());
    }
    let mut client = options.endpoint.client()?;
    let text = match is.goal() {
        Goal::Preview => {
            let names = key_names(&mut client, is.table_name.as_deref().unwrap_or_default());
            let look = Look::of_output(names, options.full);
            let text = preview::text(&is, &look, options.into.as_deref());
            format!("{text}Nothing has been written.\n")
        }
        Goal::InPlace => report::put_back(&is),
        // The table may have been deleted meanwhile.
        Goal::Into(table) => report::restored_into(&is, item_count(&mut client, table).ok()),
    };
    print(&text)
}

/// The names of a key; none if the table is not there any more.
fn key_names(client: &mut Client, table: &str) -> Vec<String> {
    TableKey::find(client, table).map(|table| table.names()).unwrap_or_default()
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListAnswer {
    #[serde(default)]
    restores: Vec<Restore>,
}

fn list(options: &RestoreOptions) -> Result<(), RestoreError> {
    let mut client = options.endpoint.client()?;
    let answer: ListAnswer = client.call("ListRestores", &json!({}))?;
    if options.json {
        let lines = answer.restores.iter().map(|restore| format!("{}\n", restore.json));
        return print(&lines.collect::<String>());
    }
    if answer.restores.is_empty() {
        output::note("there are no restores; they are forgotten a week after their end");
        return Ok(());
    }
    print(&report::list(answer.restores.iter().map(|restore| &restore.is)))
}

/// Prints. Whoever reads this may have seen enough.
fn print(text: &str) -> Result<(), RestoreError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => Ok(outcome?),
    }
}
