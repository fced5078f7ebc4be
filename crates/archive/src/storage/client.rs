//! The HTTP client beneath S3: hyper, with TLS only where the endpoint asks for it. The library's
//! own client would bring a second TLS back end and refuse to start without system certificates.

use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{Stream, StreamExt as _, stream};
use http_body_util::{BodyExt as _, BodyStream, StreamBody};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector as ClientMaker, HttpError, HttpErrorKind, HttpRequest,
    HttpRequestBody, HttpResponse, HttpResponseBody, HttpService,
};

use super::Patience;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Makes clients for endpoints with or without TLS.
#[derive(Debug)]
pub(super) struct HyperConnector {
    pub(super) tls: bool,
    pub(super) patience: Patience,
}

impl ClientMaker for HyperConnector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_idle_timeout(IDLE_TIMEOUT).pool_timer(TokioTimer::new());
        if !self.tls {
            return Ok(HttpClient::new(Hyper(builder.build(tcp), self.patience)));
        }
        let https = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(rustls::crypto::ring::default_provider())
            .map_err(|source| object_store::Error::Generic {
                store: "S3",
                source: format!("no certificates of the system can be read: {source}").into(),
            })?
            .https_only()
            .enable_http1()
            .wrap_connector(tcp);
        Ok(HttpClient::new(Hyper(builder.build(https), self.patience)))
    }
}

#[derive(Debug)]
struct Hyper<C>(Client<C, HttpRequestBody>, Patience);

#[async_trait]
impl<C> HttpService for Hyper<C>
where
    C: Connect + Clone + Send + Sync + std::fmt::Debug + 'static,
{
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answer = tokio::time::timeout(self.1.answer, self.0.request(request))
            .await
            .map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?
            .map_err(|error| {
                let kind = if error.is_connect() {
                    HttpErrorKind::Connect
                } else {
                    HttpErrorKind::Request
                };
                HttpError::new(kind, error)
            })?;
        let (head, body) = answer.into_parts();
        let body = body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error));
        let pieces = hurried(BodyStream::new(body), self.1.silence);
        let body = StreamBody::new(pieces);
        Ok(HttpResponse::from_parts(head, HttpResponseBody::new(body)))
    }
}

/// The frames of an answer; one that is waited for too long is an error. Time in which nobody waits
/// does not count, since whoever reads may be slow.
fn hurried<F>(
    mut frames: impl Stream<Item = Result<F, HttpError>> + Unpin,
    silence: Duration,
) -> impl Stream<Item = Result<F, HttpError>> {
    let mut end: Option<Pin<Box<tokio::time::Sleep>>> = None;
    stream::poll_fn(move |context| match frames.poll_next_unpin(context) {
        Poll::Ready(frame) => {
            end = None;
            Poll::Ready(frame)
        }
        Poll::Pending => {
            let end = end.get_or_insert_with(|| Box::pin(tokio::time::sleep(silence)));
            let late = || HttpError::new(HttpErrorKind::Timeout, Silent);
            end.as_mut().poll(context).map(|()| Some(Err(late())))
        }
    })
}

/// No more comes of an answer.
#[derive(Debug, thiserror::Error)]
#[error("the storage fell silent in the middle of an answer")]
struct Silent;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_time_that_is_waited_counts() {
        let silence = Duration::from_millis(400);
        let (send, mut receive) = tokio::sync::mpsc::channel(4);
        let frames = stream::poll_fn(move |context| receive.poll_recv(context));
        let mut frames = hurried(frames, silence);
        send.send(Ok(1)).await.unwrap();
        assert_eq!(frames.next().await.unwrap().unwrap(), 1);
        // Nobody waits for the second in this time.
        tokio::time::sleep(2 * silence).await;
        let sending = async {
            tokio::time::sleep(silence / 4).await;
            send.send(Ok(2)).await.unwrap();
        };
        let (second, ()) = tokio::join!(frames.next(), sending);
        assert_eq!(second.unwrap().unwrap(), 2);
        let before = std::time::Instant::now();
        assert!(frames.next().await.unwrap().is_err());
        assert!(before.elapsed() >= silence);
    }
}
