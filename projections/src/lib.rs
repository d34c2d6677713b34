//! Folds of the log: what every view of a session is made of.
pub mod replay;
