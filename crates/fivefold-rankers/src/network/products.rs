//! Products of small `f32` matrices whose rows are padded with zeros to whole vector registers.
//!
//! A matrix is a slice of rows of length `stride`, a multiple of [`LANES`]. So the inner loops of
//! both passes through a layer run over whole groups of lanes, without a rest. Additions have a
//! fixed order, so results do not depend on the number of threads.

/// Number of values that are added side by side.
pub(crate) const LANES: usize = 8;

type Lanes = [f32; LANES];

/// The length of a row that holds `width` values.
pub(crate) fn stride(width: usize) -> usize {
    width.next_multiple_of(LANES)
}

/// out[r * out_stride + c] = inputs row r . weights row c.
pub(crate) fn products(inputs: &[f32], weights: &[f32], stride: usize, out: &mut [f32], out_stride: usize) {
    let pairs = inputs.chunks(2 * stride).zip(out.chunks_mut(2 * out_stride));
    for (rows, out) in pairs {
        if let Some((first, second)) = rows.split_at_checked(stride).filter(|(_, second)| !second.is_empty()) {
            let (first_out, second_out) = out.split_at_mut(out_stride);
            row_products([first, second], weights, stride, [first_out, second_out]);
        } else {
            row_products([rows], weights, stride, [out]);
        }
    }
}

/// The products of R rows with all rows of weights, two rows of weights at a time.
fn row_products<const R: usize>(rows: [&[f32]; R], weights: &[f32], stride: usize, mut out: [&mut [f32]; R]) {
    let rows = rows.map(lanes);
    let mut pairs = weights.chunks_exact(2 * stride);
    let mut column = 0;
    for pair in &mut pairs {
        let (first, second) = pair.split_at(stride);
        let sums = tile(rows, [lanes(first), lanes(second)]);
        for (out, sums) in out.iter_mut().zip(sums) {
            out[column..column + 2].copy_from_slice(&sums);
        }
        column += 2;
    }
    if !pairs.remainder().is_empty() {
        let sums = tile(rows, [lanes(pairs.remainder())]);
        for (out, [sum]) in out.iter_mut().zip(sums) {
            out[column] = sum;
        }
    }
}

fn lanes(row: &[f32]) -> &[Lanes] {
    row.as_chunks().0
}

fn tile<const R: usize, const C: usize>(rows: [&[Lanes]; R], columns: [&[Lanes]; C]) -> [[f32; C]; R] {
    let groups = columns[0].len();
    let rows = rows.map(|row| &row[..groups]);
    let columns = columns.map(|column| &column[..groups]);
    let mut sums = [[[0.0f32; LANES]; C]; R];
    for group in 0..groups {
        for r in 0..R {
            for c in 0..C {
                for lane in 0..LANES {
                    sums[r][c][lane] += rows[r][group][lane] * columns[c][group][lane];
                }
            }
        }
    }
    sums.map(|row| row.map(|s| ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]))))
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
    let mut first = 0;
    while first < count {
        let taken = (count - first).min(4);
        // Fewer than four sources are filled up with the first source, times 0.
        let rows: [&[Lanes]; 4] = std::array::from_fn(|k| {
            let row = if k < taken { first + k } else { first };
            lanes(&sources[row * stride..(row + 1) * stride])
        });
        for (i, target) in targets.chunks_exact_mut(stride).enumerate() {
            let factors: [f32; 4] = std::array::from_fn(|k| if k < taken { coefficient(i, first + k) } else { 0.0 });
            if factors != [0.0; 4] {
                add_four(rows, factors, target.as_chunks_mut().0);
            }
        }
        first += taken;
    }
}

fn add_four(rows: [&[Lanes]; 4], factors: [f32; 4], target: &mut [Lanes]) {
    let rows = rows.map(|row| &row[..target.len()]);
    for (group, target) in target.iter_mut().enumerate() {
        for lane in 0..LANES {
            let product = |k: usize| factors[k] * rows[k][group][lane];
            target[lane] += (product(0) + product(1)) + (product(2) + product(3));
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
}
