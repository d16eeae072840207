//! Speed and quality of LambdaMART with LightGBM's settings, on a synthetic collection with the
//! shape of MSLR-WEB30K.
//!
//! ```text
//! cargo run --release -p fivefold-rankers --example lambdamart_speed -- [queries] [trees] [leaves] [threads]
//! ```
//! 2,000 queries have about 240,000 documents. Prints milliseconds of wall time, and of CPU time of
//! the whole process from Linux's /proc (a dash on other systems).

use std::error::Error;
use std::time::Instant;

use fivefold_core::{Dataset, FitContext, Model, Ranker, Seed};
use fivefold_data::synthetic;
use fivefold_metrics::{DIALECTS, Objective, Scratch};
use fivefold_rankers::lambdamart::LambdaMart;
use fivefold_trees::{BinnedMatrix, Rows};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<usize> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let argument = |place: usize, default: usize| arguments.get(place).copied().unwrap_or(default);
    let (queries, trees, leaves, threads) = (argument(0, 2000), argument(1, 100), argument(2, 31), argument(3, 1));
    let all = synthetic::make(synthetic::shape("mslr-web30k")?, queries + queries / 3, Seed::new(1))?;
    let (train, test) = (all.slice(0..queries), all.slice(queries..all.len()));
    println!("{} documents to train on, {} to test on, {} features", train.documents(), test.documents(), all.width());
    rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(|| measure(&train, &test, trees, leaves))
}

fn measure(train: &Dataset, test: &Dataset, trees: usize, leaves: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    let rows = Rows::new(train.queries().map(|query| query.view().features()).collect(), train.width());
    let (_, binning) = timed("binning", 1, || BinnedMatrix::new(&rows, 255));
    let ranker = LambdaMart { trees, leaves, learning_rate: 0.1, early_stopping: 0, ..LambdaMart::default() };
    let context = FitContext::new(Seed::new(1));
    let (model, fit) = timed("fit with binning, a tree", trees, || ranker.fit(train, &context));
    let model = model?;
    if let (Some(binning), Some(fit)) = (binning, fit) {
        println!("fit without binning, a tree: CPU {:.1} ms", (fit - binning) / trees as f64);
    }
    let bounds = test.bounds();
    let mut scores = vec![0.0; test.documents()];
    timed("scoring the test part", 1, || {
        for (number, query) in test.queries().enumerate() {
            model.score(query.view(), &mut scores[bounds[number]..bounds[number + 1]]);
        }
    });
    let objective = Objective::new(&"ndcg@10".parse()?, &DIALECTS[0].conventions(), test, Seed::new(1))?;
    println!("test ndcg@10: {:.4}", objective.mean(&scores, &mut Scratch::default())?);
    Ok(())
}

/// Runs `work`, prints its time divided by `parts`, and returns its CPU milliseconds.
fn timed<T>(what: &str, parts: usize, work: impl FnOnce() -> T) -> (T, Option<f64>) {
    let (wall, cpu) = (Instant::now(), cpu_milliseconds());
    let result = work();
    let (wall, parts) = (wall.elapsed().as_secs_f64() * 1e3, parts as f64);
    let cpu = cpu_milliseconds().zip(cpu).map(|(after, before)| after - before);
    let cpu_text = cpu.map_or("-".to_owned(), |cpu| format!("{:.1} ms", cpu / parts));
    println!("{what}: wall {:.1} ms, CPU {cpu_text}", wall / parts);
    (result, cpu)
}

/// CPU time of all threads so far.
fn cpu_milliseconds() -> Option<f64> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let nanoseconds = |task: std::fs::DirEntry| -> Option<f64> {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    Some(tasks.flatten().filter_map(nanoseconds).sum::<f64>() / 1e6)
}
