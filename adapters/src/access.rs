//! Who may have a turn, as the settings say.

use dispatch_actors::ports::Policy;
use dispatch_events::catalogue::input::Principal;

/// Everybody may have a turn but these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused(Vec<Principal>);

impl Refused {
    /// Refuses these principals, each as `adapter:subject`; what has no colon names nobody.
    pub fn new(names: &[String]) -> Self {
        Self(names.iter().filter_map(|name| principal(name)).collect())
    }
}

/// The principal that `adapter:subject` names. A subject may hold colons itself.
pub fn principal(name: &str) -> Option<Principal> {
    let (adapter, subject) = name.split_once(':')?;
    let whole = [adapter, subject].iter().all(|part| !part.is_empty() && part.trim() == *part);
    whole.then(|| Principal { adapter: adapter.to_owned(), subject: subject.to_owned() })
}

impl Policy for Refused {
    fn may_run(&self, principal: &Principal) -> Result<(), String> {
        if self.0.contains(principal) {
            let Principal { adapter, subject } = principal;
            return Err(format!(
                "{adapter}:{subject} may not have a turn on this host: its operator can take it off `access.refuse`"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_is_named_is_refused() {
        let refused = Refused::new(&["http:alice".to_owned(), "chat:team:bob".to_owned(), "nobody".to_owned()]);
        let may = |adapter: &str, subject: &str| {
            refused.may_run(&Principal { adapter: adapter.into(), subject: subject.into() }).is_ok()
        };
        assert!(!may("http", "alice") && !may("chat", "team:bob"));
        assert!(may("cli", "alice") && may("http", "alicia") && may("chat", "team"));
    }
}
