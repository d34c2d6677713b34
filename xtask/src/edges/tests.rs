use super::*;
use toml::Table;

/// What is found in a manifest of `package` with this `body`.
fn found(package: &str, body: &str) -> Vec<String> {
    let text = format!("[package]\nname = \"{package}\"\n{body}\n");
    let shared: Table = "web = { package = \"actix-web\", version = \"4\" }".parse().unwrap();
    let manifest = manifest::parse("m/Cargo.toml", &text, &shared).unwrap();
    judge(&manifest).iter().map(Finding::to_string).collect()
}

#[test]
fn the_order_of_crates_is_allowed() {
    let body = "[dependencies]\ndispatch-events.workspace = true\nserde = \"1\"";
    assert_eq!(found("dispatch-projections", body), [""; 0]);
}

#[test]
fn an_edge_against_the_order_is_found_wherever_it_stands() {
    let expected =
        ["m/Cargo.toml: dispatch-projections may not depend on dispatch-actors: dependencies point the other way"];
    for section in ["dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"] {
        let body = format!("[{section}]\ndispatch-actors.workspace = true");
        assert_eq!(found("dispatch-projections", &body), expected, "{section}");
    }
}

#[test]
fn a_dependency_with_a_duty_stays_with_it() {
    for (package, dependency) in [
        ("dispatch-events", "actix"),
        ("dispatch-events", "reqwest"),
        ("dispatch-projections", "actix"),
        ("dispatch-projections", "reqwest"),
        ("dispatch-projections", "sled"),
        ("dispatch-projections", "tokio"),
        ("dispatch-actors", "actix-web"),
        ("dispatch-actors", "reqwest"),
        ("dispatch-actors", "sled"),
        ("dispatch-actors", "bincode"),
        ("dispatch-actors", "rusqlite"),
        ("dispatch-adapters", "sled"),
        ("dispatch-adapters", "bincode"),
        ("dispatch", "reqwest"),
        ("xtask", "tokio"),
    ] {
        let body = format!("[dependencies]\n{dependency} = \"1\"");
        let found = found(package, &body);
        assert!(found.len() == 1 && found[0].contains(dependency), "{package} with {dependency}: {found:?}");
    }
}

#[test]
fn a_new_name_does_not_hide_a_package() {
    let here = "[dependencies]\nweb = { package = \"reqwest\", version = \"1\" }";
    assert!(found("dispatch-actors", here)[0].contains("reqwest"));
    let shared = "[dependencies]\nweb.workspace = true";
    assert!(found("dispatch-actors", shared)[0].contains("actix-web"));
}

#[test]
fn tests_may_reach_for_what_code_may_not() {
    assert_eq!(found("dispatch", "[dev-dependencies]\nreqwest = \"1\"\nxtask = { path = \"xtask\" }"), [""; 0]);
    assert_eq!(found("dispatch", "[dependencies]\nxtask = { path = \"xtask\" }").len(), 1);
}

#[test]
fn the_far_side_shares_nothing_with_the_host() {
    assert_eq!(found("far-side", "[dependencies]\nreqwest = \"1\""), [""; 0]);
    assert_eq!(found("far-side", "[dependencies]\ndispatch-events = \"1\"").len(), 1);
    assert_eq!(found("dispatch-adapters", "[dev-dependencies]\nfar-side = \"1\"").len(), 1);
}

#[test]
fn a_crate_without_a_place_is_found() {
    assert_eq!(
        found("dispatch-extras", ""),
        ["m/Cargo.toml: dispatch-extras has no place in the order of crates: give it one in xtask's LAYERS"]
    );
}
