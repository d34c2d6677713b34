//! What an engine is held against: a file with `fdatasync`, and nothing else.

use crate::cpu::{Since, Times};
use std::{
    fs::File,
    io::Write,
    path::Path,
    thread::{Builder, JoinHandle},
    time::{Duration, Instant},
};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
};

/// Records in one write, as the committer takes them.
const GROUP: usize = 256;

type Record = (Vec<u8>, oneshot::Sender<()>);

/// One thread that writes what waits, syncs, and answers: writers that wait for the disk, as those of a log do.
pub struct Answered {
    sender: mpsc::Sender<Record>,
    thread: JoinHandle<()>,
}

impl Answered {
    /// A new file.
    pub fn new(path: &Path) -> Self {
        let mut file = File::create(path).unwrap();
        let (sender, mut records) = mpsc::channel::<Record>(1024);
        let write = move || {
            while let Some(first) = records.blocking_recv() {
                let mut group = vec![first];
                while group.len() < GROUP
                    && let Ok(next) = records.try_recv()
                {
                    group.push(next);
                }
                let bytes: Vec<u8> = group.iter().flat_map(|(bytes, _)| bytes.iter().copied()).collect();
                file.write_all(&bytes).unwrap();
                file.sync_data().unwrap();
                for (_, answer) in group {
                    answer.send(()).unwrap();
                }
            }
        };
        Self { sender, thread: Builder::new().name("bare file".into()).spawn(write).unwrap() }
    }

    /// So many writers, each with one record at a time, for a while. How many records are on the disk.
    pub async fn run(&self, writers: usize, record: usize, length: Duration) -> (usize, Times) {
        let since = Since::now();
        let until = Instant::now() + length;
        let mut tasks = JoinSet::new();
        for _ in 0..writers {
            let sender = self.sender.clone();
            tasks.spawn(async move {
                let mut written = 0;
                while Instant::now() < until {
                    let (answer, answered) = oneshot::channel();
                    sender.send((vec![b'x'; record], answer)).await.unwrap();
                    answered.await.unwrap();
                    written += 1;
                }
                written
            });
        }
        (tasks.join_all().await.into_iter().sum(), since.times())
    }

    /// Ends the thread.
    pub fn close(self) {
        drop(self.sender);
        self.thread.join().unwrap();
    }
}

/// One write and one sync for `count` records, over and over: what the disk alone gives, with nobody waiting.
pub fn alone(file: &mut File, record: usize, count: usize, length: Duration) -> (usize, Times) {
    let (since, mut written) = (Since::now(), 0);
    while since.times().wall < length {
        file.write_all(&vec![b'x'; record * count]).unwrap();
        file.sync_data().unwrap();
        written += count;
    }
    (written, since.times())
}
