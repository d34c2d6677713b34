use super::*;
use actix_web::body::to_bytes;
use dispatch_events::{Generation, TurnId};
use serde_json::Value;

/// The codes as `interface.md` lists them.
const CONTRACT: &str = "invalid_params not_found unauthorized permission_denied admission_conflict name_taken \
    revision_conflict stale_generation stale_epoch unknown_execution session_busy queue_full draining too_large \
    rate_limited storage_unavailable persistence_failed model_failed not_built";

#[test]
fn the_codes_are_the_contracts_and_no_others() {
    let codes: Vec<_> = Code::TABLE.iter().map(|row| row.1).collect();
    assert_eq!(codes.join(" "), CONTRACT);
    for (code, text, status, _) in Code::TABLE {
        assert_eq!(serde_json::to_value(code).unwrap(), Value::from(*text));
        assert_eq!((code.as_str(), code.status().as_u16()), (*text, *status));
    }
}

#[test]
fn every_refusal_has_its_status() {
    let table = [
        (Refusal::Invalid("x".into()), 400, "invalid_params"),
        (Refusal::NotFound("x".into()), 404, "not_found"),
        (Refusal::AdmissionConflict("x".into()), 409, "admission_conflict"),
        (Refusal::NameTaken("x".into()), 409, "name_taken"),
        (Refusal::QueueFull(3), 429, "queue_full"),
        (Refusal::Draining, 503, "draining"),
        (Refusal::Paused("x".into()), 409, "unknown_execution"),
        (Refusal::Busy, 503, "session_busy"),
        (Refusal::StaleGeneration(Generation(2)), 409, "stale_generation"),
        (Refusal::StaleTurn(TurnId::fresh()), 409, "stale_generation"),
        (Refusal::Persistence("x".into()), 503, "persistence_failed"),
        (Refusal::Storage("x".into()), 503, "storage_unavailable"),
        (Refusal::NotBuilt("x".into()), 501, "not_built"),
    ];
    for (refusal, status, code) in table {
        let words = refusal.to_string();
        let problem = Problem::from(refusal);
        assert_eq!((problem.status.as_u16(), problem.code.as_str(), &problem.detail), (status, code, &words));
    }
}

#[actix_rt::test]
async fn the_body_has_the_five_members_and_openais_where_asked() {
    let response = Problem::new(Code::TooLarge, "too much").for_openai().error_response();
    assert_eq!(response.headers().get("content-type").unwrap(), "application/problem+json");
    let body: Value = serde_json::from_slice(&to_bytes(response.into_body()).await.unwrap()).unwrap();
    assert_eq!(body["type"], "urn:dispatch:problem:too_large");
    assert_eq!(body["title"], "Too large");
    assert_eq!(body["status"], 413);
    assert_eq!(body["detail"], "too much");
    assert_eq!(body["code"], "too_large");
    assert_eq!(body["error"]["message"], "too much");
    assert_eq!(body["error"]["code"], "too_large");
}
