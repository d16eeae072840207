//! Parts whose speed the project promises: evaluation, and a tree of LambdaMART. (Reading is in
//! `reading.rs`, statistical tests in `stats.rs`.)
//!
//! Times are per element (document or tree), on one thread. The examples `reading` (fivefold-data)
//! and `lambdamart_speed` (fivefold-rankers) print the memory and CPU time of whole processes.

use std::error::Error;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fivefold_bench::{mslr, one_thread, scores};
use fivefold_core::{FitContext, Ranker as _, Seed};
use fivefold_metrics::{Evaluator, MeasureSpec, Scratch, Version, dialect};
use fivefold_rankers::lambdamart::LambdaMart;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// nDCG at five cutoffs and AP, each as original, V1 and V2, with averaged ties. Queries are judged
/// before, since all rankers share the judging.
fn evaluate(criterion: &mut Criterion) -> Result<()> {
    let mut specs: Vec<MeasureSpec> = Vec::new();
    for base in ["ndcg@5", "ndcg@10", "ndcg@15", "ndcg@20", "ndcg@30", "ap"] {
        let base: MeasureSpec = base.parse()?;
        specs.extend([Version::Original, Version::V1, Version::V2].map(|version| base.with_version(version)));
    }
    let data = mslr(2_000);
    let evaluator = Evaluator::new(&specs, &dialect("paper")?.conventions(), data.max_grade(), Seed::new(1))?;
    let mut judged = Vec::with_capacity(data.len());
    for query in data.queries() {
        judged.push(evaluator.judge(query.id(), query.grades(), None)?);
    }
    let (bounds, untied) = (data.bounds(), scores(&data, 1));
    let tied: Vec<f64> = untied.iter().map(|score| (score * 20.0).floor()).collect();
    let (mut scratch, mut values) = (Scratch::default(), vec![0.0; specs.len()]);
    let mut group = criterion.benchmark_group("evaluate");
    group.throughput(Throughput::Elements(data.documents() as u64));
    for (name, scores) in [("without ties", untied), ("many ties", tied)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for (judged, rows) in judged.iter().zip(bounds.windows(2)) {
                    let done = evaluator.evaluate(judged, &scores[rows[0]..rows[1]], &mut scratch, &mut values);
                    black_box(done.is_ok());
                }
            });
        });
    }
    Ok(())
}

/// Ten trees of 31 leaves, with binning.
fn lambdamart(criterion: &mut Criterion) -> Result<()> {
    let data = mslr(200);
    let ranker = LambdaMart { trees: 10, leaves: 31, learning_rate: 0.1, early_stopping: 0, ..LambdaMart::default() };
    let mut group = criterion.benchmark_group("lambdamart");
    group.throughput(Throughput::Elements(10)).sample_size(10);
    let pool = one_thread()?;
    group.bench_function("fit", |bencher| {
        bencher.iter(|| pool.install(|| ranker.fit(&data, &FitContext::new(Seed::new(1)))).is_ok());
    });
    Ok(())
}

fn parts(criterion: &mut Criterion) {
    let done = evaluate(criterion).and_then(|()| lambdamart(criterion));
    done.unwrap_or_else(|error| panic!("{error}"));
}

criterion_group!(benches, parts);
criterion_main!(benches);
