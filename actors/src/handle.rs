//! `HostHandle`: the one door for adapters. Everything that a gateway, a channel or the command line may do with the
//! host is a method here; nothing else of the actors is needed, or reachable.

mod memory;
mod observe;
mod sessions;
mod subscription;

pub use memory::{BackendView, MemoryFileView, MemoryFilesView};
pub use observe::{AllView, DrainReport, Health, ToolView, WireRow, WireView};
pub use sessions::TurnEnding;
pub use subscription::{Subscription, Update};

use crate::shared::Shared;
use std::sync::Arc;

/// A running host, seen from outside. Cheap to clone, usable from any thread.
///
/// ```text
/// sessions   open · resolve · submit · interrupt · rename · summary · list · wait
/// observing  subscribe · subscribe_log · state · view · wire · prefix · events · log_events · verify · health
/// memory     memory_show · memory_edit · memory_timeline
/// models     models · tools
/// life       drain
/// ```
#[derive(Clone)]
pub struct HostHandle {
    pub(crate) shared: Arc<Shared>,
    pub(crate) host: actix::Addr<crate::host::Host>,
}
