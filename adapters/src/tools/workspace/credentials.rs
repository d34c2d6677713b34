//! Places where people and programs keep credentials.

use std::path::Path;

const FOLDERS: &[&str] = &[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store"];
const NAMES: &[&str] = &[
    ".env",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    "secrets.toml",
    "credentials",
    "credentials.json",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
];
const ENDINGS: &[&str] = &[".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx"];
const TAILS: &[&str] = &[".docker/config.json", ".config/gh/hosts.yml", ".cargo/credentials.toml"];
/// Templates of `.env` files hold names without values.
const TEMPLATES: &[&str] = &["example", "sample", "template", "dist"];

/// Whether a path is such a place, in any spelling of its letters.
pub(super) fn is_credential(path: &Path) -> bool {
    let whole = path.to_string_lossy().to_lowercase();
    let mut parts = whole.split('/').rev();
    let name = parts.next().unwrap_or_default();
    let environment = name.strip_prefix(".env.").is_some_and(|rest| !TEMPLATES.contains(&rest));
    environment
        || NAMES.contains(&name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || TAILS.iter().any(|tail| whole.ends_with(tail))
        || whole.contains(".config/gcloud/")
        || parts.any(|folder| FOLDERS.contains(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_known_by_their_place() {
        for path in [
            ".env",
            "a/.ENV",
            ".env.production",
            "x/.ssh/config",
            ".aws/config",
            "k/server.pem",
            "id_rsa",
            ".docker/config.json",
        ] {
            assert!(is_credential(Path::new(path)), "{path}");
        }
        for path in [".env.example", "environment", "src/keys.rs", "docs/credentials.md", "config.json", "id_rsa.pub"] {
            assert!(!is_credential(Path::new(path)), "{path}");
        }
    }
}
