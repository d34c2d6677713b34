//! Whose session is this?

use crate::settings::Ownership;
use dispatch_events::Epoch;
use dispatch_projections::SessionState;

/// How a session stands to the host that looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody holds it, or this host does.
    Ours,
    /// Its holder is gone: what it carried may be taken.
    Left(Epoch),
    /// Another host holds it.
    Held(Epoch),
}

/// What the decision needs of the host that looks.
#[derive(Clone, Copy, Debug)]
pub struct LeaseFacts {
    /// The host run that looks.
    pub epoch: Epoch,
    /// Whether other hosts may be alive.
    pub ownership: Ownership,
    /// Milliseconds of its own clock since it last saw the lease taken or renewed. No recorded time counts: the two
    /// hosts' clocks may differ, and either may be set back.
    pub unseen_ms: u64,
}

/// How the session stands to the host that looks.
///
/// | the lease | a sole owner | one of several |
/// |---|---|---|
/// | nobody's, or its own | ours | ours |
/// | of an earlier host run | left: the folder's lock proves it gone | held, until it was not renewed for its whole life |
/// | of a later host run | held: it is this host that was replaced | the same |
pub fn standing(state: &SessionState, facts: LeaseFacts) -> Standing {
    let Some(held) = state.lease.held.filter(|held| held.holder != facts.epoch) else { return Standing::Ours };
    let left = match facts.ownership {
        Ownership::Sole => held.holder < facts.epoch,
        Ownership::Shared => facts.unseen_ms >= held.ttl_ms,
    };
    if left { Standing::Left(held.holder) } else { Standing::Held(held.holder) }
}

/// Why a lease was lost, for the record.
pub fn why(ownership: Ownership, holder: Option<Epoch>, mine: Epoch, ttl_ms: u64) -> String {
    match (ownership, holder) {
        (Ownership::Shared, Some(holder)) if holder != mine => {
            format!("host run {holder} did not renew it for {ttl_ms} ms")
        }
        _ => "the host stopped before the turn ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::table::given;
    use dispatch_events::{Generation, catalogue::lease::LeaseAcquired};

    #[test]
    fn a_session_is_taken_when_its_holder_is_gone_and_never_before() {
        let table = [
            (Ownership::Sole, None, 0, Standing::Ours),
            (Ownership::Sole, Some(7), 0, Standing::Ours),
            (Ownership::Sole, Some(6), 0, Standing::Left(Epoch(6))),
            (Ownership::Sole, Some(8), u64::MAX, Standing::Held(Epoch(8))),
            (Ownership::Shared, None, 0, Standing::Ours),
            (Ownership::Shared, Some(7), u64::MAX, Standing::Ours),
            (Ownership::Shared, Some(6), 299_999, Standing::Held(Epoch(6))),
            (Ownership::Shared, Some(6), 300_000, Standing::Left(Epoch(6))),
            (Ownership::Shared, Some(8), 299_999, Standing::Held(Epoch(8))),
            (Ownership::Shared, Some(8), 300_000, Standing::Left(Epoch(8))),
        ];
        for (ownership, holder, unseen_ms, expected) in table {
            let acquired = holder.map(|holder| {
                LeaseAcquired { holder: Epoch(holder), generation: Generation(1), ttl_ms: 300_000 }.into()
            });
            let facts = LeaseFacts { epoch: Epoch(7), ownership, unseen_ms };
            assert_eq!(standing(&given(acquired), facts), expected, "{ownership:?} {holder:?} {unseen_ms}");
        }
    }
}
