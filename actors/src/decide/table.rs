//! Given events, when a command, then events.
