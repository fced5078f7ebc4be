//! Waiting for the end of a restore, also while the server is away. Ctrl-C ends the waiting, not
//! the restore.

use super::{Status, description::Restore, error::RestoreError, progress::Indicator};
use crate::client::{CallError, Client, EndpointOption};
use serde::Deserialize;
use serde_json::json;
use std::{io, thread::sleep, time::Duration};
use tokio::signal::unix::{SignalKind, signal};

/// How long to wait between looks, at first and at most.
const FIRST_LOOK: Duration = Duration::from_millis(30);
const LONGEST_LOOK: Duration = Duration::from_millis(500);
/// The same for a server that is away.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    restore_description: Restore,
}

/// A restore as it is.
pub(super) fn describe(client: &mut Client, id: &str) -> Result<Restore, CallError> {
    let answer: Answer = client.call("DescribeRestore", &json!({ "RestoreId": id }))?;
    Ok(answer.restore_description)
}

/// Waits until a restore is over.
pub(super) fn until_over(
    mut client: Client,
    id: &str,
    endpoint: &EndpointOption,
) -> Result<Restore, RestoreError> {
    let first = describe(&mut client, id)?;
    if first.is.status != Status::InProgress {
        return Ok(first);
    }
    let what = if first.is.dry_run { "the dry run" } else { "the restore" };
    let indicator = Indicator::new();
    let follower = Follower { client, first, indicator: indicator.clone(), failures: 0 };
    // A thread waits, so that Ctrl-C is heard whatever it waits for.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let following = tokio::task::spawn_blocking(|| follower.follow());
        tokio::select! {
            outcome = following => outcome.map_err(io::Error::other)?,
            _ = interrupt.recv() => {
                let (id, flag) = (id.to_owned(), endpoint.flag());
                Err(RestoreError::Interrupted { what, id, flag })
            }
        }
    });
    indicator.clear();
    runtime.shutdown_background();
    outcome
}

/// What follows a restore to its end.
struct Follower {
    client: Client,
    first: Restore,
    indicator: Indicator,
    /// How often in a row the server did not answer.
    failures: u32,
}

impl Follower {
    fn follow(mut self) -> Result<Restore, RestoreError> {
        let mut pause = FIRST_LOOK;
        loop {
            sleep(pause);
            pause = (pause * 3 / 2).min(LONGEST_LOOK);
            let restore = self.look()?;
            if restore.is.status != Status::InProgress {
                return Ok(restore);
            }
            self.indicator.show(&restore.is);
        }
    }

    /// The restore as it is, once the server answers.
    fn look(&mut self) -> Result<Restore, RestoreError> {
        let id = &self.first.is.restore_id;
        loop {
            match describe(&mut self.client, id) {
                Err(error) if error.may_pass() => {
                    self.failures += 1;
                    // At first only the connection may be gone.
                    if self.failures == 2 {
                        self.indicator.note(&format!("{error}; trying until it answers"));
                    }
                    let doublings = self.failures.saturating_sub(2).min(10);
                    if self.failures > 1 {
                        sleep((FIRST_WAIT * 2u32.pow(doublings)).min(LONGEST_WAIT));
                    }
                }
                Err(error) if error.is("ResourceNotFoundException") => {
                    return Err(RestoreError::Forgotten(id.clone()));
                }
                Ok(found) => {
                    if self.failures > 1 {
                        self.indicator.note("the server answers again");
                    }
                    self.failures = 0;
                    return self.same(found);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The restore, if it is the one that was begun: another server has others.
    fn same(&self, found: Restore) -> Result<Restore, RestoreError> {
        let begun = |restore: &Restore| (restore.is.start_date_time * 1000.0).round();
        if begun(&found) == begun(&self.first) {
            Ok(found)
        } else {
            Err(RestoreError::Forgotten(found.is.restore_id))
        }
    }
}
