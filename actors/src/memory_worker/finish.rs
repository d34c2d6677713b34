//! What a crash cut off between the log and a memory file.

use super::{
    MemoryWorker,
    files::{doing, settle},
};
use crate::ports::MemoryFiles;
use actix::{Handler, Message, ResponseFuture};
use dispatch_events::{
    Digest, Event, Log, StreamId, Version,
    catalogue::memory::{MemoryNoted, MemoryTarget},
};

/// Finish the write of the last recorded change of each file, if a crash cut it off.
#[derive(Message)]
#[rtype(result = "Result<(), String>")]
pub struct FinishWrites;

impl Handler<FinishWrites> for MemoryWorker {
    type Result = ResponseFuture<Result<(), String>>;

    fn handle(&mut self, _: FinishWrites, _: &mut Self::Context) -> Self::Result {
        let (files, log, stream) = (self.files.clone(), self.log.clone(), self.stream);
        let (edits, at) = (self.edits.clone(), self.blocking);
        Box::pin(async move {
            let _one_at_a_time = edits.lock().await;
            let reading = log.clone();
            let mut went = Ok(());
            for noted in doing(at, move || owed(&reading, stream)).await?.into_iter().flatten() {
                let (files, change) = (files.clone(), noted.clone());
                match doing(at, move || finish(&*files, &change)).await {
                    Ok(now) => settle(at, &log, stream, &noted, now).await,
                    // The other file is finished all the same.
                    Err(why) => went = Err(why),
                }
            }
            went
        })
    }
}

/// The newest change of each file, if nothing behind it says that it is done with.
fn owed(log: &Log, stream: StreamId) -> Result<[Option<MemoryNoted>; 2], String> {
    let mut newest: [Option<MemoryNoted>; 2] = [None, None];
    let of = |target| usize::from(target == MemoryTarget::User);
    let mut from = Version(1);
    loop {
        let page = log.read_stream(stream, from, 500).map_err(|error| error.to_string())?;
        let Some(last) = page.last() else { return Ok(newest) };
        from = last.version.next();
        for recorded in page {
            match recorded.event() {
                Some(Event::MemoryNoted(noted)) => newest[of(noted.target)] = Some(noted.clone()),
                Some(Event::MemoryWritten(written)) => newest[of(written.target)] = None,
                _ => {}
            }
        }
    }
}

/// Writes only over a file that is still as it was *before* the change: any other content is the change itself or a
/// person's later edit, which wins. Gives the digest of the file as it is in the end.
fn finish(files: &dyn MemoryFiles, noted: &MemoryNoted) -> Result<Digest, String> {
    let now = files.digest(noted.target)?;
    if now != noted.before {
        return Ok(now);
    }
    let file = noted.target.file();
    let planned = files.replay(noted.target, &noted.changes)?;
    if Digest::of(planned.after.as_bytes()) != noted.after {
        return Err(format!(
            "the last recorded change of {file} does not give the file that it names, so nothing was written; compare \
             {file} with the newest `memory.noted` and edit it by hand"
        ));
    }
    tracing::info!(file, "a memory change that a crash cut off is finished");
    files.write(&planned)?;
    Ok(noted.after)
}
