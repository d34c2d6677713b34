//! Settings that are right, and every way to get them wrong.

use super::*;

fn read_with(text: &str, variables: &[(&str, &str)]) -> Result<Loaded, ConfigErrors> {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    read("config.toml", text, variables)
}

fn refused(text: &str, variables: &[(&str, &str)]) -> String {
    read_with(text, variables).unwrap_err().to_string()
}

const EXAMPLE: &str = r#"default_model = "local"

[models.local]
base_url = "http://127.0.0.1:9000/v1"
dialect = "chat_completions"
model = "some-model"
api_key_env = "LOCAL_KEY"
context_window = 131072

[log]
engine = "sled"

[memory]
backend = "none"
mode = "durable"
recall_timeout_ms = 8000
drain_timeout_ms = 5000

[memory.mem0]
base_url = "http://127.0.0.1:8000"
api_key_env = "MEM0_API_KEY"

[turn]
lease_ttl_s = 300
lease_renew_s = 60
lease_wait_s = 1800
max_model_calls = 90
recovery = "pause"
"#;

#[test]
fn the_documented_example_is_right_and_says_the_defaults() {
    let loaded = read_with(EXAMPLE, &[]).unwrap();
    let defaults = read_with("", &[]).unwrap().settings;
    assert_eq!(loaded.settings.turn, defaults.turn);
    assert_eq!(loaded.settings.log, defaults.log);
    assert_eq!(loaded.settings.memory.recall_timeout_ms, defaults.memory.recall_timeout_ms);
    assert_eq!(loaded.settings.models["local"].context_window, Some(131_072));
    let origin = Origin::File { file: "config.toml".to_owned(), line: 4 };
    assert_eq!(loaded.origins["models.local.base_url"], origin);
}

#[test]
fn a_broken_line_is_named() {
    let error = refused("default_model = \"local\"\n[turn\nrecovery = \"pause\"\n", &[]);
    assert!(error.starts_with("config.toml:2: this is not TOML"), "{error}");
}

#[test]
fn an_unknown_key_is_met_with_the_nearest_right_one() {
    for (text, hint) in [
        (
            "[memory]\nbakend = \"none\"\n",
            "config.toml:2: there is no key `memory.bakend`; did you mean `memory.backend`?",
        ),
        ("[turn]\nlease_ttl = 3\n", "did you mean `turn.lease_ttl_s`?"),
        ("[models.x]\nbase-url = \"http://h\"\n", "did you mean `models.x.base_url`?"),
        ("[memory.mem0]\napi_key = \"x\"\n", "did you mean `memory.mem0.api_key_env`?"),
        ("[memory.memo]\nbase_url = \"http://h\"\n", "did you mean `memory.mem0.base_url`?"),
        ("defaultmodel = \"x\"\n", "did you mean `default_model`?"),
        ("[something]\nelse = 1\n", "`dispatch config show` lists"),
    ] {
        let error = refused(text, &[]);
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn a_bad_value_is_named_with_what_would_be_right() {
    for (text, hint) in [
        ("[memory]\nbackend = \"men0\"\n", "config.toml:2: `memory.backend` must be one of none"),
        ("[memory]\nbackend = \"men0\"\n", "did you mean `mem0`?"),
        ("[turn]\nmax_model_calls = \"many\"\n", "must be a whole number from 1 to 10000, not `many`"),
        ("[turn]\nmax_model_calls = 0\n", "not `0`"),
        ("[models.x]\nmodel = \"m\"\nbase_url = \"127.0.0.1:1\"\n", "config.toml:3: `models.x.base_url` can't be used"),
        ("[models.x]\nmodel = 4\n", "must be a text in quotes, not integer"),
        ("log = 4\n", "there is no key `log`"),
        ("[turn]\nlease_ttl_s = 60\n", "config.toml:2: a lease of 60 s that is renewed every 60 s runs out"),
        ("[memory.honcho]\nbase_url = \"http://h\"\n", "config.toml:2: the memory backend `honcho` is not built yet"),
        ("[turn]\nbusy_mode = \"steere\"\n", "did you mean `steer`?"),
        (
            "[access]\nrefuse = [\"http:alice\", \"bob\"]\n",
            "config.toml:2: `access.refuse` must be a list of principals, each as `adapter:subject`, for example \
             [\"http:alice\"], not `bob`",
        ),
        ("[access]\nrefuse = \"http:alice\"\n", "must be a list of principals"),
        ("[turn]\nlease_ttl_s = 99999999999999999999\n", "config.toml:2: `turn.lease_ttl_s` is out of range"),
    ] {
        let error = refused(text, &[]);
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn all_errors_come_at_once() {
    let error = refused("[memory]\nbakend = 1\nmode = \"x\"\n", &[("DISPATCH_TURN__RECOVERY", "guess")]);
    assert_eq!(error.lines().count(), 3, "{error}");
}

#[test]
fn a_secret_in_the_place_of_its_name_is_not_repeated() {
    let error = refused("[models.x]\nmodel = \"m\"\napi_key_env = \"sk-hunter2\"\n", &[]);
    assert!(error.contains("config.toml:3") && !error.contains("hunter2"), "{error}");
}

#[test]
fn the_environment_wins_over_the_file_at_every_depth() {
    let variables = [
        ("DISPATCH_LOG__ENGINE", "sqlite"),
        ("DISPATCH_MEMORY__MEM0__BASE_URL", "http://127.0.0.1:1"),
        ("DISPATCH_MODELS__LOCAL__BASE_URL", "http://127.0.0.1:2/v1"),
        ("DISPATCH_TURN__MAX_MODEL_CALLS", "7"),
        ("DISPATCH_DEFAULT_MODEL", "rehearsal"),
        ("DISPATCH_HOME", "/not/a/setting"),
        ("DISPATCH_LOG", "debug"),
    ];
    let loaded = read_with(EXAMPLE, &variables).unwrap();
    assert_eq!(loaded.settings.log.engine, "sqlite");
    assert_eq!(loaded.settings.memory.mem0.as_ref().unwrap().base_url.as_deref(), Some("http://127.0.0.1:1"));
    assert_eq!(loaded.settings.memory.mem0.as_ref().unwrap().api_key_env, "MEM0_API_KEY");
    assert_eq!(loaded.settings.models["local"].base_url.as_deref(), Some("http://127.0.0.1:2/v1"));
    assert_eq!(loaded.settings.turn.max_model_calls, 7);
    assert_eq!(loaded.settings.default_model.as_deref(), Some("rehearsal"));
    let origin = Origin::Environment("DISPATCH_LOG__ENGINE".to_owned());
    assert_eq!(loaded.origins["log.engine"], origin);
}

#[test]
fn a_profile_with_a_dash_is_met_by_its_variable() {
    let text = "[models.my-model]\nmodel = \"m\"\n";
    let loaded = read_with(text, &[("DISPATCH_MODELS__MY_MODEL__MODEL", "n")]).unwrap();
    assert_eq!(loaded.settings.models["my-model"].model.as_deref(), Some("n"));
}

#[test]
fn a_wrong_variable_is_named_with_the_right_one() {
    let error = refused("", &[("DISPATCH_TURN__MAX_MODEL_CALL", "7")]);
    assert!(error.starts_with("environment DISPATCH_TURN__MAX_MODEL_CALL: there is no key"), "{error}");
    assert!(error.contains("did you mean `DISPATCH_TURN__MAX_MODEL_CALLS`?"), "{error}");
    let error = refused("", &[("DISPATCH_TURN__MAX_MODEL_CALLS", "seven")]);
    assert!(error.contains("must be a whole number"), "{error}");
}

/// The table of keys and the typed settings say the same: every key can be set and lands where `config show` finds it.
#[test]
fn every_key_has_its_field() {
    for key in keys::KEYS {
        let path: Vec<String> = key.pattern.replace("models.*", "models.p").split('.').map(str::to_owned).collect();
        let value = match key.kind {
            keys::Kind::Text => toml::Value::from("127.0.0.1:1"),
            keys::Kind::Address => toml::Value::from("http://127.0.0.1:1/v1"),
            keys::Kind::SecretName => toml::Value::from("A_KEY"),
            keys::Kind::Whole(_, most) => toml::Value::from(most),
            keys::Kind::Share => toml::Value::from(0.5),
            keys::Kind::Switch => toml::Value::from(true),
            keys::Kind::OneOf(words) => toml::Value::from(*words.last().unwrap()),
            keys::Kind::Texts => toml::Value::Array(vec![toml::Value::from("one")]),
            keys::Kind::Principals => toml::Value::Array(vec!["http:alice".into()]),
        };
        let given = Given { path: path.clone(), value: value.clone(), origin: Origin::Default };
        keys::check(&given).unwrap();
        let settings = settings::typed(&[given]).unwrap();
        let mut found = &toml::Value::try_from(settings).unwrap();
        for step in &path {
            found = found.get(step).unwrap_or_else(|| panic!("{} is not in the settings", key.pattern));
        }
        assert_eq!(found, &value, "{}", key.pattern);
    }
}
