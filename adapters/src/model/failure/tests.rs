use super::*;

#[test]
fn status_and_words_give_the_class() {
    use ErrorClass::*;
    let table: &[(u16, &str, Option<u64>, ErrorClass)] = &[
        (429, "", None, RateLimit),
        (429, r#"{"error":{"message":"Rate limit reached for tokens per minute"}}"#, Some(2000), RateLimit),
        (429, r#"{"error":{"message":"The engine is currently overloaded"}}"#, None, Overloaded),
        (429, r#"{"error":{"code":"insufficient_quota"}}"#, None, Billing),
        (429, r#"{"error":{"code":"insufficient_quota"}}"#, Some(2000), Billing),
        (429, "You exceeded your current quota, please check your plan and billing details", None, Billing),
        (429, "You exceeded your current quota, please check your plan and billing details", Some(32_000), RateLimit),
        (503, "<html>", None, Overloaded),
        (529, "", None, Overloaded),
        (500, "", None, ServerError),
        (502, "", None, ServerError),
        (504, "", None, ServerError),
        (401, "", None, Auth),
        (403, "", None, Auth),
        (403, "Input was flagged by moderation", None, ContentPolicy),
        (400, "API key not valid. Please pass a valid API key.", None, Auth),
        (400, "This model's maximum context length is 8192 tokens", None, ContextOverflow),
        (400, r#"{"error":{"code":"context_length_exceeded"}}"#, None, ContextOverflow),
        (500, "the request exceeds the available context size", None, ContextOverflow),
        (413, "", None, ContextOverflow),
        (400, "Your credit balance is too low", None, Billing),
        (402, "", None, Billing),
        (404, "model not found", None, BadRequest),
        (422, "", None, BadRequest),
        (400, "", None, BadRequest),
        (301, "", None, BadRequest),
        (408, "", None, Timeout),
        (0, r#"{"type":"overloaded_error"}"#, None, Overloaded),
        (0, r#"{"type":"rate_limit_error"}"#, None, RateLimit),
        (0, r#"{"type":"invalid_request_error"}"#, None, BadRequest),
        (0, "", None, ServerError),
    ];
    for (status, text, wait, class) in table {
        assert_eq!(classify(*status, text, *wait), *class, "{status} {text}");
    }
}

#[test]
fn what_was_said_is_short_and_on_one_line() {
    assert_eq!(said(r#"{"error":{"message":"no\n such model"}}"#), "no such model");
    assert_eq!(said(r#"[{"error":{"message":"in a list"}}]"#), "in a list");
    assert_eq!(said(r#"{"detail":"Not Found"}"#), "Not Found");
    assert_eq!(
        said("<HTML><Title>502 Bad Gateway</title>"),
        "an HTML page titled \"502 bad gateway\", probably from a proxy"
    );
    assert_eq!(said(""), "(an empty body)");
    assert_eq!(said(&"é".repeat(1000)).chars().count(), EXCERPT_CHARS + 1);
}

#[test]
fn a_wait_in_the_body_is_read() {
    assert_eq!(named_wait(r#"{"details":[{"retryDelay": "32.5s"}]}"#), Some(32_500));
    assert_eq!(named_wait(r#"{"retryDelay":"-1s"}"#), None);
    assert_eq!(named_wait("{}"), None);
}

#[test]
fn an_error_object_names_its_status() {
    let error = from_error_object(r#"{"code":"429","message":"slow down"}"#);
    assert_eq!((error.class, error.status), (ErrorClass::RateLimit, Some(429)));
    assert!(error.message.ends_with("slow down"), "{}", error.message);
}

#[test]
fn a_step_promises_nothing_that_does_not_happen() {
    use ErrorClass::*;
    for class in [RateLimit, Overloaded, ServerError, Incomplete] {
        // Nothing is repeated once text was shown, and nothing for ever.
        let step = next_step(class);
        assert!(step.contains("has shown no text") && step.contains("a few times") && step.contains("else"), "{step}");
    }
}
