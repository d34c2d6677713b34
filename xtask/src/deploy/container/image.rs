//! The images that stages start from.

use super::Subject;
use parse_dockerfile::FromInstruction;

/// An image has a tag that does not move by itself, and the one that builds is new enough for the workspace.
pub(super) fn check_tag(subject: &mut Subject<'_, '_>, from: &FromInstruction<'_>) {
    let image = from.image.value.as_ref();
    let at = from.image.span.start;
    if image == "scratch" || subject.file.stage(image).is_some() {
        return;
    }
    let name = image.rsplit('/').next().unwrap_or(image);
    let Some((name, tag)) = name.split_once(':') else {
        return subject.found(at, format!("{image} has no tag, so it moves: name a release"));
    };
    if tag.starts_with("latest") {
        return subject.found(at, format!("{image} moves by itself: name a release"));
    }
    let toolchain = subject.toolchain;
    if name == "rust" && numbers(tag) < numbers(toolchain) {
        subject.found(at, format!("{image} is older than the workspace's rust-version {toolchain}: raise it"));
    }
}

/// The numbers that a version begins with: `1.95-slim` is 1, 95.
fn numbers(version: &str) -> Vec<u32> {
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    version[..end].split('.').filter_map(|part| part.parse().ok()).collect()
}
