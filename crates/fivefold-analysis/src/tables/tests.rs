//! Tests every table: over a small evaluation with numbers worked out by hand, and by properties
//! over random evaluations.

use fivefold_base::Seed;
use fivefold_metrics::{Conventions, FoldMean, Undefined, dialect};
use fivefold_stats::PadDenominator;

use super::Distance;
use super::{QueryClass, SetSizes, TableOptions, TablesError, all, analyse, expected_histograms};
use crate::evaluation::{DatasetValues, Evaluation, QueryInfo};
use crate::table::{Cell, Mark, Table};

const NAN: f64 = f64::NAN;
const MEASURES: [&str; 6] = ["ndcg@1", "ndcg@2", "ndcg.v1@1", "ndcg.v1@2", "ndcg.v2@1", "ndcg.v2@2"];

/// Original values at cutoff 1 by method; at cutoff 2 each value is half as large. V1 equals the
/// original. V2 is the same for every query. The value of query 3 is undefined.
const ORIGINAL: [(&str, [f64; 4]); 3] =
    [("A", [1.0, 0.8, 0.6, NAN]), ("B", [0.5, 0.5, 0.5, NAN]), ("C", [0.2, 0.4, 0.9, NAN])];
const V2: [(&str, f64); 3] = [("A", 0.1), ("B", 0.5), ("C", 0.9)];
/// real - expected under the policy `zero`: .025, .225, .05, 0.
const EXPECTED: [f64; 4] = [0.4, 0.2, 0.45, NAN];
const GRADED2: [usize; 4] = [2, 1, 4, 0];

fn dataset(name: &str, rankers: &[&str]) -> DatasetValues {
    let mut data = DatasetValues {
        name: name.to_owned(),
        rankers: rankers.iter().map(|&ranker| ranker.to_owned()).collect(),
        failed: vec![false; rankers.len()],
        queries: Vec::new(),
        all: Vec::new(),
        left: Vec::new(),
        right: Vec::new(),
        expected: EXPECTED.iter().flat_map(|&e| [e; 6]).collect(),
    };
    for (query, &graded2) in GRADED2.iter().enumerate() {
        let fold = if query < 3 { 1 } else { 2 };
        let relevant = if query < 3 { 4 } else { 0 };
        data.queries.push(QueryInfo { fold, id: format!("q{query}"), documents: 4, relevant, graded2 });
    }
    for ranker in rankers {
        let original = ORIGINAL.iter().find(|(name, _)| name == ranker).unwrap().1;
        let v2 = V2.iter().find(|(name, _)| name == ranker).unwrap().1;
        for value in original {
            let v2 = if value.is_nan() { NAN } else { v2 };
            data.all.extend([value, value / 2.0, value, value / 2.0, v2, v2 / 2.0]);
        }
    }
    data.left = data.all.clone();
    data.right = data.all.iter().map(|value| 1.0 - value).collect();
    data
}

fn one() -> Evaluation {
    evaluation(vec![dataset("d1", &["A", "B", "C"])])
}

fn evaluation(datasets: Vec<DatasetValues>) -> Evaluation {
    Evaluation { measures: MEASURES.map(|name| name.parse().unwrap()).to_vec(), datasets }
}

fn options(undefined: Undefined) -> TableOptions {
    let conventions = Conventions { undefined, ..dialect("paper").unwrap().conventions() };
    TableOptions {
        sizes: SetSizes { uninformative: 2.into(), ideal: 2.into() },
        ..TableOptions::new(conventions, Seed::new(7))
    }
}

/// The figures of the table whose id begins with `id`, row by row without labels. A word becomes
/// NaN.
fn figures(tables: &[Table], id: &str) -> Vec<Vec<f64>> {
    let table = tables.iter().find(|table| table.id.starts_with(id)).unwrap_or_else(|| panic!("no {id}"));
    let figure = |cell: &Cell| match cell {
        Cell::Number { value, .. } | Cell::PValue(value) => *value,
        Cell::Count(count) => *count as f64,
        Cell::Missing(_) => NAN,
        Cell::Text(text) => panic!("{text}"),
    };
    table.rows.iter().map(|row| row[table.label_columns..].iter().map(figure).collect()).collect()
}

#[track_caller]
fn assert_figures(found: &[Vec<f64>], expected: &[&[f64]]) {
    let close = |a: f64, b: f64| (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-12;
    let equal = found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| a.len() == b.len() && a.iter().zip(*b).all(|(&a, &b)| close(a, b)));
    assert!(equal, "{found:?} for {expected:?}");
}

fn notes<'a>(tables: &'a [Table], id: &str) -> &'a [String] {
    &tables.iter().find(|table| table.id.starts_with(id)).unwrap().notes
}

#[test]
fn every_table_is_there_in_the_papers_order() {
    let tables = all(&one(), &options(Undefined::Zero)).unwrap();
    let ids: Vec<&str> = tables.iter().map(|table| table.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "table-03-ndcg-scores-d1",
            "table-05-ndcg-ue-scores-d1",
            "table-07-ndcg-kendall-tau",
            "table-08-ndcg-conflicts",
            "table-09-ndcg-discriminative-power",
            "table-10-ndcg-pad",
            "table-11-ndcg-swap-data-sets",
            "table-12-ndcg-swap-uninformative-ideal",
            "table-13-ndcg-swap-broad-focused",
            "table-14-ndcg-swap-left-right",
        ]
    );
    for table in &tables {
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.id);
        assert!(table.notes.iter().any(|note| note.contains("undefined values, counted as 0")), "{}", table.id);
    }
    assert_eq!(tables[2].title, "Table 7: Kendall's tau of the methods' order under ndcg.v1 and ndcg.v2 against ndcg");
}

/// On all queries the differences of A to B are .5, .3, .1 and 0 (t = 2.03, p = .135), to C .8, .4,
/// -.3 and 0 (t = .94, p = .42).
#[test]
fn score_tables_mark_the_best_and_what_is_not_told_apart_from_it() {
    let marks = |alpha: f64| {
        let tables = all(&one(), &TableOptions { alpha, ..options(Undefined::Zero) }).unwrap();
        assert!(tables[0].marks.as_ref().unwrap().meaning.contains("t-test"));
        // Of A, B and C at cutoff 1, and of A and B in the mean over cutoffs, which was not tested.
        [(0, 2), (1, 2), (2, 2), (0, 4), (1, 4)].map(|(row, column)| tables[0].mark(row, column))
    };
    let (best, alike) = (Some(Mark::Best), Some(Mark::NotToldApart));
    assert_eq!(marks(0.05), [best, alike, alike, best, None]);
    assert_eq!(marks(0.2), [best, None, alike, best, None]);
    // Of the uninformative queries only the best are marked: three rows and three columns further.
    let tables = all(&one(), &options(Undefined::Zero)).unwrap();
    let others = tables[0].marks.as_ref().unwrap().cells.iter().filter(|(row, ..)| *row > 2);
    assert!(others.clone().count() >= 6 && others.clone().all(|(.., mark)| *mark == Mark::Best));
}

#[test]
fn conventions_stand_under_their_measure_alone() {
    let mut evaluation = one();
    evaluation.measures[4..].clone_from_slice(&["ap@1", "ap@2"].map(|name| name.parse().unwrap()));
    let own = ["ndcg: gain=exp2", "ap: threshold=1", "ties: average"].map(str::to_owned);
    let tables = all(&evaluation, &TableOptions { notes: own.to_vec(), ..options(Undefined::Zero) }).unwrap();
    for table in &tables {
        let of_ap = table.id.split('-').nth(2) == Some("ap");
        let has = own.each_ref().map(|line| table.notes.contains(line));
        assert_eq!(has, [!of_ap, of_ap, true], "{}", table.id);
    }
}

#[test]
fn scores_by_hand() {
    let tables = all(&one(), &options(Undefined::Zero)).unwrap();
    assert_figures(
        &figures(&tables, "table-03"),
        &[
            &[0.6, 0.3, 0.45],
            &[0.375, 0.1875, 0.28125],
            &[0.375, 0.1875, 0.28125],
            // The uninformative queries are 0 and 3.
            &[0.5, 0.25, 0.375],
            &[0.25, 0.125, 0.1875],
            &[0.1, 0.05, 0.075],
            // The ideal queries are 1 and 2.
            &[0.7, 0.35, 0.525],
            &[0.5, 0.25, 0.375],
            &[0.65, 0.325, 0.4875],
        ],
    );
    let [first, .., last] = &figures(&tables, "table-05")[..] else { panic!() };
    assert_figures(std::slice::from_ref(first), &[&[0.6, 0.3, 0.45, 0.075, 0.0375, 0.05625]]);
    assert_figures(std::slice::from_ref(last), &[&[0.65, 0.325, 0.4875, 0.9, 0.45, 0.675]]);
    let line = "d1, uninformative: 2 queries of least |real - expected| ndcg, 1 without a relevant document; \
                undefined values, counted as 0: ndcg 1, ndcg.v1 1, ndcg.v2 1";
    assert!(notes(&tables, "table-03").contains(&line.to_owned()), "{:#?}", notes(&tables, "table-03"));
}

#[test]
fn undefined_policies_and_fold_means() {
    let mean_of_a = |undefined: Undefined, fold_mean: FoldMean| {
        let mut options = options(undefined);
        options.conventions.fold_mean = fold_mean;
        figures(&all(&one(), &options).unwrap(), "table-03")[0][0]
    };
    for (undefined, fold_mean, value) in [
        (Undefined::Zero, FoldMean::Queries, 0.6),
        (Undefined::One, FoldMean::Queries, 0.85),
        (Undefined::Skip, FoldMean::Queries, 0.8),
        (Undefined::Zero, FoldMean::Folds, 0.4),
        (Undefined::One, FoldMean::Folds, 0.9),
        (Undefined::Skip, FoldMean::Folds, 0.8),
    ] {
        assert!((mean_of_a(undefined, fold_mean) - value).abs() < 1e-12, "{undefined} {fold_mean}");
    }
    // Under `skip`, the undefined query is in no set. So the uninformative queries are 0 and 2.
    let tables = all(&one(), &options(Undefined::Skip)).unwrap();
    assert_figures(&figures(&tables, "table-03")[3..4], &[&[0.8, 0.4, 0.6]]);
}

#[test]
fn tau_and_pad_by_hand() {
    // The orders are A > B = C for the original and C > B > A for V2. So two pairs are discordant,
    // and one pair is tied in the original. On ideal queries, the orders are A > C > B and C > B >
    // A.
    let tables = all(&one(), &options(Undefined::Zero)).unwrap();
    assert_figures(&figures(&tables, "table-07"), &[&[1.0, 1.0, 1.0], &[-2.0 / 6f64.sqrt(), -1.0, -1.0 / 3.0]]);
    let v2 = 100.0 * (0.8 + 8.0 / 9.0 + 4.0 / 9.0) / 3.0;
    // The means of A, B and C are .5, .25, .1 on uninformative queries and .7, .5, .65 on ideal
    // queries.
    let uninformative = 100.0 * (0.5 + 0.8 + 0.6) / 3.0;
    let ideal = 100.0 * (0.2 / 0.7 + 0.05 / 0.7 + 0.15 / 0.65) / 3.0;
    let original = [25.0, uninformative, ideal];
    assert_figures(&figures(&tables, "table-10"), &[&original, &original, &[v2, v2, v2]]);
}

#[test]
fn negative_scores_and_zero_maxima_in_pad_are_noted() {
    let mut data = one();
    for row in data.datasets[0].all.chunks_exact_mut(6) {
        row[4] -= 0.5;
        row[5] -= 0.25;
    }
    // V2 is now -.4 for A, 0 for B and .4 for C at cutoff 1, and in proportion at the other
    // cutoffs. The pairs give 0 (left out), 200 % and 100 %.
    let signed = all(&data, &options(Undefined::Skip)).unwrap();
    assert_figures(&figures(&signed, "table-10")[2..], &[&[150.0; 3]]);
    let text = notes(&signed, "table-10").join("\n");
    assert!(text.contains("d1, all, ndcg.v2: 1 of 3 pairs left out, their max(a, b) is 0"), "{text}");
    let warning = "negative scores make max(a, b) negative or nearly 0, so that these figures measure no difference \
                   (`pad = \"abs\"` under `[tables]` divides by max(|a|, |b|)): ";
    let cells = "d1, all, ndcg.v2; d1, uninformative, ndcg.v2; d1, ideal, ndcg.v2";
    assert!(text.contains(&format!("{warning}{cells}")), "{text}");
    assert!(!notes(&all(&one(), &options(Undefined::Skip)).unwrap(), "table-10").join("").contains("negative"));
    let abs = TableOptions { pad: PadDenominator::Abs, ..options(Undefined::Skip) };
    let abs = all(&data, &abs).unwrap();
    assert_figures(&figures(&abs, "table-10")[2..], &[&[400.0 / 3.0; 3]]);
    assert!(!notes(&abs, "table-10").join("").contains("negative"));
}

#[test]
fn significance_by_hand() {
    // V2 differs by a constant, so under `skip` the difference is certain. Under `zero`, the fourth
    // difference is 0, so t = 3 and p = .0577.
    let tables = all(&one(), &options(Undefined::Skip)).unwrap();
    assert_figures(&figures(&tables, "table-08"), &[&[0.0, 0.0, 0.0], &[6.0, 6.0, 6.0]]);
    assert_figures(&figures(&tables, "table-09"), &[&[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0], &[6.0, 6.0, 6.0]]);
    assert!(notes(&tables, "table-09").contains(&"d1: 6 comparisons".to_owned()));
    let power = |alpha: f64| {
        figures(&all(&one(), &TableOptions { alpha, ..options(Undefined::Zero) }).unwrap(), "table-09")[2][0]
    };
    assert_eq!((power(0.05), power(0.06)), (0.0, 6.0));
}

#[test]
fn too_few_queries_are_not_tested_and_counted() {
    let options =
        TableOptions { sizes: SetSizes { uninformative: 1.into(), ideal: 0.into() }, ..options(Undefined::Skip) };
    let tables = all(&one(), &options).unwrap();
    assert_figures(&figures(&tables, "table-09")[2..], &[&[6.0, 0.0]]);
    let text = notes(&tables, "table-09").join("\n");
    assert!(text.contains("d1, uninformative, ndcg.v2: 6 not tested"), "{text}");
    assert!(text.contains("d1: the set ideal is left out: the experiment asks for no such queries"), "{text}");
}

#[test]
fn swap_rates_within_a_data_set_by_hand() {
    let tables = all(&one(), &options(Undefined::Zero)).unwrap();
    let third = 1.0 / 3.0;
    // The order is A > B > C on uninformative queries, and A > C > B on ideal queries.
    assert_figures(&figures(&tables, "table-12"), &[&[third], &[third], &[0.0]]);
    // The order is A > C > B on the broad queries 0 and 2, and A > B > C on the focused queries 1
    // and 3.
    assert_figures(&figures(&tables, "table-13"), &[&[third], &[third], &[0.0]]);
    // The order is A > B = C on the left half. The values of the right half are 1 minus those of
    // the left, so its order is A < B = C.
    assert_figures(&figures(&tables, "table-14"), &[&[2.0 * third], &[2.0 * third], &[1.0]]);
}

#[test]
fn queries_in_both_sets_are_counted() {
    let overlap = |size: usize| {
        let options = TableOptions {
            sizes: SetSizes { uninformative: size.into(), ideal: size.into() },
            ..options(Undefined::Zero)
        };
        notes(&all(&one(), &options).unwrap(), "table-12").join("\n")
    };
    // By |real - expected|, the uninformative queries are 3, 0, 2, 1, and the ideal queries 1, 2,
    // 0, 3.
    assert!(!overlap(2).contains("in both sets"));
    assert!(overlap(3).contains("d1: 2 queries are in both sets, which keeps the rate low"), "{}", overlap(3));
    assert!(!notes(&all(&one(), &options(Undefined::Zero)).unwrap(), "table-14").join("").contains("in both sets"));
}

#[test]
fn one_data_set_has_no_swap_rate_across() {
    let tables = all(&one(), &options(Undefined::Zero)).unwrap();
    assert_figures(&figures(&tables, "table-11"), &[&[NAN; 3][..]; 3]);
    assert!(notes(&tables, "table-11").contains(&"n/a (d1): there is no second data set".to_owned()));
}

#[test]
fn data_sets_are_compared_by_label_and_at_one_size() {
    let mut evaluation = evaluation(vec![dataset("d1", &["A", "B", "C"]), dataset("d2", &["C", "A", "B"])]);
    let mut options = options(Undefined::Zero);
    assert_figures(&figures(&all(&evaluation, &options).unwrap(), "table-11"), &[&[0.0; 3][..]; 3]);
    options.dataset_sizes.insert("d2".to_owned(), SetSizes { uninformative: 3.into(), ideal: 1.into() });
    let tables = all(&evaluation, &options).unwrap();
    // On both data sets, the ideal set is query 1 alone, with the order A > B > C. On d1 alone, a
    // set of two queries gives A > C > B.
    assert_figures(&figures(&tables, "table-11"), &[&[0.0; 3][..]; 3]);
    let text = notes(&tables, "table-11").join("\n");
    assert!(text.contains("d1 vs d2, uninformative: 2 queries of each"), "{text}");
    assert!(text.contains("d1 vs d2, ideal: 1 query of each") && !text.contains("vs d2, all: "), "{text}");
    assert_figures(&figures(&tables, "table-12")[..1], &[&[1.0 / 3.0, 1.0 / 3.0]]);
    assert_eq!(tables.iter().filter(|table| table.id.starts_with("table-04-ndcg-scores-d2")).count(), 1);
    // A method that fails on one data set is compared on neither. Without A, real - expected on d2
    // is -.1375, .1375, .075, 0. So the two uninformative queries are 3 and 2 on d2 (C > B), and
    // still 3 and 0 on d1 (B > C).
    evaluation.datasets[1].failed[1] = true;
    let tables = all(&evaluation, &options).unwrap();
    assert_figures(&figures(&tables, "table-11")[..1], &[&[0.0, 1.0, 0.0]]);
    let failed = Cell::missing("FAILED");
    let table = tables.iter().find(|table| table.id == "table-04-ndcg-scores-d2").unwrap();
    assert_eq!(table.rows.iter().filter(|row| row[2..].iter().all(|cell| *cell == failed)).count(), 3);
    assert!(table.notes.contains(&"d2: FAILED and used in no statistic: A".to_owned()));
    assert!(notes(&tables, "table-09").contains(&"d2: 2 comparisons".to_owned()));
}

#[test]
fn methods_that_failed_leave_no_trace() {
    let mut evaluation = one();
    evaluation.datasets[0].failed[1] = true;
    let tables = all(&evaluation, &options(Undefined::Zero)).unwrap();
    evaluation.datasets[0].all[6 * 4..6 * 8].fill(1e9);
    assert_eq!(format!("{:?}", all(&evaluation, &options(Undefined::Zero)).unwrap()), format!("{tables:?}"));
    // A and C alone give one discordant pair.
    assert_figures(&figures(&tables, "table-07"), &[&[1.0; 3], &[-1.0; 3]]);
    evaluation.datasets[0].failed = vec![true; 3];
    let tables = all(&evaluation, &options(Undefined::Zero)).unwrap();
    assert_figures(&figures(&tables, "table-07"), &[&[NAN][..]; 2]);
    assert!(notes(&tables, "table-07").join("\n").contains("0 methods did not fail; two are needed"));
}

#[test]
fn signed_distance_takes_the_queries_below_expectation_first() {
    let mut evaluation = one();
    // real - expected: -.175, .225, .05, 0.
    evaluation.datasets[0].expected[..6].fill(0.6);
    let first_of = |distance: Distance| {
        let mut options = options(Undefined::Zero);
        options.distance = distance;
        options.sizes.uninformative = 2.into();
        figures(&all(&evaluation, &options).unwrap(), "table-03")[3][0]
    };
    assert!((first_of(Distance::Absolute) - 0.3).abs() < 1e-12, "queries 3 and 2");
    assert!((first_of(Distance::Signed) - 0.5).abs() < 1e-12, "queries 0 and 3");
}

#[test]
fn broad_and_focused_are_cut_to_one_size_or_left_out() {
    let mut evaluation = one();
    evaluation.datasets[0].queries[1].graded2 = 2;
    let found = analyse(&evaluation, &options(Undefined::Zero)).unwrap();
    assert!(!found.has_table("table-13") && found.has_table("table-12"));
    let why = "3 broad and 1 focused queries; each set needs two";
    assert_eq!(found.left_out("d1"), [format!("The sets broad and focused are left out: {why}.")]);
    let mut two = super::tests::evaluation(vec![evaluation.datasets[0].clone(), dataset("d2", &["A", "B", "C"])]);
    two.datasets[0].queries = evaluation.datasets[0].queries.clone();
    let tables = all(&two, &options(Undefined::Zero)).unwrap();
    assert_eq!(tables.iter().find(|table| table.id.starts_with("table-13")).unwrap().columns, ["measure", "d2"]);
    let text = notes(&tables, "table-13").join("\n");
    assert!(text.contains(&format!("d1: the sets broad and focused are left out: {why}")), "{text}");
    let many = dataset("d1", &["A", "B", "C"]);
    let mut many = DatasetValues { queries: [many.queries.clone(), many.queries.clone()].concat(), ..many };
    many.queries.iter_mut().for_each(|query| query.fold = 1);
    many.queries[0].graded2 = 0;
    many.all = many.all.chunks_exact(24).flat_map(|ranker| [ranker, ranker].concat()).collect();
    many.expected = [many.expected.clone(), many.expected].concat();
    (many.left, many.right) = (Vec::new(), Vec::new());
    let tables = all(&super::tests::evaluation(vec![many]), &options(Undefined::Zero)).unwrap();
    let text = notes(&tables, "table-13").join("\n");
    let broad = "d1, broad: 3 queries out of 3 with grade 2 or higher in at least half of their documents";
    let focused = "d1, focused: 3 queries drawn from 5 with grade 2 or higher in fewer than half of their documents";
    assert!(text.contains(broad) && text.contains(focused), "{text}");
    assert!(!tables.iter().any(|table| table.id.starts_with("table-14")));
}

#[test]
fn tables_can_be_chosen_and_misspelt() {
    let choose = |only: &[&str]| {
        let only = only.iter().map(|&id| id.to_owned()).collect();
        all(&one(), &TableOptions { only, ..options(Undefined::Zero) })
    };
    let ids: Vec<String> = choose(&["table-1", "table-03"]).unwrap().into_iter().map(|table| table.id).collect();
    assert_eq!(ids.len(), 6);
    assert_eq!(ids[0], "table-03-ndcg-scores-d1");
    let error = choose(&["table-99"]).unwrap_err();
    assert!(matches!(&error, TablesError::NoSuchTable { asked, ids } if asked == "table-99" && ids.len() == 10));
    let off = TableOptions { broad_focused: false, halves: false, ..options(Undefined::Zero) };
    assert_eq!(all(&one(), &off).unwrap().len(), 8);
}

#[test]
fn no_two_tables_share_an_id() {
    let names = ["a b", "a-b", "A/B"];
    let tables = all(&evaluation(names.map(|name| dataset(name, &["A", "B"])).to_vec()), &options(Undefined::Zero));
    let ids: Vec<String> = tables.unwrap().into_iter().map(|table| table.id).collect();
    assert_eq!(
        ids[..3],
        ["table-03-ndcg-scores-a-b", "table-04-ndcg-scores-a-b", "table-04-ndcg-scores-a-b-2"].map(str::to_owned)
    );
}

#[test]
fn arrays_that_do_not_fit_are_refused() {
    let mut evaluation = one();
    evaluation.datasets[0].all.pop();
    let error = all(&evaluation, &options(Undefined::Zero)).unwrap_err().to_string();
    assert_eq!(error, "data set `d1`: 71 values over all documents where 72 are needed");
    let mut evaluation = one();
    evaluation.datasets[0].queries[0].fold = 3;
    assert!(all(&evaluation, &options(Undefined::Zero)).unwrap_err().to_string().contains("order of their folds"));
}

#[test]
fn histograms_count_every_query_once() {
    let mut evaluation = one();
    evaluation.datasets[0].expected[6..12].copy_from_slice(&[1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    let [histogram] = &expected_histograms(&evaluation, 5).unwrap()[..] else { panic!() };
    assert_eq!((histogram.measure.as_str(), histogram.figure, histogram.queries), ("ndcg", Some(2), 4));
    let panels: Vec<(&str, &[u64], usize)> =
        histogram.panels.iter().map(|panel| (panel.label.as_str(), &panel.counts[..], panel.undefined)).collect();
    // The queries have the values .4, (1, 0), .45 and undefined.
    assert_eq!(
        panels,
        [
            ("mean over cutoffs", &[0, 0, 3, 0, 0][..], 1),
            ("@1", &[0, 0, 2, 0, 1][..], 1),
            ("@2", &[1, 0, 2, 0, 0][..], 1)
        ]
    );
}

fn random(seed: u64) -> Evaluation {
    random_of(seed, 40)
}

/// Random queries in two folds, some without a value, and five methods of different strength; V1
/// equals the original, V2 is random.
fn random_of(seed: u64, count: usize) -> Evaluation {
    let mut rng = Seed::new(seed).rng();
    let queries: Vec<QueryInfo> = (0..count)
        .map(|query| {
            let (documents, relevant) = (10, rng.index(5));
            QueryInfo {
                fold: 1 + 2 * query / count,
                id: query.to_string(),
                documents,
                relevant,
                graded2: rng.index(11),
            }
        })
        .collect();
    let mut values = |rankers: usize| {
        let mut values = Vec::new();
        for ranker in 0..rankers {
            for query in &queries {
                let mut draw = || {
                    let value = (rng.uniform() + 0.1 * ranker as f64) / 1.5;
                    if query.relevant == 0 { NAN } else { value }
                };
                let [a, b] = [draw(), draw()];
                values.extend([a, b, a, b, draw() - 0.3, draw() - 0.3]);
            }
        }
        values
    };
    let (all, left, right, expected) = (values(5), values(5), values(5), values(1));
    let rankers = ["A", "B", "C", "D", "E"].map(str::to_owned).to_vec();
    let data = DatasetValues { name: "d".into(), rankers, failed: vec![false; 5], queries, all, left, right, expected };
    evaluation(vec![data])
}

#[test]
fn a_version_equal_to_the_original_agrees_with_it_everywhere() {
    for seed in 0..20 {
        for undefined in [Undefined::Zero, Undefined::One, Undefined::Skip] {
            let mut options = options(undefined);
            options.sizes = SetSizes { uninformative: 15.into(), ideal: 10.into() };
            let tables = all(&random(seed), &options).unwrap();
            assert_figures(&figures(&tables, "table-07")[..1], &[&[1.0; 3]]);
            assert_figures(&figures(&tables, "table-08")[..1], &[&[0.0; 3]]);
            for id in ["table-09", "table-10", "table-12", "table-13", "table-14"] {
                let rows = figures(&tables, id);
                assert_eq!(rows[0], rows[1], "{id}");
            }
            // The number of conflicts is at least the difference of the powers, and both are even
            // or both are odd.
            let power = figures(&tables, "table-09");
            for (column, conflicts) in figures(&tables, "table-08")[1].iter().enumerate() {
                let difference = (power[0][column] - power[2][column]).abs();
                assert!(*conflicts >= difference && (conflicts - difference) % 2.0 == 0.0);
            }
        }
    }
}

#[test]
fn the_order_of_the_methods_changes_no_statistic() {
    for seed in 0..10 {
        let evaluation = random(seed);
        let mut reversed = evaluation.clone();
        let data = &mut reversed.datasets[0];
        data.rankers.reverse();
        for values in [&mut data.all, &mut data.left, &mut data.right] {
            *values = values.chunks_exact(40 * 6).rev().flatten().copied().collect();
        }
        let options = options(Undefined::Zero);
        let (first, second) = (all(&evaluation, &options).unwrap(), all(&reversed, &options).unwrap());
        for id in ["table-07", "table-08", "table-09", "table-10", "table-12", "table-13", "table-14"] {
            let rows = figures(&second, id);
            assert_figures(&figures(&first, id), &rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
        }
    }
}

#[test]
fn comparisons_have_means_intervals_and_p_values_of_every_pair() {
    let mut data = dataset("d1", &["A", "B", "C"]);
    data.failed[1] = true;
    let found = analyse(&evaluation(vec![data, dataset("d2", &["A", "B", "C"])]), &options(Undefined::Skip))
        .unwrap()
        .comparisons;
    let names: Vec<(usize, &str, bool)> =
        found.iter().map(|c| (c.dataset, c.compared.measure.as_str(), c.normalised)).collect();
    let of_data = |data| [(data, "ndcg", false), (data, "ndcg.v1", true), (data, "ndcg.v2", true)];
    assert_eq!(names, [of_data(0), of_data(1)].concat());
    // Without the failed method, there is one pair: A and C, which are the methods 0 and 2.
    assert_eq!((found[0].compared.systems.as_slice(), found[0].compared.p_values.len()), (&[0, 2][..], 1));
    let all = &found[3].compared;
    assert_eq!(
        (all.systems.len(), all.p_values.len(), all.cutoffs.as_slice()),
        (3, 3, &["@1".into(), "@2".into()][..])
    );
    // A has the values 1, .8, .6 and one undefined value. scipy.stats.t.interval(.95, 2, .8,
    // .2/3**.5) gives .8 -+ .4968.
    let first = all.means[0][0];
    assert!((first.mean.unwrap() - 0.8).abs() < 1e-12);
    assert!((first.ends.unwrap().1 - 0.8 - 0.496_827_541_5).abs() < 1e-9);
    // The p-value is scipy.stats.ttest_rel([1, .8, .6], [.2, .4, .9]).pvalue. A pair can be given
    // in either order. A method has no pair with itself.
    let p = all.p(0, 2, 0).unwrap();
    assert!((p - 0.449_208_944_8).abs() < 1e-9, "{p}");
    assert_eq!((all.p(2, 0, 1), all.p(1, 1, 0)), (all.p(0, 2, 1), None));
    // Ranks by hand: the orders of queries 1 to 3 are A B C, A B C and C A B.
    assert_eq!(found[3].ranks.as_ref().unwrap().average_ranks, [4.0 / 3.0, 7.0 / 3.0, 7.0 / 3.0]);
    assert_eq!(all.main_cutoff(), 1);
}

#[test]
fn queries_are_in_the_sets_of_the_tables() {
    let found = analyse(&one(), &options(Undefined::Zero)).unwrap().classes;
    let [classes] = &found[..] else { panic!("{found:?}") };
    // The differences are .025, .225, .05 and 0 (undefined). The two least are of the queries 0 and
    // 3, the two greatest of 1 and 2.
    let expected = [QueryClass::Uninformative, QueryClass::Ideal, QueryClass::Ideal, QueryClass::Uninformative];
    assert_eq!(classes.classes, expected);
    // The undefined query is in the set, but it is not a point of the plot.
    let points: Vec<usize> = classes.points.iter().map(|(query, ..)| *query).collect();
    assert_eq!(points, [0, 1, 2]);
    assert!((classes.points[1].1 - 0.2).abs() < 1e-12 && (classes.points[1].2 - 0.425).abs() < 1e-12);
}

/// A quarter is a quarter of the queries with a value, whatever the policy, and no such set has a
/// query without a value. No two of the three sets are all queries.
#[test]
fn quarters_are_of_the_queries_with_a_value() {
    for (seed, queries) in (0..).zip([30, 48, 60, 120, 200]) {
        let evaluation = random_of(seed, queries);
        let defined = evaluation.datasets[0].queries.iter().filter(|query| query.relevant > 0).count();
        for undefined in [Undefined::Zero, Undefined::One, Undefined::Skip] {
            let options = TableOptions { sizes: SetSizes::default(), ..options(undefined) };
            let found = analyse(&evaluation, &options).unwrap();
            let size = (defined >= 40).then_some((defined / 4).max(20));
            for set in ["uninformative", "ideal"] {
                let facts = found.query_sets.iter().find(|fact| fact.set == set).unwrap();
                assert_eq!((facts.queries, facts.left_out.is_none()), (size, size.is_some()), "{set} of {defined}");
            }
            let classes = &found.classes[0];
            let in_sets = classes.classes.iter().filter(|class| **class != QueryClass::Neither).count();
            let of_points =
                classes.points.iter().filter(|(query, ..)| classes.classes[*query] != QueryClass::Neither).count();
            assert_eq!(in_sets, of_points);
            assert!(size.map_or(in_sets == 0, |size| size <= in_sets && in_sets <= 2 * size));
        }
    }
}

/// On few queries, the rows, columns and tables of the sets are left out, and each table says why in
/// one line. A table that is left out can still be asked for, because its id is checked before the
/// jobs.
#[test]
fn sets_that_would_be_all_queries_are_left_out() {
    let sizes = |size: usize| SetSizes { uninformative: size.into(), ideal: size.into() };
    let why = |count| format!("{count} are asked for, of 4 queries: such a set would be all queries");
    let quarter = "two sets of 20 queries need 40 queries with a value, and 3 have one".to_owned();
    for (sizes, why) in [(sizes(4), why(4)), (sizes(500), why(500)), (SetSizes::default(), quarter)] {
        let options = TableOptions { sizes, ..options(Undefined::Zero) };
        let found = analyse(&one(), &options).unwrap();
        assert!(!found.has_table("uninformative"));
        let table = |id: &str| found.tables.iter().find(|table| table.id.starts_with(id)).unwrap();
        assert_eq!(table("table-03").rows.len(), 3, "a row for each method");
        assert_eq!(table("table-07").columns, ["data set", "measure", "all"]);
        assert_eq!(table("table-11").columns, ["data sets", "measure", "all"]);
        let line = format!("d1: the sets uninformative and ideal are left out: {why}");
        for id in ["table-03", "table-05", "table-07", "table-08", "table-09", "table-10", "table-11"] {
            let lines = table(id).notes.iter().filter(|note| note.contains("uninformative")).collect::<Vec<_>>();
            assert_eq!(lines, [&line], "{id}");
        }
        assert_eq!(found.left_out("d1"), [format!("The sets uninformative and ideal are left out: {why}.")]);
        let only = TableOptions { only: vec!["table-12".to_owned()], ..options };
        assert!(all(&one(), &only).unwrap().is_empty());
    }
    assert!(analyse(&one(), &options(Undefined::Zero)).unwrap().left_out("d1").is_empty());
}

/// Of two data sets, one has the sets: the other has n/a, and a line says why.
#[test]
fn a_data_set_without_sets_stands_beside_one_with_sets() {
    let evaluation = evaluation(vec![dataset("d1", &["A", "B", "C"]), dataset("d2", &["A", "B", "C"])]);
    let mut options = options(Undefined::Zero);
    options.dataset_sizes.insert("d2".to_owned(), SetSizes { uninformative: 9.into(), ideal: 2.into() });
    let tables = all(&evaluation, &options).unwrap();
    let rows = figures(&tables, "table-07");
    assert!(rows[2][1].is_nan() && rows[..2].iter().chain(&rows[2..]).all(|row| !row[0].is_nan() && !row[2].is_nan()));
    let why = "d2: the set uninformative is left out: 9 are asked for, of 4 queries: such a set would be all queries";
    let text = notes(&tables, "table-07").join("\n");
    assert!(text.contains(why) && !text.contains("n/a"), "{text}");
    let columns = |id: &str| &tables.iter().find(|table| table.id.starts_with(id)).unwrap().columns;
    assert_eq!(columns("table-11")[2..], ["all", "ideal"]);
    assert_eq!(columns("table-12")[1..], ["d1"]);
}

/// Three methods at two cutoffs. The correction is over all six comparisons, and the paper's tables
/// keep the uncorrected tests.
#[test]
fn letters_are_corrected_and_the_papers_tables_are_not() {
    let evaluation = random(3);
    let with = |test: &str, correction: &str| {
        let options = TableOptions { test: test.into(), correction: correction.into(), ..options(Undefined::Skip) };
        analyse(&evaluation, &options).unwrap()
    };
    let flat = |analysed: &super::Analysed| -> Vec<f64> {
        analysed.comparisons[0].compared.p_values.iter().flatten().map(|p| p.unwrap()).collect()
    };
    let none = with("t", "none");
    let uncorrected = flat(&none);
    // Five methods have ten pairs, at two cutoffs each.
    assert_eq!(uncorrected.len(), 20);
    let holm = with("t", "holm");
    assert_eq!(flat(&holm), fivefold_stats::corrections::holm(&uncorrected));
    assert_eq!(flat(&with("t", "bh")), fivefold_stats::corrections::benjamini_hochberg(&uncorrected));
    // Marks are those of the letters; the tables are the same but for them.
    let unmarked = |of: &super::Analysed| -> Vec<Table> {
        of.tables.iter().map(|table| Table { marks: None, ..table.clone() }).collect()
    };
    assert_eq!(unmarked(&holm), unmarked(&none));
    assert_ne!(holm.tables, none.tables);
    assert_ne!(flat(&holm), uncorrected);

    // A test that draws for the whole family gives p-values near those of the t-test, for the same
    // pairs and cutoffs.
    let drawn = flat(&with("permutation", "none"));
    assert!(drawn.iter().zip(&uncorrected).all(|(p, t)| (p - t).abs() < 0.06), "{drawn:?} {uncorrected:?}");
    // The words say how the p-values were found: by draws if 32 queries have a value, exactly if
    // only four have one. The words about the t-test have no such part.
    assert!(
        with("permutation", "none")
            .test_in_words()
            .starts_with("paired permutation test over queries (1000 draws), p <")
    );
    let few = TableOptions { test: "permutation".into(), ..options(Undefined::Zero) };
    let few = analyse(&one(), &few).unwrap().test_in_words();
    assert!(few.starts_with("paired permutation test over queries (exact), p <"), "{few}");
    assert!(none.test_in_words().starts_with("paired two-sided t-test over queries, p <"));
    let joint = flat(&with("permutation", "maxt"));
    assert!(joint.iter().zip(&drawn).all(|(joint, p)| joint >= p));
    assert!(joint.iter().zip(&drawn).any(|(joint, p)| joint > p));
    let refused = TableOptions { correction: "maxt".into(), ..options(Undefined::Skip) };
    assert!(matches!(analyse(&evaluation, &refused), Err(TablesError::Test(_))));
}
