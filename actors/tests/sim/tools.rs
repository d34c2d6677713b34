//! Tools of each effect class, a memory backend, and no memory files.

use crate::world::World;
use dispatch_actors::ports::*;
use dispatch_events::{
    Digest, RawJson,
    catalogue::{
        memory::{MemoryChange, MemoryTarget},
        tool::{EffectClass, EffectDisposition, ToolOutcome},
    },
};
use futures_util::{FutureExt, future::BoxFuture};
use std::{sync::Arc, time::Duration};

pub struct Tools(pub Arc<World>);

impl Toolbox for Tools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let classes = [("look", EffectClass::Read), ("put", EffectClass::Idempotent), ("act", EffectClass::Effect)];
        let tool = |(name, class)| -> Arc<dyn Tool> { Arc::new(Simulated { world: self.0.clone(), name, class }) };
        classes.into_iter().map(tool).collect()
    }
    fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools().into_iter().find(|tool| tool.name() == name)
    }
    fn check(&self, name: &str, arguments: &RawJson) -> Result<(), String> {
        if arguments.0.starts_with('{') { Ok(()) } else { Err(format!("{name} wants an object")) }
    }
}

struct Simulated {
    world: Arc<World>,
    name: &'static str,
    class: EffectClass,
}

impl Tool for Simulated {
    fn name(&self) -> &'static str {
        self.name
    }
    fn schema(&self) -> RawJson {
        RawJson(format!("{{\"name\":\"{}\"}}", self.name))
    }
    fn class(&self) -> EffectClass {
        self.class
    }
    fn parallel(&self) -> bool {
        self.class == EffectClass::Read
    }
    fn run(&self, invocation: ToolInvocation) -> BoxFuture<'static, ToolReply> {
        let (world, name) = (self.world.clone(), self.name);
        async move {
            world.runs.lock().unwrap().push((world.store.log_head().position, name, invocation.arguments.0.clone()));
            if world.goes_wrong(4) {
                std::future::pending::<()>().await;
            }
            if world.goes_wrong(30) {
                tokio::time::sleep(Duration::from_millis(world.choose(|random| random.below(20_000)))).await;
            }
            let outcome = if world.goes_wrong(10) { ToolOutcome::Error } else { ToolOutcome::Ok };
            ToolReply { outcome, output: format!("{name} done"), effect: EffectDisposition::None }
        }
        .boxed()
    }
}

/// Finds nothing, fails, or hangs.
pub struct Backend(pub Arc<World>);

impl Backend {
    fn mood(&self) -> BoxFuture<'static, Result<(), MemoryError>> {
        let wait_ms = if self.0.goes_wrong(20) { self.0.choose(|random| random.below(12_000)) } else { 0 };
        let fails = self.0.goes_wrong(15);
        async move {
            tokio::time::sleep(Duration::from_millis(wait_ms)).await;
            if fails { Err(MemoryError::Temporary("simulated".into())) } else { Ok(()) }
        }
        .boxed()
    }
}

impl MemoryBackend for Backend {
    fn name(&self) -> &'static str {
        "simulated"
    }
    fn destination(&self) -> String {
        "nowhere".into()
    }
    fn honours_keys(&self) -> bool {
        true
    }
    fn recall(&self, _: RecallQuery) -> BoxFuture<'static, Result<Option<String>, MemoryError>> {
        let found = self.0.choose(|random| random.percent(50)).then(|| "what was said before".to_owned());
        self.mood().map(|went| went.map(|()| found)).boxed()
    }
    fn sync(&self, _: Exchange) -> BoxFuture<'static, Result<(), MemoryError>> {
        self.mood()
    }
    fn warm(&self, _: RecallQuery) -> BoxFuture<'static, Result<(), MemoryError>> {
        self.mood()
    }
}

pub struct NoFiles;

impl MemoryFiles for NoFiles {
    fn snapshot(&self) -> Result<MemorySnapshot, String> {
        Ok(MemorySnapshot { memory_block: None, user_block: None, memory: Vec::new(), user: Vec::new() })
    }
    fn entries(&self, _: MemoryTarget) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
    fn plan(&self, _: &MemoryEdit) -> Result<PlannedEdit, String> {
        Err("no memory files are simulated".into())
    }
    fn replay(&self, _: MemoryTarget, _: &[MemoryChange]) -> Result<PlannedEdit, String> {
        Err("no memory files are simulated".into())
    }
    fn write(&self, _: &PlannedEdit) -> Result<(), String> {
        Err("no memory files are simulated".into())
    }
    fn digest(&self, _: MemoryTarget) -> Result<Digest, String> {
        Ok(Digest::of(b""))
    }
}
