//! The actors.
pub mod ports;
