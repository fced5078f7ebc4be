//! Takes connections, and lets those under way finish when the server stops.

use crate::service::Service;
use hyper::service::service_fn;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
};
use std::{
    convert::Infallible,
    future::Future,
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::net::{TcpListener, TcpStream};

/// Connections at once; more wait to be taken.
const MOST_CONNECTIONS: usize = 10_000;
/// More headers than a request within the limit on their bytes is likely to have. Room for
/// them is set aside with every request.
const MOST_HEADERS: usize = 400;
/// A client that sends no complete header for so long, or says nothing at all, is let go.
const HEADER_PATIENCE: Duration = Duration::from_secs(60);
/// How long requests under way have to finish when the server stops.
const FAREWELL: Duration = Duration::from_secs(30);

/// A bound address.
pub struct Listener(TcpListener);

impl Listener {
    /// Binds an address.
    pub async fn bind(address: SocketAddr) -> io::Result<Listener> {
        TcpListener::bind(address).await.map(Listener)
    }

    /// The address; its port is the one that was chosen if none was named.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// Serves until `stop` is done, then answers what is under way.
pub async fn serve(listener: Listener, service: Service, stop: impl Future<Output = ()>) {
    let service = Arc::new(service);
    let connections = GracefulShutdown::new();
    let places = Arc::new(tokio::sync::Semaphore::new(MOST_CONNECTIONS));
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = accept(&listener.0, &places) => accepted,
        };
        let (stream, place) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, most likely: leave others time to end.
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let connection = connection(stream, Arc::clone(&service), &connections);
        tokio::spawn(async move {
            connection.await;
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(FAREWELL, connections.shutdown()).await.is_err() {
        tracing::warn!("some requests were still under way when the server stopped");
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<tokio::sync::Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, place))
}

fn connection(
    stream: TcpStream,
    service: Arc<Service>,
    connections: &GracefulShutdown,
) -> impl Future<Output = ()> + use<> {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no TCP_NODELAY");
    }
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_PATIENCE)
        .max_headers(MOST_HEADERS);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(256)
        .keep_alive_interval(HEADER_PATIENCE)
        .keep_alive_timeout(HEADER_PATIENCE);
    let spoken = Arc::new(AtomicBool::new(false));
    let speaks = Arc::clone(&spoken);
    let answer = service_fn(move |request| {
        let service = Arc::clone(&service);
        speaks.store(true, Ordering::Relaxed);
        async move { Ok::<_, Infallible>(service.answer(request).await) }
    });
    let connection = builder.serve_connection(TokioIo::new(stream), answer).into_owned();
    let watched = connections.watch(connection);
    async move {
        let ended = tokio::select! {
            ended = watched => ended,
            () = silence(spoken) => return,
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// Done if no request has come for too long; never, once one has.
async fn silence(spoken: Arc<AtomicBool>) {
    tokio::time::sleep(HEADER_PATIENCE).await;
    if spoken.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
}
