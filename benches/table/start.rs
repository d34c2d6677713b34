//! From the spawn to the first `/readyz` with 200, and the memory of a host that has done nothing yet.

use crate::{
    Scale,
    host::{BINARY, ROOT, Rig, said},
    process,
    report::Report,
    sample::Sample,
};
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

/// How long a host rests before its memory is read.
const SETTLE: Duration = Duration::from_millis(300);

/// A host on an empty folder; then on one that holds many sessions, stopped in good order and killed.
pub async fn measure(report: &mut Report, scale: Scale) {
    report.section("start", "spawn to ready, and resident memory then");
    let times = scale.of(10, 3);
    row(
        report,
        "a new data folder",
        (0..times).map(|_| {
            let data = tempfile::tempdir_in(ROOT).unwrap();
            start(data.path(), &[], Ending::Killed)
        }),
    );
    let sessions = scale.of(1000, 50);
    let mut rig = Rig::start().await;
    fill(&rig, sessions).await;
    rig.host.sigterm();
    rig.host.ended(Duration::from_secs(30)).await;
    let log = process::occupied(rig.host.data()) as f64 / 1024.0 / 1024.0;
    let label = format!("a log of {sessions} sessions of 5 turns ({log:.0} MiB)");
    let data = rig.host.data().to_owned();
    row(report, &format!("{label}, stopped"), (0..times).map(|_| start(&data, &[], Ending::Stopped)));
    start(&data, &[], Ending::Killed);
    row(report, "  the same, killed before", (0..times).map(|_| start(&data, &[], Ending::Killed)));
}

fn row(report: &mut Report, label: &str, starts: impl Iterator<Item = Started>) {
    let (mut ready, mut resident) = (Sample::default(), Vec::new());
    for started in starts {
        ready.push(started.ready);
        resident.push(started.resident_mib);
    }
    resident.sort_by(f64::total_cmp);
    report
        .row(label)
        .number("ready_p50_ms", ready.percentile_ms(50), 0, "ms to ready p50")
        .number("ready_max_ms", ready.percentile_ms(100), 0, "ms worst")
        .number("resident_mib", resident[resident.len() / 2], 1, "MiB resident");
}

async fn fill(rig: &Rig, sessions: usize) {
    let mut tasks = JoinSet::new();
    for client in 0..16 {
        let mut connection = rig.connect().await;
        tasks.spawn(async move {
            for session in (client..sessions).step_by(16) {
                for turn in 0..5 {
                    let reply = connection.chat(&format!("filled-{session}"), &said(turn), false).await;
                    assert!(reply.answered(), "{}", String::from_utf8_lossy(&reply.bytes));
                }
            }
        });
    }
    tasks.join_all().await;
}

/// How a started host ends again.
#[derive(Clone, Copy)]
pub enum Ending {
    /// In good order.
    Stopped,
    /// At once.
    Killed,
}

/// What a start took.
pub struct Started {
    /// From the spawn to the first 200.
    pub ready: Duration,
    /// CPU until a moment after that.
    pub cpu: Duration,
    /// Resident memory at that moment.
    pub resident_mib: f64,
    /// The most that was resident until then.
    pub peak_mib: f64,
}

/// Starts a host, takes its time and its memory, and ends it. The model of its settings is never called.
pub fn start(data: &Path, env: &[(&str, &str)], ending: Ending) -> Started {
    let mut command = Command::new(BINARY);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data).env_clear();
    // The profile's key, which only has to be there.
    command.env("HOME", data).env("SCRIPTED_MODEL_KEY", "sk-none").envs(env.iter().copied()).current_dir(ROOT);
    let begun = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let address = address(&mut child);
    while !is_ready(&address) {
        assert!(begun.elapsed() < Duration::from_secs(60), "not ready after a minute");
    }
    let ready = begun.elapsed();
    std::thread::sleep(SETTLE);
    let (cpu, resident_mib, peak_mib) =
        (process::cpu(child.id()), process::resident_mib(child.id()), process::peak_mib(child.id()));
    match ending {
        Ending::Stopped => {
            let signal = Command::new("kill").arg("-TERM").arg(child.id().to_string()).status().unwrap();
            assert!(signal.success());
        }
        Ending::Killed => child.kill().unwrap(),
    }
    child.wait().unwrap();
    Started { ready, cpu, resident_mib, peak_mib }
}

/// The address in the line that says where the host listens.
fn address(child: &mut Child) -> String {
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    let line =
        lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("http://"))).expect("a line with the URL");
    let line = line.unwrap();
    line[line.find("http://").unwrap() + 7..].trim_end_matches('/').to_owned()
}

fn is_ready(address: &str) -> bool {
    let mut socket = TcpStream::connect(address).unwrap();
    let request = format!("GET /readyz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    answer.starts_with("HTTP/1.1 200")
}
