//! Systems compared under one measure on one data set: means, intervals, and p-values of every
//! pair. A run and a study of anyone's scores return this type, and so have the same page.

use std::cmp::Ordering;

use fivefold_base::rounding::levels_of_defined;
use fivefold_stats::outcome::t_interval;
use fivefold_stats::{Comparison, Moments, TestRun};
use serde::{Deserialize, Serialize};

use crate::difference_test::DifferenceTest;
use crate::table::Mark;

/// Systems under one measure, at each of its cutoffs.
///
/// ```
/// use fivefold_analysis::Compared;
/// use fivefold_analysis::compared::SystemMean;
///
/// let means = [[0.5, 0.75], [0.25, 0.5]].map(|values| vec![SystemMean::of(&values, 0.95)]);
/// let (family, cutoffs) = ("ndcg".to_owned(), vec!["@10".to_owned()]);
/// let mut compared = Compared::untested(family.clone(), family, cutoffs, vec![0, 1], means.to_vec());
/// assert_eq!(compared.column(0), [Some(0.625), Some(0.375)]);
/// // The test of the only pair, at the only cutoff.
/// compared.p_values = vec![vec![Some(0.01)]];
/// assert_eq!((compared.beaten(0, 0, 0.05), compared.beaten(1, 0, 0.05)), (vec![1], vec![]));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The measure without version and cutoff: `ndcg`.
    pub family: String,
    /// The measure with its version, without cutoff: `ndcg.v1`.
    pub measure: String,
    /// The name of each cutoff: `@5`, `whole list`.
    pub cutoffs: Vec<String>,
    /// The systems that are compared, as indices of all systems of the data set.
    pub systems: Vec<usize>,
    /// `[system][cutoff]`.
    pub means: Vec<Vec<SystemMean>>,
    /// `[pair][cutoff]`: corrected p-value of the test of differences, pairs in the order (0,1),
    /// (0,2), ..; `None` if a pair was not tested.
    pub p_values: Vec<Vec<Option<f64>>>,
    /// `[pair]`: the paired difference at the main cutoff; `None` where a pair was not tested.
    /// Empty in pages of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Option<PairedDifference>>,
    /// Comparisons in which the test favours another system than the means do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against_means: Vec<AgainstMeans>,
    /// Why no p-value can be significant, if the draws are too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub too_few_draws: Option<String>,
}

/// A comparison in which the test favours another system than the means do. Such a test looks at
/// signs or ranks of differences, not at their mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgainstMeans {
    /// Place of the pair in [`Compared::p_values`].
    pub pair: usize,
    /// Place of the cutoff.
    pub cutoff: usize,
    /// Whether the test favours the first system of the pair.
    pub first: bool,
}

/// The mean over queries of the difference of two systems: the first of the pair less the second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairedDifference {
    /// The mean.
    pub mean: f64,
    /// The ends of an interval that reaches 0 exactly if the two are not told apart; `None` where
    /// the test has no such interval.
    pub ends: Option<(f64, f64)>,
}

impl PairedDifference {
    /// The same with the systems exchanged.
    #[must_use]
    pub fn reversed(self) -> Self {
        PairedDifference { mean: -self.mean, ends: self.ends.map(|(low, high)| (-high, -low)) }
    }
}

/// The mean of a system over queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SystemMean {
    /// The mean; `None` if no query has a value.
    pub mean: Option<f64>,
    /// The ends of the interval; `None` if fewer than two queries have a value.
    pub ends: Option<(f64, f64)>,
}

impl SystemMean {
    /// The mean of some values, and its interval (Student's t).
    pub fn of(values: &[f64], confidence: f64) -> Self {
        let moments = Moments::of(values);
        let ends = t_interval(&moments, confidence).ok();
        SystemMean { mean: (!values.is_empty()).then_some(moments.mean), ends: ends.map(|ends| (ends.low, ends.high)) }
    }
}

impl Compared {
    /// Systems under a measure before any test, from `means[system][cutoff]`.
    pub fn untested(
        family: String,
        measure: String,
        cutoffs: Vec<String>,
        systems: Vec<usize>,
        means: Vec<Vec<SystemMean>>,
    ) -> Self {
        let pairs = systems.len() * systems.len().saturating_sub(1) / 2;
        let p_values = vec![vec![None; cutoffs.len()]; pairs];
        let (differences, against_means, too_few_draws) = (vec![None; pairs], Vec::new(), None);
        Compared { family, measure, cutoffs, systems, means, p_values, differences, against_means, too_few_draws }
    }

    /// Enters the results of a test of the systems. Each cutoff is a group of the run.
    pub fn put(&mut self, difference: &DifferenceTest, run: &TestRun, p_values: &[Option<f64>]) {
        self.too_few_draws = difference.too_few_draws(run, p_values);
        let (main, comparisons) = (self.main_cutoff(), p_values.iter().flatten().count());
        for (outcome, p) in run.outcomes.iter().zip(p_values) {
            let Comparison { first, second, group: cutoff } = outcome.comparison;
            if let Some(pair) = self.pair(first, second) {
                self.p_values[pair][cutoff] = *p;
                if let (true, Some(p)) = (cutoff == main, *p) {
                    let ends = difference.ends(outcome, p, comparisons);
                    let found = PairedDifference { mean: outcome.difference, ends };
                    self.differences[pair] = Some(if first < second { found } else { found.reversed() });
                }
                if let Ok(test) = outcome.test {
                    self.favour([first, second], cutoff, test.favours);
                }
            }
        }
    }

    /// The cutoff that stands for the measure if one number is shown: 10 if it was evaluated, else
    /// the last.
    pub fn main_cutoff(&self) -> usize {
        main_cutoff(&self.cutoffs)
    }

    /// The measure at a cutoff: `ndcg.v1@10`, `ap` for the whole list.
    pub fn measure_at(&self, cutoff: usize) -> String {
        let head = &self.cutoffs[cutoff];
        format!("{}{}", self.measure, if head.starts_with('@') { head } else { "" })
    }

    /// The mean of each system at a cutoff.
    pub fn column(&self, cutoff: usize) -> Vec<Option<f64>> {
        self.means.iter().map(|of_system| of_system[cutoff].mean).collect()
    }

    /// [`column`](Self::column) for comparisons: means that differ by rounding alone become the
    /// same number.
    pub fn levels(&self, cutoff: usize) -> Vec<Option<f64>> {
        levels_of_defined(&self.column(cutoff))
    }

    /// The places of the systems at a cutoff, from the highest mean to the lowest. Systems without a
    /// mean come last.
    pub fn order(&self, cutoff: usize) -> Vec<usize> {
        let levels = self.levels(cutoff);
        let mut order: Vec<usize> = (0..levels.len()).collect();
        order.sort_by(|&a, &b| match (levels[a], levels[b]) {
            (Some(a), Some(b)) => b.total_cmp(&a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        order
    }

    /// The places of the systems with a mean at a cutoff, from the highest mean to the lowest.
    pub fn ranked(&self, cutoff: usize) -> Vec<usize> {
        let mut order = self.order(cutoff);
        order.retain(|&place| self.means[place][cutoff].mean.is_some());
        order
    }

    /// The p-value of two systems (places in [`Compared::systems`]) at a cutoff. `None` if the two
    /// are the same system, or were not tested.
    pub fn p(&self, a: usize, b: usize, cutoff: usize) -> Option<f64> {
        self.p_values.get(self.pair(a, b)?)?.get(cutoff).copied().flatten()
    }

    /// The mean difference of system `a` less system `b` at the main cutoff.
    pub fn difference(&self, a: usize, b: usize) -> Option<PairedDifference> {
        let found = self.differences.get(self.pair(a, b)?).copied().flatten()?;
        Some(if a < b { found } else { found.reversed() })
    }

    /// The place of a pair of systems in [`Compared::p_values`].
    pub fn pair(&self, a: usize, b: usize) -> Option<usize> {
        let (low, high) = (a.min(b), a.max(b));
        // Pairs before those of `low`, then the place among them.
        let before = low * (2 * self.systems.len() - low - 1) / 2;
        (low < high).then(|| before + high - low - 1)
    }

    /// Notes which of two systems the test favours at a cutoff (`Greater`: the first), if the means
    /// disagree.
    pub fn favour(&mut self, [first, second]: [usize; 2], cutoff: usize, favours: Ordering) {
        let Some(pair) = self.pair(first, second) else { return };
        let first_wins = favours.is_gt() == (first < second);
        if favours.is_ne() && favours != self.better(cutoff)(first, second) {
            self.against_means.push(AgainstMeans { pair, cutoff, first: first_wins });
        }
    }

    /// Which of two systems the test favours at a cutoff, if it finds a difference: `Greater` for
    /// the first.
    pub fn better(&self, cutoff: usize) -> impl Fn(usize, usize) -> Ordering + '_ {
        let levels = self.levels(cutoff);
        move |a, b| {
            let pair = self.pair(a, b);
            let against = self.against_means.iter().find(|entry| Some(entry.pair) == pair && entry.cutoff == cutoff);
            match against {
                Some(entry) => {
                    if entry.first == (a < b) {
                        Ordering::Greater
                    } else {
                        Ordering::Less
                    }
                }
                None => levels[a].partial_cmp(&levels[b]).unwrap_or(Ordering::Equal),
            }
        }
    }

    /// The systems that a system beats at a cutoff. The difference is significant, and `system` is
    /// the better system.
    pub fn beaten(&self, system: usize, cutoff: usize, alpha: f64) -> Vec<usize> {
        let better = self.better(cutoff);
        let significant = |other: &usize| self.p(system, *other, cutoff).is_some_and(|p| p < alpha);
        (0..self.systems.len()).filter(significant).filter(|&other| better(system, other).is_gt()).collect()
    }

    /// How each system stands to the best one at a cutoff. `None`: it is significantly worse. Where
    /// too few draws were made to tell any apart, none counts as tested.
    pub fn marks(&self, cutoff: usize, alpha: f64) -> Vec<Option<Mark>> {
        let levels = self.levels(cutoff);
        let Some(&best) = self.order(cutoff).first() else { return Vec::new() };
        let beaten = self.beaten(best, cutoff, alpha);
        let mark = |place: usize| match self.p(best, place, cutoff) {
            _ if levels[place].is_none() => Some(Mark::Untested),
            _ if levels[place] == levels[best] => Some(Mark::Best),
            Some(_) if self.too_few_draws.is_none() => (!beaten.contains(&place)).then_some(Mark::NotToldApart),
            _ => Some(Mark::Untested),
        };
        (0..self.systems.len()).map(mark).collect()
    }

    /// Comparisons that were tested, at all cutoffs: the family of a correction.
    pub fn tested(&self) -> usize {
        self.p_values.iter().flatten().flatten().count()
    }

    /// The same comparison for some of the systems (indices of all systems of the data set).
    #[must_use]
    pub fn among(&self, systems: &[usize]) -> Compared {
        let places: Vec<usize> =
            (0..self.systems.len()).filter(|&place| systems.contains(&self.systems[place])).collect();
        let pairs = places.iter().enumerate().flat_map(|(at, &a)| places[at + 1..].iter().map(move |&b| (a, b)));
        let pairs: Vec<usize> = pairs.filter_map(|(a, b)| self.pair(a, b)).collect();
        let against_means = self.against_means.iter().filter_map(|own| {
            let pair = pairs.iter().position(|&pair| pair == own.pair)?;
            Some(AgainstMeans { pair, ..*own })
        });
        Compared {
            family: self.family.clone(),
            measure: self.measure.clone(),
            cutoffs: self.cutoffs.clone(),
            systems: places.iter().map(|&place| self.systems[place]).collect(),
            means: places.iter().map(|&place| self.means[place].clone()).collect(),
            against_means: against_means.collect(),
            p_values: pairs.iter().filter_map(|&pair| self.p_values.get(pair).cloned()).collect(),
            differences: pairs.iter().filter_map(|&pair| self.differences.get(pair).copied()).collect(),
            too_few_draws: self.too_few_draws.clone(),
        }
    }
}

/// The place of the cutoff that stands for a measure if one number is shown: 10 if it was
/// evaluated, else the last cutoff.
pub(crate) fn main_cutoff(cutoffs: &[String]) -> usize {
    cutoffs.iter().position(|cutoff| cutoff == "@10").unwrap_or(cutoffs.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The p-value of systems i < j is .ij, whatever else is compared. The mean of system i is i.
    fn six() -> Compared {
        let pairs = (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j)));
        Compared {
            family: "ndcg".to_owned(),
            measure: "ndcg".to_owned(),
            cutoffs: vec!["@10".to_owned()],
            systems: (0..6).collect(),
            means: (0..6).map(|system| vec![SystemMean { mean: Some(f64::from(system)), ends: None }]).collect(),
            p_values: pairs.map(|(i, j)| vec![Some(f64::from(i) / 10.0 + f64::from(j) / 100.0)]).collect(),
            differences: Vec::new(),
            against_means: Vec::new(),
            too_few_draws: None,
        }
    }

    #[test]
    fn some_systems_keep_their_means_and_p_values() {
        let all = six();
        assert_eq!((all.p(4, 2, 0), all.tested()), (Some(0.2 + 0.04), 15));
        let some = all.among(&[5, 1, 2]);
        assert_eq!(some.systems, [1, 2, 5]);
        assert_eq!(some.column(0), [Some(1.0), Some(2.0), Some(5.0)]);
        assert_eq!(
            [some.p(0, 1, 0), some.p(0, 2, 0), some.p(2, 1, 0)],
            [all.p(1, 2, 0), all.p(1, 5, 0), all.p(2, 5, 0)]
        );
        assert_eq!((some.p(1, 1, 0), some.p_values.len()), (None, 3));
    }

    /// No values have no mean, which is not 0.
    #[test]
    fn no_values_have_no_mean() {
        assert_eq!(SystemMean::of(&[], 0.95), SystemMean { mean: None, ends: None });
        assert_eq!(SystemMean::of(&[0.25], 0.95), SystemMean { mean: Some(0.25), ends: None });
    }

    /// The favoured system is the same, whichever system is asked for first, and also among some of
    /// the systems.
    #[test]
    fn a_test_can_favour_the_lower_mean() {
        let mut all = six();
        all.favour([0, 3], 0, Ordering::Greater);
        all.favour([5, 2], 0, Ordering::Less);
        all.favour([1, 4], 0, Ordering::Less);
        assert_eq!(all.against_means.len(), 2, "the last says what the means say");
        for compared in [all.clone(), all.among(&[0, 2, 3, 5])] {
            let place = |system: usize| compared.systems.iter().position(|&own| own == system).unwrap();
            let better = compared.better(0);
            let of = |a: usize, b: usize| better(place(a), place(b));
            assert_eq!(
                [of(0, 3), of(3, 0), of(2, 5), of(5, 2)],
                [Ordering::Greater, Ordering::Less, Ordering::Greater, Ordering::Less]
            );
            assert_eq!([of(0, 2), of(5, 3)], [Ordering::Less, Ordering::Greater]);
            assert_eq!(compared.beaten(place(0), 0, 0.05), [place(3)]);
            assert!(!compared.beaten(place(3), 0, 0.05).contains(&place(0)));
        }
    }

    /// System 5 is best; it is told from system 0 (p = .05) and system 1 (.15), but not from the others.
    #[test]
    fn marks_say_how_systems_stand_to_the_best() {
        let mut all = six();
        let alike = Some(Mark::NotToldApart);
        assert_eq!(all.marks(0, 0.2), [None, None, alike, alike, alike, Some(Mark::Best)]);
        all.means[4][0].mean = Some(5.0);
        all.means[2][0].mean = None;
        let (best, untested) = (Some(Mark::Best), Some(Mark::Untested));
        // System 4 is now the first of the two best: p = .04, .14 and .34.
        assert_eq!(all.marks(0, 0.2), [None, None, untested, alike, best, best]);
        all.too_few_draws = Some("too few".to_owned());
        assert_eq!(all.marks(0, 0.2), [untested, untested, untested, untested, best, best]);
    }

    #[test]
    fn lower_means_are_beaten_below_alpha_alone() {
        let all = six();
        // p of (0, 3) is .03, of (1, 3) .13, of (2, 3) .23.
        assert_eq!(all.beaten(3, 0, 0.05), [0]);
        assert_eq!(all.beaten(3, 0, 0.03), [0; 0]);
        assert_eq!(all.beaten(3, 0, 0.2), [0, 1]);
        assert_eq!(all.beaten(0, 0, 1.0), [0; 0]);
    }
}
