//! A gateway adapter in sixty lines: every line of standard input is an input, every answer is a line of output.
//!
//! ```sh
//! cargo run --example line_adapter -- my-session
//! ```
//!
//! What an adapter is stands in [`talk`]: it submits, gets a durable receipt, follows the session's events, and uses
//! [`HostHandle`] and nothing else. The rest puts a host together, as `dispatch serve` does.
#![allow(clippy::print_stdout, reason = "it talks to a person")]

use dispatch_actors::{HostHandle, Opening, Refusal, SessionRef, Submit, handle::Update};
use dispatch_adapters::{
    assemble,
    config::{self, DataFolder, Secrets},
};
use dispatch_events::{Clock, Event, Part, SystemClock, catalogue::input::Principal, lock::FolderLock};
use std::{error::Error, io::stdin};

/// Carries one line to a session and its answer back.
async fn talk(host: &HostHandle, session: &SessionRef, line: String) -> Result<(), Refusal> {
    let principal = Principal { adapter: "lines".into(), subject: "stdin".into() };
    // A channel gives the platform's id of the message too, and a message that comes twice is answered once.
    let input = Submit { opening: Some(Opening::plain("lines")), ..Submit::new(principal, vec![Part::Text(line)]) };
    let receipt = host.submit(session, input).await?;
    println!("# durable at position {}", receipt.position);
    let mut updates = host.subscribe(receipt.session, receipt.version);
    while let Some(update) = updates.next().await {
        // Deltas are provisional; an answer is told when it is on the disk.
        let Update::Event(recorded) = update? else { continue };
        if let Some(Event::InputSettled(settled)) = recorded.event()
            && settled.admission == receipt.admission
        {
            break;
        }
    }
    println!("{}", host.wait(&receipt).await?.answer);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = DataFolder::find(None, |name| std::env::var(name).ok())?;
    let session = SessionRef::from(std::env::args().nth(1).as_deref().unwrap_or("lines"));
    let loaded = config::load(&folder, std::env::vars())?;
    let _lock = FolderLock::take(folder.path(), "the line adapter", SystemClock.now())?;
    actix_rt::System::new().block_on(async {
        let parts = assemble::host_parts(&folder, &loaded, &Secrets::load(&folder.secrets_file())?, true)?;
        let host = HostHandle::start(parts).await?;
        for line in stdin().lines() {
            talk(&host, &session, line?).await?;
        }
        host.drain("end of input").await;
        Ok(())
    })
}
