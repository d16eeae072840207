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
    let of_run = |(_, path): &(String, String)| one_run(&printer, conventions, qrels, &topics, Path::new(path));
    let outputs = labelled(runs)?.par_iter().map(of_run).collect::<miette::Result<Vec<(String, usize)>>>()?;
    for (text, _) in &outputs {
        screen.text(text);
    }
    let undefined = outputs.iter().map(|(_, undefined)| undefined).max().copied().unwrap_or(0);
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

/// The output of a run, and the number of its topics with an undefined value.
fn one_run(
    printer: &Printer,
    conventions: &Conventions,
    qrels: &Qrels,
    topics: &Topics,
    path: &Path,
) -> miette::Result<(String, usize)> {
    let run = read_run(path, qrels.duplicates).map_err(Problem::from)?;
    let skip = conventions.missing_topics == MissingTopics::Skip;
    let mut output = printer.run(topics.0.len());
    for (place, judged) in &topics.0 {
        let topic = &qrels.topics[*place];
        let ranking = match run.topic(&topic.id) {
            Some(retrieved) => topic.ranked(retrieved, conventions.scores == Scores::F32),
            None if skip => continue,
            None => Vec::new(),
        };
        output.add(judged, ranking).map_err(Problem::from)?;
    }
    Ok(output.finish(&run.tag))
}
