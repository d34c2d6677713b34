use super::*;
use crate::tools::testing::run;

async fn listed(arguments: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for name in ["b.rs", "a.rs", "sub/c.rs", "sub/deep/d.txt", "sub/new\nline"] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc", folder.path().join("link")).unwrap();
    let tool = ListFiles::new(Arc::new(Workspace::new(folder.path(), vec![folder.path().join("sub/deep")])));
    run(&tool, arguments, None).await.output
}

#[tokio::test]
async fn names_are_sorted_and_links_are_not_followed() {
    assert_eq!(listed("{}").await, "a.rs\nb.rs\nlink (link)\nsub/");
    assert_eq!(listed(r#"{"path":"sub"}"#).await, "sub/c.rs\nsub/deep/\nsub/new\u{fffd}line");
    let all = listed(r#"{"recursive":true}"#).await;
    assert!(all.contains("sub/c.rs") && !all.contains("passwd") && !all.contains("d.txt"), "{all}");
}

#[tokio::test]
async fn a_glob_matches_names_or_paths() {
    assert_eq!(listed(r#"{"glob":"*.rs"}"#).await, "a.rs\nb.rs\nsub/c.rs");
    assert_eq!(listed(r#"{"glob":"sub/*.rs"}"#).await, "sub/c.rs");
    assert!(listed(r#"{"glob":"*.zip"}"#).await.contains("nothing found"));
    assert!(listed(r#"{"glob":"["}"#).await.contains("correct it"));
}

#[tokio::test]
async fn limits_and_refusals_are_told() {
    assert_eq!(listed(r#"{"limit":1}"#).await, "a.rs\n[3 more names are left out; narrow it with `path` or `glob`]");
    for (arguments, word) in [
        (r#"{"path":".."}"#, "outside"),
        (r#"{"path":"link"}"#, "outside"),
        (r#"{"path":"a.rs"}"#, "no folder"),
        (r#"{"path":"none"}"#, "there is no"),
    ] {
        let said = listed(arguments).await;
        assert!(said.contains(word), "{arguments}: {said}");
    }
}
