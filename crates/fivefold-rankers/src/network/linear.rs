//! An epoch of a linear scorer, whose steps are too short for tasks of rayon: a [`Team`] shares each
//! step. A member computes the scores of some queries and the derivatives by them; then it computes
//! the derivatives by some weights. Each sum keeps the order that one thread gives it.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use fivefold_core::FitError;

use super::layers::{Copies, Pass};
use super::loss::{AnyLoss, Worker};
use super::team::{MOST, Team};
use super::{LONGEST, Part, SHARD};
use crate::aligned::{Aligned, LINE};

/// The least number of multiplications of a step, forward and back each, for which a team pays.
const LEAST: usize = 1 << 15;

/// Steps of an epoch, and the memory of the members of a team.
pub(super) struct Linear<'a> {
    part: Part<'a>,
    batches: Vec<Batch<'a>>,
    members: Vec<Member<'a>>,
}

/// The queries of a step, by their places, and the member that works on each.
struct Batch<'a> {
    places: &'a [usize],
    owners: Vec<usize>,
}

/// What a member works on. In cache lines of its own: otherwise each length that a member writes would
/// hold up the others.
#[repr(align(128))]
struct Member<'a> {
    memory: Mutex<Memory<'a>>,
    found: RwLock<Found>,
    /// The derivatives by the weights of this member.
    gradient: Mutex<Aligned<f32>>,
}

/// What only the member itself needs.
struct Memory<'a> {
    /// A copy, so that members do not wait for each other's locks.
    weights: Vec<f32>,
    copies: Copies,
    pass: Pass,
    scores: Vec<f64>,
    loss: Box<dyn Worker + 'a>,
}

/// The derivatives by the scores of a member's queries, one query after the other.
#[derive(Default)]
struct Found {
    slopes: Vec<f64>,
    failure: Option<FitError>,
}

impl<'a> Linear<'a> {
    /// The steps of an epoch. `None` if the network has hidden layers, or if the steps are so short
    /// or so long that a team does not pay.
    pub(super) fn new(part: Part<'a>, loss: &'a dyn AnyLoss, order: &'a [usize], batch: usize) -> Option<Self> {
        let Part { shape, inputs, .. } = part;
        let members = rayon::current_num_threads().min(MOST).min(batch);
        let length = |&place: &usize| inputs.documents(place).len();
        let all: usize = order.iter().map(length).sum();
        if members < 2
            || shape.layers().len() > 1
            || all * shape.weights() < LEAST * order.len().div_ceil(batch)
            || order.iter().any(|place| length(place) > LONGEST)
        {
            return None;
        }
        let batches: Vec<Batch<'a>> =
            order.chunks(batch).map(|places| Batch { places, owners: deal(places, length, members) }).collect();
        // Longer steps are cut into shards.
        let work = |batch: &Batch<'_>| batch.places.iter().map(length).sum::<usize>() * shape.weights();
        if batches.iter().any(|batch| work(batch) >= 2 * SHARD) {
            return None;
        }
        let memory = || Memory {
            weights: Vec::new(),
            copies: Copies::default(),
            pass: Pass::default(),
            scores: Vec::new(),
            loss: loss.worker(),
        };
        let member = |_| Member { memory: Mutex::new(memory()), found: RwLock::default(), gradient: Mutex::default() };
        let members = (0..members).map(member).collect();
        Some(Linear { part, batches, members })
    }

    /// Calls `step` with the weights, the summed gradient and the number of queries of each batch.
    pub(super) fn run(
        &self,
        weights: &mut [f32],
        mut step: impl FnMut(&mut [f32], &mut [f32], usize),
    ) -> Result<(), FitError> {
        let work = |task: usize, member: usize| match task % 2 {
            0 => self.score(task / 2, member),
            _ => self.differentiate(task / 2, member),
        };
        let mut gradient = Vec::new();
        Team::run(self.members.len(), &work, |team| {
            for (number, batch) in self.batches.iter().enumerate() {
                for member in &self.members {
                    let copy = &mut lock(&member.memory).weights;
                    copy.clear();
                    copy.extend_from_slice(weights);
                }
                team.share(2 * number);
                for member in &self.members {
                    let mut found = member.found.write().unwrap_or_else(PoisonError::into_inner);
                    found.failure.take().map_or(Ok(()), Err)?;
                }
                team.share(2 * number + 1);
                gradient.clear();
                self.members.iter().for_each(|member| gradient.extend_from_slice(&lock(&member.gradient)));
                step(weights, &mut gradient, batch.places.len());
            }
            Ok(())
        })
    }

    /// Computes the scores of a member's queries, and the derivatives by them.
    fn score(&self, batch: usize, member: usize) {
        let Part { shape, inputs, epoch, cx } = self.part;
        let Batch { places, owners } = &self.batches[batch];
        let Memory { weights, copies, pass, scores, loss } = &mut *lock(&self.members[member].memory);
        let weights = copies.of(shape, weights);
        let mut found = self.members[member].found.write().unwrap_or_else(PoisonError::into_inner);
        let Found { slopes, failure } = &mut *found;
        slopes.clear();
        let mut fill = || {
            for (&place, _) in places.iter().zip(owners).filter(|(_, owner)| **owner == member) {
                cx.check()?;
                scores.clear();
                // In blocks that are not halved: a member that waits for a half could begin another job.
                for rows in inputs.rows(inputs.documents(place)).chunks(shape.undivided() * shape.input_stride()) {
                    scores.extend(shape.forward(weights, rows, pass).iter().map(|&score| f64::from(score)));
                }
                let start = slopes.len();
                slopes.resize(start + scores.len(), 0.0);
                loss.slopes(inputs.query(place), epoch, scores, &mut slopes[start..])?;
            }
            Ok(())
        };
        *failure = fill().err();
    }

    /// Computes the derivatives by a member's weights.
    fn differentiate(&self, batch: usize, member: usize) {
        let Part { shape, inputs, .. } = self.part;
        let Batch { places, owners } = &self.batches[batch];
        let found = self.members.iter().map(|member| member.found.read().unwrap_or_else(PoisonError::into_inner));
        let found: Vec<_> = found.collect();
        let mut next = [0; MOST];
        let sloped = places.iter().zip(owners).map(|(&place, &owner)| {
            let documents = inputs.documents(place);
            let start = next[owner];
            next[owner] += documents.len();
            (&found[owner].slopes[start..next[owner]], inputs.rows(documents))
        });
        let sloped: Vec<_> = sloped.map(|(slopes, rows)| (rows, slopes)).collect();
        let lines = shape.weights().div_ceil(LINE);
        let bound = |member: usize| (lines * member / self.members.len() * LINE).min(shape.weights());
        let mut gradient = lock(&self.members[member].gradient);
        gradient.reset(bound(member + 1) - bound(member));
        shape.linear_columns(&sloped, bound(member), &mut gradient);
    }
}

/// The owner of each query: from the longest query on, the member with the fewest documents so far.
fn deal(places: &[usize], length: impl Fn(&usize) -> usize, members: usize) -> Vec<usize> {
    let mut from_longest: Vec<usize> = (0..places.len()).collect();
    from_longest.sort_by_key(|&query| std::cmp::Reverse(length(&places[query])));
    let mut documents = vec![0; members];
    let mut owners = vec![0; places.len()];
    for query in from_longest {
        let owner = (0..members).min_by_key(|&member| documents[member]).unwrap_or(0);
        documents[owner] += length(&places[query]);
        owners[query] = owner;
    }
    owners
}

fn lock<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_dealt_from_the_longest_on() {
        let lengths = [3, 50, 20, 31, 7, 2];
        let owners = deal(&[0, 1, 2, 3, 4, 5], |&place| lengths[place], 2);
        // 50 against 31; 20 to 31; 7 to 50 or 51 ...
        assert_eq!(owners, [1, 0, 1, 1, 0, 1]);
        assert_eq!(deal(&[5, 5, 5], |_| 4, 1), [0, 0, 0]);
    }
}
