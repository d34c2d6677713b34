//! Starting the child, and knowing when it is ready.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout_at};

use super::client::HostClient;
use super::failure::NotReady;
use super::setup::HostSetup;

/// How often the child and its readiness are looked at.
const TICK: Duration = Duration::from_millis(10);

/// A child process. Dropping it kills it and waits until it is gone.
pub(super) struct Running {
    child: Child,
}

impl Running {
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn terminate(&self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id is a positive i32");
        // The child is not reaped while we hold it, so the id is its own; if it has ended, the signal goes nowhere.
        kill_process(pid, Signal::TERM).ok();
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the child is ours and can be waited for")
    }

    /// How it ended; none if it is still running after the time.
    pub(super) async fn exited(&mut self, within: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + within;
        loop {
            let status = self.status();
            if status.is_some() || Instant::now() >= until {
                return status;
            }
            sleep(TICK).await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only if the child is gone already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Starts the child and waits for the line with its URL, for `/readyz` and for the token.
pub(super) async fn start(setup: &HostSetup) -> Result<(Running, HostClient), NotReady> {
    let until = Instant::now() + setup.within();
    let (mut running, mut lines) = spawn(setup)?;
    let failed = |why: String, running: &mut Running| {
        let status = running.status();
        NotReady { why, status, stderr: setup.stderr_tail() }
    };
    let mut said = Vec::new();
    let url = loop {
        match timeout_at(until, lines.recv()).await {
            Ok(Some(line)) => match url_in(&line) {
                Some(url) => break url,
                None => said.push(line),
            },
            Ok(None) => {
                running.exited(Duration::from_secs(5)).await;
                return Err(failed(format!("it ended before it printed its URL; stdout: {said:?}"), &mut running));
            }
            Err(_) => {
                let why = format!("it printed no URL within {:?}; stdout: {said:?}", setup.within());
                return Err(failed(why, &mut running));
            }
        }
    };
    let client = HostClient::new(url);
    loop {
        let answer = timeout_at(until, client.probe("/readyz")).await;
        if let Ok(Some(200)) = answer {
            break;
        }
        if running.status().is_some() {
            return Err(failed("it ended before /readyz answered 200".to_owned(), &mut running));
        }
        if Instant::now() >= until {
            let why = format!("/readyz did not answer 200 within {:?}; last: {answer:?}", setup.within());
            return Err(failed(why, &mut running));
        }
        sleep(TICK).await;
    }
    match std::fs::read_to_string(setup.data().join("token")) {
        Ok(token) => Ok((running, client.with_token(token.trim_end()))),
        Err(why) => Err(failed(format!("it is ready, and its token file cannot be read: {why}"), &mut running)),
    }
}

fn spawn(setup: &HostSetup) -> Result<(Running, mpsc::UnboundedReceiver<String>), NotReady> {
    let refused = |why: String| NotReady { why, status: None, stderr: String::new() };
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(setup.stderr_path());
    let log = log.map_err(|why| refused(format!("stderr.log cannot be opened: {why}")))?;
    let mut command = Command::new(setup.binary());
    command.args(setup.serve_args()).env_clear().envs(setup.whole_env()).current_dir(setup.work());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut child =
        command.spawn().map_err(|why| refused(format!("{} cannot be started: {why}", setup.binary().display())))?;
    let stdout = child.stdout.take().expect("stdout is piped");
    let running = Running { child };
    Ok((running, lines_of(stdout)))
}

/// Reads stdout on a thread until its end, also when nobody listens any more: a full pipe would stop the child.
fn lines_of(stdout: ChildStdout) -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let read = move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            sender.send(line).ok(); // after the URL nobody listens
        }
    };
    std::thread::Builder::new().name("host-stdout".to_owned()).spawn(read).expect("a thread for the child's stdout");
    receiver
}

/// The first `http://` address of a line, without a slash at the end.
fn url_in(line: &str) -> Option<String> {
    let from = line.find("http://")?;
    let url = line[from..].split_whitespace().next()?;
    Some(url.trim_end_matches(['/', '.', ',', ')']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::url_in;

    #[test]
    fn the_url_is_found_in_a_sentence() {
        assert_eq!(url_in("http://127.0.0.1:8642").as_deref(), Some("http://127.0.0.1:8642"));
        assert_eq!(url_in("Listening on http://127.0.0.1:1/ (ctrl-c ends)").as_deref(), Some("http://127.0.0.1:1"));
        assert_eq!(url_in("recovering 3 sessions"), None);
    }
}
