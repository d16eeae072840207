//! Compares the closed forms for exchanges of two documents with the values of the exchanged
//! rankings, for every registered measure.
#![allow(clippy::unwrap_used)]

use fivefold_base::Seed;
use fivefold_metrics::entry::Cutoffs;
use fivefold_metrics::{Evaluator, MEASURES, MeasureSpec, Scratch, Version, dialect};

#[test]
fn changes_are_those_of_the_exchanged_ranking() {
    let mut rng = Seed::new(3).rng();
    let conventions = dialect("paper").unwrap().conventions();
    let (mut compared, mut products) = (0, 0);
    for entry in MEASURES {
        let cutoffs: &[Option<usize>] = match entry.cutoffs {
            Cutoffs::Optional => &[None, Some(1), Some(3), Some(20)],
            Cutoffs::Required => &[Some(1), Some(3)],
            _ => &[None],
        };
        for (cutoff, version) in
            cutoffs.iter().flat_map(|k| [Version::Original, Version::V1, Version::V2].map(|v| (k, v)))
        {
            let name = cutoff.map_or(entry.name.to_owned(), |k| format!("{}@{k}", entry.name));
            let spec = name.parse::<MeasureSpec>().unwrap().with_version(version);
            if spec.check().is_err() {
                assert!(entry.no_ue.is_some());
                continue;
            }
            let evaluator = Evaluator::new(&[spec], &conventions, 4, Seed::new(1)).unwrap();
            for _ in 0..20 {
                let n = 1 + rng.index(8);
                let grades: Vec<u8> = (0..n).map(|_| rng.below(5) as u8 * u8::from(rng.uniform() < 0.6)).collect();
                let query = evaluator.judge("q", &grades, None).unwrap();
                let falling: Vec<f64> = (0..n).map(|i| -(i as f64)).collect();
                let mut scratch = Scratch::default();
                let mut value = |scores: &[f64]| {
                    let mut out = [0.0];
                    evaluator.evaluate(&query, scores, &mut scratch, &mut out).unwrap();
                    out[0]
                };
                let before = value(&falling);
                let Some(exchanges) = evaluator.exchanges(&query, 0, &grades, &mut Scratch::default()) else {
                    assert!(before.is_nan());
                    continue;
                };
                assert!((exchanges.value() - before).abs() < 1e-12);
                let (mut gains, mut discounts) = (Vec::new(), Vec::new());
                let unit = exchanges.factors(&mut gains, &mut discounts);
                for first in 0..n {
                    let mut changes = vec![f64::NAN; n - first - 1];
                    exchanges.changes(first, &mut changes);
                    for (later, change) in (first + 1..).zip(changes) {
                        let mut exchanged = falling.clone();
                        exchanged.swap(first, later);
                        if let Some(unit) = unit {
                            let product = (gains[later] - gains[first]) * (discounts[first] - discounts[later]) * unit;
                            assert_eq!(product.to_bits(), change.to_bits());
                            products += 1;
                        }
                        let expected = value(&exchanged) - before;
                        let name = &evaluator.names()[0];
                        assert!(
                            (change - expected).abs() < 1e-12,
                            "{name} {grades:?} {first} {later}: {change} {expected}"
                        );
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 5000 && products > 500, "{compared} {products}");
}
