//! HTTP/2: many requests at once, spoken by hyper.

use super::{Head, Source, broken, counted::Counted};
use crate::{
    answer::Answer,
    connections::{Place, Sending},
    gate::Pass,
    service::{Reply, Service, Turn},
};
use bytes::{Buf, Bytes};
use http_body_util::Full;
use hyper::{
    HeaderMap, Request, Response, StatusCode,
    body::{Body, Incoming},
    header::{self, HeaderName, HeaderValue},
    server::conn::http2,
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::{
    convert::Infallible,
    io,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::net::TcpStream;

/// Requests at once on a connection.
const MOST_STREAMS: u32 = 128;
/// What a connection may have sent that nobody has read yet.
const WINDOW: u32 = 256 * 1024;

/// Answers requests for as long as the client likes. `first` is what it has said already.
pub(crate) async fn converse(
    stream: TcpStream,
    first: Vec<u8>,
    service: &Arc<Service>,
    place: &Place,
) -> Result<(), hyper::Error> {
    let patience = service.limits().patience;
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(MOST_STREAMS)
        .initial_connection_window_size(WINDOW)
        .initial_stream_window_size(WINDOW)
        .keep_alive_interval(patience)
        .keep_alive_timeout(patience);
    let standing = Arc::clone(&place.standing);
    let answer = service_fn(|request: Request<Incoming>| {
        let (service, standing) = (Arc::clone(service), Arc::clone(&standing));
        async move {
            standing.begin();
            let (head, mut frames) = taken_apart(request);
            let reply = service.answer(head, &mut frames, &standing).await;
            let Reply { answer, pass, turn } = reply;
            let fields = fields(&answer);
            let body = if answer.body.is_empty() {
                Bytes::new()
            } else {
                let sending = standing.sends(answer.body.len());
                Bytes::from_owner(Held {
                    bytes: answer.body,
                    _sending: sending,
                    _pass: pass,
                    _turn: turn,
                })
            };
            let mut response = Response::new(Full::new(body));
            *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or_default();
            *response.headers_mut() = fields;
            Ok::<_, Infallible>(response)
        }
    });
    let stream = Counted::new(stream, first, Arc::clone(&place.standing));
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), answer));
    tokio::select! {
        biased;
        ended = connection.as_mut() => return ended,
        () = place.stopping() => connection.as_mut().graceful_shutdown(),
    }
    connection.await
}

/// The body of an answer, with what it holds until it is sent or thrown away.
struct Held {
    bytes: Vec<u8>,
    _sending: Sending,
    _pass: Option<Pass>,
    _turn: Option<Turn>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn taken_apart(request: Request<Incoming>) -> (Head, Frames) {
    let (parts, body) = request.into_parts();
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let mut head = Head::new(parts.method.as_str(), target, parts.headers.len(), 0);
    for (name, value) in &parts.headers {
        head.add(name.as_str(), value.as_bytes());
    }
    if let Some(authority) = parts.uri.authority()
        && !parts.headers.contains_key(header::HOST)
    {
        head.add("host", authority.as_str().as_bytes());
    }
    (head, Frames { body, rest: Bytes::new() })
}

fn fields(answer: &Answer) -> HeaderMap {
    let mut fields = HeaderMap::new();
    answer.fields(|name, value| {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value)) {
            fields.insert(name, value);
        }
    });
    fields
}

/// The body of a request.
struct Frames {
    body: Incoming,
    rest: Bytes,
}

impl Source for Frames {
    fn announced(&self) -> Option<u64> {
        self.body.size_hint().exact()
    }

    fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        into: &mut Vec<u8>,
        most: usize,
    ) -> Poll<io::Result<usize>> {
        while self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                None => return Poll::Ready(Ok(0)),
                Some(Ok(frame)) => self.rest = frame.into_data().unwrap_or_default(),
                Some(Err(_)) => return Poll::Ready(Err(broken("a body that is cut off"))),
            }
        }
        let here = self.rest.len().min(most);
        into.extend_from_slice(self.rest.get(..here).unwrap_or_default());
        self.rest.advance(here);
        Poll::Ready(Ok(here))
    }
}
