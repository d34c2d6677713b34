//! The listener, its thread and its end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::incoming::next_request;
use super::play::play;
use super::reply::{Framing, Reply};
use super::request::{Ended, Request};
use super::wire::Wire;

/// Turns a request into an answer. It runs on the server's thread, so it must not block.
pub type Handler = Arc<dyn Fn(&Arc<Request>) -> Reply + Send + Sync>;

/// A running server. Dropping it closes the listener and every connection.
///
/// It has a thread and a runtime of its own: a test may use any runtime or none, and may block its own.
pub struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens on the address (port 0 picks one) and answers from now on. The name is that of its thread.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub fn start(name: &str, address: SocketAddr, handler: Handler) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // Bound here and not in the thread: a test that runs inside a runtime may not block on another one, and the
        // address is known before this returns.
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).expect("a listener that does not block");
                accept(listener, handler, stopped).await;
            });
        })?;
        Ok(Self { address, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been printed by its hook; a second one here would hide the test's own.
            thread.join().ok();
        }
    }
}

async fn accept(listener: TcpListener, handler: Handler, mut stopped: oneshot::Receiver<()>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => return,
            accepted = listener.accept() => if let Ok((socket, _)) = accepted {
                connections.spawn(converse(socket, handler.clone()));
            },
            // A script that panics has been printed by the hook and costs its connection, nothing else.
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

/// Answers the requests of one connection, one after the other.
async fn converse(socket: TcpStream, handler: Handler) {
    let Ok(mut wire) = Wire::new(socket) else { return };
    // A client that sends no valid HTTP gets its connection closed: only the host's own client calls here.
    while let Ok(Some(request)) = next_request(&mut wire).await {
        let request = Arc::new(request);
        let reply = handler(&request);
        let reusable = reply.framing != Framing::Raw && !request.wants_close();
        let outcome = play(&mut wire, &request, reply).await;
        request.settle(outcome);
        if outcome.ended != Ended::Whole || !reusable {
            break;
        }
    }
    wire.close().await;
}
