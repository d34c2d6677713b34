use super::*;
use dispatch_events::{
    SharedText,
    catalogue::prompt::{PromptBuilt, PromptSource, ToolsetFrozen},
};

pub fn samples() -> Vec<Sample> {
    let shared = SharedText { address: digest(1), length: 70_000 };
    let source = PromptSource { tier: "volatile".into(), name: "MEMORY.md".into(), digest: digest(3) };
    let bare = PromptBuilt {
        stable: shared,
        context: String::new(),
        volatile: String::new(),
        sources: vec![],
        digest: digest(2),
    };
    vec![
        empty(bare.clone()),
        full(PromptBuilt { context: text(), volatile: text(), sources: vec![source.clone(), source], ..bare }),
        empty(ToolsetFrozen { schemas: shared, names: vec![] }),
        full(ToolsetFrozen { schemas: shared, names: vec!["todo".into(), "terminal".into()] }),
    ]
}
