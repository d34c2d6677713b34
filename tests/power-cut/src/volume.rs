//! An ext4 file system in an image file, on a loop device.

use crate::kernel;
use dispatch_events::disk;
use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// How often, and how far apart, a busy file system is unmounted again: an engine's threads may close its files a moment
/// after its handle is gone.
const TRIES: u32 = 200;
const TRY_MS: u64 = 50;

/// Bytes of one write of ballast.
const CHUNK: usize = 1024 * 1024;
const SMALL_CHUNK: usize = 512;

/// Bytes of a key slab: a header of 8, and 36 for each of 64 keys.
const SLAB_LEN: u64 = 8 + 64 * 36;
/// Bytes of the file that blinds session names.
const NAMES_LEN: u64 = 44;
/// Pause between two chunks of ballast, so that a commit which found room is done before there is none.
const PAUSE: Duration = Duration::from_millis(3);

/// A file system of our own. It is unmounted and gone when this is dropped, also when a test fails.
pub struct Volume {
    folder: TempDir,
    is_mounted: bool,
}

impl Volume {
    /// Makes and mounts one of `mib` MiB. The image is sparse: only what is written takes room.
    ///
    /// # Errors
    /// Why this machine can't have one, in words.
    pub fn new(mib: u64) -> Result<Self, String> {
        let folder = TempDir::new().map_err(|error| format!("no temporary folder: {error}"))?;
        let image = folder.path().join("image");
        let made = File::create(&image).and_then(|file| file.set_len(mib * 1024 * 1024));
        made.map_err(|error| format!("no image file: {error}"))?;
        std::fs::create_dir(folder.path().join("mount")).map_err(|error| format!("no mount point: {error}"))?;
        // No blocks are kept for root, so that what is free is what can be written.
        run(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0"]).arg(&image))?;
        let mut volume = Self { folder, is_mounted: false };
        volume.mount()?;
        Ok(volume)
    }

    /// Where it is mounted.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("mount")
    }

    /// Cuts the power: nothing that is not on the disk now will ever be. Until [`Volume::remount`] every use of it fails.
    pub fn cut(&self) {
        let root = File::open(self.path()).expect("the file system is mounted");
        kernel::shut_down(&root).expect("ext4 can be shut down");
    }

    /// Unmounts and mounts again, which recovers the journal after a cut. Nobody may have a file open.
    pub fn remount(&mut self) {
        self.unmount().expect("nobody has a file of it open");
        self.mount().expect("it was mounted before");
    }

    /// Free bytes.
    pub fn free(&self) -> u64 {
        disk::free_space(&self.path()).expect("the file system is mounted")
    }

    /// Writes a file `name` beside everything else until at most `left` bytes are free; to the last byte if that is 0.
    pub fn fill(&self, name: &str, left: u64) -> Ballast {
        let path = self.path().join(name);
        let mut file = File::create(&path).expect("a name has room");
        for chunk in [CHUNK, SMALL_CHUNK] {
            let bytes = vec![0x5a; chunk];
            while self.free() >= left + chunk as u64 || left == 0 {
                match file.write_all(&bytes) {
                    Ok(()) if chunk == CHUNK => thread::sleep(PAUSE),
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::StorageFull => break,
                    Err(error) => panic!("ballast: {error}"),
                }
            }
            // What is written late is counted late.
            if let Err(error) = file.sync_all() {
                assert!(error.kind() == io::ErrorKind::StorageFull, "ballast: {error}");
            }
        }
        Ballast(path)
    }

    fn mount(&mut self) -> Result<(), String> {
        let image = self.folder.path().join("image");
        run(Command::new("mount").args(["-t", "ext4", "-o", "loop,noatime"]).arg(image).arg(self.path()))?;
        self.is_mounted = true;
        Ok(())
    }

    /// The loop device goes with the mount.
    fn unmount(&mut self) -> Result<(), String> {
        let mut tries = 0;
        loop {
            match run(Command::new("umount").arg(self.path())) {
                Ok(()) => break,
                Err(_) if tries < TRIES => tries += 1,
                Err(why) => return Err(why),
            }
            thread::sleep(Duration::from_millis(TRY_MS));
        }
        self.is_mounted = false;
        Ok(())
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        if !self.is_mounted {
            return;
        }
        if let Err(why) = self.unmount() {
            // Out of sight at once, and gone with the last file that is open.
            let lazy = run(Command::new("umount").arg("--lazy").arg(self.path()));
            crate::say(&format!("unmounted lazily, because {why}{}", lazy.err().unwrap_or_default()));
        }
    }
}

/// A file that takes room away.
pub struct Ballast(PathBuf);

impl Ballast {
    /// Gives the room back.
    pub fn remove(self) {
        std::fs::remove_file(&self.0).expect("the ballast is still there");
        let folder = self.0.parent().unwrap_or(Path::new("/"));
        // The blocks are free when the removal is committed.
        disk::sync_dir(folder).expect("the file system works");
    }
}

/// Files of a data folder that are not what their names promise: key slabs of another length, and whatever in `keys` and
/// `blobs` is neither a slab, the secret of names nor a blob.
pub fn half_written(data: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![data.join("keys"), data.join("blobs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the data folder has both").map(|entry| entry.expect("an entry"))
        {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let length = entry.metadata().map_or(0, |about| about.len());
            if path.is_dir() {
                folders.push(path);
            } else if !(is_address(&name) || is_keys(&name, length)) {
                found.push(format!("{} of {length} bytes", path.display()));
            }
        }
    }
    found
}

fn is_keys(name: &str, length: u64) -> bool {
    name.ends_with(".keys") && length == SLAB_LEN || name == "names" && length == NAMES_LEN
}

fn is_address(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
