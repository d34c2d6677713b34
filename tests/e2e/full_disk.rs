//! The disk under the data folder fills while the host runs: people are told at once, no model is asked for a turn that
//! can't be stored, and with room again work goes on without a restart.

use crate::support::{host, idle, said, submit, verified};
use dispatch_events::store::EngineKind;
use far_side::{Answer, HostReply, ScriptedModel};
use power_cut::{Volume, say};

const VOLUME_MIB: u64 = 160;

#[tokio::test]
async fn a_full_disk_is_said_at_once_costs_no_model_call_and_needs_no_restart() {
    for engine in EngineKind::ALL {
        let volume = match Volume::new(VOLUME_MIB) {
            Ok(volume) => volume,
            Err(why) => return say(&format!("skipped: no disk to fill ({why})")),
        };
        let model = ScriptedModel::start();
        model.always(Answer::text("answered"));
        let host = host().data_in(volume.path().join("data")).env("DISPATCH_LOG__ENGINE", engine.name());
        let mut host = host.model(&model).start().await;
        assert_eq!(host.chat("s", "first").await.ok().text(), "answered");
        idle(host.client(), "s").await;

        let ballast = volume.fill("ballast", 0);
        let asked = model.received();
        for session in ["s", "new"] {
            says_why(&submit(host.client(), session, "second").await);
            says_why(&host.chat(session, "second").await);
        }
        says_why(&host.get("/readyz").await);
        assert_eq!(model.received(), asked, "{engine}: a model was asked for a turn that can't be stored");
        assert_eq!(said(&host.view("s", "transcript").await, "user"), ["first"], "{engine}: reads go on");
        assert_eq!(host.get("/healthz").await.status, 200, "{engine}");

        ballast.remove();
        host.get("/readyz").await.ok();
        assert_eq!(host.chat("s", "third").await.ok().text(), "answered", "{engine}");
        idle(host.client(), "s").await;
        assert_eq!(said(&host.view("s", "transcript").await, "user"), ["first", "third"], "{engine}");
        verified(host.client()).await;
        host.sigkill();
        host.restart().await;
        assert_eq!(said(&host.view("s", "transcript").await, "user"), ["first", "third"], "{engine}: after a kill");
    }
}

fn says_why(reply: &HostReply) {
    assert_eq!(reply.status, 503, "{}", reply.body);
    assert!(reply.body.contains("persistence_failed"), "{}", reply.body);
    assert!(reply.body.contains("the disk is nearly full"), "{}", reply.body);
}
