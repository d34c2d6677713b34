//! What each instruction must keep to, and what the last stage must have.

use super::Subject;
use parse_dockerfile::{Command, Flag, HealthcheckArguments, Instruction, JsonOrStringArray, Stage};

/// The rules for an instruction of the stage with number `stage`.
pub(super) fn check_instruction(subject: &mut Subject<'_, '_>, instruction: &Instruction<'_>, stage: usize) {
    match instruction {
        Instruction::Run(run) => check_run(subject, run.run.span.start, text(&run.arguments).as_str()),
        Instruction::Add(add) => {
            subject.found(
                add.add.span.start,
                "ADD unpacks and fetches by itself: use COPY, or RUN with a checked download",
            );
        }
        Instruction::Copy(copy) => {
            for from in copy.options.iter().filter(|option| option.name.value == "from") {
                check_source(subject, from, stage);
            }
        }
        Instruction::Cmd(cmd) => check_exec(subject, cmd.cmd.span.start, "CMD", &cmd.arguments),
        Instruction::Entrypoint(entry) => {
            check_exec(subject, entry.entrypoint.span.start, "ENTRYPOINT", &entry.arguments);
        }
        Instruction::Workdir(dir) if !dir.arguments.value.starts_with('/') => {
            subject.found(
                dir.workdir.span.start,
                "WORKDIR is relative, so it depends on the lines above: write it from /",
            );
        }
        Instruction::Env(env) => check_secret(subject, env.env.span.start, &env.arguments.value),
        Instruction::Arg(arg) => check_secret(subject, arg.arg.span.start, &arg.arguments.value),
        Instruction::Maintainer(old) => subject.found(old.maintainer.span.start, "MAINTAINER is gone: use LABEL"),
        _ => {}
    }
}

fn check_run(subject: &mut Subject<'_, '_>, at: usize, command: &str) {
    let words: Vec<&str> = command.split_whitespace().collect();
    if words.contains(&"sudo") {
        subject.found(at, "sudo in RUN: place the line before USER");
    }
    if !command.contains("apt-get install") {
        return;
    }
    for (needed, why) in [
        ("apt-get update", "a cached layer keeps an old index"),
        ("--no-install-recommends", "recommended packages fill the image"),
        ("rm -rf /var/lib/apt/lists", "the index stays in the layer"),
    ] {
        if !command.contains(needed) {
            subject.found(at, format!("apt-get install without `{needed}` in the same RUN: {why}"));
        }
    }
    if !words.contains(&"-y") && !words.contains(&"--yes") {
        subject.found(at, "apt-get install without --yes: the build would wait for an answer");
    }
}

fn check_source(subject: &mut Subject<'_, '_>, from: &Flag<'_>, stage: usize) {
    let name = from.value.as_ref().map(|value| value.value.as_ref()).unwrap_or_default();
    let earlier = |other: &Stage<'_, '_>| other.from.as_.as_ref().is_some_and(|(_, as_)| as_.value == name);
    if !subject.file.stages().take(stage).any(|other| earlier(&other)) {
        subject.found(
            from.name.span.start,
            format!("COPY --from={name} names no earlier stage: name the stage by its AS"),
        );
    }
}

fn check_exec(subject: &mut Subject<'_, '_>, at: usize, name: &str, command: &Command<'_>) {
    if matches!(command, Command::Shell(_)) {
        subject.found(
            at,
            format!("{name} in shell form keeps SIGTERM from the host, which drains on it: write a JSON array"),
        );
    }
}

fn check_secret(subject: &mut Subject<'_, '_>, at: usize, variables: &str) {
    let upper = variables.to_uppercase();
    if ["TOKEN", "SECRET", "PASSWORD", "API_KEY"].iter().any(|word| upper.contains(word)) {
        subject.found(at, "a secret in ENV or ARG stays in the image: pass it when the container starts");
    }
}

/// What the image that is shipped must have: a plain user, the data volume, the port, a health check, an entry point.
pub(super) fn check_result(subject: &mut Subject<'_, '_>, stage: &Stage<'_, '_>) {
    let at = stage.from.from.span.start;
    let has = |wanted: &dyn Fn(&Instruction<'_>) -> bool| stage.instructions.iter().any(wanted);
    let user = stage.instructions.iter().rev().find_map(|instruction| match instruction {
        Instruction::User(user) => Some(user.arguments.value.as_ref()),
        _ => None,
    });
    if matches!(user, None | Some("root" | "0"))
        || user.is_some_and(|user| user.starts_with("root:") || user.starts_with("0:"))
    {
        subject.found(at, "the image runs as root: end with a USER of its own");
    }
    if !has(&|instruction| matches!(instruction, Instruction::Volume(volume) if names(&volume.arguments, "/data"))) {
        subject.found(at, "no VOLUME /data: the log would go with the container");
    }
    if !has(
        &|instruction| matches!(instruction, Instruction::Expose(port) if port.arguments.iter().any(|port| port.value == "8642")),
    ) {
        subject.found(at, "no EXPOSE 8642, the port that the host listens on");
    }
    if !has(&|instruction| {
        matches!(instruction, Instruction::Healthcheck(check)
        if matches!(&check.arguments, HealthcheckArguments::Cmd { arguments, .. } if text(arguments).contains("/healthz")))
    }) {
        subject.found(at, "no HEALTHCHECK that asks /healthz");
    }
    if !has(&|instruction| matches!(instruction, Instruction::Entrypoint(_))) {
        subject.found(at, "no ENTRYPOINT: the verbs of the command line would have to be spelled out");
    }
}

fn names(volumes: &JsonOrStringArray<'_, 1>, wanted: &str) -> bool {
    match volumes {
        JsonOrStringArray::Json(volumes) => volumes.value.iter().any(|volume| volume.value == wanted),
        JsonOrStringArray::String(volumes) => volumes.iter().any(|volume| volume.value == wanted),
    }
}

fn text(command: &Command<'_>) -> String {
    match command {
        Command::Exec(words) => words.value.iter().map(|word| word.value.as_ref()).collect::<Vec<_>>().join(" "),
        Command::Shell(text) => text.value.to_owned(),
        _ => String::new(),
    }
}
