//! A dialect that a test can read.

use bytes::Bytes;
use dispatch_actors::ports::{Dialect, HeadInput};
use dispatch_events::RawJson;
use dispatch_projections::replay::WireMessage;

pub struct PlainDialect;

impl Dialect for PlainDialect {
    fn name(&self) -> &'static str {
        "plain"
    }
    fn version(&self) -> u16 {
        1
    }
    fn head(&self, input: HeadInput<'_>) -> String {
        format!("{}|{}|{}", input.model, input.tools, input.system)
    }
    fn message(&self, message: &WireMessage) -> String {
        format!("{message:?}")
    }
    fn parameters(&self, stream: bool) -> RawJson {
        RawJson(format!("{{\"stream\":{stream}}}"))
    }
    fn body(&self, head: &str, fragments: &[&str], parameters: &RawJson) -> Bytes {
        format!("{head}\n{}\n{}", fragments.join("\n"), parameters.0).into()
    }
}
