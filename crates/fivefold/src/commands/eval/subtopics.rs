//! The values of TREC runs on topics with subtopics, and the output of ndeval.

use std::fmt::Write as _;
use std::path::Path;

use fivefold_base::words::{counted, which};
use fivefold_data::trec::{Run, SubtopicQrels, SubtopicsOfTopic, read_run, some_shared};
use fivefold_metrics::conventions::MissingTopics;
use fivefold_metrics::diversity::{DiversityEvaluator, DiversityTopic, PoolDocument};
use fivefold_metrics::entry::Asks;
use fivefold_metrics::{Conventions, MeasureSpec, Ties, dialect};

use super::systems::{Columns, Evaluated, Query};
use crate::labels::labelled;
use crate::problem::Problem;
use crate::screen::Screen;

/// Whether a measure looks at subtopics.
pub(super) fn wanted(specs: &[MeasureSpec]) -> bool {
    specs.iter().any(|spec| spec.entry().asks == Asks::Subtopics)
}

fn prepared(evaluator: &DiversityEvaluator, topic: &SubtopicsOfTopic, threshold: u8) -> DiversityTopic {
    let pool = topic.documents.iter().map(|judged| PoolDocument::new(&judged.document, judged.relevant_to(threshold)));
    evaluator.topic(&topic.id, &pool.collect::<Vec<_>>())
}

/// The values of a topic; those of an empty ranking if the run lacks the topic.
fn values(evaluator: &DiversityEvaluator, topic: &DiversityTopic, run: &Run, id: &str) -> miette::Result<Vec<f64>> {
    let retrieved = run.topic(id).map_or(&[][..], |topic| &topic.documents);
    let documents: Vec<&str> = retrieved.iter().map(|document| &*document.document).collect();
    let scores: Vec<f64> = retrieved.iter().map(|document| document.score).collect();
    Ok(evaluator.evaluate(topic, &documents, &scores).map_err(Problem::from)?)
}

/// Evaluates every run, given as `[LABEL=]FILE`.
pub(super) fn evaluate(
    evaluator: &DiversityEvaluator,
    qrels: &SubtopicQrels,
    runs: &[String],
) -> miette::Result<Evaluated> {
    let (runs, conventions) = (labelled(runs)?, evaluator.conventions());
    let topics: Vec<DiversityTopic> =
        qrels.topics.iter().map(|topic| prepared(evaluator, topic, conventions.threshold)).collect();
    let query = |topic: &SubtopicsOfTopic| Query { fold: None, id: topic.id.clone(), documents: topic.documents.len() };
    let (names, notes) = (evaluator.names().to_vec(), evaluator.describe());
    let mut evaluated = Evaluated {
        columns: Columns { names, conventions: conventions.clone(), geometric: false, notes, errors: Vec::new() },
        systems: runs.iter().map(|(label, _)| label.clone()).collect(),
        queries: qrels.topics.iter().map(query).collect(),
        values: Vec::new(),
        left_out: Vec::new(),
        words: ["topic", "judged document"],
        remarks: vec![format!("missing topics: {}", conventions.missing_topics)],
    };
    evaluated.remarks.extend(qrels.remarks().into_iter().map(|remark| format!("qrels: {remark}")));
    for (label, path) in &runs {
        let run = read_run(Path::new(path), qrels.duplicates).map_err(Problem::from)?;
        some_shared(&run, qrels.topics.iter().map(|topic| topic.id.as_str())).map_err(Problem::from)?;
        for (topic, judged) in topics.iter().zip(&qrels.topics) {
            evaluated.values.extend(values(evaluator, topic, &run, &judged.id)?);
            let missing = run.topic(&judged.id).is_none();
            evaluated.left_out.push(missing && conventions.missing_topics == MissingTopics::Skip);
        }
        let remarks = run.remarks().into_iter().chain(topic_remarks(qrels, &run));
        evaluated.remarks.extend(remarks.map(|remark| format!("{label}: {remark}")));
    }
    evaluated.remarks.extend(above_the_greedy_order(&evaluated));
    Ok(evaluated)
}

/// Remarks on topics that only the qrels or only the run have.
fn topic_remarks(qrels: &SubtopicQrels, run: &Run) -> Vec<String> {
    let missing = qrels.topics.iter().filter(|topic| run.topic(&topic.id).is_none()).count();
    let extra = run.topics.iter().filter(|topic| qrels.topic(&topic.id).is_none()).count();
    let topics = counted(qrels.topics.len(), "topic");
    let are = which(missing, "is", "are");
    let without = which(extra, "has no judgements and is left out", "have no judgements and are left out");
    [
        (missing, format!("{missing} of {topics} {are} missing from the run and retrieved nothing")),
        (extra, format!("{} {without}", counted(extra, "topic of the run"))),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(_, remark)| remark)
    .collect()
}

/// A remark on values above 1: the ranking is better than the greedy order.
fn above_the_greedy_order(evaluated: &Evaluated) -> Option<String> {
    let above = evaluated.values.iter().filter(|&&value| value > 1.0 + 1e-12).count();
    let (values, are) = (counted(above, "value"), which(above, "is", "are"));
    (above > 0).then(|| format!("{values} {are} above 1: the ranking is better than the greedy order, which is U"))
}

/// The columns of ndeval, as a list of measures.
const OF_NDEVAL: [&str; 21] = [
    "ERR-IA@5",
    "ERR-IA@10",
    "ERR-IA@20",
    "nERR-IA@5",
    "nERR-IA@10",
    "nERR-IA@20",
    "alpha-DCG@5",
    "alpha-DCG@10",
    "alpha-DCG@20",
    "alpha-nDCG@5",
    "alpha-nDCG@10",
    "alpha-nDCG@20",
    "NRBP",
    "nNRBP",
    "MAP-IA",
    "P-IA@5",
    "P-IA@10",
    "P-IA@20",
    "strec@5",
    "strec@10",
    "strec@20",
];

/// Prints the output of `ndeval -traditional` for each run: a line for each topic of the run, and
/// the mean over the topics that the qrels have too.
pub(super) fn print_ndeval(
    qrels: &SubtopicQrels,
    runs: &[String],
    conventions: &Conventions,
    screen: &mut Screen,
) -> miette::Result<()> {
    let spec = |name: &&str| fivefold_metrics::spelling::read(name, conventions).map(|reading| reading.spec);
    let specs = OF_NDEVAL.iter().map(spec).collect::<Result<Vec<_>, _>>().map_err(Problem::from)?;
    let seed = fivefold_core::Seed::new(0);
    let evaluator = DiversityEvaluator::new(&specs, conventions, seed).map_err(Problem::from)?;
    for (_, path) in labelled(runs)? {
        let run = read_run(Path::new(&path), qrels.duplicates).map_err(Problem::from)?;
        screen.text(ndeval(&evaluator, qrels, &run)?);
    }
    Ok(())
}

fn ndeval(evaluator: &DiversityEvaluator, qrels: &SubtopicQrels, run: &Run) -> miette::Result<String> {
    let conventions = evaluator.conventions();
    let mut text = format!("runid,topic,{}\n", OF_NDEVAL.join(","));
    let mut ids: Vec<&str> = run.topics.iter().map(|topic| topic.id.as_str()).collect();
    if conventions.missing_topics == MissingTopics::Zero {
        ids.extend(qrels.topics.iter().map(|topic| topic.id.as_str()).filter(|id| run.topic(id).is_none()));
    }
    // ndeval's topics are numbers.
    ids.sort_by(|one, other| (number(one), one).cmp(&(number(other), other)));
    let (mut sums, mut topics) = (vec![0.0; OF_NDEVAL.len()], 0);
    for id in ids {
        let mut row = vec![0.0; OF_NDEVAL.len()];
        if let Some(topic) = qrels.topic(id) {
            row = values(evaluator, &prepared(evaluator, topic, conventions.threshold), run, id)?;
            // Without a relevant document, nNRBP is 0/0 in ndeval, and all else is 0.
            for (value, name) in row.iter_mut().zip(OF_NDEVAL).filter(|(value, _)| value.is_nan()) {
                *value = if name == "nNRBP" { f64::NAN } else { 0.0 };
            }
            sums.iter_mut().zip(&row).for_each(|(sum, value)| *sum += value);
            topics += 1;
        }
        if run.topic(id).is_some() {
            put(&mut text, &run.tag, id, &row);
        }
    }
    sums.iter_mut().for_each(|sum| *sum /= f64::from(topics.max(1)));
    put(&mut text, &run.tag, "amean", &sums);
    Ok(text)
}

fn number(id: &str) -> u64 {
    id.parse().unwrap_or(u64::MAX)
}

fn put(text: &mut String, tag: &str, topic: &str, values: &[f64]) {
    let _ = write!(text, "{tag},{topic}");
    for value in values {
        // As printf of a C library does.
        let _ = if value.is_nan() { write!(text, ",-nan") } else { write!(text, ",{value:.6}") };
    }
    text.push('\n');
}

/// The conventions of `ndeval -traditional`: by score, then by id from high to low.
pub(super) fn conventions_of_ndeval() -> miette::Result<Conventions> {
    let trec_eval = dialect("trec_eval").map_err(Problem::from)?.conventions();
    let scores = fivefold_metrics::conventions::Scores::F64;
    Ok(Conventions { ties: Ties::DocId, scores, missing_topics: MissingTopics::Skip, ..trec_eval })
}
