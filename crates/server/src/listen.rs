//! Takes connections, and lets those under way finish when the server stops.

use crate::{
    connections::{Connections, Place, ROUND},
    counted::Counted,
    service::Service,
};
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
    time::{Duration, Instant},
};
use store::Planted;
use tokio::net::{TcpListener, TcpStream};

/// More headers than a request within the limit on their bytes is likely to have. Room for
/// them is set aside with every request.
const MOST_HEADERS: usize = 400;
/// What is read at once, and the most that a head can have before it is refused unread.
const READ_BYTES: usize = 80 * 1024;
/// Requests at once on a connection of HTTP/2.
const MOST_STREAMS: u32 = 128;
/// What a connection of HTTP/2 may have sent that nobody has read yet.
const WINDOW: u32 = 256 * 1024;
/// How long requests under way have to finish when the server stops.
const FAREWELL: Duration = Duration::from_secs(30);
/// How long to leave others time to end when there are no file descriptors.
const PAUSE: Duration = Duration::from_millis(50);
/// How often that is said.
const WARNING: Duration = Duration::from_secs(10);

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
    let watched = GracefulShutdown::new();
    let connections = Arc::new(Connections::new(service.limits()));
    let watch = tokio::spawn(watch(Arc::clone(&connections), Arc::clone(&service)));
    let mut stop = std::pin::pin!(stop);
    let mut warned: Option<Instant> = None;
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = accept(&listener.0, &connections) => accepted,
        };
        match accepted {
            Ok(stream) => {
                let place = connections.enter();
                tokio::spawn(connection(stream, Arc::clone(&service), place, &watched));
            }
            Err(error) => {
                // Out of file descriptors, most likely.
                connections.dismiss_quietest();
                if warned.is_none_or(|last| last.elapsed() > WARNING) {
                    tracing::warn!(%error, "a connection could not be taken");
                    warned = Some(Instant::now());
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(FAREWELL, watched.shutdown()).await.is_err() {
        tracing::warn!("some requests were still under way when the server stopped");
    }
    watch.abort();
}

async fn accept(listener: &TcpListener, connections: &Connections) -> io::Result<TcpStream> {
    let (stream, _) = listener.accept().await?;
    connections.make_room().await;
    Ok(stream)
}

/// Looks after clients that do not take their answers.
async fn watch(connections: Arc<Connections>, service: Arc<Service>) {
    loop {
        tokio::time::sleep(ROUND).await;
        connections.dismiss_stuck(service.is_crowded());
    }
}

fn connection(
    stream: TcpStream,
    service: Arc<Service>,
    place: Place,
    watched: &GracefulShutdown,
) -> impl Future<Output = ()> + use<> {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no TCP_NODELAY");
    }
    let patience = service.limits().patience;
    let kept = if Planted::KeptConnections.is_on() { keep(&stream) } else { None };
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(READ_BYTES)
        .max_headers(MOST_HEADERS);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MOST_STREAMS)
        .initial_connection_window_size(WINDOW)
        .initial_stream_window_size(WINDOW)
        .keep_alive_interval(patience)
        .keep_alive_timeout(patience);
    let spoken = Arc::new(AtomicBool::new(false));
    let speaks = Arc::clone(&spoken);
    let standing = Arc::clone(&place.standing);
    let answer = service_fn(move |request| {
        let (service, standing) = (Arc::clone(&service), Arc::clone(&standing));
        speaks.store(true, Ordering::Relaxed);
        async move { Ok::<_, Infallible>(service.answer(request, standing).await) }
    });
    let stream = Counted::new(stream, Arc::clone(&place.standing));
    let connection = builder.serve_connection(TokioIo::new(stream), answer).into_owned();
    let connection = watched.watch(connection);
    async move {
        let ended = tokio::select! {
            biased;
            ended = connection => ended,
            () = silence(spoken, patience) => return,
            () = place.standing.dismissed() => return,
        };
        std::mem::forget(kept);
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// A second descriptor of the connection.
fn keep(stream: &TcpStream) -> Option<std::os::fd::OwnedFd> {
    use std::os::fd::AsFd;
    stream.as_fd().try_clone_to_owned().ok()
}

/// Done if no request has come for too long; never, once one has.
async fn silence(spoken: Arc<AtomicBool>, patience: Duration) {
    tokio::time::sleep(patience).await;
    if spoken.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
}
