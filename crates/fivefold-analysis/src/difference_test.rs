//! How differences of systems are tested, and how the p-values are corrected for their number.
//! Letters, heat maps, words, and the tables of studies use this test.
//!
//! The paper's own tables use the paper's tests instead.

use fivefold_base::Seed;
use fivefold_base::words::{counted, which};
use fivefold_core::ParamError;
use fivefold_stats::outcome::t_interval;
use fivefold_stats::{
    Correction, Factor, Family, Interval, MOST_DRAWS, Moments, Outcome, PValueMethod, Significance, StatsError, Test,
    TestOptions, TestRun, UnknownName, correction, test,
};

/// A test with its correction. Both exist, and the correction suits the test.
///
/// ```
/// use fivefold_analysis::DifferenceTest;
/// use fivefold_base::Seed;
/// use fivefold_stats::Family;
///
/// // Three pairs of systems, of which the last two systems are the same.
/// let test = DifferenceTest::new("sign", "bonferroni", 1000, 0.05)?;
/// let family = Family::of_systems(&[&[0.5, 0.75, 0.75], &[0.25, 0.25, 0.5], &[0.25, 0.25, 0.5]])?;
/// let (run, corrected) = test.run(&family, Seed::new(1))?;
/// assert_eq!(run.p_values(), [Some(0.25), Some(0.25), Some(1.0)]);
/// assert_eq!(corrected, [Some(0.75), Some(0.75), Some(1.0)]);
/// // The sign test does not draw for all comparisons together.
/// assert!(DifferenceTest::new("sign", "maxt", 1000, 0.05).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DifferenceTest {
    /// The test.
    pub test: &'static Test,
    /// The correction, over all comparisons of one measure: pairs of systems at every cutoff.
    pub correction: &'static Correction,
    /// Number of draws, for tests that draw.
    pub draws: usize,
    /// The level below which a p-value is significant; intervals have the confidence 1 - alpha.
    pub alpha: f64,
}

/// How many p-values were found in each way. A test can be exact for few queries, and draw
/// otherwise.
///
/// ```
/// use fivefold_analysis::{DifferenceTest, HowFound};
/// use fivefold_base::Seed;
/// use fivefold_stats::Family;
///
/// let test = DifferenceTest::new("permutation", "none", 1000, 0.05)?;
/// let (run, _) = test.run(&Family::of_pair(&[0.5, 0.75, 0.75], &[0.25, 0.25, 0.5])?, Seed::new(1))?;
/// let mut found = HowFound::default();
/// found.add(&run);
/// assert_eq!(test.how_found(&found), " (exact)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HowFound(Vec<(PValueMethod, usize)>);

impl HowFound {
    /// Adds the p-values of a run.
    pub fn add(&mut self, run: &TestRun) {
        for method in run.outcomes.iter().filter_map(|outcome| Some(outcome.test.ok()?.method)) {
            self.count(method, 1);
        }
    }

    /// Adds the counts of another set of p-values.
    pub(crate) fn merge(&mut self, other: &HowFound) {
        other.0.iter().for_each(|&(method, count)| self.count(method, count));
    }

    fn count(&mut self, method: PValueMethod, count: usize) {
        match self.0.iter_mut().find(|(known, _)| *known == method) {
            Some((_, all)) => *all += count,
            None => self.0.push((method, count)),
        }
    }
}

impl DifferenceTest {
    /// The test and the correction of these names.
    ///
    /// # Errors
    /// An unknown name, a correction that does not suit the test, or a number out of range. The
    /// error names `test`, `correction`, `draws` or `alpha`.
    pub fn new(test_name: &str, correction_name: &str, draws: usize, alpha: f64) -> Result<Self, ParamError> {
        let unknown = |param: &str, error: UnknownName| ParamError::new(param, format!("is wrong: {error}"));
        let test = test(test_name).map_err(|error| unknown("test", error))?;
        let correction = correction(correction_name).map_err(|error| unknown("correction", error))?;
        let range = format!("from 1 to {MOST_DRAWS}");
        ParamError::unless((1..=MOST_DRAWS).contains(&draws), "draws", draws, &range)?;
        ParamError::unless(alpha > 0.0 && alpha < 1.0, "alpha", alpha, "between 0 and 1")?;
        let found = DifferenceTest { test, correction, draws, alpha };
        // A run on the smallest family shows whether test and correction fit together.
        let least = DifferenceTest { draws: 1, ..found.clone() };
        let tried = Family::of_pair(&[0.0, 1.0], &[1.0, 0.0]).and_then(|family| least.run(&family, Seed::new(0)));
        tried.map_err(|error| ParamError::new("correction", format!("is wrong: {error}")))?;
        Ok(found)
    }

    /// Tests a family. Returns the run and its corrected p-values.
    ///
    /// # Errors
    /// Too many queries to resample.
    pub fn run(&self, family: &Family<'_>, seed: Seed) -> Result<(TestRun, Vec<Option<f64>>), StatsError> {
        let options = TestOptions { draws: self.draws, seed, confidence: 1.0 - self.alpha };
        let mut run = self.test.run(family, &options)?;
        let corrected = self.correction.adjust(&run)?;
        if let Some(joint) = run.max_t.as_ref().filter(|_| self.correction.factor == Factor::Joint) {
            // The joint p-values are used, so their method is the method of each test.
            run.outcomes
                .iter_mut()
                .filter_map(|outcome| outcome.test.as_mut().ok())
                .for_each(|t| t.method = joint.method);
        }
        Ok((run, corrected))
    }

    /// Why no p-value of a run is significant, if the draws are too few for so many comparisons.
    pub fn too_few_draws(&self, run: &TestRun, corrected: &[Option<f64>]) -> Option<String> {
        let tests: Vec<(Significance, f64)> =
            run.outcomes.iter().zip(corrected).filter_map(|(outcome, p)| Some((outcome.test.ok()?, (*p)?))).collect();
        // A comparison with an exact p-value can be significant, whatever the number of draws.
        if tests.iter().any(|(test, p)| test.method == PValueMethod::Exact && *p < self.alpha) {
            return None;
        }
        let (drawn, counted_out): (Vec<_>, Vec<_>) =
            tests.iter().partition(|(test, _)| matches!(test.method, PValueMethod::Draws(_)));
        let Some(PValueMethod::Draws(draws)) = drawn.first().map(|(test, _)| test.method) else { return None };
        let (floor, comparisons) = (1.0 / (1.0 + draws as f64), tests.len());
        // A stepwise correction starts with the exact p-values that are smaller than any drawn
        // p-value can be.
        let before = counted_out.iter().filter(|(test, _)| test.p < floor).count();
        let least = match self.correction.factor {
            Factor::All => (floor * comparisons as f64).min(1.0),
            Factor::Rest => (floor * (comparisons - before) as f64).min(1.0),
            _ => floor,
        };
        let why = if least >= self.alpha {
            let which = if counted_out.is_empty() { "" } else { "drawn " };
            format!("no {which}p-value can be below {least:.4}, so that none is significant")
        } else {
            // The factor of the least p-value depends on the number of p-values at the floor.
            let at_floor = drawn.iter().filter(|(test, _)| test.p <= floor).count();
            let found = tests.iter().map(|(_, p)| *p).reduce(f64::min).filter(|&found| found >= self.alpha)?;
            if self.correction.factor != Factor::Shared || at_floor == 0 {
                return None;
            }
            format!(
                "no corrected p-value is below {found:.4}, so that none is significant, though {at_floor} {} as small as the draws allow \
                 ({floor:.4})",
                which(at_floor, "is", "are")
            )
        };
        let advice = match self.corrects() && self.correction.factor != Factor::Joint {
            true => "take more draws (`draws = ...`) or `correction = \"maxt\"`",
            false => "take more draws (`draws = ...`)",
        };
        Some(format!("With {} and {} {why}: {advice}", counted(draws, "draw"), counted(comparisons, "comparison")))
    }

    /// The ends of an interval of the mean difference that reaches 0 exactly if the pair is not
    /// told apart. For the t-test it is Student's at the level that the correction leaves to this
    /// comparison; another test has its own, if nothing else corrects it; `None`: there is none.
    pub(crate) fn ends(&self, outcome: &Outcome, corrected: f64, comparisons: usize) -> Option<(f64, f64)> {
        let interval = match self.test.of_the_paper {
            true => self.student(&outcome.moments, outcome.test.ok()?.p, corrected, comparisons)?,
            false if self.test.own_intervals && !self.corrects() => outcome.interval.ok()?,
            false => return None,
        };
        Some((interval.low, interval.high))
    }

    /// Student's interval of a mean difference at the level alpha p / corrected p: p is below this
    /// level exactly if the corrected p-value is below alpha.
    pub(crate) fn student(&self, moments: &Moments, p: f64, corrected: f64, comparisons: usize) -> Option<Interval> {
        // Below the least number that there is, p is 0, and the correction is at most a factor of
        // all comparisons.
        let factor = if corrected > 0.0 { p / corrected } else { 1.0 / comparisons.max(1) as f64 };
        t_interval(moments, 1.0 - self.alpha * factor).ok()
    }

    /// How the p-values were found, as a text to stand behind the test's name: ` (1000 draws)`,
    /// ` (exact)`. Empty if a test without draws was exact.
    pub fn how_found(&self, found: &HowFound) -> String {
        match found.0.as_slice() {
            [] => String::new(),
            [(PValueMethod::Exact, _)] if !self.test.draws => String::new(),
            [(only, _)] => format!(" ({only})"),
            [(method, count), others @ ..] => {
                let others = others.iter().map(|(method, count)| format!(", {method} for {count}"));
                format!(" ({method} for {}{})", counted(*count, "comparison"), others.collect::<String>())
            }
        }
    }

    /// Whether the test itself corrects its p-values for all pairs.
    pub fn corrects_itself(&self) -> bool {
        self.test.corrects_itself
    }

    /// The names of the test and the correction, for places with little room.
    pub fn in_short(&self) -> String {
        match self.corrects_itself() {
            true => format!("{}, corrected by itself", self.test.name),
            false => format!("{}, correction: {}", self.test.name, self.correction.name),
        }
    }

    /// Whether a correction besides the test changes the p-values.
    pub fn corrects(&self) -> bool {
        self.correction.corrects()
    }

    /// The test in words, with how the p-values were found: `paired two-sided t-test over queries,
    /// p < 0.05 after Holm's correction over all comparisons of a measure (pairs at every cutoff)`.
    pub fn in_words(&self, found: &HowFound) -> String {
        let correction = match self.corrects() {
            true => {
                format!(" after {} over all comparisons of a measure (pairs at every cutoff)", self.correction.title)
            }
            false if self.corrects_itself() => ", for all pairs of a measure at a cutoff together".to_owned(),
            false => ", no correction for the number of comparisons".to_owned(),
        };
        format!("{} over queries{}, p < {}{correction}", self.test.title, self.how_found(found), self.alpha)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_go_together_is_refused_and_named() {
        let error = |test: &str, correction: &str, draws, alpha| {
            DifferenceTest::new(test, correction, draws, alpha).unwrap_err().to_string()
        };
        assert!(error("t", "maxt", 9, 0.05).contains("take the test permutation or bootstrap"));
        assert!(error("tt", "holm", 9, 0.05).starts_with("`test` is wrong: unknown test"));
        assert!(error("t", "hol", 9, 0.05).contains("did you mean \"holm\"?"));
        assert!(error("t", "holm", 0, 0.05).starts_with("`draws` must be"));
        assert!(error("t", "holm", 9, 1.0).starts_with("`alpha` must be"));
        assert!(DifferenceTest::new("permutation", "maxt", 9, 0.05).is_ok());
        // ranx #61, PyTerrier #99.
        for correction in ["bonferroni", "holm", "bh", "maxt"] {
            let error = error("tukey-hsd", correction, 9, 0.05);
            assert!(error.starts_with("`correction` is wrong: the test already corrects its p-values"), "{error}");
        }
        assert!(DifferenceTest::new("tukey-hsd", "none", 9, 0.05).is_ok());
    }

    /// 40 queries on which each system beats the system before it. The raw p-values are as small as
    /// 99 draws allow: 1/100.
    #[test]
    fn draws_that_are_too_few_are_named() {
        let systems: Vec<Vec<f64>> =
            (0..4).map(|system| (0..40).map(|query| f64::from(system * 10 + query % 3 * system)).collect()).collect();
        let family = Family::of_groups(vec![systems.iter().map(Vec::as_slice).collect()]).unwrap();
        let said = |test: &str, correction: &str, draws| {
            let difference = DifferenceTest::new(test, correction, draws, 0.05).unwrap();
            let (run, p) = difference.run(&family, Seed::new(1)).unwrap();
            let said = difference.too_few_draws(&run, &p);
            // The note appears exactly if no p-value is significant.
            assert_eq!(said.is_some(), p.iter().flatten().all(|&p| p >= 0.05), "{test} {correction} {draws} {p:?}");
            said
        };
        assert_eq!(
            said("permutation", "holm", 99).unwrap(),
            "With 99 draws and 6 comparisons no p-value can be below 0.0600, so that none is significant: take more draws \
             (`draws = ...`) or `correction = \"maxt\"`"
        );
        assert!(said("permutation", "bonferroni", 99).is_some());
        assert!(said("permutation", "holm", 9).unwrap().contains("below 0.6000"));
        assert!(said("permutation", "none", 9).unwrap().ends_with("take more draws (`draws = ...`)"));
        assert!(said("permutation", "maxt", 9).is_some());
        assert!(said("permutation", "bh", 9).unwrap().contains("no p-value can be below 0.1000"));
        for (test, correction) in
            [("permutation", "holm"), ("permutation", "maxt"), ("permutation", "bh"), ("t", "holm")]
        {
            assert_eq!(said(test, correction, 999), None);
        }
    }

    /// Three systems on 40 queries, with 9 draws. The systems a and b differ on six queries, always
    /// in favour of b, so their exact p is 2/64. System c is above both systems, and its p is 1/10.
    /// Holm makes 3/32, 2/10 and 2/10 of these p-values.
    #[test]
    fn draws_that_are_too_few_beside_what_is_counted_out_are_named() {
        let a: Vec<f64> = (0..40u32).map(|query| f64::from(query * 3 % 7)).collect();
        let b: Vec<f64> = a.iter().enumerate().map(|(query, value)| value + f64::from(u8::from(query < 6))).collect();
        let c: Vec<f64> = a.iter().map(|value| value + 2.0).collect();
        let family = Family::of_groups(vec![vec![a.as_slice(), &b, &c]]).unwrap();
        let few = DifferenceTest::new("permutation", "holm", 9, 0.05).unwrap();
        let (run, p) = few.run(&family, Seed::new(1)).unwrap();
        let expected = [3.0 / 32.0, 0.2, 0.2];
        assert!(p.iter().zip(expected).all(|(p, expected)| (p.unwrap() - expected).abs() < 1e-12), "{p:?}");
        assert!(
            few.too_few_draws(&run, &p)
                .unwrap()
                .starts_with("With 9 draws and 3 comparisons no drawn p-value can be below 0.2000")
        );
        // An exact p-value can be significant, even with few draws.
        let lenient = DifferenceTest { alpha: 0.1, ..few };
        assert_eq!(lenient.too_few_draws(&run, &p), None);
    }

    /// One system above five equal systems: of 15 pairs, its five have p = 1/100, the least that 99
    /// draws can give. BH multiplies it by 15/5.
    #[test]
    fn a_rate_of_false_discoveries_says_how_many_are_as_small_as_can_be() {
        let alike: Vec<f64> = (0..40u32).map(|query| f64::from(query * 4 % 7)).collect();
        let above: Vec<f64> = alike.iter().map(|value| value + 0.5).collect();
        let group = std::iter::once(above.as_slice()).chain(std::iter::repeat_n(alike.as_slice(), 5));
        let family = Family::of_groups(vec![group.collect()]).unwrap();
        let said = |alpha: f64| {
            let difference = DifferenceTest::new("permutation", "bh", 99, alpha).unwrap();
            let (run, p) = difference.run(&family, Seed::new(1)).unwrap();
            let least = p.iter().flatten().copied().reduce(f64::min).unwrap();
            assert!((least - 0.03).abs() < 1e-12 && p.iter().flatten().filter(|p| **p == least).count() == 5, "{p:?}");
            difference.too_few_draws(&run, &p)
        };
        assert_eq!(said(0.05), None);
        assert_eq!(
            said(0.02).unwrap(),
            "With 99 draws and 15 comparisons no corrected p-value is below 0.0300, so that none is significant, though 5 are as small as \
             the draws allow (0.0100): take more draws (`draws = ...`) or `correction = \"maxt\"`"
        );
        assert!(
            said(0.005).unwrap().starts_with("With 99 draws and 15 comparisons no drawn p-value can be below 0.0100")
        );
    }

    /// The words say how p was found, not how it was to be found: p is exact for 20 queries, and
    /// drawn for 27 queries that differ.
    #[test]
    fn words_say_how_p_values_were_found() {
        let values = |queries: u32, factor: u32| -> Vec<f64> {
            (0..queries).map(|query| f64::from(query * factor % 11)).collect()
        };
        let found = |test: &DifferenceTest, queries: u32| {
            let mut found = HowFound::default();
            let [one, other] = [3, 7].map(|factor| values(queries, factor));
            let family = Family::of_pair(&one, &other).unwrap();
            found.add(&test.run(&family, Seed::new(1)).unwrap().0);
            found
        };
        let test = |name: &str| DifferenceTest::new(name, "none", 99, 0.05).unwrap();
        let permutation = test("permutation");
        let (exact, drawn) = (found(&permutation, 20), found(&permutation, 30));
        assert_eq!(permutation.how_found(&exact), " (exact)");
        assert_eq!(permutation.how_found(&drawn), " (99 draws)");
        assert_eq!(permutation.how_found(&HowFound::default()), "");
        let mut both = exact.clone();
        [&drawn, &drawn].into_iter().for_each(|other| both.merge(other));
        assert_eq!(permutation.how_found(&both), " (exact for 1 comparison, 99 draws for 2)");
        assert_eq!(test("t").how_found(&found(&test("t"), 40)), "");
        let wilcoxon = test("wilcoxon");
        assert_eq!(wilcoxon.how_found(&found(&wilcoxon, 300)), " (normal approximation)");
    }

    #[test]
    fn words_say_what_was_corrected_for() {
        let drawn = HowFound(vec![(PValueMethod::Draws(99), 3)]);
        let exact = HowFound(vec![(PValueMethod::Exact, 3)]);
        let words = |test: &str, correction: &str| {
            let test = DifferenceTest::new(test, correction, 99, 0.05).unwrap();
            test.in_words(if test.test.draws { &drawn } else { &exact })
        };
        assert_eq!(
            words("t", "holm"),
            "paired two-sided t-test over queries, p < 0.05 after Holm's correction over all comparisons of a measure (pairs at \
             every cutoff)"
        );
        assert_eq!(
            words("permutation", "none"),
            "paired permutation test over queries (99 draws), p < 0.05, no correction for the number of comparisons"
        );
        assert!(words("tukey-hsd", "none").ends_with("for all pairs of a measure at a cutoff together"));
    }
}
