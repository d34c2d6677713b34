use super::*;
use crate::tools::testing::run;
use dispatch_events::catalogue::tool::ToolOutcome;

fn reading(bytes: &[u8], offset: u64, limit: u64) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f"), bytes).unwrap();
    let given = Arguments { path: "f".to_owned(), offset: Some(offset), limit: Some(limit) };
    read(&Workspace::new(folder.path(), Vec::new()), &given)
}

#[tokio::test]
async fn the_tool_gives_numbered_lines_and_refusals_in_words() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one\r\ntwo\n").unwrap();
    let tool = ReadFile::new(Arc::new(Workspace::new(folder.path(), Vec::new())));
    let reply = run(&tool, r#"{"path":"a.txt"}"#, None).await;
    assert_eq!((reply.outcome, reply.output.as_str()), (ToolOutcome::Ok, "1|one\n2|two\n"));
    let reply = run(&tool, r#"{"path":"../x"}"#, None).await;
    assert!(reply.outcome == ToolOutcome::Error && reply.output.contains("outside"), "{}", reply.output);
}

#[test]
fn pages_say_where_to_go_on() {
    let text = "a\nb\nc\nd";
    let page = reading(text.as_bytes(), 2, 2).unwrap();
    assert_eq!(page, "2|b\n3|c\n[lines 2 to 3 of 4 in `f`; go on with offset=4]\n");
    assert_eq!(reading(text.as_bytes(), 4, 2).unwrap(), "4|d\n[lines 4 to 4 of 4 in `f`]\n");
    assert!(reading(text.as_bytes(), 5, 2).unwrap_err().contains("4 lines"));
    assert_eq!(reading(b"", 1, 2).unwrap(), "[`f` is empty]");
}

#[test]
fn a_page_is_bounded_in_characters_and_so_is_a_line() {
    let page = reading("語".repeat(1999).as_bytes(), 1, 1).unwrap();
    assert_eq!(page.matches('語').count(), 1999);
    let page = reading(format!("{}\n", "y".repeat(5_000_000)).as_bytes(), 1, 1).unwrap();
    assert_eq!(page, format!("1|{} [4998000 more characters]\n", "y".repeat(2000)));
    let many = format!("{}\n", "語".repeat(1990)).repeat(2000);
    let page = reading(many.as_bytes(), 1, 2000).unwrap();
    assert!(page.chars().count() <= 100_000, "{}", page.chars().count());
    assert!(page.ends_with("[lines 1 to 49 of 2000 in `f`; go on with offset=50]\n"), "{}", &page[page.len() - 90..]);
}

#[test]
fn text_is_told_from_bytes() {
    let chinese = format!("a{}", "語".repeat(SAMPLE_BYTES));
    assert_eq!(kind_of(&chinese.as_bytes()[..SAMPLE_BYTES]), Kind::Utf8, "a cut character is no fault");
    assert_eq!(reading(b"caf\xe9 and more text\n", 1, 1).unwrap(), "1|caf\u{fffd} and more text\n");
    for binary in [b"PK\x03\x04\x00\x00".as_slice(), b"\x00\xff\xfeA", b"\x89PNG\r\n\x1a\n\x00", &[0x80; 100]] {
        assert!(reading(binary, 1, 1).unwrap_err().contains("no text"), "{binary:?}");
    }
    assert_eq!(reading(b"a\x1b[31mb\x07 and text\n", 1, 1).unwrap(), "1|a\u{fffd}[31mb\u{fffd} and text\n");
}

#[test]
fn marks_of_utf_16_and_utf_8_are_known() {
    let text = "héllo 𝄞\nzwei";
    let little: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    let marked = format!("\u{feff}{text}").into_bytes();
    for bytes in [little, big, marked] {
        assert_eq!(reading(&bytes, 1, 5).unwrap(), "1|héllo 𝄞\n2|zwei\n");
    }
}

#[test]
fn every_cut_decodes_the_same() {
    let text = "é語𝄞x";
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (kind, bytes) in [(Kind::Utf8, text.as_bytes()), (Kind::Utf16Le, &units)] {
        for cut in 0..=bytes.len() {
            let mut out = String::new();
            let mut decoder = Decoder::new(kind);
            decoder.feed(&bytes[..cut], &mut |c| out.push(c));
            decoder.feed(&bytes[cut..], &mut |c| out.push(c));
            decoder.finish(&mut |c| out.push(c));
            assert_eq!(out, text, "{kind:?} cut at {cut}");
        }
    }
}
