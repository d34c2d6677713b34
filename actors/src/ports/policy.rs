//! Who may have a turn.

use dispatch_events::catalogue::input::Principal;
use std::fmt::Debug;

/// Who may have a turn. It is asked when an input comes, and again just before the input is claimed: in between, days may
/// have gone, and the host may have been started with other settings.
pub trait Policy: Debug + Send + Sync {
    /// Whether what this principal submitted may run now.
    ///
    /// # Errors
    /// Why not, and what to do, for the person who submitted it.
    fn may_run(&self, principal: &Principal) -> Result<(), String>;
}

/// Everybody may.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everybody;

impl Policy for Everybody {
    fn may_run(&self, _: &Principal) -> Result<(), String> {
        Ok(())
    }
}
