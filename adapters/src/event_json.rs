//! The one JSON form of an event, for the API and the command line.

use chrono::SecondsFormat;
use dispatch_events::{Body, CorrelationId, Epoch, EventId, Position, PrincipalId, Recorded, StreamId, Version};
use serde::Serialize;
use serde_json::Value;

/// An event as people and programs get it. The names are those of the catalog's `events` table.
#[derive(Clone, Debug, Serialize)]
pub struct EventJson<'a> {
    /// Place in the whole log.
    pub position: Position,
    /// Stream that it belongs to.
    pub stream: StreamId,
    /// Number in the stream.
    pub version: Version,
    /// Identity.
    pub id: EventId,
    /// Dotted event type.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// Schema version.
    pub schema: u16,
    /// When, RFC 3339.
    pub recorded_at: String,
    /// Host run that wrote it.
    pub epoch: Epoch,
    /// Turn or command that it belongs to.
    pub turn: Option<CorrelationId>,
    /// Event that led to it.
    pub causation: Option<EventId>,
    /// Who caused it, opaque.
    pub principal: Option<PrincipalId>,
    /// What it says; null when it can't be shown.
    pub payload: Value,
    /// Why the payload can't be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl<'a> EventJson<'a> {
    /// The JSON form of an event.
    pub fn of(event: &'a Recorded) -> Self {
        let (payload, note) = match &event.body {
            Body::Known(known) => (known.to_json(), None),
            Body::Unknown { length } => {
                (Value::Null, Some(format!("this build does not know the type; the payload has {length} bytes")))
            }
            Body::Erased => (Value::Null, Some("erased".to_owned())),
            Body::Unreadable(why) => (Value::Null, Some(format!("not readable: {why}"))),
        };
        Self {
            position: event.position,
            stream: event.stream,
            version: event.version,
            id: event.id,
            kind: &event.kind,
            schema: event.schema,
            recorded_at: event.recorded_at.utc().to_rfc3339_opts(SecondsFormat::Micros, true),
            epoch: event.epoch,
            turn: Some(event.correlation).filter(|id| !id.is_none()),
            causation: Some(event.causation).filter(|id| !id.is_none()),
            principal: Some(event.principal).filter(|id| !id.is_none()),
            payload,
            note,
        }
    }

    /// One line of JSON, without its end.
    pub fn line(event: &'a Recorded) -> String {
        // Numbers, strings and `Value` always have a JSON form.
        serde_json::to_string(&Self::of(event)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dispatch_events::{Digest, Event, Timestamp, catalogue::session::SessionRenamed, keys::KeyId};

    fn recorded(body: Body) -> Recorded {
        Recorded {
            position: Position(9),
            stream: StreamId::fresh(),
            version: Version(2),
            id: EventId::fresh(),
            recorded_at: Timestamp(1_000_001),
            epoch: Epoch(3),
            correlation: CorrelationId::default(),
            causation: EventId::default(),
            principal: PrincipalId::default(),
            kind: "session.renamed".into(),
            schema: 1,
            key: KeyId::default(),
            hash: Digest::default(),
            body,
            shared: Vec::new(),
        }
    }

    #[test]
    fn the_members_are_those_of_the_catalog() {
        let event = Event::from(SessionRenamed { name: "b".into(), previous: "a".into(), by: None });
        let json = serde_json::to_value(EventJson::of(&recorded(Body::Known(event)))).unwrap();
        let names: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = "position stream version id type schema recorded_at epoch turn causation principal payload";
        assert_eq!(names.join(" "), expected);
        assert_eq!(json["payload"]["previous"], "a");
        assert_eq!(json["recorded_at"], "1970-01-01T00:00:01.000001Z");
        assert_eq!(json["turn"], Value::Null);
    }

    #[test]
    fn what_cannot_be_shown_says_why() {
        let json = serde_json::to_value(EventJson::of(&recorded(Body::Erased))).unwrap();
        assert_eq!((&json["payload"], &json["note"]), (&Value::Null, &Value::from("erased")));
    }
}
