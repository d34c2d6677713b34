//! What people and channels do to the host: commands by chance, to a few sessions, now and then two at once.

use crate::{random::Random, world::World};
use dispatch_actors::{
    HostHandle, Opening, Receipt, SessionRef, Stop, Submit,
    command::{Change, ForkRequest, HistoryChange, Reconcile, ReconcileVerdict},
};
use dispatch_events::{
    AdmissionId, Generation, Part, StreamId, Version,
    catalogue::input::{Intent, Principal},
};
use std::{sync::Mutex, time::Duration};

/// Nobody waits longer than this for an answer; whether it came is what a client knows of it.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the clients know.
#[derive(Default)]
pub struct Clients {
    /// Receipts that they got.
    pub receipts: Mutex<Vec<Receipt>>,
    /// Forks that they got.
    pub forks: Mutex<Vec<StreamId>>,
}

pub fn me() -> Principal {
    Principal { adapter: "simulation".into(), subject: "me".into() }
}

impl Clients {
    /// One step.
    pub async fn step(&self, world: &World, host: &HostHandle) {
        if world.choose(|random| random.percent(20)) {
            futures_util::future::join(self.command(world, host), self.command(world, host)).await;
        } else {
            self.command(world, host).await;
        }
        let pause_ms = world.choose(|random| match random.below(10) {
            0..4 => 0,
            4..8 => random.below(2_000),
            8 => random.below(30_000),
            _ => random.below(200_000),
        });
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
    }

    async fn command(&self, world: &World, host: &HostHandle) {
        let command = self.any(world, host);
        // Who loses patience does not know whether it was done.
        let _ = tokio::time::timeout(PATIENCE, command).await;
    }

    async fn any(&self, world: &World, host: &HostHandle) {
        let session = self.session(world);
        match world.choose(|random| random.below(100)) {
            0..52 => self.submit(world, host, &session).await,
            52..60 => self.interrupt(world, host, &session).await,
            60..67 => {
                if let Some(admission) = self.admission(world) {
                    drop(host.cancel(&session, admission, me()).await);
                }
            }
            67..74 => drop(host.reconcile(&session, world.choose(verdict)).await),
            74..78 => {
                let name = world.choose(|random| format!("s{}", random.below(5)));
                drop(host.rename(&session, &name, Change::by(me())).await);
            }
            78..88 => {
                let change = self.change(world);
                let asked = Change { principal: me(), expected_revision: None };
                if let Ok(changed) = host.change(&session, change, asked).await {
                    self.receipts.lock().unwrap().extend(changed.receipt);
                }
            }
            88..92 => self.fork(world, host, &session).await,
            92..96 => world.clock.jump(world.choose(|random| random.below(49)) as i64 - 24),
            _ => tokio::time::sleep(Duration::from_secs(45)).await,
        }
    }

    fn session(&self, world: &World) -> SessionRef {
        let forks = self.forks.lock().unwrap();
        world.choose(|random| match forks.is_empty() || random.percent(80) {
            true => SessionRef::Name(format!("s{}", random.below(3))),
            false => SessionRef::Id(*random.one(&forks).unwrap()),
        })
    }

    fn admission(&self, world: &World) -> Option<AdmissionId> {
        let receipts = self.receipts.lock().unwrap();
        world.choose(|random| random.one(&receipts).map(|receipt| receipt.admission))
    }

    async fn submit(&self, world: &World, host: &HostHandle, session: &SessionRef) {
        let intents = [None, None, None, Some(Intent::Queue), Some(Intent::Steer), Some(Intent::Redirect)];
        let submit = world.choose(|random| {
            let request = random.percent(40).then(|| format!("request {}", random.below(12)));
            // The same key says the same thing, or now and then something else.
            let words = match &request {
                Some(request) if random.percent(85) => format!("say {request}"),
                _ => format!("say {}", random.below(1_000_000)),
            };
            let intent = if request.is_some() { None } else { random.one(&intents).copied().flatten() };
            Submit {
                request,
                intent,
                not_while_paused: random.percent(20),
                opening: Some(Opening::plain("simulation")),
                ..Submit::new(me(), vec![Part::Text(words)])
            }
        });
        if let Ok(receipt) = host.submit(session, submit).await {
            self.receipts.lock().unwrap().push(receipt);
        }
    }

    async fn interrupt(&self, world: &World, host: &HostHandle, session: &SessionRef) {
        let named = world.choose(|random| random.below(3));
        let generation = match named {
            0 => None,
            1 => Some(Generation(9_999)),
            _ => host.state(session, None).await.ok().map(|state| state.lease.generation),
        };
        drop(host.interrupt(session, me(), Stop { turn: None, generation }).await);
    }

    fn change(&self, world: &World) -> HistoryChange {
        let receipts = self.receipts.lock().unwrap();
        world.choose(|random| match random.below(8) {
            0 => HistoryChange::Rewind { to: random.one(&receipts).map_or(Version(1), |receipt| receipt.version) },
            1 | 2 => HistoryChange::Undo { exchanges: 1 + random.below(2) as u32 },
            3 => HistoryChange::Restore,
            4 => HistoryChange::Retry,
            5 => HistoryChange::Reset,
            6 => HistoryChange::Archive,
            _ => HistoryChange::Unarchive,
        })
    }

    async fn fork(&self, world: &World, host: &HostHandle, session: &SessionRef) {
        let at = match host.state(session, None).await {
            Ok(state) => world.choose(|random| random.percent(50).then(|| Version(1 + random.below(state.version.0)))),
            Err(_) => None,
        };
        let fork = ForkRequest { principal: me(), at, name: None, profile: None, source: "simulation".into() };
        if let Ok(child) = host.fork(session, fork).await {
            self.forks.lock().unwrap().push(child.id);
        }
    }
}

/// A person's word for what is unknown.
pub fn verdict(random: &mut Random) -> Reconcile {
    let verdict = match random.below(3) {
        0 => ReconcileVerdict::Finished("it was done".into()),
        1 => ReconcileVerdict::NotDone,
        _ => ReconcileVerdict::GiveUp,
    };
    Reconcile { principal: me(), call: None, verdict, why: "so says the simulation".into() }
}
