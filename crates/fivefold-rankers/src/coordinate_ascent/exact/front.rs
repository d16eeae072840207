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

use crate::wide::{self, DOUBLES, Double, LANES, Loop, Mask, Vector};

/// Events that differ by less than this share of their place may coincide. Scores that differ by less
/// than this share of the highest score are not clearly different.
const APART: f64 = 1e-12;
/// Numbers that are nearer to 0 lose digits when they are divided.
const LEAST: f64 = 1e-250;
/// Chasers that are looked at side by side.
const BLOCK: usize = DOUBLES;

/// The most leaders of a sweep.
pub(super) const MOST_LEADERS: usize = 31;

/// A document with grade `grade` overtakes the document at `position`, and takes its position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overtaking {
    pub(super) t: f64,
    pub(super) position: u32,
    pub(super) grade: u8,
}

/// Memory of two sweeps: from t = 0 down and up.
#[derive(Default)]
pub(super) struct Front {
    events: [Events; 2],
    chasers: [Chasers; 2],
}

/// The signs of t in the two sweeps.
pub(super) const SIGNS: [f64; 2] = [-1.0, 1.0];

/// The events at which a document overtakes another of a different grade, by rising t.
#[derive(Default)]
struct Events {
    /// The events, and room for more.
    places: Vec<Overtaking>,
    count: usize,
}

impl Events {
    /// Adds an event if `counts` holds, without a branch.
    #[inline(always)]
    fn add_if(&mut self, counts: bool, event: Overtaking) {
        if self.count == self.places.len() {
            self.places.resize(2 * self.count + 64, Overtaking { t: 0.0, position: 0, grade: 0 });
        }
        self.places[self.count] = event;
        self.count += usize::from(counts);
    }
}

/// A whole number of blocks of documents; the last documents may be fillers, which never overtake.
#[derive(Default)]
struct Chasers {
    scores: Vec<f64>,
    xs: Vec<f64>,
    grades: Vec<u8>,
    /// Documents that may stand above others for good, by place, with their x.
    candidates: Vec<(u32, f64)>,
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
    /// Finds the events of the first `depth` positions, at most [`MOST_LEADERS`], down and up. Returns
    /// whether all events are apart; if not, [`events`](Self::events) means nothing.
    pub(super) fn sweep(&mut self, documents: Documents<'_>, depth: usize) -> bool {
        let Front { events, chasers } = self;
        match depth {
            0..=11 => wide::run(Sweeps::<15, 12, 3> { events, chasers, documents, depth }),
            _ => {
                wide::run(Sweeps::<{ MOST_LEADERS + 4 }, { MOST_LEADERS + 1 }, 8> { events, chasers, documents, depth })
            }
        }
    }

    /// The events of sweep `side`, at which a document overtakes another of a different grade, by rising
    /// distance from 0. Places of the sweep down have the other sign.
    pub(super) fn events(&self, side: usize) -> &[Overtaking] {
        &self.events[side].places[..self.events[side].count]
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
        self.candidates.clear();
        // The candidates before this one were compared with the greatest.
        let mut seen = 0;
        let mut count = 0;
        for (block, of_block) in xs.chunks(LANES).enumerate() {
            // Documents that are not greater now will not be greater later.
            let least = greatest[N - 1];
            if !of_block.iter().fold(false, |any, x| any | (sign * x > least)) {
                continue;
            }
            for (place, x) in (block * LANES..).zip(of_block) {
                let x = sign * x;
                if x <= least {
                    continue;
                }
                while let Some(&(_, x)) = self.candidates.get(seen).filter(|(other, _)| *other < higher[place]) {
                    if x > greatest[N - 1] {
                        insert(&mut greatest, x);
                    }
                    seen += 1;
                }
                self.candidates.push((place as u32, x));
                if place >= depth {
                    (self.scores[count], self.xs[count], self.grades[count]) = (scores[place], x, grades[place]);
                    count += usize::from(x > greatest[N - 1]);
                }
            }
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

/// Two sweeps of fewer than M leaders, M being four times Q, and N at least M + 3.
struct Sweeps<'a, const N: usize, const M: usize, const Q: usize> {
    events: &'a mut [Events; 2],
    chasers: &'a mut [Chasers; 2],
    documents: Documents<'a>,
    depth: usize,
}

impl<const N: usize, const M: usize, const Q: usize> Loop for Sweeps<'_, N, M, Q> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Vector>(self) -> bool {
        let Sweeps { events: [down_events, up_events], chasers: [down_chasers, up_chasers], documents, depth } = self;
        let mut down = Sweep::<V::Double, N, Q>::begin::<M>(down_events, down_chasers, documents, depth, SIGNS[0]);
        let mut up = Sweep::<V::Double, N, Q>::begin::<M>(up_events, up_chasers, documents, depth, SIGNS[1]);
        // Each event must wait for the one before it. Events of the two sweeps need not wait for each
        // other.
        while down.state == State::Going && up.state == State::Going {
            down.step();
            up.step();
        }
        while down.state == State::Going && up.state == State::Done {
            down.step();
        }
        while up.state == State::Going && down.state == State::Done {
            up.step();
        }
        down.state == State::Done && up.state == State::Done
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Going,
    /// All events are found.
    Done,
    /// Events coincide.
    GivenUp,
}

/// A sweep at `now`.
struct Sweep<'a, D, const N: usize, const Q: usize> {
    events: &'a mut Events,
    chasers: &'a mut Chasers,
    state: State,
    now: f64,
    /// The place of the last leader.
    last: usize,
    /// The leaders stand from place 1 to the last place, and the first chaser after them. Before them is
    /// a document that is never overtaken, so that the first leader is like the others.
    scores: [f64; N],
    xs: [f64; N],
    grades: [u8; N],
    meets: Meets<D, Q>,
    first: First,
}

impl<'a, D: Double, const N: usize, const Q: usize> Sweep<'a, D, N, Q> {
    #[inline(always)]
    fn begin<const M: usize>(
        events: &'a mut Events,
        chasers: &'a mut Chasers,
        documents: Documents<'_>,
        last: usize,
        sign: f64,
    ) -> Self {
        events.count = 0;
        chasers.find::<M>(documents, last, sign);
        let mut all = documents.grades[..last].iter().chain(&chasers.grades);
        let state = if all.all(|&grade| grade == documents.background) { State::Done } else { State::Going };
        let (mut scores, mut xs, mut grades) = ([0.0; N], [f64::INFINITY; N], [0; N]);
        scores[1..=last].copy_from_slice(&documents.scores[..last]);
        xs[1..=last].iter_mut().zip(documents.xs).for_each(|(place, x)| *place = sign * x);
        grades[1..=last].copy_from_slice(&documents.grades[..last]);
        let mut meets = Meets::never();
        for place in 1..last {
            let [t, _] = meetings::<D, N>(&scores, &xs, [place, place]);
            meets.put(place, t);
        }
        let first = First { t: f64::INFINITY, place: 0, is_near: false };
        let mut sweep = Sweep { events, chasers, state, now: LEAST, last, scores, xs, grades, meets, first };
        sweep.find_first();
        sweep
    }

    /// Finds the first chaser of the last leader.
    #[inline(always)]
    fn find_first(&mut self) {
        let Sweep { chasers, last, .. } = self;
        let last = *last;
        self.first = first_chaser::<D>(self.scores[last], self.xs[last], chasers, self.now);
        let place = self.first.place;
        if place < chasers.xs.len() {
            self.scores[last + 1] = chasers.scores[place];
            self.xs[last + 1] = chasers.xs[place];
            self.grades[last + 1] = chasers.grades[place];
        }
        self.meets.put(last, self.first.t);
    }

    /// Goes to the next event.
    #[inline(always)]
    fn step(&mut self) {
        let last = self.last;
        let (t, place) = self.meets.first();
        // `false` for NaN, too.
        let is_apart = t - self.now > APART * t;
        if t == f64::INFINITY || !is_apart {
            self.end(t);
            return;
        }
        self.now = t;
        let (overtaken, grade) = (self.grades[place], self.grades[place + 1]);
        self.scores.swap(place, place + 1);
        self.xs.swap(place, place + 1);
        (self.grades[place], self.grades[place + 1]) = (grade, overtaken);
        let [before, after] = meetings::<D, N>(&self.scores, &self.xs, [place - 1, place + 1]);
        self.meets.put(place - 1, before);
        self.meets.put(place, f64::INFINITY);
        self.meets.put(place + 1, if place + 1 < last { after } else { f64::INFINITY });
        self.events.add_if(grade != overtaken, Overtaking { t, position: place as u32 - 1, grade });
        if place + 1 >= last {
            let Sweep { chasers, first, .. } = self;
            if place == last {
                // The document that was just overtaken met the new leader here, and never again.
                chasers.xs[first.place] = f64::NEG_INFINITY;
            }
            let overtaken = (first.place, self.scores[last + 1], self.xs[last + 1], self.grades[last + 1]);
            self.find_first();
            if place == last {
                if self.first.is_near {
                    self.state = State::GivenUp;
                }
                let (place, score, x, grade) = overtaken;
                (self.chasers.scores[place], self.chasers.xs[place]) = (score, x);
                self.chasers.grades[place] = grade;
            }
        }
    }

    /// Ends the sweep, after which the next event would be at `t`.
    #[inline(always)]
    fn end(&mut self, t: f64) {
        // Each document has overtaken all that it overtakes. This does not hold if a place is too
        // great for a number.
        let (xs, last) = (&self.xs[1..=self.last], self.xs[self.last]);
        let all = xs.is_sorted_by(|above, below| above >= below) && self.chasers.xs.iter().all(|&x| x <= last);
        self.state = if t == f64::INFINITY && all { State::Done } else { State::GivenUp };
    }
}

/// Where each leader is overtaken by the document after it, in registers: a number that was just
/// stored alone cannot be loaded with others at once.
struct Meets<D, const Q: usize>([D; Q]);

impl<D: Double, const Q: usize> Meets<D, Q> {
    #[inline(always)]
    fn never() -> Self {
        Meets([D::splat(f64::INFINITY); Q])
    }

    #[inline(always)]
    fn put(&mut self, place: usize, t: f64) {
        for quarter in 0..Q {
            self.0[quarter] = self.0[quarter].put(place.wrapping_sub(DOUBLES * quarter), t);
        }
    }

    /// The first place of a meeting, and the leader that is overtaken there.
    #[inline(always)]
    fn first(&self) -> (f64, usize) {
        let mut lowest = self.0[0];
        for quarter in 1..Q {
            lowest = lowest.lower(self.0[quarter]);
        }
        let t = lowest.lowest();
        let mut places = 0;
        for quarter in 0..Q {
            places |= self.0[quarter].equal(D::splat(t)) << (DOUBLES * quarter);
        }
        (t, places.trailing_zeros() as usize)
    }
}

/// Where the documents at two places are overtaken by the documents after them.
#[inline(always)]
fn meetings<D: Double, const N: usize>(scores: &[f64; N], xs: &[f64; N], places: [usize; 2]) -> [f64; 2] {
    // Vectors, since the compiler would make a branch to save a division.
    let of = |numbers: &[f64; N], next| D::load(&[numbers[places[0] + next], numbers[places[1] + next], 0.0, 0.0]);
    let (above, below) = (of(xs, 0), of(xs, 1));
    let t = of(scores, 0).minus(of(scores, 1)).over(below.minus(above));
    let [first, second, ..] = above.minus(below).if_negative(t, D::splat(f64::INFINITY)).values();
    [first, second]
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
fn first_chaser<D: Double>(score: f64, x: f64, chasers: &Chasers, now: f64) -> First {
    let (score, x) = (D::splat(score), D::splat(x));
    let (at_present, never, bound) = (D::splat(now), D::splat(f64::INFINITY), D::splat(APART * now));
    let always_above = D::splat(f64::NEG_INFINITY);
    let (mut firsts, mut blocks) = (never, D::splat(0.0));
    // All lanes are set.
    let mut apart = D::splat(0.0).less(never);
    let (xs, _) = chasers.xs.as_chunks::<BLOCK>();
    let (scores, _) = chasers.scores.as_chunks::<BLOCK>();
    let mut block = 0.0;
    for (xs, scores) in xs.iter().zip(scores) {
        let xs = D::load(xs);
        let t = score.minus(D::load(scores)).over(xs.minus(x));
        // NaN, if the lines are equal, is not apart. Minus infinity is a parallel line above the
        // leader's: it should have overtaken first, so both overtook at one place but for rounding.
        apart = apart.and(bound.less(t.minus(at_present).absolute())).and(always_above.less(t));
        let overtaking = x.less(xs).choose(t, never);
        let is_first = overtaking.less(firsts);
        firsts = is_first.choose(overtaking, firsts);
        blocks = is_first.choose(D::splat(block), blocks);
        block += 1.0;
    }
    let t = firsts.lowest();
    let lane = firsts.equal(D::splat(t)).trailing_zeros() as usize;
    // A block is a small whole number.
    let block = blocks.values()[lane % BLOCK] as usize;
    First { t, place: block * BLOCK + lane, is_near: apart.bits() != (1 << BLOCK) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of documents in the order of their scores, if all are apart.
    fn events(scores: &[f64], xs: &[f64], grades: &[u8], depth: usize, sign: f64) -> Option<Vec<Overtaking>> {
        let higher: Vec<u32> = clearly_higher(scores).collect();
        let mut front = Front::default();
        let documents = Documents { scores, xs, grades, higher: &higher, background: 0 };
        let side = SIGNS.iter().position(|&other| other == sign).unwrap();
        front.sweep(documents, depth).then(|| front.events(side).to_vec())
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

    /// The last two documents overtake the first at one place, but for rounding. The lower of them has
    /// grade 2 and never leads.
    #[test]
    fn of_parallel_documents_the_lower_never_leads() {
        for others in 0..20 {
            let (mut scores, mut xs, mut grades) = (vec![7.0 / 3.0], vec![0.0], vec![1]);
            for number in (0..others).map(f64::from) {
                scores.push(-0.01 * number);
                xs.push(1.0 + 0.03 * number);
            }
            scores.extend([-0.3333333333333333, -0.3333333333333335]);
            xs.extend([2.0, 2.0]);
            grades.resize(xs.len() - 1, 0);
            grades.push(2);
            if let Some(found) = events(&scores, &xs, &grades, 1, 1.0) {
                assert_eq!(found.iter().map(|event| event.grade).collect::<Vec<_>>(), [0], "{others}");
            }
        }
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
