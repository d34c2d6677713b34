//! Identities and numbers. Each is a type of its own, so that a version can't be passed for a position.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Default)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A fresh id, ordered by time (UUID v7).
            pub fn fresh() -> Self {
                Self(Uuid::now_v7())
            }
            /// The 16 bytes as they lie in keys and headers.
            pub fn bytes(&self) -> [u8; 16] {
                *self.0.as_bytes()
            }
            /// The id that these bytes spell.
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }
            /// The all-zero id, which stands for "none" in a header.
            pub fn is_none(&self) -> bool {
                self.0.is_nil()
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::from_str(text).map(Self)
            }
        }
    };
}

uuid_id! {
    /// One event stream: a session, an agent's memory, or the host itself.
    StreamId
}
uuid_id! {
    /// One event. Appending the same id again is the same append.
    EventId
}
uuid_id! {
    /// One submitted input.
    AdmissionId
}
uuid_id! {
    /// One turn.
    TurnId
}
uuid_id! {
    /// The turn or command that an event belongs to.
    CorrelationId
}
uuid_id! {
    /// Who caused an event: opaque here, its name stands in a sealed payload.
    PrincipalId
}
uuid_id! {
    /// Something owed to the outside.
    ObligationId
}

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Default)]
        pub struct $name(pub u64);

        impl $name {
            /// The number after this one.
            pub fn next(self) -> Self {
                Self(self.0 + 1)
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}

number! {
    /// Place in the whole log, from 1, gapless. Zero is "before the first".
    Position
}
number! {
    /// Number of an event in its stream, from 1, gapless. Zero is "the stream is empty". It fences writers.
    Version
}
number! {
    /// Number of the host run that owns a log. Rises at every start.
    Epoch
}
number! {
    /// Number of a turn attempt within its session. Rises at every claim.
    Generation
}

impl From<TurnId> for CorrelationId {
    fn from(turn: TurnId) -> Self {
        Self(turn.0)
    }
}

impl CorrelationId {
    /// The turn that this correlation names, if it is one.
    pub fn turn(self) -> TurnId {
        TurnId(self.0)
    }
}
