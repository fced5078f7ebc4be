//! Clients that send transactions, and clients that read all balances at one moment, until the
//! server is gone.

use super::{
    bank,
    check::{Outcome, Sent, wrong_sum},
    observe::amount,
    transaction::{Deed, Transaction},
};
use crate::{
    dynamo::{RequestError, ask, send},
    http::Connection,
    outage::{PATIENCE, Scene, Violation},
    random::Random,
};
use serde_json::{Value, json};
use std::{
    thread,
    time::{Duration, Instant},
};

/// A client ends after so long, even if nobody kills the server.
const LONGEST: Duration = Duration::from_secs(60);
/// So many of a hundred transactions have a token.
const TOKENED: u64 = 70;

/// What a client knows at its end.
#[derive(Debug, Default)]
pub struct Log {
    /// The transactions it sent.
    pub sent: Vec<Sent>,
    /// Transactions it sent again under their token.
    pub repeats: u64,
    /// Reads of all balances that it made.
    pub reads: u64,
    /// What it saw that should not be.
    pub violations: Vec<Violation>,
}

impl Log {
    /// A client that came to no end of its own.
    pub fn panicked() -> Log {
        let violations = vec![Violation::misbehaved("a client panicked".to_owned())];
        Log { violations, ..Log::default() }
    }

    fn complain(&mut self, scene: &Scene, what: &str, error: &RequestError) {
        self.violations.extend(scene.complaint(what, error).map(Violation::misbehaved));
    }
}

/// Sends transactions until the connection ends.
pub fn write(scene: &Scene, client: u32, cycle: u32) -> Log {
    let mut log = Log::default();
    let mut random = Random::stream(scene.seed, u64::from(cycle) << 32 | u64::from(client));
    let open = || Connection::open(&scene.endpoint, PATIENCE).map_err(RequestError::Call);
    let (mut connection, mut other) = match (open(), open()) {
        (Ok(connection), Ok(other)) => (connection, other),
        (Err(error), _) | (_, Err(error)) => {
            log.complain(scene, "connecting", &error);
            return log;
        }
    };
    let started = Instant::now();
    while started.elapsed() < LONGEST {
        let deed = Deed::choose(&mut random);
        let tokened = random.percent(TOKENED);
        let transaction = Transaction { deed, cycle, id: scene.tick(), tokened };
        // As a client with little patience, which asks again before the first answer is there.
        let twice = tokened && random.percent(4);
        let answer = if twice {
            log.repeats += 1;
            race(&mut connection, &mut other, &transaction.request())
        } else {
            send(&mut connection, "TransactWriteItems", &transaction.request())
        };
        let outcome = outcome(&transaction, &answer);
        log.sent.push(Sent { transaction: transaction.clone(), outcome });
        if let Err(error) = &answer
            && outcome != Outcome::Refused
        {
            log.complain(scene, &transaction.to_string(), error);
            return log;
        }
        if outcome == Outcome::Acknowledged && tokened && random.percent(6) {
            log.repeats += 1;
            let changed = random.percent(30);
            if let Err(error) = repeat(&mut connection, &transaction, changed) {
                log.complain(scene, &format!("{transaction}, sent again"), &error);
                return log;
            }
        }
    }
    log.violations.push(Violation::misbehaved("the server was not ended in time".to_owned()));
    log
}

/// Sends a request on two connections at once. Acknowledged if either is; refused if both are.
fn race(one: &mut Connection, two: &mut Connection, body: &str) -> Result<(), RequestError> {
    let (first, second) = thread::scope(|scope| {
        let second = scope.spawn(|| send(two, "TransactWriteItems", body));
        let first = send(one, "TransactWriteItems", body);
        (first, second.join())
    });
    let Ok(second) = second else {
        return first;
    };
    match (first, second) {
        (Ok(()), Err(error @ RequestError::Refused(_)))
        | (Err(error @ RequestError::Refused(_)), Ok(()))
            if !error.is("TransactionCanceledException") =>
        {
            Err(error)
        }
        (Ok(()), _) | (_, Ok(())) => Ok(()),
        (Err(RequestError::Refused(_)), Err(error)) | (Err(error), Err(_)) => Err(error),
    }
}

/// What an answer says about a transaction.
pub fn outcome(transaction: &Transaction, answer: &Result<(), RequestError>) -> Outcome {
    match answer {
        Ok(()) => Outcome::Acknowledged,
        Err(RequestError::Refused(refusal)) if transaction.may_be_refused(refusal) => {
            Outcome::Refused
        }
        Err(_) => Outcome::Unanswered,
    }
}

/// Sends a transaction that was made once more under its token. As it was, it must be acknowledged;
/// changed, it must be refused.
pub fn repeat(
    connection: &mut Connection,
    transaction: &Transaction,
    changed: bool,
) -> Result<(), RequestError> {
    if !changed {
        return send(connection, "TransactWriteItems", &transaction.request());
    }
    let other = Transaction { deed: transaction.deed.changed(), ..transaction.clone() };
    match send(connection, "TransactWriteItems", &other.request()) {
        Ok(()) => Err(RequestError::Unexpected("another transaction under a used token was taken")),
        Err(error) if error.is("IdempotentParameterMismatchException") => Ok(()),
        Err(error) => Err(error),
    }
}

/// Reads all balances again and again, by TransactGetItems and by Query in turn.
pub fn read(scene: &Scene) -> Log {
    let mut log = Log::default();
    let mut connection = match Connection::open(&scene.endpoint, PATIENCE) {
        Ok(connection) => connection,
        Err(error) => {
            log.complain(scene, "connecting", &RequestError::Call(error));
            return log;
        }
    };
    let (transact, query) = (transact_get(), query());
    let started = Instant::now();
    while started.elapsed() < LONGEST {
        let (operation, body) = match log.reads % 2 {
            0 => ("TransactGetItems", &transact),
            _ => ("Query", &query),
        };
        match ask(&mut connection, operation, body) {
            Ok(answer) => log.violations.extend(balances(operation, &answer)),
            Err(error) => {
                log.complain(scene, operation, &error);
                return log;
            }
        }
        if !log.violations.is_empty() {
            return log;
        }
        log.reads += 1;
    }
    log
}

fn transact_get() -> String {
    let get = |n| json!({"Get": {"TableName": bank::TABLE, "Key": bank::account(n)}});
    json!({"TransactItems": (0..bank::ACCOUNTS).map(get).collect::<Vec<_>>()}).to_string()
}

fn query() -> String {
    json!({
        "TableName": bank::TABLE,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": bank::ACCOUNTS_PARTITION}},
        "ConsistentRead": true,
    })
    .to_string()
}

/// What is wrong with balances that were read at one moment.
fn balances(operation: &str, answer: &Value) -> Vec<Violation> {
    let member = answer.get("Responses").or_else(|| answer.get("Items"));
    let items = member.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let found: Vec<i64> = items
        .iter()
        .filter_map(|item| amount(item.get("Item").unwrap_or(item), "balance"))
        .collect();
    if found.len() != bank::ACCOUNTS as usize {
        let text = format!("{operation} finds {} accounts", found.len());
        return vec![Violation::lost(text)];
    }
    let negative = found.iter().filter(|balance| **balance < 0).map(|balance| {
        Violation::inconsistent(format!("{operation} finds a balance of {balance}"))
    });
    let what = format!("balances of one {operation}");
    negative.chain(wrong_sum(&what, found.iter().sum())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balances_must_be_all_there_and_add_up() {
        let answer = |change: &[(usize, i64)], count: usize| {
            let mut balances = vec![bank::FIRST_BALANCE; count];
            change.iter().for_each(|&(index, by)| balances[index] += by);
            let items = balances.iter().map(|b| json!({"balance": bank::number(*b)}));
            let plain: Vec<Value> = items.collect();
            let wrapped: Vec<Value> = plain.iter().map(|item| json!({"Item": item})).collect();
            [json!({"Items": plain}), json!({"Responses": wrapped})]
        };
        let all = bank::ACCOUNTS as usize;
        for (change, count, wrong) in [
            (&[][..], all, 0),
            (&[(0, 5), (1, -5)], all, 0),
            (&[(0, 5)], all, 1),
            (&[(0, 101), (1, -101)], all, 1),
            (&[(0, -101)], all, 2),
            (&[], all - 1, 1),
        ] {
            for answer in answer(change, count) {
                assert_eq!(balances("a read", &answer).len(), wrong, "{change:?} {count}");
            }
        }
    }
}
