//! Clients that write until the server is gone, and write down what they were told.

use super::{
    deed::{Deed, Outcome},
    request::{Chooser, Request, idle_put, idle_update},
    stage::Stage,
    table::{BY, TABLE, number_of},
};
use crate::{
    dynamo::{RequestError, ask, send},
    http::Connection,
    outage::{PATIENCE, Scene, Violation},
    random::Random,
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    thread,
    time::{Duration, Instant},
};

/// A client ends after so long, even if nobody kills the server.
const LONGEST: Duration = Duration::from_secs(60);

/// What a client knows at its end.
#[derive(Debug, Default)]
pub struct Log {
    /// What it did.
    pub deeds: Vec<Deed>,
    /// What it saw that should not be.
    pub violations: Vec<Violation>,
}

impl Log {
    /// A client that came to no end of its own.
    pub fn panicked() -> Log {
        let violations = vec![Violation::misbehaved("a client panicked".to_owned())];
        Log { violations, ..Log::default() }
    }
}

/// Why a client ended, if there is something to say about it.
type Complaint = Option<String>;

/// Writes until the connection ends.
pub fn write(stage: &Stage, client: u32, cycle: u32) -> Log {
    let mut log = Log::default();
    if let Err(complaint) = work(stage, client, cycle, &mut log) {
        log.violations.extend(complaint.map(Violation::misbehaved));
    }
    log
}

fn work(stage: &Stage, client: u32, cycle: u32, log: &mut Log) -> Result<(), Complaint> {
    let scene = &stage.scene;
    let mut connection = Connection::open(&scene.endpoint, PATIENCE)
        .map_err(|error| scene.complaint("connecting", &RequestError::Call(error)))?;
    let tick = || scene.tick();
    let mut chooser = Chooser {
        random: Random::stream(scene.seed, u64::from(cycle) << 32 | u64::from(client)),
        keys: stage.keys,
        seen: HashMap::new(),
        tick: &tick,
    };
    let started = Instant::now();
    while started.elapsed() < LONGEST {
        // Room for other clients to come between, and for items to expire.
        if chooser.random.percent(15) {
            thread::sleep(Duration::from_micros(chooser.random.between(100, 3_000)));
        }
        let leave = stage.enter();
        if chooser.random.percent(6) {
            change_nothing(scene, &mut connection, &mut chooser)?;
            continue;
        }
        let mut request = chooser.choose();
        let sent = scene.tick();
        let answer = ask(&mut connection, request.operation, &request.body);
        let done = scene.tick();
        drop(leave);
        let outcomes = outcomes(&request, &answer);
        let open = outcomes.contains(&Outcome::Unanswered);
        let (old, error) = match answer {
            Ok(mut answer) => {
                let old = request.tells_old.then(|| match answer.get_mut("Attributes") {
                    Some(Value::Object(item)) => Some(std::mem::take(item)),
                    _ => None,
                });
                let rest = RequestError::Unexpected("items were left unprocessed");
                (old, Some(rest).filter(|_| open))
            }
            Err(error) => (None, Some(error).filter(|_| open)),
        };
        for (deed, outcome) in request.deeds.iter_mut().zip(outcomes) {
            (deed.sent, deed.outcome) = (sent, outcome);
            (deed.request, deed.old) = (sent, old.clone());
            if outcome != Outcome::Unanswered {
                deed.done = done;
            }
            if outcome == Outcome::Acknowledged && deed.signs() {
                chooser.seen.insert(deed.key, deed.id);
            }
        }
        log.deeds.append(&mut request.deeds);
        if let Some(error) = error {
            let what = format!("{} {}", request.operation, request.body);
            return Err(scene.complaint(&what, &error));
        }
    }
    log.violations.push(Violation::misbehaved("the server was not ended in time".to_owned()));
    Ok(())
}

/// What an answer says of each write.
fn outcomes(request: &Request, answer: &Result<Value, RequestError>) -> Vec<Outcome> {
    let all = |outcome| vec![outcome; request.deeds.len()];
    match answer {
        Ok(answer) if request.operation == "BatchExecuteStatement" => {
            let responses = answer.get("Responses").and_then(Value::as_array);
            let responses = responses.map(Vec::as_slice).unwrap_or_default();
            let of = |place| responses.get(place).map_or(Outcome::Unanswered, of_statement);
            (0..request.deeds.len()).map(of).collect()
        }
        Ok(answer) => {
            let rest = answer.get("UnprocessedItems").and_then(Value::as_object);
            let whole = rest.is_none_or(|rest| rest.is_empty());
            all(if whole { Outcome::Acknowledged } else { Outcome::Unanswered })
        }
        Err(RequestError::Refused(refusal)) => {
            let reasons = refusal.reasons();
            let cancelled = refusal.kind() == "TransactionCanceledException"
                && reasons.len() == request.deeds.len()
                && reasons.iter().any(|reason| is_condition(reason));
            let refused = matches!(
                refusal.kind(),
                "ConditionalCheckFailedException" | "DuplicateItemException"
            );
            all(if cancelled || refused { Outcome::Refused } else { Outcome::Unanswered })
        }
        Err(_) => all(Outcome::Unanswered),
    }
}

/// What the answer to a batch says of one statement.
fn of_statement(response: &Value) -> Outcome {
    match response.pointer("/Error/Code").and_then(Value::as_str) {
        Some(code) if is_condition(code) => Outcome::Refused,
        Some(_) => Outcome::Unanswered,
        None => Outcome::Acknowledged,
    }
}

fn is_condition(code: &str) -> bool {
    matches!(code, "ConditionalCheckFailed" | "DuplicateItem")
}

/// Sends a write that changes nothing. There must be no record of it, which is seen by records that
/// change nothing or that bear a write's id once more.
fn change_nothing(
    scene: &Scene,
    connection: &mut Connection,
    chooser: &mut Chooser<'_>,
) -> Result<(), Complaint> {
    let key = chooser.key();
    let (operation, body) = if chooser.random.percent(50) {
        ("UpdateItem", idle_update(key))
    } else {
        let body = json!({"TableName": TABLE, "Key": key.item(), "ConsistentRead": true});
        let answer = ask(connection, "GetItem", &body.to_string());
        let answer = answer.map_err(|error| scene.complaint("GetItem", &error))?;
        let Some(Value::Object(item)) = answer.get("Item") else { return Ok(()) };
        let Some(by) = number_of(item, BY) else { return Ok(()) };
        ("PutItem", idle_put(item, by))
    };
    match send(connection, operation, &body) {
        Err(error) if !error.is("ConditionalCheckFailedException") => {
            Err(scene.complaint(&format!("{operation} {body}"), &error))
        }
        _ => Ok(()),
    }
}
