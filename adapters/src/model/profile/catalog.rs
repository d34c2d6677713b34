//! The configured models, checked once at start.

use super::{
    ApiKey, ModelSettings, ProfileSettings,
    builtin::{BUILTIN, Builtin},
};
use crate::model::{
    ChatCompletions, HttpEndpoint, HttpTarget, Limits, Rehearsal, chat_completions, endpoint::is_loopback, rehearsal,
};
use dispatch_actors::ports::{Dialect, Model, ModelProfile, Models};
use reqwest::Url;
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// Dialects that have a name and no renderer yet.
const NOT_BUILT: [&str; 3] = ["responses", "anthropic_messages", "gemini"];

/// Settings that name no usable model. The text says which key is wrong and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {why}")]
pub struct ModelConfigError {
    /// The key in the settings.
    pub key: String,
    /// Cause and next step.
    pub why: String,
}

/// The models of this host.
pub struct ModelCatalog {
    models: BTreeMap<String, Arc<Model>>,
    problems: BTreeMap<String, String>,
    order: Vec<String>,
    default: Arc<Model>,
}

impl ModelCatalog {
    /// Builds the catalog. `env` gives variables, and secrets from wherever they are kept. A key that is missing is no
    /// error here: the profile says so when it is listed and when it is called.
    ///
    /// # Errors
    /// When a profile is incomplete, speaks a dialect that this build has not, or the default does not exist.
    pub fn new(settings: &ModelSettings, env: &dyn Fn(&str) -> Option<String>) -> Result<Self, ModelConfigError> {
        let mut building = Building { env, models: BTreeMap::new(), problems: BTreeMap::new(), order: vec![] };
        for builtin in &BUILTIN {
            let own = settings.models.get(builtin.name).cloned().unwrap_or_default();
            building.add(builtin.name, &over(builtin, own, env))?;
        }
        for (name, own) in &settings.models {
            if name == rehearsal::NAME {
                let why = "this name belongs to the built-in scripted model; choose another one".into();
                return Err(ModelConfigError { key: format!("models.{name}"), why });
            }
            if !BUILTIN.iter().any(|builtin| builtin.name == name) {
                building.add(name, own)?;
            }
        }
        building.order.push(rehearsal::NAME.to_owned());
        building.models.insert(rehearsal::NAME.to_owned(), Arc::new(Rehearsal::model()));
        let default = building.choose(settings)?;
        let Building { models, problems, order, .. } = building;
        Ok(ModelCatalog { models, problems, order, default })
    }

    /// Why a profile can't be called now, for listings: its key is missing.
    pub fn problem(&self, profile: &str) -> Option<&str> {
        self.problems.get(profile).map(String::as_str)
    }
}

impl Models for ModelCatalog {
    fn default_model(&self) -> Arc<Model> {
        self.default.clone()
    }

    fn model(&self, profile: &str) -> Option<Arc<Model>> {
        self.models.get(profile).cloned()
    }

    fn list(&self) -> Vec<ModelProfile> {
        self.order.iter().filter_map(|name| self.models.get(name)).map(|model| model.profile.clone()).collect()
    }

    fn dialect(&self, name: &str, version: u16) -> Option<Arc<dyn Dialect>> {
        (name == chat_completions::NAME && version == 1).then(|| Arc::new(ChatCompletions) as Arc<dyn Dialect>)
    }
}

/// A built-in profile with the settings of the same name on top.
fn over(builtin: &Builtin, own: ProfileSettings, env: &dyn Fn(&str) -> Option<String>) -> ProfileSettings {
    let from_env = || builtin.base_url_env.and_then(env).filter(|url| !url.trim().is_empty());
    // A server that somebody put in the vendor's place often wants no key at all.
    let moved = own.base_url.is_some() || from_env().is_some();
    let key_there = env(builtin.api_key_env).is_some_and(|key| !key.trim().is_empty());
    ProfileSettings {
        base_url: own.base_url.or_else(from_env).or_else(|| Some(builtin.base_url.to_owned())),
        model: own.model.or_else(|| Some(builtin.model.to_owned())),
        api_key_env: own.api_key_env.or_else(|| (key_there || !moved).then(|| builtin.api_key_env.to_owned())),
        context_window: own.context_window.or(builtin.context_window),
        ..own
    }
}

struct Building<'a> {
    env: &'a dyn Fn(&str) -> Option<String>,
    models: BTreeMap<String, Arc<Model>>,
    problems: BTreeMap<String, String>,
    order: Vec<String>,
}

impl Building<'_> {
    fn add(&mut self, name: &str, settings: &ProfileSettings) -> Result<(), ModelConfigError> {
        let wrong = |field: &str, why: String| ModelConfigError { key: format!("models.{name}.{field}"), why };
        let dialect = settings.dialect.as_deref().unwrap_or(chat_completions::NAME);
        if NOT_BUILT.contains(&dialect) {
            let why = format!(
                "the dialect `{dialect}` is not built yet; write `chat_completions` and the vendor's OpenAI-compatible \
                 base URL"
            );
            return Err(wrong("dialect", why));
        }
        if dialect != chat_completions::NAME {
            return Err(wrong("dialect", format!("there is no dialect `{dialect}`; write `chat_completions`")));
        }
        let Some(base_url) = settings.base_url.as_deref().map(|url| url.trim().trim_end_matches('/')) else {
            return Err(wrong(
                "base_url",
                "missing; write where the API is, for example http://127.0.0.1:9000/v1".into(),
            ));
        };
        let url = parse(base_url).map_err(|why| wrong("base_url", why))?;
        let Some(model) = settings.model.clone().filter(|model| !model.trim().is_empty()) else {
            return Err(wrong("model", "missing; write the model's name as the server knows it".into()));
        };
        if settings.stall_timeout_s == Some(0) {
            return Err(wrong(
                "stall_timeout_s",
                "0 would give up every answer; write 1 or more, or leave it out".into(),
            ));
        }
        let key = settings.api_key_env.as_deref().and_then(self.env).as_deref().and_then(ApiKey::new);
        let missing_key = settings.api_key_env.clone().filter(|_| key.is_none());
        if let Some(variable) = &missing_key {
            self.problems.insert(name.to_owned(), format!("no key: set {variable}"));
        }
        let mut limits = if is_loopback(&url) { Limits::local() } else { Limits::default() };
        if let Some(seconds) = settings.stall_timeout_s {
            limits = limits.with_stall(Duration::from_secs(seconds));
        }
        let profile = ModelProfile {
            name: name.to_owned(),
            model,
            dialect: dialect.to_owned(),
            base_url: base_url.to_owned(),
            context_window: settings.context_window,
            stream: settings.stream.unwrap_or(true),
            rehearsal: false,
        };
        let target = HttpTarget {
            profile: name.to_owned(),
            url,
            key,
            missing_key,
            limits,
            replay: settings.replay_reasoning.unwrap_or_default(),
        };
        let endpoint = Arc::new(HttpEndpoint::new(target));
        self.order.push(name.to_owned());
        self.models.insert(name.to_owned(), Arc::new(Model { profile, dialect: Arc::new(ChatCompletions), endpoint }));
        Ok(())
    }

    fn choose(&self, settings: &ModelSettings) -> Result<Arc<Model>, ModelConfigError> {
        let pick = |name: &str| self.models.get(name).cloned();
        if let Some(name) = settings.default_model.as_deref() {
            return pick(name).ok_or_else(|| ModelConfigError { key: "default_model".into(), why: self.unknown(name) });
        }
        let mut own = settings.models.keys();
        if let (Some(only), None) = (own.next(), own.next()) {
            return pick(only).ok_or_else(|| ModelConfigError { key: "default_model".into(), why: self.unknown(only) });
        }
        let set = |variable: &str| (self.env)(variable).is_some_and(|value| !value.trim().is_empty());
        let chosen = BUILTIN.iter().find(|one| set(one.api_key_env) || one.base_url_env.is_some_and(set));
        if chosen.is_none() && settings.models.len() > 1 {
            let names: Vec<&str> = settings.models.keys().map(String::as_str).collect();
            let why = format!("missing, and there are several profiles; write one of {}", names.join(", "));
            return Err(ModelConfigError { key: "default_model".into(), why });
        }
        let name = chosen.map_or(rehearsal::NAME, |one| one.name);
        pick(name).ok_or_else(|| ModelConfigError { key: "default_model".into(), why: self.unknown(name) })
    }

    fn unknown(&self, name: &str) -> String {
        let near =
            self.order.iter().max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
        match near.filter(|near| strsim::jaro_winkler(near, name) > 0.8) {
            Some(near) => format!("there is no profile `{name}`; did you mean `{near}`?"),
            None => format!("there is no profile `{name}`; there are {}", self.order.join(", ")),
        }
    }
}

fn parse(base_url: &str) -> Result<Url, String> {
    let url = Url::parse(&format!("{base_url}/chat/completions"))
        .map_err(|why| format!("`{base_url}` is no URL ({why}); write it with http:// or https://"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(format!("`{base_url}` is no web address; write it with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a user or password in the URL would be shown to people; use `api_key_env`".into());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("`{base_url}` has a query or fragment; write the address alone"));
    }
    Ok(url)
}
