//! `todo`: a task list. Its state is the tool's own last successful output, which the log keeps; so the output is
//! always the whole list.

use super::{
    registry::arguments,
    reply::{RESULT_CHARS, looked},
};
use dispatch_actors::ports::tool::{Tool, ToolInvocation, ToolReply};
use dispatch_events::{RawJson, catalogue::tool::EffectClass};
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

/// Items of a list (hermes-behaviour.md §4.3).
const ITEMS: usize = 256;

/// The tool.
pub struct Todo;

#[derive(Deserialize)]
struct Arguments {
    todos: Option<Vec<Given>>,
    #[serde(default)]
    merge: bool,
}

#[derive(Deserialize)]
struct Given {
    id: String,
    content: Option<String>,
    status: Option<Status>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Item {
    id: String,
    content: String,
    status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

#[derive(Serialize, Deserialize)]
struct List {
    todos: Vec<Item>,
}

fn update(raw: &RawJson, previous: Option<&str>) -> Result<String, String> {
    let given: Arguments = arguments(raw)?;
    let keeps = given.merge || given.todos.is_none();
    let mut list = match previous {
        Some(text) if keeps => serde_json::from_str(text).map_err(|error| {
            format!("the stored list can't be read ({error}); send the whole list in `todos` with merge=false")
        })?,
        _ => List { todos: Vec::new() },
    };
    for item in given.todos.unwrap_or_default() {
        place(&mut list.todos, item)?;
    }
    if list.todos.len() > ITEMS {
        return Err(format!(
            "the list would have {} items; keep at most {ITEMS}: drop finished ones",
            list.todos.len()
        ));
    }
    let text = serde_json::to_string(&list).map_err(|error| format!("the list can't be written: {error}"))?;
    // A list that a result can't hold whole would come back cut, and the state with it.
    if text.chars().count() > RESULT_CHARS {
        return Err(format!("the list would be longer than {RESULT_CHARS} characters; shorten its items"));
    }
    Ok(text)
}

/// Changes the item with the same id, or adds one.
fn place(items: &mut Vec<Item>, given: Given) -> Result<(), String> {
    let Some(item) = items.iter_mut().find(|item| item.id == given.id) else {
        let Some(content) = given.content else {
            return Err(format!("the item `{}` is new, so it needs `content`", given.id));
        };
        items.push(Item { id: given.id, content, status: given.status.unwrap_or(Status::Pending) });
        return Ok(());
    };
    if let Some(content) = given.content {
        item.content = content;
    }
    if let Some(status) = given.status {
        item.status = status;
    }
    Ok(())
}

impl Tool for Todo {
    fn name(&self) -> &'static str {
        "todo"
    }

    fn schema(&self) -> RawJson {
        RawJson(include_str!("schemas/todo.json").trim_end().to_owned())
    }

    /// The same call on the same list gives the same list.
    fn class(&self) -> EffectClass {
        EffectClass::Idempotent
    }

    /// Two calls at once would both start from the same list.
    fn parallel(&self) -> bool {
        false
    }

    fn run(&self, invocation: ToolInvocation) -> BoxFuture<'static, ToolReply> {
        Box::pin(async move { looked(update(&invocation.arguments, invocation.context.previous.as_deref())) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &str, previous: Option<&str>) -> Result<String, String> {
        update(&RawJson(arguments.to_owned()), previous)
    }

    const TWO: &str = r#"{"todos":[{"id":"a","content":"one","status":"pending"},{"id":"b","content":"two","status":"in_progress"}]}"#;

    #[test]
    fn the_output_is_the_whole_list_and_the_next_state() {
        assert_eq!(given("", None).unwrap(), r#"{"todos":[]}"#);
        assert_eq!(given(TWO, None).unwrap(), TWO);
        assert_eq!(given("{}", Some(TWO)).unwrap(), TWO, "without `todos` it only reads");
        assert_eq!(given(r#"{"merge":true}"#, Some(TWO)).unwrap(), TWO);
        assert_eq!(given(r#"{"todos":[]}"#, Some(TWO)).unwrap(), r#"{"todos":[]}"#);
    }

    #[test]
    fn merge_changes_by_id_and_adds() {
        let change = r#"{"merge":true,"todos":[{"id":"b","status":"completed"},{"id":"c","content":"three"}]}"#;
        let text = given(change, Some(TWO)).unwrap();
        assert_eq!(
            text,
            r#"{"todos":[{"id":"a","content":"one","status":"pending"},{"id":"b","content":"two","status":"completed"},{"id":"c","content":"three","status":"pending"}]}"#
        );
        assert_eq!(given(change, Some(&text)).unwrap(), text, "a repeat changes nothing");
    }

    #[test]
    fn a_new_item_needs_a_text_and_a_list_has_a_limit() {
        assert!(given(r#"{"todos":[{"id":"x"}]}"#, None).unwrap_err().contains("`x`"));
        let many = |n: usize, content: &str| {
            let items: Vec<String> = (0..n).map(|n| format!("{{\"id\":\"{n}\",\"content\":\"{content}\"}}")).collect();
            format!("{{\"merge\":true,\"todos\":[{}]}}", items.join(","))
        };
        given(&many(256, "x"), None).unwrap();
        let full = given(&many(256, "x"), None).unwrap();
        assert!(given(r#"{"merge":true,"todos":[{"id":"new","content":"x"}]}"#, Some(&full)).is_err());
        assert!(given(&many(200, &"x".repeat(4000)), None).unwrap_err().contains("shorten"));
    }

    #[test]
    fn a_damaged_state_is_not_an_empty_list() {
        assert!(given("{}", Some("not a list")).unwrap_err().contains("merge=false"));
        assert_eq!(given(TWO, Some("not a list")).unwrap(), TWO);
    }
}
