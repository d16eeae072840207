//! The parts of growing trees, on 1 and 2 threads: binning, a tree from binned features, and
//! scoring with many trees.
//!
//! Times of binning and scoring are per document, of growing per tree. The data have the shape of
//! MSLR-WEB30K.

use std::error::Error;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fivefold_bench::{mslr, scores};
use fivefold_trees::{BinnedMatrix, Ensemble, Gradients, Grower, Growth, Rows, Tree};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Number of trees of the ensemble that scores.
const TREES: usize = 500;

fn trees(criterion: &mut Criterion) {
    measure(criterion).unwrap_or_else(|error| panic!("{error}"));
}

fn measure(criterion: &mut Criterion) -> Result<()> {
    let data = mslr(500);
    let blocks: Vec<&[f32]> = data.queries().map(|query| query.view().features()).collect();
    let rows = Rows::new(blocks.clone(), data.width());
    let documents = data.documents();
    let matrix = BinnedMatrix::new(&rows, 255);
    // Any gradients that some features explain will do: here the difference between a grade and a
    // score.
    let grades = data.queries().flat_map(|query| query.grades().iter().copied());
    let first: Vec<f64> = scores(&data, 1).iter().zip(grades).map(|(score, grade)| score - f64::from(grade)).collect();
    let second: Vec<f64> = first.iter().map(|gradient| 0.1 + gradient.abs()).collect();
    let gradients = Gradients { first: &first, second: Some(&second), copies: None };
    let tree = |leaves: usize| -> Result<Tree> {
        let growth = Growth { leaves, ..Growth::default() };
        Ok(Grower::new(&matrix, growth).grow(gradients, None, &mut |_| 0)?)
    };
    let ensemble = Ensemble::from(vec![tree(31)?; TREES]);

    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut group = criterion.benchmark_group("trees");
        group.sample_size(10).throughput(Throughput::Elements(documents as u64));
        group.bench_function(BenchmarkId::new("bin", threads), |bencher| {
            bencher.iter(|| pool.install(|| BinnedMatrix::new(&rows, 255)));
        });
        group.throughput(Throughput::Elements(1));
        for leaves in [10, 31, 100] {
            let mut grower = Grower::new(&matrix, Growth { leaves, ..Growth::default() });
            group.bench_function(BenchmarkId::new(format!("grow {leaves} leaves"), threads), |bencher| {
                bencher.iter(|| pool.install(|| grower.grow(gradients, None, &mut |_| 0).is_ok()));
            });
        }
    }
    let mut group = criterion.benchmark_group("trees");
    group.sample_size(10).throughput(Throughput::Elements(documents as u64));
    group.bench_function(format!("score with {TREES} trees"), |bencher| {
        bencher.iter(|| {
            for block in &blocks {
                let mut scores = vec![0.0; block.len() / data.width()];
                ensemble.add_scores(block, data.width(), &mut scores);
                black_box(scores);
            }
        });
    });
    Ok(())
}

criterion_group!(benches, trees);
criterion_main!(benches);
