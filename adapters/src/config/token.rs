//! The API token: made at the first start, for its owner alone.

use dispatch_events::disk;
use std::{io, path::Path};

const TOKEN_BYTES: usize = 32;

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file could not be read or written.
    #[error("the token file {path} can't be used: {why}")]
    Io {
        /// The file.
        path: String,
        /// What the file system says.
        #[source]
        why: io::Error,
    },
    /// The file is there and holds nothing that can be sent.
    #[error("the token file {0} holds no token: remove it, and the next start makes a new one")]
    Empty(String),
    /// The machine gave no random bytes.
    #[error("no token can be made: the machine gives no random bytes")]
    Random,
}

/// Reads the token, or makes one if there is none yet.
///
/// # Errors
/// [`TokenError`].
pub fn read_or_make(path: &Path) -> Result<String, TokenError> {
    match read(path) {
        Err(TokenError::Io { why, .. }) if why.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|_| TokenError::Random)?;
    let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    match disk::write_new_synced(path, format!("{token}\n").as_bytes()) {
        Ok(()) => Ok(token),
        // Another process was faster: its token counts.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read(path),
        Err(why) => Err(TokenError::Io { path: path.display().to_string(), why }),
    }
}

/// Reads the token.
///
/// # Errors
/// [`TokenError`]; a missing file is an I/O error of that kind.
pub fn read(path: &Path) -> Result<String, TokenError> {
    let text = std::fs::read_to_string(path).map_err(|why| TokenError::Io { path: path.display().to_string(), why })?;
    let token = text.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(TokenError::Empty(path.display().to_string()));
    }
    Ok(token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_and_ends_with_a_newline() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let made = read_or_make(&path).unwrap();
        assert_eq!(made.len(), 2 * TOKEN_BYTES);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{made}\n"));
        assert_eq!(read_or_make(&path).unwrap(), made);
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        read_or_make(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn an_empty_file_is_refused_not_sent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, "\n").unwrap();
        assert!(matches!(read_or_make(&path), Err(TokenError::Empty(_))));
    }
}
