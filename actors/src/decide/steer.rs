//! Which inputs go into the running turn with its next request?

use crate::ports::Policy;
use dispatch_events::{
    Event, Part, TurnId,
    catalogue::{
        input::{InputSettled, Intent, Outcome},
        message::{Message, MessageRecorded},
        turn::TurnSteered,
    },
};
use dispatch_projections::SessionState;

/// Inputs that go into a turn: the events, and the messages as they are sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steered {
    /// What is appended together with the announcement of the request.
    pub events: Vec<Event>,
    /// What is sent, in order.
    pub messages: Vec<String>,
}

/// The inputs that wait to be put into the running turn, in the order in which they came. They go behind a tool's result
/// that the model has not read yet: `results` says that the append brings one. Each becomes a message of its own, never a
/// part of the result, and is done with that; one that the policy does not let in is refused by name.
pub fn steer(state: &SessionState, turn: TurnId, results: bool, policy: &dyn Policy) -> Steered {
    let mut steered = Steered::default();
    // Before its own message a turn has read nothing, and what stands last is the turn's before it.
    let begun = state.turns.get(turn).is_some_and(|turn| turn.user_message.is_some());
    if !begun || !(results || state.transcript.ends_with_result()) {
        return steered;
    }
    for waiting in state.admissions.waiting().filter(|waiting| waiting.intent == Intent::Steer) {
        let admission = waiting.id;
        if let Err(why) = policy.may_run(&waiting.principal) {
            let settled = InputSettled { admission, outcome: Outcome::Rejected, why: Some(why) };
            steered.events.push(settled.into());
            continue;
        }
        steered.events.push(TurnSteered { turn, admission }.into());
        let message = Message::User { admission };
        steered.events.push(MessageRecorded { turn, message, api_content: None }.into());
        steered.events.push(InputSettled { admission, outcome: Outcome::Completed, why: None }.into());
        steered.messages.push(Part::joined(&waiting.parts));
    }
    steered
}
