use super::*;
use dispatch_events::{
    AdmissionId, Part, TurnId,
    catalogue::message::{ApiContent, GivenRole, Message, MessageRecorded, Piece, ToolCall},
};

pub fn samples() -> Vec<Sample> {
    let turn = TurnId(id(1));
    let user = Message::User { admission: AdmissionId(id(2)) };
    let given = |role, parts| MessageRecorded { turn, message: Message::Given { role, parts }, api_content: None };
    let call = ToolCall { id: "call_1".into(), tool: "terminal".into(), arguments: raw_json() };
    let appended =
        ApiContent::Appended { pieces: vec![Piece::Recalled, Piece::Text(text()), Piece::Recalled], digest: digest(1) };
    vec![
        empty(MessageRecorded {
            turn,
            message: Message::Assistant { parts: vec![], reasoning: None, calls: vec![], extra: None, partial: false },
            api_content: None,
        }),
        full(MessageRecorded {
            turn,
            message: Message::Assistant {
                parts: vec![Part::Text(text())],
                reasoning: Some(text()),
                calls: vec![call.clone(), call],
                extra: Some(raw_json()),
                partial: true,
            },
            api_content: Some(ApiContent::Exact(text())),
        }),
        sample("given-user", given(GivenRole::User, vec![Part::Text(text())])),
        sample("given-assistant", given(GivenRole::Assistant, vec![])),
        sample("user", MessageRecorded { turn, message: user.clone(), api_content: None }),
        sample("user-appended", MessageRecorded { turn, message: user.clone(), api_content: Some(appended) }),
        sample(
            "user-appended-nothing",
            MessageRecorded {
                turn,
                message: user,
                api_content: Some(ApiContent::Appended { pieces: vec![], digest: digest(1) }),
            },
        ),
    ]
}
