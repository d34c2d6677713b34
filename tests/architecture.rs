//! The rules of the repository that the compiler cannot hold: which crate may depend on which, what its code never names,
//! how long a file may be, and that a test which `ARCHITECTURE.md` names exists. `cargo xtask check` runs the same
//! functions.

use xtask::{Finding, absence, citation, edges, size, source};

fn assert_clean(findings: &[Finding]) {
    let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}

#[test]
fn dependencies_point_one_way() {
    assert_clean(&edges::check(&source::root()).unwrap());
}

#[test]
fn what_must_be_absent_is_absent() {
    let files = source::rust_files(&source::root()).unwrap();
    assert_clean(&absence::check(&files, &absence::ABSENCES).unwrap());
}

#[test]
fn files_and_functions_fit_their_limits() {
    let root = source::root();
    let files = source::rust_files(&root).unwrap();
    assert!(files.iter().any(|file| file.path == "events/src/lib.rs"), "the search does not see the crates");
    assert_clean(&size::check(&root, &files).unwrap());
}

#[test]
fn tests_named_in_architecture_exist() {
    let root = source::root();
    let files = source::rust_files(&root).unwrap();
    match citation::check_page(&root, &files).unwrap() {
        Some(findings) => assert_clean(&findings),
        None => println!("not checked: {} is not written yet", citation::PAGE),
    }
}
