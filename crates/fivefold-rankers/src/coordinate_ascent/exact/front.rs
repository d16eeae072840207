//! Sweeps of queries from t = 0 to infinity, if no two events of a sweep coincide.
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
//! Each event must wait for the one before it, but sweeps need not wait for each other. So a
//! vector's lanes do several sweeps side by side, and a lane whose sweep has ended begins another.
//! A swap of documents is a choice in each lane at each place, without a branch.
//!
//! Cost: O(documents + events k), and O(chasers) where the last leader changes.

use std::ops::Range;

use crate::wide::{self, Double, LongLoop, Mask, Program, Vector};

/// Events that differ by less than this share of their place may coincide. Scores that differ by less
/// than this share of the highest score are not clearly different.
const APART: f64 = 1e-12;
/// Numbers that are nearer to 0 lose digits when they are divided.
const LEAST: f64 = 1e-250;

/// The most leaders of a sweep.
pub(super) const MOST_LEADERS: usize = 31;

/// A document with grade `grade` overtakes the document at `position`, and takes its position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overtaking {
    pub(super) t: f64,
    pub(super) position: u32,
    pub(super) grade: u8,
}

/// Sweeps of some queries: from t = 0 down and up.
#[derive(Default)]
pub(super) struct Front {
    /// The events of all sweeps, those of a sweep by rising distance from 0. Places of a sweep down
    /// have the other sign.
    events: Vec<Overtaking>,
    /// For each query and side, its events; `None` if not all events are apart.
    sweeps: Vec<[Option<Range<usize>>; 2]>,
    lanes: Vec<Lane>,
}

/// The memory of a sweep that is not in vectors.
#[derive(Default)]
struct Lane {
    /// The number of the query, and the side.
    sweep: (usize, usize),
    /// The events at which a document overtakes another of a different grade.
    events: Events,
    chasers: Chasers,
    /// The place of the first chaser.
    first: usize,
    /// The place of the first leader in [`Leaders`].
    begin: usize,
}

/// The signs of t in the two sweeps.
pub(super) const SIGNS: [f64; 2] = [-1.0, 1.0];

#[derive(Default)]
struct Events {
    /// The events, and room for more.
    places: Vec<Overtaking>,
    count: usize,
}

impl Events {
    /// Adds an event if `counts` holds, without a branch on it.
    #[inline(always)]
    fn add_if(&mut self, counts: bool, event: Overtaking) {
        if self.count == self.places.len() {
            self.places.resize(2 * self.count + 64, Overtaking { t: 0.0, position: 0, grade: 0 });
        }
        self.places[self.count] = event;
        self.count += usize::from(counts);
    }
}

/// A whole number of vectors of documents; the last documents may be fillers, which never overtake.
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
    /// Number of leaders: positions that count.
    pub(super) leaders: usize,
}

/// Adds to `higher`, for each of the falling `scores`, how many are clearly higher.
pub(super) fn clearly_higher(scores: &[f64], higher: &mut Vec<u32>) {
    let size = |score: Option<&f64>| score.map_or(0.0, |score| score.abs());
    let gap = LEAST.max(APART * size(scores.first()).max(size(scores.last())));
    let mut count = 0;
    for score in scores {
        while scores[count] - score > gap {
            count += 1;
        }
        higher.push(count as u32);
    }
}

impl Front {
    /// Finds the events of each query that has at most [`MOST_LEADERS`] leaders.
    pub(super) fn sweep(&mut self, queries: &[Documents<'_>]) {
        self.sweep_at_most(Program::Avx512, queries);
    }

    /// As [`sweep`](Self::sweep), with vectors that are no longer than those of `most`.
    fn sweep_at_most(&mut self, most: Program, queries: &[Documents<'_>]) {
        self.events.clear();
        self.sweeps.clear();
        self.sweeps.resize(queries.len(), [None, None]);
        match queries.iter().map(|documents| documents.leaders).max() {
            Some(0..=10) => wide::run_at_most(most, Sweeps::<13> { front: self, queries }),
            _ => wide::run_at_most(most, Sweeps::<{ MOST_LEADERS + 3 }> { front: self, queries }),
        }
    }

    /// The events of a query, down and up, at which a document overtakes another of a different
    /// grade; `None` if not all events are apart, or if there are more than [`MOST_LEADERS`].
    pub(super) fn events(&self, query: usize) -> Option<[&[Overtaking]; 2]> {
        let [down, up] = &self.sweeps[query];
        Some([&self.events[down.clone()?], &self.events[up.clone()?]])
    }
}

impl Chasers {
    /// Finds the chasers of a sweep; `N` is above the number of leaders.
    #[inline(always)]
    fn find<E: Double<D>, const D: usize, const N: usize>(&mut self, documents: Documents<'_>, sign: f64) {
        let Documents { scores, xs, grades, higher, background, leaders: depth } = documents;
        let most = xs.len().next_multiple_of(D);
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
        let of_side = E::splat(sign);
        for (block, of_block) in xs.chunks(D).enumerate() {
            let mut xs = [f64::NEG_INFINITY * sign; D];
            xs[..of_block.len()].copy_from_slice(of_block);
            let xs = E::load(&xs).times(of_side);
            // Documents that are not greater now will not be greater later.
            let mut greater = E::splat(greatest[N - 1]).less(xs).bits();
            let xs = xs.values();
            while greater != 0 {
                let lane = greater.trailing_zeros() as usize % D;
                greater &= greater - 1;
                let (place, x) = (block * D + lane, xs[lane]);
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
        let filled = count.next_multiple_of(D);
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

/// Sweeps of at most P - 3 leaders, side by side.
struct Sweeps<'a, const P: usize> {
    front: &'a mut Front,
    queries: &'a [Documents<'a>],
}

impl<const P: usize> LongLoop for Sweeps<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<const N: usize, const D: usize, V: Vector<N, D>>(self) {
        let Sweeps { front: Front { events, sweeps, lanes }, queries } = self;
        lanes.resize_with(D, Lane::default);
        let Some(lanes) = lanes.first_chunk_mut::<D>() else { return };
        let mut leaders = Leaders::<V::Double, D, P>::none();
        let swept = (0..queries.len()).filter(|&query| queries[query].leaders <= MOST_LEADERS);
        let mut waiting = swept.flat_map(|query| [(query, 0), (query, 1)]);
        // The lanes that do a sweep, and the lanes that are free.
        let (mut busy, mut free) = (0, ones(D));
        loop {
            while free != 0 {
                let Some((query, side)) = waiting.next() else { break };
                let number = free.trailing_zeros() as usize;
                lanes[number].sweep = (query, side);
                if leaders.begin(number, &mut lanes[number], queries[query], SIGNS[side]) {
                    (busy, free) = (busy | 1 << number, free & (free - 1));
                } else {
                    sweeps[query][side] = Some(0..0);
                }
            }
            if busy == 0 {
                return;
            }
            let (t, mut ended) = loop {
                let (t, apart) = leaders.next();
                let ended = busy & !(apart.bits() & !leaders.given_up);
                if ended != 0 {
                    break (t, ended);
                }
                leaders.step(t, apart, lanes);
            };
            let is_over = t.equal(V::Double::splat(f64::INFINITY)) & leaders.in_order() & !leaders.given_up;
            busy &= !ended;
            while ended != 0 {
                let number = ended.trailing_zeros() as usize;
                let lane = &lanes[number];
                let (query, side) = lane.sweep;
                // The documents have overtaken all that they overtake. This does not hold if a
                // place is too great for a number.
                let least = leaders.xs[P - 3].values()[number];
                if is_over >> number & 1 != 0 && lane.chasers.xs.iter().all(|&x| x <= least) {
                    let begin = events.len();
                    let position = |place: u32| place - lane.begin as u32;
                    let of_lane = lane.events.places[..lane.events.count].iter();
                    events.extend(of_lane.map(|&event| Overtaking { position: position(event.position), ..event }));
                    sweeps[query][side] = Some(begin..events.len());
                }
                leaders.leave(number);
                free |= 1 << number;
                ended &= ended - 1;
            }
        }
    }
}

/// The leaders of sweeps, a lane each. Those of a sweep stand up to place P - 3, the last place,
/// and the first chaser stands after them. Before them are documents that are never overtaken.
struct Leaders<E: Double<D>, const D: usize, const P: usize> {
    scores: [E; P],
    xs: [E; P],
    grades: [E; P],
    /// Where each leader is overtaken by the document after it.
    meets: [E; P],
    now: E,
    /// The lanes in which events coincide, a bit each.
    given_up: u32,
}

impl<E: Double<D>, const D: usize, const P: usize> Leaders<E, D, P> {
    const LAST: usize = P - 3;

    #[inline(always)]
    fn none() -> Self {
        let (zero, infinite) = (E::splat(0.0), E::splat(f64::INFINITY));
        Leaders {
            scores: [zero; P],
            xs: [infinite; P],
            grades: [zero; P],
            meets: [infinite; P],
            now: zero,
            given_up: 0,
        }
    }

    /// Begins a sweep. Returns false if the ranking of grades never changes.
    #[inline(always)]
    fn begin(&mut self, number: usize, lane: &mut Lane, documents: Documents<'_>, sign: f64) -> bool {
        let depth = documents.leaders;
        lane.events.count = 0;
        lane.chasers.find::<E, D, P>(documents, sign);
        let mut all = documents.grades[..depth].iter().chain(&lane.chasers.grades);
        if all.all(|&grade| grade == documents.background) {
            return false;
        }
        lane.begin = Self::LAST - depth + 1;
        let (mut scores, mut xs, mut grades, mut meets) = ([0.0; P], [f64::INFINITY; P], [0; P], [f64::INFINITY; P]);
        for (document, place) in (lane.begin..=Self::LAST).enumerate() {
            (scores[place], xs[place]) = (documents.scores[document], sign * documents.xs[document]);
            grades[place] = documents.grades[document];
        }
        for place in lane.begin..Self::LAST {
            if xs[place] < xs[place + 1] {
                meets[place] = (scores[place] - scores[place + 1]) / (xs[place + 1] - xs[place]);
            }
        }
        for place in 0..Self::LAST + 1 {
            self.scores[place] = self.scores[place].put(number, scores[place]);
            self.xs[place] = self.xs[place].put(number, xs[place]);
            self.grades[place] = self.grades[place].put(number, grades[place].into());
            self.meets[place] = self.meets[place].put(number, meets[place]);
        }
        self.now = self.now.put(number, LEAST);
        self.given_up &= !(1 << number);
        let first = first_chaser::<E, D>(scores[Self::LAST], xs[Self::LAST], &lane.chasers, LEAST);
        self.put_first(number, lane, first);
        true
    }

    /// Takes a sweep out of its lane.
    #[inline(always)]
    fn leave(&mut self, number: usize) {
        for meets in &mut self.meets {
            *meets = meets.put(number, f64::INFINITY);
        }
    }

    /// Puts the first chaser after the last leader.
    #[inline(always)]
    fn put_first(&mut self, number: usize, lane: &mut Lane, first: First) {
        let Chasers { scores, xs, grades, .. } = &lane.chasers;
        let place = first.place;
        if place < xs.len() {
            self.scores[Self::LAST + 1] = self.scores[Self::LAST + 1].put(number, scores[place]);
            self.xs[Self::LAST + 1] = self.xs[Self::LAST + 1].put(number, xs[place]);
            self.grades[Self::LAST + 1] = self.grades[Self::LAST + 1].put(number, grades[place].into());
        }
        self.meets[Self::LAST] = self.meets[Self::LAST].put(number, first.t);
        lane.first = place;
    }

    /// The next places, and the lanes in which they are apart from the present places.
    #[inline(always)]
    fn next(&self) -> (E, E::Mask) {
        let mut t = self.meets[1];
        for place in 2..Self::LAST + 1 {
            t = t.lower(self.meets[place]);
        }
        // Not in a lane without an event, since its place is infinite.
        (t, t.times(E::splat(APART)).less(t.minus(self.now)))
    }

    /// The lanes whose leaders have overtaken all leaders that they overtake, a bit each.
    #[inline(always)]
    fn in_order(&self) -> u32 {
        let mut rises = 0;
        for place in 1..Self::LAST {
            rises |= self.xs[place].less(self.xs[place + 1]).bits();
        }
        !rises
    }

    /// Goes to the events at `t` in the lanes `apart`.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // a place is one of several lists, and the compiler unrolls plain ranges
    fn step(&mut self, t: E, apart: E::Mask, lanes: &mut [Lane; D]) {
        self.now = apart.choose(t, self.now);
        // The lanes in which the leader at each place is overtaken.
        let mut overtaken = [apart; P];
        let (mut any, mut several) = (0, 0);
        for place in 1..Self::LAST + 1 {
            overtaken[place] = self.meets[place].same(t).and(apart);
            several |= any & overtaken[place].bits();
            any |= overtaken[place].bits();
        }
        self.given_up |= several;

        let scores = around(&self.scores, &overtaken);
        let xs = around(&self.xs, &overtaken);
        let grades = around(&self.grades, &overtaken);
        // The document at offset 2 takes the place of the one at offset 1.
        let before = meeting([scores[0], scores[2]], [xs[0], xs[2]]);
        let after = meeting([scores[1], scores[3]], [xs[1], xs[3]]);
        for places in [&mut self.scores, &mut self.xs, &mut self.grades] {
            let old = *places;
            for place in 1..Self::LAST + 1 {
                places[place] = overtaken[place].choose(old[place + 1], places[place]);
                places[place + 1] = overtaken[place].choose(old[place], places[place + 1]);
            }
        }
        for place in 1..Self::LAST + 1 {
            self.meets[place - 1] = overtaken[place].choose(before, self.meets[place - 1]);
            self.meets[place] = overtaken[place].choose(E::splat(f64::INFINITY), self.meets[place]);
            self.meets[place + 1] = overtaken[place].choose(after, self.meets[place + 1]);
        }

        let mut event = E::splat(as_bits(1));
        for place in 2..Self::LAST + 1 {
            event = overtaken[place].choose(E::splat(as_bits(place as u64)), event);
        }
        let counts = any & !grades[1].equal(grades[2]);
        let (ts, places, grades) = (t.values(), event.values(), grades[2].values());
        for (number, lane) in lanes.iter_mut().enumerate() {
            let (position, grade) = (places[number].to_bits() as u32, grades[number] as u8);
            lane.events.add_if(counts >> number & 1 != 0, Overtaking { t: ts[number], position, grade });
        }

        let new_leaders = overtaken[Self::LAST].bits();
        self.follow(new_leaders, new_leaders | overtaken[Self::LAST - 1].bits(), lanes);
    }

    /// Finds the first chaser of the last leader in the lanes `changed`, where another document
    /// became the last leader: in the lanes `new`, a chaser overtook the last leader.
    #[inline(always)]
    fn follow(&mut self, new: u32, mut changed: u32, lanes: &mut [Lane; D]) {
        let scores = [self.scores[Self::LAST].values(), self.scores[Self::LAST + 1].values()];
        let xs = [self.xs[Self::LAST].values(), self.xs[Self::LAST + 1].values()];
        let (grades, now) = (self.grades[Self::LAST + 1].values(), self.now.values());
        while changed != 0 {
            let number = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let lane = &mut lanes[number];
            let first = first_chaser::<E, D>(scores[0][number], xs[0][number], &lane.chasers, now[number]);
            // A new leader still stands among the chasers, so one chaser has its line.
            self.given_up |= new & u32::from(first.are_near) << number;
            // The overtaken leader takes the place of the new one. If a leader was overtaken by
            // another, this is the first chaser itself.
            let chasers = &mut lane.chasers;
            if lane.first < chasers.xs.len() {
                (chasers.scores[lane.first], chasers.xs[lane.first]) = (scores[1][number], xs[1][number]);
                chasers.grades[lane.first] = grades[number] as u8;
            }
            self.put_first(number, lane, first);
        }
    }
}

/// The numbers from the place before an event to the second place after it, for the events in the
/// lanes `overtaken` of each place. A lane without an event has any numbers.
#[inline(always)]
fn around<E: Double<D>, const D: usize, const P: usize>(from: &[E; P], overtaken: &[E::Mask; P]) -> [E; 4] {
    let mut picked = [from[0], from[1], from[2], from[3]];
    for place in 2..P - 2 {
        for offset in 0..4 {
            picked[offset] = overtaken[place].choose(from[place + offset - 1], picked[offset]);
        }
    }
    picked
}

/// Where the first of two documents is overtaken by the second; infinite if it is not.
#[inline(always)]
fn meeting<E: Double<D>, const D: usize>(scores: [E; 2], xs: [E; 2]) -> E {
    let t = scores[0].minus(scores[1]).over(xs[1].minus(xs[0]));
    xs[0].less(xs[1]).choose(t, E::splat(f64::INFINITY))
}

/// A small whole number as the bits of a number, for vectors that are moved alone: a comparison may
/// take such a number for 0.
#[inline(always)]
fn as_bits(number: u64) -> f64 {
    f64::from_bits(number)
}

/// The chaser that is the first to overtake the last leader.
#[derive(Clone, Copy)]
struct First {
    t: f64,
    place: usize,
    /// Whether two chasers cross the leader too near to the present place, or have its line.
    are_near: bool,
}

#[inline(always)]
fn first_chaser<E: Double<D>, const D: usize>(score: f64, x: f64, chasers: &Chasers, now: f64) -> First {
    let (score, x) = (E::splat(score), E::splat(x));
    let (at_present, never, bound) = (E::splat(now), E::splat(f64::INFINITY), E::splat(APART * now));
    let always_above = E::splat(f64::NEG_INFINITY);
    let (mut firsts, mut blocks) = (never, E::splat(as_bits(0)));
    // The lanes in which all chasers are apart, and those in which all but one are.
    let mut all_apart = always_above.less(never);
    let mut most_apart = all_apart;
    let (xs, _) = chasers.xs.as_chunks::<D>();
    let (scores, _) = chasers.scores.as_chunks::<D>();
    for (block, (xs, scores)) in (0..).zip(xs.iter().zip(scores)) {
        let xs = E::load(xs);
        let t = score.minus(E::load(scores)).over(xs.minus(x));
        // NaN, if the lines are equal, is not apart. Minus infinity is a parallel line above the
        // leader's: it should have overtaken first, so both overtook at one place but for rounding.
        let apart = bound.less(t.minus(at_present).absolute()).and(always_above.less(t));
        most_apart = most_apart.and(all_apart.or(apart));
        all_apart = all_apart.and(apart);
        let overtaking = x.less(xs).choose(t, never);
        let is_first = overtaking.less(firsts);
        firsts = is_first.choose(overtaking, firsts);
        blocks = is_first.choose(E::splat(as_bits(block)), blocks);
    }
    let t = firsts.lowest();
    let lane = firsts.equal(E::splat(t)).trailing_zeros() as usize % D;
    let block = blocks.values()[lane].to_bits() as usize;
    let (near, twice_near) = (!all_apart.bits() & ones(D), !most_apart.bits() & ones(D));
    First { t, place: block * D + lane, are_near: twice_near != 0 || near & near.wrapping_sub(1) != 0 }
}

/// As many bits as there are lanes.
#[inline(always)]
fn ones(lanes: usize) -> u32 {
    u32::MAX >> (u32::BITS - lanes as u32)
}

#[cfg(test)]
mod tests;
