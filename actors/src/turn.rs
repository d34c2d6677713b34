//! A running turn: it carries one input through recall, model calls and tools to its end.
//!
//! It holds no truth. It does what its session tells it, reports what happened, and is told the next step when that is
//! on the disk; thrown away at any moment, another one goes on from the log.

mod activity;
mod call;
mod clean;
mod run;
mod tools;

pub use activity::{Activity, Phase};

use crate::{decide::tools::ToolResult, host::Host, session::Session, shared::Shared};
use actix::{
    Actor, ActorContext, Addr, AsyncContext, Context, Handler, Message, MessageResult, SpawnHandle, WrapFuture,
};
use dispatch_events::{Generation, StreamId, TurnId};
use std::{cell::RefCell, rc::Rc, sync::Arc};
use tracing::Instrument;

/// What a turn is started with.
#[derive(Clone)]
pub struct TurnStart {
    /// What every actor can reach.
    pub shared: Arc<Shared>,
    /// The way to the session if its actor dies.
    pub host: Addr<Host>,
    /// The session that records.
    pub session: Addr<Session>,
    /// Its stream.
    pub stream: StreamId,
    /// The turn.
    pub turn: TurnId,
    /// Its attempt.
    pub generation: Generation,
    /// Its clock.
    pub activity: Arc<Activity>,
}

/// What a turn has that its session may not have recorded; the session knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The last request.
    pub attempt: u32,
    /// Text that was shown of its answer.
    pub text: String,
    /// Results of calls of the last segment that have finished.
    pub done: Vec<ToolResult>,
}

/// The actor.
pub struct Turn {
    start: TurnStart,
    shown: Rc<RefCell<Shown>>,
    work: Option<SpawnHandle>,
}

impl Turn {
    /// A turn.
    pub fn new(start: TurnStart) -> Self {
        Self { start, shown: Rc::default(), work: None }
    }

    /// Dropping the work drops the connection to the model, closes a question and stops the tools.
    fn stop(&mut self, ctx: &mut Context<Self>) -> Shown {
        if let Some(work) = self.work.take() {
            ctx.cancel_future(work);
        }
        ctx.stop();
        self.shown.take()
    }
}

impl Actor for Turn {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        let span = tracing::info_span!(
            "turn",
            session = %self.start.stream,
            turn = %self.start.turn,
            correlation = %self.start.turn,
            generation = self.start.generation.0,
        );
        let work = run::run(self.start.clone(), self.shown.clone()).instrument(span).into_actor(self);
        let work = actix::ActorFutureExt::map(work, |(), _, ctx: &mut Self::Context| ctx.stop());
        self.work = Some(ctx.spawn(work));
    }
}

/// Stop now. Answered with what was shown of the last answer.
#[derive(Message)]
#[rtype(result = "Shown")]
pub struct StopTurn;

impl Handler<StopTurn> for Turn {
    type Result = MessageResult<StopTurn>;

    fn handle(&mut self, _: StopTurn, ctx: &mut Self::Context) -> Self::Result {
        MessageResult(self.stop(ctx))
    }
}

/// Stop now, if there was no sign of life for this many milliseconds. Answered with what was shown of the last answer;
/// `None` if the turn goes on.
#[derive(Message)]
#[rtype(result = "Option<Shown>")]
pub struct StopIfStill(pub u64);

impl Handler<StopIfStill> for Turn {
    type Result = MessageResult<StopIfStill>;

    fn handle(&mut self, StopIfStill(limit_ms): StopIfStill, ctx: &mut Self::Context) -> Self::Result {
        if self.start.activity.still_ms() < limit_ms {
            return MessageResult(None);
        }
        MessageResult(Some(self.stop(ctx)))
    }
}

/// Stop now; nobody records anything.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Abandon;

impl Handler<Abandon> for Turn {
    type Result = ();

    fn handle(&mut self, _: Abandon, ctx: &mut Self::Context) {
        self.stop(ctx);
    }
}
