//! Compatibility: the rank-biased overlap of a ranking with an ideal order.
//!
//! Compat = sum_{i<=D} p^{i-1} overlap(i)/i, over the same sum for the ideal order, D = max(n, R), R
//! documents of the pool with a grade above 0. Among the equal grades of the ideal order, the best
//! case counts: its documents follow the ranking. So overlap(i) is the sum over grades y > 0 of
//! min(c_y, quota_y): c_y documents of grade y in the first i of the ranking, and quota_y of the
//! pool's documents of grade y in the first i of the ideal order. Behind the end of the list the
//! overlap still grows with the quotas; this tail is added at the last position. Source: Clarke,
//! Vtyurina & Smucker, TOIS 2021.
//!
//! ir_measures gives documents that were not retrieved the score 0, so negative scores of a run
//! change its value. Here these documents always come last.
//!
//! Ties. The number of documents of grade y among the first j of a group is hypergeometric
//! (`above.rs`); the overlap is the sum of the means of the minima.

use super::NONE_RELEVANT;
use super::above::numbers_above;
use crate::conventions::NoRelevant;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, Param, number, word};
use crate::measure::{Group, Measure, Parts, QueryGrades, Ranked};

/// `compat`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "compat",
    summary: "compatibility: rank-biased overlap with the ideal order",
    formula: "sum_{i<=max(n,R)} p^{i-1} overlap(i)/i, overlap of the first i with the first i of an ideal order, over the same for the ideal order; undefined without a relevant document",
    source: "Clarke, Vtyurina & Smucker, TOIS 2021; ir_measures",
    cutoffs: Cutoffs::Never,
    params: &[
        Param {
            name: "p",
            help: "the probability that the user goes on to the next document",
            values: "a number above 0 and below 1",
            canonical: |text| number(text, |p| p > 0.0 && p < 1.0),
            default: |_, _| "0.95".to_owned(),
            usual: None,
        },
        Param {
            name: "normalize",
            help: "whether the value is divided by that of the ideal order, or by the sum of p^{i-1}",
            values: "true or false",
            canonical: word::<bool>,
            default: |_, _| true.to_string(),
            usual: Some("true"),
        },
        NO_RELEVANT,
    ],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| {
        let (p, normalize) = (settings.get("p")?, settings.get("normalize")?);
        Ok(Box::new(Compatibility { p, normalize, no_relevant: settings.get("no_relevant")? }))
    },
};

struct Compatibility {
    p: f64,
    normalize: bool,
    no_relevant: NoRelevant,
}

/// The documents of a grade: how many the pool has, and how many have a higher grade.
#[derive(Clone, Copy)]
struct Level {
    grade: u8,
    pool: usize,
    above: usize,
    /// How many stand above the current group.
    found: usize,
}

impl Level {
    /// How many of them are in the first `rank` of the ideal order.
    fn quota(&self, rank: usize) -> usize {
        rank.saturating_sub(self.above).min(self.pool)
    }
}

/// The grades of a pool above 0, from the highest.
fn levels(query: &QueryGrades) -> Vec<Level> {
    let mut levels = Vec::new();
    for alike in query.ideal().chunk_by(|one, other| one == other).take_while(|alike| alike[0] > 0) {
        let above = levels.last().map_or(0, |level: &Level| level.above + level.pool);
        levels.push(Level { grade: alike[0], pool: alike.len(), above, found: 0 });
    }
    levels
}

impl Compatibility {
    /// Adds the overlap of the documents of one grade at each place of a group.
    fn add(&self, level: &Level, group: &Group<'_>, overlaps: &mut [f64]) {
        let own = group.grades.iter().filter(|&&grade| grade == level.grade).count();
        numbers_above(group.grades.len(), own, overlaps.len() + 1, |place, chances| {
            if let Some(overlap) = place.checked_sub(1).map(|slot| &mut overlaps[slot]) {
                let quota = level.quota(group.start + place);
                *overlap += chances.mean_of(|above| (level.found + above).min(quota) as f64);
            }
        });
    }

    /// The sum behind the end of a list of `length` documents.
    fn tail(&self, levels: &[Level], length: usize, depth: usize) -> f64 {
        let overlap = |rank: usize| levels.iter().map(|level| level.found.min(level.quota(rank))).sum::<usize>();
        (length + 1..=depth).map(|rank| self.weight(rank) * overlap(rank) as f64).sum()
    }

    /// p^{i-1} / i.
    fn weight(&self, rank: usize) -> f64 {
        libm::pow(self.p, rank as f64 - 1.0) / rank as f64
    }
}

impl Measure for Compatibility {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        let mut levels = levels(ranked.query());
        out.fill(0.0);
        for group in ranked.groups(out.len()) {
            let overlaps = &mut out[group.start..group.seen];
            levels.iter().for_each(|level| self.add(level, &group, overlaps));
            for (rank, overlap) in (group.start + 1..).zip(overlaps) {
                *overlap *= self.weight(rank);
            }
            for level in &mut levels {
                level.found += group.grades.iter().filter(|&&grade| grade == level.grade).count();
            }
        }
        let (length, depth) = (out.len(), ranked.query().documents().max(ranked.query().relevant(1)));
        if let Some(last) = out.last_mut() {
            *last += self.tail(&levels, length, depth);
        }
    }

    fn denominator(&self, _: Option<usize>, query: &QueryGrades) -> f64 {
        let relevant = query.relevant(1);
        let depth = query.documents().max(relevant);
        let ideal = |rank: usize| self.weight(rank) * rank.min(relevant) as f64;
        match (1..=depth).map(ideal).sum() {
            0.0 => 1.0,
            sum => sum,
        }
    }

    fn normaliser(&self, cutoff: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        if query.relevant(1) == 0 {
            return self.no_relevant.normaliser();
        }
        if self.normalize {
            return 1.0;
        }
        // The sum of p^{i-1}, over that of the ideal order.
        let depth = query.documents().max(query.relevant(1));
        let all: f64 = (0..depth).map(|position| libm::pow(self.p, position as f64)).sum();
        all / self.denominator(cutoff, query)
    }

    // Documents of the ideal order that were not retrieved count in U.
    fn best(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        if query.relevant(1) == 0 { 0.0 } else { 1.0 }
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let weighted = |(rank, &value): (usize, &f64)| {
            let weight = self.weight(rank);
            [value / weight, weight]
        };
        Parts {
            factors: Some(["overlap", "p^(i-1)/i"]),
            values: (1..).zip(contributions).map(weighted).collect(),
            denominator: "the sum of the ideal order",
            normaliser: if self.normalize { "" } else { "sum of p^(i-1)" },
            zero: NONE_RELEVANT,
            ..Parts::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Assessment, Evaluator, Scratch, Seed, dialect};

    /// ir_measures 0.4.3: `Compat(p=0.95)` of pool a 1, b 1, c 0, run a c with scores 3, 2. (With -3, -4
    /// it ranks b above both.)
    #[test]
    fn documents_that_were_not_retrieved_come_last() {
        let conventions = dialect("paper").unwrap().conventions();
        let evaluator = Evaluator::new(&["compat".parse().unwrap()], &conventions, 1, Seed::new(0)).unwrap();
        for scores in [[3.0, 2.0], [-3.0, -4.0]] {
            let run = [Assessment::Judged(1), Assessment::Judged(0)];
            let judged = evaluator.judge_pool("q", &[1, 1, 0], &run, None).unwrap();
            let mut value = [0.0];
            evaluator.evaluate(&judged, &scores, &mut Scratch::default(), &mut value).unwrap();
            assert!((value[0] - 0.756_410_256).abs() < 1e-9, "{value:?}");
        }
    }
}
