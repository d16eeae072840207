//! Gain and discount of a measure, read off the values of the measure itself.
//!
//! A measure of gain x discount gives the value G(y) D(i) / normaliser to a ranking whose only
//! relevant document has grade y and stands at rank i. So U of queries with one relevant document
//! gives the gain, up to a factor. Rankings of such a query give seen(i) = D(i)/D(1), the
//! probability that the user sees rank i. Examples are 1/log2(i+1) for nDCG, p^(i-1) for RBP, 1 up
//! to rank k for P@k, and 2^((1-i)/(beta-1)) for NERU. So residual gain follows all gains,
//! discounts and conventions of the measure, and a new measure of this form needs no code here.
//!
//! Two relevant documents tell whether a measure has the form. Its values with these documents at
//! ranks 2, 3 and at ranks 1, 2 must relate as (D(2) + D(3)) : (D(1) + D(2)). If only the first
//! relevant document counts, they must relate as D(2) : D(1). RR is such a measure, and its
//! residual gain takes 1/i of every relevant document. AP, ERR and MeanNDCG do neither and are
//! refused.
//!
//! Cost: one evaluation for each rank, once in a study.

use fivefold_core::Seed;
use fivefold_metrics::{Conventions, Evaluator, Judged, MeasureSpec, Scratch, Ties, Version};

use crate::study::StudyError;

/// The deepest rankings that are allowed, since each position is evaluated.
const DEEPEST: usize = 10_000;

/// Two ratios count as equal within this tolerance. The ratios of measures of another form differ
/// by more than a hundredth.
const TOLERANCE: f64 = 1e-9;

/// The gain of a document, and the probability that a user sees a rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Utility {
    /// The gain of each grade from 0 to the highest.
    gain: Vec<f64>,
    /// The probability that the user sees rank i + 1; 0 beyond the end.
    seen: Vec<f64>,
    /// The measure's cutoff.
    cutoff: Option<usize>,
}

impl Utility {
    /// Gain and discount of a measure whose rankings have at most `depth` documents.
    ///
    /// # Errors
    /// The measure is no sum of gain x discount, is a UE version, or gives no grade a gain, or its
    /// rankings are too deep.
    pub fn of(spec: &MeasureSpec, conventions: &Conventions, max_grade: u8, depth: usize) -> Result<Self, StudyError> {
        let refuse = |why: &str| Err(StudyError::Input(format!("`{spec}` has no residual gain: {why}")));
        if spec.version() != Version::Original {
            return refuse("residual gain has a normalisation of its own; leave out the version");
        }
        if spec.cutoff().unwrap_or(depth) > DEEPEST {
            return refuse(&format!("its rankings are more than {DEEPEST} documents deep; give a lower cutoff"));
        }
        // No ties occur here; a policy that needs document ids must not ask for them.
        let conventions = Conventions { ties: Ties::Input, ..conventions.clone() };
        let evaluator = Evaluator::new(std::slice::from_ref(spec), &conventions, max_grade, Seed::new(0))?;
        let probe = Probe { evaluator: &evaluator, documents: spec.cutoff().unwrap_or(depth).max(3) };
        let gain = (0..=max_grade).map(|grade| probe.upper(grade)).collect::<Result<Vec<f64>, _>>()?;
        let highest = gain.last().copied().unwrap_or(0.0);
        if highest <= 0.0 {
            return refuse("no grade of these documents has a gain");
        }
        let one = probe.judge(&[max_grade])?;
        let first = probe.value(&one, &[1])?;
        let depth = spec.cutoff().unwrap_or(depth);
        let mut seen = (1..=depth.min(probe.documents))
            .map(|rank| Ok(probe.value(&one, &[rank])? / first))
            .collect::<Result<Vec<f64>, StudyError>>()?;
        // `wta` has a cutoff that its name does not show.
        let last = seen.iter().rposition(|&seen| seen > 0.0).map_or(0, |last| last + 1);
        seen.truncate(last);
        let cutoff = if last < depth { Some(last) } else { spec.cutoff() };
        let utility = Utility { gain, seen, cutoff };
        let two = probe.judge(&[max_grade, max_grade])?;
        let ratio = probe.value(&two, &[2, 3])? / probe.value(&two, &[1, 2])?;
        let [d1, d2, d3] = [0, 1, 2].map(|position| utility.seen(position));
        let forms = [(d2 + d3) / (d1 + d2), d2 / d1];
        if forms.iter().all(|form| (ratio - form).abs() > TOLERANCE) {
            return refuse(
                "the measure is no sum of gain x discount; such sums are dcg, ndcg, rbp, neru, nneru, p, wta and rr",
            );
        }
        Ok(utility)
    }

    /// Precision at a cutoff: gain 1 from the threshold up, and every rank up to the cutoff is
    /// seen. Its residual gain without a normaliser counts unique contributions.
    pub fn precision(cutoff: usize, threshold: u8, max_grade: u8) -> Self {
        let gain = (0..=max_grade).map(|grade| f64::from(u8::from(grade >= threshold))).collect();
        Utility { gain, seen: vec![1.0; cutoff], cutoff: Some(cutoff) }
    }

    /// The gain of a grade.
    pub fn gain(&self, grade: u8) -> f64 {
        self.gain.get(usize::from(grade)).copied().unwrap_or(0.0)
    }

    /// The probability that the user sees a position, counted from 0.
    pub fn seen(&self, position: usize) -> f64 {
        self.seen.get(position).copied().unwrap_or(0.0)
    }

    /// The probability that the user sees each of the positions that count, from the first.
    pub fn seen_positions(&self) -> &[f64] {
        &self.seen
    }

    /// Number of positions that count.
    pub fn depth(&self) -> usize {
        self.seen.len()
    }

    /// The measure's cutoff; `None` without a cutoff.
    pub fn cutoff(&self) -> Option<usize> {
        self.cutoff
    }
}

/// Evaluates a measure on single rankings.
struct Probe<'a> {
    evaluator: &'a Evaluator,
    /// Number of documents of each query.
    documents: usize,
}

impl Probe<'_> {
    /// A query whose first documents have these grades, and all other documents grade 0.
    fn judge(&self, grades: &[u8]) -> Result<Judged, StudyError> {
        let mut all = grades.to_vec();
        all.resize(self.documents, 0);
        Ok(self.evaluator.judge("probe", &all, None)?)
    }

    /// U of a query with one document of this grade.
    fn upper(&self, grade: u8) -> Result<f64, StudyError> {
        Ok(self.evaluator.upper(&self.judge(&[grade])?, 0).unwrap_or(0.0))
    }

    /// The value of the ranking with the query's first documents at `ranks`.
    fn value(&self, query: &Judged, ranks: &[usize]) -> Result<f64, StudyError> {
        let mut scores: Vec<f64> = Vec::with_capacity(self.documents);
        scores.extend(ranks.iter().map(|&rank| -(rank as f64)));
        let others = (1..).filter(|rank| !ranks.contains(rank)).take(self.documents - ranks.len());
        scores.extend(others.map(|rank: usize| -(rank as f64)));
        let mut value = [0.0];
        self.evaluator.evaluate(query, &scores, &mut Scratch::default(), &mut value)?;
        Ok(value[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fivefold_metrics::dialect;

    fn utility(name: &str) -> Result<Utility, String> {
        let conventions = dialect("paper").unwrap().conventions();
        Utility::of(&name.parse().unwrap(), &conventions, 3, 6).map_err(|error| error.to_string())
    }

    fn check(name: &str, gain: [f64; 4], seen: impl Fn(f64) -> f64, depth: usize) {
        let utility = utility(name).unwrap();
        let unit = utility.gain(3) / gain[3];
        for grade in 0..4 {
            assert!((utility.gain(grade) - unit * gain[usize::from(grade)]).abs() < 1e-12, "{name} {utility:?}");
        }
        assert_eq!(utility.depth(), depth, "{name}");
        for position in 0..depth {
            let expected = seen(position as f64 + 1.0);
            assert!((utility.seen(position) - expected).abs() < 1e-12, "{name} {utility:?}");
        }
        assert_eq!(utility.seen(depth), 0.0);
    }

    #[test]
    fn gains_and_discounts_are_the_measures_own() {
        let exp2 = [0.0, 1.0, 3.0, 7.0];
        let (linear, binary) = ([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 1.0, 1.0]);
        let log2 = |i: f64| 1.0 / libm::log2(i + 1.0);
        check("ndcg", exp2, log2, 6);
        check("ndcg@4", exp2, log2, 4);
        check("dcg@4", exp2, log2, 4);
        check("ndcg@1", exp2, log2, 1);
        check("ndcg(gain=linear,discount=zipf)@2", linear, |i| 1.0 / i, 2);
        check("ndcg(discount=letor)@4", exp2, |i| if i < 2.0 { 1.0 } else { 1.0 / libm::log2(i) }, 4);
        check("ndcg(discount=power:0.5)@10", exp2, |i| 1.0 / i.sqrt(), 10);
        check("rbp(p=0.5)", binary, |i| libm::pow(0.5, i - 1.0), 6);
        check("rbp(p=0.9,gain=linear)@3", linear, |i| libm::pow(0.9, i - 1.0), 3);
        check("p@3", binary, |_| 1.0, 3);
        check("p(threshold=2)@3", [0.0, 0.0, 1.0, 1.0], |_| 1.0, 3);
        check("wta", binary, |_| 1.0, 1);
        check("rr", binary, |i| 1.0 / i, 6);
        check("rr@2", binary, |i| 1.0 / i, 2);
        check("neru(beta=3,d=1)", [0.0, 0.0, 1.0, 2.0], |i| libm::pow(2.0, (1.0 - i) / 2.0), 6);
        check("nneru(beta=3,d=0)@5", linear, |i| libm::pow(2.0, (1.0 - i) / 2.0), 5);
    }

    #[test]
    fn measures_of_another_form_are_refused() {
        for name in ["ap", "ap@10", "ap@2", "sp@10", "err", "err@10", "meanndcg"] {
            assert!(utility(name).unwrap_err().contains("no sum of gain x discount"), "{name}");
        }
        assert!(utility("ndcg.v2@10").unwrap_err().contains("leave out the version"));
        assert!(utility("neru(d=3)").unwrap_err().contains("no grade"));
        assert_eq!(utility("wta").unwrap().cutoff(), Some(1));
        assert_eq!(utility("ndcg").unwrap().cutoff(), None);
    }

    #[test]
    fn precision_is_that_of_the_registered_measure() {
        let (asked, made) = (utility("p@5").unwrap(), Utility::precision(5, 1, 3));
        assert_eq!(asked.seen, made.seen);
        assert_eq!(asked.gain, made.gain.iter().map(|gain| gain / 5.0).collect::<Vec<_>>());
    }
}
