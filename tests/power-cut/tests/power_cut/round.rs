//! One cut: write, freeze, shut down, kill, recover, open, check, go on.

use dispatch_events::{Log, StreamId, SystemClock, store::EngineKind};
use power_cut::{
    Child, Ledger, Volume,
    child::Loses,
    random, say,
    writer::{append, block_on, drafts},
};
use std::{
    fmt,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// Older events that a log has before its first cut.
const OLD_EVENTS: usize = 20_000;
/// Events in one append of them.
const OLD_APPEND: usize = 500;
/// Size of a volume; it is sparse.
const VOLUME_MIB: u64 = 1024;
/// With less room than this a log with old data is given up for a new one.
const ROOM: u64 = 512 * 1024 * 1024;

/// When the power goes.
#[derive(Clone, Copy, Debug)]
pub enum Moment {
    /// While the log is opened.
    Opening,
    /// That long after writing began.
    Writing { least_ms: u64, most_ms: u64 },
}

/// The volumes of one engine, and what happened on them.
pub struct Bench {
    engine: EngineKind,
    old: Option<(Volume, Ledger)>,
    /// Cuts after which something new had been acknowledged.
    pub fruitful: u32,
    cuts: u32,
    with_old: u32,
    acknowledged: usize,
    slowest: Duration,
}

impl Bench {
    pub fn new(engine: EngineKind) -> Self {
        Self { engine, old: None, fruitful: 0, cuts: 0, with_old: 0, acknowledged: 0, slowest: Duration::ZERO }
    }

    /// One cut; false if it can't be done on this machine, which was said. The error is what the log did wrong.
    pub fn round(&mut self, is_old: bool, moment: Moment, loses: Loses) -> Result<bool, String> {
        let kept = if is_old { self.old.take() } else { None };
        let (mut volume, mut ledger) = match kept.filter(|(volume, _)| volume.free() >= ROOM) {
            Some(kept) => kept,
            None => {
                let Some(mut volume) = volume(VOLUME_MIB) else { return Ok(false) };
                let mut ledger = Ledger::default();
                if is_old {
                    load(&volume, self.engine, &mut ledger)?;
                    volume.remount();
                }
                (volume, ledger)
            }
        };
        let before = ledger.len();
        self.cut(&mut volume, moment, loses, &mut ledger)?;
        self.acknowledged += ledger.len() - before;
        self.fruitful += u32::from(ledger.len() > before);
        let start = Instant::now();
        let log = open(&volume, self.engine)?;
        self.slowest = self.slowest.max(start.elapsed());
        ledger.check(&log)?;
        ledger.go_on(&log)?;
        drop(log);
        self.cuts += 1;
        if is_old {
            self.with_old += 1;
            self.old = Some((volume, ledger));
        }
        Ok(true)
    }

    fn cut(&self, volume: &mut Volume, moment: Moment, loses: Loses, ledger: &mut Ledger) -> Result<(), String> {
        let mut child = Child::start("the_child", volume.path(), self.engine, loses);
        let delay_ms = match moment {
            Moment::Opening => u64::from(random() % 100),
            Moment::Writing { least_ms, most_ms } => {
                child.wait_ready()?;
                least_ms + u64::from(random()) % (most_ms - least_ms)
            }
        };
        thread::sleep(Duration::from_millis(delay_ms));
        ledger.add(child.acknowledged()?)?;
        child.freeze();
        volume.cut();
        ledger.add(child.kill()?)?;
        volume.remount();
        Ok(())
    }
}

impl fmt::Display for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} power cuts ({} with old data), {} events acknowledged in {} of them, slowest open {:?}",
            self.cuts, self.with_old, self.acknowledged, self.fruitful, self.slowest
        )
    }
}

/// A volume, or the reason why there is none on stderr.
fn volume(mib: u64) -> Option<Volume> {
    Volume::new(mib).map_err(|why| say(&format!("skipped: no file system to cut the power of ({why})"))).ok()
}

fn open(volume: &Volume, engine: EngineKind) -> Result<Log, String> {
    Log::open(&volume.path(), engine, Arc::new(SystemClock)).map_err(|error| format!("does not open: {error}"))
}

/// Many small events, quickly.
fn load(volume: &Volume, engine: EngineKind, ledger: &mut Ledger) -> Result<(), String> {
    let log = open(volume, engine)?;
    for _ in 0..OLD_EVENTS / OLD_APPEND {
        let tip = log.new_tip(StreamId::fresh()).map_err(|error| error.to_string())?;
        let old = drafts(OLD_APPEND, || 10 + random() as usize % 150);
        let (_, written) = block_on(append(&log, tip, old)).map_err(|error| error.to_string())?;
        ledger.add(written)?;
    }
    Ok(())
}
