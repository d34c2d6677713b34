use super::*;

const GOOD: &str = r#"
FROM docker.io/library/rust:1.95-slim AS build
WORKDIR /source
RUN cargo build
FROM debian:trixie-slim
RUN apt-get update && apt-get install --yes --no-install-recommends curl && rm -rf /var/lib/apt/lists/*
COPY --from=build /source/dispatch /usr/local/bin/
USER 10001:10001
VOLUME ["/data"]
EXPOSE 8642
HEALTHCHECK CMD ["curl", "http://127.0.0.1:8642/healthz"]
ENTRYPOINT ["dispatch"]
CMD ["serve"]
"#;

fn found(text: &str) -> Vec<String> {
    lint("C", text, "1.95").unwrap().iter().map(Finding::to_string).collect()
}

#[test]
fn a_good_file_is_clean() {
    assert_eq!(found(GOOD), [""; 0]);
}

#[test]
fn each_fault_is_found() {
    for (good, bad, says) in [
        ("debian:trixie-slim", "debian", "has no tag"),
        ("debian:trixie-slim", "debian:latest", "moves by itself"),
        ("rust:1.95-slim", "rust:1.94-slim", "older than"),
        ("rust:1.95-slim", "rust:1-slim", "older than"),
        ("WORKDIR /source", "WORKDIR source", "WORKDIR is relative"),
        ("RUN cargo build", "RUN sudo cargo build", "sudo"),
        ("apt-get update && ", "", "`apt-get update`"),
        (" --no-install-recommends", "", "--no-install-recommends"),
        (" --yes", "", "--yes"),
        (" && rm -rf /var/lib/apt/lists/*", "", "/var/lib/apt/lists"),
        ("--from=build", "--from=biuld", "names no earlier stage"),
        ("COPY --from=build /source/dispatch", "ADD dispatch", "ADD"),
        ("USER 10001:10001\n", "", "runs as root"),
        ("USER 10001:10001\n", "USER 10001\nUSER 0:0\n", "runs as root"),
        ("VOLUME [\"/data\"]\n", "", "VOLUME /data"),
        ("EXPOSE 8642\n", "EXPOSE 80\n", "EXPOSE 8642"),
        ("/healthz", "/", "HEALTHCHECK"),
        ("ENTRYPOINT [\"dispatch\"]\n", "", "no ENTRYPOINT"),
        ("CMD [\"serve\"]", "CMD serve", "CMD in shell form"),
        ("USER", "ENV OPENAI_API_KEY=x\nUSER", "a secret"),
    ] {
        let found = found(&GOOD.replacen(good, bad, 1));
        assert!(found.len() == 1 && found[0].contains(says), "{bad}: {found:?}");
    }
}

#[test]
fn a_finding_names_its_line() {
    assert!(found(&GOOD.replacen("debian:trixie-slim", "debian", 1))[0].starts_with("C:5: "));
}

#[test]
fn what_is_no_container_file_is_named() {
    assert!(lint("C", "FORM debian\n", "1.95").unwrap_err().to_string().starts_with("C: "));
}
