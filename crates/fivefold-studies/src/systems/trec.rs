//! TREC qrels with runs.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use fivefold_data::trec::{Duplicates, Joined, Judgement, Qrels, QrelsTopic, Run, TrecError, read_qrels, read_run};
use rayon::prelude::*;

use super::config::{Named, input, inputs};
use super::{Content, Document, RankedQuery, RankedSystems, ScoredList, Systems};
use crate::study::{StudyContext, StudyError};

/// Reads judgements and runs.
pub(super) fn read(
    qrels: &Path,
    runs: &[Named],
    duplicates: Duplicates,
    cx: &StudyContext<'_>,
) -> Result<Systems, StudyError> {
    let path = cx.find(qrels)?;
    let mut all_inputs = vec![input(&qrels.display().to_string(), &path)?];
    all_inputs.extend(inputs(runs)?);
    let qrels = read_qrels(&path, duplicates)?;
    let names: Vec<String> = runs.iter().map(name).collect();
    let read = |file: &Named| Ok(read_run(&file.path, duplicates)?);
    let runs = runs.par_iter().map(read).collect::<Result<Vec<Run>, StudyError>>()?;
    let queries = qrels.topics.iter().map(|topic| query(topic, &runs)).collect();
    let (remarks, unjudged) = remarks(&qrels, &names, &runs)?;
    let ranked = RankedSystems { names, queries, max_grade: qrels.max_grade() };
    Ok(Systems { inputs: all_inputs, remarks, unjudged, ..Systems::of(Content::Rankings(ranked)) })
}

/// The name in the settings, else the name of the file.
fn name(file: &Named) -> String {
    let of_file = || file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    file.name.clone().unwrap_or_else(of_file)
}

/// All remarks if they are few, and the count of each remark on documents that are not judged. Else
/// the number of runs with a remark, so that the remarks do not take up pages.
///
/// # Errors
/// For a run that shares no topic with the qrels.
fn remarks(qrels: &Qrels, names: &[String], runs: &[Run]) -> Result<(Vec<String>, BTreeMap<String, usize>), TrecError> {
    const MOST: usize = 12;
    let joined = runs.iter().map(|run| Joined::that_share(qrels, run)).collect::<Result<Vec<Joined<'_>>, _>>()?;
    let of_qrels = || qrels.remarks().into_iter().map(|remark| format!("qrels: {remark}"));
    let each = runs.iter().zip(&joined).zip(names).flat_map(|((run, joined), name)| {
        let both = run.remarks().into_iter().chain(joined.remarks());
        both.map(move |remark| format!("{name}: {remark}"))
    });
    let all: Vec<String> = of_qrels().chain(each).collect();
    if all.len() <= MOST {
        let named = names.iter().zip(&joined);
        let remark = |(name, joined): (&String, &Joined<'_>)| {
            Some((format!("{name}: {}", joined.unjudged_remark()?), joined.matched.unjudged))
        };
        return Ok((all, named.filter_map(remark).collect()));
    }
    let sum = |count: fn(&Joined<'_>) -> usize| joined.iter().map(count).sum::<usize>();
    let with = |has: fn(&Run) -> bool| runs.iter().filter(|run| has(run)).count();
    let of_runs = [
        ("runs whose ranks contradict the scores, which count", with(|run| run.ranks_differ > 0)),
        ("runs that repeat a document of a topic", with(|run| run.repeated > 0)),
        ("topics missing from a run, over all runs", sum(|joined| joined.matched.missing)),
        ("topics without judgements, left out, over all runs", sum(|joined| joined.matched.extra)),
        (
            "retrieved documents that are not judged and have gain 0, over all runs",
            sum(|joined| joined.matched.unjudged),
        ),
    ];
    let of_runs = of_runs.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what}: {count}"));
    Ok((of_qrels().chain(of_runs).collect(), BTreeMap::new()))
}

/// A topic over all runs. Judged documents are numbered in the order of the qrels, then documents
/// of the pool that were not judged; other documents follow in the order of the runs.
fn query(topic: &QrelsTopic, runs: &[Run]) -> RankedQuery {
    let (judged, pooled): (Vec<&Judgement>, Vec<&Judgement>) =
        topic.judgements.iter().partition(|judgement| judgement.grade().is_some());
    let mut ids: Vec<String> = judged.iter().chain(&pooled).map(|judgement| judgement.document.to_string()).collect();
    let mut numbers: HashMap<String, Document> = ids.iter().cloned().zip(0..).collect();
    let mut number = |document: &str| match numbers.get(document) {
        Some(&number) => number,
        None => {
            let number = ids.len() as Document;
            ids.push(document.to_owned());
            numbers.insert(document.to_owned(), number);
            number
        }
    };
    let list = |run: &Run| {
        let retrieved = &run.topic(&topic.id)?.documents;
        let documents = retrieved.iter().map(|retrieved| number(&retrieved.document)).collect();
        Some(ScoredList { documents, scores: retrieved.iter().map(|retrieved| retrieved.score).collect() })
    };
    let lists = runs.iter().map(list).collect();
    let grades = judged.iter().filter_map(|judgement| judgement.grade()).collect();
    RankedQuery { id: topic.id.clone(), grades, pooled: pooled.len(), ids, lists }
}
