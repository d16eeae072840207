//! Products of small `f32` matrices whose rows are padded with zeros to whole vector registers.
//!
//! A matrix is a slice of rows of length `stride`, a multiple of [`LANES`]. So the inner loops of
//! both passes through a layer run over whole groups of lanes, without a rest. Additions have a
//! fixed order, so results depend neither on the number of threads nor on the processor (`wide`).
//!
//! A product of two rows has eight interleaved sums, which are added at its end. For a layer of
//! eight outputs or more, the weights are copied so that those of 16 outputs lie side by side
//! ([`ByInput`]). Then no sum is spread over a vector: a tile of four rows and two vectors of
//! outputs has one or two of the eight sums of each product in registers, and does them one after
//! the other. For fewer outputs, a tile of four rows and two rows of weights has all sums of eight
//! products in registers. So a load or two go with a multiplication and an addition.
//!
//! A combination of rows has a tile of two targets and some vectors in registers while it goes
//! through all sources. Vectors are as long as those of the processor, 8 or 16 numbers.

use fivefold_trees::prefetch::prefetch;

use crate::aligned::{Aligned, LINE};
use crate::wide::{self, LANES, Lanes, LongLoop, Loop, Vector};

/// Rows of weights, so that the weights of several rows for one input lie side by side.
#[derive(Debug, Default)]
pub(crate) struct ByInput {
    /// For every 16 rows of weights, and for each input, the weights of these rows. Empty if there
    /// are fewer than eight rows.
    lines: Aligned<f32>,
}

impl ByInput {
    /// How many numbers there are for a matrix of `outputs` rows.
    pub fn len(outputs: usize, stride: usize) -> usize {
        if outputs < LANES { 0 } else { outputs.next_multiple_of(LINE) * stride }
    }

    /// Copies the weights.
    pub fn fill(&mut self, weights: &[f32], outputs: usize, stride: usize) {
        self.lines.reset(ByInput::len(outputs, stride));
        let blocks = self.lines.as_chunks_mut::<LINE>().0.chunks_exact_mut(stride.max(1));
        for (rows, lines) in weights.chunks(LINE * stride.max(1)).zip(blocks) {
            for (lane, row) in rows.chunks_exact(stride).enumerate() {
                lines.iter_mut().zip(row).for_each(|(line, &weight)| line[lane] = weight);
            }
        }
    }
}

/// out[r * out_stride + c] = inputs row r . weights row c. `by_input` has the same weights, or
/// none.
pub(crate) fn products(
    inputs: &[f32],
    weights: &[f32],
    by_input: &ByInput,
    stride: usize,
    out: &mut [f32],
    out_stride: usize,
) {
    let lines = by_input.lines.as_chunks().0;
    if lines.is_empty() {
        wide::run(Products { inputs, weights, stride, out, out_stride });
    } else {
        wide::run_long(ManyProducts { inputs, lines, outputs: weights.len() / stride, stride, out, out_stride });
    }
}

/// [`products`] as a loop, for many rows of weights.
struct ManyProducts<'a> {
    inputs: &'a [f32],
    lines: &'a [[f32; LINE]],
    outputs: usize,
    stride: usize,
    out: &'a mut [f32],
    out_stride: usize,
}

impl LongLoop for ManyProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const N: usize, const D: usize, V: Vector<N, D>>(self) {
        let ManyProducts { mut inputs, lines, outputs, stride, mut out, out_stride } = self;
        while inputs.len() >= 4 * stride {
            let (rows, others) = inputs.split_at(4 * stride);
            let (places, rest) = out.split_at_mut((4 * out_stride).min(out.len()));
            // Inputs of many documents are in no cache.
            others.iter().take(4 * stride).step_by(LINE).for_each(prefetch);
            tiles::<N, D, V, 4>(rows, lines, outputs, stride, places, out_stride);
            (inputs, out) = (others, rest);
        }
        for (row, places) in inputs.chunks(stride).zip(out.chunks_mut(out_stride)) {
            tiles::<N, D, V, 1>(row, lines, outputs, stride, places, out_stride);
        }
    }
}

/// The products of R rows with all rows of weights.
#[inline(always)]
fn tiles<const N: usize, const D: usize, V: Vector<N, D>, const R: usize>(
    inputs: &[f32],
    lines: &[[f32; LINE]],
    outputs: usize,
    stride: usize,
    out: &mut [f32],
    out_stride: usize,
) {
    let mut rows: [&[Lanes]; R] = [&[]; R];
    for (row, values) in rows.iter_mut().zip(inputs.chunks_exact(stride)) {
        *row = lanes(values);
    }
    let block = |output: usize| &lines[output / LINE * stride..][..stride];
    let mut first = 0;
    while first + N < outputs {
        let of_rows = column_tile::<N, D, V, R, 2>(rows, [block(first), block(first + N)]);
        write(&of_rows, &mut out[first..], out_stride, outputs - first);
        first += 2 * N;
    }
    if first < outputs {
        let of_rows = column_tile::<N, D, V, R, 1>(rows, [block(first)]);
        write(&of_rows, &mut out[first..], out_stride, outputs - first);
    }
}

/// Writes at most `count` products of each row.
#[inline(always)]
fn write<const N: usize, const R: usize, const C: usize>(
    of_rows: &[[[f32; N]; C]; R],
    out: &mut [f32],
    out_stride: usize,
    count: usize,
) {
    for (row, places) in of_rows.iter().zip(out.chunks_mut(out_stride)) {
        let count = count.min(places.len());
        for (products, places) in row.iter().zip(places[..count].chunks_mut(N)) {
            match places.first_chunk_mut() {
                Some(all) => *all = *products,
                None => places.copy_from_slice(&products[..places.len()]),
            }
        }
    }
}

/// The products of R rows with C vectors of weights: vector c is the next N outputs of `blocks[c]`,
/// where two vectors of eight share a block.
#[inline(always)]
fn column_tile<const N: usize, const D: usize, V: Vector<N, D>, const R: usize, const C: usize>(
    mut rows: [&[Lanes]; R],
    blocks: [&[[f32; LINE]]; C],
) -> [[[f32; N]; C]; R] {
    let mut groups: [&[[[f32; LINE]; LANES]]; C] = [&[]; C];
    for c in 0..C {
        groups[c] = blocks[c].as_chunks().0;
    }
    let count = groups[0].len();
    for row in &mut rows {
        *row = &row[..count];
    }
    for group in &mut groups {
        *group = &group[..count];
    }
    let mut twos = [[[V::splat(0.0); C]; R]; LANES / 2];
    for (lane, two) in twos.iter_mut().enumerate() {
        // The longer registers are more, so two sums of each product have a place.
        let [one, other] = if N > LANES {
            lane_sums::<N, D, V, R, C, 2>(rows, groups, lane)
        } else {
            let one = lane_sums::<N, D, V, R, C, 1>(rows, groups, lane);
            [one[0], lane_sums::<N, D, V, R, C, 1>(rows, groups, lane + LANES / 2)[0]]
        };
        for r in 0..R {
            for c in 0..C {
                two[r][c] = one[r][c].plus(other[r][c]);
            }
        }
    }
    let mut out = [[[0.0; N]; C]; R];
    for r in 0..R {
        for c in 0..C {
            let [one, two, three, four] = [twos[0][r][c], twos[1][r][c], twos[2][r][c], twos[3][r][c]];
            out[r][c] = (one.plus(two)).plus(three.plus(four)).values();
        }
    }
    out
}

/// L of the eight sums of products: that of `lane`, and that of four lanes after it.
#[inline(always)]
fn lane_sums<const N: usize, const D: usize, V: Vector<N, D>, const R: usize, const C: usize, const L: usize>(
    rows: [&[Lanes]; R],
    groups: [&[[[f32; LINE]; LANES]]; C],
    lane: usize,
) -> [[[V; C]; R]; L] {
    let mut sums = [[[V::splat(0.0); C]; R]; L];
    for group in 0..groups[0].len() {
        for (l, sums) in sums.iter_mut().enumerate() {
            // The remainder spares checks of places.
            let lane = (lane + l * (LANES / 2)) % LANES;
            let mut weights = [V::splat(0.0); C];
            for c in 0..C {
                let vectors = groups[c][group][lane].as_chunks().0;
                weights[c] = V::load(&vectors[c % vectors.len()]);
            }
            for r in 0..R {
                let input = V::splat(rows[r][group][lane]);
                for c in 0..C {
                    sums[r][c] = sums[r][c].plus(input.times(weights[c]));
                }
            }
        }
    }
    sums
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

/// The coefficients of sources in targets. A row of `values`, of length `stride`, has those of a
/// source if `by_source` holds, else those of a target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coefficients<'a> {
    pub values: &'a [f32],
    pub stride: usize,
    pub by_source: bool,
}

impl Coefficients<'_> {
    /// The coefficients of four sources from `k` on for T targets from `i` on. They are 0 beyond
    /// the sources that are taken.
    #[inline(always)]
    fn of_four<const T: usize>(self, i: usize, k: usize, taken: usize) -> [[f32; 4]; T] {
        let Coefficients { values, stride, by_source } = self;
        let mut found = [[0.0; 4]; T];
        if by_source {
            for source in 0..taken {
                let row = &values[(k + source) * stride + i..][..T];
                for t in 0..T {
                    found[t][source] = row[t];
                }
            }
        } else {
            for t in 0..T {
                let row = &values[(i + t) * stride + k..][..taken];
                found[t].iter_mut().zip(row).for_each(|(place, &coefficient)| *place = coefficient);
            }
        }
        found
    }
}

/// Adds a combination of `sources` to each row of `targets`, whose length is `width`. Source k is
/// the row that begins at k x `stride`; there are `count` of them.
pub(crate) fn add_combinations(
    sources: &[f32],
    stride: usize,
    count: usize,
    coefficients: Coefficients<'_>,
    targets: &mut [f32],
    width: usize,
) {
    wide::run_long(Combinations { sources, stride, count, coefficients, targets, width });
}

/// [`add_combinations`] as a loop.
struct Combinations<'a> {
    sources: &'a [f32],
    stride: usize,
    count: usize,
    coefficients: Coefficients<'a>,
    targets: &'a mut [f32],
    width: usize,
}

impl LongLoop for Combinations<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const N: usize, const D: usize, V: Vector<N, D>>(mut self) {
        // Six vectors of targets in the longer registers, or four in the fewer ones.
        let done = if N > LANES { self.strips::<N, D, V, 3>(0) } else { self.strips::<N, D, V, 2>(0) };
        let done = self.strips::<N, D, V, 1>(done);
        if N > LANES {
            self.strips::<LANES, { wide::DOUBLES }, V::Eight, 1>(done);
        }
    }
}

impl Combinations<'_> {
    /// Adds to strips of W vectors from a column on, as many as there are. Returns the next column.
    #[inline(always)]
    fn strips<const N: usize, const D: usize, V: Vector<N, D>, const W: usize>(&mut self, first: usize) -> usize {
        let mut column = first;
        while column + W * N <= self.width {
            let Combinations { sources, stride, count, coefficients, ref mut targets, width } = *self;
            let mut pairs = targets.chunks_exact_mut(2 * width);
            let mut i = 0;
            for pair in &mut pairs {
                let (one, other) = pair.split_at_mut(width);
                let targets = [&mut one[column..], &mut other[column..]];
                strip::<N, D, V, W, 2>(&sources[column..], stride, count, coefficients, i, targets);
                i += 2;
            }
            if let Some(target) = pairs.into_remainder().get_mut(column..width) {
                strip::<N, D, V, W, 1>(&sources[column..], stride, count, coefficients, i, [target]);
            }
            column += W * N;
        }
        column
    }
}

/// Adds all sources to the first W vectors of T targets, of which the first is target `i`.
#[inline(always)]
fn strip<const N: usize, const D: usize, V: Vector<N, D>, const W: usize, const T: usize>(
    sources: &[f32],
    stride: usize,
    count: usize,
    coefficients: Coefficients<'_>,
    i: usize,
    targets: [&mut [f32]; T],
) {
    let mut sums = [[V::splat(0.0); W]; T];
    for t in 0..T {
        let vectors = &targets[t].as_chunks().0[..W];
        for w in 0..W {
            sums[t][w] = V::load(&vectors[w]);
        }
    }
    let mut done = 0;
    if coefficients.by_source {
        done = add_fours::<N, D, V, W, T>(sources, stride, count, coefficients, i, &mut sums);
    }
    while done < count {
        let taken = (count - done).min(4);
        let rows = std::array::from_fn(|source| {
            // Fewer than four sources are filled up with the first one, times 0.
            let source = if source < taken { done + source } else { done };
            &sources[source * stride..]
        });
        add_four::<N, D, V, W, T>(rows, coefficients.of_four(i, done, taken), &mut sums);
        done += taken;
    }
    for (t, target) in targets.into_iter().enumerate() {
        let vectors = &mut target.as_chunks_mut().0[..W];
        for w in 0..W {
            vectors[w] = sums[t][w].values();
        }
    }
}

/// Adds fours of sources, whose coefficients stand source by source, as long as there are whole
/// rows. Returns how many sources were added. Iterators check places once for all sources.
#[inline(always)]
fn add_fours<const N: usize, const D: usize, V: Vector<N, D>, const W: usize, const T: usize>(
    sources: &[f32],
    stride: usize,
    count: usize,
    coefficients: Coefficients<'_>,
    i: usize,
    sums: &mut [[V; W]; T],
) -> usize {
    let every_fourth = |source: usize| sources.get(source * stride..).unwrap_or_default().chunks_exact(4 * stride);
    let sources = every_fourth(0).zip(every_fourth(1)).zip(every_fourth(2)).zip(every_fourth(3));
    let Coefficients { values, stride, .. } = coefficients;
    let every_fourth = |source: usize| values.get(source * stride + i..).unwrap_or_default().chunks_exact(4 * stride);
    let rows = every_fourth(0).zip(every_fourth(1)).zip(every_fourth(2)).zip(every_fourth(3));
    let mut done = 0;
    for ((((a, b), c), d), (((e, f), g), h)) in sources.zip(rows).take(count / 4) {
        let (e, f, g, h) = (&e[..T], &f[..T], &g[..T], &h[..T]);
        let mut factors = [[0.0; 4]; T];
        for t in 0..T {
            factors[t] = [e[t], f[t], g[t], h[t]];
        }
        add_four::<N, D, V, W, T>([a, b, c, d], factors, sums);
        done += 4;
    }
    done
}

/// Adds the first W vectors of four sources.
#[inline(always)]
fn add_four<const N: usize, const D: usize, V: Vector<N, D>, const W: usize, const T: usize>(
    sources: [&[f32]; 4],
    factors: [[f32; 4]; T],
    sums: &mut [[V; W]; T],
) {
    // Sums of zeros alter no bit: no target is -0, for a sum of finite numbers is -0 only if all of
    // them are.
    if T == 1 && factors[0] == [0.0; 4] {
        return;
    }
    let mut rows: [&[[f32; N]]; 4] = [&[]; 4];
    for (row, source) in rows.iter_mut().zip(sources) {
        *row = &source.as_chunks().0[..W];
    }
    // Loops, not `map` of arrays, which is not always inlined.
    let mut splats = [[V::splat(0.0); 4]; T];
    for t in 0..T {
        for source in 0..4 {
            splats[t][source] = V::splat(factors[t][source]);
        }
    }
    for w in 0..W {
        let (a, b, c, d) = (V::load(&rows[0][w]), V::load(&rows[1][w]), V::load(&rows[2][w]), V::load(&rows[3][w]));
        for t in 0..T {
            let f = splats[t];
            let sum = (f[0].times(a).plus(f[1].times(b))).plus(f[2].times(c).plus(f[3].times(d)));
            sums[t][w] = sums[t][w].plus(sum);
        }
    }
}

#[cfg(test)]
mod tests;
