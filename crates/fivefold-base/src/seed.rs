//! Seeded randomness: a seed for each unit of work, derived from names, and a generator pinned by
//! test vectors.
//!
//! The seed of a unit is a hash of the experiment's seed and of the names that lead to the unit
//! (data set, fold, ranker, tree, ...). Time, threads and the order of work do not matter. So any
//! subset of the work can be redone alone, with the same result.

use rand_core::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The seed of one unit of work.
///
/// ```
/// use fivefold_base::Seed;
///
/// let seed = Seed::new(7);
/// // The same name gives the same seed, another name another one.
/// assert_eq!(seed.derive("fold 1"), seed.derive("fold 1"));
/// assert_ne!(seed.derive("fold 1"), seed.derive("fold 2"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seed(u64);

impl Seed {
    /// The seed that a user writes in an experiment file.
    pub fn new(seed: u64) -> Self {
        Seed(seed)
    }

    /// The seed of a named part of this unit.
    #[must_use]
    pub fn derive(self, name: impl AsRef<[u8]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0.to_le_bytes());
        hasher.update(name.as_ref());
        let mut first = [0; 8];
        first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        Seed(u64::from_le_bytes(first))
    }

    /// The seed of a numbered part of this unit (a tree, a restart, a bag).
    #[must_use]
    pub fn derive_index(self, name: &str, index: u64) -> Self {
        self.derive(name).derive(index.to_le_bytes())
    }

    /// The number itself.
    pub fn value(self) -> u64 {
        self.0
    }

    /// A generator that starts from this seed.
    pub fn rng(self) -> Rng {
        Rng(Xoshiro256PlusPlus::seed_from_u64(self.0))
    }
}

/// The generator xoshiro256++ with the few draws that the project uses. A test vector pins each
/// draw.
///
/// ```
/// use fivefold_base::Seed;
///
/// let mut rng = Seed::new(7).rng();
/// assert_eq!([rng.below(100), rng.below(100), rng.below(100)], [5, 17, 71]);
/// assert_eq!(Seed::new(7).rng().sample(100, 3).len(), 3);
/// ```
#[derive(Debug, Clone)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// A uniform 64-bit number.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number in `0..bound`, without bias (multiply-shift with rejection, Lemire 2019).
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below 0");
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// A uniform index in `0..len`.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A uniform number in [0, 1) with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A standard normal number, by the polar method of Marsaglia. The second number of each pair
    /// is not kept.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                return x * (-2.0 * libm::log(s) / s).sqrt();
            }
        }
    }

    /// Puts the items in a uniformly random order (Fisher-Yates, from the end).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.index(last + 1);
            items.swap(last, other);
        }
    }

    /// `count` different indices of `0..len`, in increasing order (Floyd's sampling).
    ///
    /// # Panics
    /// If `count > len`.
    pub fn sample(&mut self, len: usize, count: usize) -> Vec<usize> {
        assert!(count <= len, "cannot draw {count} of {len} without repetition");
        let mut chosen = std::collections::BTreeSet::new();
        for candidate in len - count..len {
            let draw = self.index(candidate + 1);
            if !chosen.insert(draw) {
                chosen.insert(candidate);
            }
        }
        chosen.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_pinned() {
        let seed = Seed::new(7).derive("mq2008").derive("fold1");
        assert_eq!(seed.value(), PINNED_SEED);
        let mut rng = Seed::new(7).rng();
        let draws: Vec<u64> = (0..8).map(|_| rng.below(100)).collect();
        assert_eq!(draws, PINNED_DRAWS);
        let mut items: Vec<u8> = (0..8).collect();
        Seed::new(7).rng().shuffle(&mut items);
        assert_eq!(items, PINNED_SHUFFLE);
        assert_eq!(Seed::new(7).rng().sample(100, 5), PINNED_SAMPLE);
    }

    const PINNED_SEED: u64 = 4_278_463_176_292_310_300;
    const PINNED_DRAWS: [u64; 8] = [5, 17, 71, 42, 96, 46, 72, 32];
    const PINNED_SHUFFLE: [u8; 8] = [7, 5, 6, 3, 2, 4, 1, 0];
    const PINNED_SAMPLE: [usize; 5] = [5, 16, 42, 70, 96];

    #[test]
    fn the_generator_is_xoshiro256_plus_plus() {
        // First outputs of the reference implementation (prng.di.unimi.it) for the state [1, 2, 3,
        // 4].
        let mut state = [0u8; 32];
        for (i, word) in [1u64, 2, 3, 4].iter().enumerate() {
            state[8 * i..8 * i + 8].copy_from_slice(&word.to_le_bytes());
        }
        let mut rng = Rng(Xoshiro256PlusPlus::from_seed(state));
        assert_eq!([rng.next_u64(), rng.next_u64(), rng.next_u64()], [41943041, 58720359, 3588806011781223]);
    }

    #[test]
    fn draws_are_uniform_and_normal() {
        let mut rng = Seed::new(1).rng();
        let n = 200_000;
        let mut counts = [0u32; 6];
        (0..n).for_each(|_| counts[rng.index(6)] += 1);
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - n as f64 / 6.0).powi(2) / (n as f64 / 6.0)).sum();
        assert!(chi2 < 20.5, "chi-square with 5 degrees of freedom, 0.1 % point 20.5: {chi2}");
        let normals: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
        let mean = normals.iter().sum::<f64>() / n as f64;
        let variance = normals.iter().map(|x| x * x).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }

    #[test]
    fn seeds_differ_by_name_and_index() {
        let root = Seed::new(0);
        assert_ne!(root.derive("a"), root.derive("b"));
        assert_ne!(root.derive_index("tree", 0), root.derive_index("tree", 1));
        assert_eq!(root.derive("a"), Seed::new(0).derive("a"));
    }

    #[test]
    fn samples_are_distinct_and_sorted() {
        for count in 0..=10 {
            let drawn = Seed::new(count as u64).rng().sample(10, count);
            assert_eq!(drawn.len(), count);
            assert!(drawn.windows(2).all(|w| w[0] < w[1]) && drawn.iter().all(|&i| i < 10));
        }
    }
}
