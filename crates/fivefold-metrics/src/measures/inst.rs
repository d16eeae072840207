//! Measures of a user who goes on with a probability that depends on what was found: INST, and
//! four forms of ERR with this kind of user.
//!
//! The value is the gain per document looked at, sum V_i g_i / sum V_i, g = y / highest grade, over
//! the first 1000 ranks (ranks behind the list have g = 0). V_1 = 1, and with the gain G_i of the
//! first i documents
//! - `inst` (target T): V_{i+1}/V_i = ((i + 2T - G_i - 1) / (i + 2T - G_i))^2 [Moffat, Bailey,
//!   Scholer & Thomas, ADCS 2015];
//! - `nerr8`: 1 - g_i before the cutoff; `nerr9`: i/(i+1) (1 - g_i) before the cutoff; `nerr10`:
//!   p (1 - g_i); `nerr11`: ((i + 2T - 1) / (i + 2T))^2 (1 - g_i). The numbers are those of the
//!   equations in Azzopardi, Mackenzie & Moffat, ICTIR 2021.
//!
//! A T below .25 is refused, because V could then rise.
//!
//! The values are not sums over positions. E, and A under averaged ties, are means over orders
//! (`orders.rs`), since V and its sum depend on the whole way to a rank. The forms of ERR have an
//! exact mean if the first tie with a document of gain 1 has one other grade, as all ties of grades
//! 0 and 1 have: the user stops at the first document of gain 1, so E = sum_r P(it is at r) x (the
//! value if it is at r). For `nerr8@k` and gains 0 and 1, this is E of RR@k.

use std::sync::Mutex;

use super::rr::first_relevant;
use crate::entry::{Asks, Cutoffs, MAX_GRADE, MeasureEntry, Param, Settings, number};
use crate::error::MeasureError;
use crate::measure::{GradeTable, Measure, Ranked};

/// How many ranks the user may see, unless the cutoff is lower or higher.
const DEPTH: usize = 1000;

/// `inst`.
pub(super) const INST: MeasureEntry = MeasureEntry {
    name: "inst",
    summary: "gain per document for a user with a target (INST)",
    formula: "sum V_i g_i / sum V_i over 1000 ranks, g = y / highest grade, V_{i+1} = V_i ((i+2T-G_i-1)/(i+2T-G_i))^2, G_i gain of the first i; E over more than 1000 orders is drawn",
    source: "Moffat, Bailey, Scholer & Thomas, ADCS 2015; cwl_eval",
    cutoffs: Cutoffs::Never,
    params: &[TARGET, MAX_GRADE],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| {
        let target: f64 = settings.get("T")?;
        let goes_on = move |user: User| {
            let left = user.rank + 2.0 * target - user.found;
            ((left - 1.0) / left).powi(2)
        };
        Ok(Box::new(Cascade { stops_at_full_gain: false, ..cascade(settings, goes_on)? }))
    },
};

/// `nerr8`.
pub(super) const NERR8: MeasureEntry = MeasureEntry {
    name: "nerr8",
    summary: "gain per document for a user who stops at gain or at the cutoff",
    formula: "sum V_i g_i / sum V_i, g = y / highest grade, V_{i+1} = V_i (1 - g_i) before the cutoff, then 0; E is exact if all gains are 0 or 1, else drawn over more than 1000 orders",
    cutoffs: Cutoffs::Required,
    params: &[MAX_GRADE],
    build: |settings| err_like(settings, |user| if user.cut { 0.0 } else { 1.0 - user.gain }),
    ..ERR_LIKE
};

/// `nerr9`.
pub(super) const NERR9: MeasureEntry = MeasureEntry {
    name: "nerr9",
    summary: "as nerr8, for a user who tires as 1/rank",
    formula: "sum V_i g_i / sum V_i, g = y / highest grade, V_{i+1} = V_i (i/(i+1)) (1 - g_i) before the cutoff, then 0; E as for nerr8",
    cutoffs: Cutoffs::Required,
    params: &[MAX_GRADE],
    build: |settings| {
        let goes_on = |user: User| if user.cut { 0.0 } else { user.rank / (user.rank + 1.0) * (1.0 - user.gain) };
        err_like(settings, goes_on)
    },
    ..ERR_LIKE
};

/// `nerr10`.
pub(super) const NERR10: MeasureEntry = MeasureEntry {
    name: "nerr10",
    summary: "as nerr8, for a user who tires as in RBP",
    formula: "sum V_i g_i / sum V_i over 1000 ranks, g = y / highest grade, V_{i+1} = V_i p (1 - g_i); E as for nerr8",
    params: &[
        Param {
            name: "p",
            help: "the probability to go on after a document without gain",
            values: "a number above 0 and below 1",
            canonical: |text| number(text, |p| p > 0.0 && p < 1.0),
            default: |_, _| "0.9".to_owned(),
            usual: None,
        },
        MAX_GRADE,
    ],
    build: |settings| {
        let p: f64 = settings.get("p")?;
        err_like(settings, move |user| p * (1.0 - user.gain))
    },
    ..ERR_LIKE
};

/// `nerr11`.
pub(super) const NERR11: MeasureEntry = MeasureEntry {
    name: "nerr11",
    summary: "as nerr8, for a user who tires as in INSQ",
    formula: "sum V_i g_i / sum V_i over 1000 ranks, g = y / highest grade, V_{i+1} = V_i ((i+2T-1)/(i+2T))^2 (1 - g_i); E as for nerr8",
    params: &[TARGET, MAX_GRADE],
    build: |settings| {
        let target: f64 = settings.get("T")?;
        err_like(settings, move |user| {
            let left = user.rank + 2.0 * target;
            ((left - 1.0) / left).powi(2) * (1.0 - user.gain)
        })
    },
    ..ERR_LIKE
};

/// What the four forms of ERR have in common.
const ERR_LIKE: MeasureEntry = MeasureEntry { source: "Azzopardi, Mackenzie & Moffat, ICTIR 2021; cwl_eval", ..INST };

const TARGET: Param = Param {
    name: "T",
    help: "the gain that the user looks for",
    values: "a number of at least 0.25, at most 1e6",
    canonical: |text| number(text, |target| (0.25..=1e6).contains(&target)),
    default: |_, _| "1".to_owned(),
    usual: None,
};

/// A user who has seen the document at a rank.
#[derive(Clone, Copy)]
struct User {
    rank: f64,
    /// The gain of this document.
    gain: f64,
    /// The gain of all documents so far.
    found: f64,
    /// Whether the rank is the cutoff.
    cut: bool,
}

/// The probability that the user goes on, for each rank.
struct Cascade<C> {
    highest: f64,
    goes_on: C,
    /// Whether the user stops for certain at a document of the highest grade.
    stops_at_full_gain: bool,
    /// The last tail that was computed. All orders of a query have one tail, and means over orders
    /// ask for it often.
    tail: Mutex<(Tail, f64)>,
}

/// The ranks behind a list: they have no gain.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Tail {
    /// Number of ranked documents.
    list: usize,
    /// The sum of their grades.
    found: u32,
    cutoff: Option<usize>,
}

fn cascade<C: Fn(User) -> f64>(settings: &Settings, goes_on: C) -> Result<Cascade<C>, MeasureError> {
    let highest = f64::from(settings.highest_grade()?);
    Ok(Cascade { highest, goes_on, stops_at_full_gain: true, tail: Mutex::new((Tail::default(), f64::NAN)) })
}

fn err_like<C>(settings: &Settings, goes_on: C) -> Result<Box<dyn Measure>, MeasureError>
where
    C: Fn(User) -> f64 + Send + Sync + 'static,
{
    Ok(Box::new(cascade(settings, goes_on)?))
}

impl<C: Fn(User) -> f64> Cascade<C> {
    fn has_full_gain(&self, grade: u8) -> bool {
        f64::from(grade) >= self.highest
    }

    /// The probability that the first document of full gain is at each of the first `depth`
    /// positions, and the grade of a position that has another document. `None` if the documents
    /// before the first one of full gain can have several orders, or if there is no such document.
    fn until_full_gain(&self, ranked: &Ranked<'_>, depth: usize) -> Option<(Vec<f64>, Vec<u8>)> {
        let mut others = Vec::new();
        for group in ranked.groups(depth) {
            let full = group.grades.partition_point(|&grade| self.has_full_gain(grade));
            let rest = &group.grades[full..];
            if rest.first() != rest.last() {
                return None;
            }
            others.resize(group.seen, *group.grades.last()?);
            if full > 0 {
                let mut first = vec![0.0; group.seen];
                first_relevant(&GradeTable::new(|grade| f64::from(self.has_full_gain(grade))), ranked, &mut first);
                return Some((first, others));
            }
        }
        None
    }

    /// The sum of V behind the list, for a user who comes to its end.
    fn sum_behind(&self, tail: Tail, depth: usize) -> f64 {
        if let Ok(known) = self.tail.lock()
            && known.0 == tail
            && !known.1.is_nan()
        {
            return known.1;
        }
        let (mut reached, mut sum) = (1.0, 0.0);
        for rank in tail.list + 1..=depth {
            sum += reached;
            let (found, cut) = (f64::from(tail.found) / self.highest, tail.cutoff == Some(rank));
            reached *= (self.goes_on)(User { rank: rank as f64, gain: 0.0, found, cut });
            if reached == 0.0 {
                break;
            }
        }
        if let Ok(mut known) = self.tail.lock() {
            *known = (tail, sum);
        }
        sum
    }
}

impl<C: Fn(User) -> f64 + Send + Sync> Measure for Cascade<C> {
    fn is_whole(&self) -> bool {
        true
    }

    fn whole(&self, strict: &Ranked<'_>, cutoff: Option<usize>) -> f64 {
        let depth = cutoff.unwrap_or(0).max(DEPTH);
        let (mut reached, mut total, mut looked_at) = (1.0, 0.0, 0.0);
        // Grades are added, not gains, so that the sum does not depend on the order.
        let (mut list, mut found) = (0, 0);
        for group in strict.groups(depth) {
            let gain = f64::from(group.grades[0]) / self.highest;
            list += 1;
            found += u32::from(group.grades[0]);
            total += reached * gain;
            looked_at += reached;
            let (rank, so_far) = (list as f64, f64::from(found) / self.highest);
            reached *= (self.goes_on)(User { rank, gain, found: so_far, cut: cutoff == Some(list) });
            if reached == 0.0 {
                break;
            }
        }
        if reached > 0.0 {
            looked_at += reached * self.sum_behind(Tail { list, found, cutoff }, depth);
        }
        total / looked_at
    }

    fn mean_of_whole(&self, ranked: &Ranked<'_>, cutoff: Option<usize>) -> Option<f64> {
        if !self.stops_at_full_gain {
            return None;
        }
        let (first, others) = self.until_full_gain(ranked, cutoff.unwrap_or(0).max(DEPTH))?;
        let (mut reached, mut total, mut looked_at) = (1.0, 0.0, 0.0);
        let (mut mean, mut searching) = (0.0, 1.0);
        for ((list, first), other) in (1..).zip(first).zip(others) {
            mean += first * (total + reached) / (looked_at + reached);
            searching -= first;
            let gain = f64::from(other) / self.highest;
            total += reached * gain;
            looked_at += reached;
            reached *= (self.goes_on)(User { rank: list as f64, gain, found: 0.0, cut: cutoff == Some(list) });
            if reached == 0.0 {
                break;
            }
        }
        Some(mean + searching.max(0.0) * total / looked_at)
    }
}
