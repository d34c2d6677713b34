//! Writers on a log: appends of one to four events of 10 bytes to 2 MB, in sessions that come and go.

use crate::random;
use dispatch_events::{
    CorrelationId, Digest, Draft, Event, EventId, Log, Position, PrincipalId, Recorded, StreamId, TurnId, Version,
    catalogue::memory::MemoryRecalled,
    log::{LogError, Tip},
};
use std::{fmt, str::FromStr, thread};

/// How many write at once.
pub const WRITERS: usize = 8;

/// One event whose append was acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where it is in the log.
    pub position: Position,
    /// Its stream.
    pub stream: StreamId,
    /// Where it is there.
    pub version: Version,
    /// Its id.
    pub id: EventId,
    /// Digest of its text.
    pub text: Digest,
}

/// Hears what an append gave, and says whether its writer goes on.
pub type Tell<'a> = dyn Fn(Result<&[Written], &LogError>) -> bool + Sync + 'a;

/// Runs [`WRITERS`] writers on `log`. `tell` hears every answer.
pub fn write(log: &Log, tell: &Tell<'_>) {
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| block_on(one_writer(log, tell)));
        }
    });
}

async fn one_writer(log: &Log, tell: &Tell<'_>) {
    let mut tip = None;
    loop {
        let appended = match tip.take() {
            Some(tip) if !random().is_multiple_of(16) => {
                append(log, tip, drafts(1 + random() as usize % 4, size)).await
            }
            _ => match log.new_tip(StreamId::fresh()) {
                Ok(fresh) => append(log, fresh, drafts(1 + random() as usize % 4, size)).await,
                Err(error) => Err(error),
            },
        };
        let goes_on = match &appended {
            Ok((after, written)) => {
                tip = Some(*after);
                tell(Ok(written))
            }
            Err(error) => tell(Err(error)),
        };
        if !goes_on {
            return;
        }
    }
}

/// Appends drafts behind `tip`; where the next ones go, and what was written.
///
/// # Errors
/// The log's.
pub async fn append(log: &Log, tip: Tip, drafts: Vec<Draft>) -> Result<(Tip, Vec<Written>), LogError> {
    let appended = log.append(tip, drafts).await?;
    let written: Vec<_> = appended.events.iter().map(|event| Written::of(event)).collect();
    let version = written.last().map_or(tip.version, |last| last.version);
    Ok((Tip { version, ..tip }, written))
}

/// One append's worth of events: they share a correlation, and each text says which of how many it is.
pub fn drafts(count: usize, mut size: impl FnMut() -> usize) -> Vec<Draft> {
    let correlation = CorrelationId::fresh();
    let draft = |index| {
        let block = text(&format!("{index}/{count} "), size());
        Draft {
            event: MemoryRecalled { turn: TurnId::fresh(), backend: "test".into(), block, took_ms: 0 }.into(),
            correlation,
            causation: EventId::default(),
            principal: PrincipalId::default(),
        }
    };
    (0..count).map(draft).collect()
}

/// Most are small, some fill many rows, few are blobs.
pub fn size() -> usize {
    let (low, high) = match random() % 32 {
        0 => (64 * 1024, 2_000_000),
        1..4 => (4_000, 64 * 1024),
        _ => (10, 4_000),
    };
    low + random() as usize % (high - low)
}

/// Runs one writer's future on this thread.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime without I/O").block_on(future)
}

fn text(beginning: &str, length: usize) -> String {
    let mut seed = random();
    let letter = |_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (seed >> 24) as u8 % 26)
    };
    beginning.chars().chain((0..length.saturating_sub(beginning.len())).map(letter)).collect()
}

impl Written {
    fn of(recorded: &Recorded) -> Self {
        let Some(Event::MemoryRecalled(MemoryRecalled { block, .. })) = recorded.event() else {
            unreachable!("writers write nothing else")
        };
        Self {
            position: recorded.position,
            stream: recorded.stream,
            version: recorded.version,
            id: recorded.id,
            text: Digest::of(block.as_bytes()),
        }
    }
}

/// The line that a child says.
impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, stream, version, id, text } = self;
        write!(f, "{position} {stream} {version} {id} {}", text.hex())
    }
}

impl FromStr for Written {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let mut words = line.split(' ');
        let mut word = || words.next().ok_or_else(|| format!("not a line of a writer: {line}"));
        let number = |word: &str| word.parse::<u64>().map_err(|error| error.to_string());
        Ok(Self {
            position: Position(number(word()?)?),
            stream: word()?.parse().map_err(|error| format!("{error:?}"))?,
            version: Version(number(word()?)?),
            id: word()?.parse().map_err(|error| format!("{error:?}"))?,
            text: blake3::Hash::from_hex(word()?)
                .map(|hash| Digest(*hash.as_bytes()))
                .map_err(|error| error.to_string())?,
        })
    }
}
