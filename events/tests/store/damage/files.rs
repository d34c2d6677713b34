//! The files of a log folder, in memory.

use std::{collections::BTreeMap, fmt, fs, path::Path};

#[derive(Clone)]
pub struct Files(pub BTreeMap<String, Vec<u8>>);

impl Files {
    pub fn read(folder: &Path) -> Self {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).filter(|entry| entry.path().is_file());
        Self(files.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())).collect())
    }

    /// A folder of its own with these files.
    pub fn write(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in &self.0 {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        folder
    }

    /// The same files, one with other bytes.
    pub fn with(&self, name: &str, bytes: &[u8]) -> Self {
        let mut files = self.clone();
        files.0.insert(name.to_owned(), bytes.to_vec());
        files
    }

    /// Names, and lengths up to the last byte that is not zero: engines write ahead of what they use.
    pub fn used(&self) -> Vec<(&str, usize)> {
        let used = |bytes: &Vec<u8>| bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        self.0.iter().map(|(name, bytes)| (name.as_str(), used(bytes))).filter(|(_, used)| *used > 0).collect()
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.used()).finish()
    }
}
