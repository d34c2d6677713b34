//! Memory files and a memory backend that do what they are told.

use super::*;

pub struct Files(pub Arc<Outside>);

impl MemoryFiles for Files {
    fn snapshot(&self) -> Result<MemorySnapshot, String> {
        let [memory, user] = self.0.files.lock().unwrap().clone();
        let block = |entries: &[String]| (!entries.is_empty()).then(|| entries.join("\n§\n"));
        Ok(MemorySnapshot { memory_block: block(&memory), user_block: block(&user), memory, user })
    }
    fn entries(&self, target: MemoryTarget) -> Result<Vec<String>, String> {
        Ok(self.0.files.lock().unwrap()[usize::from(target == MemoryTarget::User)].clone())
    }
    fn plan(&self, edit: &MemoryEdit) -> Result<PlannedEdit, String> {
        let changes = edit.operations.iter().map(|operation| match operation {
            MemoryOperation::Add { content } => Ok(MemoryChange::Added(content.clone())),
            _ => Err("only add is scripted".to_owned()),
        });
        self.replay(edit.target, &changes.collect::<Result<Vec<_>, _>>()?)
    }
    fn replay(&self, target: MemoryTarget, changes: &[MemoryChange]) -> Result<PlannedEdit, String> {
        let before = self.digest(target)?;
        let mut entries = self.entries(target)?;
        for change in changes {
            let MemoryChange::Added(new) = change else { return Err("only add is scripted".into()) };
            entries.push(new.clone());
        }
        let (changes, after) = (changes.to_vec(), entries.join("\n§\n"));
        Ok(PlannedEdit { target, changes, before, after, summary: "added".into() })
    }
    fn write(&self, planned: &PlannedEdit) -> Result<(), String> {
        if self.0.write_failures.load(Ordering::SeqCst) > 0 {
            self.0.write_failures.fetch_sub(1, Ordering::SeqCst);
            return Err("scripted".into());
        }
        let entries = planned.after.split("\n§\n").map(str::to_owned).collect();
        self.0.files.lock().unwrap()[usize::from(planned.target == MemoryTarget::User)] = entries;
        Ok(())
    }
    fn digest(&self, target: MemoryTarget) -> Result<Digest, String> {
        Ok(Digest::of(self.entries(target)?.join("\n§\n").as_bytes()))
    }
}

pub struct Backend(pub Arc<Outside>);

impl Backend {
    fn enter(outside: &Outside) {
        let now = outside.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        outside.most_at_once.fetch_max(now, Ordering::SeqCst);
    }
}

impl MemoryBackend for Backend {
    fn name(&self) -> &'static str {
        "scripted"
    }
    fn destination(&self) -> String {
        "nowhere".into()
    }
    fn honours_keys(&self) -> bool {
        false
    }
    fn recall(&self, _: RecallQuery) -> BoxFuture<'static, Result<Option<String>, MemoryError>> {
        let outside = self.0.clone();
        async move {
            outside.recalls.fetch_add(1, Ordering::SeqCst);
            Self::enter(&outside);
            let recall = outside.recall.lock().unwrap().clone();
            let text = match recall {
                Some((text, delay)) => {
                    tokio::time::sleep(delay).await;
                    Some(text)
                }
                None => None,
            };
            outside.at_once.fetch_sub(1, Ordering::SeqCst);
            Ok(text)
        }
        .boxed()
    }
    fn sync(&self, exchange: Exchange) -> BoxFuture<'static, Result<(), MemoryError>> {
        let outside = self.0.clone();
        async move {
            Self::enter(&outside);
            tokio::time::sleep(Duration::from_millis(5)).await;
            outside.at_once.fetch_sub(1, Ordering::SeqCst);
            let left = outside.sync_failures.load(Ordering::SeqCst);
            if left > 0 {
                outside.sync_failures.store(left - 1, Ordering::SeqCst);
                return Err(MemoryError::Temporary("scripted".into()));
            }
            outside.synced.lock().unwrap().push(exchange);
            Ok(())
        }
        .boxed()
    }
    fn warm(&self, _: RecallQuery) -> BoxFuture<'static, Result<(), MemoryError>> {
        let outside = self.0.clone();
        async move {
            Self::enter(&outside);
            outside.at_once.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
        .boxed()
    }
}

/// The exchange of a turn, for assertions.
pub fn words(exchange: &Exchange) -> (String, String) {
    (exchange.user.clone(), exchange.assistant.clone())
}
