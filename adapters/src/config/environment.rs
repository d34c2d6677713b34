//! Environment variables to values: `DISPATCH_<SECTION>__<KEY>`, two underscores for every step down.

use super::{ConfigError, Given, Origin, keys};

const PREFIX: &str = "DISPATCH_";

/// The settings among the environment variables. `under` are the file's values, so that a profile that is written
/// `my-model` there is met as `MY_MODEL` here.
pub fn values(
    environment: impl Iterator<Item = (String, String)>,
    under: &[Given],
    errors: &mut Vec<ConfigError>,
) -> Vec<Given> {
    let mut found = Vec::new();
    for (name, text) in environment {
        let Some(path) = path(&name, under) else { continue };
        let origin = Origin::Environment(name);
        let given = match keys::find(&path) {
            Some(key) => Ok(Given { value: key.kind.read(&text), path, origin }),
            None => Err(keys::unknown(&path, &origin)),
        };
        match given.and_then(|given| keys::check(&given).map(|()| given)) {
            Ok(given) => found.push(given),
            Err(error) => errors.push(error),
        }
    }
    found
}

/// Without two underscores only the one key without a section is meant: `DISPATCH_HOME` and the like are not settings.
fn path(name: &str, under: &[Given]) -> Option<Vec<String>> {
    let rest = name.strip_prefix(PREFIX)?;
    if !rest.contains("__") && !rest.eq_ignore_ascii_case("default_model") {
        return None;
    }
    let mut path: Vec<String> = rest.split("__").map(str::to_lowercase).collect();
    if path.len() > 1 && path[0] == "models" {
        let written = under.iter().filter(|value| value.path.len() > 1 && value.path[0] == "models");
        let same = written.map(|value| &value.path[1]).find(|name| fold(name) == path[1]);
        if let Some(same) = same {
            path[1].clone_from(same);
        }
    }
    Some(path)
}

fn fold(name: &str) -> String {
    name.to_lowercase().replace(['-', '.'], "_")
}
