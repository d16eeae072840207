//! `cargo bench` measures the time of a fit and of scoring all documents.

use std::hint::black_box;
use std::time::Instant;

use example_ranker::ExampleRanker;
use fivefold_core::conformance::data::signal_in_order;
use fivefold_core::{FitContext, Model as _, Ranker as _, Seed};

fn main() {
    // 12 documents a query.
    let data = signal_in_order(1000, 1);
    let context = FitContext::new(Seed::new(1));
    let ranker = ExampleRanker::default();
    let model = match ranker.fit(&data, &context) {
        Ok(model) => model,
        Err(error) => return eprintln!("no fit: {error}"),
    };
    // The best of several runs is the one that the rest of the machine disturbed least.
    let best = |work: &dyn Fn()| {
        let time = |_| {
            let start = Instant::now();
            work();
            start.elapsed()
        };
        (0..10).map(time).min().unwrap_or_default()
    };
    let fit = best(&|| {
        let _ = black_box(ranker.fit(&data, &context));
    });
    let score = best(&|| {
        for query in data.queries() {
            let mut scores = vec![0.0; query.len()];
            model.score(query.view(), &mut scores);
            black_box(&scores);
        }
    });
    println!("{} documents: fit {fit:.2?}, scoring {score:.2?}", data.documents());
}
