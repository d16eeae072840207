use std::cell::Cell;
use std::slice;

use fivefold_core::Seed;
use fivefold_metrics::{MEASURES, MeasureSpec, dialect};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::test_data::{rows, signal_in_order};

/// Queries of the property test; each is tried with every measure.
const CASES: u32 = 96;

fn objective(measure: &MeasureSpec, data: &Dataset) -> Objective {
    Objective::new(measure, &dialect("paper").unwrap().conventions(), data, Seed::new(1)).unwrap()
}

/// The best objective over all intervals, by evaluation at the middle of each interval.
fn brute_force(data: &Dataset, objective: &Objective, scores: &[f64], column: &[f64]) -> f64 {
    let mut places = Vec::new();
    for query in 0..data.len() {
        for a in objective.rows(query) {
            for b in objective.rows(query).filter(|&b| column[b] != column[a]) {
                places.push((scores[a] - scores[b]) / (column[b] - column[a]));
            }
        }
    }
    places.sort_by(f64::total_cmp);
    let outside = [places[0] - 1.0, places[places.len() - 1] + 1.0];
    let middles = places.windows(2).map(|pair| pair[0] + (pair[1] - pair[0]) / 2.0);
    middles.chain(outside).map(|t| at(objective, scores, column, t)).fold(f64::NEG_INFINITY, f64::max)
}

fn best_change(search: &ExactSearch<'_>, scores: &[f64], column: &[f64]) -> Option<f64> {
    search.best_change(&search.stand_at(scores.to_vec()), column, &FitContext::new(Seed::new(1))).unwrap()
}

fn at(objective: &Objective, scores: &[f64], column: &[f64], t: f64) -> f64 {
    let moved: Vec<f64> = scores.iter().zip(column).map(|(s, x)| s + t * x).collect();
    objective.mean(&moved, &mut Scratch::default()).unwrap()
}

#[test]
fn finds_the_best_of_all_intervals() {
    let data = signal_in_order(6, 9);
    let mut rng = Seed::new(2).rng();
    let mut better = 0;
    for name in ["ndcg@3", "ndcg@10", "ndcg", "dcg.v1@5", "ap.v2@4", "err", "rr", "p@2", "meanndcg", "wta"] {
        let measure: MeasureSpec = name.parse().unwrap();
        let objective = objective(&measure, &data);
        let search = ExactSearch::new(&data, &objective, measure.cutoff());
        for _ in 0..20 {
            let scores: Vec<f64> = (0..data.documents()).map(|_| rng.normal()).collect();
            // There are few values, so many crossings coincide and many documents never cross.
            let column: Vec<f64> = (0..data.documents()).map(|_| rng.below(5) as f64).collect();
            let best = brute_force(&data, &objective, &scores, &column);
            let now = at(&objective, &scores, &column, 0.0);
            match best_change(&search, &scores, &column) {
                Some(t) => {
                    let found = at(&objective, &scores, &column, t);
                    assert!((found - best).abs() < 1e-9, "{name}: {found} at {t}, best {best}, now {now}");
                    better += 1;
                }
                None => assert!(best <= now + 1e-9, "{name}: nothing found, but {best} is above {now}"),
            }
        }
    }
    assert!(better > 100, "{better}");
}

/// The changes of a query's value by definition: all documents cross all others, every rank is a
/// count over all crossings, and the measure is evaluated after each crossing.
fn changes_by_definition(search: &ExactSearch<'_>, query: &SweptQuery, s: &[f64], x: &[f64]) -> Vec<Change> {
    let n = s.len();
    let t = |row: usize, other: usize| (s[row] - s[other]) / (x[other] - x[row]) + 0.0;
    let others = |row: usize| (0..n).filter(move |&other| x[other] != x[row]);
    let value_after = |place: f64| {
        let mut ranking = vec![query.background; n];
        for row in (0..n).filter(|&row| query.grades[row] != query.background) {
            let same = (0..n).filter(|&other| x[other] == x[row]);
            let above = same.filter(|&other| s[other] > s[row] || (s[other] == s[row] && other < row)).count();
            let crossed = |other: &usize| (x[*other] > x[row]) == (t(row, *other) <= place);
            let rank = above + others(row).filter(crossed).count();
            if rank < search.depth {
                ranking[rank] = query.grades[row];
            }
        }
        search.objective.exchanges(query.number, &ranking, &mut Scratch::default()).unwrap().value()
    };
    let mut places: Vec<f64> = (0..n).flat_map(|row| others(row).map(move |other| t(row, other))).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let mut value = value_after(f64::NEG_INFINITY);
    let mut changes = Vec::new();
    for t in places {
        let now = value_after(t);
        if now != value {
            changes.push(Change { t, by: now - value });
            value = now;
        }
    }
    changes
}

/// The changes of a query's value, however they are found.
fn changes(search: &ExactSearch<'_>, query: &SweptQuery, present: &Present, column: &[f64]) -> Vec<Change> {
    let mut sweep = Sweep::new(search);
    sweep.add_changes(search, slice::from_ref(query), present, column, &FitContext::new(Seed::new(1))).unwrap();
    sweep.changes
}

fn is_swept_from_zero(search: &ExactSearch<'_>, query: &SweptQuery, present: &Present, column: &[f64]) -> bool {
    let mut sweep = Sweep::new(search);
    sweep.sweep_from_zero(search, slice::from_ref(query), present, column);
    sweep.front.events(0).is_some()
}

fn changes_over_crossings(search: &ExactSearch<'_>, query: &SweptQuery, scores: &[f64], column: &[f64]) -> Vec<Change> {
    let mut changes = Vec::new();
    let cx = FitContext::new(Seed::new(1));
    CrossingSweep::default().add_changes(search, query, scores, column, &cx, &mut changes).unwrap();
    changes
}

/// Both sweeps have the same changes to the bit; where no crossings tie, those of the definition.
#[test]
fn changes_are_those_of_the_definition() {
    let data = signal_in_order(9, 5);
    let mut rng = Seed::new(3).rng();
    let (mut found_changes, mut from_zero) = (0, 0);
    for name in ["ndcg@3", "ndcg@1", "ndcg@20", "ndcg", "ap.v2@4", "err@2", "rr", "p@2", "meanndcg"] {
        let measure: MeasureSpec = name.parse().unwrap();
        let objective = objective(&measure, &data);
        let search = ExactSearch::new(&data, &objective, measure.cutoff());
        for round in 0..30 {
            // Every third time there are few values: ties, documents that are alike, and many
            // crossings at one place.
            let mut draw = || if round % 3 == 0 { rng.below(4) as f64 } else { rng.normal() };
            let scores: Vec<f64> = (0..data.documents()).map(|_| draw()).collect();
            let column: Vec<f64> = (0..data.documents()).map(|_| draw()).collect();
            let present = search.stand_at(scores.clone());
            for query in &search.queries {
                let found = changes(&search, query, &present, &column);
                let rows = objective.rows(query.number);
                from_zero += usize::from(is_swept_from_zero(&search, query, &present, &column));
                let (scores, column) = (&scores[rows.clone()], &column[rows]);
                let expected = changes_over_crossings(&search, query, scores, column);
                assert_eq!(found, expected, "{name}, round {round}");
                if round % 3 > 0 {
                    assert_eq!(found, changes_by_definition(&search, query, scores, column), "{name}, round {round}");
                }
                found_changes += found.len();
            }
        }
    }
    assert!(found_changes > 10_000 && from_zero > 1_000, "{found_changes} {from_zero}");
}

/// The search without sweeps from t = 0.
fn best_change_over_all(search: &ExactSearch<'_>, scores: &[f64], column: &[f64]) -> Option<f64> {
    let mut changes = Vec::new();
    for query in &search.queries {
        let rows = search.objective.rows(query.number);
        changes.extend(changes_over_crossings(search, query, &scores[rows.clone()], &column[rows]));
    }
    changes.sort_unstable_by(|a, b| a.t.total_cmp(&b.t));
    interval::of_all(&changes, SAME * search.queries.len() as f64)
}

/// Documents of one query: grade, score and feature. Some queries have few numbers, so many crossings
/// lie at one place. Some have documents that are alike but for the last bits of a score, and some
/// have documents whose lines meet in one point but for rounding, so crossings tie by rounding. The
/// others have few ties, or a constant feature. Half of the queries are so short that some of them
/// have no tie above the cutoff.
fn query() -> impl Strategy<Value = Vec<(u8, f64, f64)>> {
    let number = |most: i32| (-most..=most).prop_map(f64::from);
    let few = move |n| vec((0..3u8, number(3), number(2)), n);
    let alike = move |n| {
        (vec((number(9), number(9)), 1..6), vec((0..3u8, any::<prop::sample::Index>(), 0..4u64), n)).prop_map(
            |(kinds, documents)| {
                let of_kind = |(grade, kind, bits): (u8, prop::sample::Index, u64)| {
                    let &(score, x) = kind.get(&kinds);
                    (grade, f64::from_bits((score / 3.0).to_bits() + bits), x)
                };
                documents.into_iter().map(of_kind).collect()
            },
        )
    };
    let bundle = move |n| {
        let documents = vec((0..3u8, number(9), any::<bool>(), number(1_000_000)), n);
        (number(9), number(9), documents).prop_map(|(height, place, documents)| {
            let (height, place) = (height / 3.0, place / 7.0);
            let line = |(grade, x, meets, other)| (grade, if meets { height - place * x } else { other / 1e5 }, x);
            documents.into_iter().map(line).collect()
        })
    };
    let many = move |n| vec((0..5u8, number(1_000_000), number(1_000_000)), n);
    let constant = move |n| vec((0..5u8, number(9), Just(2.0)), n);
    prop_oneof![2..9usize, 2..40usize]
        .prop_flat_map(move |n| prop_oneof![3 => few(n), 3 => alike(n), 3 => bundle(n), 2 => many(n), 1 => constant(n)])
}

/// Every measure in every version that can be learnt, without a cutoff and with the cutoffs 1, 3, 10.
fn measures() -> Vec<MeasureSpec> {
    let mut specs: Vec<MeasureSpec> = Vec::new();
    for entry in MEASURES.iter().filter(|entry| entry.no_ue.is_none()) {
        for (version, cutoff) in
            ["", ".v1", ".v2"].iter().flat_map(|v| ["", "@1", "@3", "@10"].map(|cutoff| (v, cutoff)))
        {
            specs.extend(format!("{}{version}{cutoff}", entry.name).parse::<MeasureSpec>());
        }
    }
    specs
}

/// A sweep from t = 0 alters no change of a value and no choice, to the bit.
#[test]
fn every_measure_has_the_changes_of_a_sweep_over_all_documents() {
    let specs = measures();
    assert!(specs.len() > 100, "{}", specs.len());
    let (swept_from_zero, chosen) = (Cell::new(0), Cell::new(0));
    let count = |counter: &Cell<usize>, more: usize| counter.set(counter.get() + more);
    let same_as_over_all = |queries: Vec<Vec<(u8, f64, f64)>>| {
        let grades: Vec<Vec<u8>> =
            queries.iter().map(|query| query.iter().map(|document| document.0).collect()).collect();
        let features: Vec<Vec<f32>> = grades.iter().map(|grades| vec![0.0; grades.len()]).collect();
        let of_queries = features.iter().zip(&grades).map(|(features, grades)| (&features[..], &grades[..]));
        let data = Dataset::of_queries(1, of_queries).unwrap();
        let scores: Vec<f64> = queries.iter().flatten().map(|document| document.1).collect();
        let column: Vec<f64> = queries.iter().flatten().map(|document| document.2).collect();
        for spec in &specs {
            let objective = objective(spec, &data);
            let search = ExactSearch::new(&data, &objective, spec.cutoff());
            let present = search.stand_at(scores.clone());
            for query in &search.queries {
                let found = changes(&search, query, &present, &column);
                let rows = objective.rows(query.number);
                let expected = changes_over_crossings(&search, query, &scores[rows.clone()], &column[rows]);
                let bits = |changes: &[Change]| -> Vec<_> {
                    changes.iter().map(|change| (change.t.to_bits(), change.by.to_bits())).collect()
                };
                prop_assert_eq!(bits(&found), bits(&expected), "{}: {:?} is not {:?}", spec, found, expected);
                let swept = is_swept_from_zero(&search, query, &present, &column);
                count(&swept_from_zero, usize::from(swept && !found.is_empty()));
            }
            let found = best_change(&search, &scores, &column);
            let expected = best_change_over_all(&search, &scores, &column);
            prop_assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "{}", spec);
            count(&chosen, usize::from(found.is_some()));
        }
        Ok(())
    };
    let cases = ProptestConfig::with_cases(CASES);
    TestRunner::new(cases).run(&vec(query(), 1..4), same_as_over_all).unwrap();
    let counts = (swept_from_zero.get(), chosen.get());
    assert!(counts.0 > 1_000 && counts.1 > 1_000, "{counts:?}");
}

/// Three documents with grades 1, 0 and 0 overtake the leader, whose grade is 1, at one place but
/// for rounding. The one of grade 0 that is highest then leads, though the leader's crossing with
/// the one of grade 1 lies at the same place.
#[test]
fn a_leader_is_overtaken_by_documents_of_several_grades_at_one_place() {
    let documents = [
        (1, -2.666666666666668, -1.0),
        (1, 2.0, 0.0),
        (0, -2.6666666666666674, -1.0),
        (0, -2.666666666666668, -1.0),
        (0, 0.0, 0.0),
        (0, 0.0, 0.0),
    ];
    for turn in 0..documents.len() {
        let mut documents = documents;
        documents.rotate_left(turn);
        let data = rows(&[&documents.map(|(grade, ..)| (grade, &[0.0][..]))]);
        let (scores, column) = (documents.map(|document| document.1), documents.map(|document| document.2));
        let measure: MeasureSpec = "ndcg@1".parse().unwrap();
        let objective = objective(&measure, &data);
        let search = ExactSearch::new(&data, &objective, measure.cutoff());
        let expected = [Change { t: -4.666666666666668, by: 1.0 }];
        assert_eq!(changes_over_crossings(&search, &search.queries[0], &scores, &column), expected, "{turn}");
        assert_eq!(
            changes(&search, &search.queries[0], &search.stand_at(scores.to_vec()), &column),
            expected,
            "{turn}"
        );
    }
}

#[test]
fn only_queries_that_can_change_are_swept() {
    let data = rows(&[&[(0, &[1.0]), (0, &[2.0])], &[(1, &[1.0]), (0, &[2.0]), (0, &[0.0])], &[(2, &[1.0])]]);
    let measure = "ndcg@1".parse().unwrap();
    let objective = objective(&measure, &data);
    let search = ExactSearch::new(&data, &objective, Some(1));
    assert_eq!(
        search.queries.iter().map(|q| (q.number, q.background, q.marked.clone())).collect::<Vec<_>>(),
        [(1, 0, vec![0])]
    );
    // The relevant document leads at no t: other documents have the x values 0 and 2 on both
    // sides.
    assert_eq!(best_change(&search, &[0.0, 0.0, 0.0, 0.5, 0.5, 0.0], &[1.0, 2.0, 1.0, 2.0, 0.0, 1.0]), None);
    // With a score above the others it leads between -0.5 and 0.5, and this interval holds t =
    // 0.
    assert_eq!(best_change(&search, &[0.0, 0.0, 0.5, 0.0, 0.0, 0.0], &[1.0, 2.0, 1.0, 2.0, 0.0, 1.0]), None);
    // It is ahead of the document at x = 2 for t below -0.25.
    let t = best_change(&search, &[0.0, 0.0, 0.5, 0.75, -9.0, 0.0], &[1.0, 2.0, 1.0, 2.0, 0.0, 1.0]).unwrap();
    assert!(t < -0.25 && t > -9.5, "{t}");
}
