//! The systemd unit: our own rules, and systemd's verdict where it is installed.

use crate::{Failure, Finding};
use std::{fs, io, os::unix::fs::PermissionsExt, process::Command};

/// Settings of the section `[Service]` that must stand as they are, and why.
const REQUIRED: [(&str, &str, &str); 8] = [
    ("Type", "exec", "a binary that cannot start is reported by `systemctl start`"),
    ("Restart", "on-failure", "a crash is recovered from the log, a stop by an operator is kept"),
    ("DynamicUser", "yes", "the host needs no user of its own"),
    ("StateDirectory", "dispatch", "the data folder is the only place that it may write to"),
    ("StateDirectoryMode", "0700", "keys and log are the owner's alone"),
    ("NoNewPrivileges", "yes", "a tool must not gain what the host does not have"),
    ("ProtectSystem", "strict", "the file system is read-only but for the data folder"),
    ("KillSignal", "SIGTERM", "the host drains on it"),
];

/// The seconds that a stop must be given at least: the memory drain takes up to 5, the running turns as many again.
const LEAST_STOP_S: u64 = 15;

/// The worst exposure that is accepted, in tenths, of `systemd-analyze security` (0 best, 100 worst).
const MOST_EXPOSURE: &str = "25";

/// The violations of our rules in `text`, the unit at `path`.
pub fn lint(path: &str, text: &str) -> Vec<Finding> {
    let settings = settings(text);
    let last = |key: &str| settings.iter().rev().find(|(found, _)| found == &key).map(|(_, value)| *value);
    let mut findings = Vec::new();
    for (key, wanted, why) in REQUIRED {
        if last(key) != Some(wanted) {
            findings.push(Finding::new(path, format!("[Service] needs {key}={wanted}: {why}")));
        }
    }
    let stop = last("TimeoutStopSec").and_then(|value| value.trim_end_matches('s').parse::<u64>().ok());
    if stop.is_none_or(|seconds| seconds < LEAST_STOP_S) {
        let says = format!("[Service] needs TimeoutStopSec of {LEAST_STOP_S} s or more: a stop drains before it ends");
        findings.push(Finding::new(path, says));
    }
    if !last("ExecStart").is_some_and(|command| command.contains(" serve") && command.contains("--data ")) {
        findings.push(Finding::new(path, "ExecStart must be `dispatch serve` with --data, or the log goes elsewhere"));
    }
    findings
}

/// The settings of `[Service]`, in order.
fn settings(text: &str) -> Vec<(&str, &str)> {
    let mut section = "";
    let mut settings = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        if line.starts_with('[') {
            section = line;
        } else if let (true, Some((key, value))) = (section == "[Service]", line.split_once('=')) {
            settings.push((key.trim(), value.trim()));
        }
    }
    settings
}

/// What `systemd-analyze` says about the unit; none where it is not installed.
pub fn verify(path: &str, text: &str) -> Result<Option<Vec<Finding>>, Failure> {
    let folder = tempfile::tempdir().map_err(Failure::at("the temporary folder"))?;
    // The binary need not be installed on the machine that checks: a stand-in takes its path.
    let stand_in = folder.path().join("dispatch");
    fs::write(&stand_in, "#!/bin/sh\n").map_err(Failure::at(&stand_in))?;
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).map_err(Failure::at(&stand_in))?;
    let unit = folder.path().join("dispatch.service");
    let text = text.replace("/usr/local/bin/dispatch", &stand_in.to_string_lossy());
    fs::write(&unit, text).map_err(Failure::at(&unit))?;

    let exposure = format!("--threshold={MOST_EXPOSURE}");
    let runs: [&[&str]; 2] = [&["verify", "--man=no"], &["security", "--offline=true", "--no-pager", &exposure]];
    let mut findings = Vec::new();
    for arguments in runs {
        let output = match Command::new("systemd-analyze").args(arguments).arg(&unit).output() {
            Ok(output) => output,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(Failure::Program { program: "systemd-analyze".into(), cause }),
        };
        let complaints = String::from_utf8_lossy(&output.stderr).replace(&*unit.to_string_lossy(), path);
        // `verify` answers 0 to an unknown setting and only warns, so its words about our unit count too.
        let ours = |line: &&str| line.contains(path) || line.contains("dispatch.service");
        findings.extend(complaints.lines().filter(ours).map(|line| Finding::new(path, line.trim())));
        if !output.status.success() && findings.is_empty() {
            let table = String::from_utf8_lossy(&output.stdout).into_owned();
            let says = format!("systemd-analyze {} refuses it:\n{table}{complaints}", arguments[0]);
            findings.push(Finding::new(path, says));
        }
    }
    findings.sort();
    findings.dedup();
    Ok(Some(findings))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIPPED: &str = include_str!("../../../deploy/dispatch.service");

    #[test]
    fn each_setting_that_is_taken_away_is_missed() {
        assert_eq!(lint("u", SHIPPED), []);
        for (key, value, _) in REQUIRED {
            let found = lint("u", &SHIPPED.replace(&format!("\n{key}={value}\n"), "\n"));
            assert!(found.len() == 1 && found[0].says.contains(key), "{key}: {found:?}");
        }
        assert_eq!(lint("u", &SHIPPED.replace("TimeoutStopSec=", "TimeoutStopSec=1 #")).len(), 1);
        assert_eq!(lint("u", &SHIPPED.replace(" --data ", " --log ")).len(), 1);
    }

    #[test]
    fn a_setting_in_another_section_does_not_count() {
        let moved = SHIPPED.replace("\nDynamicUser=yes\n", "\n").replace("[Install]", "[Install]\nDynamicUser=yes");
        assert_eq!(lint("u", &moved).len(), 1);
    }

    #[test]
    fn systemd_refuses_what_it_does_not_know_and_what_is_open() {
        let Some(clean) = verify("u", SHIPPED).unwrap() else { return };
        assert_eq!(clean, []);
        let misspelled = SHIPPED.replace("NoNewPrivileges=", "NoNewPriviliges=");
        assert!(!verify("u", &misspelled).unwrap().unwrap().is_empty());
        let open = "[Service]\nExecStart=/usr/local/bin/dispatch serve --data /var/lib/dispatch\n";
        assert!(!verify("u", open).unwrap().unwrap().is_empty());
    }
}
