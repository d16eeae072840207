//! Reading: LETOR text into the matrix on 1 and 2 threads, and the content hash for the check of a
//! cache.
//!
//! Rates are bytes of text and bytes of the matrix. The example `reading` of fivefold-data, in a
//! process of its own, prints memory, CPU time, and the time to open a cache file.

use std::error::Error;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fivefold_bench::mslr;
use fivefold_data::hash::data_hash;
use fivefold_data::{ReadOptions, read_letor, write_letor};

fn measure(criterion: &mut Criterion) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("made.txt");
    let data = mslr(400);
    let mut text = Vec::new();
    write_letor(&data, &mut text)?;
    std::fs::write(&path, &text)?;
    let matrix = data.documents() * data.width() * size_of::<f32>();
    let mut group = criterion.benchmark_group("read");
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("letor, {threads} threads"), |bencher| {
            bencher.iter(|| pool.install(|| read_letor(&path, &ReadOptions::default())).is_ok());
        });
        group.throughput(Throughput::Bytes(matrix as u64));
        group.bench_function(format!("hash, {threads} threads"), |bencher| {
            bencher.iter(|| pool.install(|| black_box(data_hash(&data))));
        });
    }
    Ok(())
}

fn reading(criterion: &mut Criterion) {
    measure(criterion).unwrap_or_else(|error| panic!("{error}"));
}

criterion_group!(benches, reading);
criterion_main!(benches);
