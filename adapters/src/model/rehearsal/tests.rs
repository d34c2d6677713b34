use super::*;
use bytes::Bytes;
use dispatch_actors::ports::{Dialect, HeadInput};
use dispatch_events::{RawJson, catalogue::message::ToolCall};
use dispatch_projections::{recall::frame, replay::WireMessage};

const TOOLS: &str = r#"[{"type":"function","function":{"name":"memory"}},{"type":"function","function":{"name":"todo"}},{"type":"function","function":{"name":"list_files"}},{"type":"function","function":{"name":"read_file"}}]"#;

fn user(text: &str) -> WireMessage {
    WireMessage::User { text: text.to_owned() }
}

fn body(system: &str, tools: &str, messages: &[WireMessage]) -> Bytes {
    let dialect = ChatCompletions;
    let head = dialect.head(HeadInput { model: NAME, system, tools });
    let fragments: Vec<String> = messages.iter().map(|message| dialect.message(message)).collect();
    let fragments: Vec<&str> = fragments.iter().map(String::as_str).collect();
    dialect.body(&head, &fragments, &dialect.parameters(true))
}

fn ask(system: &str, tools: &str, messages: &[WireMessage]) -> ModelAnswer {
    let body = body(system, tools, messages);
    let all = events(&body);
    assert_eq!(all, events(&body), "the same request gets the same answer");
    let mut text = String::new();
    for event in all {
        match event.unwrap() {
            ModelEvent::Text(piece) => text.push_str(&piece),
            ModelEvent::Reasoning(_) => panic!("it does not reason"),
            ModelEvent::Finished(answer) => {
                assert_eq!(answer.text, text);
                return answer;
            }
        }
    }
    panic!("no end mark");
}

#[test]
fn an_answer_is_labelled_and_names_the_way_out() {
    let answer = ask("Be kind.", "[]", &[user("Hello")]);
    assert!(answer.text.starts_with(LABEL) && answer.text.ends_with(SWITCH), "{}", answer.text);
    assert!(answer.text.contains("You said: Hello"), "{}", answer.text);
    assert!(answer.calls.is_empty());
}

#[test]
fn it_comes_in_pieces() {
    assert!(events(&body("", "[]", &[user("Hello")])).len() > 5);
}

#[test]
fn what_was_recalled_is_repeated() {
    let message = format!("What is my favourite colour?\n\n{}", frame("Likes tea.\nFavourite colour: teal.").unwrap());
    let text = ask("", "[]", &[user(&message)]).text;
    assert!(text.contains("colour: teal") && !text.contains("tea.\n"), "{text}");
    assert!(!text.contains("<memory-context>") && !text.contains("System note"), "{text}");
}

#[test]
fn recalled_text_without_a_shared_word_still_counts() {
    let message = format!("我喜欢什么\n\n{}", frame("teal").unwrap());
    assert!(ask("", "[]", &[user(&message)]).text.contains("- teal"));
}

#[test]
fn entries_of_the_system_prompt_are_used() {
    let rule = "─".repeat(48);
    let system = format!(
        "You are Dispatch.\n\n# Workspace\nThe cat flap is closed.\n\n{rule}\nMEMORY: notes of yours [5% — 60/2,200 \
         chars]\n{rule}\nThe cat is called Minka.\n§\nThe build uses two cores\nand no more.\n\n{rule}\nUSER: what you \
         know of the person [1% — 20/1,375 chars]\n{rule}\nLives in Graz.\n\nToday the cat is 7."
    );
    let text = ask(&system, "[]", &[user("How is the cat called?")]).text;
    assert!(text.contains("- The cat is called Minka.") && !text.contains("flap") && !text.contains("Today"), "{text}");
    let text = ask(&system, "[]", &[user("What do you remember?")]).text;
    for fact in ["Minka", "two cores and no more", "Graz"] {
        assert!(text.contains(fact), "{text}");
    }
    assert!(ask(&system, "[]", &[user("Good morning")]).text.contains("I recall nothing"));
}

#[test]
fn remember_calls_the_tool_and_then_answers() {
    let question = user("Remember: the cat is called \"Minka\"");
    let answer = ask("", TOOLS, std::slice::from_ref(&question));
    assert_eq!(answer.finish, "tool_calls");
    assert_eq!(answer.calls[0].tool, "memory");
    let expected = r#"{"action":"add","target":"memory","content":"the cat is called \"Minka\""}"#;
    assert_eq!(answer.calls[0].arguments.as_str(), expected);

    let spoke =
        WireMessage::Assistant { text: String::new(), reasoning: None, calls: answer.calls.clone(), extra: None };
    let result =
        WireMessage::Tool { call: answer.calls[0].id.clone(), tool: "memory".into(), output: "Entry added.".into() };
    let answer = ask("", TOOLS, &[question, spoke, result]);
    assert!(answer.calls.is_empty());
    assert!(answer.text.contains("`memory` answered:\nEntry added."), "{}", answer.text);
}

#[test]
fn each_request_has_its_tool() {
    let table = [
        (
            "todo: eggs, milk",
            "todo",
            r#"{"todos":[{"id":"1","content":"eggs","status":"pending"},{"id":"2","content":"milk","status":"pending"}]}"#,
        ),
        ("list files", "list_files", r#"{"path":"."}"#),
        ("List files in src", "list_files", r#"{"path":"src"}"#),
        ("read notes.txt", "read_file", r#"{"path":"notes.txt"}"#),
    ];
    for (question, tool, arguments) in table {
        let answer = ask("", TOOLS, &[user(question)]);
        let call = ToolCall { id: "call_rehearsal_1".into(), tool: tool.into(), arguments: RawJson(arguments.into()) };
        assert_eq!(answer.calls, [call], "{question}");
        let without = ask("", "[]", &[user(question)]);
        assert!(without.calls.is_empty() && without.text.contains(tool), "{}", without.text);
    }
    assert!(ask("", TOOLS, &[user("read the room please")]).calls.is_empty());
}

#[test]
fn no_tool_is_called_where_the_request_forbids_it() {
    let dialect = ChatCompletions;
    let head = dialect.head(HeadInput { model: NAME, system: "", tools: TOOLS });
    let fragment = dialect.message(&user("todo: eggs"));
    let parameters = RawJson(r#"{"stream":true,"tool_choice":"none"}"#.into());
    let all = events(&dialect.body(&head, &[&fragment], &parameters));
    assert!(matches!(all.last(), Some(Ok(ModelEvent::Finished(answer))) if answer.calls.is_empty()));
}

#[test]
fn a_body_that_is_no_request_is_refused() {
    assert!(matches!(events(b"{}").as_slice(), [Err(error)] if error.class == ErrorClass::BadRequest));
}
