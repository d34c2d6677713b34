//! The check of the log with what lies around it: the note of the last check, and an anchor that somebody kept.

use dispatch_actors::{HostHandle, Refusal, handle::Step};
use dispatch_events::{
    Clock, SystemClock,
    anchor::{Anchor, AnchorReport, PublicKey},
    verify::{Checkpoint, Report, Verdict},
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What is checked.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// Only what came after the last check that found the log sound.
    pub since_last: bool,
    /// An anchor that the log is compared with too.
    pub anchor: Option<PathBuf>,
    /// The key that the anchor has to be signed with.
    pub public_key: Option<PublicKey>,
    /// The data folder, where the note of the last check lies; none for a log in a file.
    pub folder: Option<PathBuf>,
}

/// What was found, as the API and the command line show it.
#[derive(Clone, Debug, Serialize)]
pub struct VerifyReport {
    /// Whether the log is what was written, and what was anchored.
    pub sound: bool,
    /// The whole log in one word.
    pub verdict: Verdict,
    /// What the check of the chains found.
    #[serde(flatten)]
    pub report: Report,
    /// What the comparison with an anchor found, if there was one.
    pub anchor: Option<AnchorChecked>,
}

/// A log against an anchor.
#[derive(Clone, Debug, Serialize)]
pub struct AnchorChecked {
    /// When it was made, by its maker's clock.
    pub made_at: String,
    /// The key that it is signed with.
    pub public_key: PublicKey,
    /// Whether that is the key that the caller named.
    pub trusted: bool,
    /// What was found.
    #[serde(flatten)]
    pub report: AnchorReport,
}

impl From<Report> for VerifyReport {
    fn from(report: Report) -> Self {
        Self { sound: report.is_sound(), verdict: report.verdict(), report, anchor: None }
    }
}

impl Check {
    /// Checks it, and notes how far it was sound.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for an anchor that is not to be believed; damage is in the report.
    pub async fn run(
        &self,
        host: &HostHandle,
        progress: impl FnMut(Step) + Send + 'static,
    ) -> Result<VerifyReport, Refusal> {
        // Before the long work: who named a wrong file is told at once.
        let anchor = self.believed_anchor()?;
        let since = self.since()?;
        let report = host.verify_since(since, progress).await?;
        self.note(&report);
        let mut told = VerifyReport::from(report);
        if let Some(anchor) = anchor {
            let (made_at, public_key) = (anchor.made_at.clone(), anchor.public_key);
            let report = host.check_anchor(anchor).await?;
            told.sound &= report.is_sound();
            told.verdict = told.verdict.max(report.verdict());
            told.anchor = Some(AnchorChecked { made_at, public_key, trusted: self.public_key.is_some(), report });
        }
        Ok(told)
    }

    /// The anchor that was named, if it is one and its signature fits.
    ///
    /// # Errors
    /// [`Refusal::Invalid`].
    pub fn believed_anchor(&self) -> Result<Option<Anchor>, Refusal> {
        self.anchor.as_deref().map(|file| self.believed(file)).transpose()
    }

    fn believed(&self, file: &Path) -> Result<Anchor, Refusal> {
        let wrong = |why: String| Refusal::Invalid(format!("the anchor {}: {why}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| wrong(format!("it can't be read: {error}")))?;
        let anchor = Anchor::from_json(&text).map_err(|error| wrong(error.to_string()))?;
        anchor.verify(self.public_key.as_ref()).map_err(|error| wrong(error.to_string()))?;
        Ok(anchor)
    }

    fn since(&self) -> Result<Checkpoint, Refusal> {
        match &self.folder {
            _ if !self.since_last => Ok(Checkpoint::default()),
            None => Err(Refusal::Invalid("there is no note of an earlier check here: check all of it".to_owned())),
            Some(folder) => {
                let kept = Checkpoint::kept(folder).map_err(|error| Refusal::Storage(error.to_string()))?;
                Ok(kept.unwrap_or_default())
            }
        }
    }

    /// A check that found nothing wrong says where the next one may begin.
    fn note(&self, report: &Report) {
        if let (Some(folder), Some(checkpoint)) = (&self.folder, report.checkpoint())
            && let Err(error) = checkpoint.keep(folder, SystemClock.now())
        {
            tracing::warn!(%error, "the check is not noted: the next one begins where this one did");
        }
    }
}
