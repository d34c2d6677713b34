use super::*;

fn made() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("práce 日本");
    fs::create_dir_all(root.join("sub")).unwrap();
    fs::write(root.join("sub/a.txt"), "a").unwrap();
    fs::write(folder.path().join("outside.txt"), "secret").unwrap();
    let workspace = Workspace::new(&root, Vec::new());
    (folder, workspace)
}

#[test]
fn paths_inside_are_found_in_every_spelling() {
    let (folder, workspace) = made();
    let absolute = folder.path().join("práce 日本/sub/a.txt");
    for written in ["sub/a.txt", "./sub//a.txt", "sub/../sub/a.txt", absolute.to_str().unwrap()] {
        assert_eq!(workspace.resolve(written).unwrap().shown, "sub/a.txt", "{written}");
    }
    assert_eq!(workspace.resolve(".").unwrap().shown, ".");
}

#[test]
fn what_lies_outside_is_answered_the_same_whether_it_exists() {
    let (_folder, workspace) = made();
    for written in
        ["../outside.txt", "../missing.txt", "sub/../../outside.txt", "/etc/passwd", "/no/such", "../../../../../../.."]
    {
        let error = workspace.resolve(written).unwrap_err();
        assert!(error.contains("outside"), "{written}: {error}");
    }
    for (written, word) in [("~/x", "not expanded"), ("C:\\x", "Windows"), ("a\0b", "NUL"), ("sub/none", "there is no")]
    {
        let error = workspace.resolve(written).unwrap_err();
        assert!(error.contains(word), "{written:?}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn links_count_by_where_they_lead() {
    use std::os::unix::fs::symlink;
    let (folder, workspace) = made();
    let root = folder.path().join("práce 日本");
    symlink(folder.path().join("outside.txt"), root.join("out")).unwrap();
    symlink(folder.path(), root.join("up")).unwrap();
    symlink("sub/a.txt", root.join("in")).unwrap();
    symlink(".env", root.join("harmless")).unwrap();
    fs::write(root.join(".env"), "KEY=1").unwrap();
    for written in ["out", "up/outside.txt", "up/missing.txt"] {
        assert!(workspace.open(written).unwrap_err().contains("outside"), "{written}");
    }
    assert_eq!(workspace.open("in").unwrap().2.shown, "sub/a.txt", "the reported path is the real one");
    for written in [".env", "harmless"] {
        assert!(workspace.open(written).unwrap_err().contains("credentials"), "{written}");
    }
}

#[test]
fn folders_of_the_host_and_missing_roots_are_refused() {
    let (folder, _) = made();
    let root = folder.path().join("práce 日本");
    let closed = Workspace::new(&root, vec![root.join("sub")]);
    assert!(closed.resolve("sub/a.txt").unwrap_err().contains("Dispatch itself"));
    let gone = Workspace::new(folder.path().join("gone"), Vec::new());
    assert!(gone.resolve(".").unwrap_err().contains("can't be reached"));
    assert!(Workspace::new(&root, Vec::new()).open("sub").unwrap_err().contains("folder"));
}
