//! Measures a piece of fivefold's work from inside. `compare` and `scaling` run this program beside
//! other programs.
//!
//! ```text
//! cargo run --release -p fivefold-bench --example measure -- make mslr-web30k 136 2000 1 train.txt
//! cargo run --release -p fivefold-bench --example measure -- read train.txt 1
//! cargo run --release -p fivefold-bench --example measure -- train lambdamart train.txt test.txt scores 1 7 trees=100
//! ```
//! Prints a line of JSON: seconds of wall time and of CPU time (all threads) of the work alone, and
//! the size of the work. The caller can ask the system for the peak memory of the process. CPU
//! time comes from /proc, so the program needs Linux.

mod clock;
mod collection;
mod tests_of_significance;

use std::error::Error;
use std::fs;
use std::path::Path;

use clock::Clock;
use fivefold_core::registry::DynRanker;
use fivefold_core::{Dataset, FitContext, JudgedQuery, Seed};
use fivefold_data::cache::CacheUse;
use fivefold_data::source::open_cached;
use fivefold_data::{Cache, ReadOptions, Source, read_letor};
use fivefold_metrics::{Evaluator, MeasureSpec, Scratch, Version, dialect};
use fivefold_rankers::RANKERS;
use fivefold_trees::{BinnedMatrix, Rows};
use serde_json::{Value, json};
use toml::de::DeTable;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const HELP: &str = "arguments, one of:
  make SHAPE FEATURES QUERIES SEED FILE      a synthetic collection as LETOR text
  arrays FILE PREFIX                         LETOR text as PREFIX.features, .grades, .sizes for other programs
  read FILE THREADS                          LETOR text into the matrix
  open FILE FOLDER THREADS                   a collection from its cache in FOLDER, which the first call fills
  bin FILE BINS THREADS                      the matrix into bins
  train RANKER TRAIN TEST SCORES THREADS SEED [NAME=VALUE ...]    a model; its scores of TEST go to SCORES; - : none
  evaluate GRADES SCORES DOCUMENTS [twice]   18 columns of each query, from one thread; twice: 2 columns, ndcg@10 and ap
  significance TEST VALUES SYSTEMS DRAWS     all pairs of systems at all cutoffs; TEST is one of t, bootstrap,
                                             permutation, tukey-hsd";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let measured = match words[..] {
        ["make", shape, features, queries, seed, file] => {
            collection::make(shape, features.parse()?, queries.parse()?, seed.parse()?, Path::new(file))
        }
        ["arrays", file, prefix] => collection::arrays(Path::new(file), prefix),
        ["read", file, threads] => on(threads, || read(Path::new(file))),
        ["open", file, folder, threads] => on(threads, || open(file, folder)),
        ["bin", file, bins, threads] => on(threads, || bin(Path::new(file), bins.parse()?)),
        ["train", ranker, train_file, test_file, scores, threads, seed, ref params @ ..] => on(threads, || {
            let given = |name| (name != "-").then_some(Path::new(name));
            let (ranker, seed) = (named(ranker, params)?, Seed::new(seed.parse()?));
            train(&*ranker, seed, Path::new(train_file), given(test_file), given(scores))
        }),
        ["evaluate", grades, scores, documents] => on("1", || evaluate(grades, scores, documents.parse()?, true)),
        ["evaluate", grades, scores, documents, "twice"] => {
            on("1", || evaluate(grades, scores, documents.parse()?, false))
        }
        ["significance", test, values, systems, draws] => {
            on("1", || tests_of_significance::measure(test, Path::new(values), systems.parse()?, draws.parse()?))
        }
        _ => Err(HELP.into()),
    };
    println!("{}", measured?);
    Ok(())
}

/// Runs `work` in a pool of `threads` threads.
fn on(threads: &str, work: impl FnOnce() -> Result<Value> + Send) -> Result<Value> {
    rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?.install(work)
}

fn read(file: &Path) -> Result<Value> {
    let clock = Clock::start()?;
    let part = read_letor(file, &ReadOptions::default())?;
    let (wall, cpu) = clock.stop()?;
    Ok(json!({
        "wall": wall, "cpu": cpu, "megabytes": fs::metadata(file)?.len() as f64 / 1e6,
        "matrix": matrix_megabytes(&part.data), "documents": part.data.documents(),
    }))
}

/// Opens a collection from its cache. `cached` is false if this call filled the cache, which takes
/// longer.
fn open(file: &str, folder: &str) -> Result<Value> {
    let source = Source { path: Some(file.into()), layout: Some("one-file".to_owned()), ..Source::default() };
    let cache = Cache::new(folder);
    let clock = Clock::start()?;
    let opened = open_cached(&source, &[], Some(&cache))?;
    let (wall, cpu) = clock.stop()?;
    let cached = matches!(opened.cache, CacheUse::Read(_));
    Ok(json!({"wall": wall, "cpu": cpu, "matrix": matrix_megabytes(&opened.all), "cached": cached}))
}

fn matrix_megabytes(data: &Dataset) -> f64 {
    (data.documents() * data.width() * size_of::<f32>()) as f64 / 1e6
}

fn bin(file: &Path, bins: usize) -> Result<Value> {
    let data = read_letor(file, &ReadOptions::default())?.data;
    let rows = Rows::new(data.queries().map(|query| query.view().features()).collect(), data.width());
    let clock = Clock::start()?;
    let binned = BinnedMatrix::new(&rows, bins);
    let (wall, cpu) = clock.stop()?;
    Ok(json!({"wall": wall, "cpu": cpu, "documents": binned.len()}))
}

/// The ranker of this name with parameters as NAME=VALUE.
fn named(name: &str, params: &[&str]) -> Result<Box<dyn DynRanker>> {
    let entry = RANKERS.iter().find(|entry| entry.name == name).ok_or("no such ranker")?;
    let text: String = params.iter().map(|param| format!("{}\n", param.replacen('=', " = ", 1))).collect();
    Ok(entry.parse(DeTable::parse(&text)?)?)
}

/// Fits, then scores the test part. `score_wall` and `score_cpu` are the times of scoring.
fn train(
    ranker: &dyn DynRanker,
    seed: Seed,
    train: &Path,
    test: Option<&Path>,
    scores_to: Option<&Path>,
) -> Result<Value> {
    let train = read_letor(train, &ReadOptions::default())?.data;
    let test = test.map(|file| read_letor(file, &ReadOptions::default())).transpose()?.map(|part| part.data);
    let clock = Clock::start()?;
    let model = ranker.fit(&train, &FitContext::new(seed))?;
    let (wall, cpu) = clock.stop()?;
    let mut measured = json!({
        "wall": wall, "cpu": cpu, "documents": train.documents(), "matrix": matrix_megabytes(&train),
        "params": ranker.params(),
    });
    if let Some(test) = test {
        let bounds = test.bounds();
        let mut scores = vec![0.0; test.documents()];
        let clock = Clock::start()?;
        for (query, rows) in test.queries().zip(bounds.windows(2)) {
            model.score(query.view(), &mut scores[rows[0]..rows[1]]);
        }
        let (wall, cpu) = clock.stop()?;
        measured["score_wall"] = json!(wall);
        measured["score_cpu"] = json!(cpu);
        if let Some(path) = scores_to {
            fs::write(path, scores.iter().flat_map(|score| score.to_le_bytes()).collect::<Vec<u8>>())?;
        }
    }
    Ok(measured)
}

/// Evaluates queries of `documents` documents each: nDCG at five cutoffs and AP in three versions,
/// or only nDCG@10 and AP.
fn evaluate(grades: &str, scores: &str, documents: usize, all: bool) -> Result<Value> {
    let (grades, scores) = (fs::read(grades)?, clock::floats(Path::new(scores))?);
    let (bases, versions): (&[&str], &[Version]) = if all {
        let versions = &[Version::Original, Version::V1, Version::V2];
        (&["ndcg@5", "ndcg@10", "ndcg@15", "ndcg@20", "ndcg@30", "ap"], versions)
    } else {
        (&["ndcg@10", "ap"], &[Version::Original])
    };
    let mut specs: Vec<MeasureSpec> = Vec::new();
    for base in bases {
        let base: MeasureSpec = base.parse()?;
        specs.extend(versions.iter().map(|version| base.with_version(*version)));
    }
    let max_grade = grades.iter().copied().max().unwrap_or(0);
    let evaluator = Evaluator::new(&specs, &dialect("paper")?.conventions(), max_grade, Seed::new(1))?;
    let judging = Clock::start()?;
    let judged = grades
        .chunks(documents)
        .enumerate()
        .map(|(number, grades)| evaluator.judge(&number.to_string(), grades, None))
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let (_, judge_cpu) = judging.stop()?;
    let (mut scratch, mut values) = (Scratch::default(), vec![0.0; specs.len()]);
    let mut sums = vec![0.0; specs.len()];
    let (wall, cpu) = clock::often(|| {
        sums.fill(0.0);
        for (judged, scores) in judged.iter().zip(scores.chunks(documents)) {
            evaluator.evaluate(judged, scores, &mut scratch, &mut values)?;
            sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += if value.is_nan() { 0.0 } else { *value });
        }
        Ok(())
    })?;
    let means: serde_json::Map<String, Value> = evaluator
        .names()
        .iter()
        .zip(&sums)
        .map(|(name, sum)| (name.clone(), json!(sum / judged.len() as f64)))
        .collect();
    Ok(json!({"wall": wall, "cpu": cpu, "judge_cpu": judge_cpu, "documents": scores.len(), "means": means}))
}

/// The sizes of the queries of `data`, in order.
fn sizes(data: &Dataset) -> impl Iterator<Item = u32> {
    data.queries().map(|query: JudgedQuery<'_>| query.len() as u32)
}
