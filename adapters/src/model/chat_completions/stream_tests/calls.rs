//! Which piece belongs to which call.

use super::*;

fn calls(pieces: &[&str]) -> Result<Vec<(String, String, String)>, ModelError> {
    let parts: Vec<String> = pieces.iter().map(|piece| format!(r#"{{"tool_calls":{piece}}}"#)).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let answer = answer(&deltas(&parts, "tool_calls"))?;
    Ok(answer.calls.into_iter().map(|call| (call.id, call.tool, call.arguments.0)).collect())
}

fn two() -> Vec<(String, String, String)> {
    vec![("a".into(), "x".into(), r#"{"p":1}"#.into()), ("b".into(), "y".into(), r#"{"q":"日本🙂"}"#.into())]
}

/// Ways to send the calls of [`two`].
const DECIDABLE: &[(&str, &[&str])] = &[
    (
        "by the book",
        &[
            r#"[{"index":0,"id":"a","type":"function","function":{"name":"x","arguments":""}}]"#,
            r#"[{"index":0,"function":{"arguments":"{\"p\":"}}]"#,
            r#"[{"index":0,"function":{"arguments":"1}"}}]"#,
            r#"[{"index":1,"id":"b","type":"function","function":{"name":"y","arguments":""}}]"#,
            r#"[{"index":1,"function":{"arguments":"{\"q\":\"日本🙂\"}"}}]"#,
        ],
    ),
    (
        "interleaved",
        &[
            r#"[{"index":0,"id":"a","function":{"name":"x"}},{"index":1,"id":"b","function":{"name":"y"}}]"#,
            r#"[{"index":0,"function":{"arguments":"{\"p\""}}]"#,
            r#"[{"index":1,"function":{"arguments":"{\"q\":\"日"}},{"index":0,"function":{"arguments":":1}"}}]"#,
            r#"[{"index":1,"function":{"arguments":"本🙂\"}"}}]"#,
        ],
    ),
    (
        "no index, in a row",
        &[
            r#"[{"id":"a","function":{"name":"x","arguments":""}}]"#,
            r#"[{"function":{"arguments":"{\"p\":1}"}}]"#,
            r#"[{"id":"b","function":{"name":"y","arguments":""}}]"#,
            r#"[{"function":{"arguments":"{\"q\":"}}]"#,
            r#"[{"function":{"arguments":"\"日本🙂\"}"}}]"#,
        ],
    ),
    (
        "null index, id on every piece",
        &[
            r#"[{"index":null,"id":"a","function":{"name":"x","arguments":"{\"p\""}}]"#,
            r#"[{"index":null,"id":"b","function":{"name":"y","arguments":"{\"q\":"}}]"#,
            r#"[{"index":null,"id":"a","function":{"arguments":":1}"}}]"#,
            r#"[{"index":null,"id":"b","function":{"arguments":"\"日本🙂\"}"}}]"#,
        ],
    ),
    (
        "no index, side by side",
        &[
            r#"[{"id":"a","function":{"name":"x"}},{"id":"b","function":{"name":"y"}}]"#,
            r#"[{"function":{"arguments":"{\"p\":1}"}},{"function":{"arguments":"{\"q\":\"日本🙂\"}"}}]"#,
        ],
    ),
    (
        "index always 0",
        &[
            r#"[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"p\":1}"}}]"#,
            r#"[{"index":0,"id":"b","function":{"name":"y","arguments":"{\"q\":"}}]"#,
            r#"[{"index":0,"function":{"arguments":"\"日本🙂\"}"}}]"#,
        ],
    ),
    (
        "1 before 0",
        &[
            r#"[{"index":1,"id":"b","function":{"name":"y","arguments":"{\"q\":\"日本🙂\"}"}}]"#,
            r#"[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"p\":1}"}}]"#,
        ],
    ),
    (
        "names and ids repeated",
        &[
            r#"[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"p\""}}]"#,
            r#"[{"index":0,"id":"a","function":{"name":"x","arguments":":1}"}}]"#,
            r#"[{"index":0,"id":"a","function":{"name":"x","arguments":""}}]"#,
            r#"[{"index":1,"id":"b","function":{"name":"y","arguments":"{\"q\":"}}]"#,
            r#"[{"index":1,"id":"b","function":{"name":"y","arguments":"\"日本🙂\"}"}}]"#,
        ],
    ),
    (
        "arguments as an object, halves of a character apart",
        &[
            r#"[{"index":0,"id":"a","function":{"name":"x","arguments":{"p":1}}}]"#,
            r#"[{"index":1,"id":"b","function":{"name":"y","arguments":"{\"q\":\"日本\ud83d"}}]"#,
            r#"[{"index":1,"function":{"arguments":"\ude42\"}"}}]"#,
        ],
    ),
];

#[test]
fn decidable_calls_are_told_apart() {
    for (what, pieces) in DECIDABLE {
        assert_eq!(calls(pieces).expect(what), two(), "{what}");
    }
}

#[test]
fn what_can_not_be_decided_is_refused() {
    let table: &[(&str, &[&str])] = &[
        (
            "two open calls without index",
            &[
                r#"[{"id":"a","function":{"name":"x","arguments":""}}]"#,
                r#"[{"id":"b","function":{"name":"y","arguments":""}}]"#,
                r#"[{"function":{"arguments":"{\"p\":1}"}}]"#,
            ],
        ),
        (
            "two open calls at one index",
            &[
                r#"[{"index":0,"id":"a","function":{"name":"x","arguments":""}}]"#,
                r#"[{"index":0,"id":"b","function":{"name":"y","arguments":""}}]"#,
                r#"[{"index":0,"function":{"arguments":"{\"p\":1}"}}]"#,
            ],
        ),
        (
            "two objects in one",
            &[
                r#"[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"p\":1}"}}]"#,
                r#"[{"index":0,"function":{"arguments":"{\"q\":2}"}}]"#,
            ],
        ),
        (
            "a second name inside a call",
            &[
                r#"[{"index":0,"function":{"name":"x","arguments":"{\"p\""}}]"#,
                r#"[{"index":0,"function":{"name":"y","arguments":":1}"}}]"#,
            ],
        ),
        ("arguments before any call", &[r#"[{"function":{"arguments":"{}"}}]"#]),
        ("no name", &[r#"[{"index":0,"id":"a","function":{"arguments":"{}"}}]"#]),
        ("half a character", &[r#"[{"index":0,"id":"a","function":{"name":"x","arguments":"\ud83d"}}]"#]),
    ];
    for (what, pieces) in table {
        assert_eq!(calls(pieces).expect_err(what).class, ErrorClass::InvalidResponse, "{what}");
    }
}

#[test]
fn ids_are_kept_or_made_up_the_same_way_each_time() {
    let pieces = [
        r#"[{"index":0,"id":"","function":{"name":"x","arguments":"{\"p\":1}"}}]"#,
        r#"[{"index":1,"function":{"name":"x","arguments":"{\"p\":1}"}}]"#,
        r#"[{"index":2,"id":"same","function":{"name":"x","arguments":"{}"}}]"#,
        r#"[{"index":3,"id":"same","function":{"name":"x","arguments":"{}"}}]"#,
    ];
    let first = calls(&pieces).unwrap();
    assert_eq!(first, calls(&pieces).unwrap());
    let ids: std::collections::HashSet<&str> = first.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(ids.len(), 4, "{first:?}");
    assert!(ids.contains("same") && !ids.contains(""), "{first:?}");
}

#[test]
fn whole_calls_without_index_and_id_are_separate() {
    let pieces = [
        r#"[{"function":{"name":"x","arguments":"{}"}}]"#,
        r#"[{"function":{"name":"x","arguments":"{}"}}]"#,
        r#"[{"function":{"name":"y","arguments":"{}"}},{"function":{"name":"y","arguments":"{}"}}]"#,
    ];
    let names: Vec<String> = calls(&pieces).unwrap().into_iter().map(|(_, name, _)| name).collect();
    assert_eq!(names, ["x", "x", "y", "y"]);
}

#[test]
fn no_arguments_are_an_empty_object_and_bad_ones_stay() {
    let found = calls(&[
        r#"[{"index":0,"id":"a","function":{"name":"x"}}]"#,
        r#"[{"index":1,"id":"b","function":{"name":"x","arguments":"{oops"}}]"#,
        r#"[{"index":2,"id":"c","function":{"name":"x","arguments":" {\"b\":1, \"a\":1.50}"}}]"#,
    ]);
    let arguments: Vec<String> = found.unwrap().into_iter().map(|(.., arguments)| arguments).collect();
    assert_eq!(arguments, ["{}", "{oops", " {\"b\":1, \"a\":1.50}"]);
}

#[test]
fn a_call_that_the_length_limit_cut_is_not_run() {
    let call = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"p\":"}}]}"#;
    let error = answer(&deltas(&[call], "length")).unwrap_err();
    assert_eq!(error.class, ErrorClass::Incomplete);
    assert!(error.message.contains("length limit"), "{}", error.message);
    assert_eq!(answer(&deltas(&[r#"{"content":"long"}"#], "length")).unwrap().finish, "length");
}

#[test]
fn the_deprecated_form_is_read() {
    let part = r#"{"function_call":{"name":"x","arguments":"{\"p\""}}"#;
    let rest = r#"{"function_call":{"arguments":":1}"}}"#;
    let answer = answer(&deltas(&[part, rest], "function_call")).unwrap();
    assert_eq!(answer.calls[0].arguments.as_str(), r#"{"p":1}"#);
}
