//! The model and the memory backend, as the settings name them.

use super::Finding;
use crate::{
    assemble,
    cli::{context::Context, exit::Failure, models::probe::probe, paper::words::safe},
};
use dispatch_actors::ports::Models;

/// Nothing is sent unless `call` asks for it.
pub(super) async fn look(context: &Context, call: bool) -> Vec<Finding> {
    let (Ok(loaded), Ok(secrets)) = (context.loaded(), context.secrets()) else {
        // The settings were found wrong already.
        return Vec::new();
    };
    let mut findings = Vec::new();
    match assemble::models(&loaded, &secrets) {
        Err(error) => findings.push(Finding::fail("model", error.to_string())),
        Ok(models) => {
            let model = models.default_model();
            let profile = &model.profile;
            let told = format!("{} ({} at {})", profile.name, profile.model, profile.base_url);
            findings.push(match models.problem(&profile.name) {
                Some(problem) => Finding::fail("model", format!("{told}: {problem}")),
                None if profile.rehearsal => {
                    Finding::warn("model", "rehearsal, a built-in script: `dispatch config init` sets up a real one")
                }
                None => Finding::ok("model", told),
            });
            if call {
                findings.push(match probe(&model).await {
                    Ok(answered) => Finding::ok("call", format!("answered after {} ms", answered.whole.as_millis())),
                    Err(why) => Finding::fail("call", safe(&why)),
                });
            }
        }
    }
    findings.push(match assemble::built(&loaded).and_then(|()| assemble::backend(&loaded, &secrets)) {
        Err(error) => Finding::fail("memory", Failure::from(error).message),
        Ok(None) => Finding::ok("memory", "two files in the data folder; nothing leaves the machine"),
        Ok(Some(backend)) => Finding::ok("memory", format!("{}: {}", backend.name(), backend.destination())),
    });
    findings
}
