//! Fuzz targets for qrels and runs.
//!
//! - A file is read under every policy for duplicates.
//! - A file that is printed and read again has the same content.
//! - `lint` finds a problem if the reader does.
//! - A joined qrels and run give finite or undefined measures.

use fivefold_core::Seed;
use fivefold_data::ReadOptions;
use fivefold_data::lint::{Kind, LintOptions, lint};
use fivefold_data::trec::{Duplicates, Joined, Qrels, Run, read_qrels, read_run};
use fivefold_metrics::{Evaluator, Scratch, dialect};

use crate::files::{file, halves, is_packed};

pub(crate) fn qrels(bytes: &[u8]) {
    if is_packed(bytes) {
        return;
    }
    let path = file("qrels", bytes);
    for duplicates in Duplicates::ALL {
        let Ok(read) = read_qrels(&path, duplicates) else { continue };
        let again = read_qrels(&file("again", print_qrels(&read).as_bytes()), Duplicates::Error).unwrap();
        assert_eq!(print_qrels(&again), print_qrels(&read));
    }
    let refused = read_qrels(&path, Duplicates::Error).is_err();
    assert_eq!(refused, has_problems(&path, Kind::Qrels));
}

fn print_qrels(qrels: &Qrels) -> String {
    let line = |topic: &str, document: &str, grade| format!("{topic} 0 {document} {grade}\n");
    let all = qrels.topics.iter().flat_map(|topic| topic.judgements.iter().map(move |judgement| (topic, judgement)));
    all.map(|(topic, judgement)| line(&topic.id, &judgement.document, judgement.grade)).collect()
}

pub(crate) fn run(bytes: &[u8]) {
    if is_packed(bytes) {
        return;
    }
    let path = file("run", bytes);
    for duplicates in Duplicates::ALL {
        let Ok(read) = read_run(&path, duplicates) else { continue };
        let again = read_run(&file("again", print_run(&read).as_bytes()), Duplicates::Error).unwrap();
        assert_eq!(print_run(&again), print_run(&read));
    }
    let refused = read_run(&path, Duplicates::Error).is_err();
    assert_eq!(refused, has_problems(&path, Kind::Run));
}

fn print_run(run: &Run) -> String {
    let all = run.topics.iter().flat_map(|topic| topic.documents.iter().map(move |retrieved| (topic, retrieved)));
    all.map(|(topic, d)| format!("{} Q0 {} {} {:?} {}\n", topic.id, d.document, d.rank, d.score, run.tag)).collect()
}

fn has_problems(path: &std::path::Path, kind: Kind) -> bool {
    let options = LintOptions { kind: Some(kind), most_problems: 3, reading: ReadOptions::default() };
    lint(&[path.to_owned()], &options).problems.count > 0
}

/// Joins qrels and a run. An input holds qrels, a line `==` and a run.
pub(crate) fn joined(bytes: &[u8]) {
    let (qrels, run) = halves(bytes, "==");
    if is_packed(qrels) || is_packed(run) {
        return;
    }
    let (qrels, run) = (file("qrels", qrels), file("run", run));
    let (Ok(qrels), Ok(run)) = (read_qrels(&qrels, Duplicates::Last), read_run(&run, Duplicates::Highest)) else {
        return;
    };
    let joined = Joined::new(&qrels, &run);
    let measures =
        ["ndcg@10", "ap", "ap.v2@5", "err@3", "rr", "rbp(p=0.8)", "ndcg.v1"].map(|name| name.parse().unwrap());
    let conventions = dialect("trec_eval").unwrap().conventions();
    let evaluator = Evaluator::new(&measures, &conventions, 30, Seed::new(1)).unwrap();
    let (mut scratch, mut values) = (Scratch::default(), vec![0.0; measures.len()]);
    for (topic, judged) in joined.topics.iter().zip(&qrels.topics) {
        let pool = judged.grades();
        let judged = evaluator.judge_pool(topic.id, &pool, &topic.assessments, Some(&topic.ids())).unwrap();
        evaluator.evaluate(&judged, &topic.scores, &mut scratch, &mut values).unwrap();
        assert!(values.iter().all(|value| !value.is_infinite()), "{values:?}");
    }
}
