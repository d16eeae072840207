//! Measures of diversity: a topic has subtopics, and a document is relevant to some of them.
//!
//! Each is a sum over subtopics of an ordinary measure, which looks at the documents that are
//! relevant to the subtopic. This file has these ordinary measures; `crate::diversity` adds them up.
//! With J(i) = 1 if the document at rank i is relevant to the subtopic, and n(i) relevant documents
//! in the first i,
//! - the family of novelty sums D(i) J(i) (1-alpha)^{n(i-1)}: a user who has seen the subtopic wants
//!   less of it. That is a user who stops at a relevant document with probability alpha, divided by
//!   alpha (`err.rs`). D is 1/log2(i+1) for `alpha_dcg` and `alpha_ndcg` [Clarke et al., SIGIR 2008],
//!   1/i for `err_ia` and `nerr_ia` [Agrawal et al., WSDM 2009; ndeval], beta^{i-1} for `nrbp` and
//!   `nnrbp` [Clarke, Kolla & Vechtomova, ICTIR 2009], and 1, with alpha = 1, for `strec` [Zhai,
//!   Cohen & Lafferty, SIGIR 2003];
//! - `p_ia` sums J(i), and `ap_ia` is the mean of AP over subtopics.
//!
//! Divisors, with S subtopics that have a relevant document: `alpha_ndcg`, `nerr_ia` and `nnrbp`
//! divide by U, that of the greedy order unless `upper=exact`; `alpha_dcg` and `err_ia` by
//! sum_{i<=k} S (1-alpha)^{i-1} D(i), as if each document were relevant to all subtopics; `nrbp`
//! multiplies by (1 - (1-alpha) beta)/S. ndeval does not divide `err_ia@1` and `alpha_dcg@1`; there
//! S alone divides here.

use super::err::Cascade;
use super::{NONE_RELEVANT, discounted::Discounts};
use crate::conventions::{Discount, NoRelevant, words};
use crate::diversity::MOST_DOCUMENTS;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, Param, Settings, THRESHOLD, number, word};
use crate::error::MeasureError;
use crate::measure::{GradeTable, Greedy, Measure, Parts, Ranked};

/// `alpha_ndcg`.
pub(super) const ALPHA_NDCG: MeasureEntry = MeasureEntry {
    name: "alpha_ndcg",
    summary: "diversity: novelty, discounted by the logarithm of the rank, over that of an ideal order",
    formula: "sum_{i<=k} sum over subtopics of J(i) (1-alpha)^{n(i-1)} / log2(i+1), over U: that of the greedy or best order",
    source: "Clarke et al., SIGIR 2008; ndeval",
    cutoffs: Cutoffs::Optional,
    params: &[ALPHA, UPPER, THRESHOLD, NO_RELEVANT],
    asks: Asks::Subtopics,
    paper: None,
    no_ue: None,
    build: |settings| discounted(settings, Discount::Log2, Divisor::Upper),
};

/// `alpha_dcg`.
pub(super) const ALPHA_DCG: MeasureEntry = MeasureEntry {
    name: "alpha_dcg",
    summary: "diversity: novelty, discounted by the logarithm of the rank",
    formula: "sum_{i<=k} sum over subtopics of J(i) (1-alpha)^{n(i-1)} / log2(i+1), over sum_{i<=k} S (1-alpha)^{i-1} / log2(i+1)",
    build: |settings| discounted(settings, Discount::Log2, Divisor::AllInEach),
    ..ALPHA_NDCG
};

/// `err_ia`.
pub(super) const ERR_IA: MeasureEntry = MeasureEntry {
    name: "err_ia",
    summary: "diversity: novelty, discounted by the rank (intent-aware ERR)",
    formula: "sum_{i<=k} sum over subtopics of J(i) (1-alpha)^{n(i-1)} / i, over sum_{i<=k} S (1-alpha)^{i-1} / i",
    source: "Agrawal et al., WSDM 2009; ndeval",
    build: |settings| discounted(settings, Discount::Zipf, Divisor::AllInEach),
    ..ALPHA_NDCG
};

/// `nerr_ia`.
pub(super) const NERR_IA: MeasureEntry = MeasureEntry {
    name: "nerr_ia",
    summary: "diversity: intent-aware ERR over that of an ideal order",
    formula: "sum_{i<=k} sum over subtopics of J(i) (1-alpha)^{n(i-1)} / i, over U: that of the greedy or best order",
    build: |settings| discounted(settings, Discount::Zipf, Divisor::Upper),
    ..ERR_IA
};

/// `nrbp`.
pub(super) const NRBP: MeasureEntry = MeasureEntry {
    name: "nrbp",
    summary: "diversity: novelty for a user who goes on with probability beta",
    formula: "(1 - (1-alpha) beta)/S sum over ranks and subtopics of J(i) (1-alpha)^{n(i-1)} beta^{i-1}",
    source: "Clarke, Kolla & Vechtomova, ICTIR 2009; ndeval",
    cutoffs: Cutoffs::Never,
    params: &[ALPHA, BETA, UPPER, THRESHOLD, NO_RELEVANT],
    build: |settings| rank_biased(settings, Divisor::AllInEach),
    ..ALPHA_NDCG
};

/// `nnrbp`.
pub(super) const NNRBP: MeasureEntry = MeasureEntry {
    name: "nnrbp",
    summary: "diversity: NRBP over that of an ideal order",
    formula: "NRBP, over U: NRBP of the greedy or best order",
    build: |settings| rank_biased(settings, Divisor::Upper),
    ..NRBP
};

/// `p_ia`.
pub(super) const P_IA: MeasureEntry = MeasureEntry {
    name: "p_ia",
    summary: "diversity: mean precision over subtopics",
    formula: "sum_{i<=k} subtopics that document i is relevant to, over k S",
    source: "Agrawal et al., WSDM 2009; ndeval",
    cutoffs: Cutoffs::Required,
    params: &[THRESHOLD, NO_RELEVANT],
    build: |settings| {
        let no_relevant = settings.get("no_relevant")?;
        Ok(Box::new(IntentAware { no_relevant, precision: false }))
    },
    ..ALPHA_NDCG
};

/// `ap_ia`.
pub(super) const AP_IA: MeasureEntry = MeasureEntry {
    name: "ap_ia",
    summary: "diversity: mean average precision over subtopics",
    formula: "mean over subtopics of AP for the documents relevant to it",
    cutoffs: Cutoffs::Never,
    no_ue: Some("no order of the documents is best for all subtopics, so there is no upper bound"),
    build: |settings| {
        let no_relevant = settings.get("no_relevant")?;
        Ok(Box::new(IntentAware { no_relevant, precision: true }))
    },
    ..P_IA
};

/// `strec`.
pub(super) const STREC: MeasureEntry = MeasureEntry {
    name: "strec",
    summary: "diversity: subtopic recall, the share of subtopics seen in the top",
    formula: "subtopics with a relevant document in the top min(k,n) / S",
    source: "Zhai, Cohen & Lafferty, SIGIR 2003; ndeval",
    cutoffs: Cutoffs::Required,
    params: &[UPPER, THRESHOLD, NO_RELEVANT],
    build: |settings| Ok(Box::new(novelty(settings, 1.0, Divisor::Subtopics, |_| 1.0)?)),
    ..ALPHA_NDCG
};

const ALPHA: Param = Param {
    name: "alpha",
    help: "how much less a document is worth for a subtopic that the user has seen once",
    values: "a number above 0, at most 1",
    canonical: |text| number(text, |alpha| alpha > 0.0 && alpha <= 1.0),
    default: |_, _| "0.5".to_owned(),
    usual: None,
};

const BETA: Param = Param {
    name: "beta",
    help: "the probability that the user goes on to the next document",
    values: "a number above 0 and below 1",
    canonical: |text| number(text, |beta| beta > 0.0 && beta < 1.0),
    default: |_, _| "0.5".to_owned(),
    usual: None,
};

words! {
    /// The order whose value is U.
    Upper, "upper", {
        /// At each rank the document of most remaining gain.
        Greedy = "greedy",
        /// The best order.
        Exact = "exact",
    }
}

const UPPER: Param = Param {
    name: "upper",
    help: "U: the value of the greedy order, which another order may exceed, or of the best order, which is found for up to 20 documents with a subtopic; beyond, what needs U is undefined",
    values: "greedy or exact",
    canonical: word::<Upper>,
    default: |_, _| Upper::Greedy.to_string(),
    usual: None,
};

/// How the sum over subtopics becomes the original value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Divisor {
    /// U.
    Upper,
    /// The sum if each document were relevant to all subtopics.
    AllInEach,
    /// The number of subtopics.
    Subtopics,
}

struct Novelty {
    user: Cascade,
    alpha: f64,
    discounts: Discounts,
    divisor: Divisor,
    upper: Upper,
    /// The sum of (1-alpha)^{i-1} D(i) over all ranks, if it has a closed form.
    whole_sum: Option<f64>,
    no_relevant: NoRelevant,
}

/// Novelty with a discount of ranks.
fn discounted(settings: &Settings, discount: Discount, divisor: Divisor) -> Result<Box<dyn Measure>, MeasureError> {
    Ok(Box::new(novelty(settings, settings.get("alpha")?, divisor, move |rank| discount.at(rank))?))
}

/// Novelty for a user who goes on with probability beta.
fn rank_biased(settings: &Settings, divisor: Divisor) -> Result<Box<dyn Measure>, MeasureError> {
    let (alpha, beta): (f64, f64) = (settings.get("alpha")?, settings.get("beta")?);
    let novelty = novelty(settings, alpha, divisor, move |rank| libm::pow(beta, rank as f64 - 1.0))?;
    Ok(Box::new(Novelty { whole_sum: Some(1.0 / (1.0 - (1.0 - alpha) * beta)), ..novelty }))
}

fn novelty(
    settings: &Settings,
    alpha: f64,
    divisor: Divisor,
    discount: impl Fn(usize) -> f64 + Send + Sync + 'static,
) -> Result<Novelty, MeasureError> {
    let user = Cascade {
        stop: GradeTable::new(|grade| alpha * f64::from(u8::from(grade > 0))),
        pass: GradeTable::new(|grade| 1.0 - alpha * f64::from(u8::from(grade > 0))),
        certain: alpha == 1.0,
    };
    let (upper, no_relevant) = (settings.get("upper")?, settings.get("no_relevant")?);
    let discounts = Discounts::new(discount);
    Ok(Novelty { user, alpha, discounts, divisor, upper, whole_sum: None, no_relevant })
}

impl Novelty {
    /// The sum of (1-alpha)^{i-1} D(i) up to a cutoff, or else up to the end of the pool.
    fn if_in_each(&self, cutoff: Option<usize>, judged: usize) -> f64 {
        if let Some(sum) = self.whole_sum {
            return sum;
        }
        let mut worth = 1.0;
        let each = (0..cutoff.unwrap_or(judged)).map(|position| {
            let term = worth * self.discounts.at(position);
            worth *= 1.0 - self.alpha;
            term
        });
        each.sum()
    }
}

impl Measure for Novelty {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        self.user.stops(ranked, out);
        for (position, stop) in out.iter_mut().enumerate() {
            *stop = *stop / self.alpha * self.discounts.at(position);
        }
    }

    fn greedy(&self) -> Option<Greedy> {
        let exact = || (0..MOST_DOCUMENTS).map(|position| self.discounts.at(position)).collect();
        Some(Greedy { left: 1.0 - self.alpha, exact: (self.upper == Upper::Exact).then(exact) })
    }

    fn of_subtopics(&self, cutoff: Option<usize>, subtopics: usize, judged: usize, upper: f64) -> f64 {
        match (self.divisor, subtopics) {
            (_, 0) => self.no_relevant.normaliser(),
            (Divisor::Upper, _) => upper,
            (Divisor::AllInEach, _) => subtopics as f64 * self.if_in_each(cutoff, judged),
            (Divisor::Subtopics, _) => subtopics as f64,
        }
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, _: &[f64]) -> Parts {
        Parts { zero: NONE_RELEVANT, ..Parts::default() }
    }
}

/// The mean over subtopics of precision, or of average precision.
struct IntentAware {
    no_relevant: NoRelevant,
    /// Whether a relevant document counts its precision.
    precision: bool,
}

impl Measure for IntentAware {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        let relevant = GradeTable::relevant(1);
        if !self.precision {
            for group in ranked.groups(out.len()) {
                out[group.start..group.seen].fill(relevant.mean(group.grades));
            }
            return;
        }
        super::sp::precisions(&relevant, ranked, out);
        let all = ranked.query().relevant(1) as f64;
        out.iter_mut().for_each(|precision| *precision /= all);
    }

    fn greedy(&self) -> Option<Greedy> {
        Some(Greedy { left: 1.0, exact: None })
    }

    fn of_subtopics(&self, cutoff: Option<usize>, subtopics: usize, _: usize, _: f64) -> f64 {
        match subtopics {
            0 => self.no_relevant.normaliser(),
            _ => subtopics as f64 * cutoff.map_or(1.0, |k| k as f64),
        }
    }
}
