use super::*;
use crate::wide::Program;
use crate::wide::stride;

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
    for (rows, outputs, width) in
        [(1, 1, 1), (2, 2, 8), (3, 5, 9), (5, 4, 46), (6, 1, 17), (4, 3, 24), (7, 9, 40), (9, 33, 65)]
    {
        let s = stride(width);
        let (a, b) = (matrix(rows, width, 1), matrix(outputs, width, 4));
        let out_stride = outputs + 2;
        let mut out = vec![99.0; rows * out_stride];
        let mut by_input = ByInput::default();
        by_input.fill(&b, outputs, s);
        products(&a, &b, &by_input, s, &mut out, out_stride);
        for r in 0..rows {
            for c in 0..outputs {
                let plain: f32 = (0..width).map(|j| a[r * s + j] * b[c * s + j]).sum();
                assert_eq!(out[r * out_stride + c], plain, "{rows} x {outputs} x {width}");
            }
            assert_eq!(out[r * out_stride + outputs..(r + 1) * out_stride], [99.0, 99.0]);
        }
        let coefficient = |i: usize, k: usize| (i * 2 + k) as f32 - 2.0;
        let by_source: Vec<f32> = (0..rows * outputs).map(|at| coefficient(at % outputs, at / outputs)).collect();
        let by_target: Vec<f32> = (0..rows * outputs).map(|at| coefficient(at / rows, at % rows)).collect();
        let before = matrix(outputs, width, 2);
        for coefficients in [
            Coefficients { values: &by_source, stride: outputs, by_source: true },
            Coefficients { values: &by_target, stride: rows, by_source: false },
        ] {
            let mut targets = before.clone();
            add_combinations(&a, s, rows, coefficients, &mut targets, s);
            for i in 0..outputs {
                for j in 0..s {
                    let plain: f32 = (0..rows).map(|k| coefficient(i, k) * a[k * s + j]).sum();
                    assert_eq!(targets[i * s + j], before[i * s + j] + plain, "{rows} x {outputs} x {width}");
                }
            }
        }
    }
}

/// The same bits in plain instructions, with AVX2 and with AVX-512, with numbers whose sums are
/// rounded. A program that the processor lacks is left to one that it has.
#[test]
fn any_processor_gives_the_same_bits() {
    let mut rng = fivefold_core::Seed::new(8).rng();
    let shapes = [(1, 1, 1), (3, 2, 9), (4, 5, 136), (9, 32, 137), (119, 33, 47), (6, 10, 46), (7, 57, 16)];
    for (rows, outputs, width) in shapes {
        let s = stride(width);
        let mut matrix = |rows: usize| -> Vec<f32> { (0..rows * s).map(|_| rng.normal() as f32).collect() };
        let (inputs, weights, before) = (matrix(rows), matrix(outputs), matrix(outputs));
        let [mut plain, mut wide] = [vec![0.0; rows * outputs], vec![0.0; rows * outputs]];
        let work = |out| Products { inputs: &inputs, weights: &weights, stride: s, out, out_stride: outputs };
        wide::run_plainly(work(&mut plain));
        wide::run(work(&mut wide));
        assert_eq!(plain, wide, "{rows} x {outputs} x {width}");
        let mut by_input = ByInput::default();
        by_input.fill(&weights, outputs, s);
        let lines = by_input.lines.as_chunks().0;
        // Some coefficients are 0, as behind a unit that is 0.
        let values: Vec<f32> = (0..rows * outputs).map(|at| inputs[at * 7 % inputs.len()].max(0.0)).collect();
        let coefficients = Coefficients { values: &values, stride: outputs, by_source: true };
        let of_first: Vec<f32> = values.iter().step_by(outputs).copied().collect();
        let sums = |most| {
            if outputs >= LANES {
                let mut many = vec![0.0; rows * outputs];
                let (inputs, out) = (&inputs[..], &mut many[..]);
                wide::run_at_most(most, ManyProducts { inputs, lines, outputs, stride: s, out, out_stride: outputs });
                assert_eq!(plain, many, "{most:?}: {rows} x {outputs} x {width}");
            }
            let combine = |first: usize, coefficients, targets: &mut [f32], width| {
                let sources = &inputs[first..];
                let work = Combinations { sources, stride: s, count: rows, coefficients, targets, width };
                wide::run_at_most(most, work);
            };
            let (mut combined, mut columns) = (before.clone(), before.clone());
            combine(0, coefficients, &mut combined, s);
            // The first target alone, in two parts.
            let (one, other) = columns[..s].split_at_mut(s / 3 / LANES * LANES);
            let coefficients = Coefficients { values: &of_first, stride: rows, by_source: false };
            let (first, rest) = (one.len(), other.len());
            combine(0, coefficients, one, first);
            combine(first, coefficients, other, rest);
            assert_eq!(columns[..s], combined[..s], "{most:?}: {rows} x {outputs} x {width}");
            combined
        };
        let plain = sums(Program::Plain);
        for most in [Program::Avx2, Program::Avx512] {
            assert_eq!(plain, sums(most), "{most:?}: {rows} x {outputs} x {width}");
        }
    }
}
