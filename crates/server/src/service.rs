//! From an HTTP request to its answer, in the order in which AWS checks.

use crate::{
    answer::{self, Answer, JSON_1_0},
    body::{Body, BodyError, BodyMemory},
    credentials, pages,
    request_id::RequestIds,
};
use api::{Api, ApiError, ErrorKind, Operation, wire};
use engine::Engine;
use hyper::{
    HeaderMap, Method, Request, Uri,
    body::Incoming,
    header::{self, HeaderName, HeaderValue},
};
use std::{sync::Arc, time::Instant};

/// Request line and headers together.
const MOST_HEADER_BYTES: usize = 16 * 1024;

/// Answers requests.
pub struct Service {
    engine: Arc<Engine>,
    api: Api,
    ids: RequestIds,
    memory: BodyMemory,
}

impl Service {
    /// A service on a database.
    pub fn new(engine: Arc<Engine>) -> Service {
        let api = Api::new(Arc::clone(&engine));
        Service { engine, api, ids: RequestIds::new(), memory: BodyMemory::new() }
    }

    pub(crate) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let id = self.ids.next();
        let (parts, body) = request.into_parts();
        let headers = parts.headers;
        let from_script = headers.contains_key(header::ORIGIN);
        let answer = if too_long(&parts.uri, &headers) {
            answer::plain(400, Vec::new(), "")
        } else {
            match (parts.method, parts.uri.path()) {
                (Method::POST, _) => {
                    let service = Arc::clone(&self);
                    let request_id = id.clone();
                    // On a task of its own: a client that goes away must not stop an
                    // operation half-way, and a panic must not take the connection down.
                    let task = tokio::spawn(async move {
                        service.post(&headers, &parts.uri, body, &request_id).await
                    });
                    task.await.unwrap_or_else(|cause| {
                        let error = ApiError::internal(&cause);
                        answer::error(&error, JSON_1_0, &HeaderMap::new())
                    })
                }
                (Method::GET, "/health") => pages::health(&self.engine).await,
                (Method::GET, "/") => pages::root(&self.engine, &headers),
                (Method::OPTIONS, _) => answer::preflight(&headers),
                _ => answer::not_found(),
            }
        };
        answer::finish(answer, &id, from_script)
    }

    async fn post(&self, headers: &HeaderMap, uri: &Uri, body: Incoming, id: &str) -> Answer {
        let started = Instant::now();
        let body = match self.memory.read(headers, body).await {
            Ok(body) => body,
            Err(error) => return refused_body(&error, headers),
        };
        let Some(content_type) = content_type(headers) else { return answer::not_found() };
        let target = headers.get("x-amz-target").and_then(|value| value.to_str().ok());
        let outcome = self.operation(headers, uri, target, &body).await;
        let micros = started.elapsed().as_micros();
        match outcome {
            Ok(json) => {
                tracing::debug!(target, id, micros, "answered");
                answer::json(200, json, content_type, headers)
            }
            Err(error) => {
                let message = error.message.as_deref().unwrap_or_default();
                tracing::debug!(target, id, micros, error = error.kind.name(), message, "refused");
                answer::error(&error, content_type, headers)
            }
        }
    }

    async fn operation(
        &self,
        headers: &HeaderMap,
        uri: &Uri,
        target: Option<&str>,
        body: &Body,
    ) -> Result<Vec<u8>, ApiError> {
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
            if wire::is_json(&body.bytes) {
                refused
            } else {
                ApiError::bare(ErrorKind::Serialization)
            }
        })?;
        self.api.call(operation, &caller, &body.bytes).await
    }
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
    let (kind, text) = match error {
        BodyError::TooLarge => return answer::too_large(headers),
        BodyError::Interrupted => return answer::plain(400, Vec::new(), ""),
        BodyError::Undecodable => {
            (ErrorKind::InternalServerError, "The request body cannot be decoded")
        }
        BodyError::Busy => {
            (ErrorKind::ServiceUnavailable, "Too many large requests are being read; try again")
        }
    };
    answer::error(&ApiError::new(kind, text), JSON_1_0, headers)
}
