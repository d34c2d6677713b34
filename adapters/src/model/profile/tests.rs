use super::*;
use dispatch_actors::ports::Models;

fn settings(toml: &str) -> ModelSettings {
    toml::from_str(toml).unwrap()
}

fn catalog(toml: &str, env: &[(&str, &str)]) -> Result<ModelCatalog, ModelConfigError> {
    let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    ModelCatalog::new(&settings(toml), &env)
}

fn default_of(toml: &str, env: &[(&str, &str)]) -> String {
    catalog(toml, env).unwrap().default_model().profile.name.clone()
}

#[test]
fn without_anything_it_is_a_rehearsal() {
    let catalog = catalog("", &[]).unwrap();
    assert!(catalog.default_model().profile.rehearsal);
    let names: Vec<String> = catalog.list().into_iter().map(|profile| profile.name).collect();
    assert_eq!(names, ["openai", "anthropic", "gemini", "openrouter", "rehearsal"]);
    assert_eq!(catalog.problem("openai"), Some("no key: set OPENAI_API_KEY"));
    assert_eq!(catalog.problem("rehearsal"), None);
    assert!(catalog.dialect("chat_completions", 1).is_some());
    assert!(catalog.dialect("chat_completions", 2).is_none() && catalog.dialect("responses", 1).is_none());
}

#[test]
fn the_first_key_selects() {
    assert_eq!(default_of("", &[("OPENROUTER_API_KEY", "k"), ("GEMINI_API_KEY", "k")]), "gemini");
    assert_eq!(default_of("", &[("ANTHROPIC_API_KEY", "k"), ("OPENAI_API_KEY", "k")]), "openai");
    assert_eq!(default_of("", &[("OPENAI_API_KEY", " "), ("ANTHROPIC_API_KEY", "")]), "rehearsal");
    let catalog = catalog("", &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1/"), ("OPENAI_API_KEY", "k")]).unwrap();
    assert_eq!(catalog.default_model().profile.base_url, "http://127.0.0.1:1/v1");
    assert_eq!(catalog.problem("openai"), None);
}

#[test]
fn a_server_in_the_vendors_place_needs_no_key() {
    let catalog = catalog("", &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")]).unwrap();
    assert_eq!(catalog.default_model().profile.name, "openai");
    assert_eq!(catalog.problem("openai"), None);
}

const LOCAL: &str = r#"
[models.local]
base_url = "http://127.0.0.1:9000/v1"
dialect = "chat_completions"
model = "some-model"
api_key_env = "LOCAL_KEY"
context_window = 131072
"#;

#[test]
fn a_profile_of_ones_own() {
    let catalog = catalog(&format!("default_model = \"local\"\n{LOCAL}"), &[("OPENAI_API_KEY", "k")]).unwrap();
    let profile = &catalog.default_model().profile;
    assert_eq!((profile.name.as_str(), profile.model.as_str()), ("local", "some-model"));
    assert_eq!((profile.context_window, profile.stream), (Some(131_072), true));
    assert_eq!(catalog.problem("local"), Some("no key: set LOCAL_KEY"));
}

#[test]
fn the_only_profile_is_the_default_and_several_need_a_word() {
    assert_eq!(default_of(LOCAL, &[("OPENAI_API_KEY", "k")]), "local");
    let two = format!("{LOCAL}\n[models.other]\nbase_url = \"http://h/v1\"\nmodel = \"m\"");
    let error = catalog(&two, &[]).err().unwrap().to_string();
    assert!(error.contains("default_model") && error.contains("local, other"), "{error}");
    assert_eq!(default_of(&two, &[("OPENAI_API_KEY", "k")]), "openai");
}

#[test]
fn a_built_in_profile_can_be_changed_in_part() {
    let catalog = catalog("[models.openai]\nmodel = \"mine\"\nstream = false", &[("OPENAI_API_KEY", "k")]).unwrap();
    let profile = catalog.model("openai").unwrap().profile.clone();
    assert_eq!((profile.model.as_str(), profile.stream), ("mine", false));
    assert_eq!(profile.base_url, "https://api.openai.com/v1");
    assert_eq!(catalog.default_model().profile.name, "openai");
}

#[test]
fn wrong_settings_say_what_to_write() {
    let table = [
        (
            "default_model = \"locl\"\n[models.local]\nbase_url=\"http://h/v1\"\nmodel=\"m\"",
            "default_model",
            "did you mean `local`",
        ),
        ("[models.x]\nmodel=\"m\"", "models.x.base_url", "missing"),
        ("[models.x]\nbase_url=\"http://h/v1\"", "models.x.model", "missing"),
        ("[models.x]\nbase_url=\"h/v1\"\nmodel=\"m\"", "models.x.base_url", "http://"),
        ("[models.x]\nbase_url=\"ftp://h/v1\"\nmodel=\"m\"", "models.x.base_url", "http://"),
        ("[models.x]\nbase_url=\"https://u:p@h/v1\"\nmodel=\"m\"", "models.x.base_url", "api_key_env"),
        (
            "[models.x]\nbase_url=\"http://h/v1\"\nmodel=\"m\"\ndialect=\"responses\"",
            "models.x.dialect",
            "not built yet",
        ),
        ("[models.x]\nbase_url=\"http://h/v1\"\nmodel=\"m\"\ndialect=\"chat\"", "models.x.dialect", "chat_completions"),
        (
            "[models.x]\nbase_url=\"http://h/v1\"\nmodel=\"m\"\nstall_timeout_s=0",
            "models.x.stall_timeout_s",
            "1 or more",
        ),
        ("[models.rehearsal]\nmodel=\"m\"", "models.rehearsal", "another"),
    ];
    for (toml, key, hint) in table {
        let error = catalog(toml, &[]).err().unwrap_or_else(|| panic!("{toml}"));
        assert!(error.key == key && error.why.contains(hint), "{toml}: {error}");
    }
    assert!(toml::from_str::<ModelSettings>("[models.x]\nbase_ur = \"http://h\"").is_err());
    assert!(toml::from_str::<ModelSettings>("[models.x]\nreplay_reasoning = \"always\"").is_ok());
}

#[test]
fn a_key_is_never_shown() {
    let key = ApiKey::new(" sk-secret \n").unwrap();
    assert_eq!((key.reveal(), format!("{key:?}").as_str()), ("sk-secret", "ApiKey(…)"));
    assert_eq!(key.hide_in("bad key sk-secret!"), "bad key [key]!");
    let key = ApiKey::new("sk-proj-0123456789abcdef").unwrap();
    for trace in ["sk-proj-0123456789abcdef", "sk-proj-****cdef", "sk-...cdef", "sk-proj-…", "sk-proj-0123…", "***def"]
    {
        assert_eq!(key.hide_in(&format!("a key: \"{trace}\". Look")), "a key: \"[key]\". Look", "{trace}");
    }
    for ordinary in ["sk-proj-keys are longer", "a ** b ...", "skip...", "abcdef"] {
        assert_eq!(key.hide_in(ordinary), ordinary);
    }
    assert!(ApiKey::new(" ").is_none());
}
