//! `HostHandle`: the one door for adapters. Everything that a gateway, a channel or the command line may do with the
//! host is a method here; nothing else of the actors is needed, or reachable.

mod care;
mod control;
mod drain;
mod ending;
mod erase;
mod history;
mod memory;
mod observe;
mod sessions;
mod subscription;
mod wire;

pub use care::Step;
pub use drain::DrainReport;
pub use ending::TurnEnding;
pub use memory::{BackendView, MemoryFileView, MemoryFilesView};
pub use observe::{AllView, Health, ToolView};
pub use sessions::Besides;
pub use subscription::{Subscription, Update};
pub use wire::{WireRow, WireView};

use crate::shared::Shared;
use std::sync::Arc;

/// A running host, seen from outside. Cheap to clone, usable from any thread.
///
/// ```text
/// sessions   open · resolve · submit · submit_and_follow · rename · erase · summary · list
/// control    interrupt · cancel · unknowns · reconcile · attach
/// history    change · fork
/// endings    wait · wait_on · ending
/// observing  subscribe · subscribe_log · state · held · view · wire · prefix · events · log_events · verify · health
/// memory     memory_show · memory_edit · memory_timeline
/// models     models · tools
/// care       verify_since · check_anchor · anchor · export_log · backup
/// life       start · look · drain
/// ```
#[derive(Clone)]
pub struct HostHandle {
    pub(crate) shared: Arc<Shared>,
    pub(crate) host: actix::Addr<crate::host::Host>,
}
