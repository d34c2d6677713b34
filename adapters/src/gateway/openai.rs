//! The OpenAI-compatible door.
//!
//! | file | what it does |
//! |---|---|
//! | [`request`] | what a chat completion asks for: which session, which words, which key |
//! | [`chat`] | submits the input, and waits or streams |
//! | [`answer`] | the JSON of a whole answer |
//! | [`turn`] | follows one turn through the log and its live text: a pure machine |
//! | [`shown`] | which part of the text has left already |
//! | [`live`] | the frames of a streamed answer |
//! | [`models`] | the list of models |

mod answer;
pub(super) mod chat;
mod live;
pub(super) mod models;
mod request;
mod shown;
mod turn;

pub(super) use request::check_size;
