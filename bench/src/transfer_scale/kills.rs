//! The same once more, with a kill -9 in the middle of each.

use super::{
    Scene,
    files::{self, is_summed_up},
    table,
    transfer::{self, End, Transfer},
};
use crate::{Failure, monotable::Monotable};
use std::{
    thread,
    time::{Duration, Instant},
};

/// How often to try until a kill comes in the middle.
const TURNS: u32 = 8;
/// A kill earlier than this comes before anything was done.
const SOONEST: Duration = Duration::from_millis(30);

/// Exports, kills, and says what is wrong; gives the export.
pub fn export(
    scene: &Scene<'_>,
    server: &mut Monotable,
    moment: f64,
    usual: Duration,
    wrong: &mut Vec<String>,
) -> Result<Transfer, Failure> {
    let begin = |server: &Monotable, _| transfer::export(&server.endpoint, moment);
    let folder = |export: &Transfer| files::folder(scene.storage(), &export.arn);
    let killed = |export: &Transfer, wrong: &mut Vec<String>| {
        // It may have come to that between the look and the kill.
        let folder = folder(export);
        let is_whole = || files::listed(&folder).is_ok_and(|files| files.items == scene.items);
        if is_summed_up(&folder) && !is_whole() {
            wrong.push("an export that was killed has a summary and is not whole".to_owned());
        }
    };
    let (export, end) = in_the_middle(scene, server, usual, wrong, begin, killed)?;
    let files = files::listed(&folder(&export))?;
    if !end.completed || !is_summed_up(&folder(&export)) || files.items != scene.items {
        wrong.push(format!("a killed export ended as {}, with {files:?}", end.description));
    }
    println!("a killed export was carried on and is whole");
    Ok(export)
}

/// Imports, kills, and says what is wrong.
pub fn import(
    scene: &Scene<'_>,
    server: &mut Monotable,
    export: &Transfer,
    usual: Duration,
    wrong: &mut Vec<String>,
) -> Result<(), Failure> {
    let name = |turn: u32| format!("killed-{turn}");
    let mut last = 0;
    let begin = |server: &Monotable, turn| {
        last = turn;
        transfer::import(&server.endpoint, export, &name(turn))
    };
    let (_, end) = in_the_middle(scene, server, usual, wrong, begin, |_, _| {})?;
    if !end.completed || end.count("ImportedItemCount") != scene.items {
        wrong.push(format!("a killed import ended as {}", end.description));
    }
    let found = table::read(&server.endpoint, &name(last))?;
    if found != table::wanted(scene.items)? {
        wrong.push(format!("a killed import left other items: {found:?}"));
    }
    println!("a killed import was carried on and is whole");
    Ok(())
}

fn in_the_middle(
    scene: &Scene<'_>,
    server: &mut Monotable,
    usual: Duration,
    wrong: &mut Vec<String>,
    mut begin: impl FnMut(&Monotable, u32) -> Result<Transfer, Failure>,
    killed: impl Fn(&Transfer, &mut Vec<String>),
) -> Result<(Transfer, End), Failure> {
    for turn in 0..TURNS {
        let transfer = begin(server, turn)?;
        thread::sleep((usual / (2 + turn)).max(SOONEST));
        let was_under_way = transfer.is_under_way(&server.endpoint)?;
        server.process.kill()?;
        let down = Instant::now();
        if was_under_way {
            killed(&transfer, wrong);
        }
        *server = scene.start()?;
        let after = transfer.is_under_way(&server.endpoint)?;
        println!("killed, up again after {:.1} s", down.elapsed().as_secs_f64());
        let end = transfer.over(server)?;
        // It may have ended between the look and the kill.
        if was_under_way && after {
            return Ok((transfer, end));
        }
    }
    Err("no kill ever came in the middle".into())
}
