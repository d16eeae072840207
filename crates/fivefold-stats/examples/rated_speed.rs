//! Times the comparison of two metrics' correlations with people: 12 systems x 100 items, then 1,200
//! items, with 1,000 draws of the bootstrap and of the permutation test.
//!
//! `cargo run --release -p fivefold-stats --example rated_speed`

use std::time::Instant;

use fivefold_stats::{Coefficient, CorrelationLevel, Exchange, RatedItems, Seed, TestOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (systems, items) in [(12, 100), (12, 1200), (129, 50)] {
        let mut rng = Seed::new(7).rng();
        let cells = systems * items;
        let ratings: Vec<f64> = (0..cells).map(|_| rng.below(13) as f64 / 3.0).collect();
        let noisy = |scale: f64, rng: &mut fivefold_base::Rng| -> Vec<f64> {
            ratings.iter().map(|rating| rating / 13.0 + scale * rng.normal()).collect()
        };
        let (first, second) = (noisy(0.3, &mut rng), noisy(0.4, &mut rng));
        let rated = RatedItems::new(&ratings, items)?;
        for level in CorrelationLevel::ALL {
            for coefficient in Coefficient::ALL {
                let start = Instant::now();
                let options = TestOptions::default();
                let found = rated.difference(&first, &second, level, coefficient, Exchange::Both, &options)?;
                let seconds = start.elapsed().as_secs_f64();
                let (p, name) = (found.p.unwrap_or(f64::NAN), level.name());
                println!("{systems} x {items}, {name}, {coefficient}: {seconds:.3} s (p = {p:.3})");
            }
        }
    }
    Ok(())
}
