//! Documents a second on one core for the paper's measures: nDCG at five cutoffs and AP, original, V1 and V2, ties averaged.
//!
//! `cargo run --release -p fivefold-metrics --example eval_speed`. Queries have 119 documents on average, as MSLR-WEB30K;
//! queries are judged beforehand, since all rankers share that. The fastest
//! of some rounds counts, so that other work on the machine disturbs less.

use std::time::Instant;

use fivefold_core::Seed;
use fivefold_metrics::{Evaluator, MeasureSpec, Scratch, Version, dialect};

const QUERIES: usize = 2_000;
const ROUNDS: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut specs: Vec<MeasureSpec> = Vec::new();
    for base in ["ndcg@5", "ndcg@10", "ndcg@15", "ndcg@20", "ndcg@30", "ap"] {
        let base: MeasureSpec = base.parse()?;
        specs.extend([Version::Original, Version::V1, Version::V2].map(|version| base.with_version(version)));
    }
    let evaluator = Evaluator::new(&specs, &(dialect("paper")?.conventions)(), 4, Seed::new(1))?;
    let mut rng = Seed::new(7).rng();
    // Continuous scores without ties, and scores on a grid of 20 values with many.
    for (kind, steps) in [("no ties", None), ("many ties", Some(20.0))] {
        let mut queries = Vec::new();
        for query in 0..QUERIES {
            let documents = 60 + rng.index(119);
            let grades: Vec<u8> = (0..documents).map(|_| [0, 0, 0, 0, 0, 1, 1, 1, 2, 4][rng.index(10)]).collect();
            let score = |noise: f64, grade: u8| {
                let score = noise + 0.2 * f64::from(grade);
                steps.map_or(score, |steps| (score * steps).floor())
            };
            let scores: Vec<f64> = grades.iter().map(|&grade| score(rng.uniform(), grade)).collect();
            queries.push((evaluator.judge(&query.to_string(), &grades, None)?, scores));
        }
        let documents: usize = queries.iter().map(|(_, scores)| scores.len()).sum();
        let (mut scratch, mut values, mut total) = (Scratch::default(), vec![0.0; specs.len()], 0.0);
        let mut fastest = f64::INFINITY;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for (judged, scores) in &queries {
                evaluator.evaluate(judged, scores, &mut scratch, &mut values)?;
                total += values[0];
            }
            fastest = fastest.min(start.elapsed().as_secs_f64());
        }
        let rate = documents as f64 / fastest;
        println!(
            "{kind}: {:.1} million documents a second (mean ndcg@5 {:.4})",
            rate / 1e6,
            total / (ROUNDS * QUERIES) as f64
        );
    }
    Ok(())
}
