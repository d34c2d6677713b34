use super::*;
use dispatch_events::{
    TurnId,
    catalogue::model::{ModelFailed, ModelRequested, ModelResponded, ModelStreamed, PrefixDiverged, Usage},
};

pub fn samples() -> Vec<Sample> {
    let mut samples = requests();
    samples.extend(answers());
    samples
}

fn requests() -> Vec<Sample> {
    let bare = ModelRequested {
        turn: TurnId(id(1)),
        attempt: 1,
        purpose: "turn".into(),
        profile: "local".into(),
        model: "some-model".into(),
        dialect: "chat_completions".into(),
        dialect_version: 1,
        head: digest(1),
        parameters: RawJson::default(),
        messages: 0,
        extends: 0,
        fragments: vec![],
        prefix: digest(2),
        length: 0,
    };
    vec![
        empty(bare.clone()),
        full(ModelRequested {
            attempt: 90,
            dialect_version: u16::MAX,
            parameters: raw_json(),
            messages: u32::MAX,
            extends: 251,
            fragments: vec![digest(3), digest(4)],
            length: u64::MAX,
            ..bare
        }),
        plain(ModelStreamed { turn: TurnId(id(1)), attempt: 2, text: text() }),
        plain(PrefixDiverged {
            turn: TurnId(id(1)),
            at: 4,
            expected: digest(1),
            actual: digest(2),
            cause: "unknown".into(),
        }),
    ]
}

fn answers() -> Vec<Sample> {
    let turn = TurnId(id(1));
    let responded = ModelResponded {
        turn,
        attempt: 1,
        response: None,
        finish: "stop".into(),
        usage: None,
        cost: None,
        first_token_ms: None,
        duration_ms: 0,
    };
    let counts = Usage { input: 128_000, cached: None, output: 0, reasoning: None };
    let failed = ModelFailed {
        turn,
        attempt: 1,
        class: "rate_limit".into(),
        action: "retry".into(),
        status: None,
        retry_after_ms: None,
        message: String::new(),
    };
    vec![
        empty(responded.clone()),
        full(ModelResponded {
            response: Some("resp_1".into()),
            finish: "tool_calls".into(),
            usage: Some(Usage { cached: Some(120_000), output: 300, reasoning: Some(0), ..counts }),
            cost: Some("0.0123 USD".into()),
            first_token_ms: Some(250),
            duration_ms: 4_000_000_000_000,
            ..responded.clone()
        }),
        sample("counts-only", ModelResponded { usage: Some(counts), ..responded }),
        empty(failed.clone()),
        full(ModelFailed { status: Some(429), retry_after_ms: Some(20_000), message: text(), ..failed }),
    ]
}
