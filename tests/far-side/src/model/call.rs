//! A tool call of a scripted answer.

/// A tool call, with its arguments as the pieces that a stream delivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) fragments: Vec<String>,
}

impl Call {
    /// A call whose arguments come in one piece. They are text: they may be cut or no JSON at all.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), fragments: vec![arguments.into()] }
    }

    /// The same call with its arguments in these pieces.
    pub fn in_fragments<T: Into<String>>(mut self, fragments: impl IntoIterator<Item = T>) -> Self {
        self.fragments = fragments.into_iter().map(Into::into).collect();
        self
    }

    pub(super) fn arguments(&self) -> String {
        self.fragments.concat()
    }
}
