//! The request that goes out next: rendered, announced, and handed out only when the announcement is on the disk.

use super::{
    Session,
    report::{Outgoing, Preparation, Step, Stepping},
};
use crate::{
    decide::{
        failure,
        prepare::{self, PromptTexts},
        request::{RequestFacts, announce},
        steer::steer,
        tools::ToolResult,
    },
    ports::{HeadInput, ModelCall},
    shared::Shared,
    wire::{Rendered, Target},
};
use dispatch_events::{Event, TurnId};
use dispatch_projections::{SessionState, replay::WireMessage};
use std::sync::Arc;

/// What the request holds that the state does not have yet, because it is appended together with the announcement.
#[derive(Default)]
pub(super) struct Planned {
    /// The user message as it is sent.
    pub user: Option<String>,
    /// Tool results.
    pub results: Vec<ToolResult>,
    /// Messages that are put into the turn behind them.
    pub steers: Vec<String>,
    /// System prompt.
    pub system: Option<String>,
}

impl Session {
    /// The first request of a turn: prompt and tools if they are not frozen yet, recall, the user message.
    pub(super) fn first_request(&mut self, turn: TurnId, preparation: &Preparation) -> Stepping {
        let mut events = Vec::new();
        let mut planned = Planned::default();
        if let Some(snapshot) = preparation.snapshot.as_ref().filter(|_| self.state.prompt.built.is_none()) {
            let date = self.shared.now().utc().format("Today is %A, %B %-d, %Y (UTC).").to_string();
            let stable = (self.shared.stable.text, &*self.shared.stable.says);
            let agent = self.state.opened.as_ref().map_or("main", |opened| opened.agent.as_str());
            let texts = PromptTexts { stable, snapshot, date: &date, agent };
            let (built, text) = prepare::build_prompt(&self.state, texts);
            events.extend(built);
            let toolset = &self.shared.toolset;
            events.push(prepare::freeze_tools(toolset.schemas.text, &toolset.names));
            planned.system = Some(text);
        }
        let Some((message, sent)) = prepare::user_message(&self.state, turn, &preparation.recall) else {
            return self.proceed(turn);
        };
        events.extend(message);
        planned.user = Some(sent);
        self.request(turn, events, planned)
    }

    /// Announces a request together with `events`, then hands it out.
    pub(super) fn request(&mut self, turn: TurnId, mut events: Vec<Event>, mut planned: Planned) -> Stepping {
        let attempts = self.state.turns.get(turn).map_or(0, |turn| turn.attempts);
        let limit = self.shared.settings.max_model_calls;
        let answers = self.state.turns.get(turn).map_or(0, |turn| turn.answers);
        if answers >= limit {
            let message = format!(
                "the turn made {limit} model calls without a final answer: ask for less at once, or raise turn.max_model_calls"
            );
            events.extend(failure::fail(&self.state, turn, "model_call_limit", &message, self.claim_facts()));
            return self.record(turn, events, |_| Step::Done);
        }
        let target = match target(&self.shared, &self.state) {
            Ok(target) => target,
            Err(message) => {
                events.extend(failure::fail(&self.state, turn, "model_failed", &message, self.claim_facts()));
                return self.record(turn, events, |_| Step::Done);
            }
        };
        // Only into a turn that goes on: what is not put in here becomes the next turn.
        let steered = steer(&self.state, turn, !planned.results.is_empty(), &*self.shared.policy);
        events.extend(steered.events);
        planned.steers = steered.messages;
        let rendered = self.render(&target, &planned);
        let profile = &target.model.profile;
        let parameters = target.dialect.parameters(profile.stream);
        let body = rendered.body(&parameters);
        let facts = RequestFacts {
            turn,
            profile: &profile.name,
            model: &profile.model,
            dialect: target.dialect.name(),
            dialect_version: target.dialect.version(),
            parameters,
            length: body.len() as u64,
        };
        events.extend(announce(&self.state, &rendered, facts));
        self.rendered = Some(rendered);
        let call = ModelCall { body, stream: profile.stream };
        let outgoing = Outgoing { model: target.model, call, attempt: attempts + 1 };
        self.record(turn, events, move |_| Step::Call(outgoing))
    }

    /// The whole conversation as it goes out, rendering only what is new.
    fn render(&mut self, target: &Target, planned: &Planned) -> Rendered {
        let current = self.rendered.take().filter(|rendered| {
            let same = rendered.dialect().name() == target.dialect.name()
                && rendered.dialect().version() == target.dialect.version();
            same && rendered.model() == target.model.profile.model
        });
        let mut rendered =
            current.unwrap_or_else(|| head(&self.shared, &self.state, target, planned.system.as_deref()));
        let output =
            |call| planned.results.iter().find(|result| result.call == call).map(|result| result.output.as_str());
        rendered.extend(self.state.transcript.wire_messages_with(rendered.len(), output));
        let said = planned.user.iter().chain(&planned.steers);
        rendered.extend(said.map(|text| WireMessage::User { text: text.clone() }));
        rendered
    }
}

/// The rendered conversation of a session whose prompt is built, for a session that comes back.
pub(super) fn rendered(shared: &Arc<Shared>, state: &SessionState) -> Option<Rendered> {
    state.prompt.built.as_ref()?;
    let target = target(shared, state).ok()?;
    let mut rendered = head(shared, state, &target, None);
    let whole = state.transcript.whole_len();
    rendered.extend(state.transcript.wire_messages(0).take(whole));
    Some(rendered)
}

fn head(shared: &Shared, state: &SessionState, target: &Target, planned: Option<&str>) -> Rendered {
    let built = state.prompt.built.as_ref().map(dispatch_projections::prompt::BuiltPrompt::text);
    let system = built.as_deref().or(planned).unwrap_or_default();
    let tools = state.prompt.tools.as_ref().map_or(&*shared.toolset.schemas.says, |tools| &*tools.schemas);
    let head = HeadInput { model: &target.model.profile.model, system, tools };
    Rendered::new(target.dialect.clone(), head)
}

/// The model and the renderer of a session's next request: the ones of its last request, for as long as they are there;
/// of a fork that was given another model, that one.
pub(crate) fn target(shared: &Shared, state: &SessionState) -> Result<Target, String> {
    if let Some(model) = state.calls.wanted().and_then(|wanted| shared.models.model(wanted)) {
        return Ok(Target { dialect: model.dialect.clone(), model });
    }
    let Some(last) = state.calls.last() else {
        let model = shared.models.default_model();
        return Ok(Target { dialect: model.dialect.clone(), model });
    };
    let model = shared.models.model(&last.profile).unwrap_or_else(|| shared.models.default_model());
    if model.dialect.name() != last.dialect {
        return Ok(Target { dialect: model.dialect.clone(), model });
    }
    let dialect = shared.models.dialect(&last.dialect, last.dialect_version).ok_or_else(|| {
        let (name, version) = (&last.dialect, last.dialect_version);
        format!("this session speaks the dialect {name} in version {version}, which this build does not have: use the release that opened it, or begin a new session")
    })?;
    Ok(Target { model, dialect })
}
