//! The campaign of bit rot: a file of a healthy data directory is damaged, thousands of times. Whatever a
//! server then says must be right, or a refusal that names the damage; and `monotable verify` must find it.

mod campaign;
mod copies;
mod harm;
mod judge;
mod originals;
mod server;
mod truth;

use crate::{Failure, cli::RotOptions};
use campaign::Campaign;
use originals::Originals;
use server::Program;
use tempfile::TempDir;

/// Runs a campaign; false if anything is wrong, or if a planted fault is not found.
pub fn run(options: RotOptions) -> Result<bool, Failure> {
    let temporary = match &options.data {
        Some(_) => None,
        None => Some(tempfile::Builder::new().prefix("rot-").tempdir()?),
    };
    let place = match (&options.data, &temporary) {
        (Some(given), _) => given.clone(),
        (None, Some(temporary)) => temporary.path().to_owned(),
        (None, None) => return Err("no directory".into()),
    };
    std::fs::create_dir_all(&place)?;
    let program = Program { path: options.server.clone(), planted: options.planted.clone() };
    let originals = Originals::make(&program, &place, options.short)?;
    println!("{originals}");
    let mut campaign = Campaign::new(&options, &program, &originals, &place);
    let healthy = campaign.check_originals()?;
    if healthy || options.planted.is_none() {
        campaign.run();
    }
    let violations = campaign.violations();
    println!("{}", campaign.tally());
    println!("rot: {} damages, {} violations", campaign.damages(), violations.len());
    if let Some(planted) = &options.planted {
        let found = !violations.is_empty();
        println!("planted {planted}: {}", if found { "found" } else { "NOT FOUND" });
        return Ok(found);
    }
    if !violations.is_empty() {
        keep(temporary);
    }
    Ok(violations.is_empty())
}

/// Leaves the directory for a closer look.
fn keep(temporary: Option<TempDir>) {
    if let Some(temporary) = temporary {
        println!("the data stays in {}", temporary.keep().display());
    }
}
