use super::*;

fn seen(text: &str) -> Vec<(String, usize, usize, bool)> {
    let file = SourceFile { path: "a.rs".into(), text: text.into() };
    let path = |f: &Function| f.modules.iter().chain([&f.name]).cloned().collect::<Vec<_>>().join("::");
    functions(&file).unwrap().iter().map(|f| (path(f), f.line, f.lines, f.is_test)).collect()
}

fn row(path: &str, line: usize, lines: usize, is_test: bool) -> (String, usize, usize, bool) {
    (path.into(), line, lines, is_test)
}

#[test]
fn lines_run_from_fn_to_the_closing_brace() {
    assert_eq!(seen("/// Doc.\n#[inline]\npub fn one(\n    a: u8,\n) -> u8 {\n    a\n}\n"), [row("one", 3, 5, false)]);
}

#[test]
fn braces_in_text_and_comments_do_not_count() {
    let text = "fn one() {\n    let a = \"}\";\n    let b = '}'; // }\n    let c = r#\"}\"#;\n}\nfn two() {}\n";
    assert_eq!(seen(text), [row("one", 1, 5, false), row("two", 6, 1, false)]);
}

#[test]
fn a_const_argument_is_not_the_body() {
    let text = "fn one(f: impl Fn(u8) -> u8) -> Wide<{ 2 }>\nwhere\n    u8: Copy,\n{\n    Wide\n}\n";
    assert_eq!(seen(text), [row("one", 1, 6, false)]);
}

#[test]
fn pointers_and_signatures_have_no_body() {
    assert_eq!(
        seen("type F = fn(u8) -> u8;\ntrait T {\n    fn a(&self);\n    fn b(&self) {}\n}\n"),
        [row("b", 4, 1, false)]
    );
}

#[test]
fn functions_inside_macros_and_functions_count() {
    let text = "proptest! {\n    #[test]\n    fn inner(a in 0..9) {\n        fn deep() {}\n    }\n}\n";
    assert_eq!(seen(text), [row("inner", 3, 3, true), row("deep", 4, 1, false)]);
}

#[test]
fn tests_carry_their_modules() {
    let text = "fn not() {}\nmod tests {\n    use super::*;\n    #[actix_rt::test]\n    #[ignore = \"slow\"]\n    async fn is() {}\n    #[test_case(1)]\n    fn isnt() {}\n}\nfn after() {}\n";
    let expected = [
        row("not", 1, 1, false),
        row("tests::is", 6, 1, true),
        row("tests::isnt", 8, 1, false),
        row("after", 10, 1, false),
    ];
    assert_eq!(seen(text), expected);
}

#[test]
fn what_is_no_rust_is_named() {
    let file = SourceFile { path: "a.rs".into(), text: "fn one() {".into() };
    assert!(functions(&file).unwrap_err().to_string().starts_with("a.rs: "));
}
