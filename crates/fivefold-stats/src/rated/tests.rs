use super::*;

const ITEMS: usize = 5;
/// `[system][item]`: two metrics and ratings.
#[rustfmt::skip]
const X: [f64; 20] = [
    0.25, 0.5, 0.5, 0.125, 0.75, 0.5, 0.5, 0.25, 0.375, 0.625,
    0.375, 0.25, 0.75, 0.5, 0.5, 0.125, 0.375, 0.5, 0.25, 0.75,
];
#[rustfmt::skip]
const Y: [f64; 20] = [
    0.1, 0.6, 0.3, 0.2, 0.9, 0.7, 0.4, 0.2, 0.5, 0.8,
    0.3, 0.3, 0.6, 0.4, 0.7, 0.2, 0.5, 0.5, 0.1, 0.6,
];
#[rustfmt::skip]
const Z: [f64; 20] = [
    2.0, 3.0, 3.0, 1.0, 4.0, 4.0, 3.0, 1.0, 1.0, 5.0,
    3.0, 2.0, 4.0, 1.0, 3.0, 1.0, 2.0, 3.0, 1.0, 5.0,
];

fn rated(ratings: &[f64]) -> RatedItems {
    RatedItems::new(ratings, ITEMS).unwrap()
}

fn levels_and_coefficients() -> impl Iterator<Item = (CorrelationLevel, Coefficient)> {
    CorrelationLevel::ALL.into_iter().flat_map(|level| Coefficient::ALL.map(|coefficient| (level, coefficient)))
}

/// nlpstats 0.0.1, by the first author of Deutsch, Dror & Roth (2021), whose levels are "system",
/// "input" and "global":
///
/// ```python
/// from nlpstats.correlations.correlations import correlate
/// X, Y, Z = (np.array(m).reshape(4, 5) for m in (X, Y, Z))
/// for level in ("system", "input", "global"):
///     for c in ("kendall", "spearman", "pearson"):
///         print([correlate(M, Z, level, c) for M in (X, Y)])
/// ```
#[test]
fn correlations_are_those_of_nlpstats() {
    let expected = [
        [0.5477225575051662, 0.9128709291752769],
        [0.632455532033676, 0.9486832980505139],
        [0.6324555320336764, 0.9570202978345286],
        [0.8236067977499789, 0.4513029251176878],
        [0.8607022603955159, 0.49626959571814494],
        [0.8785565492203756, 0.5043605755962027],
        [0.7573172464461019, 0.6233549779791838],
        [0.842778407995043, 0.7605520761154243],
        [0.8339078479367936, 0.7451300209232177],
    ];
    let rated = rated(&Z);
    for ((level, coefficient), expected) in levels_and_coefficients().zip(expected) {
        for (scores, expected) in [X, Y].iter().zip(expected) {
            let found = rated.correlation(scores, level, coefficient).unwrap();
            let value = found.value.unwrap();
            assert!((value - expected).abs() < 1e-12, "{level:?} {coefficient}: {value} for {expected}");
            // All ratings of the fourth item are 1.
            let points = match level {
                CorrelationLevel::System => (4, 0),
                CorrelationLevel::Item => (4, 1),
                CorrelationLevel::Pooled => (20, 0),
            };
            assert_eq!((found.points, found.left_out), points);
        }
    }
}

/// The level's definition, on lists that are written out: `[system][item]`, NaN for no rating.
fn definition(scores: &[Vec<f64>], ratings: &[Vec<f64>], level: CorrelationLevel, of: Coefficient) -> Option<f64> {
    let pairs = |places: Vec<(usize, usize)>| -> [Vec<f64>; 2] {
        let rated: Vec<_> = places.into_iter().filter(|&(s, i)| !ratings[s][i].is_nan()).collect();
        [scores, ratings].map(|list| rated.iter().map(|&(s, i)| list[s][i]).collect())
    };
    let (systems, items) = (scores.len(), scores[0].len());
    let coefficient = |[x, y]: [Vec<f64>; 2]| of.of(&x, &y).unwrap();
    match level {
        CorrelationLevel::Pooled => {
            coefficient(pairs((0..systems).flat_map(|s| (0..items).map(move |i| (s, i))).collect()))
        }
        CorrelationLevel::Item => {
            let own: Vec<f64> =
                (0..items).filter_map(|i| coefficient(pairs((0..systems).map(|s| (s, i)).collect()))).collect();
            (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
        }
        CorrelationLevel::System => {
            let mean = |list: &Vec<f64>| list.iter().sum::<f64>() / list.len() as f64;
            let of_systems = (0..systems).map(|s| pairs((0..items).map(|i| (s, i)).collect()));
            let means: Vec<[f64; 2]> =
                of_systems.filter(|own| !own[0].is_empty()).map(|own| own.each_ref().map(mean)).collect();
            coefficient([0, 1].map(|axis| means.iter().map(|own| own[axis]).collect()))
        }
    }
}

fn rows(list: &[f64]) -> Vec<Vec<f64>> {
    list.chunks(ITEMS).map(<[f64]>::to_vec).collect()
}

/// Some ratings are missing: one system lacks an item, and nobody rated the last item.
fn with_gaps() -> [f64; 20] {
    let mut ratings = Z;
    [2, 4, 9, 14, 19].into_iter().for_each(|place| ratings[place] = f64::NAN);
    ratings
}

#[test]
fn correlations_with_gaps_are_the_definition() {
    let ratings = with_gaps();
    for (level, coefficient) in levels_and_coefficients() {
        let found = rated(&ratings).correlation(&X, level, coefficient).unwrap();
        let expected = definition(&rows(&X), &rows(&ratings), level, coefficient).unwrap();
        assert!((found.value.unwrap() - expected).abs() < 1e-12, "{level:?} {coefficient}");
        // The fourth item is constant. The last item has no rating, and is not left out but unrated.
        assert_eq!(found.left_out, usize::from(level == CorrelationLevel::Item));
    }
}

/// The interval, if the drawn items are written out.
#[test]
fn the_bootstrap_copies_items() {
    let ratings = with_gaps();
    let options = TestOptions { draws: 400, seed: Seed::new(3), confidence: 0.9 };
    for (level, coefficient) in levels_and_coefficients() {
        let found = rated(&ratings).difference(&X, &Y, level, coefficient, Exchange::Both, &options).unwrap();
        let mut drawn = Vec::new();
        for draw in 0..400 {
            let mut rng = options.seed.derive("rated bootstrap").derive_index("draw", draw).rng();
            let items: Vec<usize> = (0..ITEMS).map(|_| rng.index(ITEMS)).collect();
            let copy = |list: &[f64]| -> Vec<Vec<f64>> {
                rows(list).iter().map(|own| items.iter().map(|&item| own[item]).collect()).collect()
            };
            let of = |scores: &[f64]| definition(&copy(scores), &copy(&ratings), level, coefficient);
            drawn.extend(of(&X).zip(of(&Y)).map(|(x, y)| x - y));
        }
        drawn.sort_by(f64::total_cmp);
        assert_eq!(found.draws, drawn.len(), "{level:?} {coefficient}");
        let (low, high) = found.interval.unwrap();
        assert!((low - quantile(&drawn, 0.05)).abs() < 1e-12 && (high - quantile(&drawn, 0.95)).abs() < 1e-12);
    }
}

/// The share of all exchanges, each enumerated, whose difference is as large as the observed one.
fn enumerated(level: CorrelationLevel, coefficient: Coefficient, exchange: Exchange) -> f64 {
    let standard = |list: &[f64]| -> Vec<f64> {
        let n = list.len() as f64;
        let mean = list.iter().sum::<f64>() / n;
        let deviation = (list.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
        list.iter().map(|x| (x - mean) / deviation).collect()
    };
    let (x, y, z) = (standard(&X), standard(&Y), rows(&Z));
    let difference = |coins: u32| {
        let exchanged = |place: usize| {
            let (system, item) = (place / ITEMS, place % ITEMS);
            let by_system = exchange != Exchange::Items && coins >> system & 1 == 1;
            let by_item = exchange != Exchange::Systems && coins >> (4 + item) & 1 == 1;
            by_system != by_item
        };
        let take = |own: &[f64], other: &[f64]| -> Vec<Vec<f64>> {
            rows(&(0..20).map(|place| if exchanged(place) { other[place] } else { own[place] }).collect::<Vec<_>>())
        };
        let [first, second] = [take(&x, &y), take(&y, &x)].map(|own| definition(&own, &z, level, coefficient));
        Some(first? - second?)
    };
    let observed = difference(0).unwrap().abs();
    let all: Vec<f64> = (0..1 << 9).filter_map(difference).collect();
    all.iter().filter(|value| value.abs() >= observed - 1e-9).count() as f64 / all.len() as f64
}

/// nlpstats 0.0.1, 20,000 draws of `permutation_test(X, Y, Z, level, "pearson", method)`: system
/// .347 (both), .372 (inputs), .243 (systems); input .0305 (both), .126 (inputs).
#[test]
fn the_permutation_test_samples_all_exchanges() {
    for (level, exchange, expected) in [
        (CorrelationLevel::System, Exchange::Both, 0.34665),
        (CorrelationLevel::System, Exchange::Items, 0.37235),
        (CorrelationLevel::System, Exchange::Systems, 0.24275),
        (CorrelationLevel::Item, Exchange::Both, 0.03045),
        (CorrelationLevel::Item, Exchange::Items, 0.1262),
    ] {
        let found = enumerated(level, Coefficient::Pearson, exchange);
        let error = (expected * (1.0 - expected) / 20_000.0f64).sqrt();
        assert!((found - expected).abs() < 4.0 * error + 1e-4, "{level:?} {exchange:?}: {found} for {expected}");
    }
    let options = TestOptions { draws: 4000, seed: Seed::new(11), ..TestOptions::default() };
    for (level, coefficient) in levels_and_coefficients() {
        for exchange in Exchange::ALL {
            let found = rated(&Z).difference(&X, &Y, level, coefficient, exchange, &options).unwrap();
            let expected = enumerated(level, coefficient, exchange);
            let error = (expected * (1.0 - expected) / 4000.0f64).sqrt();
            let p = found.p.unwrap();
            assert!((p - expected).abs() < 4.0 * error + 1e-3, "{level:?} {coefficient} {exchange:?}: {p} {expected}");
        }
    }
}

#[test]
fn williams_test_is_that_of_the_points() {
    let options = TestOptions { draws: 10, ..TestOptions::default() };
    let of = |level, coefficient| rated(&Z).difference(&X, &Y, level, coefficient, Exchange::Both, &options).unwrap();
    let pooled = of(CorrelationLevel::Pooled, Coefficient::Pearson).williams.unwrap();
    let r = |a: &[f64], b: &[f64]| crate::pearson(a, b).unwrap().unwrap();
    let expected = williams(r(&X, &Z), r(&Y, &Z), r(&X, &Y), 20).unwrap().unwrap();
    assert!((pooled.t - expected.t).abs() < 1e-10 && pooled.degrees == 17.0, "{pooled:?} {expected:?}");
    assert_eq!(of(CorrelationLevel::System, Coefficient::Spearman).williams.unwrap().degrees, 1.0);
    assert_eq!(of(CorrelationLevel::Pooled, Coefficient::Kendall).williams, None);
    assert_eq!(of(CorrelationLevel::Item, Coefficient::Pearson).williams, None);
}

#[test]
fn a_metric_that_is_the_rating_has_one_and_its_negative_minus_one() {
    let ratings = with_gaps();
    let settled = ratings.map(|rating| if rating.is_nan() { 9.0 } else { rating });
    for (level, coefficient) in levels_and_coefficients() {
        let of = |scores: &[f64]| rated(&ratings).correlation(scores, level, coefficient).unwrap().value.unwrap();
        assert!((of(&settled) - 1.0).abs() < 1e-12 && (of(&settled.map(|x| -x)) + 1.0).abs() < 1e-12);
        // A metric that rises with the rating within each item, whatever the items: fact 1 of UE.
        let rising: Vec<f64> = (0..20).map(|place| X[place] * (1 + place % ITEMS) as f64 - 3.0).collect();
        if level == CorrelationLevel::Item && coefficient != Coefficient::Pearson {
            assert!((of(&rising) - of(&X)).abs() < 1e-12, "{coefficient}");
        }
    }
}

#[test]
fn equal_metrics_do_not_differ() {
    let options = TestOptions { draws: 100, ..TestOptions::default() };
    for (level, coefficient) in levels_and_coefficients() {
        let found = rated(&Z).difference(&X, &X, level, coefficient, Exchange::Both, &options).unwrap();
        assert_eq!((found.difference, found.interval, found.p), (Some(0.0), Some((0.0, 0.0)), Some(1.0)));
        let constant = rated(&Z).difference(&X, &[0.5; 20], level, coefficient, Exchange::Both, &options).unwrap();
        assert_eq!((constant.difference, constant.interval, constant.p), (None, None, None));
    }
}

#[test]
fn wrong_input_is_refused() {
    let error = rated(&Z).correlation(&X[1..], CorrelationLevel::Item, Coefficient::Kendall).unwrap_err();
    assert_eq!(error, StatsError::LengthMismatch { first: 19, second: 20 });
    assert!(RatedItems::new(&Z, 3).is_err() && RatedItems::new(&[f64::INFINITY], 1).is_err());
    let mut scores = X;
    scores[3] = f64::NAN;
    assert!(rated(&Z).correlation(&scores, CorrelationLevel::Item, Coefficient::Kendall).is_err());
    let options = TestOptions { draws: 0, ..TestOptions::default() };
    let none = rated(&Z).difference(&X, &Y, CorrelationLevel::Item, Coefficient::Kendall, Exchange::Both, &options);
    assert!(none.is_err());
}
