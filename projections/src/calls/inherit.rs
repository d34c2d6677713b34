//! What a fork has of its parent's requests: the bytes that its first one extends, and who they were sent to.

use super::{ModelCalls, ModelRequest};

impl ModelCalls {
    /// These calls as the beginning of a fork's: none of them is its own.
    pub(crate) fn inherited(mut self) -> Self {
        let wanted = self.wanted.filter(|_| self.requests.is_empty());
        let before = self.requests.pop().or(self.before);
        Self { requests: Vec::new(), divergence: None, before, wanted, ..self }
    }

    /// The last request of the conversation, which a fork may have from its parent.
    pub fn last(&self) -> Option<&ModelRequest> {
        self.requests.last().or(self.before.as_ref())
    }

    /// The profile that a fork was given instead of its parent's, until it has made a request.
    pub fn wanted(&self) -> Option<&str> {
        self.wanted.as_deref().filter(|_| self.requests.is_empty())
    }

    /// The model profile of the next request, as far as the log says.
    pub fn profile(&self) -> Option<&str> {
        self.wanted().or_else(|| self.last().map(|request| request.profile.as_str()))
    }

    /// Takes the profile that a fork was given; `None` leaves it with what it inherited.
    pub(crate) fn choose(&mut self, profile: Option<&str>) {
        if let Some(profile) = profile {
            self.wanted = Some(profile.to_owned());
        }
    }
}
