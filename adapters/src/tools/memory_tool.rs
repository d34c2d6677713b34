//! `memory`: changes of the agent's two files. The port plans, records and writes; this only reads the arguments.

use super::{registry::arguments, reply::changed};
use dispatch_actors::ports::{
    memory::{MemoryEdit, MemoryOperation},
    tool::{Tool, ToolInvocation, ToolReply},
};
use dispatch_events::{
    RawJson,
    catalogue::{memory::MemoryTarget, tool::EffectClass},
};
use futures_util::future::BoxFuture;
use serde::Deserialize;

/// The tool.
pub struct MemoryTool;

#[derive(Deserialize)]
struct Arguments {
    target: Target,
    action: Option<Action>,
    content: Option<String>,
    old_text: Option<String>,
    operations: Option<Vec<Operation>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Target {
    Memory,
    User,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Add,
    Replace,
    Remove,
}

#[derive(Deserialize)]
struct Operation {
    action: Action,
    content: Option<String>,
    old_text: Option<String>,
}

impl Operation {
    /// A missing text becomes an empty one: the files answer that with what they hold.
    fn read(self) -> MemoryOperation {
        let content = self.content.unwrap_or_default();
        let old_text = self.old_text.unwrap_or_default();
        match self.action {
            Action::Add => MemoryOperation::Add { content },
            Action::Replace => MemoryOperation::Replace { old_text, content },
            Action::Remove => MemoryOperation::Remove { old_text },
        }
    }
}

fn edit(raw: &RawJson) -> Result<MemoryEdit, String> {
    let given: Arguments = arguments(raw)?;
    let target = match given.target {
        Target::Memory => MemoryTarget::Memory,
        Target::User => MemoryTarget::User,
    };
    let operations = match (given.operations, given.action) {
        (Some(_), Some(_)) => return Err("give either `action` or `operations`, not both".to_owned()),
        (Some(list), None) => list,
        (None, Some(action)) => vec![Operation { action, content: given.content, old_text: given.old_text }],
        (None, None) => {
            return Err("`action` is missing: give add, replace or remove, or a list `operations`".to_owned());
        }
    };
    Ok(MemoryEdit { target, operations: operations.into_iter().map(Operation::read).collect() })
}

impl Tool for MemoryTool {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn schema(&self) -> RawJson {
        RawJson(include_str!("schemas/memory.json").trim_end().to_owned())
    }

    /// A repeat finds the file as asked already, or finds nothing to change and says so.
    fn class(&self) -> EffectClass {
        EffectClass::Idempotent
    }

    fn parallel(&self) -> bool {
        false
    }

    fn run(&self, invocation: ToolInvocation) -> BoxFuture<'static, ToolReply> {
        Box::pin(async move {
            let answer = match edit(&invocation.arguments) {
                Ok(edit) => invocation.context.memory.edit(edit, invocation.context.turn).await,
                Err(why) => Err(why),
            };
            changed(answer)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::testing::{call, noting};
    use dispatch_events::catalogue::tool::{EffectDisposition, ToolOutcome};

    #[tokio::test]
    async fn arguments_become_one_edit() {
        let port = noting(Ok("Entry added.".to_owned()));
        for arguments in [
            r#"{"action":"add","target":"user","content":"x"}"#,
            r#"{"target":"user","operations":[{"action":"add","content":"x"}]}"#,
        ] {
            let reply = MemoryTool.run(call(arguments, None, port.clone())).await;
            assert_eq!((reply.outcome, reply.effect), (ToolOutcome::Ok, EffectDisposition::Done));
            assert_eq!(reply.output, "Entry added.");
        }
        let operations = vec![MemoryOperation::Add { content: "x".to_owned() }];
        let edit = MemoryEdit { target: MemoryTarget::User, operations };
        assert_eq!(*port.edits.lock().unwrap(), [edit.clone(), edit]);
    }

    #[tokio::test]
    async fn a_missing_text_reaches_the_files_empty() {
        let port = noting(Err("`old_text` is missing".to_owned()));
        let reply = MemoryTool.run(call(r#"{"action":"remove","target":"memory"}"#, None, port.clone())).await;
        assert_eq!((reply.outcome, reply.effect), (ToolOutcome::Error, EffectDisposition::None));
        let expected = vec![MemoryOperation::Remove { old_text: String::new() }];
        assert_eq!(port.edits.lock().unwrap()[0].operations, expected);
    }

    #[tokio::test]
    async fn an_unclear_call_is_refused_before_the_files_see_it() {
        let port = noting(Ok(String::new()));
        for arguments in [
            r#"{"target":"memory"}"#,
            r#"{"target":"memory","action":"add","content":"x","operations":[{"action":"add","content":"y"}]}"#,
        ] {
            let reply = MemoryTool.run(call(arguments, None, port.clone())).await;
            assert!(reply.output.contains("operations") && reply.outcome == ToolOutcome::Error, "{}", reply.output);
        }
        assert!(port.edits.lock().unwrap().is_empty());
    }
}
