//! Values of diversity measures: topics with subtopics (`measures/diversity.rs` has the measures).
//!
//! A value is a sum over subtopics, and so is E, since the mean of a sum is the sum of the means. A
//! document may be relevant to several subtopics. By default, U is the value of the greedy order:
//! at each rank, the document of most remaining gain, and of several the one with the highest id,
//! as in ndeval. To find the best order is NP-hard, so a ranking can be better than the greedy
//! order: then A/U and V2 are above 1. With `upper=exact`, U is the value of the best order
//! (`diversity/best.rs`), and a topic of more than 20 documents with a subtopic has no U. For
//! `p_ia` the greedy order is the best.
//!
//! Cost: that of an ordinary measure for each subtopic.

mod best;

pub(crate) use best::MOST_DOCUMENTS;

use fivefold_base::Seed;

use crate::conventions::{Conventions, Ties, Unjudged};
use crate::entry::Asks;
use crate::error::MeasureError;
use crate::measure::{Greedy, Measure, QueryGrades, Ranked};
use crate::normalise::{Bounds, differ};
use crate::order::{OrderRules, ranked_rows, tie_ends, tie_keys};
use crate::spec::{MeasureSpec, Version};

/// Computes a list of diversity measures, one column each.
///
/// ```
/// use fivefold_metrics::diversity::{DiversityEvaluator, PoolDocument};
/// use fivefold_metrics::{Seed, dialect};
///
/// let measures = ["strec@1".parse()?, "p_ia@2".parse()?];
/// let evaluator = DiversityEvaluator::new(&measures, &dialect("paper")?.conventions(), Seed::new(0))?;
/// // `a` is relevant to subtopic 0, `b` to subtopics 0 and 1.
/// let pool = [PoolDocument::new("a", vec![0]), PoolDocument::new("b", vec![0, 1])];
/// let topic = evaluator.topic("1", &pool);
/// let values = evaluator.evaluate(&topic, &["a", "x", "b"], &[0.9, 0.5, 0.1])?;
/// assert_eq!(values, [0.5, 0.25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DiversityEvaluator {
    names: Vec<String>,
    columns: Vec<Column>,
    conventions: Conventions,
    seed: Seed,
    notes: Vec<String>,
}

struct Column {
    measure: Box<dyn Measure>,
    cutoff: Option<usize>,
    version: Version,
    has_ue: bool,
}

/// A judged document, and the subtopics to which it is relevant.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolDocument {
    id: String,
    subtopics: Vec<usize>,
}

impl PoolDocument {
    /// The subtopics are numbers in any order.
    pub fn new(id: &str, mut subtopics: Vec<usize>) -> Self {
        subtopics.sort_unstable();
        subtopics.dedup();
        PoolDocument { id: id.to_owned(), subtopics }
    }
}

/// The judged documents of a topic, and the greedy order of each column.
#[derive(Debug, Clone)]
pub struct DiversityTopic {
    id: String,
    /// By id.
    pool: Vec<PoolDocument>,
    /// Number of subtopics with a relevant document.
    subtopics: usize,
    /// U of each column, before it is divided.
    upper: Vec<f64>,
}

/// The documents of a ranking, as lists of subtopics, cut into groups that tie.
struct Ranking<'a> {
    documents: Vec<&'a [usize]>,
    ends: Vec<u32>,
}

impl DiversityEvaluator {
    /// An evaluator of these measures. `seed` decides the order of `shuffle` ties.
    ///
    /// # Errors
    /// If a measure is not one of diversity, or a parameter or cutoff does not fit.
    pub fn new(specs: &[MeasureSpec], conventions: &Conventions, seed: Seed) -> Result<Self, MeasureError> {
        let column = |spec: &MeasureSpec| {
            spec.check()?;
            if spec.entry().asks != Asks::Subtopics {
                return Err(MeasureError::NoSubtopics { measure: spec.to_string() });
            }
            let settings = spec.settings(conventions, 1)?;
            let has_ue = spec.entry().no_ue.is_none();
            let measure = (spec.entry().build)(&settings)?;
            Ok(Column { measure, cutoff: spec.cutoff(), version: spec.version(), has_ue })
        };
        let columns = specs.iter().map(column).collect::<Result<_, MeasureError>>()?;
        let mut notes: Vec<String> = Vec::new();
        for spec in specs {
            let note = spec.settings(conventions, 1)?.describe(spec.entry());
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        let Conventions { ties, undefined, .. } = conventions;
        notes.push(format!("ties: {ties}; undefined values: {undefined}"));
        let (names, conventions) = (specs.iter().map(MeasureSpec::to_string).collect(), conventions.clone());
        Ok(DiversityEvaluator { names, columns, conventions, seed, notes })
    }

    /// The measures' names, in the order of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The conventions in force.
    pub fn conventions(&self) -> &Conventions {
        &self.conventions
    }

    /// Lines that name the conventions in force, to be printed under a table.
    pub fn describe(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Prepares a topic. `pool` has its judged documents, each once.
    pub fn topic(&self, id: &str, pool: &[PoolDocument]) -> DiversityTopic {
        let mut pool = pool.to_vec();
        pool.sort_by(|one, other| one.id.cmp(&other.id));
        let mut seen: Vec<usize> = pool.iter().flat_map(|document| document.subtopics.iter().copied()).collect();
        seen.sort_unstable();
        seen.dedup();
        // The subtopics with a relevant document are numbered anew.
        let number = |subtopic: &mut usize| *subtopic = seen.binary_search(subtopic).unwrap_or(0);
        pool.iter_mut().flat_map(|document| &mut document.subtopics).for_each(number);
        let mut topic = DiversityTopic { id: id.to_owned(), pool, subtopics: seen.len(), upper: Vec::new() };
        topic.upper = self.columns.iter().map(|column| column.upper(&topic)).collect();
        topic
    }

    /// The value of each column for a run that retrieved `documents` with these scores; NaN if it is
    /// undefined.
    ///
    /// # Errors
    /// If there is not one finite score a document, or two documents have one id.
    pub fn evaluate(
        &self,
        topic: &DiversityTopic,
        documents: &[&str],
        scores: &[f64],
    ) -> Result<Vec<f64>, MeasureError> {
        let ranking = self.rank(topic, documents, scores)?;
        Ok(self.columns.iter().zip(&topic.upper).map(|(column, &upper)| column.value(topic, &ranking, upper)).collect())
    }

    /// E of each column's sum over subtopics, divided as the original value is: the mean over all
    /// orders of the retrieved documents.
    pub fn expected(&self, topic: &DiversityTopic, documents: &[&str]) -> Vec<f64> {
        let ranking = topic.ranking(documents, &[documents.len() as u32]);
        let of = |(column, &upper): (&Column, &f64)| column.bounds(topic, &ranking, upper).value_of_expected();
        self.columns.iter().zip(&topic.upper).map(of).collect()
    }

    fn rank<'a>(
        &self,
        topic: &'a DiversityTopic,
        documents: &[&str],
        scores: &[f64],
    ) -> Result<Ranking<'a>, MeasureError> {
        if documents.len() != scores.len() {
            let (query, found, expected) = (topic.id.clone(), scores.len(), documents.len());
            return Err(MeasureError::Count { query, what: "score", found, expected });
        }
        if let Some(row) = scores.iter().position(|score| !score.is_finite()) {
            return Err(MeasureError::NotFinite { query: topic.id.clone(), row, score: scores[row] });
        }
        let grade = |id: &&str| topic.subtopics_of(id).len().min(usize::from(fivefold_base::HIGHEST_GRADE)) as u8;
        let grades: Vec<u8> = documents.iter().map(grade).collect();
        let keys = tie_keys(&topic.id, &grades, Some(documents), self.conventions.ties, self.seed)?;
        let rules = OrderRules {
            averaged: self.conventions.ties == Ties::Average,
            precision: self.conventions.scores,
            all_judged: true,
            unjudged: Unjudged::NotRelevant,
        };
        let mut rows = ranked_rows(scores, &keys, rules);
        if self.conventions.unjudged == Unjudged::Removed {
            rows.retain(|&row| topic.place(documents[row]).is_some());
        }
        let ends = tie_ends(&rows, scores, rules);
        let in_order: Vec<&str> = rows.iter().map(|&row| documents[row]).collect();
        Ok(topic.ranking(&in_order, &ends))
    }
}

impl DiversityTopic {
    fn place(&self, id: &str) -> Option<usize> {
        self.pool.binary_search_by(|document| document.id.as_str().cmp(id)).ok()
    }

    fn subtopics_of(&self, id: &str) -> &[usize] {
        self.place(id).map_or(&[], |place| &self.pool[place].subtopics)
    }

    fn ranking(&self, documents: &[&str], ends: &[u32]) -> Ranking<'_> {
        let ends = if documents.is_empty() { Vec::new() } else { ends.to_vec() };
        Ranking { documents: documents.iter().map(|id| self.subtopics_of(id)).collect(), ends }
    }

    /// The order of which U is the value, up to a number of documents. `None`: the best order is
    /// asked for, and the topic has too many documents.
    fn ideal(&self, greedy: &Greedy, most: usize) -> Option<Ranking<'_>> {
        let order = self.greedy(greedy.left, most);
        let Some(discounts) = &greedy.exact else { return Some(order) };
        let all = self.pool.iter().map(|document| document.subtopics.as_slice());
        let documents: Vec<&[usize]> = all.filter(|subtopics| !subtopics.is_empty()).collect();
        let discounts = &discounts[..most.min(discounts.len())];
        let best = best::order(&documents, &order.documents, self.subtopics, greedy.left, discounts)?;
        Some(Ranking { ends: (1..=best.len() as u32).collect(), documents: best })
    }

    /// The greedy order, up to a number of documents; each further document of a subtopic is worth
    /// `left_of_worth` times the one before.
    fn greedy(&self, left_of_worth: f64, most: usize) -> Ranking<'_> {
        let mut worth = vec![1.0; self.subtopics];
        let mut left: Vec<&PoolDocument> =
            self.pool.iter().rev().filter(|document| !document.subtopics.is_empty()).collect();
        let mut documents = Vec::new();
        while documents.len() < most && !left.is_empty() {
            let gain = |document: &PoolDocument| document.subtopics.iter().map(|&s| worth[s]).sum::<f64>();
            let (mut best, mut highest) = (0, f64::NEG_INFINITY);
            for (place, document) in left.iter().enumerate() {
                // The list begins with the highest id, which wins a tie.
                let gain = gain(document);
                if gain > highest {
                    (best, highest) = (place, gain);
                }
            }
            let chosen = left.remove(best);
            chosen.subtopics.iter().for_each(|&s| worth[s] *= left_of_worth);
            documents.push(chosen.subtopics.as_slice());
        }
        Ranking { ends: (1..=documents.len() as u32).collect(), documents }
    }
}

impl Column {
    /// The sum over subtopics of the sums of contributions up to the cutoff. `mean`: over all orders.
    fn sum(&self, topic: &DiversityTopic, ranking: &Ranking<'_>) -> f64 {
        let positions = self.cutoff.map_or(ranking.documents.len(), |k| k.min(ranking.documents.len()));
        let mut contributions = vec![0.0; positions];
        let mut sum = 0.0;
        for subtopic in 0..topic.subtopics {
            let is_relevant = |subtopics: &&[usize]| u8::from(subtopics.binary_search(&subtopic).is_ok());
            let mut grades: Vec<u8> = ranking.documents.iter().map(is_relevant).collect();
            let pool: Vec<u8> = topic.pool.iter().map(|document| is_relevant(&&document.subtopics[..])).collect();
            let query = QueryGrades::pooled(&pool, &grades);
            let mut start = 0;
            for &end in &ranking.ends {
                grades[start..end as usize].sort_unstable_by(|a, b| b.cmp(a));
                start = end as usize;
            }
            self.measure.contributions(&Ranked::new(&grades, &ranking.ends, &query), &mut contributions);
            sum += contributions.iter().sum::<f64>();
        }
        sum
    }

    fn upper(&self, topic: &DiversityTopic) -> f64 {
        let Some(greedy) = self.measure.greedy() else { return f64::NAN };
        let ideal = topic.ideal(&greedy, self.cutoff.unwrap_or(usize::MAX));
        ideal.map_or(f64::NAN, |ideal| self.sum(topic, &ideal))
    }

    /// U, E and the divisor, for a run that retrieved these documents.
    fn bounds(&self, topic: &DiversityTopic, ranking: &Ranking<'_>, upper: f64) -> Bounds {
        let all = Ranking { documents: ranking.documents.clone(), ends: vec![ranking.documents.len() as u32] };
        let all = if all.documents.is_empty() { Ranking { ends: Vec::new(), ..all } } else { all };
        let expected = self.sum(topic, &all);
        let normaliser = self.measure.of_subtopics(self.cutoff, topic.subtopics, topic.pool.len(), upper);
        let ue = self.has_ue && !normaliser.is_nan() && differ(upper, expected);
        Bounds { denominator: 1.0, normaliser, upper, expected, expected_error: 0.0, ue }
    }

    fn value(&self, topic: &DiversityTopic, ranking: &Ranking<'_>, upper: f64) -> f64 {
        let sum = self.sum(topic, ranking);
        match self.version {
            Version::Original => sum / self.measure.of_subtopics(self.cutoff, topic.subtopics, topic.pool.len(), upper),
            version => self.bounds(topic, ranking, upper).value(version, sum),
        }
    }
}
