//! A turn with five tool calls, one after the other and all at once.

use crate::{
    Scale,
    disk::Floor,
    host::{ANSWER, Rig, said},
    report::Report,
    sample::Sample,
};
use far_side::{Answer, Call};
use std::time::Duration;

/// Calls of a turn.
const CALLS: usize = 5;

/// Both forms, each with the built-in tools.
pub async fn measure(report: &mut Report, scale: Scale) {
    report.section("tools", "the host's own time in a turn with five tool calls");
    let turns = scale.of(100, 5);
    let rounds = (0..CALLS).map(|round| Answer::calls([call(round)])).collect();
    run(report, "five rounds of one call", rounds, turns).await;
    let together = vec![Answer::calls((0..CALLS).map(list_files))];
    run(report, "one round of five calls", together, turns).await;
}

async fn run(report: &mut Report, label: &str, rounds: Vec<Answer>, turns: usize) {
    let rig = Rig::start().await;
    let requests = rounds.len() + 1;
    rig.model.keep(requests);
    for name in ["a.txt", "b.txt", "c.txt"] {
        std::fs::write(rig.host.work().join(name), "text\n").unwrap();
    }
    let mut connection = rig.connect().await;
    let mut floor = Floor::new();
    let mut sample = Sample::default();
    for number in 0..=turns {
        rig.model.push_all(rounds.iter().cloned());
        rig.model.push(Answer::text(ANSWER));
        // Sessions of ten turns, so that what is measured is the tools and not the length of the history.
        let reply = connection.chat(&format!("tools-{}", number / 10), &said(number), false).await;
        assert!(reply.answered(), "{}", String::from_utf8_lossy(&reply.bytes));
        let asked = rig.model.requests();
        assert_eq!(rig.model.received(), (number + 1) * requests, "{label}: a round is missing");
        let mut busy = Duration::ZERO;
        for request in &asked {
            busy += request.finished().await.busy;
        }
        if number > 0 {
            sample.push(reply.whole.saturating_sub(busy));
            floor.append();
        }
    }
    let commits = commits_per_turn(&rig, turns + 1).await;
    report
        .row(label)
        .times("", &sample)
        .number("fdatasync_p50_ms", floor.sample.percentile_ms(50), 2, "ms sync p50")
        .number("commits_per_turn", commits, 1, "appends/turn");
}

/// What the host itself counted.
async fn commits_per_turn(rig: &Rig, turns: usize) -> f64 {
    let metrics = rig.host.get("/metrics").await.ok().body;
    let line = metrics.lines().find_map(|line| line.strip_prefix("dispatch_appends_total ")).unwrap();
    line.parse::<f64>().unwrap() / turns as f64
}

fn call(round: usize) -> Call {
    if round.is_multiple_of(2) { list_files(round) } else { todo(round) }
}

fn list_files(number: usize) -> Call {
    Call::new(format!("call_{number}"), "list_files", r#"{"path":"."}"#)
}

fn todo(number: usize) -> Call {
    let arguments = format!(r#"{{"todos":[{{"id":"{number}","content":"look","status":"pending"}}],"merge":true}}"#);
    Call::new(format!("call_{number}"), "todo", arguments)
}
