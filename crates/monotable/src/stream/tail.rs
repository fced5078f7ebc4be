//! `monotable stream tail`: prints the changes of a table as they happen.

use super::{
    line::line,
    reader::{Next, Reader},
    record::Record,
    source::{Description, Live, Place, Source, TailError},
};
use crate::{
    client::{Client, EndpointOption},
    line::{Event, Look},
    output, since,
};
use clap::Args;
use serde::Deserialize;
use serde_json::json;
use std::{
    error::Error,
    io::{self, ErrorKind, IsTerminal, Write},
    time::SystemTime,
};

/// The options of `stream tail`.
#[derive(Debug, Args)]
pub(crate) struct TailOptions {
    /// The table
    #[arg(value_name = "TABLE", required_unless_present = "stream")]
    table: Option<String>,

    /// Begin with the oldest record there is, which is up to 24 hours old
    #[arg(long)]
    from_start: bool,

    /// Begin with what has changed since then: 10m, 1h30m, or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", conflicts_with = "from_start")]
    since: Option<String>,

    /// Stop when everything there is has been printed; without --since it is printed from the
    /// start
    #[arg(long)]
    once: bool,

    /// Stop after that many records
    #[arg(long, short, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Print only these: insert, modify, remove, or several with commas
    #[arg(long, value_name = "EVENTS", value_delimiter = ',', hide_possible_values = true)]
    event: Vec<Event>,

    /// Print records as the Streams API gives them, one JSON object a line
    #[arg(long, conflicts_with = "full")]
    json: bool,

    /// Do not shorten lines to the width of the terminal
    #[arg(long)]
    full: bool,

    /// Print without colours; so does NO_COLOR, or output that is no terminal
    #[arg(long)]
    no_color: bool,

    /// The ARN of the stream [default: the table's latest]
    #[arg(long, value_name = "ARN")]
    stream: Option<String>,

    #[command(flatten)]
    endpoint: EndpointOption,
}

/// Prints until there is nothing more to print.
pub(super) fn run(options: &TailOptions) -> Result<(), Box<dyn Error>> {
    let start = match &options.since {
        Some(text) => Place::At(since::parse(text, SystemTime::now())?),
        None if options.from_start || options.once => Place::Horizon,
        None => Place::Latest,
    };
    match tail(options, start) {
        // Whoever read this has seen enough.
        Err(TailError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => Ok(outcome?),
    }
}

fn tail(options: &TailOptions, start: Place) -> Result<(), TailError> {
    let (source, described) = find(options)?;
    if io::stdout().is_terminal() && !options.json && !options.once {
        output::note(&greeting(&described, &start));
    }
    let from_now_on = start == Place::Latest;
    let mut reader = Reader::new(source, &described, start, options.once);
    let mut printer = Printer::new(options, &described);
    loop {
        let (records, next) = reader.round()?;
        if printer.print(&records)? {
            return Ok(());
        }
        match next {
            Next::Again(wait) if wait.is_zero() => {}
            Next::Again(wait) => output::pause(wait)?,
            Next::Complete => return Ok(()),
            Next::Disabled => {
                let hint = if from_now_on && printer.printed == 0 {
                    "nothing more will come; --from-start prints what it still has"
                } else {
                    "all of it has been printed"
                };
                output::note(&format!(
                    "the stream {} of '{}' is disabled: {hint}",
                    described.stream_label, described.table_name
                ));
                return Ok(());
            }
        }
    }
}

fn greeting(described: &Description, start: &Place) -> String {
    let keys = described.key_schema.iter().map(|key| key.attribute_name.as_str());
    let keys = keys.collect::<Vec<_>>().join(" / ");
    let view = match described.stream_view_type.as_str() {
        "NEW_AND_OLD_IMAGES" => String::new(),
        partial => format!(", {partial}"),
    };
    let start = if *start == Place::Latest { " from now on" } else { "" };
    format!("changes of '{}' ({keys}{view}){start}; Ctrl-C ends", described.table_name)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TableAnswer {
    table: TableDescription,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TableDescription {
    latest_stream_arn: Option<String>,
}

/// The stream that is asked for. A server that cannot be reached at this point is not waited for.
fn find(options: &TailOptions) -> Result<(Live, Description), TailError> {
    let mut client = options.endpoint.client()?;
    let table = options.table.clone().unwrap_or_default();
    let url = options.endpoint.url().to_owned();
    let no_stream = || TailError::NoStream { table: table.clone(), url: url.clone() };
    let arn = match &options.stream {
        Some(arn) => arn.clone(),
        None => latest(&mut client, &table)?.ok_or_else(no_stream)?,
    };
    let mut source = Live::new(client, arn.clone());
    let described = match source.describe() {
        // What is left of a disabled stream is removed after a day; the table still names it.
        Err(TailError::Call(error))
            if options.stream.is_none() && error.is("ResourceNotFoundException") =>
        {
            return Err(no_stream());
        }
        described => described?,
    };
    if let Some(given) = options.table.clone().filter(|given| *given != described.table_name) {
        let found = described.table_name;
        return Err(TailError::OtherTable { arn, found, given });
    }
    Ok((source.with_patience(!options.once), described))
}

fn latest(client: &mut Client, table: &str) -> Result<Option<String>, TailError> {
    let answer: TableAnswer = client.call("DescribeTable", &json!({ "TableName": table }))?;
    Ok(answer.table.latest_stream_arn)
}

/// Prints records to standard output.
struct Printer<'o> {
    options: &'o TailOptions,
    look: Look,
    printed: u64,
}

impl<'o> Printer<'o> {
    fn new(options: &'o TailOptions, described: &Description) -> Printer<'o> {
        let key = described.key_schema.iter().map(|key| key.attribute_name.clone()).collect();
        let look = Look::of_output(key, options.full);
        let colour = look.colour && !options.no_color;
        Printer { options, look: Look { colour, ..look }, printed: 0 }
    }

    /// Prints those that are wanted; says whether these were enough.
    fn print(&mut self, records: &[Record]) -> Result<bool, TailError> {
        let TailOptions { event, limit, json, full, .. } = self.options;
        // The terminal may be made wider at any time.
        self.look.width = if *full { None } else { output::width() };
        let mut out = io::BufWriter::new(io::stdout().lock());
        let wanted =
            records.iter().filter(|record| event.is_empty() || event.contains(&record.event));
        for record in wanted {
            if *json {
                writeln!(out, "{}", record.json)?;
            } else {
                writeln!(out, "{}", line(record, &self.look))?;
            }
            self.printed += 1;
            if limit.is_some_and(|limit| self.printed >= limit) {
                break;
            }
        }
        out.flush()?;
        Ok(limit.is_some_and(|limit| self.printed >= limit))
    }
}
