//! Binding, running and stopping.

use super::{guard, routes, settings::GatewaySettings, state::Gateway};
use actix_web::{
    App, HttpServer,
    dev::ServerHandle,
    middleware::from_fn,
    web::{self, Data},
};
use dispatch_actors::HostHandle;
use std::{
    io,
    net::{SocketAddr, TcpListener, ToSocketAddrs},
    time::Duration,
};
use tokio::{sync::watch, task::JoinHandle};

/// Threads for reads of the log, for each worker.
const BLOCKING_THREADS: usize = 8;
/// Most time that a client may take for its request head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Time that a silent connection stays open for the next request.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// Why the gateway does not listen.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address means nothing.
    #[error("`{listen}` is not an address to listen on ({why}): give one like 127.0.0.1:8642 with `--listen`")]
    Address {
        /// What was asked for.
        listen: String,
        /// The reason.
        why: String,
    },
    /// Somebody else listens there.
    #[error(
        "{0} is in use: stop the program that listens there, or choose another address with `--listen` (port 0 picks a \
         free one)"
    )]
    InUse(SocketAddr),
    /// The system refuses the address.
    #[error("can't listen on {address} ({why}): choose another address with `--listen`")]
    Refused {
        /// The address.
        address: SocketAddr,
        /// The reason.
        why: io::Error,
    },
    /// Other machines could reach it, and its token is guessable.
    #[error(
        "{0} can be reached from other machines, and the API token is shorter than 16 characters: delete the file \
         `token` in the data folder so that a good one is made, or listen on 127.0.0.1"
    )]
    WeakToken(SocketAddr),
}

/// A listening gateway. Keep it: without it the event streams end.
pub struct Running {
    address: SocketAddr,
    gateway: Data<Gateway>,
    closing: watch::Sender<bool>,
    server: ServerHandle,
    task: JoinHandle<io::Result<()>>,
    upkeep: JoinHandle<()>,
}

impl Running {
    /// Where it listens; the port is the real one.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for people and for `host.json`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on `/readyz` answers 200, as long as the host takes work.
    pub fn mark_ready(&self) {
        self.gateway.mark_ready();
    }

    /// Whether `/readyz` answers 200.
    pub fn is_ready(&self) -> bool {
        self.gateway.unready().is_none()
    }

    /// Ends the event streams, lets running requests finish within the stop timeout, and closes the socket.
    pub async fn stop(self) {
        // Every worker holds a receiver; one that is gone needs no word.
        self.closing.send_replace(true);
        self.server.stop(true).await;
        if let Err(error) = self.task.await {
            tracing::warn!(%error, "the HTTP server did not end by itself");
        }
        self.upkeep.abort();
    }
}

/// Listens and answers. Call it inside an actix System. `/readyz` answers 503 until [`Running::mark_ready`].
///
/// # Errors
/// [`ServeError`], in words for the operator; nothing listens then.
pub fn serve(host: HostHandle, settings: GatewaySettings) -> Result<Running, ServeError> {
    let (listener, address) = bind(&settings)?;
    let (closing, closes) = watch::channel(false);
    let (workers, connections) = (settings.workers.max(1), settings.max_connections.max(2));
    let stop_timeout_s = settings.stop_timeout_s;
    let gateway = Data::new(Gateway::new(host, settings, closes));
    let data = gateway.clone();
    let server = HttpServer::new(move || {
        App::new()
            .app_data(data.clone())
            .wrap(from_fn(guard::admit))
            .wrap(from_fn(guard::observe))
            .configure(routes::register)
            .default_service(web::to(routes::unknown))
    })
    .workers(workers)
    // A small frame must not wait for the acknowledgement of the one before it.
    .tcp_nodelay(true)
    .worker_max_blocking_threads(BLOCKING_THREADS)
    .max_connections((connections / workers).max(1))
    .client_request_timeout(HEAD_TIMEOUT)
    .keep_alive(KEEP_ALIVE)
    .shutdown_timeout(stop_timeout_s)
    .disable_signals()
    .listen(listener)
    .map_err(|why| ServeError::Refused { address, why })?
    .run();
    let upkeep = actix_rt::spawn(gateway.metrics.clone().upkeep());
    Ok(Running { address, gateway, closing, server: server.handle(), task: actix_rt::spawn(server), upkeep })
}

fn bind(settings: &GatewaySettings) -> Result<(TcpListener, SocketAddr), ServeError> {
    let not_an_address = |why: String| ServeError::Address { listen: settings.listen.clone(), why };
    let mut addresses = settings.listen.to_socket_addrs().map_err(|error| not_an_address(error.to_string()))?;
    let address = addresses.next().ok_or_else(|| not_an_address("the name has no address".to_owned()))?;
    if !settings.token.guards(address) {
        return Err(ServeError::WeakToken(address));
    }
    let refused = |why: io::Error| match why.kind() {
        io::ErrorKind::AddrInUse => ServeError::InUse(address),
        _ => ServeError::Refused { address, why },
    };
    let listener = TcpListener::bind(address).map_err(refused)?;
    let bound = listener.local_addr().map_err(refused)?;
    Ok((listener, bound))
}
