//! Answers to the commits of a group.
//!
//! To wake the task of each caller from the writer's thread costs more than to write what it commits, and
//! the next group waits meanwhile. So the writer wakes one caller, whose task wakes the others.

use crate::{StoreError, Version};
use tokio::sync::oneshot;

/// An answer that waits until its group is durable. It is not given if the group never is.
pub(super) struct Ticket {
    give: oneshot::Sender<Answer>,
    pub result: Result<Version, StoreError>,
}

/// An answer, perhaps with those of others.
pub(super) struct Answer {
    pub result: Result<Version, StoreError>,
    others: Others,
}

impl Ticket {
    /// A ticket, and where its answer comes.
    pub fn new(result: Result<Version, StoreError>) -> (Self, oneshot::Receiver<Answer>) {
        let (give, given) = oneshot::channel();
        (Self { give, result }, given)
    }
}

impl Answer {
    /// Wakes the others that wait, and gives the caller's own result.
    pub fn pass_on(self) -> Result<Version, StoreError> {
        drop(self.others);
        self.result
    }
}

/// Gives the answers of a group that is durable.
pub(super) fn answer(mut tickets: Vec<Ticket>) {
    while let Some(Ticket { give, result }) = tickets.pop() {
        match give.send(Answer { result, others: Others(tickets) }) {
            Ok(()) => return,
            // This one has gone away.
            Err(mut answer) => tickets = std::mem::take(&mut answer.others.0),
        }
    }
}

/// Answers to be given wherever this is dropped: whoever was to give them may have gone away.
struct Others(Vec<Ticket>);

impl Drop for Others {
    fn drop(&mut self) {
        for Ticket { give, result } in self.0.drain(..) {
            // Whoever asked may have gone away.
            let _ = give.send(Answer { result, others: Others(Vec::new()) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(size: u64) -> (Vec<Ticket>, Vec<oneshot::Receiver<Answer>>) {
        (0..size).map(|number| Ticket::new(Ok(Version(number)))).unzip()
    }

    async fn answers(callers: Vec<oneshot::Receiver<Answer>>) -> Vec<u64> {
        let mut versions = Vec::new();
        for caller in callers.into_iter().rev() {
            versions.push(caller.await.unwrap().pass_on().unwrap().0);
        }
        versions
    }

    #[tokio::test]
    async fn everybody_gets_an_answer() {
        let (tickets, callers) = group(3);
        answer(tickets);
        assert_eq!(answers(callers).await, [2, 1, 0]);
    }

    #[tokio::test]
    async fn those_who_go_away_keep_no_answer_back() {
        let (tickets, mut callers) = group(4);
        // Before the answers come, and with all of them in its hands.
        drop(callers.remove(3));
        answer(tickets);
        drop(callers.remove(2));
        assert_eq!(answers(callers).await, [1, 0]);
    }

    #[tokio::test]
    async fn a_group_that_is_not_written_is_not_answered() {
        let (tickets, callers) = group(2);
        drop(tickets);
        for caller in callers {
            assert!(caller.await.is_err());
        }
    }
}
