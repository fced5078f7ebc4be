//! From an HTTP request to its answer, in the order in which AWS checks.

use crate::{
    answer::{self, Answer, Encoding, JSON_1_0},
    body::{Body, BodyError, BodyMemory},
    connections::Standing,
    credentials,
    gate::Pass,
    http::{Head, Method, Source},
    limits::Limits,
    pages,
    request_id::{RequestId, RequestIds},
    work::{Rooms, Work},
};
use api::{Api, ApiError, Caller, ErrorKind, Operation, wire};
use engine::Engine;
use std::{
    error::Error,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
    time::Instant,
};
use store::Planted;

/// The target, and all fields together.
const MOST_HEADER_BYTES: usize = 16 * 1024;
/// Requests at once, from their first line to the last byte of their answers. Connections of HTTP/1
/// cannot have more; those of HTTP/2 have many each.
const MOST_REQUESTS: usize = 16 * 1024;
/// Bodies and answers above this size are read, written and compressed where nobody else waits.
const LARGE: usize = 256 * 1024;

/// Answers requests.
pub struct Service {
    engine: Arc<Engine>,
    api: Api,
    ids: RequestIds,
    limits: Limits,
    memory: BodyMemory,
    rooms: Rooms,
    requests: Arc<AtomicUsize>,
}

/// An answer, with what it holds until it is sent or thrown away.
pub(crate) struct Reply {
    pub(crate) answer: Answer,
    pub(crate) pass: Option<Pass>,
    pub(crate) turn: Option<Turn>,
}

/// One of the requests at once, until it is dropped.
pub(crate) struct Turn(Arc<AtomicUsize>);

impl Service {
    /// A service on a database.
    pub fn new(engine: Arc<Engine>, limits: Limits) -> Service {
        let api = Api::new(Arc::clone(&engine));
        let (memory, rooms) = (BodyMemory::new(&limits), Rooms::new(&limits));
        let (ids, requests) = (RequestIds::new(), Arc::default());
        Service { engine, api, ids, limits, memory, rooms, requests }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether answers take more than half of their memory.
    pub(crate) fn is_crowded(&self) -> bool {
        self.rooms.are_crowded()
    }

    /// Answers a request.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        head: Head,
        source: &mut impl Source,
        standing: &Arc<Standing>,
    ) -> Reply {
        let id = self.ids.next();
        let from_script = head.get("origin").is_some();
        let turn = Turn::take(&self.requests);
        let (mut answer, pass) = if turn.is_none() {
            (answer::refusal(&too_much()), None)
        } else if head.is_longer_than(MOST_HEADER_BYTES) {
            (answer::plain(400, Vec::new(), ""), None)
        } else {
            match (head.method, head.path()) {
                (Method::Post, _) => match self.memory.read(&head, source).await {
                    Err(error) => (refused_body(&error), None),
                    Ok(body) => {
                        let _work = standing.work();
                        let work = Arc::clone(self).post(head, body, id);
                        let done = to_its_end(Box::pin(work)).await;
                        done.unwrap_or_else(|cause| (failed(&*cause), None))
                    }
                },
                (Method::Get, "/health") => (pages::health(&self.engine).await, None),
                (Method::Get, "/") => (pages::root(&self.engine, &head), None),
                (Method::Options, _) => (answer::preflight(&head), None),
                _ => (answer::not_found(), None),
            }
        };
        answer.finish(id, from_script);
        Reply { answer, pass, turn }
    }

    async fn post(
        self: Arc<Self>,
        head: Head,
        body: Body,
        id: RequestId,
    ) -> (Answer, Option<Pass>) {
        let started = tracing::enabled!(tracing::Level::DEBUG).then(Instant::now);
        let Some(content_type) = content_type(&head) else { return (answer::not_found(), None) };
        let target = head.text("x-amz-target");
        let mut pass = None;
        let outcome = match operation(&head, target, &body) {
            Err(error) => Err(error),
            Ok((operation, caller)) => {
                let work = Work::of(operation);
                pass = self.rooms.enter(work, body.bytes.len()).await;
                match pass {
                    Some(_) => Arc::clone(&self).work(operation, work, caller, body).await,
                    None => Err(too_much()),
                }
            }
        };
        let micros = started.map(|started| started.elapsed().as_micros() as u64);
        let id = id.as_str();
        let answer = match outcome {
            Ok(json) => {
                tracing::debug!(target, id, micros, "answered");
                answered(json, content_type, &head).await
            }
            Err(error) => {
                let message = error.message.as_deref().unwrap_or_default();
                tracing::debug!(target, id, micros, error = error.kind.name(), message, "refused");
                answer::error(&error, content_type, &head)
            }
        };
        if let Some(pass) = &mut pass {
            pass.shrink(answer.body.len());
        }
        (answer, pass)
    }

    /// Carries out an operation. One that takes long to read its request or to write its answer does
    /// that on a thread of its own, so that those who ask for little do not wait.
    async fn work(
        self: Arc<Self>,
        operation: Operation,
        work: Work,
        caller: Caller,
        body: Body,
    ) -> Result<Vec<u8>, ApiError> {
        if work != Work::Batch && body.bytes.len() <= LARGE {
            return self.api.call(operation, &caller, &body.bytes).await;
        }
        let runtime = tokio::runtime::Handle::current();
        let call = move || runtime.block_on(self.api.call(operation, &caller, &body.bytes));
        tokio::task::spawn_blocking(call)
            .await
            .unwrap_or_else(|cause| Err(ApiError::internal(&cause)))
    }
}

/// Runs an operation to its end, or to its panic.
///
/// A client that goes away must not stop an operation half-way, and a panic must not take the
/// connection down: so it runs on a task of its own, unless it is done before it ever waits,
/// as most reads are.
async fn to_its_end<T: Send + 'static>(
    mut work: Pin<Box<dyn Future<Output = T> + Send>>,
) -> Result<T, Box<dyn Error + Send + Sync>> {
    let begun = poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        Poll::Ready(polled)
    });
    match begun.await {
        Ok(Poll::Ready(answer)) => Ok(answer),
        Ok(Poll::Pending) => Ok(tokio::spawn(work).await?),
        // What it says has been printed by then.
        Err(_) => Err("an operation panicked".into()),
    }
}

impl Turn {
    fn take(requests: &Arc<AtomicUsize>) -> Option<Turn> {
        let turn = Turn(Arc::clone(requests));
        // A turn that is not given is given back when it is dropped.
        (requests.fetch_add(1, Ordering::Relaxed) < MOST_REQUESTS).then_some(turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Which operation is asked for, and by whom.
fn operation(
    head: &Head,
    target: Option<&str>,
    body: &Body,
) -> Result<(Operation, Caller), ApiError> {
    if Planted::PanicOnInput.is_on() {
        panic_on_input(&body.bytes);
    }
    let operation = target.and_then(Operation::from_target);
    let Some(operation) = operation else {
        let kind = if wire::is_json(&body.bytes) {
            ErrorKind::UnknownOperation
        } else {
            ErrorKind::Serialization
        };
        return Err(ApiError::bare(kind));
    };
    let caller = credentials::caller(head).map_err(|refused| {
        // AWS reads the JSON before the credentials.
        if wire::is_json(&body.bytes) { refused } else { ApiError::bare(ErrorKind::Serialization) }
    })?;
    Ok((operation, caller))
}

#[expect(clippy::panic, reason = "a fault for campaigns to find")]
fn panic_on_input(body: &[u8]) {
    if std::str::from_utf8(body).is_err() {
        panic!("a body that is not UTF-8");
    }
}

async fn answered(json: Vec<u8>, content_type: &'static str, head: &Head) -> Answer {
    let wanted = Encoding::wanted(head, json.len());
    if json.len() <= LARGE {
        return answer::json(200, json, content_type, wanted);
    }
    let finish = move || answer::json(200, json, content_type, wanted);
    tokio::task::spawn_blocking(finish).await.unwrap_or_else(|cause| failed(&cause))
}

fn failed(cause: &dyn Error) -> Answer {
    answer::refusal(&ApiError::internal(cause))
}

/// What AWS says when a table cannot take more for the moment. SDKs wait and try again.
fn too_much() -> ApiError {
    let text = "Throughput exceeds the current capacity of the server. Please try again shortly.";
    ApiError::new(ErrorKind::Throttling, text)
}

/// The content type to answer with, if the request's is one of the protocol.
fn content_type(head: &Head) -> Option<&'static str> {
    let given = head.text("content-type")?;
    let end = memchr::memchr(b';', given.as_bytes()).unwrap_or(given.len());
    let given = given.get(..end)?.trim_ascii();
    [JSON_1_0, "application/json"].into_iter().find(|known| given.eq_ignore_ascii_case(known))
}

fn refused_body(error: &BodyError) -> Answer {
    let error = match error {
        BodyError::TooLarge => return answer::too_large(),
        BodyError::Interrupted => return answer::interrupted(),
        BodyError::Late => return answer::late(),
        BodyError::Undecodable => {
            let text = "The request body cannot be decoded";
            ApiError::new(ErrorKind::InternalServerError, text)
        }
        BodyError::Busy => too_much(),
    };
    answer::refusal(&error)
}
