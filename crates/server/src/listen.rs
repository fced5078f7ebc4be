//! Takes connections, and lets those under way finish when the server stops.

use crate::{
    connections::{Connections, Place, ROUND},
    http::{
        one::{self, Ended},
        two,
    },
    service::Service,
};
use std::{
    error::Error,
    future::Future,
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};
use store::Planted;
use tokio::net::{TcpListener, TcpStream};

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
                tokio::spawn(connection(stream, Arc::clone(&service), place));
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
    if tokio::time::timeout(FAREWELL, connections.close()).await.is_err() {
        tracing::warn!("some requests were still under way when the server stopped");
    }
    watch.abort();
}

async fn accept(listener: &TcpListener, connections: &Connections) -> io::Result<TcpStream> {
    let (stream, _) = listener.accept().await?;
    connections.make_room().await;
    Ok(stream)
}

/// Looks after clients that say nothing, or do not take their answers.
async fn watch(connections: Arc<Connections>, service: Arc<Service>) {
    loop {
        tokio::time::sleep(ROUND).await;
        connections.dismiss_silent();
        connections.dismiss_stuck(service.is_crowded());
    }
}

/// Serves one connection, until it is over or has to go.
async fn connection(mut stream: TcpStream, service: Arc<Service>, place: Place) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no TCP_NODELAY");
    }
    let kept = if Planted::KeptConnections.is_on() { keep(&stream) } else { None };
    let ended = tokio::select! {
        biased;
        ended = one::converse(&mut stream, &service, &place) => ended,
        () = place.standing.dismissed() => return place.standing.cut_off(&stream),
    };
    let ended: Result<(), Box<dyn Error + Send + Sync>> = match ended {
        Err(error) => Err(error.into()),
        Ok(Ended::Here) => Ok(()),
        Ok(Ended::InHttp2(first)) => tokio::select! {
            biased;
            ended = two::converse(stream, first, &service, &place) => ended.map_err(Into::into),
            () = place.standing.dismissed() => return,
        },
    };
    std::mem::forget(kept);
    if let Err(error) = ended {
        tracing::debug!(error, "a connection ended early");
    }
}

/// A second descriptor of the connection.
fn keep(stream: &TcpStream) -> Option<std::os::fd::OwnedFd> {
    use std::os::fd::AsFd;
    stream.as_fd().try_clone_to_owned().ok()
}
