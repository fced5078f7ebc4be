//! From an HTTP request to its answer, in the order in which AWS checks.

use crate::{
    answer::{self, Answer, JSON_1_0, Sent},
    body::{Body, BodyError, BodyMemory},
    connections::Standing,
    credentials,
    gate::Pass,
    limits::Limits,
    pages,
    request_id::RequestIds,
    work::{Rooms, Work},
};
use api::{Api, ApiError, Caller, ErrorKind, Operation, wire};
use engine::Engine;
use hyper::{
    HeaderMap, Method, Request, Uri,
    body::Incoming,
    header::{self, HeaderName, HeaderValue},
};
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

const TARGET: HeaderName = HeaderName::from_static("x-amz-target");
/// Request line and headers together.
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

    pub(crate) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        standing: Arc<Standing>,
    ) -> Sent {
        standing.begin();
        let id = self.ids.next();
        let (parts, body) = request.into_parts();
        let headers = parts.headers;
        let from_script = headers.contains_key(header::ORIGIN);
        let turn = Turn::take(&self.requests);
        let (answer, pass) = if turn.is_none() {
            (answer::error(&too_much(), JSON_1_0, &headers), None)
        } else if too_long(&parts.uri, &headers) {
            (answer::plain(400, Vec::new(), ""), None)
        } else {
            match (parts.method, parts.uri.path()) {
                (Method::POST, _) => {
                    let (service, standing) = (Arc::clone(&self), Arc::clone(&standing));
                    let request_id = id.clone();
                    let work = async move {
                        service.post(headers, &parts.uri, body, &request_id, &standing).await
                    };
                    to_its_end(Box::pin(work)).await.unwrap_or_else(|cause| (failed(&*cause), None))
                }
                (Method::GET, "/health") => (pages::health(&self.engine).await, None),
                (Method::GET, "/") => (pages::root(&self.engine, &headers), None),
                (Method::OPTIONS, _) => (answer::preflight(&headers), None),
                _ => (answer::not_found(), None),
            }
        };
        let answer = answer.map(|bytes| standing.send(bytes, pass, turn));
        answer::finish(answer, &id, from_script)
    }

    async fn post(
        self: Arc<Self>,
        headers: HeaderMap,
        uri: &Uri,
        body: Incoming,
        id: &str,
        standing: &Arc<Standing>,
    ) -> (Answer, Option<Pass>) {
        let started = tracing::enabled!(tracing::Level::DEBUG).then(Instant::now);
        let body = match self.memory.read(&headers, body).await {
            Ok(body) => body,
            Err(error) => return (refused_body(&error, &headers), None),
        };
        let _work = standing.work();
        let Some(content_type) = content_type(&headers) else { return (answer::not_found(), None) };
        let target = headers.get(TARGET).and_then(|value| value.to_str().ok());
        let mut pass = None;
        let outcome = match operation(&headers, uri, target, &body) {
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
        let answer = match outcome {
            Ok(json) => {
                tracing::debug!(target, id, micros, "answered");
                answered(json, content_type, headers).await
            }
            Err(error) => {
                let message = error.message.as_deref().unwrap_or_default();
                tracing::debug!(target, id, micros, error = error.kind.name(), message, "refused");
                answer::error(&error, content_type, &headers)
            }
        };
        if let Some(pass) = &mut pass {
            pass.shrink(answer.body().len());
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
    headers: &HeaderMap,
    uri: &Uri,
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
    let caller = credentials::caller(headers, uri).map_err(|refused| {
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

async fn answered(json: Vec<u8>, content_type: &'static str, headers: HeaderMap) -> Answer {
    if json.len() <= LARGE {
        return answer::json(200, json, content_type, &headers);
    }
    let finish = move || answer::json(200, json, content_type, &headers);
    tokio::task::spawn_blocking(finish).await.unwrap_or_else(|cause| failed(&cause))
}

fn failed(cause: &dyn Error) -> Answer {
    answer::error(&ApiError::internal(cause), JSON_1_0, &HeaderMap::new())
}

/// What AWS says when a table cannot take more for the moment. SDKs wait and try again.
fn too_much() -> ApiError {
    let text = "Throughput exceeds the current capacity of the server. Please try again shortly.";
    ApiError::new(ErrorKind::Throttling, text)
}

fn too_long(uri: &Uri, headers: &HeaderMap) -> bool {
    let size = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + 4;
    let path = uri.path_and_query().map_or(0, |path| path.as_str().len());
    path > MOST_HEADER_BYTES || headers.iter().map(size).sum::<usize>() > MOST_HEADER_BYTES
}

/// The content type to answer with, if the request's is one of the protocol.
fn content_type(headers: &HeaderMap) -> Option<&'static str> {
    let given = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let given = given.split(';').next().unwrap_or_default().trim();
    ["application/x-amz-json-1.0", "application/json"]
        .into_iter()
        .find(|known| given.eq_ignore_ascii_case(known))
}

fn refused_body(error: &BodyError, headers: &HeaderMap) -> Answer {
    let error = match error {
        BodyError::TooLarge => return answer::too_large(headers),
        BodyError::Interrupted => return answer::plain(400, Vec::new(), ""),
        BodyError::Late => return answer::late(),
        BodyError::Undecodable => {
            let text = "The request body cannot be decoded";
            ApiError::new(ErrorKind::InternalServerError, text)
        }
        BodyError::Busy => too_much(),
    };
    answer::error(&error, JSON_1_0, headers)
}
