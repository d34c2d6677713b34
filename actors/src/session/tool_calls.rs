//! Tools: checked, announced, handed to the turn; their results recorded together with the next request.

use super::{
    Session,
    report::{RunnableCall, Step, Stepping},
    request::Planned,
};
use crate::{
    decide::{
        approve,
        tools::{self, Candidate, ToolResult, refused, segment},
    },
    memory_worker::ToolMemory,
    ports::{Progress, ToolContext, ToolInvocation},
};
use actix::{ActorFutureExt, AtomicResponse, Context, Handler, Message, fut};
use dispatch_events::{
    Event, Generation, TurnId,
    catalogue::tool::{CallRef, ToolProgressed},
};
use dispatch_projections::tools::CallState;
use std::sync::Arc;

impl Session {
    /// Starts the next segment of the turn's open calls; `before` and `done` are appended with it.
    pub(super) fn run_tools(&mut self, turn: TurnId, mut before: Vec<Event>, mut done: Vec<ToolResult>) -> Stepping {
        let candidates = self.candidates(turn, &done);
        let refused = refused(&candidates);
        before.extend(tools::finish(turn, &refused));
        let rest = &candidates[refused.len()..];
        done.extend(refused);
        // A consent is asked for when it is the call's turn: what comes before it is done by then.
        if let Some(request) = rest.first().and_then(|first| first.consent.clone()) {
            return self.ask(request, before);
        }
        let next = segment(rest);
        if next.is_empty() {
            return self.request(turn, before, Planned { results: done, ..Planned::default() });
        }
        before.extend(tools::start(turn, &next));
        let runnable: Vec<_> = next.iter().filter_map(|(call, _)| self.runnable(turn, *call)).collect();
        self.record(turn, before, move |_| Step::RunTools(runnable))
    }

    pub(super) fn tools_finished(&mut self, turn: TurnId, results: Vec<ToolResult>) -> Stepping {
        let events = tools::finish(turn, &results);
        self.run_tools(turn, events, results)
    }

    /// The turn's open calls in order, without those that have just got their result.
    fn candidates(&self, turn: TurnId, done: &[ToolResult]) -> Vec<Candidate> {
        self.state
            .tools
            .open(turn)
            .filter(|open| !matches!(open.state, CallState::Unknown { .. }))
            .filter(|open| !done.iter().any(|result| result.call == open.call))
            .map(|open| {
                let fitness = self.fitness(open.call);
                let class = fitness.as_ref().ok().map(|(class, _)| *class);
                let consent = class.and_then(|class| self.consent(turn, open.call, class));
                Candidate { call: open.call, fitness, consent }
            })
            .collect()
    }

    fn fitness(&self, at: CallRef) -> Result<(dispatch_events::catalogue::tool::EffectClass, bool), String> {
        if let Some(CallState::Denied { why }) = self.state.tools.get(at).map(|known| &known.state) {
            return Err(approve::refused(why));
        }
        let call = self.state.transcript.call(at).ok_or("Error: the call is not in the log.")?;
        let names = self.state.prompt.tools.as_ref().map(|tools| tools.names.as_slice()).unwrap_or_default();
        if !names.contains(&call.tool) {
            return Err(format!("Error: there is no tool `{}`. The tools are {}.", call.tool, names.join(", ")));
        }
        self.shared.toolbox.check(&call.tool, &call.arguments).map_err(|why| format!("Error: {why}"))?;
        let tool = self.shared.toolbox.tool(&call.tool).ok_or("Error: the tool is not available now.")?;
        Ok((tool.class(), tool.parallel()))
    }

    fn runnable(&self, turn: TurnId, at: CallRef) -> Option<RunnableCall> {
        let call = self.state.transcript.call(at)?;
        let context = ToolContext {
            session: self.id,
            turn,
            previous: self.state.transcript.last_output(&call.tool).map(str::to_owned),
            memory: Arc::new(ToolMemory(self.shared.memory.clone())),
            progress: Progress::nowhere(),
        };
        let invocation = ToolInvocation { arguments: call.arguments.clone(), context };
        Some(RunnableCall { call: at, tool: self.shared.toolbox.tool(&call.tool)?, invocation })
    }
}

/// What a tool said that still runs. Nobody waits for it.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Progressed {
    /// The turn.
    pub turn: TurnId,
    /// Its attempt.
    pub generation: Generation,
    /// The call.
    pub call: CallRef,
    /// The piece since the last one.
    pub output: String,
}

impl Handler<Progressed> for Session {
    type Result = AtomicResponse<Self, ()>;

    fn handle(&mut self, progressed: Progressed, _: &mut Context<Self>) -> Self::Result {
        let Progressed { turn, generation, call, output } = progressed;
        let runs = self.state.tools.get(call).is_some_and(|known| matches!(known.state, CallState::Started { .. }));
        if !runs || !self.is_running(turn, generation) {
            return AtomicResponse::new(Box::pin(fut::ready(())));
        }
        let event = ToolProgressed { turn, call, output }.into();
        AtomicResponse::new(Box::pin(self.record(turn, vec![event], |_| Step::Done).map(|_, _, _| ())))
    }
}
