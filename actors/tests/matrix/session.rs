//! The reference session: three inputs at once, of which the first wants two calls of each effect class, and a steer into
//! that one; recall before each turn, a memory obligation behind it. One run of it, with a fault, and everything that comes
//! after.

use crate::{
    model::{Strict, StrictModels},
    oracle::{around_the_loss, check, follows},
    support::*,
};
use dispatch_actors::{
    HostHandle, HostSettings, Submit,
    command::{Receipt, Reconcile, ReconcileVerdict},
    ports::{Approval, ApprovalGate, ApprovalRequest},
    settings::Recovery,
};
use dispatch_events::{
    catalogue::{input::Intent, tool::ApprovalScope},
    store::faulty::{Fault, FaultyStore},
};
use futures_util::future::BoxFuture;
use std::{sync::Arc, time::Duration};

/// The requests that the session begins with, by their text.
const FIRST: [&str; 4] = ["one", "two", "three", STEER];
/// The one that is sent into the running turn; when that is over it is the next.
const STEER: &str = "also";
/// The turns that come after: a strict model has to take them.
const LATER: [&str; 3] = ["four", "five", "six"];

/// How a run is cut off at its n-th append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Not at all.
    None,
    /// The append is refused, and the host is lost.
    Refused,
    /// The append lands, nothing follows from it, and the host is lost.
    Torn,
    /// The append lands, its answer is lost: the host lives, its session's actors are rebuilt from the log.
    Rebuilt,
    /// As torn, and the host that finds the session is lost in the same way over its first append.
    TornTwice,
    /// As torn, and the host that finds the session has the policy to go on.
    Resumed,
}

impl Loss {
    fn fault(self) -> Fault {
        match self {
            Self::None => Fault::None,
            Self::Refused => Fault::Refuse,
            Self::Torn | Self::TornTwice | Self::Resumed => Fault::Tear,
            Self::Rebuilt => Fault::Doubt,
        }
    }
}

/// What a run was.
pub struct Run {
    /// Appends of the first host, until its inputs were done.
    pub appends: u64,
}

/// One run, from the first input to the last turn after the loss.
pub fn run(loss: Loss, n: u64) -> Run {
    block_on(async move {
        let outside = outside();
        let strict = Strict::new(&outside);
        *outside.models.lock().unwrap() = Some(StrictModels::of(&strict));
        // So slow that every input is in before the first turn goes on: the order of appends is the same each time.
        *outside.recall.lock().unwrap() = Some(("the port is 55432".into(), Duration::from_millis(15)));
        *outside.gate.lock().unwrap() = Arc::new(Consenting);
        let (first, store) = outside.faulty_host(quick(), true, loss.fault(), n).await;
        let mut accepted = Vec::new();
        for text in FIRST {
            accepted.extend(give(&first, text, loss == Loss::Rebuilt).await);
        }
        let lost = !matches!(loss, Loss::None | Loss::Rebuilt);
        let host = match lost {
            true => after_the_loss(&outside, first, &store, loss, n).await,
            false => first,
        };
        settle(&outside, &host, loss, n).await;
        let appends = appends(&store);
        for text in FIRST.iter().filter(|text| !accepted.iter().any(|receipt| receipt.request_id == **text)) {
            // Nobody told the client that it was accepted: it asks again, under the same key.
            give(&host, text, true).await.expect("a healthy host takes it");
        }
        settle(&outside, &host, loss, n).await;
        the_row_of_the_table(&outside, loss, lost);
        for text in LATER {
            let receipt = give(&host, text, false).await.expect("a healthy host takes it");
            assert_eq!(host.wait(&receipt).await.unwrap().answer, format!("done {text}"));
        }
        settle(&outside, &host, loss, n).await;
        check(&outside, &strict, &[&FIRST[..], &LATER].concat());
        if loss == Loss::None {
            assert_eq!(outside.count("turn.steered"), 1, "the steer goes into the turn that runs");
            assert_eq!(outside.tool_runs.lock().unwrap().len(), 6);
            assert_eq!(outside.count("tool.approval_given"), 1, "the second effect waits for consent");
        }
        for receipt in &accepted {
            let again = give(&host, &receipt.request_id, false).await.expect("it is known");
            assert_eq!((again.repeated, again.admission), (true, receipt.admission));
        }
        rebuilt_is_the_same(&host).await;
        Run { appends }
    })
}

/// The host that finds the session.
async fn after_the_loss(
    outside: &Arc<Outside>,
    lost: HostHandle,
    store: &FaultyStore,
    loss: Loss,
    n: u64,
) -> HostHandle {
    until("the fault", || store.appends() > n).await;
    // Whatever was let go before the loss has happened by then.
    tokio::time::sleep(Duration::from_millis(3)).await;
    let seen = outside.events().len();
    drop(lost);
    if loss == Loss::TornTwice {
        let (second, store) = outside.faulty_host(quick(), true, Fault::Tear, 1).await;
        // It may find nothing that is left to do.
        for _ in 0..20 {
            if store.appends() > 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        drop(second);
    }
    let recovery = if loss == Loss::Resumed { Recovery::Resume } else { Recovery::Pause };
    let (host, _) = outside.host(HostSettings { recovery, ..quick() }, true).await;
    assert_eq!(outside.events()[seen].kind, "host.started", "the lost host still wrote");
    host
}

/// Consents to the second effect when it is asked.
struct Consenting;

impl ApprovalGate for Consenting {
    fn needed(&self, request: &ApprovalRequest) -> Option<String> {
        (request.tool == "act" && request.arguments.0 == "{\"n\":2}").then(|| "it writes".to_owned())
    }
    fn ask(&self, request: ApprovalRequest) -> BoxFuture<'static, Approval> {
        let given = Approval::Given { digest: request.digest, by: me(), scope: ApprovalScope::Once };
        Box::pin(std::future::ready(given))
    }
}

fn quick() -> HostSettings {
    HostSettings { turn_drain_ms: 100, ..settings() }
}

/// Appends behind the host's own first one.
fn appends(store: &FaultyStore) -> u64 {
    store.appends() - 1
}

/// Gives an input under a key of its own; a client that is not told asks again.
async fn give(host: &HostHandle, text: &str, insists: bool) -> Option<Receipt> {
    for _ in 0..200 {
        let intent = (text == STEER).then_some(Intent::Steer);
        let submit = Submit { request: Some(text.to_owned()), intent, ..say(text) };
        match host.submit(&"s".into(), submit).await {
            Ok(receipt) => return Some(receipt),
            Err(_) if insists => tokio::time::sleep(Duration::from_millis(10)).await,
            Err(_) => return None,
        }
    }
    panic!("`{text}` was refused for two seconds");
}

/// Waits until nothing is left to do; what is unknown is settled on the way by somebody who looked.
async fn settle(outside: &Outside, host: &HostHandle, loss: Loss, n: u64) {
    for _ in 0..2_000 {
        let Ok(state) = host.state(&"s".into(), None).await else { return };
        if state.admissions.unknown().is_some() {
            let row = host.unknowns(&"s".into()).await.unwrap().unknowns.remove(0);
            assert_eq!(row.tool.as_deref(), Some("act"), "only an effect is ever in doubt: {row:?}");
            assert!(!row.why.is_empty() && row.started_at.is_some());
            let ran = outside.tool_runs.lock().unwrap().iter().any(|run| Some(run.as_str()) == name(&row).as_deref());
            assert_ne!(loss, Loss::Resumed, "with the policy to go on nobody is asked");
            let verdict = match ran && n.is_multiple_of(2) {
                true => ReconcileVerdict::Finished("act done".into()),
                false => ReconcileVerdict::NotDone,
            };
            let word = Reconcile { principal: me(), call: None, verdict, why: "I looked".into() };
            host.reconcile(&"s".into(), word).await.unwrap();
        } else if state.admissions.pending_len() == 0 && state.obligations.open().next().is_none() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the session does not come to rest: {:?}", outside.kinds());
}

fn name(row: &dispatch_projections::view::UnknownRow) -> Option<String> {
    Some(format!("{} {}", row.tool.as_ref()?, row.arguments.as_ref()?))
}

/// What whoever found the session did first is what the table says.
fn the_row_of_the_table(outside: &Outside, loss: Loss, lost: bool) {
    let events = outside.events();
    let second = events.iter().enumerate().filter(|(_, recorded)| recorded.kind == "host.started").nth(1);
    if let (true, Some((at, _))) = (lost, second) {
        let found = events[at..].iter().any(|recorded| recorded.kind == "lease.lost");
        assert_eq!(follows(&events[..at], false).is_some(), found, "a turn was cut off, and nobody took it up");
    }
    if let Some((before, behind)) = around_the_loss(&events) {
        let expected = follows(before, loss == Loss::Resumed).expect("no turn was cut off");
        assert_eq!(behind[..expected.len()], expected);
    }
}

/// The state that the host goes on with is the one that its log gives.
async fn rebuilt_is_the_same(host: &HostHandle) {
    let state = host.state(&"s".into(), None).await.unwrap();
    let folded = host.state(&"s".into(), Some(state.version)).await.unwrap();
    let held = host.held(&"s".into()).await.unwrap();
    assert_eq!(state.to_bytes().unwrap(), folded.to_bytes().unwrap());
    assert_eq!(held.to_bytes().unwrap(), folded.to_bytes().unwrap());
    assert!(state.transcript.problems().is_empty(), "{:?}", state.transcript.problems());
}
