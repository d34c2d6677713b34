use super::*;
use crate::tools::testing::Fixed;

fn standard() -> Registry {
    Registry::standard(Workspace::new("/", Vec::new())).unwrap()
}

fn check(name: &str, arguments: &str) -> Result<(), String> {
    standard().check(name, &RawJson(arguments.to_owned()))
}

#[test]
fn the_order_is_fixed_and_schemas_are_constant() {
    let registry = standard();
    let names: Vec<&str> = registry.tools().iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["list_files", "memory", "read_file", "todo"]);
    for tool in registry.tools() {
        assert_eq!(tool.schema(), tool.schema());
        assert!(!tool.schema().as_str().contains('\n'), "{}", tool.name());
        assert!(registry.tool(tool.name()).is_some());
    }
}

#[test]
fn an_unknown_tool_is_answered_with_the_names() {
    let error = check("read_fle", "{}").unwrap_err();
    assert!(
        error.contains("Did you mean `read_file`?") && error.contains("list_files, memory, read_file, todo"),
        "{error}"
    );
    assert!(!check("terminal", "{}").unwrap_err().contains("Did you mean"));
    assert!(check(&"x".repeat(100_000), "{}").unwrap_err().len() < 1000);
}

#[test]
fn good_arguments_pass() {
    for (name, arguments) in [
        ("read_file", r#"{"path":"a","offset":1,"limit":500}"#),
        ("todo", ""),
        ("todo", "{}"),
        ("todo", r#"{"todos":[{"id":"1","content":"x","status":"pending"}],"merge":true}"#),
        ("memory", r#"{"target":"user","operations":[{"action":"add","content":"x"}]}"#),
        ("list_files", r#"{"glob":"*.rs"}"#),
    ] {
        check(name, arguments).unwrap();
    }
}

#[test]
fn a_fault_is_named_with_its_place() {
    for (name, arguments, word) in [
        ("read_file", "{}", "path"),
        ("read_file", r#"{"path":"a","offset":0}"#, "/offset"),
        ("read_file", r#"{"path":7}"#, "/path"),
        ("read_file", r#"{"path":"a","lines":7}"#, "lines"),
        ("read_file", r#"{"path":"a""#, "JSON"),
        ("read_file", r#"["a"]"#, "object"),
        ("memory", r#"{"target":"me"}"#, "/target"),
        ("todo", r#"{"todos":[{"id":"1","status":"later"}]}"#, "/todos/0/status"),
    ] {
        let error = check(name, arguments).unwrap_err();
        assert!(error.contains(word) && error.contains(name), "{arguments}: {error}");
    }
}

#[test]
fn answers_to_bad_arguments_are_bounded() {
    let items: Vec<String> = (0..300).map(|_| format!("{{\"id\":\"1\",\"status\":\"{}\"}}", "x".repeat(500))).collect();
    let error = check("todo", &format!("{{\"todos\":[{}]}}", items.join(","))).unwrap_err();
    assert!(error.chars().count() < 2000, "{}", error.len());
    assert!(check("todo", &" ".repeat(ARGUMENT_BYTES + 1)).unwrap_err().contains("bytes"));
    check("todo", &"[".repeat(100_000)).unwrap_err();
}

#[test]
fn faulty_tools_make_no_registry() {
    let good = r#"{"type":"function","function":{"name":"one","parameters":{"type":"object"}}}"#;
    let of = |schema: &'static str| Arc::new(Fixed { name: "one", schema }) as Arc<dyn Tool>;
    assert!(matches!(Registry::new(vec![of(good), of(good)]), Err(RegistryError::Twice(_))));
    for bad in [
        "{",
        "{}",
        r#"{"function":{"name":"two","parameters":{}}}"#,
        r#"{"function":{"name":"one"}}"#,
        r#"{"function":{"name":"one","parameters":{"type":"objct"}}}"#,
    ] {
        assert!(matches!(Registry::new(vec![of(bad)]), Err(RegistryError::Schema { .. })), "{bad}");
    }
}
