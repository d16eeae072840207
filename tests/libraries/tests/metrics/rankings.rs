//! Compares the values of rankings that change one position at a time with those of whole rankings,
//! for every registered measure.
#![allow(clippy::unwrap_used)]

use fivefold_base::{Dataset, Seed};
use fivefold_metrics::{MEASURES, MeasureSpec, Objective, Scratch, dialect};

#[test]
fn values_after_each_change_are_those_of_the_whole_ranking_to_the_bit() {
    let mut rng = Seed::new(5).rng();
    let conventions = dialect("paper").unwrap().conventions();
    let (mut compared, mut undefined) = (0, 0);
    let specs = MEASURES.iter().flat_map(|entry| {
        let versions = ["", ".v1", ".v2"].iter().flat_map(|v| ["", "@1", "@3", "@10"].map(|cutoff| (v, cutoff)));
        versions.filter_map(|(version, cutoff)| format!("{}{version}{cutoff}", entry.name).parse::<MeasureSpec>().ok())
    });
    for spec in specs {
        let grades: [Vec<u8>; 3] = [1, 7, 25].map(|n| (0..n).map(|_| rng.below(4) as u8).collect());
        let features = grades.each_ref().map(|grades| vec![0.0; grades.len()]);
        let queries = features.iter().zip(&grades).map(|(features, grades)| (&features[..], &grades[..]));
        let data = Dataset::of_queries(1, queries).unwrap();
        let Ok(objective) = Objective::new(&spec, &conventions, &data, Seed::new(1)) else { continue };
        let mut rankings = objective.rankings();
        let mut scratch = Scratch::default();
        for (query, grades) in grades.iter().enumerate() {
            let mut ranking = grades.clone();
            rng.shuffle(&mut ranking);
            rankings.begin(query, ranking.iter().copied());
            for _ in 0..30 {
                let value = rankings.value();
                let expected = objective.exchanges(query, &ranking, &mut scratch).map(|ranked| ranked.value());
                match expected {
                    Some(expected) => assert_eq!(value.to_bits(), expected.to_bits(), "{spec} {ranking:?}"),
                    None => assert!(value.is_nan(), "{spec} {ranking:?}"),
                }
                compared += 1;
                undefined += usize::from(expected.is_none());
                for _ in 0..1 + rng.index(2) {
                    let (one, other) = (rng.index(ranking.len()), rng.index(ranking.len()));
                    ranking.swap(one, other);
                    for position in [one, other] {
                        rankings.put(position, ranking[position]);
                        assert_eq!(rankings.grade(position), ranking[position]);
                    }
                }
            }
        }
    }
    assert!(compared > 10_000 && undefined > 100 && undefined < compared / 2, "{compared} {undefined}");
}
