//! The right to run a turn of a session. The stream's version is the fence; these events say who had the right and why
//! it ended.

use crate::{Epoch, Generation};
use serde::{Deserialize, Serialize};

/// A host took the right to run a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaseAcquired {
    /// Host run that holds it.
    pub holder: Epoch,
    /// Turn attempt that it is for.
    pub generation: Generation,
    /// Life in milliseconds without renewal.
    pub ttl_ms: u64,
}

/// The holder is still at work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaseRenewed {
    /// Turn attempt that it is for.
    pub generation: Generation,
}

/// The holder gave it back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaseReleased {
    /// Turn attempt that it was for.
    pub generation: Generation,
}

/// The holder is gone, or was overtaken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaseLost {
    /// Turn attempt that it was for.
    pub generation: Generation,
    /// Why, in words.
    pub why: String,
}
