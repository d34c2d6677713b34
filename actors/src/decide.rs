//! Decisions, as pure functions: a state and a command in, events out. No I/O, no clock, no ids of their own.
//!
//! | file | the question |
//! |---|---|
//! | [`submit`] | may this input be accepted, and does a turn start? |
//! | [`cancel`] | may a waiting input be withdrawn? |
//! | [`settle`] | how does an admission end, and who is next? |
//! | [`step`] | what does a turn do next? |
//! | [`prepare`] | what stands in the log before the first request? |
//! | [`request`] | is the request announced as it will be sent? |
//! | [`answer`] | what follows from the model's answer? |
//! | [`failure`] | what follows from a failed request? |
//! | [`tools`] | which tools run next, and what becomes of their results? |
//! | [`steer`] | which inputs go into the running turn? |
//! | [`interrupt`] | what does a stop leave behind? |
//! | [`fork`] | may a session be forked here, and what does the fork begin with? |
//! | [`lease`] | whose session is this? |
//! | [`recover`] | what follows after a crash? |
//! | [`reconcile`] | what follows from a person's word for an unknown outcome? |
//! | [`approve`] | what follows from a consent, or from a no? |
//! | [`stall`] | what does a turn leave behind that gives no sign of life? |
//! | [`rewrite`] | what becomes of a session's history? |
//! | [`reset`] | is it time to begin a conversation anew? |
//! | [`title`] | what is a session called that nobody named? |
//! | [`obligation`] | what follows from an attempt to meet an obligation? |

pub mod answer;
pub mod approve;
pub mod cancel;
pub mod failure;
pub mod fork;
pub mod interrupt;
pub mod lease;
pub mod obligation;
pub mod prepare;
pub mod reconcile;
pub mod recover;
pub mod request;
pub mod reset;
pub mod rewrite;
pub mod settle;
pub mod stall;
pub mod steer;
pub mod step;
pub mod submit;
pub mod title;
pub mod tools;

#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;
