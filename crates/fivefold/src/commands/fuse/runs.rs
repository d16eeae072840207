//! TREC runs, joined by topic and document, and fused.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use fivefold_data::trec::{Retrieved, Run};
use fivefold_fusion::{Fusion, FusionError, Ranked, Ties};
use rayon::prelude::*;

/// The ranks of documents with equal scores in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TiedRanks {
    /// They share the mean of what their ranks give
    Average,
    /// By document id, descending, as in trec_eval
    #[value(name = "trec_eval")]
    TrecEval,
    /// By the line in the file
    File,
}

impl TiedRanks {
    /// The name on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            TiedRanks::Average => "average",
            TiedRanks::TrecEval => "trec_eval",
            TiedRanks::File => "file",
        }
    }

    /// Ranks the documents of a run. `number` gives a document's number among all candidates.
    fn ranked(self, retrieved: &[Retrieved], number: &HashMap<&str, usize>) -> Result<Ranked, FusionError> {
        let scored = |retrieved: &Retrieved| (number[retrieved.document.as_str()], retrieved.score);
        match self {
            TiedRanks::Average => Ranked::new(retrieved.iter().map(scored), Ties::Average),
            TiedRanks::File => Ranked::new(retrieved.iter().map(scored), Ties::Given),
            TiedRanks::TrecEval => {
                let mut by_id: Vec<&Retrieved> = retrieved.iter().collect();
                by_id.sort_by_key(|retrieved| Reverse(&retrieved.document));
                Ranked::new(by_id.into_iter().map(scored), Ties::Given)
            }
        }
    }
}

/// A fused run.
pub(super) struct Fused<'r> {
    /// The topics of all runs, in the order in which they first occur.
    pub(super) topics: Vec<FusedTopic<'r>>,
}

/// The fused documents of a topic, best first.
pub(super) struct FusedTopic<'r> {
    id: &'r str,
    /// Document ids with their fused scores.
    pub(super) documents: Vec<(&'r str, f64)>,
}

/// The place where a fusion failed.
pub(super) struct Wrong {
    pub(super) topic: String,
    /// The number of the run, if one run is at fault.
    pub(super) run: Option<usize>,
    pub(super) reason: String,
}

impl<'r> Fused<'r> {
    /// Fuses the runs, topic by topic.
    pub(super) fn of(runs: &'r [Run], fusion: &Fusion, ties: TiedRanks) -> Result<Self, Wrong> {
        let mut seen = HashSet::new();
        let ids = runs.iter().flat_map(|run| &run.topics).map(|topic| topic.id.as_str());
        let ids: Vec<&str> = ids.filter(|id| seen.insert(*id)).collect();
        let topics = ids.par_iter().map(|id| FusedTopic::of(id, runs, fusion, ties));
        Ok(Fused { topics: topics.collect::<Result<_, _>>()? })
    }

    /// The lines of the run: the best `depth` documents of each topic.
    pub(super) fn text(&self, tag: &str, depth: usize) -> String {
        let mut text = String::new();
        for topic in &self.topics {
            for (place, (document, score)) in topic.documents.iter().take(depth).enumerate() {
                // A `String` takes everything.
                let _ = writeln!(text, "{} Q0 {document} {} {score} {tag}", topic.id, place + 1);
            }
        }
        text
    }
}

impl<'r> FusedTopic<'r> {
    fn of(id: &'r str, runs: &'r [Run], fusion: &Fusion, ties: TiedRanks) -> Result<Self, Wrong> {
        let counts = |run: usize| fusion.weights().is_none_or(|weights| weights[run] > 0.0);
        let list = |(place, run): (usize, &'r Run)| match run.topic(id) {
            Some(topic) if counts(place) => &topic.documents[..],
            _ => &[],
        };
        let lists: Vec<&[Retrieved]> = runs.iter().enumerate().map(list).collect();
        let mut ids: Vec<&str> = Vec::new();
        let mut number: HashMap<&str, usize> = HashMap::new();
        for retrieved in lists.iter().copied().flatten() {
            number.entry(&retrieved.document).or_insert_with(|| {
                ids.push(&retrieved.document);
                ids.len() - 1
            });
        }
        let wrong = |run: Option<usize>| {
            move |error: FusionError| Wrong { topic: id.to_owned(), run, reason: error.to_string() }
        };
        let ranked = |(place, list): (usize, &&[Retrieved])| ties.ranked(list, &number).map_err(wrong(Some(place)));
        let systems: Vec<Ranked> = lists.iter().enumerate().map(ranked).collect::<Result<_, _>>()?;
        let scores = fusion.scores(ids.len(), &systems).map_err(wrong(None))?;
        let mut documents: Vec<(&str, f64)> = ids.into_iter().zip(scores).collect();
        documents.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| b.0.cmp(a.0)));
        Ok(FusedTopic { id, documents })
    }
}
