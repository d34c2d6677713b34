//! The way to the host: the one that runs, or one inside this process. Every verb is written once, against this.
//!
//! Answers are the JSON documents of the API. Inside, they are made from the same views that the gateway serialises, so
//! `--json` says the same with a running host and without.

mod care;
pub mod client;
pub mod control;
pub mod inside;
pub mod running;
pub mod watch;

use super::{context::Context, exit::Failure};
use client::{Client, Query};
use dispatch_actors::{
    Forks, Opening, SessionRef, Stop, Submit,
    command::Change,
    handle::Besides,
    ports::{MemoryEdit, MemoryOperation},
};
use dispatch_events::{
    Part, Position, TurnId, Version,
    catalogue::{
        input::{Intent, Principal},
        memory::MemoryTarget,
    },
};
use dispatch_projections::view::ViewName;
use inside::Inside;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;
use watch::{Scope, Watch};

/// Longest wait for a folder that somebody holds who does not listen.
const PATIENCE: Duration = Duration::from_secs(4);
const PAUSE: Duration = Duration::from_millis(50);

/// The way to the host.
pub enum Door {
    /// A host inside this process, which holds the folder as long as the verb runs.
    Inside(Box<Inside>),
    /// The host that runs.
    Running(Client),
}

/// An input, as the command line gives it.
pub struct Input<'a> {
    /// The session.
    pub session: &'a str,
    /// What is said.
    pub text: &'a str,
    /// What it wants of a running turn.
    pub intent: Option<Intent>,
    /// The idempotency key.
    pub request: Option<&'a str>,
    /// Whether a session that is not there is opened.
    pub open: bool,
    /// Whether somebody waits for the answer: then a paused session refuses it.
    pub waits: bool,
}

/// Who the command line speaks for: whoever may read the data folder. The gateway names it the same, so an input means
/// the same whether a host runs or not.
pub fn principal() -> Principal {
    Principal { adapter: "cli".to_owned(), subject: "operator".to_owned() }
}

fn document(value: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(value).map_err(|error| Failure::failed(format!("the answer can't be shown: {error}")))
}

impl Door {
    /// The running host if there is one, else a host inside, without recovery.
    pub async fn open(context: &Context, verb: &str) -> Result<Self, Failure> {
        if let Some(file) = &context.file {
            return Ok(Self::Inside(Box::new(Inside::look(context, file)?)));
        }
        let door = Self::find_or_start(context, &format!("dispatch {verb}")).await?;
        if door.is_inside() {
            context.paper.note("no host is running here: this command holds the data folder while it runs");
        }
        Ok(door)
    }

    /// The running host if there is one, else a look at the log that writes nothing to it. No turn can run behind it.
    pub async fn open_to_look(context: &Context, verb: &str) -> Result<Self, Failure> {
        if let Some(file) = &context.file {
            return Ok(Self::Inside(Box::new(Inside::look(context, file)?)));
        }
        let what = format!("dispatch {verb}");
        let mut waited = Duration::ZERO;
        loop {
            if let Some(client) = running::find(context).await? {
                return Ok(Self::Running(client));
            }
            match Inside::look_at_folder(context, &what) {
                Err(failure) if failure.is_held() && waited < PATIENCE => {}
                looking => return Ok(Self::Inside(Box::new(looking?))),
            }
            actix_rt::time::sleep(PAUSE).await;
            waited += PAUSE;
        }
    }

    /// As [`Self::open`], without a word. A folder that somebody holds who does not listen is waited for: it is a host
    /// that is about to listen, or a verb that is about to end.
    pub(super) async fn find_or_start(context: &Context, what: &str) -> Result<Self, Failure> {
        let mut waited = Duration::ZERO;
        loop {
            if let Some(client) = running::find(context).await? {
                return Ok(Self::Running(client));
            }
            match Inside::start(context, what, false).await {
                Ok(inside) => return Ok(Self::Inside(Box::new(inside))),
                Err(failure) if !failure.is_held() || waited >= PATIENCE => return Err(failure),
                Err(_) => {}
            }
            actix_rt::time::sleep(PAUSE).await;
            waited += PAUSE;
        }
    }

    /// Whether the host is inside this process.
    pub fn is_inside(&self) -> bool {
        matches!(self, Self::Inside(_))
    }

    /// Gives the folder back.
    pub async fn close(self) {
        if let Self::Inside(inside) = self {
            inside.stop("the command is done").await;
        }
    }

    /// Opens a session.
    pub async fn new_session(&self, name: Option<&str>) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => {
                let name = name.map(str::to_owned);
                document(&inside.handle.open(name, Opening::plain("cli"), principal()).await?)
            }
            Self::Running(client) => client.post(&["api", "sessions"], &json!({"name": name, "source": "cli"})).await,
        }
    }

    /// Sends an input; the answer is the receipt.
    pub async fn submit(&self, input: Input<'_>) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => {
                let submit = Submit {
                    request: input.request.map(str::to_owned),
                    intent: input.intent,
                    not_while_paused: input.waits,
                    opening: input.open.then(|| Opening::plain("cli")),
                    ..Submit::new(principal(), vec![Part::Text(input.text.to_owned())])
                };
                document(&inside.handle.submit(&SessionRef::from(input.session), submit).await?)
            }
            Self::Running(client) => {
                let intent = input.intent.map(|intent| format!("{intent:?}").to_lowercase());
                let parts = json!([{"type": "text", "text": input.text}]);
                let body = json!({
                    "request_id": input.request, "intent": intent, "parts": parts, "open": input.open,
                    "not_while_paused": input.waits,
                });
                client.post(&["api", "sessions", input.session, "input"], &body).await
            }
        }
    }

    /// Stops the running turn, or only the one that is named.
    pub async fn interrupt(&self, session: &str, turn: Option<TurnId>) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => document(
                &inside.handle.interrupt(&session.into(), principal(), Stop { turn, ..Stop::default() }).await?,
            ),
            Self::Running(client) => {
                client.post(&["api", "sessions", session, "interrupt"], &json!({"turn": turn})).await
            }
        }
    }

    /// A session in one row.
    pub async fn summary(&self, session: &str) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => document(&inside.handle.summary(&session.into()).await?),
            Self::Running(client) => client.get(&["api", "sessions", session], &[]).await,
        }
    }

    /// Sessions in the order in which they began, behind the session `after`.
    pub async fn sessions(&self, after: Option<&str>, limit: usize, besides: Besides) -> Result<Vec<Value>, Failure> {
        let found = match self {
            Self::Inside(inside) => {
                document(&inside.handle.list(after.and_then(|after| after.parse().ok()), limit, besides).await?)?
            }
            Self::Running(client) => {
                let mut query = vec![
                    ("limit", limit.to_string()),
                    ("erased", besides.erased.to_string()),
                    ("archived", besides.archived.to_string()),
                ];
                query.extend(after.map(|after| ("after", after.to_owned())));
                client.get(&["api", "sessions"], &query).await?
            }
        };
        let list = if found.is_array() { &found } else { &found["sessions"] };
        Ok(list.as_array().cloned().unwrap_or_default())
    }

    /// Gives a session another name.
    pub async fn rename(&self, session: &str, name: &str) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => {
                document(&inside.handle.rename(&session.into(), name, Change::by(principal())).await?)
            }
            Self::Running(client) => client.patch(&["api", "sessions", session], &json!({"name": name})).await,
        }
    }

    /// Erases a session for good.
    pub async fn erase(&self, session: &str, forks: Forks) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => document(&inside.handle.erase(&session.into(), principal(), forks).await?),
            Self::Running(client) => {
                let query: &[Query] = match forks {
                    Forks::Refuse => &[],
                    Forks::Keep => &[("forks", "keep".to_owned())],
                    Forks::EraseAll => &[("forks", "erase".to_owned())],
                };
                client.delete(&["api", "sessions", session], query).await
            }
        }
    }

    /// A view of a session, as of a version.
    pub async fn view(&self, session: &str, view: ViewName, at: Option<u64>) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => Ok(inside.handle.view(&session.into(), view, at.map(Version)).await?),
            Self::Running(client) => {
                let query: Vec<_> = at.map(|version| ("at", version.to_string())).into_iter().collect();
                client.get(&["api", "sessions", session, "view", view.as_str()], &query).await
            }
        }
    }

    /// Whether each request of a session extends the one before it.
    pub async fn prefix(&self, session: &str) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => document(&inside.handle.prefix(&session.into()).await?),
            Self::Running(client) => client.get(&["api", "audit", "prefix"], &[("session", session.to_owned())]).await,
        }
    }

    /// Events from a number on, catch-up then live.
    pub async fn watch(&self, scope: Scope<'_>, from: u64) -> Result<Watch, Failure> {
        match self {
            Self::Inside(inside) => {
                let handle = &inside.handle;
                Ok(Watch::inside(match scope {
                    Scope::Session(session) => handle.subscribe(handle.resolve(&session.into()).await?, Version(from)),
                    Scope::Log => handle.subscribe_log(Position(from)),
                }))
            }
            Self::Running(client) => Watch::far(client, scope, from).await,
        }
    }

    /// The number of the last event there is.
    pub async fn end(&self, scope: Scope<'_>) -> Result<u64, Failure> {
        match (scope, self) {
            (Scope::Session(session), _) => Ok(super::paper::words::number(&self.summary(session).await?, "version")),
            (Scope::Log, Self::Inside(inside)) => Ok(inside.handle.health().position.0),
            (Scope::Log, Self::Running(_)) => Ok(super::paper::words::number(&self.health().await?, "position")),
        }
    }

    /// How the host is.
    pub async fn health(&self) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => document(&inside.handle.health()),
            Self::Running(client) => client.get(&["api", "doctor"], &[]).await,
        }
    }

    /// The memory files and the backend.
    pub async fn memory(&self) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => document(&inside.handle.memory_show().await?),
            Self::Running(client) => client.get(&["api", "memory"], &[]).await,
        }
    }

    /// Changes a memory file; the answer says what became of it.
    pub async fn memory_edit(&self, target: MemoryTarget, operation: MemoryOperation) -> Result<String, Failure> {
        match self {
            Self::Inside(inside) => {
                let edit = MemoryEdit { target, operations: vec![operation] };
                Ok(inside.handle.memory_edit(edit, "cli").await?)
            }
            Self::Running(client) => {
                let body = edit_body(target, &operation);
                Ok(super::paper::words::at(&client.post(&["api", "memory"], &body).await?, "summary"))
            }
        }
    }

    /// When each memory may shape the agent.
    pub async fn memory_timeline(&self) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => document(&inside.handle.memory_timeline().await?),
            Self::Running(client) => client.get(&["api", "memory", "timeline"], &[]).await,
        }
    }

    /// The tools.
    pub async fn tools(&self) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => Ok(json!({"tools": document(&inside.handle.tools())?})),
            Self::Running(client) => client.get(&["api", "tools"], &[]).await,
        }
    }
}

fn edit_body(target: MemoryTarget, operation: &MemoryOperation) -> Value {
    let target = match target {
        MemoryTarget::Memory => "memory",
        MemoryTarget::User => "user",
    };
    let operation = match operation {
        MemoryOperation::Add { content } => json!({"op": "add", "content": content}),
        MemoryOperation::Replace { old_text, content } => {
            json!({"op": "replace", "old_text": old_text, "content": content})
        }
        MemoryOperation::Remove { old_text } => json!({"op": "remove", "old_text": old_text}),
    };
    json!({"target": target, "operations": [operation]})
}
