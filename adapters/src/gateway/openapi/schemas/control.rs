//! Inputs, stops, and what changes a session.

use super::{count, id, list, maybe, object, one_of, text, yes_no};
use serde_json::{Value, json};

pub(super) fn all() -> Value {
    let part = json!({"anyOf": [text(), object(&[("type", one_of(&["text"])), ("text", text())])]});
    let intent = one_of(&["queue", "steer", "redirect"]);
    let busy = maybe(one_of(&["queue", "steer", "interrupt"]));
    let seen = ("expected_revision?", maybe(count()));
    let receipt = object(&[
        ("session", id()),
        ("name", text()),
        ("admission", id()),
        ("request_id", text()),
        ("seq", count()),
        ("state", one_of(&["queued", "started", "unknown", "terminal"])),
        ("intent", intent.clone()),
        ("demoted", maybe(intent.clone())),
        ("outcome", maybe(text())),
        ("turn", maybe(id())),
        ("position", count()),
        ("version", count()),
        ("paused", maybe(text())),
        ("as_of", count()),
        ("repeated", yes_no()),
    ]);
    json!({
        "Input": object(&[
            ("request_id?", maybe(text())), ("intent?", maybe(intent)), ("parts", list(part)),
            ("message?", maybe(text())), seen.clone(), ("not_while_paused?", yes_no()), ("open?", yes_no()),
        ]),
        "Interrupt": object(&[("turn?", maybe(id())), ("generation?", maybe(count()))]),
        "Interrupted": object(&[
            ("session", id()), ("turn", maybe(id())), ("generation", maybe(count())), ("version", count()),
        ]),
        "SessionChange": object(&[
            ("name?", text()), ("busy?", busy), ("archived?", yes_no()), seen.clone(),
        ]),
        "Route": object(&[
            ("platform", text()), ("chat_type?", one_of(&["dm", "group", "channel", "thread"])),
            ("chat_id?", maybe(text())), ("thread_id?", maybe(text())), ("user_id?", maybe(text())),
            ("user_id_alt?", maybe(text())),
        ]),
        "Fork": object(&[
            ("at?", maybe(count())), ("name?", maybe(text())), ("profile?", maybe(text())), ("source?", maybe(text())),
        ]),
        "Rewind": object(&[("to", count()), seen.clone()]),
        "Undo": object(&[("exchanges?", count()), seen.clone()]),
        "Seen": object(std::slice::from_ref(&seen)),
        "Archive": object(&[("archived?", yes_no()), seen]),
        "Changed": object(&[
            ("session", id()), ("version", count()), ("revision", count()), ("receipt?", receipt.clone()),
        ]),
        "Receipt": receipt,
        "Reconcile": object(&[
            ("message?", maybe(count())), ("index?", maybe(count())),
            ("verdict", one_of(&["finished", "not_done", "give_up"])), ("output?", maybe(text())), ("why", text()),
        ]),
        "Unknowns": object(&[("unknowns", list(object(&[
            ("session", id()), ("name", text()), ("admission", id()), ("text", text()), ("turn", maybe(id())),
            ("message", maybe(count())), ("index", maybe(count())), ("tool", maybe(text())),
            ("arguments", maybe(text())), ("why", text()), ("started_at", maybe(text())), ("ran_ms", maybe(count())),
            ("last_output", maybe(text())), ("position", count()),
        ])))]),
    })
}
