//! The host's own stream: which host runs there were, how each ended, and what was refused to one that was replaced.
//!
//! Several hosts over one store write to it, so an append that another one was faster than is made again behind it.

use super::StartError;
use crate::{Blocking, settings::HostSettings, shared::host_stream};
use dispatch_events::{
    CorrelationId, Draft, Epoch, Event, EventId, Log, PrincipalId, Version,
    catalogue::host::{HostStarted, PreviousRun},
    envelope::Header,
    keys::KeyId,
    log::{LogError, Tip},
    store::{AppendError, ReadError},
};
use std::sync::Arc;

/// How often an append is made again behind another host's.
const TRIES: u32 = 32;
/// Records that are read at once on the way back to the last start.
const BACK: usize = 64;

/// Begins a host run: the log in its epoch, and the key of the host's own stream.
pub(super) async fn begin(log: Log, settings: &HostSettings) -> Result<(Arc<Log>, KeyId), StartError> {
    let mut log = log;
    for _ in 0..TRIES {
        let next = settings.blocking.run(move || next_epoch(log)).await;
        let (mine, tip, previous) = next.map_err(|error| StartError::Other(error.to_string()))??;
        let event = HostStarted {
            epoch: mine.epoch(),
            release: settings.release.clone(),
            engine: mine.store().engine().to_owned(),
            previous,
        };
        match mine.append(tip, vec![draft(event.into())]).await {
            Ok(_) => return Ok((Arc::new(mine), tip.key)),
            Err(LogError::Append(AppendError::Conflict { .. })) => log = mine,
            Err(error) => return Err(error.into()),
        }
    }
    Err(StartError::Other(format!("{TRIES} other hosts started in the same moment: start it again")))
}

/// Appends an event to the host's own stream, behind whatever another host appends in the same moment.
pub(crate) async fn append_to_own(log: &Arc<Log>, blocking: Blocking, event: Event) -> Result<(), LogError> {
    let mut tries = 0;
    loop {
        let reading = log.clone();
        let tip = blocking.run(move || reading.tip(host_stream())).await;
        let tip = tip.map_err(|error| AppendError::Unavailable(error.to_string()))??;
        let tip = tip.ok_or_else(|| AppendError::Unavailable("the host's own stream is not there".to_owned()))?;
        match log.append(tip, vec![draft(event.clone())]).await {
            Err(LogError::Append(AppendError::Conflict { .. })) if tries < TRIES => tries += 1,
            written => return written.map(drop),
        }
    }
}

fn draft(event: Event) -> Draft {
    let (causation, principal) = (EventId::default(), PrincipalId::default());
    Draft { event, correlation: CorrelationId::fresh(), causation, principal }
}

/// The log in the next epoch, the end of the host's own stream, and how the host before ended. The last words in the
/// stream may be an older host's, so it is read back to the last start. Headers are enough, and need no key.
fn next_epoch(log: Log) -> Result<(Log, Tip, PreviousRun), LogError> {
    let stream = host_stream();
    let Some(head) = log.store().head(stream)? else {
        let tip = log.new_tip(stream)?;
        return Ok((log.in_epoch(Epoch(1)), tip, PreviousRun::None));
    };
    let tip = Tip { stream, version: head.version, key: head.key };
    let damaged = |why: String| ReadError::Damaged { place: "the host's own stream".to_owned(), why };
    let mut stopped = Vec::new();
    let mut from = head.version;
    while from > Version(0) {
        let records = log.store().read_stream_back(stream, from, BACK)?;
        if records.is_empty() {
            break;
        }
        from = Version(from.0.saturating_sub(records.len() as u64));
        for record in records {
            let (header, _) = Header::parse(&record).map_err(|error| damaged(error.to_string()))?;
            match header.kind.as_str() {
                "host.stopped" => stopped.push(header.epoch),
                "host.started" => {
                    let previous = match stopped.contains(&header.epoch) {
                        true => PreviousRun::Stopped,
                        false => PreviousRun::Lost,
                    };
                    return Ok((log.in_epoch(header.epoch.next()), tip, previous));
                }
                _ => {}
            }
        }
    }
    Err(damaged("it does not say which host run was the last".to_owned()).into())
}
