//! The rendered conversation of a live session: a turn renders and hashes only what is new.

use crate::ports::{Dialect, HeadInput, Model};
use bytes::Bytes;
use dispatch_events::{Digest, RawJson};
use dispatch_projections::replay::WireMessage;
use std::sync::Arc;

/// Head and fragments as they are sent, with their digests.
#[derive(Clone)]
pub struct Rendered {
    dialect: Arc<dyn Dialect>,
    model: String,
    head: String,
    head_digest: Digest,
    fragments: Vec<String>,
    digests: Vec<Digest>,
    prefix: Digest,
}

impl Rendered {
    /// The head of a session, without messages.
    pub fn new(dialect: Arc<dyn Dialect>, head: HeadInput<'_>) -> Self {
        let model = head.model.to_owned();
        let head = dialect.head(head);
        let head_digest = Digest::of(head.as_bytes());
        Self { dialect, model, head, head_digest, fragments: Vec::new(), digests: Vec::new(), prefix: head_digest }
    }

    /// Renders and hashes more messages.
    pub fn extend(&mut self, messages: impl IntoIterator<Item = WireMessage>) {
        for message in messages {
            let fragment = self.dialect.message(&message);
            let digest = Digest::of(fragment.as_bytes());
            self.prefix = self.prefix.rolled(digest);
            self.digests.push(digest);
            self.fragments.push(fragment);
        }
    }

    /// The whole body.
    pub fn body(&self, parameters: &RawJson) -> Bytes {
        let fragments: Vec<&str> = self.fragments.iter().map(String::as_str).collect();
        self.dialect.body(&self.head, &fragments, parameters)
    }

    /// How many messages are rendered.
    pub fn len(&self) -> usize {
        self.fragments.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.fragments.is_empty()
    }

    /// The renderer.
    pub fn dialect(&self) -> &Arc<dyn Dialect> {
        &self.dialect
    }

    /// Model that the head names.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Digest of the head.
    pub fn head_digest(&self) -> Digest {
        self.head_digest
    }

    /// Digests of the fragments.
    pub fn digests(&self) -> &[Digest] {
        &self.digests
    }

    /// Rolling digest over head and fragments.
    pub fn prefix(&self) -> Digest {
        self.prefix
    }
}

/// The model that a session's next request goes to, and the renderer for it.
pub struct Target {
    /// The model.
    pub model: Arc<Model>,
    /// The renderer: the session's first, for as long as the build has it.
    pub dialect: Arc<dyn Dialect>,
}
