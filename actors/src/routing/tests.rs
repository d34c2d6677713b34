use super::*;

fn source(chat_type: ChatType, chat: &str, thread: &str, user: &str) -> RouteSource {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let (chat_id, thread_id, user_id) = (some(chat), some(thread), some(user));
    RouteSource { platform: "telegram".into(), chat_type, chat_id, thread_id, user_id, user_id_alt: None }
}

#[test]
fn a_chat_has_one_key() {
    let apart = Sharing { thread_sessions_per_user: true, ..Sharing::default() };
    let shared = Sharing { group_sessions_per_user: false, ..apart };
    let usual = Sharing::default();
    for (sharing, source, expected) in [
        (usual, source(ChatType::Dm, "42", "", "7"), "agent:main:telegram:dm:42"),
        (usual, source(ChatType::Dm, "42", "3", "7"), "agent:main:telegram:dm:42:3"),
        (usual, source(ChatType::Dm, "", "3", "7"), "agent:main:telegram:dm:7"),
        (usual, source(ChatType::Dm, "", "3", ""), "agent:main:telegram:dm:3"),
        (usual, source(ChatType::Dm, "", "", ""), "agent:main:telegram:dm"),
        (usual, source(ChatType::Group, "42", "", "7"), "agent:main:telegram:group:42:7"),
        (usual, source(ChatType::Group, "42", "", ""), "agent:main:telegram:group:42"),
        (shared, source(ChatType::Group, "42", "", "7"), "agent:main:telegram:group:42"),
        (usual, source(ChatType::Group, "42", "3", "7"), "agent:main:telegram:group:42:3"),
        (apart, source(ChatType::Group, "42", "3", "7"), "agent:main:telegram:group:42:3:7"),
        (usual, source(ChatType::Thread, "42", "", "7"), "agent:main:telegram:thread:42"),
        (usual, source(ChatType::Channel, "42", "", "7"), "agent:main:telegram:channel:42:7"),
    ] {
        assert_eq!(key("main", &source, sharing).unwrap(), expected, "{source:?}");
    }
    let alt = RouteSource { user_id_alt: Some("u-9".into()), ..source(ChatType::Group, "42", "", "7") };
    assert_eq!(key("main", &alt, usual).unwrap(), "agent:main:telegram:group:42:u-9");
}

#[test]
fn two_chats_never_share_a_key() {
    let thread = key("main", &source(ChatType::Dm, "1", "2", ""), Sharing::default()).unwrap();
    let chat = key("main", &source(ChatType::Dm, "1:2", "", ""), Sharing::default()).unwrap();
    assert_ne!(thread, chat);
    assert_eq!(chat, "agent:main:telegram:dm:1%3A2");
    let escaped = key("main", &source(ChatType::Dm, "1%3A2", "", ""), Sharing::default()).unwrap();
    assert_ne!(escaped, chat);
}

#[test]
fn a_part_that_could_be_taken_for_something_else_is_refused() {
    for bad in ["../x", "a/b", "a\\b", "a\0b", "..", "."] {
        let refused = key("main", &source(ChatType::Dm, bad, "", ""), Sharing::default());
        assert!(matches!(refused, Err(Refusal::Invalid(_))), "{bad:?}");
    }
    let nothing = RouteSource { platform: String::new(), ..source(ChatType::Dm, "1", "", "") };
    assert!(key("main", &nothing, Sharing::default()).is_err());
    assert!(key("main", &source(ChatType::Dm, &"x".repeat(257), "", ""), Sharing::default()).is_err());
}
