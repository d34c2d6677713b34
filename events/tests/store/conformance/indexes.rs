//! Unique names and open things.

use crate::subject::{Subject, Writer, met, opened, owed, renamed, small};
use dispatch_events::{
    ObligationId,
    store::{AppendError, EventStore},
};

pub async fn names_are_claimed_and_freed<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let (mut one, mut two) = (Writer::new(&log), Writer::new(&log));
    let owner = |name| log.store().named(name).unwrap();
    one.write(vec![opened("a")]).await;
    assert_eq!(owner("a"), Some(one.stream()));
    match two.append(vec![opened("a")]).await {
        Err(AppendError::NameTaken { name, owner }) => assert_eq!((name.as_str(), owner), ("a", one.stream())),
        other => panic!("{other:?}"),
    }
    one.write(vec![renamed("a", "b")]).await;
    assert_eq!((owner("a"), owner("b")), (None, Some(one.stream())));
    two.write(vec![opened("a")]).await;
    assert_eq!(owner("a"), Some(two.stream()));

    // The name that it has already, and a name that was never its own: nothing is taken from anybody.
    one.write(vec![renamed("b", "b")]).await;
    assert_eq!(owner("b"), Some(one.stream()));
    one.write(vec![renamed("a", "c")]).await;
    assert_eq!((owner("a"), owner("c")), (Some(two.stream()), Some(one.stream())));

    // There and back in one append.
    two.write(vec![renamed("a", "d"), small(), renamed("d", "a")]).await;
    assert_eq!((owner("a"), owner("d")), (Some(two.stream()), None));
}

/// Handed in before either is answered, so that both can be in one group.
pub async fn two_claims_of_one_name_in_one_group<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    for round in 0..20 {
        let name = format!("name-{round}");
        let (mut one, mut two) = (Writer::new(&log), Writer::new(&log));
        let (a, b) = tokio::join!(one.append(vec![opened(&name)]), two.append(vec![opened(&name)]));
        let (winner, loser) = if a.is_ok() { (one.stream(), b) } else { (two.stream(), a) };
        match loser {
            Err(AppendError::NameTaken { owner, .. }) => assert_eq!(owner, winner),
            other => panic!("{other:?}"),
        }
        assert_eq!(log.store().named(&name).unwrap(), Some(winner));
        // One gives it up, one takes it, in the same group.
        let mut had = Writer { log: &log, tip: log.tip(winner).unwrap().unwrap() };
        let mut wants = Writer::new(&log);
        let (gave, took) =
            tokio::join!(had.append(vec![renamed(&name, &format!("{name}-old"))]), wants.append(vec![opened(&name)]));
        gave.unwrap();
        took.unwrap();
        assert_eq!(log.store().named(&name).unwrap(), Some(wants.stream()));
    }
}

pub async fn names_page_in_order<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let mut expected = Vec::new();
    for name in ["b", "a", "aa", "ä", "漢字", "a\u{0}", "c c"] {
        let mut writer = Writer::new(&log);
        writer.write(vec![opened(name)]).await;
        expected.push((log.store().name_secret().key(name), writer.stream()));
    }
    expected.sort();
    assert_eq!(log.store().names(None, 100).unwrap(), expected);
    let page = |after| log.store().names(after, 2).unwrap();
    assert_eq!(paged(page), expected);
}

pub async fn streams_page_in_the_order_in_which_they_began<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let mut expected = Vec::new();
    for _ in 0..7 {
        let mut writer = Writer::new(&log);
        writer.write(vec![small(), small()]).await;
        expected.push((writer.stream(), log.store().head(writer.stream()).unwrap().unwrap()));
    }
    assert_eq!(log.store().streams(None, 100).unwrap(), expected);
    assert_eq!(paged(|after| log.store().streams(after, 2).unwrap()), expected);
}

/// All rows, read in pages of at most two.
fn paged<K: Copy, V: Copy>(page: impl Fn(Option<K>) -> Vec<(K, V)>) -> Vec<(K, V)> {
    let mut rows: Vec<(K, V)> = Vec::new();
    loop {
        let more = page(rows.last().map(|(key, _)| *key));
        if more.is_empty() {
            return rows;
        }
        assert!(more.len() <= 2);
        rows.extend(more);
    }
}

pub async fn open_things_count_to_zero<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let (mut one, mut two) = (Writer::new(&log), Writer::new(&log));
    let ids: Vec<_> = (0..3).map(|_| ObligationId::fresh()).collect();
    let open = |log: &dispatch_events::Log| {
        let mut open = log.store().open_streams().unwrap();
        open.sort();
        open
    };
    one.write(vec![owed(ids[0]), owed(ids[1])]).await;
    one.write(vec![met(ids[0])]).await;
    assert_eq!(open(&log), [one.stream()]);
    two.write(vec![owed(ids[2]), met(ids[2])]).await;
    assert_eq!(open(&log), [one.stream()]);
    one.write(vec![met(ids[1])]).await;
    assert_eq!(open(&log), []);
    // One too many is no debt: the next thing that opens is open.
    one.write(vec![met(ids[1]), owed(ids[0])]).await;
    assert_eq!(open(&log), [one.stream()]);
    let (a, b) = tokio::join!(one.append(vec![met(ids[0])]), two.append(vec![owed(ids[2])]));
    a.unwrap();
    b.unwrap();
    assert_eq!(open(&log), [two.stream()]);
    let two = two.stream();
    drop(log);
    assert_eq!(subject.store().open_streams().unwrap(), [two]);
}
