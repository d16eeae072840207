//! Products of small `f32` matrices whose rows are padded with zeros to whole vector registers.
//!
//! A matrix is a slice of rows of length `stride`, a multiple of [`LANES`]. So the inner loops of
//! both passes through a layer run over whole groups of lanes, without a rest. Additions have a
//! fixed order, so results depend neither on the number of threads nor on the processor (`wide`).
//!
//! A product of two rows has eight interleaved sums, which are added at its end. For a layer of eight
//! outputs or more, the weights are copied so that a vector holds those of eight outputs. Then no sum
//! is spread over a vector: a tile of four rows and two vectors of outputs has one of the eight sums
//! of each product in registers, and does them one after the other. For fewer outputs, a tile of four
//! rows and two rows of weights has all sums of eight products in registers. Two rows of targets
//! share the loads of four sources. So a load or two go with a multiplication and an addition.

use crate::wide::{self, LANES, Lanes, Loop, Vector};

/// The length of a row that holds `width` values.
pub(crate) fn stride(width: usize) -> usize {
    width.next_multiple_of(LANES)
}

/// out[r * out_stride + c] = inputs row r . weights row c.
pub(crate) fn products(inputs: &[f32], weights: &[f32], stride: usize, out: &mut [f32], out_stride: usize) {
    if stride > 0 && weights.len() >= LANES * stride {
        wide::run(ManyProducts { inputs, weights, stride, out, out_stride });
    } else {
        wide::run(Products { inputs, weights, stride, out, out_stride });
    }
}

/// [`products`] as a loop, for many rows of weights.
struct ManyProducts<'a> {
    inputs: &'a [f32],
    weights: &'a [f32],
    stride: usize,
    out: &'a mut [f32],
    out_stride: usize,
}

impl Loop for ManyProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let ManyProducts { mut inputs, weights, stride, mut out, out_stride } = self;
        let by_input = ByInput::new(weights, stride);
        while inputs.len() >= 4 * stride {
            let (rows, others) = inputs.split_at(4 * stride);
            let (places, rest) = out.split_at_mut((4 * out_stride).min(out.len()));
            by_input.products::<V, 4>(rows, places, out_stride);
            (inputs, out) = (others, rest);
        }
        for (row, places) in inputs.chunks(stride).zip(out.chunks_mut(out_stride)) {
            by_input.products::<V, 1>(row, places, out_stride);
        }
    }
}

/// Rows of weights, so that the weights of several rows for one input lie side by side.
struct ByInput {
    /// For every eight rows of weights, and for each input, the weights of these rows.
    weights: Vec<Lanes>,
    /// Rows of weights.
    outputs: usize,
    stride: usize,
}

impl ByInput {
    #[inline(always)]
    fn new(weights: &[f32], stride: usize) -> Self {
        let outputs = weights.len() / stride;
        let mut columns = vec![[0.0; LANES]; outputs.div_ceil(LANES) * stride];
        for (eight, columns) in weights.chunks(LANES * stride).zip(columns.chunks_exact_mut(stride)) {
            for (lane, row) in eight.chunks_exact(stride).enumerate() {
                columns.iter_mut().zip(row).for_each(|(column, &weight)| column[lane] = weight);
            }
        }
        ByInput { weights: columns, outputs, stride }
    }

    /// The products of R rows with all rows of weights.
    #[inline(always)]
    fn products<V: Vector, const R: usize>(&self, inputs: &[f32], out: &mut [f32], out_stride: usize) {
        let ByInput { weights, outputs, stride } = self;
        let mut rows: [&[Lanes]; R] = [&[]; R];
        for (row, values) in rows.iter_mut().zip(inputs.chunks_exact(*stride)) {
            *row = lanes(values);
        }
        let mut pairs = weights.chunks_exact(2 * stride);
        let mut first = 0;
        for pair in &mut pairs {
            let (one, other) = pair.split_at(*stride);
            let of_rows = column_tile::<V, R, 2>(rows, [one, other]);
            write(&of_rows, &mut out[first..], out_stride, outputs - first);
            first += 2 * LANES;
        }
        if !pairs.remainder().is_empty() {
            let of_rows = column_tile::<V, R, 1>(rows, [pairs.remainder()]);
            write(&of_rows, &mut out[first..], out_stride, outputs - first);
        }
    }
}

/// Writes at most `count` products of each row.
#[inline(always)]
fn write<const R: usize, const C: usize>(of_rows: &[[Lanes; C]; R], out: &mut [f32], out_stride: usize, count: usize) {
    for (row, places) in of_rows.iter().zip(out.chunks_mut(out_stride)) {
        places.iter_mut().take(count).zip(row.as_flattened()).for_each(|(place, &product)| *place = product);
    }
}

/// The products of R rows with C times eight rows of weights: for each input, `columns` has the
/// weights of eight rows.
#[inline(always)]
fn column_tile<V: Vector, const R: usize, const C: usize>(
    mut rows: [&[Lanes]; R],
    columns: [&[Lanes]; C],
) -> [[Lanes; C]; R] {
    let mut groups: [&[[Lanes; LANES]]; C] = [&[]; C];
    for c in 0..C {
        groups[c] = columns[c].as_chunks().0;
    }
    let count = groups[0].len();
    for row in &mut rows {
        *row = &row[..count];
    }
    for group in &mut groups {
        *group = &group[..count];
    }
    let mut parts = [[[[0.0; LANES]; C]; R]; LANES];
    for lane in 0..LANES {
        let mut sums = [[V::splat(0.0); C]; R];
        for group in 0..count {
            let mut weights = [V::splat(0.0); C];
            for c in 0..C {
                weights[c] = V::load(&groups[c][group][lane]);
            }
            for r in 0..R {
                let input = V::splat(rows[r][group][lane]);
                for c in 0..C {
                    sums[r][c] = sums[r][c].plus(input.times(weights[c]));
                }
            }
        }
        for r in 0..R {
            for c in 0..C {
                parts[lane][r][c] = sums[r][c].values();
            }
        }
    }
    let mut out = [[[0.0; LANES]; C]; R];
    for r in 0..R {
        for c in 0..C {
            let mut twos = [V::splat(0.0); 4];
            for lane in 0..4 {
                twos[lane] = V::load(&parts[lane][r][c]).plus(V::load(&parts[lane + 4][r][c]));
            }
            out[r][c] = (twos[0].plus(twos[1])).plus(twos[2].plus(twos[3])).values();
        }
    }
    out
}

/// [`products`] as a loop.
struct Products<'a> {
    inputs: &'a [f32],
    weights: &'a [f32],
    stride: usize,
    out: &'a mut [f32],
    out_stride: usize,
}

impl Loop for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Products { mut inputs, weights, stride, mut out, out_stride } = self;
        while inputs.len() >= 4 * stride && stride > 0 {
            let (rows, others) = inputs.split_at(4 * stride);
            let (places, rest) = out.split_at_mut((4 * out_stride).min(out.len()));
            row_products::<V, 4>(rows, weights, stride, places, out_stride);
            (inputs, out) = (others, rest);
        }
        for (row, places) in inputs.chunks(stride.max(1)).zip(out.chunks_mut(out_stride.max(1))) {
            row_products::<V, 1>(row, weights, stride, places, out_stride);
        }
    }
}

/// The products of R rows with all rows of weights, two rows of weights at a time.
#[inline(always)]
fn row_products<V: Vector, const R: usize>(
    inputs: &[f32],
    weights: &[f32],
    stride: usize,
    out: &mut [f32],
    out_stride: usize,
) {
    let mut rows: [&[Lanes]; R] = [&[]; R];
    for (row, values) in rows.iter_mut().zip(inputs.chunks_exact(stride)) {
        *row = lanes(values);
    }
    let mut pairs = weights.chunks_exact(2 * stride);
    let mut column = 0;
    for pair in &mut pairs {
        let (first, second) = pair.split_at(stride);
        let sums = tile::<V, R, _>(rows, [lanes(first), lanes(second)]);
        for r in 0..R {
            out[r * out_stride + column] = sums[r][0];
            out[r * out_stride + column + 1] = sums[r][1];
        }
        column += 2;
    }
    if !pairs.remainder().is_empty() {
        let sums = tile::<V, R, _>(rows, [lanes(pairs.remainder())]);
        for r in 0..R {
            out[r * out_stride + column] = sums[r][0];
        }
    }
}

#[inline(always)]
fn lanes(row: &[f32]) -> &[Lanes] {
    row.as_chunks().0
}

#[inline(always)]
fn tile<V: Vector, const R: usize, const C: usize>(
    mut rows: [&[Lanes]; R],
    mut columns: [&[Lanes]; C],
) -> [[f32; C]; R] {
    let groups = columns[0].len();
    for row in &mut rows {
        *row = &row[..groups];
    }
    for column in &mut columns {
        *column = &column[..groups];
    }
    let mut sums = [[V::splat(0.0); C]; R];
    for group in 0..groups {
        for r in 0..R {
            let row = V::load(&rows[r][group]);
            for c in 0..C {
                sums[r][c] = sums[r][c].plus(row.times(V::load(&columns[c][group])));
            }
        }
    }
    let mut out = [[0.0; C]; R];
    for r in 0..R {
        for c in 0..C {
            let s = sums[r][c].values();
            out[r][c] = ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
        }
    }
    out
}

/// Adds sum_k coefficient(i, k) x `sources` row k to row i of `targets`, for the first `count`
/// sources.
pub(crate) fn add_combinations(
    sources: &[f32],
    count: usize,
    stride: usize,
    coefficient: impl Fn(usize, usize) -> f32,
    targets: &mut [f32],
) {
    wide::run(Combinations { sources, count, stride, coefficient, targets });
}

/// [`add_combinations`] as a loop.
struct Combinations<'a, F> {
    sources: &'a [f32],
    count: usize,
    stride: usize,
    coefficient: F,
    targets: &'a mut [f32],
}

impl<F: Fn(usize, usize) -> f32> Loop for Combinations<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Combinations { sources, count, stride, coefficient, targets } = self;
        let mut first = 0;
        while first < count {
            let taken = (count - first).min(4);
            // Fewer than four sources are filled up with the first source, times 0.
            let mut rows: [&[Lanes]; 4] = [&[]; 4];
            for (k, place) in rows.iter_mut().enumerate() {
                let row = if k < taken { first + k } else { first };
                *place = lanes(&sources[row * stride..(row + 1) * stride]);
            }
            let mut pairs = targets.chunks_exact_mut(2 * stride);
            let mut i = 0;
            for pair in &mut pairs {
                let factors = [factors(&coefficient, i, first, taken), factors(&coefficient, i + 1, first, taken)];
                let (one, other) = pair.split_at_mut(stride);
                let (one, other) = (one.as_chunks_mut().0, other.as_chunks_mut().0);
                // Sums of zeros alter no bit: no target is -0, for a sum of finite numbers is -0 only if
                // all of them are.
                add_four::<V, _>(rows, factors, [one, other]);
                i += 2;
            }
            if let Some(target) = pairs.into_remainder().get_mut(..stride) {
                let factors = factors(&coefficient, i, first, taken);
                if factors != [0.0; 4] {
                    add_four::<V, _>(rows, [factors], [target.as_chunks_mut().0]);
                }
            }
            first += taken;
        }
    }
}

/// As [`add_combinations`] for one target, of which `target` has the values from column `first` on.
/// `first` and the length of `target` are multiples of [`LANES`].
pub(crate) fn add_columns(
    sources: &[f32],
    stride: usize,
    first: usize,
    coefficient: impl Fn(usize) -> f32,
    count: usize,
    target: &mut [f32],
) {
    wide::run(Columns { sources, stride, first, coefficient, count, target });
}

/// [`add_columns`] as a loop.
struct Columns<'a, F> {
    sources: &'a [f32],
    stride: usize,
    first: usize,
    coefficient: F,
    count: usize,
    target: &'a mut [f32],
}

impl<F: Fn(usize) -> f32> Loop for Columns<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Columns { sources, stride, first, coefficient, count, target } = self;
        let mut source = 0;
        while source < count {
            let taken = (count - source).min(4);
            let factors = factors(&|_, k| coefficient(k), 0, source, taken);
            if factors != [0.0; 4] {
                let mut rows: [&[Lanes]; 4] = [&[]; 4];
                for (k, place) in rows.iter_mut().enumerate() {
                    let start = (if k < taken { source + k } else { source }) * stride + first;
                    *place = lanes(&sources[start..start + target.len()]);
                }
                add_four::<V, _>(rows, [factors], [target.as_chunks_mut().0]);
            }
            source += taken;
        }
    }
}

/// The coefficients of four sources, 0 beyond those that are taken.
#[inline(always)]
fn factors(coefficient: &impl Fn(usize, usize) -> f32, i: usize, first: usize, taken: usize) -> [f32; 4] {
    let mut factors = [0.0; 4];
    for (k, factor) in factors.iter_mut().enumerate().take(taken) {
        *factor = coefficient(i, first + k);
    }
    factors
}

/// Adds four sources to each of T targets.
#[inline(always)]
fn add_four<V: Vector, const T: usize>(
    mut rows: [&[Lanes]; 4],
    factors: [[f32; 4]; T],
    mut targets: [&mut [Lanes]; T],
) {
    let groups = targets[0].len();
    for row in &mut rows {
        *row = &row[..groups];
    }
    for target in &mut targets {
        assert_eq!(target.len(), groups, "targets of one length");
    }
    // Loops, not `map` of arrays, which is not always inlined.
    let mut splats = [[V::splat(0.0); 4]; T];
    for t in 0..T {
        for k in 0..4 {
            splats[t][k] = V::splat(factors[t][k]);
        }
    }
    for group in 0..groups {
        let (a, b) = (V::load(&rows[0][group]), V::load(&rows[1][group]));
        let (c, d) = (V::load(&rows[2][group]), V::load(&rows[3][group]));
        for t in 0..T {
            let f = splats[t];
            let sum = (f[0].times(a).plus(f[1].times(b))).plus(f[2].times(c).plus(f[3].times(d)));
            let target = &mut targets[t][group];
            *target = V::load(target).plus(sum).values();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small whole numbers, so that every product and sum is exact. The padding is 0.
    fn matrix(rows: usize, width: usize, seed: i32) -> Vec<f32> {
        let mut values = vec![0.0; rows * stride(width)];
        for (r, row) in values.chunks_mut(stride(width)).enumerate() {
            for (j, value) in row[..width].iter_mut().enumerate() {
                *value = ((r as i32 * 7 + j as i32 * 3 + seed) % 11 - 5) as f32;
            }
        }
        values
    }

    #[test]
    fn products_and_combinations_are_those_of_plain_loops() {
        for (rows, outputs, width) in [(1, 1, 1), (2, 2, 8), (3, 5, 9), (5, 4, 46), (6, 1, 17), (4, 3, 24)] {
            let s = stride(width);
            let (a, b) = (matrix(rows, width, 1), matrix(outputs, width, 4));
            let out_stride = outputs + 2;
            let mut out = vec![99.0; rows * out_stride];
            products(&a, &b, s, &mut out, out_stride);
            for r in 0..rows {
                for c in 0..outputs {
                    let plain: f32 = (0..width).map(|j| a[r * s + j] * b[c * s + j]).sum();
                    assert_eq!(out[r * out_stride + c], plain, "{rows} x {outputs} x {width}");
                }
                assert_eq!(out[r * out_stride + outputs..(r + 1) * out_stride], [99.0, 99.0]);
            }
            let coefficient = |i: usize, k: usize| (i * 2 + k) as f32 - 2.0;
            let mut targets = matrix(outputs, width, 2);
            let before = targets.clone();
            add_combinations(&a, rows, s, coefficient, &mut targets);
            for i in 0..outputs {
                for j in 0..s {
                    let plain: f32 = (0..rows).map(|k| coefficient(i, k) * a[k * s + j]).sum();
                    assert_eq!(targets[i * s + j], before[i * s + j] + plain, "{rows} x {outputs} x {width}");
                }
            }
        }
    }

    /// The same bits with and without AVX2, with numbers whose sums are rounded.
    #[test]
    fn any_processor_gives_the_same_bits() {
        let mut rng = fivefold_core::Seed::new(8).rng();
        for (rows, outputs, width) in [(1, 1, 1), (3, 2, 9), (4, 5, 136), (9, 32, 137), (119, 33, 47)] {
            let s = stride(width);
            let mut matrix = |rows: usize| -> Vec<f32> { (0..rows * s).map(|_| rng.normal() as f32).collect() };
            let (inputs, weights, before) = (matrix(rows), matrix(outputs), matrix(outputs));
            let [mut plain, mut wide] = [vec![0.0; rows * outputs], vec![0.0; rows * outputs]];
            let work = |out| Products { inputs: &inputs, weights: &weights, stride: s, out, out_stride: outputs };
            wide::run_plainly(work(&mut plain));
            wide::run(work(&mut wide));
            assert_eq!(plain, wide, "{rows} x {outputs} x {width}");
            let work = |out| ManyProducts { inputs: &inputs, weights: &weights, stride: s, out, out_stride: outputs };
            let [mut plain_many, mut wide_many] = [vec![0.0; rows * outputs], vec![0.0; rows * outputs]];
            wide::run_plainly(work(&mut plain_many));
            wide::run(work(&mut wide_many));
            assert_eq!([&plain, &plain], [&plain_many, &wide_many], "{rows} x {outputs} x {width}");
            let [mut plain, mut wide] = [before.clone(), before];
            // Some coefficients are 0, as behind a unit that is 0.
            let coefficient = |i: usize, k: usize| inputs[(i * 7 + k) % inputs.len()].max(0.0);
            let work = |targets| Combinations { sources: &inputs, count: rows, stride: s, coefficient, targets };
            wide::run_plainly(work(&mut plain));
            wide::run(work(&mut wide));
            assert_eq!(plain, wide, "{rows} x {outputs} x {width}");
        }
    }
}
