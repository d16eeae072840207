//! Runs in the form of trec_eval's output (`fivefold_analysis::trec_eval`).

use std::path::Path;

use fivefold_analysis::trec_eval::{JudgedTopic, Line, Printer};
pub(super) use fivefold_analysis::trec_eval::{Program, lines};
use fivefold_base::words::{counted, which};
use fivefold_data::trec::{Qrels, read_run};
use fivefold_metrics::Conventions;
use fivefold_metrics::conventions::{MissingTopics, Scores};
use rayon::prelude::*;

use crate::labels::labelled;
use crate::problem::Problem;
use crate::screen::{Screen, tell};
use crate::threads::is_single;

/// What the output is made of, and how it is shown.
pub(super) struct Settings<'a> {
    pub(super) lines: Vec<Line>,
    pub(super) conventions: &'a Conventions,
    pub(super) per_query: bool,
    pub(super) max_grade: Option<u8>,
    /// How many documents of a topic count; `None`: all.
    pub(super) depth: Option<usize>,
}

/// The topics of the qrels in the order of their ids, each with its place in the qrels.
struct Topics(Vec<(usize, JudgedTopic)>);

/// Prints the output of each run, one after the other.
pub(super) fn print(settings: Settings<'_>, qrels: &Qrels, runs: &[String], screen: &mut Screen) -> miette::Result<()> {
    let Settings { lines, conventions, per_query, max_grade, depth } = settings;
    let max_grade = max_grade.unwrap_or_else(|| qrels.max_grade());
    let printer = Printer::new(lines, conventions, max_grade, per_query, depth).map_err(Problem::from)?;
    let topics = Topics::new(&printer, qrels)?;
    let runs = labelled(runs)?;
    // A group at a time, into the memory of the group before: many runs have long outputs.
    let is_single = is_single();
    let at_once = if is_single { 1 } else { 4 * rayon::current_num_threads() };
    let mut texts = vec![Vec::new(); runs.len().min(at_once)];
    let mut undefined = 0;
    for group in runs.chunks(texts.len().max(1)) {
        let of_run = |(text, (_, path)): (&mut Vec<u8>, &(String, String))| {
            one_run(&printer, conventions, qrels, &topics, Path::new(path), text)
        };
        let of_runs: Vec<miette::Result<usize>> = match is_single {
            true => texts.iter_mut().zip(group).map(of_run).collect(),
            false => texts.par_iter_mut().zip(group).map(of_run).collect(),
        };
        for (text, of_run) in texts.iter().zip(of_runs) {
            undefined = undefined.max(of_run?);
            screen.bytes(text);
        }
    }
    if undefined > 0 {
        let (topics, have) = (counted(undefined, "topic"), which(undefined, "has", "have"));
        tell(format_args!("note: {topics} {have} undefined values, which count as 0, as in trec_eval"));
    }
    Ok(())
}

impl Topics {
    fn new(printer: &Printer, qrels: &Qrels) -> miette::Result<Self> {
        let mut places: Vec<usize> = (0..qrels.topics.len()).collect();
        places.sort_by(|&one, &other| qrels.topics[one].id.cmp(&qrels.topics[other].id));
        let prepare = |place: usize| {
            let topic = &qrels.topics[place];
            Ok((place, printer.topic(&topic.id, topic.grades()).map_err(Problem::from)?))
        };
        Ok(Topics(places.into_iter().map(prepare).collect::<miette::Result<_>>()?))
    }
}

/// Writes the output of a run in place of a text. Returns the number of its topics with an undefined
/// value.
fn one_run(
    printer: &Printer,
    conventions: &Conventions,
    qrels: &Qrels,
    topics: &Topics,
    path: &Path,
    text: &mut Vec<u8>,
) -> miette::Result<usize> {
    let run = read_run(path, qrels.duplicates).map_err(Problem::from)?;
    let skip = conventions.missing_topics == MissingTopics::Skip;
    let mut output = printer.run(topics.0.len(), text);
    for (place, judged) in &topics.0 {
        let topic = &qrels.topics[*place];
        let ranking = match run.topic(&topic.id) {
            Some(retrieved) => topic.ranked(retrieved, conventions.scores == Scores::F32),
            None if skip => continue,
            None => Vec::new(),
        };
        output.add(judged, ranking).map_err(Problem::from)?;
    }
    Ok(output.finish(&run.into_tag()))
}
