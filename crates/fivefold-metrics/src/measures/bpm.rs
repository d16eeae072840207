//! Bejeweled player model: the user stops when enough was found, or at the cutoff.
//!
//! BPM@k = G_s / s, where G_i is the gain of the first i documents, gain y / highest grade, and s the
//! first i with G_i >= T, at most k. Source: Zhang, Liu, Li, Zhang, Xu & Ma, SIGIR 2017 (static
//! form); cwl_eval, `BPM`.
//!
//! The value is not a sum over positions. E, and A under averaged ties, are exact: within a tie,
//! the probability of each way in which the user has not yet found enough goes from place to place.
//! A way is the number of documents of each grade that were seen. A gain T as high as that of
//! several documents has few ways. If a place has more than 2000 ways, the mean is over orders
//! (`orders.rs`). For gains 0 and 1: the T-th relevant of h among n documents stands at r with
//! probability C(r-1,T-1) C(n-r,h-T)/C(n,h).

use std::collections::BTreeMap;

use crate::entry::{Asks, Cutoffs, MAX_GRADE, MeasureEntry, Param, number};
use crate::measure::{GradeTable, Group, Measure, Ranked};

/// `bpm`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "bpm",
    summary: "gain per document for a user who stops at a target or at the cutoff (BPM)",
    formula: "G_s / s, G_i gain of the first i, gain y / highest grade, s the first i with G_i >= T, at most k; E is exact unless T is the gain of many documents",
    source: "Zhang et al., SIGIR 2017; cwl_eval",
    cutoffs: Cutoffs::Required,
    params: &[
        Param {
            name: "T",
            help: "the gain that the user looks for",
            values: "a number above 0, at most 1e6",
            canonical: |text| number(text, |target| target > 0.0 && target <= 1e6),
            default: |_, _| "1".to_owned(),
            usual: None,
        },
        MAX_GRADE,
    ],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| {
        let (target, highest): (f64, u8) = (settings.get("T")?, settings.highest_grade()?);
        let highest = f64::from(highest);
        Ok(Box::new(Player { grade: GradeTable::new(f64::from), target, highest }))
    },
};

struct Player {
    grade: GradeTable,
    target: f64,
    highest: f64,
}

/// The most ways at a place for which the mean over orders is exact.
const MOST_WAYS: usize = 2000;

/// Users who have not yet found enough: the probability of each number of documents seen of each
/// grade of a tie.
type Ways = BTreeMap<Vec<usize>, f64>;

impl Player {
    /// The gain of documents, if it is enough.
    fn enough(&self, found: f64) -> Option<f64> {
        Some(found / self.highest).filter(|&gain| gain >= self.target)
    }

    /// Lets users see the documents of a tie, who come with the gain `before`. Returns the ways in
    /// which they have not yet found enough, and the mean value of those who stop. `None`: too many
    /// ways.
    fn see(&self, group: &Group<'_>, before: f64, reached: f64) -> Option<(Vec<(f64, f64)>, f64)> {
        let kinds: Vec<(f64, usize)> =
            group.grades.chunk_by(|one, other| one == other).map(|same| (self.grade.of(same[0]), same.len())).collect();
        let found = |seen: &[usize]| before + seen.iter().zip(&kinds).map(|(&n, kind)| n as f64 * kind.0).sum::<f64>();
        let mut ways = Ways::from([(vec![0; kinds.len()], reached)]);
        let mut value = 0.0;
        for position in group.start..group.seen {
            let left = (group.grades.len() - (position - group.start)) as f64;
            let mut next = Ways::new();
            for (seen, probability) in ways {
                for (kind, &(_, all)) in kinds.iter().enumerate().filter(|&(kind, &(_, all))| seen[kind] < all) {
                    let probability = probability * (all - seen[kind]) as f64 / left;
                    let mut seen = seen.clone();
                    seen[kind] += 1;
                    match self.enough(found(&seen)) {
                        Some(gain) => value += probability * gain / (position + 1) as f64,
                        None => *next.entry(seen).or_default() += probability,
                    }
                }
            }
            ways = next;
            if ways.len() > MOST_WAYS {
                return None;
            }
        }
        Some((ways.into_iter().map(|(seen, probability)| (found(&seen), probability)).collect(), value))
    }
}

impl Measure for Player {
    fn is_whole(&self) -> bool {
        true
    }

    fn whole(&self, strict: &Ranked<'_>, cutoff: Option<usize>) -> f64 {
        let last = cutoff.unwrap_or(strict.positions());
        // Grades are added, not gains, so that thirds reach their sum exactly.
        let mut found = 0.0;
        for group in strict.groups(last) {
            found += self.grade.of(group.grades[0]);
            if found / self.highest >= self.target {
                return found / self.highest / (group.start + 1) as f64;
            }
        }
        if last == 0 { 0.0 } else { found / self.highest / last as f64 }
    }

    fn mean_of_whole(&self, ranked: &Ranked<'_>, cutoff: Option<usize>) -> Option<f64> {
        let last = cutoff.unwrap_or(ranked.positions());
        let (mut searching, mut mean) = (vec![(0.0, 1.0)], 0.0);
        for group in ranked.groups(last) {
            // All users have seen the same documents, those above the group.
            let Some(&(before, reached)) = searching.first() else { break };
            let (ways, value) = self.see(&group, before, reached)?;
            searching = ways;
            mean += value;
        }
        let unfinished = searching.iter().map(|(found, probability)| probability * found / self.highest / last as f64);
        Some(mean + unfinished.sum::<f64>())
    }
}
