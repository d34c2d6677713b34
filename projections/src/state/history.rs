//! Histories that a session could have, made of arbitrary choices: what comes next is always something that may come
//! next, crashes and unknown events included.

use crate::table::*;
use dispatch_events::{
    Body, Digest, Event, Generation, Part, Recorded,
    catalogue::{
        input::{InputCancelled, InputRequeued, InputSettled, Outcome},
        lease::{LeaseLost, LeaseReleased, LeaseRenewed},
        memory::{MemoryRecallSkipped, MemoryRecalled},
        message::{ApiContent, Message, MessageRecorded, Piece},
        model::{ModelFailed, ModelStreamed},
        obligation::{ObligationAbandoned, ObligationCreated, ObligationFailed, ObligationKind, ObligationMet},
        tool::CallRef,
        turn::{TurnFailed, TurnInterrupted},
    },
};
use std::collections::VecDeque;

/// The history that these choices make.
pub fn history(choices: &[u8]) -> Vec<Recorded> {
    let mut writer = Writer::default();
    writer.push(opened());
    for choice in choices {
        writer.step(choice % 16, choice / 16);
    }
    writer.records
}

#[derive(Default)]
struct Writer {
    records: Vec<Recorded>,
    inputs: u8,
    obligations: u8,
    generation: u64,
    waiting: VecDeque<u8>,
    owed: Vec<u8>,
    fragments: u32,
    running: Option<Running>,
}

#[derive(Clone, Default)]
struct Running {
    number: u8,
    said: bool,
    attempt: u32,
    in_flight: bool,
    open: Vec<CallRef>,
}

impl Writer {
    fn push(&mut self, event: impl Into<Event>) -> u64 {
        let version = self.records.len() as u64 + 1;
        self.records.push(record(version, event.into()));
        version
    }

    fn step(&mut self, kind: u8, detail: u8) {
        match kind {
            0 | 1 => self.queue(),
            2 => self.obligation(detail),
            3 => self.cancel(),
            4 => self.of_another_build(),
            5 => self.crash(),
            6 => self.stop(detail),
            _ => self.go_on(detail),
        }
    }

    fn queue(&mut self) {
        if self.inputs < u8::MAX {
            self.inputs += 1;
            self.waiting.push_back(self.inputs);
            self.push(queued(self.inputs));
        }
    }

    fn cancel(&mut self) {
        if let Some(number) = self.waiting.pop_back() {
            self.push(InputCancelled { admission: admission(number), by: None });
        }
    }

    fn of_another_build(&mut self) {
        let version = self.push(opened());
        let recorded = &mut self.records[version as usize - 1];
        (recorded.kind, recorded.body) = ("session.dreamt".into(), Body::Unknown { length: 3 });
    }

    fn obligation(&mut self, detail: u8) {
        if self.owed.is_empty() {
            return;
        }
        let place = usize::from(detail) % self.owed.len();
        let (obligation, why) = (obligation(self.owed[place]), "no connection".to_owned());
        match detail % 3 {
            0 => {
                self.push(ObligationFailed { obligation, attempts: 1, why, retry_after_ms: 10 });
                return;
            }
            1 => self.push(ObligationMet { obligation, attempts: 2 }),
            _ => self.push(ObligationAbandoned { obligation, why }),
        };
        self.owed.remove(place);
    }

    /// The host dies and comes back: the turn starts again under its admission.
    fn crash(&mut self) {
        let Some(running) = self.running.clone() else { return };
        let (why, number) = ("the host stopped".to_owned(), running.number);
        self.push(LeaseLost { generation: Generation(self.generation), why: why.clone() });
        self.push(InputRequeued { admission: admission(number), why, times: 1 });
        self.generation += 1;
        for event in claimed(number, self.generation).into_iter().take(2) {
            self.push(event);
        }
        self.running = Some(Running { in_flight: false, ..running });
    }

    /// Somebody stops the turn, or it fails.
    fn stop(&mut self, detail: u8) {
        let Some(running) = self.running.take() else { return };
        let turn = turn(running.number);
        for call in running.open {
            self.push(tool_finished(running.number, call, "Cancelled"));
        }
        if running.in_flight {
            let parts = vec![Part::Text("so far".into())];
            let message = Message::Assistant { parts, reasoning: None, calls: Vec::new(), extra: None, partial: true };
            self.push(MessageRecorded { turn, message, api_content: None });
        }
        let outcome = if detail.is_multiple_of(2) {
            self.push(TurnInterrupted { turn, why: "by me".into() });
            Outcome::Interrupted
        } else {
            self.push(TurnFailed { turn, code: "model_failed".into(), message: "no answer".into() });
            Outcome::Failed
        };
        self.push(InputSettled { admission: admission(running.number), outcome, why: None });
        self.push(LeaseReleased { generation: Generation(self.generation) });
    }

    fn go_on(&mut self, detail: u8) {
        let Some(mut running) = self.running.take() else { return self.claim() };
        if !running.said {
            self.say(running.number, detail);
            running.said = true;
        } else if !running.open.is_empty() {
            let call = running.open.remove(usize::from(detail) % running.open.len());
            self.push(tool_started(running.number, call));
            self.push(tool_finished(running.number, call, &format!("output {detail}")));
        } else if running.in_flight {
            return self.answer(running, detail);
        } else {
            running.attempt += 1;
            running.in_flight = true;
            let new = format!("fragment {}", self.fragments);
            self.push(requested(running.number, running.attempt, "h", self.fragments, &[&new]));
            self.fragments += 1;
        }
        self.running = Some(running);
    }

    fn claim(&mut self) {
        let Some(number) = self.waiting.pop_front() else { return self.queue() };
        self.generation += 1;
        for event in claimed(number, self.generation) {
            self.push(event);
        }
        self.running = Some(Running { number, ..Running::default() });
    }

    fn say(&mut self, number: u8, detail: u8) {
        let (turn, backend) = (turn(number), "mem0".to_owned());
        let api_content = match detail % 4 {
            0 => {
                let block = format!("<m>{detail}</m>");
                let digest = Digest::of(format!("input {number}\n\n{block}").as_bytes());
                self.push(MemoryRecalled { turn, backend, block, took_ms: 1 });
                Some(ApiContent::Appended { pieces: vec![Piece::Text("\n\n".into()), Piece::Recalled], digest })
            }
            1 => {
                self.push(MemoryRecallSkipped { turn, backend, why: "timeout".into(), took_ms: 8000 });
                Some(ApiContent::Exact("other bytes".into()))
            }
            _ => None,
        };
        self.push(said(number, api_content));
    }

    fn answer(&mut self, mut running: Running, detail: u8) {
        let (number, attempt) = (running.number, running.attempt);
        let turn = turn(number);
        self.push(LeaseRenewed { generation: Generation(self.generation) });
        self.push(ModelStreamed { turn, attempt, text: "so".into() });
        running.in_flight = false;
        if detail % 4 == 3 {
            let (class, action, message) = ("overloaded".into(), "retry".into(), "busy".into());
            self.push(ModelFailed { turn, attempt, class, action, status: None, retry_after_ms: None, message });
            self.running = Some(running);
            return;
        }
        self.push(responded(number, attempt, None));
        if detail.is_multiple_of(4) {
            self.push(answered(number, "answer", &[]));
            for event in completed(number, self.generation) {
                self.push(event);
            }
            self.obligations = self.obligations.wrapping_add(1);
            let (obligation, kind) = (obligation(self.obligations), ObligationKind::MemorySync);
            self.push(ObligationCreated { obligation, kind, key: "key".into(), turn });
            self.owed.push(self.obligations);
            return;
        }
        let tools = &["x", "y", "z"][..usize::from(detail % 4)];
        let message = self.push(answered(number, "", tools));
        running.open = (0..tools.len() as u32).map(|index| call(message, index)).collect();
        for call in running.open.clone() {
            self.push(tool_requested(number, call));
        }
        self.running = Some(running);
    }
}
