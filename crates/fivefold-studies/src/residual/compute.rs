//! All numbers that the study shows of one measure, by system and query: values, residual gains,
//! rareness and TaSC.

use fivefold_core::Seed;
use fivefold_metrics::{Conventions, MeasureSpec};
use rayon::prelude::*;

use super::beside::{rareness, tasc};
use super::gain::{Ranking, ResidualGains};
use super::priors::{self, PriorSystems};
use super::utility::Utility;
use crate::study::StudyError;
use crate::systems::{Document, RankedQuery, RankedSystems, ScoredList};

/// Systems with settled ties, so that the measure and the residual gain see the same rankings.
pub struct UntiedSystems {
    /// The systems; each score is minus the rank.
    pub systems: RankedSystems,
    /// `rankings[query][system]`; `None` if the system lacks the query.
    pub rankings: Vec<Vec<Option<Ranking>>>,
}

impl UntiedSystems {
    /// Settles ties, see [`RankedQuery::ranking`].
    ///
    /// # Errors
    /// A document that stands twice in a ranking.
    pub fn new(mut systems: RankedSystems) -> Result<Self, StudyError> {
        let names = &systems.names;
        let of_query = |query: &mut RankedQuery| {
            let of_system = |system: usize| {
                let Some(documents) = query.ranking(system) else { return Ok(None) };
                Ranking::new(documents).map(Some).map_err(|repeated| {
                    let id = query.ids.get(repeated.0 as usize).cloned();
                    let document = id.unwrap_or_else(|| repeated.0.to_string());
                    let (name, id) = (&names[system], &query.id);
                    StudyError::Input(format!("`{name}`, query {id}: document {document} stands twice in the ranking"))
                })
            };
            let rankings = (0..names.len()).map(of_system).collect::<Result<Vec<_>, StudyError>>()?;
            let settled = |ranking: &Ranking| {
                let documents = ranking.documents().to_vec();
                let scores = (0..documents.len()).map(|position| -(position as f64)).collect();
                in_judged_order(ScoredList { documents, scores })
            };
            query.lists = rankings.iter().map(|ranking| ranking.as_ref().map(settled)).collect();
            Ok(rankings)
        };
        let rankings = systems.queries.par_iter_mut().map(of_query).collect::<Result<Vec<_>, StudyError>>()?;
        Ok(UntiedSystems { systems, rankings })
    }

    fn depth(&self) -> usize {
        let lists = self.rankings.iter().flatten().flatten().map(|ranking| ranking.documents().len());
        let judged = self.systems.queries.iter().map(|query| query.grades.len());
        lists.chain(judged).max().unwrap_or(0)
    }
}

/// Sorts a list by document number, so that systems which rank the same documents have the same
/// list of documents.
fn in_judged_order(list: ScoredList) -> ScoredList {
    let mut pairs: Vec<(Document, f64)> = list.documents.into_iter().zip(list.scores).collect();
    pairs.sort_unstable_by_key(|(document, _)| *document);
    let (documents, scores) = pairs.into_iter().unzip();
    ScoredList { documents, scores }
}

/// Settings of the computation.
pub struct GainSettings<'a> {
    /// Conventions of the measure.
    pub conventions: &'a Conventions,
    /// Systems in the order of time.
    pub chronology: &'a [usize],
    /// The group of each system, and the number of groups; `None` without groups.
    pub groups: Option<(&'a [usize], usize)>,
    /// The weight of rareness.
    pub alpha: f64,
}

/// All numbers of one measure. Lists by system and query are `[system * queries + query]`.
pub struct Numbers {
    /// The values of the measure; 0 if undefined.
    pub values: Vec<f64>,
    /// Number of queries for which the measure is undefined for every system.
    pub undefined: usize,
    /// The residual gains of each experiment.
    pub experiments: Vec<Gains>,
    /// Rareness-based P@k with its k; `None` if the measure has no cutoff.
    pub rareness: Option<(usize, Vec<f64>)>,
    /// For each system, the number of documents without a judgement in the part of its rankings
    /// that counts, over all queries.
    pub unjudged: Vec<usize>,
    /// The best system of each group.
    pub best: Vec<Option<usize>>,
    /// Number of queries.
    pub queries: usize,
}

/// The numbers of one experiment. Lists are `[system * queries + query]`.
pub struct Gains {
    /// The experiment.
    pub experiment: PriorSystems,
    /// Normalised residual gain.
    pub residual: Vec<f64>,
    /// Number of relevant documents that no prior ranking has in the part that counts.
    pub unique: Vec<f64>,
    /// Each query's contribution to TaSC.
    pub tasc: Vec<f64>,
    /// In how many cases (a system and a query) nothing was left to gain.
    pub exhausted: usize,
}

impl Numbers {
    /// The mean over queries for each system, of a list by system and query.
    pub fn means(&self, list: &[f64]) -> Vec<f64> {
        list.chunks_exact(self.queries.max(1)).map(|own| own.iter().sum::<f64>() / self.queries as f64).collect()
    }

    /// Computes all numbers of one measure.
    ///
    /// # Errors
    /// A measure that has no residual gain or does not suit the data.
    pub fn of(ranked: &UntiedSystems, spec: &MeasureSpec, settings: &GainSettings<'_>) -> Result<Self, StudyError> {
        let UntiedSystems { systems, rankings } = ranked;
        let (count, queries) = (systems.names.len(), systems.queries.len());
        let utility = Utility::of(spec, settings.conventions, systems.max_grade, ranked.depth())?;
        let evaluator = systems.evaluator(std::slice::from_ref(spec), settings.conventions, Seed::new(0))?;
        let values = systems.values(&evaluator)?.values;
        let is_undefined = |query: &usize| (0..count).all(|system| values[system * queries + query].is_nan());
        let undefined = (0..queries).filter(is_undefined).count();
        let values: Vec<f64> = values.into_iter().map(|value| if value.is_nan() { 0.0 } else { value }).collect();
        let mut numbers = Numbers {
            values,
            undefined,
            experiments: Vec::new(),
            rareness: None,
            unjudged: vec![0; count],
            best: Vec::new(),
            queries,
        };
        let threshold = settings.conventions.threshold;
        if let Some(cutoff) = utility.cutoff() {
            let of_query = |(query, rankings): (&RankedQuery, &Vec<Option<Ranking>>)| {
                rareness(rankings, cutoff, settings.alpha, |document| query.grade(document) >= threshold)
            };
            let by_query: Vec<Vec<f64>> = systems.queries.par_iter().zip(rankings).map(of_query).collect();
            numbers.rareness = Some((cutoff, by_system(&by_query, count, |row, system| row[system])));
        }
        for (query, rankings) in systems.queries.iter().zip(rankings) {
            for (unjudged, ranking) in numbers.unjudged.iter_mut().zip(rankings) {
                let top = ranking.as_ref().map_or(&[][..], |ranking| ranking.top(utility.depth()));
                *unjudged += top.iter().filter(|&&document| !query.is_judged(document)).count();
            }
        }
        let mut all = vec![priors::chronological(settings.chronology), priors::leave_one_out(count)];
        if let Some((group_of, groups)) = settings.groups {
            numbers.best = priors::best_of_groups(group_of, groups, &numbers.means(&numbers.values));
            all.push(priors::grouped(group_of, &numbers.best));
        }
        let unique = Utility::precision(utility.depth(), threshold, systems.max_grade);
        numbers.experiments =
            all.into_iter().map(|experiment| numbers.gains(ranked, experiment, &utility, &unique)).collect();
        Ok(numbers)
    }

    fn gains(&self, ranked: &UntiedSystems, experiment: PriorSystems, utility: &Utility, unique: &Utility) -> Gains {
        let UntiedSystems { systems, rankings } = ranked;
        let (count, queries) = (systems.names.len(), self.queries);
        let of_query = |query: usize| -> Vec<[f64; 4]> {
            let (grades, rankings) = (&systems.queries[query].grades, &rankings[query]);
            let values: Vec<f64> = (0..count).map(|system| self.values[system * queries + query]).collect();
            let of_system = |system: usize| {
                let priors = &experiment.priors[system];
                let after_priors = |utility| {
                    let mut residual = ResidualGains::new(utility, grades);
                    priors.iter().filter_map(|&prior| rankings[prior].as_ref()).for_each(|r| residual.see(r));
                    residual
                };
                let tasc = tasc(&values, system, priors);
                let Some(ranking) = &rankings[system] else { return [0.0, 0.0, tasc, 0.0] };
                let gain = after_priors(utility).gain(ranking);
                let unique = after_priors(unique).gain(ranking).sum;
                [gain.normalised(), unique, tasc, f64::from(u8::from(gain.is_exhausted()))]
            };
            (0..count).map(of_system).collect()
        };
        let by_query: Vec<Vec<[f64; 4]>> = (0..queries).into_par_iter().map(of_query).collect();
        let column = |place: usize| by_system(&by_query, count, |row, system| row[system][place]);
        let exhausted = by_query.iter().flatten().filter(|row| row[3] > 0.0).count();
        Gains { experiment, residual: column(0), unique: column(1), tasc: column(2), exhausted }
    }
}

/// A list by system and query, from rows by query.
fn by_system<T>(rows: &[T], systems: usize, value: impl Fn(&T, usize) -> f64) -> Vec<f64> {
    (0..systems).flat_map(|system| rows.iter().map(move |row| (row, system))).map(|(row, s)| value(row, s)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fivefold_metrics::dialect;

    /// Three systems and two queries. The last system lacks the second query, which has no relevant
    /// document.
    fn systems() -> RankedSystems {
        let list = |order: &[Document]| {
            let scores = (0..order.len()).map(|position| 9.0 - position as f64).collect();
            Some(ScoredList { documents: order.to_vec(), scores })
        };
        let query = |id: &str, grades: &[u8], lists| RankedQuery {
            id: id.to_owned(),
            grades: grades.to_vec(),
            pooled: 0,
            ids: Vec::new(),
            lists,
        };
        RankedSystems {
            names: ["a", "b", "c"].map(str::to_owned).to_vec(),
            queries: vec![
                query("1", &[1, 1, 0, 0], vec![list(&[0, 2]), list(&[1, 2]), list(&[4, 0])]),
                query("2", &[0, 0], vec![list(&[0, 1]), list(&[1, 5]), None]),
            ],
            max_grade: 1,
        }
    }

    #[test]
    fn numbers_by_hand() {
        let ranked = UntiedSystems::new(systems()).unwrap();
        let conventions = dialect("paper").unwrap().conventions();
        let groups: &[usize] = &[0, 0, 1];
        let settings =
            GainSettings { conventions: &conventions, chronology: &[0, 1, 2], groups: Some((groups, 2)), alpha: 1.0 };
        let numbers = Numbers::of(&ranked, &"p@2".parse().unwrap(), &settings).unwrap();
        assert_eq!(numbers.values, [0.5, 0.0, 0.5, 0.0, 0.5, 0.0]);
        assert_eq!(numbers.means(&numbers.values), [0.25, 0.25, 0.25]);
        assert_eq!((numbers.undefined, numbers.unjudged.as_slice()), (0, &[0, 1, 1][..]));
        let [chronological, left_out, grouped] = numbers.experiments.as_slice() else { panic!() };
        // Under P@2, the user sees both documents of the top 2 for certain. On query 1, a has 1 of
        // U = 2. After a, only document 1 is left, and b adds it. After both, nothing is left for
        // c.
        assert_eq!(chronological.residual, [0.5, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(chronological.unique, [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        // Query 2 has no gain for a and b. On query 1, no gain is left for c.
        assert_eq!(chronological.exhausted, 3);
        assert_eq!(left_out.residual, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(left_out.tasc, [0.25, 0.0, 0.25, 0.0, 0.25, 0.0]);
        // Of equal systems, the first is the best of its group.
        assert_eq!(numbers.best, [Some(0), Some(2)]);
        assert_eq!(grouped.residual, [0.0, 0.0, 1.0, 0.0, 1.0 * 0.0, 0.0]);
        assert_eq!(grouped.experiment.priors, [vec![2], vec![2], vec![0]]);
        // Document 0 is in two of three runs, document 1 in one.
        let (k, rareness) = numbers.rareness.as_ref().unwrap();
        let (common, rare) = ((1.0 + 1.0 / 3.0) / 2.0, (1.0 + 2.0 / 3.0) / 2.0);
        assert_eq!(*k, 2);
        for (found, expected) in rareness.iter().zip([common, 0.0, rare, 0.0, common, 0.0]) {
            assert!((found - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn a_repeated_document_is_named() {
        let mut systems = systems();
        systems.queries[0].lists[1] = Some(ScoredList { documents: vec![2, 2], scores: vec![2.0, 1.0] });
        let error = UntiedSystems::new(systems).err().unwrap().to_string();
        assert_eq!(error, "`b`, query 1: document 2 stands twice in the ranking");
    }
}
