//! Connections that are kept and say nothing: very many on a server that has place for them, and more
//! than there is place for on one that has few file descriptors.

use super::{
    bounds,
    wire::{PATIENCE, Wire},
};
use crate::{
    Failure,
    good::{self, Fare},
    http::{Connection, Endpoint},
    monotable::{self, Monotable, Storage},
    scale::Memory,
    watched,
};
use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};

const START: Duration = Duration::from_secs(60);
const MEASURED: Duration = Duration::from_secs(3);
/// File descriptors of the server that has few, and connections to it.
const FEW: usize = 256;
pub const TOO_MANY: usize = 600;
/// Connections of good clients that may have ended meanwhile.
const SLACK: u64 = 4;

/// What many connections cost.
pub struct Cost {
    /// How good clients fared beside them.
    pub fare: Fare,
    /// Memory for each of them, in bytes.
    pub bytes_each: u64,
    /// What should not be.
    pub complaints: Vec<String>,
}

/// As many as asked for, on a server as it is.
pub fn many(program: &Path, directory: &Path, count: usize) -> Result<Cost, Failure> {
    let log = directory.join("idle.log");
    let server = monotable::start(program, Storage::Memory, &log)?.ready(START)?;
    let process = server.process.id();
    prepare(&server)?;
    let before = Memory::of(process)?.resident;
    let sockets = watched::sockets(process)?;
    let held = hold(&server.endpoint, count)?;
    let fare = good::alone(&server.endpoint, MEASURED);
    let bytes_each = Memory::of(process)?.resident.saturating_sub(before) / count as u64;
    let there = watched::sockets(process)?;
    drop(held);
    let mut complaints = bounds::of_fare("idle connections", &fare);
    if there + SLACK < sockets + count as u64 {
        let kept = there.saturating_sub(sockets);
        complaints.push(format!("of {count} idle connections only {kept} are kept"));
    }
    complaints.extend(bounds::of_sockets(process, sockets)?);
    complaints.extend(watched::failures(&log)?);
    Ok(Cost { fare, bytes_each, complaints })
}

/// More than the server has place for: the quiet ones must go, and whoever asks is answered.
pub fn too_many(program: &Path, directory: &Path) -> Result<Cost, Failure> {
    let limited = directory.join("limited.sh");
    let log = directory.join("few.log");
    let program = program.canonicalize()?;
    let text = format!("#!/bin/sh\nulimit -n {FEW}\nexec '{}' \"$@\"\n", program.display());
    fs::write(&limited, text)?;
    fs::set_permissions(&limited, fs::Permissions::from_mode(0o700))?;
    let server = monotable::start(&limited, Storage::Memory, &log)?.ready(START)?;
    prepare(&server)?;
    let held = hold(&server.endpoint, TOO_MANY)?;
    let fare = good::alone(&server.endpoint, MEASURED);
    drop(held);
    let mut complaints = bounds::of_fare("too many connections", &fare);
    complaints.extend(watched::failures(&log)?);
    Ok(Cost { fare, bytes_each: 0, complaints })
}

fn prepare(server: &Monotable) -> Result<(), Failure> {
    good::prepare(&mut Connection::open(&server.endpoint, PATIENCE)?)
}

/// Connections that have each had an answer.
fn hold(endpoint: &Endpoint, count: usize) -> Result<Vec<Wire>, Failure> {
    let mut held = Vec::with_capacity(count);
    for _ in 0..count {
        let mut wire = Wire::open(endpoint)?;
        wire.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        match wire.answer()? {
            Some(answer) if answer.status == 200 => held.push(wire),
            _ => return Err("an idle connection was not answered".into()),
        }
    }
    Ok(held)
}
