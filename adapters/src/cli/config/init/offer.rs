//! Which models a server has: `GET models`.

use crate::{
    cli::{exit::Failure, paper::words::safe, question},
    http_client::{self, HttpLimits},
};
use serde_json::Value;
use std::time::Duration;

/// Names that are offered to a person; a big vendor has hundreds.
const SHOWN: usize = 20;

/// The one model that the server has, or the one that the person chooses.
///
/// # Errors
/// When the server does not say, or has several and nobody can be asked.
pub async fn choose(base_url: &str, secret: Option<&str>) -> Result<String, Failure> {
    let names = names(base_url, secret).await?;
    match names.as_slice() {
        [] => Err(Failure::usage("the server names no model: give --model")),
        [only] => Ok(only.clone()),
        several => {
            let list = several.iter().take(SHOWN).map(|name| safe(name)).collect::<Vec<_>>().join(", ");
            let more =
                if several.len() > SHOWN { format!(" and {} more", several.len() - SHOWN) } else { String::new() };
            if !question::possible() {
                return Err(Failure::usage(format!("the server has several models, give --model: {list}{more}")));
            }
            question::or(None, "--model", &format!("The server has {list}{more}.\nWhich model? "), || None)
        }
    }
}

async fn names(base_url: &str, secret: Option<&str>) -> Result<Vec<String>, Failure> {
    let base = http_client::base_address(base_url).map_err(|error| Failure::usage(error.to_string()))?;
    let limits = HttpLimits { connect: Duration::from_secs(5), read: None, total: Some(Duration::from_secs(20)) };
    let client = http_client::client(&base, limits).map_err(|error| Failure::failed(error.to_string()))?;
    let address = format!("{}/models", base.as_str().trim_end_matches('/'));
    let mut request = client.get(&address);
    if let Some(secret) = secret {
        request = request.bearer_auth(secret.trim());
    }
    let lost =
        |why: String| Failure::failed(format!("{address} does not say which models there are ({why}): give --model"));
    let answer = request.send().await.map_err(|error| {
        let cause = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source()).last();
        lost(cause.map(ToString::to_string).unwrap_or_default())
    })?;
    if !answer.status().is_success() {
        return Err(lost(format!("status {}", answer.status())));
    }
    let text = answer.bytes().await.map_err(|error| lost(error.to_string()))?;
    let listed: Value = serde_json::from_slice(&text).map_err(|_| lost("the answer is not JSON".to_owned()))?;
    let rows = listed["data"].as_array().cloned().unwrap_or_default();
    Ok(rows.iter().filter_map(|row| row["id"].as_str()).map(str::to_owned).collect())
}
