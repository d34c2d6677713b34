//! The host's own time up to the first piece of a streamed answer.
//!
//! Two figures. *First token* is what a person waits more than with the model alone: from the request sent to the first
//! piece received, without the model's time from its request to its first byte. *Relay* is the last part of that: from
//! the model's first byte to the client's. Nothing of it touches the disk.

use crate::{
    Scale, disk,
    host::{Rig, said},
    report::Report,
    sample::Sample,
    wire::{Connection, find},
};
use far_side::Answer;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Commits before the request leaves.
const SYNCS: u32 = 2;
/// How long the model rests behind its first piece, so that the end of the answer is not what is measured.
const REST: Duration = Duration::from_millis(20);

/// When a person asked and when the first piece came.
struct Seen {
    number: usize,
    asked: Instant,
    first: Instant,
}

/// One stream alone, then 32 at once.
pub async fn measure(report: &mut Report, scale: Scale) {
    report.section("first_token", "the host's own time up to the first piece, streaming");
    for (streams, turns) in [(1, scale.of(200, 10)), (32, scale.of(20, 3))] {
        let rig = Rig::start().await;
        rig.model.keep(usize::MAX);
        rig.model.always(Answer::chunks(["The staging ", "database ", "listens."]).stall_after(1, REST));
        let floor = disk::floor(scale.of(300, 30));
        let mut tasks = JoinSet::new();
        for stream in 0..streams {
            let connection = rig.connect().await;
            tasks.spawn(converse(connection, stream, turns));
        }
        let seen: Vec<Seen> = tasks.join_all().await.into_iter().flatten().collect();
        let (first, relay) = compare(&rig, &seen).await;
        let label = format!("{streams} stream{} at once: first token", if streams == 1 { "" } else { "s" });
        report.row(&label).own(&first, &floor, SYNCS);
        report.row("  of this, from the model's first byte").times("relay", &relay);
    }
}

async fn converse(mut connection: Connection, stream: usize, turns: usize) -> Vec<Seen> {
    let mut seen = Vec::new();
    let session = format!("stream-{stream}");
    for turn in 0..=turns {
        let number = stream * 1000 + turn;
        let asked = Instant::now();
        let reply = connection.chat(&session, &said(number), true).await;
        assert!(reply.answered(), "{session}: {}", String::from_utf8_lossy(&reply.bytes));
        // The first turn opens the session and the connection to the model.
        if turn > 0 {
            seen.push(Seen { number, asked, first: asked + reply.first.unwrap() });
        }
    }
    seen
}

/// Finds the request of each turn by its text, and subtracts the model's part.
async fn compare(rig: &Rig, seen: &[Seen]) -> (Sample, Sample) {
    let (mut first, mut relay) = (Sample::default(), Sample::default());
    let requests = rig.model.requests();
    for turn in seen {
        let text = said(turn.number);
        // A later request of the same session holds the text too: the first one is the turn's own.
        let request = requests.iter().find(|request| find(&request.body, text.as_bytes()).is_some()).unwrap();
        let busy = request.finished().await.first_byte.unwrap();
        first.push((turn.first - turn.asked).saturating_sub(busy));
        relay.push(turn.first.saturating_duration_since(request.arrived + busy));
    }
    (first, relay)
}
