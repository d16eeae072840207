//! Expected reciprocal rank: a user who comes to rank r stops there with probability R_r = (2^y -
//! 1)/2^max_grade.
//!
//! ERR@k = sum_{r<=min(k,n)} (1/r) R_r prod_{s<r} (1 - R_s) (Chapelle, Metzler, Zhang & Grinspan,
//! CIKM 2009). nERR@k divides by the ERR@k of the ideal order. `max_grade` is the collection's highest
//! grade, unless the name gives another grade.
//! So values of two collections compare only if `max_grade` is equal.
//!
//! Ties. Let q = 1 - R. Let M_j be the mean product of q over all subsets of j documents of a tie
//! group (the elementary symmetric polynomial divided by the number of subsets). The user passes
//! the first j documents of the group with probability M_j, and stops at place j with probability
//! D_j = M_{j-1} - M_j. Place j contributes S D_j / rank, where S is the probability to come to the
//! group.
//!
//! The group is built document by document. A document that is added to t others turns M_j into
//! ((t+1-j) M_j + j q M_{j-1})/(t+1). D_j becomes ((t+1-j) D_j + R M_{j-1} + (j-1) q
//! D_{j-1})/(t+1), since the document stands after place j, at it, or before it. M_j is a mean and
//! not a binomial, so 10,000 documents do not overflow. D_j is a sum without a negative term.
//! (M_{j-1} - M_j would lose nearly all digits if R is small, as under a high `max_grade`.) M_j
//! falls with j; an M_j below 1e-60 counts as 0, which changes no bit of a sum. Cost: (documents of
//! the group) x (places above the cutoff with M_j above 1e-60).

use super::{NONE_RELEVANT, by_rank};
use crate::conventions::NoRelevant;
use crate::entry::{Asks, Cutoffs, MAX_GRADE, MeasureEntry, NO_RELEVANT, Param, Settings};
use crate::error::MeasureError;
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// `err`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "err",
    summary: "expected reciprocal rank",
    formula: "sum_{r<=min(k,n)} (1/r) R_r prod_{s<r} (1 - R_s), R = (2^y - 1)/2^max_grade",
    source: "Chapelle, Metzler, Zhang & Grinspan, CIKM 2009",
    cutoffs: Cutoffs::Optional,
    params: &[
        MAX_GRADE,
        Param { default: |conventions, _| conventions.err_no_relevant.to_string(), usual: Some("zero"), ..NO_RELEVANT },
    ],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| expected_reciprocal_rank(settings, false),
};

/// `nerr`.
pub(super) const NERR: MeasureEntry = MeasureEntry {
    name: "nerr",
    summary: "normalised expected reciprocal rank: ERR / ERR of the ideal order",
    formula: "ERR@k / ERR@k of the ideal order; undefined without a relevant document",
    source: "Chapelle, Metzler, Zhang & Grinspan, CIKM 2009; Sakai, NTCIR",
    cutoffs: Cutoffs::Optional,
    params: &[MAX_GRADE, NO_RELEVANT],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| expected_reciprocal_rank(settings, true),
};

fn expected_reciprocal_rank(settings: &Settings, normalised: bool) -> Result<Box<dyn Measure>, MeasureError> {
    let highest = libm::exp2(f64::from(settings.highest_grade()?));
    let user = Cascade {
        pass: GradeTable::new(|grade| 1.0 - (libm::exp2(f64::from(grade)) - 1.0) / highest),
        stop: GradeTable::new(|grade| (libm::exp2(f64::from(grade)) - 1.0) / highest),
        certain: false,
    };
    Ok(Box::new(ExpectedReciprocalRank { user, no_relevant: settings.get("no_relevant")?, normalised }))
}

struct ExpectedReciprocalRank {
    /// R is the probability to stop, q the probability to go on.
    user: Cascade,
    no_relevant: NoRelevant,
    /// Whether the value is divided by U.
    normalised: bool,
}

/// A user who goes down the list and stops at a document of grade y with a probability.
pub(super) struct Cascade {
    /// The probability to go on after a document.
    pub(super) pass: GradeTable,
    /// The probability to stop at a document.
    pub(super) stop: GradeTable,
    /// Whether a user may stop at a document for certain. Then M_j can be 0, and documents that are
    /// added later raise it again, unless they are worse to pass. So the documents are added by
    /// rising grade.
    pub(super) certain: bool,
}

impl Cascade {
    /// Fills `out[i]` with the probability to stop at position `i`, averaged over the orders of the
    /// tied documents.
    pub(super) fn stops(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        let mut reached = 1.0;
        let mut passes = Vec::new();
        for group in ranked.groups(out.len()) {
            let stops = &mut out[group.start..group.seen];
            if let ([grade], [stop]) = (group.grades, &mut *stops) {
                *stop = self.stop.of(*grade);
            } else {
                stops.fill(0.0);
                passes.clear();
                passes.resize(stops.len(), 0.0);
                match self.certain {
                    false => self.add(group.grades.iter(), 0, stops, &mut passes),
                    true => {
                        let useless =
                            group.grades.iter().rev().take_while(|&&grade| self.stop.of(grade) == 0.0).count();
                        let seen = useless.min(passes.len());
                        passes[..seen].fill(1.0);
                        self.add(group.grades.iter().rev().skip(useless), useless, stops, &mut passes);
                    }
                }
            }
            stops.iter_mut().for_each(|stop| *stop *= reached);
            reached *= group.grades.iter().map(|&grade| self.pass.of(grade)).product::<f64>();
        }
    }

    /// Adds documents to a tie of `others` documents at which no user stops.
    fn add<'g>(&self, grades: impl Iterator<Item = &'g u8>, others: usize, stops: &mut [f64], passes: &mut [f64]) {
        let mut deep = others.min(passes.len());
        for (others, &grade) in (others..).zip(grades) {
            let document = [self.stop.of(grade), self.pass.of(grade)];
            deep = add_document(stops, passes, deep, others, document, NEGLIGIBLE);
        }
    }
}

impl Measure for ExpectedReciprocalRank {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        self.user.stops(ranked, out);
        for (place, stop) in out.iter_mut().enumerate() {
            *stop /= (place + 1) as f64;
        }
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let zero =
            if self.normalised { NONE_RELEVANT } else { "no judged document is relevant (err_no_relevant: zero)" };
        let normaliser = if self.normalised { "U" } else { "" };
        let (values, factors) = (by_rank(contributions), Some(["stops here", "1/rank"]));
        Parts { values, factors, normaliser, zero, ..Parts::default() }
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, upper: f64) -> f64 {
        match query.relevant(1) {
            0 => self.no_relevant.normaliser(),
            _ if self.normalised => upper,
            _ => 1.0,
        }
    }

    // Every contribution between the two documents is multiplied by q(later) / q(first), and so is
    // the probability to come to `later`. No contribution below `later` changes. q is above 0,
    // since R is below 1.
    fn exchange(&self, grades: &[u8], positions: usize, _: &QueryGrades, first: usize, changes: &mut [f64]) {
        let pass = |position: usize| self.user.pass.of(grades[position]);
        let at = |position: usize, value: f64| if position < positions { value / (position + 1) as f64 } else { 0.0 };
        let to_first: f64 = (0..first).map(pass).product();
        let here = pass(first);
        let mut reached = to_first * here;
        let mut between = 0.0;
        for (later, change) in (first + 1..).zip(changes) {
            let there = pass(later);
            let ratio = there / here;
            *change = at(first, to_first * (here - there))
                + (ratio - 1.0) * between
                + at(later, reached * (ratio * (1.0 - here) - (1.0 - there)));
            between += at(later, reached * (1.0 - there));
            reached *= there;
        }
    }
}

/// A probability that changes no bit of a sum: the least mean probability to stop at the first
/// place is 1/(2^30 n).
const NEGLIGIBLE: f64 = 1e-60;

/// Adds a document to a tie of `others` documents; the user stops at it with probability `stop` and
/// passes it with probability `pass`. Updates the probabilities to stop at each place
/// (`stops[j-1]` = D_j) and the means over subsets (`passes[j-1]` = M_j). The first `deep` means
/// are not negligible; returns their new number.
fn add_document(
    stops: &mut [f64],
    passes: &mut [f64],
    deep: usize,
    others: usize,
    [stop, pass]: [f64; 2],
    negligible: f64,
) -> usize {
    let size = (others + 1) as f64;
    let mut deep = passes.len().min(deep + 1);
    for j in (1..=deep).rev() {
        let (passed, stopped) = if j == 1 { (1.0, 0.0) } else { (passes[j - 2], stops[j - 2]) };
        let (behind, before) = (size - j as f64, (j - 1) as f64);
        stops[j - 1] = (behind * stops[j - 1] + stop * passed + before * pass * stopped) / size;
        passes[j - 1] = (behind * passes[j - 1] + j as f64 * pass * passed) / size;
    }
    while deep > 0 && passes[deep - 1] < negligible {
        deep -= 1;
        passes[deep] = 0.0;
    }
    deep
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums over all places of one tie have the same bits with and without negligible
    /// probabilities. The relevant documents are few or many, at the front or mixed.
    #[test]
    fn what_is_negligible_alters_no_bit_of_a_sum() {
        let documents = 3000;
        for every in [1, 2, 7, 100] {
            for at_the_front in [true, false] {
                let relevant =
                    |row: usize| if at_the_front { row < documents / every } else { row.is_multiple_of(every) };
                let pass = |row: usize| if relevant(row) { 1.0 - f64::from(2u8 << (row % 4)) / 32.0 } else { 1.0 };
                let sums = |negligible: f64| {
                    let (mut stops, mut passes) = (vec![0.0; documents], vec![0.0; documents]);
                    let (mut deep, mut work) = (0, 0);
                    for row in 0..documents {
                        let document = [1.0 - pass(row), pass(row)];
                        deep = add_document(&mut stops, &mut passes, deep, row, document, negligible);
                        work += deep;
                    }
                    let mut sum = 0.0;
                    let sums: Vec<u64> = (stops.iter().zip(1..))
                        .map(|(&stop, rank): (&f64, i32)| {
                            sum += stop / f64::from(rank);
                            sum.to_bits()
                        })
                        .collect();
                    (sums, work)
                };
                let ((cut, less), (plain, more)) = (sums(NEGLIGIBLE), sums(0.0));
                assert_eq!(cut, plain, "{every} {at_the_front}");
                assert!(less <= more && (every > 1 || less < more / 2), "{every} {at_the_front}: {less} of {more}");
            }
        }
    }
}
