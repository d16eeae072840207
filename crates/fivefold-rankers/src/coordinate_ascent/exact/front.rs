//! The sweep of one query from t = 0 to infinity, if no two events of the sweep coincide.
//!
//! The k documents with the highest scores, k being the cutoff, are the *leaders* at t = 0. All other
//! documents that can ever lead are *chasers*. The next event is the first of k places: the places
//! where a leader is overtaken by the leader after it, and the place where the first chaser overtakes
//! the last leader. The event alters at most three of these places. So the sweep visits the places
//! where the ranking above the cutoff changes, in their order, and no others. (This is a kinetic
//! sorted list: Basch, Guibas & Hershberger, J. Algorithms 31(1), 1999.)
//!
//! Rounding could alter the order of events that nearly coincide. A place is rounded three times, by
//! about 1e-16 each, so events that differ by more than [`APART`] stay in order. The sweep gives up
//! when two events are closer than that, and another sweep does the query. Among the events are
//! crossings of a new leader with chasers behind it, because they could lie on either side of the
//! place where it became a leader; so are chasers with the line of the new leader.
//!
//! A document is no chaser if k documents with clearly higher scores have x at least its own: they
//! stand above it at every t > 0. Nor does such a document alter the rank of a leader. Where it
//! stands above a document, the k others do so too, and clearly.
//!
//! Cost: O(documents + events k), and O(chasers) where the last leader changes.

use crate::wide::{self, Loop, Vector};

/// Events that differ by less than this share of their place may coincide. Scores that differ by less
/// than this share of the highest score are not clearly different.
const APART: f64 = 1e-12;
/// Numbers that are nearer to 0 lose digits when they are divided.
const LEAST: f64 = 1e-250;
/// Chasers that are looked at side by side.
const BLOCK: usize = 8;

/// The most leaders of a sweep.
pub(super) const MOST_LEADERS: usize = 31;

/// A document with grade `grade` overtakes the document at `position`, and takes its position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overtaking {
    pub(super) t: f64,
    pub(super) position: u32,
    pub(super) grade: u8,
}

/// Memory of a sweep.
#[derive(Default)]
pub(super) struct Front {
    /// The events at which a document overtakes another of a different grade, by rising t.
    pub(super) events: Vec<Overtaking>,
    chasers: Chasers,
}

/// A whole number of blocks of documents; the last documents may be fillers, which never overtake.
#[derive(Default)]
struct Chasers {
    scores: Vec<f64>,
    xs: Vec<f64>,
    grades: Vec<u8>,
}

/// The documents of a query, from the highest score to the lowest.
#[derive(Clone, Copy)]
pub(super) struct Documents<'a> {
    pub(super) scores: &'a [f64],
    pub(super) xs: &'a [f64],
    pub(super) grades: &'a [u8],
    /// How many documents have clearly higher scores than each document ([`clearly_higher`]).
    pub(super) higher: &'a [u32],
    /// A grade that does not count: a ranking in which no other grade can stand above the cutoff has
    /// no events.
    pub(super) background: u8,
}

/// How many of the falling `scores` are clearly higher than each of them.
pub(super) fn clearly_higher(scores: &[f64]) -> impl Iterator<Item = u32> {
    let size = |score: Option<&f64>| score.map_or(0.0, |score| score.abs());
    let gap = LEAST.max(APART * size(scores.first()).max(size(scores.last())));
    let mut higher = 0;
    scores.iter().map(move |score| {
        while scores[higher] - score > gap {
            higher += 1;
        }
        higher as u32
    })
}

impl Front {
    /// Finds the events of the first `depth` positions, at most [`MOST_LEADERS`]; `sign` is -1 for
    /// the sweep from 0 to minus infinity, whose places have the other sign. Returns whether all
    /// events are apart; if not, `events` means nothing.
    pub(super) fn sweep(&mut self, documents: Documents<'_>, depth: usize, sign: f64) -> bool {
        let Front { events, chasers } = self;
        events.clear();
        match depth {
            0..=15 => wide::run(Sweep::<16> { events, chasers, documents, depth, sign }),
            _ => wide::run(Sweep::<{ MOST_LEADERS + 1 }> { events, chasers, documents, depth, sign }),
        }
    }
}

impl Chasers {
    /// Finds the chasers; `N` is above `depth`.
    #[inline(always)]
    fn find<const N: usize>(&mut self, documents: Documents<'_>, depth: usize, sign: f64) {
        let Documents { scores, xs, grades, higher, background } = documents;
        let most = xs.len().next_multiple_of(BLOCK);
        self.scores.resize(most, 0.0);
        self.xs.resize(most, 0.0);
        self.grades.resize(most, 0);
        // The `depth` greatest x of the documents with clearly higher scores, falling to the last
        // place; the places before them are infinite.
        let mut greatest: [f64; N] = std::array::from_fn(|place| match place + depth < N {
            true => f64::INFINITY,
            false => f64::NEG_INFINITY,
        });
        let (mut seen, mut count) = (0, 0);
        for place in depth..xs.len() {
            while seen < higher[place] as usize {
                let x = sign * xs[seen];
                if x > greatest[N - 1] {
                    insert(&mut greatest, x);
                }
                seen += 1;
            }
            let x = sign * xs[place];
            (self.scores[count], self.xs[count], self.grades[count]) = (scores[place], x, grades[place]);
            count += usize::from(x > greatest[N - 1]);
        }
        let filled = count.next_multiple_of(BLOCK);
        self.scores[count..filled].fill(0.0);
        self.xs[count..filled].fill(f64::NEG_INFINITY);
        self.grades[count..filled].fill(background);
        self.scores.truncate(filled);
        self.xs.truncate(filled);
        self.grades.truncate(filled);
    }
}

/// Inserts `x` into falling numbers; the last number falls out.
#[inline(always)]
fn insert<const N: usize>(falling: &mut [f64; N], x: f64) {
    let before = *falling;
    for place in 1..N {
        let (own, next) = (before[place], before[place - 1]);
        let moved = if next < x { next } else { x };
        falling[place] = if own > moved { own } else { moved };
    }
    falling[0] = if before[0] > x { before[0] } else { x };
}

/// The events of fewer than N leaders.
struct Sweep<'a, const N: usize> {
    events: &'a mut Vec<Overtaking>,
    chasers: &'a mut Chasers,
    documents: Documents<'a>,
    depth: usize,
    sign: f64,
}

impl<const N: usize> Loop for Sweep<'_, N> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Vector>(self) -> bool {
        let Sweep { events, chasers, documents, depth: last, sign } = self;
        chasers.find::<N>(documents, last, sign);
        let mut all = documents.grades[..last].iter().chain(&chasers.grades);
        if all.all(|&grade| grade == documents.background) {
            return true;
        }
        // The leaders stand from place 1 to the last place. Before them is a document that is never
        // overtaken, so that the first leader is like the others.
        let (mut scores, mut xs, mut grades) = ([0.0; N], [f64::INFINITY; N], [0; N]);
        scores[1..=last].copy_from_slice(&documents.scores[..last]);
        xs[1..=last].iter_mut().zip(documents.xs).for_each(|(place, x)| *place = sign * x);
        grades[1..=last].copy_from_slice(&documents.grades[..last]);
        // Where each leader is overtaken by the document after it.
        let mut meets = [f64::INFINITY; N];
        (1..last).for_each(|place| meets[place] = meeting(&scores, &xs, place));
        let mut now = LEAST;
        let mut first = first_chaser(scores[last], xs[last], chasers, now);
        meets[last] = first.t;
        loop {
            let (t, place) = least(&meets);
            if t == f64::INFINITY {
                break;
            }
            // `false` for NaN, too.
            let is_apart = t - now > APART * t;
            if !is_apart {
                return false;
            }
            now = t;
            let overtaken = grades[place];
            if place < last {
                scores.swap(place, place + 1);
                xs.swap(place, place + 1);
                grades.swap(place, place + 1);
                meets[place] = f64::INFINITY;
            } else {
                std::mem::swap(&mut scores[last], &mut chasers.scores[first.place]);
                std::mem::swap(&mut xs[last], &mut chasers.xs[first.place]);
                std::mem::swap(&mut grades[last], &mut chasers.grades[first.place]);
            }
            meets[place - 1] = meeting(&scores, &xs, place - 1);
            if place + 1 < last {
                meets[place + 1] = meeting(&scores, &xs, place + 1);
            } else if place < last {
                first = first_chaser(scores[last], xs[last], chasers, now);
                meets[last] = first.t;
            } else {
                // The document that was just overtaken met the new leader here, and never again.
                let x = std::mem::replace(&mut chasers.xs[first.place], f64::NEG_INFINITY);
                let next = first_chaser(scores[last], xs[last], chasers, now);
                chasers.xs[first.place] = x;
                if next.is_near {
                    return false;
                }
                first = next;
                meets[last] = first.t;
            }
            let grade = grades[place];
            if grade != overtaken {
                events.push(Overtaking { t, position: place as u32 - 1, grade });
            }
        }
        // Each document has overtaken all that it overtakes. This does not hold if a place is too
        // great for a number.
        xs[1..=last].is_sorted_by(|above, below| above >= below) && chasers.xs.iter().all(|&x| x <= xs[last])
    }
}

/// Where the leader at `place` is overtaken by the leader after it.
#[inline(always)]
fn meeting<const N: usize>(scores: &[f64; N], xs: &[f64; N], place: usize) -> f64 {
    let next = place + 1;
    let t = (scores[place] - scores[next]) / (xs[next] - xs[place]);
    if xs[next] > xs[place] { t } else { f64::INFINITY }
}

/// The least of N numbers, N being a power of 2, and its place.
#[inline(always)]
fn least<const N: usize>(numbers: &[f64; N]) -> (f64, usize) {
    let mut least = *numbers;
    let mut places: [u64; N] = std::array::from_fn(|place| place as u64);
    let mut half = N / 2;
    while half > 0 {
        for place in 0..half {
            let is_less = least[place + half] < least[place];
            least[place] = if is_less { least[place + half] } else { least[place] };
            places[place] = if is_less { places[place + half] } else { places[place] };
        }
        half /= 2;
    }
    (least[0], places[0] as usize)
}

/// The chaser that is the first to overtake the last leader.
#[derive(Clone, Copy)]
struct First {
    t: f64,
    place: usize,
    /// Whether a chaser crosses the leader too near to the present place, or has its line.
    is_near: bool,
}

#[inline(always)]
fn first_chaser(score: f64, x: f64, chasers: &Chasers, now: f64) -> First {
    let mut firsts = [f64::INFINITY; BLOCK];
    let mut blocks = [0u64; BLOCK];
    let mut near = [0u64; BLOCK];
    let (xs, _) = chasers.xs.as_chunks::<BLOCK>();
    let (scores, _) = chasers.scores.as_chunks::<BLOCK>();
    for ((block, xs), scores) in (0..).zip(xs).zip(scores) {
        for lane in 0..BLOCK {
            let t = (score - scores[lane]) / (xs[lane] - x);
            // NaN, if the lines are equal, is not apart.
            let is_apart = (t - now).abs() > APART * now;
            near[lane] |= u64::from(!is_apart);
            let overtakes = xs[lane] > x;
            let is_first = overtakes & (t < firsts[lane]);
            firsts[lane] = if is_first { t } else { firsts[lane] };
            blocks[lane] = if is_first { block } else { blocks[lane] };
        }
    }
    let (t, lane) = least(&firsts);
    First { t, place: blocks[lane] as usize * BLOCK + lane, is_near: near.iter().any(|&near| near != 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of documents in the order of their scores, if all are apart.
    fn events(scores: &[f64], xs: &[f64], grades: &[u8], depth: usize, sign: f64) -> Option<Vec<Overtaking>> {
        let higher: Vec<u32> = clearly_higher(scores).collect();
        let mut front = Front::default();
        let documents = Documents { scores, xs, grades, higher: &higher, background: 0 };
        front.sweep(documents, depth, sign).then_some(front.events)
    }

    fn overtaking(t: f64, position: u32, grade: u8) -> Overtaking {
        Overtaking { t, position, grade }
    }

    #[test]
    fn events_by_hand() {
        // The second document overtakes the first at 1. The third overtakes the first at 3/2, and the
        // second at 2.
        let (scores, xs, grades) = ([4.0, 3.0, 1.0], [0.0, 1.0, 2.0], [1, 0, 2]);
        let second_leads = overtaking(1.0, 0, 0);
        let third_leads = overtaking(2.0, 0, 2);
        assert_eq!(events(&scores, &xs, &grades, 1, 1.0), Some(vec![second_leads, third_leads]));
        let third_is_second = overtaking(1.5, 1, 2);
        assert_eq!(events(&scores, &xs, &grades, 2, 1.0), Some(vec![second_leads, third_is_second, third_leads]));
        // Downwards, the order stays.
        assert_eq!(events(&scores, &xs, &grades, 2, -1.0), Some(vec![]));
        assert_eq!(events(&scores, &xs.map(|x| -x), &grades, 1, -1.0), Some(vec![second_leads, third_leads]));
    }

    #[test]
    fn a_sweep_gives_up_where_events_coincide() {
        let of_lines = |scores: &[f64], xs: &[f64], depth| events(scores, xs, &[1, 0, 2, 0][..xs.len()], depth, 1.0);
        // All three lines meet at 1.
        assert_eq!(of_lines(&[3.0, 2.0, 1.0], &[0.0, 1.0, 2.0], 2), None);
        assert_eq!(of_lines(&[3.0, 2.0, 1.0], &[0.0, 1.0, 2.0], 1), None);
        // The lines meet near 1, at three places that differ by rounding alone.
        let nearly = [3.0, 2.0, 1.0 + 4.0 * f64::EPSILON];
        assert_eq!(of_lines(&nearly, &[0.0, 1.0, 2.0], 2), None);
        assert_eq!(of_lines(&nearly, &[0.0, 1.0, 2.0], 1), None);
        // The lines of the first two and of the last two documents meet at 1.
        assert_eq!(of_lines(&[4.0, 3.0, 1.0, 0.0], &[0.0, 1.0, 0.0, 1.0], 4), None);
        // Two documents are equal, and overtake at one place.
        assert_eq!(of_lines(&[3.0, 2.0, 2.0], &[0.0, 1.0, 1.0], 1), None);
        // Equal scores meet at 0.
        assert_eq!(of_lines(&[3.0, 3.0], &[0.0, 1.0], 1), None);
        // The place is greater than any number.
        assert_eq!(of_lines(&[1e300, -1e300], &[0.0, 1e-300], 1), None);
    }

    #[test]
    fn documents_that_never_lead_are_no_chasers() {
        let (scores, xs) = ([9.0, 8.0, 7.0, 6.0, 5.0], [1.0, 3.0, 2.0, 4.0, 3.0]);
        let higher: Vec<u32> = clearly_higher(&scores).collect();
        let documents = Documents { scores: &scores, xs: &xs, grades: &[1; 5], higher: &higher, background: 0 };
        let chasers = |depth, sign| {
            let mut chasers = Chasers::default();
            chasers.find::<16>(documents, depth, sign);
            chasers.scores.into_iter().filter(|&score| score > 0.0).collect::<Vec<_>>()
        };
        assert_eq!(chasers(1, 1.0), [8.0, 6.0]);
        assert_eq!(chasers(2, 1.0), [7.0, 6.0]);
        assert!(chasers(1, -1.0).is_empty());
        assert_eq!(chasers(2, -1.0), [7.0]);
    }

    #[test]
    fn scores_that_differ_by_rounding_are_not_clearly_higher() {
        let next = |score: f64| f64::from_bits(score.to_bits() - 1);
        assert_eq!(clearly_higher(&[2.0, next(2.0), 1.0, 1.0]).collect::<Vec<_>>(), [0, 0, 2, 2]);
        assert_eq!(clearly_higher(&[0.0, -0.0, -1e-3]).collect::<Vec<_>>(), [0, 0, 2]);
    }
}
