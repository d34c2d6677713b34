//! `dispatch serve`.

use super::{
    context::Context,
    door::{inside::Inside, running},
    exit::{Exit, Failure},
    paper::Paper,
};
use crate::{
    config::{
        Loaded,
        host_file::{HostFile, Published},
        token,
    },
    gateway::{self, GatewaySettings, Running, ServeError, Token},
};
use clap::Args;
use dispatch_actors::HostHandle;
use dispatch_events::{Clock, SystemClock};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Longest wait for a folder that somebody holds who does not listen.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(100);
/// A terminal, a shell and a supervisor may each pass on the same signal: repeats within this are one.
const ONE_SIGNAL: Duration = Duration::from_secs(1);

/// Run the host in the foreground
#[derive(Debug, Args)]
pub struct Serve {
    /// Address and port; port 0 picks a free one [default: 127.0.0.1:8642]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
}

impl Serve {
    /// Serves until a signal, then drains.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        // Before anything is started: a signal in the first milliseconds drains too.
        let mut signals = Signals::listen()?;
        let inside = start(context).await?;
        let listening = match Listening::start(context, &inside, self.listen.as_deref()) {
            Ok(listening) => listening,
            Err(failure) => {
                inside.stop("it could not listen").await;
                return Err(failure);
            }
        };
        banner(context.paper, context, &inside.handle, &inside.loaded);
        if listening.is_public() && inside.loaded.settings.gateway.hosts.is_empty() {
            context.paper.note(
                "hosts        only requests to localhost are taken: name this machine in `gateway.hosts` \
                                to let others in",
            );
        }
        let said = context.paper.line(format_args!("dispatch is ready at {}", listening.url));
        let reason = match said {
            // Nobody reads the line: the host serves all the same.
            Ok(()) | Err(Failure { exit: Exit::Done, .. }) => signals.next().await,
            Err(failure) => failure.message,
        };
        context.paper.note(format_args!("{reason}: no new work; running turns end (once more stops at once)"));
        tokio::select! {
            () = listening.stop(inside, &reason) => {
                context.paper.note("stopped");
                Ok(Exit::Done)
            }
            again = signals.again() => Err(Failure::failed(format!(
                "{again} again: stopped at once; what was running goes on at the next start"
            ))),
        }
    }
}

/// Takes the folder. A verb without a host holds it for a moment, and so does a host that is about to end: a short wait
/// is kinder than a refusal. A host that answers is no case for waiting.
async fn start(context: &Context) -> Result<Inside, Failure> {
    let mut waited = Duration::ZERO;
    loop {
        let refused = match Inside::start(context, "dispatch serve", true).await {
            Err(failure) if failure.is_held() => failure,
            other => return other,
        };
        if let Some(client) = running::find(context).await? {
            let message = format!("{}; it answers at {}", refused.message, client.url());
            return Err(Failure { message, ..refused });
        }
        if waited >= PATIENCE {
            return Err(refused);
        }
        actix_rt::time::sleep(PAUSE).await;
        waited += PAUSE;
    }
}

/// SIGTERM and SIGINT.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Result<Self, Failure> {
        let on = |kind| signal(kind).map_err(|error| Failure::failed(format!("signals can't be received: {error}")));
        Ok(Self { terminate: on(SignalKind::terminate())?, interrupt: on(SignalKind::interrupt())? })
    }

    /// The next one that is not the last one passed on twice.
    async fn again(&mut self) -> String {
        let begun = tokio::time::Instant::now();
        loop {
            let signal = self.next().await;
            if begun.elapsed() >= ONE_SIGNAL {
                return signal;
            }
        }
    }

    async fn next(&mut self) -> String {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM".to_owned(),
            _ = self.interrupt.recv() => "SIGINT".to_owned(),
        }
    }
}

/// A host that can be reached: its gateway, and `host.json`.
pub(super) struct Listening {
    gateway: Running,
    published: Published,
    /// Where it is reached from this machine.
    pub url: String,
}

impl Listening {
    /// Listens where the flag or the settings say, writes `host.json`, and is ready.
    pub(super) fn start(context: &Context, inside: &Inside, listen: Option<&str>) -> Result<Self, Failure> {
        let settings = gateway_settings(context, &inside.loaded, listen)?;
        let gateway = gateway::serve(inside.handle.clone(), settings).map_err(|error| not_listening(&error))?;
        Self::publish(context, gateway)
    }

    /// As [`Self::start`], on any free port where the usual one is taken: for a host that only its own folder's
    /// commands look for.
    pub(super) fn anywhere(context: &Context, inside: &Inside) -> Result<Self, Failure> {
        let settings = gateway_settings(context, &inside.loaded, None)?;
        let gateway = match gateway::serve(inside.handle.clone(), settings.clone()) {
            Err(ServeError::InUse(address)) => {
                let listen = std::net::SocketAddr::new(address.ip(), 0).to_string();
                gateway::serve(inside.handle.clone(), GatewaySettings { listen, ..settings })
            }
            other => other,
        };
        Self::publish(context, gateway.map_err(|error| not_listening(&error))?)
    }

    fn publish(context: &Context, gateway: Running) -> Result<Self, Failure> {
        let url = reachable(&gateway);
        let file = HostFile::this(&url, SystemClock.now());
        let published = file
            .publish(&context.folder.host_file())
            .map_err(|error| Failure::failed(format!("host.json can't be written: {error}")))?;
        gateway.mark_ready();
        Ok(Self { gateway, published, url })
    }

    /// Whether other machines may reach the address.
    fn is_public(&self) -> bool {
        !self.gateway.address().ip().is_loopback()
    }

    /// Refuses new work, lets the running end, then closes.
    pub(super) async fn stop(self, inside: Inside, reason: &str) {
        // The gateway still answers while the host drains, so a client that waits gets its answer.
        inside.stop(reason).await;
        drop(self.published);
        self.gateway.stop().await;
    }
}

fn not_listening(error: &ServeError) -> Failure {
    let exit = if matches!(error, ServeError::Address { .. }) { Exit::Usage } else { Exit::Failed };
    Failure::new(exit, error.to_string())
}

fn gateway_settings(context: &Context, loaded: &Loaded, listen: Option<&str>) -> Result<GatewaySettings, Failure> {
    let token =
        token::read_or_make(&context.folder.token_file()).map_err(|error| Failure::failed(error.to_string()))?;
    let token = Token::new(&token).map_err(|error| Failure::failed(error.to_string()))?;
    let given = &loaded.settings.gateway;
    let mut settings = GatewaySettings::new(listen.unwrap_or(&given.listen), token);
    settings.folder = Some(context.folder.clone());
    settings.allowed_hosts.extend(given.hosts.iter().cloned());
    settings.allowed_origins.extend(given.origins.iter().cloned());
    Ok(settings)
}

/// A host that listens on every address is reached on this machine by the loopback one.
fn reachable(gateway: &Running) -> String {
    let address = gateway.address();
    if !address.ip().is_unspecified() {
        return gateway.url();
    }
    let host = if address.is_ipv4() { "127.0.0.1" } else { "[::1]" };
    format!("http://{host}:{}", address.port())
}

/// What the host works with, for whoever starts it.
pub(super) fn banner(paper: Paper, context: &Context, handle: &HostHandle, loaded: &Loaded) {
    let model = handle.default_model();
    paper.note(format_args!("data folder  {}", context.folder.path().display()));
    paper.note(format_args!("log          in {}", handle.health().engine));
    if model.rehearsal {
        paper.note(
            "model        rehearsal: a built-in script answers, no model is called. `dispatch config init` sets \
                    up a real one",
        );
    } else {
        paper.note(format_args!("model        {} ({} at {})", model.name, model.model, model.base_url));
    }
    paper.note(format_args!("workspace    {}", crate::assemble::workspace(&context.folder, loaded).display()));
    match memory_destination(loaded, context) {
        Some(destination) => paper.note(format_args!("memory       {destination}")),
        None => paper.note("memory       two files in the data folder; nothing leaves the machine"),
    }
}

fn memory_destination(loaded: &Loaded, context: &Context) -> Option<String> {
    let secrets = context.secrets().ok()?;
    let backend = crate::assemble::backend(loaded, &secrets).ok()??;
    Some(format!("{}: {}", backend.name(), backend.destination()))
}
