//! Loops with the vector instructions that the processor has, and one of them: scoring of a block
//! of rows by many trees.
//!
//! There is one source of each loop, in plain Rust. The compiler makes two programs of it: one for
//! every processor of the platform, and one that may use AVX2. Both compare the same numbers and
//! add the same values in the same order, so all bits are equal. (Rust never fuses a multiplication
//! and an addition.)

use crate::masks::LANES;
use crate::scorer::{BLOCK, Scorer};

/// Documents of a wide block.
const WIDE: usize = 2 * BLOCK;

/// Whether this processor has the instructions of the second program.
pub(crate) fn is_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// A loop that the compiler can put into vectors.
pub(crate) trait Loop {
    /// What the loop computes.
    type Output;

    /// Runs the loop. Implementations need `#[inline(always)]`, and so do the functions that they
    /// call: code that is not inlined is compiled without AVX2.
    fn run(self) -> Self::Output;
}

/// Runs a loop with the longest vectors of the processor.
#[inline]
pub(crate) fn run<L: Loop>(work: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    if is_wide() {
        // SAFETY: `with_avx2` is plain, safe Rust, compiled for a processor with AVX2 and BMI1. The
        // only danger of the call is a processor without these instructions. `is_wide` asked the
        // processor, and whether the system keeps the wide registers, a line above.
        #[allow(unsafe_code)] // the one place
        return unsafe { with_avx2(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1")]
fn with_avx2<L: Loop>(work: L) -> L::Output {
    work.run()
}

/// Adds the values of trees that use the first `used` of `width` columns, in the order of the trees.
pub(crate) fn add_scores(scorers: &[Scorer], used: usize, rows: &[f32], width: usize, scores: &mut [f64]) {
    run(Scoring { scorers, used, rows, width, scores });
}

struct Scoring<'a> {
    scorers: &'a [Scorer],
    used: usize,
    rows: &'a [f32],
    width: usize,
    scores: &'a mut [f64],
}

impl Loop for Scoring<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        in_blocks(self.scorers, self.used, self.rows, self.width, self.scores);
    }
}

/// Wide blocks, and at the end a narrow block if it is wide enough.
#[inline(always)]
fn in_blocks(scorers: &[Scorer], used: usize, rows: &[f32], width: usize, scores: &mut [f64]) {
    let rest = scores.len() % WIDE;
    let wide = if rest <= BLOCK { scores.len() - rest } else { scores.len() };
    let (wide, narrow) = scores.split_at_mut(wide);
    let (of_wide, of_narrow) = rows.split_at(wide.len() * width);
    blocks::<{ WIDE / LANES }>(scorers, used, of_wide, width, wide);
    blocks::<{ BLOCK / LANES }>(scorers, used, of_narrow, width, narrow);
}

/// Blocks of `G` groups.
#[inline(always)]
fn blocks<const G: usize>(scorers: &[Scorer], used: usize, rows: &[f32], width: usize, scores: &mut [f64]) {
    if scores.is_empty() {
        return;
    }
    let mut columns = vec![[[0.0; LANES]; G]; used];
    for (number, scores) in scores.chunks_mut(G * LANES).enumerate() {
        let rows = &rows[number * G * LANES * width..][..scores.len() * width];
        for document in 0..scores.len() {
            let row = &rows[document * width..][..used];
            for (column, &value) in columns.iter_mut().zip(row) {
                column[document / LANES][document % LANES] = value;
            }
        }
        // After the end of a short block, columns hold older documents, whose scores are not asked
        // for.
        for scorer in scorers {
            match scorer {
                Scorer::Masks(tree) => tree.add_scores(&columns, scores),
                Scorer::LongMasks(tree) => tree.add_scores(&columns, scores),
                Scorer::Walk(tree) => {
                    for (rows, scores) in rows.chunks(BLOCK * width).zip(scores.chunks_mut(BLOCK)) {
                        tree.add_scores(rows, width, scores);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::tree::{Node, Tree};

    const FEATURES: usize = 5;

    /// [`add_scores`] for every processor.
    fn portable(scorers: &[Scorer], used: usize, rows: &[f32], width: usize, scores: &mut [f64]) {
        Scoring { scorers, used, rows, width, scores }.run();
    }

    /// Few numbers, so that many values equal a threshold.
    fn number() -> impl Strategy<Value = f32> + Clone {
        prop::sample::select(vec![f32::NEG_INFINITY, -1.5, -0.0, 0.0, f32::from_bits(1), 0.1, 3.0, f32::INFINITY])
    }

    /// Leaf, feature, threshold, way of missing values.
    type Cut = (prop::sample::Index, u32, f32, bool);

    /// A tree grown by cutting a drawn leaf again and again.
    fn tree() -> impl Strategy<Value = Tree> {
        let cut = (any::<prop::sample::Index>(), 0..FEATURES as u32, number(), any::<bool>());
        let of = |(cuts, values): (Vec<Cut>, Vec<f64>)| {
            // (parent, whether the leaf is its left child) of each leaf.
            let mut parents = vec![None];
            let mut tree = Tree::leaf(0.0);
            for (number, (leaf, feature, threshold, missing_left)) in cuts.into_iter().enumerate() {
                let leaf = leaf.index(parents.len());
                let node = Node { feature, threshold, missing_left, left: 0, right: 0, gain: 0.0 };
                tree.cut_leaf(leaf, parents[leaf], node);
                parents[leaf] = Some((number, true));
                parents.push(Some((number, false)));
            }
            tree.values_mut().iter_mut().zip(values).for_each(|(value, drawn)| *value = drawn);
            tree
        };
        // Sizes around 32 and 64 leaves are drawn more often than others.
        let size = prop_oneof![0..70usize, 30..34usize, 61..66usize];
        size.prop_flat_map(move |size| (vec(cut.clone(), size), vec(-1.0..1.0, size + 1))).prop_map(of)
    }

    proptest! {
        /// Both programs and both sizes of blocks give the bits of walking each tree, in the order of
        /// the trees, with every form of a scorer.
        #[test]
        fn all_programs_give_the_bits_of_walking(
            trees in vec(tree(), 1..6),
            values in vec(prop_oneof![9 => number(), 1 => Just(f32::NAN)], FEATURES * 70),
            documents in 0..70usize,
            start in -1.0..1.0,
        ) {
            let rows = &values[..documents * FEATURES];
            let walk = |row| trees.iter().fold(start, |sum: f64, tree| sum + tree.values()[tree.leaf_of(row)]);
            let expected: Vec<u64> = rows.chunks(FEATURES).map(|row| walk(row).to_bits()).collect();
            for wide in [false, true] {
                let scorers: Vec<Scorer> = trees.iter().map(|tree| Scorer::of(tree, wide)).collect();
                for program in [portable, add_scores] {
                    let mut scores = vec![start; documents];
                    program(&scorers, FEATURES, rows, FEATURES, &mut scores);
                    prop_assert_eq!(scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>(), expected.clone());
                }
            }
        }
    }

    #[test]
    fn blocks_of_every_length_give_the_same_scores() {
        let node = Node { feature: 1, threshold: 40.0, missing_left: true, left: !0, right: !1, gain: 0.0 };
        let scorers = [Scorer::new(&Tree::new(&[node], vec![1.0, 2.0]).unwrap())];
        let rows: Vec<f32> = (0..200u8).map(f32::from).collect();
        let expected: Vec<f64> = (0..100).map(|row| if 2 * row < 40 { 1.0 } else { 2.0 }).collect();
        for length in 0..100 {
            let mut scores = vec![0.0; length];
            add_scores(&scorers, 2, &rows[..2 * length], 2, &mut scores);
            assert_eq!(scores, expected[..length]);
        }
    }
}
