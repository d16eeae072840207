//! Statistics of a large table: 8 systems at 5 cutoffs, so 140 comparisons of 10,000 queries, with
//! 1,000 draws, on one thread.
//!
//! `cargo bench -p fivefold-bench --features criterion --bench stats` runs them;
//! `tools/statistics_compare.py` measures the same beside scipy and numpy.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fivefold_core::Seed;
use fivefold_stats::{Family, SwapOptions, TESTS, TestOptions, swap_method};

const SYSTEMS: usize = 8;
const CUTOFFS: usize = 5;
const QUERIES: usize = 10_000;

/// Values of `[cutoff][system][query]`; each system is a little better than the system before.
fn made() -> Vec<Vec<f64>> {
    let column = |number: usize| {
        let mut rng = Seed::new(number as u64).rng();
        let gain = 0.005 * (number % SYSTEMS) as f64;
        (0..QUERIES).map(|_| rng.uniform() + gain).collect()
    };
    (0..CUTOFFS * SYSTEMS).map(column).collect()
}

fn family(values: &[Vec<f64>]) -> Family<'_> {
    let groups = values.chunks(SYSTEMS).map(|group| group.iter().map(Vec::as_slice).collect()).collect();
    Family::of_groups(groups).unwrap_or_else(|error| panic!("{error}"))
}

/// Every test of the list of tests.
fn tests(criterion: &mut Criterion) {
    let values = made();
    let family = family(&values);
    let mut group = criterion.benchmark_group("tests");
    group.throughput(Throughput::Elements(family.comparisons().len() as u64)).sample_size(20);
    for test in TESTS {
        group.bench_function(test.name, |bencher| {
            bencher.iter(|| black_box(test.run(&family, &TestOptions::default()).is_ok()));
        });
    }
}

/// Sakai's swap method, 1,000 splits.
fn swaps(criterion: &mut Criterion) {
    let values = made();
    let family = family(&values);
    let mut group = criterion.benchmark_group("swaps");
    group.throughput(Throughput::Elements(family.comparisons().len() as u64)).sample_size(10);
    group.bench_function("swap method", |bencher| {
        bencher.iter(|| black_box(swap_method(&family, &SwapOptions::default()).is_ok()));
    });
}

criterion_group!(benches, tests, swaps);
criterion_main!(benches);
