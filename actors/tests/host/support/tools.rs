//! Tools of every class that note when they ran.

use super::*;

pub struct Tools(pub Arc<Outside>);

impl Toolbox for Tools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let tool = |name, class| -> Arc<dyn Tool> { Arc::new(ScriptedTool { outside: self.0.clone(), name, class }) };
        vec![
            tool("look", EffectClass::Read),
            tool("put", EffectClass::Idempotent),
            tool("act", EffectClass::Effect),
            tool("slow", EffectClass::Effect),
            tool("talk", EffectClass::Effect),
            tool("deaf", EffectClass::Effect),
            tool("hold", EffectClass::Read),
            tool("spawn", EffectClass::Effect),
        ]
    }
    fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools().into_iter().find(|tool| tool.name() == name)
    }
    fn check(&self, name: &str, arguments: &RawJson) -> Result<(), String> {
        let left = self.0.panics.load(Ordering::SeqCst);
        if left > 0 {
            self.0.panics.store(left - 1, Ordering::SeqCst);
            panic!("a scripted panic inside the Session actor");
        }
        if arguments.0.starts_with('{') { Ok(()) } else { Err(format!("{name} wants an object")) }
    }
}

struct ScriptedTool {
    outside: Arc<Outside>,
    name: &'static str,
    class: EffectClass,
}

impl Tool for ScriptedTool {
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
    fn delegates(&self) -> bool {
        self.name == "spawn"
    }
    fn run(&self, invocation: ToolInvocation) -> BoxFuture<'static, ToolReply> {
        let (outside, name) = (self.outside.clone(), self.name);
        async move {
            let runs = {
                let mut runs = outside.tool_runs.lock().unwrap();
                runs.push(format!("{name} {}", invocation.arguments.0));
                runs.len()
            };
            if outside.count("tool.started") < runs {
                outside.unannounced.lock().unwrap().push(name.to_owned());
            }
            if name == "slow" {
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
            if name == "talk" {
                // Says something at all times, and never ends.
                loop {
                    invocation.context.progress.report("word ");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
            if name == "deaf" {
                // A thread of its own, which nobody can cancel.
                tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_secs(4))).await.unwrap();
            }
            if name == "hold" || name == "spawn" {
                until_let_go(&outside.let_go).await;
            }
            let output = format!("{name} done");
            ToolReply { outcome: ToolOutcome::Ok, output, effect: EffectDisposition::None }
        }
        .boxed()
    }
}
