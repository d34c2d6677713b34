//! The table of routes.

use super::{
    super::{
        audit, care, control, equipment, events, export, health, history, input, memory, openai, openapi, sessions,
        views,
    },
    Definition, Good, Parameter,
    Place::{self, Header, Path, Query},
    Verb::{self, Delete, Get, Patch, Post},
    not_built,
};
use crate::gateway::problem::Code;

const SESSION: Parameter = text(Path, "id", true, "Id or name of the session, percent-encoded.");
const ADMISSION: Parameter = text(Path, "admission", true, "Id of the admission, as its receipt names it.");
const KEY: Parameter = text(Header, "Idempotency-Key", false, "Request id; a repeat gives the first one's answer.");
const FROM: Parameter = number("from", "First number to show, from 1.");
const LIMIT: Parameter = number("limit", "Most events, up to 1000; asks for one page instead of a stream.");
const TYPE: Parameter = text(Query, "type", false, "Event types, for example `tool.*`.");
const LAST: Parameter = text(Header, "Last-Event-ID", false, "Number of the last event that the reader has.");

const fn text(place: Place, name: &'static str, required: bool, what: &'static str) -> Parameter {
    Parameter { place, name, kind: "string", required, what }
}

const fn number(name: &'static str, what: &'static str) -> Parameter {
    Parameter { place: Query, name, kind: "integer", required: false, what }
}

const JSON: &str = "application/json";
const SSE: &str = "text/event-stream";

const fn json(content: &'static [(&'static str, &'static str)]) -> Good {
    Good { status: 200, content }
}

/// A route with a token, a JSON answer and nothing special.
const fn route(verb: Verb, path: &'static str, summary: &'static str, good: Good) -> Definition {
    Definition {
        verb,
        path,
        summary,
        open: false,
        parameters: &[],
        body: None,
        good,
        errors: &[],
        handler: |route| route.to(not_built),
    }
}

/// A route that this build does not have yet.
const fn later(verb: Verb, path: &'static str, summary: &'static str, parameters: &'static [Parameter]) -> Definition {
    Definition { parameters, errors: &[Code::NotBuilt], ..route(verb, path, summary, json(&[(JSON, "Anything")])) }
}

/// A change of a session's own history.
const fn change(path: &'static str, summary: &'static str, body: &'static str) -> Definition {
    Definition {
        parameters: &[SESSION],
        body: Some(body),
        errors: CHANGE_ERRORS,
        ..route(Post, path, summary, json(&[(JSON, "Changed")]))
    }
}

/// What a change of a session, or a fork of it, can meet.
const CHANGE_ERRORS: &[Code] = &[
    Code::NotFound,
    Code::NameTaken,
    Code::RevisionConflict,
    Code::UnknownExecution,
    Code::QueueFull,
    Code::SessionBusy,
    Code::Draining,
    Code::PersistenceFailed,
];

const SUBMIT_ERRORS: &[Code] = &[
    Code::AdmissionConflict,
    Code::PermissionDenied,
    Code::RevisionConflict,
    Code::UnknownExecution,
    Code::QueueFull,
    Code::SessionBusy,
    Code::Draining,
    Code::TooLarge,
    Code::PersistenceFailed,
];

/// Every route.
pub(in super::super) static ROUTES: &[Definition] = &[
    Definition {
        open: true,
        handler: |route| route.to(health::alive),
        ..route(Get, "/healthz", "Whether the process answers.", json(&[(JSON, "Status")]))
    },
    Definition {
        open: true,
        errors: &[Code::Draining, Code::PersistenceFailed, Code::StorageUnavailable],
        handler: |route| route.to(health::ready),
        ..route(Get, "/readyz", "Whether the host takes work.", json(&[(JSON, "Status")]))
    },
    Definition {
        handler: |route| route.to(health::metrics),
        ..route(Get, "/metrics", "Counters for Prometheus.", json(&[("text/plain", "")]))
    },
    Definition {
        handler: |route| route.to(openapi::document),
        ..route(Get, "/openapi.json", "This description.", json(&[(JSON, "Anything")]))
    },
    Definition {
        parameters: &[
            text(Header, "X-Dispatch-Session", false, "Name or id of the durable session, made if new."),
            KEY,
        ],
        body: Some("ChatRequest"),
        errors: &[
            Code::AdmissionConflict,
            Code::UnknownExecution,
            Code::QueueFull,
            Code::SessionBusy,
            Code::Draining,
            Code::TooLarge,
            Code::PersistenceFailed,
            Code::ModelFailed,
        ],
        handler: |route| route.to(openai::chat::completions),
        ..route(
            Post,
            "/v1/chat/completions",
            "A turn of a durable session, in OpenAI's words, streaming or not. The answer to an interrupted turn has \
             `finish_reason` `stop` and `x_dispatch.outcome` `interrupted`. A stream whose turn fails ends with an \
             `error` frame and without `[DONE]`.",
            json(&[(JSON, "ChatAnswer"), (SSE, "ChatPiece")]),
        )
    },
    later(Post, "/v1/responses", "A turn, in the words of OpenAI's Responses API.", &[]),
    Definition {
        handler: |route| route.to(openai::models::list),
        ..route(Get, "/v1/models", "The configured models, in OpenAI's words.", json(&[(JSON, "OpenAiModels")]))
    },
    Definition {
        parameters: &[
            text(Query, "after", false, "Session, by id, after which the page begins."),
            number("limit", "Most sessions, up to 1000."),
            Parameter {
                kind: "boolean",
                ..text(Query, "erased", false, "Whether the page holds rows of sessions that were erased.")
            },
            Parameter {
                kind: "boolean",
                ..text(Query, "archived", false, "Whether the page holds sessions that were put out of lists.")
            },
        ],
        handler: |route| route.to(sessions::list),
        ..route(
            Get,
            "/api/sessions",
            "Sessions in the order in which they began, a page at a time.",
            json(&[(JSON, "Sessions")]),
        )
    },
    Definition {
        body: Some("NewSession"),
        errors: &[Code::NameTaken, Code::Draining, Code::TooLarge, Code::PersistenceFailed],
        handler: |route| route.to(sessions::open),
        ..route(
            Post,
            "/api/sessions",
            "Opens a session. With `route` the session of that chat, which is 200 if there is one already.",
            Good { status: 201, content: &[(JSON, "Session")] },
        )
    },
    Definition {
        parameters: &[SESSION],
        errors: &[Code::NotFound],
        handler: |route| route.to(sessions::show),
        ..route(Get, "/api/sessions/{id}", "One session.", json(&[(JSON, "Session")]))
    },
    Definition {
        parameters: &[SESSION],
        body: Some("SessionChange"),
        errors: CHANGE_ERRORS,
        handler: |route| route.to(sessions::edit),
        ..route(
            Patch,
            "/api/sessions/{id}",
            "Gives a session another name, another busy mode, or puts it out of lists.",
            json(&[(JSON, "Session")]),
        )
    },
    Definition {
        parameters: &[
            SESSION,
            text(
                Query,
                "forks",
                false,
                "What becomes of its forks: `refuse` (do not erase it then), `keep` (they take over what they inherit) or `erase`.",
            ),
        ],
        errors: &[Code::InvalidParams, Code::NotFound, Code::Draining, Code::PersistenceFailed],
        handler: |route| route.to(sessions::erase),
        ..route(
            Delete,
            "/api/sessions/{id}",
            "Erases a session for good: its key is destroyed, its blobs and snapshots are removed, its name is free.",
            json(&[(JSON, "Erased")]),
        )
    },
    Definition {
        parameters: &[SESSION, KEY],
        body: Some("Input"),
        errors: SUBMIT_ERRORS,
        handler: |route| route.to(input::submit),
        ..route(
            Post,
            "/api/sessions/{id}/input",
            "Submits an input. It is durable when this is answered.",
            Good { status: 202, content: &[(JSON, "Receipt")] },
        )
    },
    Definition {
        parameters: &[SESSION],
        body: Some("Interrupt"),
        errors: &[Code::NotFound, Code::StaleGeneration, Code::SessionBusy, Code::Draining, Code::PersistenceFailed],
        handler: |route| route.to(input::interrupt),
        ..route(
            Post,
            "/api/sessions/{id}/interrupt",
            "Stops the running turn; with `turn` or `generation` only that one, and `stale_generation` if it does not run. In a paused \
             session the input whose outcome is unknown is given up as interrupted, and the queue goes on.",
            json(&[(JSON, "Interrupted")]),
        )
    },
    Definition {
        parameters: &[SESSION],
        body: Some("Fork"),
        errors: CHANGE_ERRORS,
        handler: |route| route.to(history::fork),
        ..route(
            Post,
            "/api/sessions/{id}/fork",
            "A new session that goes on from a version of this one. It refers to what it inherits; nothing is copied.",
            Good { status: 201, content: &[(JSON, "Session")] },
        )
    },
    Definition {
        handler: |route| route.to(history::undo),
        ..change("/api/sessions/{id}/undo", "Takes the last exchanges back.", "Undo")
    },
    Definition {
        handler: |route| route.to(history::restore),
        ..change("/api/sessions/{id}/restore", "Takes the last rewind back.", "Seen")
    },
    Definition {
        handler: |route| route.to(history::rewind),
        ..change(
            "/api/sessions/{id}/rewind",
            "Goes on from an earlier place: everything from a user message on is left out.",
            "Rewind",
        )
    },
    Definition {
        handler: |route| route.to(history::reset),
        ..change("/api/sessions/{id}/reset", "Begins anew: what was said stays readable and is not sent.", "Seen")
    },
    Definition {
        handler: |route| route.to(history::retry),
        ..change("/api/sessions/{id}/retry", "Takes the last exchange back and submits its input again.", "Seen")
    },
    Definition {
        handler: |route| route.to(history::archive),
        ..change("/api/sessions/{id}/archive", "Puts the session out of lists, or back.", "Archive")
    },
    later(Post, "/api/sessions/{id}/compact", "Summarises what is old.", &[SESSION]),
    Definition {
        parameters: &[SESSION],
        errors: &[Code::NotFound, Code::StorageUnavailable],
        handler: |route| route.to(control::unknowns),
        ..route(
            Get,
            "/api/sessions/{id}/reconcile",
            "What nobody knows of a paused session, with what is known about it.",
            json(&[(JSON, "Unknowns")]),
        )
    },
    Definition {
        parameters: &[SESSION],
        body: Some("Reconcile"),
        errors: &[Code::NotFound, Code::SessionBusy, Code::Draining, Code::PersistenceFailed],
        handler: |route| route.to(control::reconcile),
        ..route(
            Post,
            "/api/sessions/{id}/reconcile",
            "Takes a person's word for an unknown outcome. The turn goes on when nothing is unknown any more.",
            json(&[(JSON, "Session")]),
        )
    },
    Definition {
        parameters: &[SESSION],
        errors: &[Code::NotFound, Code::StorageUnavailable],
        handler: |route| route.to(control::attach),
        ..route(
            Get,
            "/api/sessions/{id}/attach",
            "The session as it is now, as the event `snapshot` with its version as id, then every event behind it and \
             live text, as `/events` has them. Nothing is missing in between.",
            json(&[(SSE, "Event")]),
        )
    },
    Definition {
        parameters: &[SESSION, ADMISSION],
        errors: &[
            Code::NotFound,
            Code::StaleGeneration,
            Code::UnknownExecution,
            Code::SessionBusy,
            Code::Draining,
            Code::PersistenceFailed,
        ],
        handler: |route| route.to(control::cancel),
        ..route(
            Delete,
            "/api/sessions/{id}/input/{admission}",
            "Withdraws an input that waits. One that runs is stopped with an interrupt.",
            json(&[(JSON, "Receipt")]),
        )
    },
    Definition {
        parameters: &[SESSION, FROM, LIMIT, TYPE, LAST],
        errors: &[Code::NotFound, Code::StorageUnavailable],
        handler: |route| route.to(events::of_session),
        ..route(
            Get,
            "/api/sessions/{id}/events",
            "The session's events, then live. Server-sent events: `event` has a log event and its version as id, \
             `delta` has live text without an id, `broken` a turn that could not be recorded, `error` is the last one \
             of a stream that can't go on. With `limit` or `Accept: application/json` one page.",
            json(&[(SSE, "Event"), (JSON, "Events")]),
        )
    },
    Definition {
        parameters: &[
            SESSION,
            text(
                Path,
                "view",
                true,
                "transcript, wire, queue, lease, prompt, memory, tools, obligations, usage or all.",
            ),
            number("at", "Version as of which the view is; the last one if left away."),
        ],
        errors: &[Code::NotFound, Code::StorageUnavailable],
        handler: |route| route.to(views::view),
        ..route(Get, "/api/sessions/{id}/view/{view}", "A view as of any event.", json(&[(JSON, "Anything")]))
    },
    Definition {
        parameters: &[SESSION],
        errors: &[Code::NotFound, Code::StorageUnavailable],
        handler: |route| route.to(export::export),
        ..route(
            Get,
            "/api/sessions/{id}/export",
            "The messages of a session as clean text, one JSON document per line: the transcript, without what was \
             added to a request. The events themselves are at `/api/sessions/{id}/events`, the requests in the view \
             `wire`.",
            json(&[("application/x-ndjson", "Message")]),
        )
    },
    later(Post, "/api/import", "Takes in an exported session.", &[]),
    Definition {
        parameters: &[FROM, LIMIT, TYPE, LAST],
        errors: &[Code::StorageUnavailable],
        handler: |route| route.to(events::of_log),
        ..route(
            Get,
            "/api/events",
            "The whole log, catch-up then live; the ids are positions. With `limit` or `Accept: application/json` one \
             page.",
            json(&[(SSE, "Event"), (JSON, "Events")]),
        )
    },
    later(Post, "/api/audit/sql", "A question to the catalog.", &[]),
    Definition {
        parameters: &[
            Parameter {
                kind: "boolean",
                ..text(Query, "since_last", false, "Only what came after the last check that found the log sound.")
            },
            text(Query, "anchor", false, "A file on the host's machine with an anchor, to compare the log with."),
            text(Query, "public_key", false, "The key that the anchor has to be signed with, as 64 hex digits."),
        ],
        errors: &[Code::StorageUnavailable],
        handler: |route| route.to(audit::verify),
        ..route(
            Get,
            "/api/audit/verify",
            "Whether the log is whole. With `Accept: text/event-stream` it tells `progress`, then `done` or `error`.",
            json(&[(JSON, "Verified"), (SSE, "Progress")]),
        )
    },
    Definition {
        parameters: &[text(Query, "session", true, "Id or name of the session.")],
        errors: &[Code::NotFound, Code::StorageUnavailable],
        handler: |route| route.to(views::prefix),
        ..route(
            Get,
            "/api/audit/prefix",
            "Whether each request to a model repeats the one before it byte for byte.",
            json(&[(JSON, "Prefix")]),
        )
    },
    later(Get, "/api/audit/report", "A ready-made question.", &[]),
    Definition {
        errors: &[Code::StorageUnavailable],
        handler: |route| route.to(audit::anchor),
        ..route(
            Post,
            "/api/audit/anchor",
            "Signs what the log is now: keep the answer in another place, and compare the log with it later.",
            json(&[(JSON, "Anchor")]),
        )
    },
    later(Get, "/api/search", "Full text over transcripts.", &[]),
    later(Get, "/api/approvals", "What waits for a person.", &[]),
    later(Post, "/api/approvals/{id}", "Approves or denies.", &[text(Path, "id", true, "Id of the approval.")]),
    Definition {
        handler: |route| route.to(memory::show),
        ..route(Get, "/api/memory", "The agent's memory files and its backend.", json(&[(JSON, "MemoryFiles")]))
    },
    Definition {
        body: Some("MemoryEdit"),
        errors: &[Code::Draining, Code::PersistenceFailed],
        handler: |route| route.to(memory::edit),
        ..route(Post, "/api/memory", "Changes a memory file.", json(&[(JSON, "MemoryEdited")]))
    },
    Definition {
        errors: &[Code::StorageUnavailable],
        handler: |route| route.to(memory::timeline),
        ..route(
            Get,
            "/api/memory/timeline",
            "From when each memory may shape an answer, over all sessions, in log order.",
            json(&[(JSON, "MemoryTimeline")]),
        )
    },
    Definition {
        handler: |route| route.to(equipment::models),
        ..route(Get, "/api/models", "The configured models.", json(&[(JSON, "Models")]))
    },
    later(Post, "/api/models/{name}/test", "Whether a model answers.", &[text(Path, "name", true, "Profile.")]),
    Definition {
        handler: |route| route.to(equipment::tools),
        ..route(Get, "/api/tools", "The tools of this host.", json(&[(JSON, "Tools")]))
    },
    later(Get, "/api/catalog", "State of the catalog.", &[]),
    later(Post, "/api/catalog/rebuild", "Makes the catalog again from the log.", &[]),
    Definition {
        body: Some("BackupTo"),
        errors: &[Code::StorageUnavailable],
        handler: |route| route.to(care::backup),
        ..route(
            Post,
            "/api/backup",
            "Writes log, blobs, keys (to `FILE.keys`), settings and memories to a file on the host's machine, and \
             verifies it. With `Accept: text/event-stream` it tells `progress`, then `done` or `error`.",
            json(&[(JSON, "BackedUp"), (SSE, "Progress")]),
        )
    },
    Definition {
        body: Some("ExportTo"),
        errors: &[Code::StorageUnavailable],
        handler: |route| route.to(care::export),
        ..route(
            Post,
            "/api/log/export",
            "Writes the whole log to a file on the host's machine, and its keys to `FILE.keys`. With `Accept: \
             text/event-stream` it tells `progress`, then `done` or `error`.",
            json(&[(JSON, "Exported"), (SSE, "Progress")]),
        )
    },
    Definition {
        handler: |route| route.to(health::doctor),
        ..route(Get, "/api/doctor", "Health and settings.", json(&[(JSON, "Doctor")]))
    },
];
