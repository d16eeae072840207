//! Finds features whose different values become equal in 32 bits: 1609459201 and 1609459261 are
//! both stored as 1609459200.
//!
//! For each feature, the module samples stored values by their hashes. For each sampled value, it
//! keeps the lowest and the highest number of the file that become this value. Up to 1024 different
//! stored values are all kept. If there are more, a value is kept if its hash is below a threshold.
//! The threshold is halved until at most 1024 values are left. So the sample does not depend on the
//! order of the file, and takes at most about 50 kilobytes a feature.
//!
//! A reader passes on only numbers of many digits (`Long`), so the usual file
//! costs nothing. Lint passes on all numbers.

use std::collections::HashMap;

use fivefold_base::words::counted;
use serde::{Deserialize, Serialize};

use crate::letor::Long;

/// The most stored values that are kept for a feature.
const MOST_CELLS: usize = 1024;
/// The least share of affected values that a reader remarks on. A stored value is affected if it
/// stands for several numbers. By chance alone, two of a million numbers drawn with 17 digits are
/// often equal in 32 bits, which does no harm.
const REMARKABLE: f64 = 0.01;

/// The stored values of all features, and the numbers that they stand for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Digits {
    features: Vec<Feature>,
}

#[derive(Debug, Clone, Default)]
struct Feature {
    /// Count of numbers whose stored value does not round back to their digits.
    losing: u64,
    /// The line of the first such number.
    first: u64,
    /// The least and highest number of each stored value, by the stored value's bits.
    cells: HashMap<u32, [f64; 2]>,
    /// How often the threshold was halved.
    halvings: u32,
}

/// A feature with different numbers that became equal in storage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Collapsed {
    /// The feature's id.
    pub feature: usize,
    /// Two numbers of the feature.
    pub numbers: [f64; 2],
    /// The stored value of both numbers.
    pub stored: f32,
    /// Count of the stored values that were examined: all values of the feature, or a sample.
    pub looked_at: usize,
    /// Count of the examined values that stand for several numbers.
    pub several: usize,
}

impl Collapsed {
    /// Whether the share of affected values is large enough for a reader's remark.
    fn is_remarkable(&self) -> bool {
        self.several as f64 > REMARKABLE * self.looked_at as f64
    }
}

/// The remark on features of which more than a hundredth of the stored values stand for several
/// numbers. `None` if there is no such feature.
pub fn collapsed_remark(collapsed: &[Collapsed]) -> Option<String> {
    let remarkable: Vec<&Collapsed> = collapsed.iter().filter(|feature| feature.is_remarkable()).collect();
    let first = remarkable.first()?;
    let features = counted(remarkable.len(), "feature");
    Some(format!(
        "different values of {features} are equal once they are stored in 32 bits ({first}); subtract a common value before they are \
         written; `fivefold lint` counts them"
    ))
}

impl std::fmt::Display for Collapsed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [one, other] = self.numbers;
        write!(f, "feature {}: {one} and {other} are both stored as {}", self.feature, f64::from(self.stored))
    }
}

impl Digits {
    /// Adds the long numbers of a block whose text starts at `first_line`.
    pub(crate) fn add(&mut self, first_line: u64, numbers: &[Long]) {
        for long in numbers {
            let slot = long.slot as usize;
            if slot >= self.features.len() {
                self.features.resize_with(slot + 1, Feature::default);
            }
            self.features[slot].add(long, first_line + u64::from(long.line));
        }
    }

    /// Numbers that 32 bits do not hold: their count, and the line and place of the first.
    pub(crate) fn losing(&self) -> Option<(u64, u64, usize)> {
        let losing = self.features.iter().map(|feature| feature.losing).sum();
        let firsts = self.features.iter().enumerate().filter(|(_, feature)| feature.losing > 0);
        let (line, slot) = firsts.map(|(slot, feature)| (feature.first, slot)).min()?;
        Some((losing, line, slot))
    }

    /// The features with different numbers that became equal in storage, by id.
    pub(crate) fn collapsed(&self, first_id: u32) -> Vec<Collapsed> {
        let of_slot = |(slot, feature): (usize, &Feature)| feature.collapsed(slot + first_id as usize);
        self.features.iter().enumerate().filter_map(of_slot).collect()
    }
}

impl Feature {
    fn add(&mut self, long: &Long, line: u64) {
        if long.loses {
            if self.losing == 0 {
                self.first = line;
            }
            self.losing += 1;
        }
        let bits = (long.value + 0.0).to_bits(); // -0 is 0
        if !is_kept(bits, self.halvings) {
            return;
        }
        // A number that becomes 0 was not 0. The file may not contain the number 0 itself.
        let other = if long.value == 0.0 { 0.0 } else { long.exact };
        let [least, most] = self.cells.entry(bits).or_insert([other; 2]);
        *least = least.min(long.exact);
        *most = most.max(long.exact);
        while self.cells.len() > MOST_CELLS {
            self.halvings += 1;
            let halvings = self.halvings;
            self.cells.retain(|&bits, _| is_kept(bits, halvings));
        }
    }

    fn collapsed(&self, feature: usize) -> Option<Collapsed> {
        let several: Vec<_> = self.cells.iter().filter(|(_, [least, most])| least < most).collect();
        let first = several.iter().min_by(|a, b| a.1[0].total_cmp(&b.1[0]))?;
        let (stored, numbers) = (f32::from_bits(*first.0), *first.1);
        Some(Collapsed { feature, numbers, stored, looked_at: self.cells.len(), several: several.len() })
    }
}

/// Whether a stored value is in the sample. The hash is the finaliser of MurmurHash3 (Appleby
/// 2008), which mixes all bits.
fn is_kept(bits: u32, halvings: u32) -> bool {
    let mut hash = bits;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^= hash >> 16;
    halvings == 0 || hash.leading_zeros() >= halvings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(slot: u32, line: u32, exact: f64, loses: bool) -> Long {
        Long { slot, line, value: exact as f32, exact, loses }
    }

    #[test]
    fn numbers_that_are_stored_as_one() {
        let mut digits = Digits::default();
        digits
            .add(10, &[long(1, 0, 1_609_459_261.0, true), long(1, 1, 1_609_459_200.0, false), long(2, 1, 0.5, false)]);
        assert_eq!(digits.losing(), Some((1, 10, 1)));
        let [found] = &digits.collapsed(1)[..] else { panic!("{digits:?}") };
        assert_eq!((found.feature, found.numbers), (2, [1_609_459_200.0, 1_609_459_261.0]));
        assert_eq!((found.looked_at, found.several), (1, 1));
        assert_eq!(found.to_string(), "feature 2: 1609459200 and 1609459261 are both stored as 1609459200");
    }

    #[test]
    fn what_becomes_0_is_equal_to_0() {
        let mut digits = Digits::default();
        digits.add(1, &[long(0, 0, 1e-60, true)]);
        assert_eq!(digits.collapsed(0)[0].numbers, [0.0, 1e-60]);
    }

    #[test]
    fn the_sample_is_small_and_does_not_depend_on_the_order() {
        let numbers: Vec<Long> = (0..50_000).map(|n| long(0, n, 1e9 + f64::from(n) * 17.0, true)).collect();
        let (mut forth, mut back) = (Digits::default(), Digits::default());
        forth.add(1, &numbers);
        back.add(1, &numbers.iter().rev().cloned().collect::<Vec<_>>());
        let found = forth.collapsed(1);
        assert_eq!(found, back.collapsed(1));
        // The numbers are 17 apart and are stored in steps of 64. So nearly every stored value
        // stands for three or four numbers.
        assert!(found[0].looked_at <= MOST_CELLS && found[0].looked_at > MOST_CELLS / 4, "{found:?}");
        assert!(found[0].several * 100 > found[0].looked_at * 99, "{found:?}");
    }
}
