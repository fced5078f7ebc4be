//! The HTTP client beneath S3: hyper, with TLS only where the endpoint asks for it. The library's
//! own client would bring a second TLS back end and refuse to start without system certificates.

use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt as _;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector as ClientMaker, HttpError, HttpErrorKind, HttpRequest,
    HttpRequestBody, HttpResponse, HttpResponseBody, HttpService,
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// From the start of a request to the head of its answer; a part of an upload goes out in this.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Makes clients for endpoints with or without TLS.
#[derive(Debug)]
pub(super) struct HyperConnector {
    pub(super) tls: bool,
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
            return Ok(HttpClient::new(Hyper(builder.build(tcp))));
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
        Ok(HttpClient::new(Hyper(builder.build(https))))
    }
}

#[derive(Debug)]
struct Hyper<C>(Client<C, HttpRequestBody>);

#[async_trait]
impl<C> HttpService for Hyper<C>
where
    C: Connect + Clone + Send + Sync + std::fmt::Debug + 'static,
{
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answer = tokio::time::timeout(ANSWER_TIMEOUT, self.0.request(request))
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
        Ok(HttpResponse::from_parts(head, HttpResponseBody::new(body)))
    }
}
