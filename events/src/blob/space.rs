//! Whose blobs they are.

use crate::StreamId;
use std::fmt;

/// A folder of blobs: one for each session, and one for what all sessions share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// Texts that all sessions share, which hold nothing personal.
    Shared,
    /// The blobs of a session, sealed with its key.
    Session(StreamId),
}

const SHARED: &str = "shared";

impl Space {
    /// The space with this name, if it is one: exactly as [`Space`] is shown.
    pub fn named(name: &str) -> Option<Self> {
        let space = match name {
            SHARED => Self::Shared,
            name => Self::Session(name.parse().ok()?),
        };
        (space.to_string() == name).then_some(space)
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared => f.write_str(SHARED),
            Self::Session(stream) => stream.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_shown() {
        for space in [Space::Shared, Space::Session(StreamId::fresh())] {
            assert_eq!(Space::named(&space.to_string()), Some(space));
        }
        let stream = StreamId::fresh();
        for foreign in ["tmp", "", "Shared", &stream.0.simple().to_string(), &stream.to_string().to_uppercase()] {
            assert_eq!(Space::named(foreign), None, "{foreign}");
        }
    }
}
