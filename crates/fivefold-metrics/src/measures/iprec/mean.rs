//! The exact mean of interpolated precision over all orders of tied documents.
//!
//! If pos(j) is the rank of the j-th relevant document, the value is the highest j/pos(j) with j >=
//! c. It is at most v if none of these documents stands above rank j/v. The probability of this
//! comes from a dynamic programme over ranks, from the last to the first. Its states are the
//! numbers of relevant documents so far; rank i is relevant with probability (relevant documents
//! left in the tie) / (documents left in the tie). With the fractions v_1 < ... < v_m that j/pos(j)
//! can take, E = v_m - sum_k P(value <= v_k) (v_{k+1} - v_k).
//!
//! The programme does not depend on c, so it serves all levels of recall: a level begins at the
//! rank of the c-th relevant document. Cost: states x fractions, with at most h (n - h + 1) of each
//! for a tie of n documents, h of them relevant.

use std::cmp::Ordering;

use crate::measure::Ranked;

/// The most steps (states x fractions) for an exact mean: a few milliseconds.
const MOST_STEPS: usize = 30_000_000;

/// A probability that changes a mean by less than its rounding. Lower fractions have lower ones.
const NEGLIGIBLE: f64 = 1e-18;

/// The precision j/i of the j-th relevant document, at rank i.
#[derive(Debug, Clone, Copy)]
struct Fraction {
    found: usize,
    rank: usize,
}

impl Fraction {
    fn value(self) -> f64 {
        self.found as f64 / self.rank as f64
    }

    /// Fractions are compared by their products, which is exact.
    fn order(&self, other: &Fraction) -> Ordering {
        (self.found * other.rank).cmp(&(other.found * self.rank))
    }

    /// The most documents that may be relevant in the first `rank`.
    fn most(self, rank: usize) -> usize {
        self.found * rank / self.rank
    }
}

/// A tie: its documents, and those above it.
#[derive(Debug, Clone, Copy)]
struct Tie {
    start: usize,
    documents: usize,
    relevant: usize,
    /// Relevant documents above the tie.
    above: usize,
}

impl Tie {
    /// The ways in which a relevant document of the tie can stand: its number, and its rank.
    fn fractions(self) -> impl Iterator<Item = Fraction> {
        let spare = self.documents - self.relevant;
        let of = move |own: usize| (own..=own + spare).map(move |place| (own, place));
        let fraction = move |(own, place)| Fraction { found: self.above + own, rank: self.start + place };
        (1..=self.relevant).flat_map(of).map(fraction)
    }

    /// The probability of each place of the tie for its relevant document number `own`.
    fn places(self, own: usize) -> Vec<f64> {
        let (documents, relevant) = (self.documents, self.relevant);
        // The number of orders with the document at a place is C(place-1, own-1)
        // C(documents-place, relevant-own); each follows from the one before.
        let mut places = vec![0.0; documents];
        let mut weight = 1.0;
        let last = documents - (relevant - own);
        for place in own..=last {
            places[place - 1] = weight;
            let (before, behind) = ((place + 1 - own) as f64, (documents - place) as f64);
            weight *= place as f64 / before * (last - place) as f64 / behind.max(1.0);
        }
        let sum: f64 = places.iter().sum();
        places.iter_mut().for_each(|place| *place /= sum);
        places
    }
}

/// A level of recall: the ranking has at least as many relevant documents.
struct Level {
    /// The number of the relevant document at which the level begins, within its tie.
    own: usize,
    tie: usize,
    /// The probability of each place of the tie for this document.
    places: Vec<f64>,
}

/// For each number of relevant documents: the mean over orders of the highest precision of a rank
/// by which so many were found; 0 if the ranking has fewer. `None` if this takes too many steps.
pub(super) fn means_of_highest(ranked: &Ranked<'_>, threshold: u8, needed: &[usize]) -> Option<Vec<f64>> {
    let ties = ties(ranked, threshold);
    let retrieved = ties.last().map_or(0, |tie| tie.above + tie.relevant);
    let ways: usize = ties.iter().map(|tie| tie.relevant * (tie.documents - tie.relevant + 1)).sum();
    if ways.saturating_mul(ways + ranked.positions()) > MOST_STEPS {
        return None;
    }
    // A rank without a relevant document above has precision 0, so the first one begins level 0
    // too.
    let mut counts: Vec<usize> = needed.iter().map(|&needed| needed.max(1)).collect();
    counts.sort_unstable();
    counts.dedup();
    counts.retain(|&count| count <= retrieved);
    let levels: Vec<Level> = counts.iter().filter_map(|&count| level(&ties, count)).collect();
    let means = means(&ties, &levels, counts.first().copied().unwrap_or(0));
    let of = |needed: &usize| counts.binary_search(&(*needed).max(1)).map_or(0.0, |place| means[place]);
    Some(needed.iter().map(of).collect())
}

fn ties(ranked: &Ranked<'_>, threshold: u8) -> Vec<Tie> {
    let mut above = 0;
    let tie = |group: crate::measure::Group<'_>| {
        let relevant = group.grades.iter().filter(|&&grade| grade >= threshold).count();
        let tie = Tie { start: group.start, documents: group.grades.len(), relevant, above };
        above += relevant;
        tie
    };
    ranked.groups(ranked.positions()).map(tie).collect()
}

fn level(ties: &[Tie], count: usize) -> Option<Level> {
    let tie = ties.iter().position(|tie| count <= tie.above + tie.relevant)?;
    let own = count - ties[tie].above;
    Some(Level { own, tie, places: ties[tie].places(own) })
}

/// The mean of each level; the lowest begins with relevant document number `first`.
fn means(ties: &[Tie], levels: &[Level], first: usize) -> Vec<f64> {
    let mut fractions: Vec<Fraction> =
        ties.iter().flat_map(|tie| tie.fractions()).filter(|fraction| fraction.found >= first).collect();
    fractions.sort_unstable_by(|one, other| other.order(one));
    fractions.dedup_by(|one, other| one.order(other) == Ordering::Equal);
    let mut means = vec![fractions.first().map_or(0.0, |highest| highest.value()); levels.len()];
    let mut programme = Programme::default();
    for pair in fractions.windows(2) {
        let at_most = programme.at_most(ties, levels, pair[1]);
        let width = pair[0].value() - pair[1].value();
        means.iter_mut().zip(at_most).for_each(|(mean, probability)| *mean -= probability * width);
        if at_most.iter().all(|&probability| probability < NEGLIGIBLE) {
            break;
        }
    }
    means
}

/// The memory of the dynamic programme.
#[derive(Default)]
struct Programme {
    /// For each number of relevant documents of a tie so far: the probability that no relevant
    /// document further down stands too high.
    states: Vec<f64>,
    at_most: Vec<f64>,
}

impl Programme {
    /// For each level, the probability that no relevant document from the level's first stands
    /// above its rank for `limit`.
    fn at_most(&mut self, ties: &[Tie], levels: &[Level], limit: Fraction) -> &[f64] {
        self.at_most.clear();
        self.at_most.resize(levels.len(), 0.0);
        let (mut below, mut end) = (1.0, levels.len());
        for (number, tie) in ties.iter().enumerate().rev() {
            let begin = levels[..end].partition_point(|level| level.tie < number);
            below = self.tie(*tie, &levels[begin..end], begin, limit, below);
            end = begin;
        }
        &self.at_most
    }

    /// Goes through a tie from its last place to its first. `levels` begin in the tie; the first
    /// has the number `number`. `below`: the probability for the documents below the tie. Returns
    /// the probability with the tie.
    fn tie(&mut self, tie: Tie, levels: &[Level], number: usize, limit: Fraction, below: f64) -> f64 {
        let Tie { start, documents, relevant, above } = tie;
        self.states.clear();
        self.states.resize(relevant + 1, below);
        for place in (1..=documents).rev() {
            // The states are those after this place, where at most `fit` relevant documents may
            // stand.
            let fit = limit.most(start + place);
            for (level, at_most) in levels.iter().zip(&mut self.at_most[number..]) {
                if above + level.own <= fit {
                    *at_most += level.places[place - 1] * self.states[level.own];
                }
            }
            // Where all fit, also further down, every probability stays 1.
            if below < 1.0 || above + relevant > fit {
                self.step(tie, place, [limit.most(start + place - 1), fit]);
            }
        }
        self.states[0]
    }

    /// From the states after a place to those before it. At most `before` relevant documents fit
    /// before the place, at most `fit` with it.
    fn step(&mut self, tie: Tie, place: usize, [before, fit]: [usize; 2]) {
        let Tie { documents, relevant, above, .. } = tie;
        let left = documents - place + 1;
        let fewest = relevant.saturating_sub(left);
        let most = relevant.min(place - 1).min(before.saturating_sub(above));
        for so_far in fewest..=most {
            let share = (relevant - so_far) as f64 / left as f64;
            let with = match self.states.get(so_far + 1) {
                Some(&state) if above + so_far < fit => state,
                _ => 0.0,
            };
            self.states[so_far] = share * with + (1.0 - share) * self.states[so_far];
        }
    }
}
