//! The weights of a fusion, learnt on the validation part of a fold.
//!
//! The models of the fused rankers score the queries of the validation part. A coordinate search then
//! looks for the shares of the rankers with the highest mean of a measure. It begins with equal
//! shares. Ranker by ranker, the share goes through 0, 1/20, ... 1, while the other rankers keep
//! their proportions. It ends when no ranker's share can be bettered. For two rankers, that is a
//! search over the whole grid.
//!
//! Means that differ by rounding alone are equal. Of equal shares, those that leave out the most
//! rankers are taken, of these the nearest to equal shares, and of these the largest share of the
//! ranker whose turn it is. Nothing is random, and no test query
//! is read.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use fivefold_base::rounding::differ;
use fivefold_core::{Dataset, ModelFile, Registry};
use fivefold_data::{Fitted, input};
use fivefold_fusion::Fusion;
use fivefold_metrics::mean;
use fivefold_results::config::{FusionConfig, ScoreSource, WEIGHTS};
use fivefold_results::store::{Chosen, Store};
use serde_json::json;

use crate::fused::fused_scores;
use crate::plan::{Job, Plan};
use crate::scoring::score;
use crate::tuned::{ChoiceError, is_done, values};

/// Shares go in steps of one of so many parts.
const PARTS: usize = 20;

/// The most passes over all rankers. Each pass but the last one finds better shares.
const PASSES: usize = 100;

/// Learns the weights of a fusion. `None` if the job is no fusion, or if its weights are fixed.
pub(crate) fn learn(
    plan: &Plan<'_>,
    job: &Job,
    store: &Store,
    registry: &Registry,
) -> Result<Option<Chosen>, ChoiceError> {
    let ScoreSource::Fusion(config @ FusionConfig { weights_by: Some(measure), .. }) = &plan.ranker(job).source else {
        return Ok(None);
    };
    let collection = plan.collection(job).ok_or_else(|| failed("its collection was not loaded"))?;
    let part = collection.folds[job.fold].validation.as_ref();
    let part = part.ok_or_else(|| failed("its fold has no validation part, on which to learn weights"))?;
    let members = job.needs.iter().map(|member| validation_scores(member, part, store, registry));
    let members = members.collect::<Result<Vec<_>, _>>()?;
    let fusion = config.fusion().map_err(failed)?;
    let conventions = &plan.experiment.evaluation.conventions;
    let judged_by = (collection.max_grade, plan.experiment.tie_seed(job.dataset));
    let value = |shares: &[f64]| -> Result<f64, ChoiceError> {
        let fused = fuse(&fusion, shares, part, &members)?;
        Ok(mean(&values(measure, conventions, judged_by, part, &fused).map_err(failed)?, conventions.undefined).value)
    };
    let found = search(members.len(), value)?;
    if found.best.value.is_nan() {
        return Err(failed("no query of the validation part counts, so no weights can be learnt"));
    }
    Ok(Some(Chosen {
        number: 0,
        setting: BTreeMap::from([(WEIGHTS.to_owned(), json!(found.best.shares))]),
        value: found.best.value,
        settings: found.tried,
        without_value: 0,
        equal: found.equal,
        steps: Vec::new(),
    }))
}

fn failed(error: impl std::fmt::Display) -> ChoiceError {
    ChoiceError::NoSetting(error.to_string())
}

/// The fused scores of a part with these weights.
pub(crate) fn fuse(
    fusion: &Fusion,
    shares: &[f64],
    part: &Dataset,
    members: &[Vec<f64>],
) -> Result<Vec<f64>, ChoiceError> {
    let fusion = fusion.clone().with_weights(shares.to_vec()).map_err(failed)?;
    fused_scores(&fusion, part, members).map_err(failed)
}

/// The scores that the model of a fused ranker gives to the documents of the validation part.
fn validation_scores(
    member: &Job,
    part: &Dataset,
    store: &Store,
    registry: &Registry,
) -> Result<Vec<f64>, ChoiceError> {
    is_done(member, store)?;
    let file = store.own_path(&member.model_file())?;
    let text = input::read_own(&file, u64::MAX).map_err(|error| failed(format!("{}: {error}", member.model_file())))?;
    let wrong = |error: String| failed(format!("{}: {error}", member.model_file()));
    let model = ModelFile::parse(&String::from_utf8_lossy(&text)).map_err(|error| wrong(error.to_string()))?;
    let fitted: Fitted =
        serde_json::from_value(model.header.normaliser.clone()).map_err(|error| wrong(error.to_string()))?;
    let part = fitted.apply(part).map_err(|error| wrong(error.to_string()))?;
    let model = model.load(registry, part.width()).map_err(|error| wrong(error.to_string()))?;
    score(&*model, &part).map_err(|error| wrong(error.to_string()))
}

/// Shares of the rankers with their value.
#[derive(Debug, Clone)]
struct Valued {
    shares: Vec<f64>,
    value: f64,
}

/// What a search found.
struct Found {
    best: Valued,
    /// How often shares were tried.
    tried: usize,
    /// How many shares of the last pass have the same value.
    equal: usize,
}

impl Valued {
    /// The order in which shares are preferred: the better ones are greater.
    fn compare(&self, other: &Self) -> Ordering {
        let by_value = match (self.value.is_nan(), other.value.is_nan()) {
            (false, false) if differ(self.value, other.value) => self.value.total_cmp(&other.value),
            (one, two) => two.cmp(&one),
        };
        let left_out = |own: &Self| own.shares.iter().filter(|share| **share == 0.0).count();
        by_value.then_with(|| left_out(self).cmp(&left_out(other)))
    }

    /// How far the shares are from equal ones.
    fn spread(&self) -> f64 {
        self.shares.iter().map(|share| share * share).sum()
    }
}

/// The coordinate search.
fn search<E>(rankers: usize, value: impl Fn(&[f64]) -> Result<f64, E>) -> Result<Found, E> {
    let valued = |shares: Vec<f64>| Ok(Valued { value: value(&shares)?, shares });
    let mut best = valued(vec![1.0 / rankers as f64; rankers])?;
    let (mut tried, mut equal) = (1, 0);
    for _ in 0..PASSES {
        let before = best.clone();
        equal = 0;
        for ranker in 0..rankers {
            let mut found: Option<Valued> = None;
            for parts in (0..=PARTS).rev() {
                let other = valued(with_share(&best.shares, ranker, parts))?;
                tried += 1;
                equal += usize::from(other.shares != best.shares && !differ(other.value, best.value));
                let nearer = |found: &Valued| match other.compare(found) {
                    Ordering::Equal => differ(other.spread(), found.spread()) && other.spread() < found.spread(),
                    order => order == Ordering::Greater,
                };
                if found.as_ref().is_none_or(nearer) {
                    found = Some(other);
                }
            }
            if let Some(found) = found.filter(|found| found.compare(&best) == Ordering::Greater) {
                best = found;
            }
        }
        if best.compare(&before) == Ordering::Equal {
            break;
        }
    }
    Ok(Found { best, tried, equal })
}

/// The shares with another share of one ranker, in parts of [`PARTS`]. The others keep their
/// proportions; if they have no share, they get equal ones.
fn with_share(shares: &[f64], ranker: usize, parts: usize) -> Vec<f64> {
    let rest = (PARTS - parts) as f64 / PARTS as f64;
    let others: f64 = shares.iter().enumerate().filter(|(own, _)| *own != ranker).map(|(_, share)| share).sum();
    let proportion = |share: f64| if others > 0.0 { share / others } else { 1.0 / (shares.len() - 1) as f64 };
    let share = |(own, share): (usize, &f64)| match own == ranker {
        true => parts as f64 / PARTS as f64,
        false => rest * proportion(*share),
    };
    shares.iter().enumerate().map(share).collect()
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;
    use fivefold_fusion::{method, normaliser};
    use fivefold_metrics::{dialect, ndcg};

    use super::*;

    /// Forty queries of six documents with random grades.
    fn grades() -> Vec<Vec<u8>> {
        let mut rng = Seed::new(3).rng();
        (0..40).map(|_| (0..6).map(|_| rng.below(3) as u8).collect()).collect()
    }

    /// Scores that follow the grades with this much noise.
    fn noisy(grades: &[Vec<u8>], noise: f64, seed: u64) -> Vec<f64> {
        let mut rng = Seed::new(seed).rng();
        grades.iter().flatten().map(|grade| f64::from(*grade) + noise * rng.uniform()).collect()
    }

    fn part(grades: &[Vec<u8>]) -> Dataset {
        let features = [0.0; 6];
        Dataset::of_queries(1, grades.iter().map(|own| (&features[..], own.as_slice()))).unwrap()
    }

    /// The mean nDCG@3 of min-max scores added up with these weights, by plain loops.
    fn by_hand(grades: &[Vec<u8>], members: &[Vec<f64>], weights: &[f64]) -> f64 {
        let of_query = |query: usize| {
            let mut fused = [0.0; 6];
            for (scores, weight) in members.iter().zip(weights) {
                let own = &scores[query * 6..][..6];
                let low = own.iter().copied().fold(f64::INFINITY, f64::min);
                let high = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                fused.iter_mut().zip(own).for_each(|(sum, score)| *sum += weight * (score - low) / (high - low));
            }
            ndcg(&grades[query], &fused, 3).unwrap().unwrap_or(0.0)
        };
        (0..grades.len()).map(of_query).sum::<f64>() / grades.len() as f64
    }

    /// The search with the functions of the program.
    fn found(grades: &[Vec<u8>], members: &[Vec<f64>]) -> Found {
        let fusion = Fusion::new(method("comb-sum").unwrap()).with_normaliser(normaliser("min-max").unwrap()).unwrap();
        let (part, conventions) = (part(grades), dialect("paper").unwrap().conventions());
        let value = |shares: &[f64]| -> Result<f64, String> {
            let fused = fuse(&fusion, shares, &part, members).map_err(|_| "failed".to_owned())?;
            let values = values(&"ndcg@3".parse().unwrap(), &conventions, (2, Seed::new(0)), &part, &fused);
            Ok(mean(&values.map_err(|error| error.to_string())?, conventions.undefined).value)
        };
        search(members.len(), value).unwrap()
    }

    #[test]
    fn the_weight_goes_to_the_perfect_ranker() {
        let grades = grades();
        let perfect: Vec<f64> = grades.iter().flatten().map(|grade| f64::from(*grade)).collect();
        let random = noisy(&vec![vec![0; 6]; 40], 1.0, 9);
        assert_eq!(found(&grades, &[random.clone(), perfect.clone()]).best.shares, [0.0, 1.0]);
        let three = found(&grades, &[noisy(&vec![vec![0; 6]; 40], 1.0, 8), perfect.clone(), random]);
        assert_eq!(three.best.shares, [0.0, 1.0, 0.0]);
        // Of rankers that are the same, one is enough.
        assert_eq!(found(&grades, &[perfect.clone(), perfect]).best.shares, [1.0, 0.0]);
    }

    #[test]
    fn for_two_rankers_the_search_is_brute_force() {
        let grades = grades();
        let mut mixed = 0;
        for seed in 0..12 {
            let members = [noisy(&grades, 4.0, 2 * seed + 20), noisy(&grades, 6.0, 2 * seed + 21)];
            let value = |parts: usize| by_hand(&grades, &members, &[parts as f64 / 20.0, (20 - parts) as f64 / 20.0]);
            let values: Vec<f64> = (0..=20).map(value).collect();
            let highest = values.iter().copied().fold(f64::MIN, f64::max);
            // The rule: the highest, then a ranker alone, then the nearest to 10 of 20 parts.
            let best = (0..=20).rev().filter(|&parts| values[parts] > highest - 1e-12);
            let best = best.min_by_key(|&parts| (parts % 20 != 0, parts.abs_diff(10))).unwrap();
            let found = found(&grades, &members);
            assert_eq!(found.best.shares[0], best as f64 / 20.0, "{values:?}");
            assert!((found.best.value - highest).abs() < 1e-12);
            mixed += usize::from(best % 20 != 0);
        }
        assert!(mixed > 6, "{mixed}");
    }

    #[test]
    fn no_share_of_one_ranker_betters_the_result() {
        let grades = grades();
        let members = [4.0, 5.0, 6.0].map(|noise| noisy(&grades, noise, noise as u64));
        let found = found(&grades, &members).best;
        let equal = by_hand(&grades, &members, &[1.0; 3]);
        assert!(found.value >= equal && (found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for ranker in 0..3 {
            for parts in 0..=PARTS {
                let other = by_hand(&grades, &members, &with_share(&found.shares, ranker, parts));
                assert!(other <= found.value + 1e-12, "{ranker} {parts}");
            }
        }
    }
}
