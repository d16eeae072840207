//! Compares values with published results on real collections. Needs the variable `FIVEFOLD_DATA`.
#![allow(clippy::unwrap_used)] // a test

use std::path::Path;

use crate::common::{Query, assert_close, close, conventions, data, evaluator, exact, read, read_letor};
use fivefold_metrics::{Conventions, Evaluator, FoldMean, Scratch, mean, mean_over_folds};

/// LETOR 4.0: fold f tests on this part.
const TEST_PART: [usize; 5] = [5, 1, 2, 3, 4];

fn parts(folder: &Path, letter: char) -> Vec<Vec<Query>> {
    (1..=5).map(|part| read_letor(&folder.join(format!("{letter}{part}.txt")))).collect()
}

/// Values of each column over some queries, in their order.
fn columns(evaluator: &Evaluator, queries: &[Query], score: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let (mut scratch, mut out) = (Scratch::default(), vec![0.0; evaluator.names().len()]);
    let mut columns = vec![Vec::with_capacity(queries.len()); out.len()];
    for (index, query) in queries.iter().enumerate() {
        let judged = evaluator.judge(&query.id, &query.grades, None).unwrap();
        let scores: Vec<f64> = (0..query.grades.len()).map(|row| score(index, row)).collect();
        evaluator.evaluate(&judged, &scores, &mut scratch, &mut out).unwrap();
        columns.iter_mut().zip(&out).for_each(|(column, &value)| column.push(value));
    }
    columns
}

#[test]
fn expected_ndcg_of_a_random_order() {
    let Some(data) = data() else { return };
    let names = ["ndcg@5", "ndcg@10", "ndcg@15", "ndcg@20", "ndcg@30"];
    let clueweb: Vec<Query> =
        (1..=5).flat_map(|fold| read_letor(&data.join(format!("clueweb09/Fold{fold}/test.txt")))).collect();
    let mq2007 = parts(&data.join("mq2007-agg"), 'A').into_iter().flatten().collect();
    let mq2008 = parts(&data.join("mq2008"), 'S').into_iter().flatten().collect();
    let known: [(Vec<Query>, usize, u8, [f64; 5]); 3] = [
        (mq2007, 1692, 2, [0.230, 0.259, 0.292, 0.326, 0.403]),
        (mq2008, 784, 2, [0.253, 0.336, 0.366, 0.377, 0.394]),
        (clueweb, 61, 4, [0.103, 0.107, 0.111, 0.116, 0.125]),
    ];
    for (queries, count, max_grade, expected) in known {
        assert_eq!(queries.len(), count);
        let evaluator = evaluator(&names, &exact(), max_grade);
        let constant = columns(&evaluator, &queries, |_, _| 0.25);
        for (column, expected) in expected.into_iter().enumerate() {
            let shares: Vec<f64> = queries
                .iter()
                .map(|query| {
                    let judged = evaluator.judge(&query.id, &query.grades, None).unwrap();
                    evaluator.expected_share(&judged, column)
                })
                .collect();
            let found = mean(&shares, evaluator.conventions().undefined).value;
            assert_close(found, expected, 0.0006);
            // Under averaged ties, a constant scorer has the expected value, bit for bit.
            let same = |(share, value): (&f64, &f64)| share.is_nan() && value.is_nan() || share == value;
            assert!(shares.iter().zip(&constant[column]).all(same));
        }
    }
}

#[test]
fn a_constant_scorer_has_v2_zero_and_v1_half_the_expected_share() {
    let Some(data) = data() else { return };
    let bases = ["ndcg", "dcg(gain=linear)", "ap", "p", "rr", "err", "rbp", "neru", "nneru"];
    let mut names: Vec<String> = Vec::new();
    for base in bases {
        for k in [5, 10, 30] {
            names.extend([format!("{base}.v1@{k}"), format!("{base}.v2@{k}")]);
        }
    }
    names.extend(
        ["meanndcg.v1", "meanndcg.v2", "ap.v1", "ap.v2", "ndcg.v1", "ndcg.v2", "wta.v1", "wta.v2"].map(String::from),
    );
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut collections = vec![
        parts(&data.join("mq2008"), 'S'),
        parts(&data.join("mq2007-agg"), 'A'),
        parts(&data.join("mslr-sample"), 'S'),
    ];
    collections.push((1..=5).map(|f| read_letor(&data.join(format!("clueweb09/Fold{f}/test.txt")))).collect());
    collections.push((1..=5).map(|f| read_letor(&data.join(format!("ohsumed/Fold{f}/testset.txt")))).collect());
    let evaluator = evaluator(&names, &exact(), 4);
    let mut defined = 0;
    for query in collections.iter().flatten().flatten() {
        let judged = evaluator.judge(&query.id, &query.grades, None).unwrap();
        let mut out = vec![0.0; names.len()];
        evaluator.evaluate(&judged, &vec![-1.5; query.grades.len()], &mut Scratch::default(), &mut out).unwrap();
        for column in (0..names.len()).step_by(2) {
            let (v1, v2) = (out[column], out[column + 1]);
            assert_eq!(v1.is_nan(), v2.is_nan());
            if !v1.is_nan() {
                let (u, e) = (evaluator.upper(&judged, column).unwrap(), evaluator.expected(&judged, column).unwrap());
                assert_eq!((v1, v2), (e / (2.0 * u), 0.0), "{} of query {}", names[column], query.id);
                defined += 1;
            }
        }
    }
    assert!(defined > 40_000, "{defined}");
}

/// OHSUMED: each of the 25 features as a ranker, with LETOR's conventions, as the mean over the 106
/// queries.
#[test]
fn ohsumed_single_features() {
    let Some(data) = data() else { return };
    let folder = data.join("ohsumed");
    let queries: Vec<Query> =
        (1..=5).flat_map(|fold| read_letor(&folder.join(format!("Fold{fold}/testset.txt")))).collect();
    assert_eq!(queries.len(), 106);
    let letor = Conventions { fold_mean: FoldMean::Queries, ..conventions("letor4") };
    for file in ["single_features_ndcg.csv", "single_features_precision.csv"] {
        let text = read(&folder.join("baselines").join(file));
        let mut lines = text.lines().map(|line| line.trim_end().split(',').collect::<Vec<_>>());
        let head: Vec<String> =
            lines.next().unwrap()[1..].iter().map(|name| name.to_lowercase().replace("map", "ap")).collect();
        let names: Vec<&str> = head.iter().map(String::as_str).collect();
        let evaluator = evaluator(&names, &letor, 2);
        let mut rows = 0;
        for row in lines {
            let feature: usize = row[0].parse().unwrap();
            let found = columns(&evaluator, &queries, |query, document| queries[query].features[document][feature - 1]);
            for ((name, values), printed) in names.iter().zip(found).zip(&row[1..]) {
                let value = mean_over_folds(&[&values], letor.fold_mean, letor.undefined).value;
                assert!(
                    close(value, printed.parse().unwrap(), 1e-12),
                    "{name} of feature {feature}: {value}, not {printed}"
                );
            }
            rows += 1;
        }
        assert_eq!(rows, 25);
    }
}

/// MQ2008: values of a system's published scores against the published files, section "performance
/// on testing set".
#[test]
fn mq2008_published_systems() {
    let Some(data) = data() else { return };
    let parts = parts(&data.join("mq2008"), 'S');
    let letor4 = conventions("letor4");
    let mut names: Vec<String> = (1..=10).map(|k| format!("ndcg@{k}")).collect();
    names.push("meanndcg".to_owned());
    names.extend((1..=10).map(|k| format!("p@{k}")));
    names.push("ap".to_owned());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let evaluator = evaluator(&names, &letor4, 2);
    let systems = data.join("mq2008-systems");
    // The published scores of these systems belong to the other tuning run.
    let excepted = |file: &str, fold: usize| match file {
        "NDCG_Mq2008_FacSVM_Rank" => true,
        "NDCG_Mq2008_AdaRank" => fold == 4,
        "MAP_Mq2008_svm_rank" => fold == 1 || fold == 3,
        _ => false,
    };
    let mut rows = 0;
    for (system, tuned) in [
        ("AdaRank", "MAP NDCG"),
        ("FacSVM_Rank", "MAP NDCG"),
        ("ListNet", "MAP NDCG"),
        ("RankBoost", "MAP NDCG"),
        ("RankNet", "MAP NDCG"),
        ("svm_light", "MAP"),
        ("svm_light2", "MAP"),
        ("svm_rank", "MAP NDCG"),
    ] {
        let folds: Vec<Vec<Vec<f64>>> = (1..=5)
            .map(|fold| {
                let queries = &parts[TEST_PART[fold - 1] - 1];
                let text = read(&systems.join(system).join(format!("Fold{fold}.score")));
                let scores: Vec<f64> = text.split_whitespace().map(|score| score.parse().unwrap()).collect();
                let starts: Vec<usize> = queries
                    .iter()
                    .scan(0, |row, query| {
                        let start = *row;
                        *row += query.grades.len();
                        Some(start)
                    })
                    .collect();
                assert_eq!(scores.len(), queries.iter().map(|query| query.grades.len()).sum::<usize>());
                columns(&evaluator, queries, |query, row| scores[starts[query] + row])
            })
            .collect();
        let folds_of = |column: usize| folds.iter().map(|fold| fold[column].as_slice()).collect::<Vec<_>>();
        let value = |column: usize, fold: usize| mean(&folds[fold - 1][column], letor4.undefined).value;
        for tuned in tuned.split(' ') {
            let file = format!("{tuned}_Mq2008_{system}");
            for (fold, columns, printed) in test_rows(&read(&systems.join("published").join(&file))) {
                if excepted(&file, fold) {
                    continue;
                }
                for (column, printed) in columns.clone().zip(&printed) {
                    let found = value(column, fold);
                    assert!(
                        close(found, *printed, 5.000001e-5),
                        "{file} fold {fold} {}: {found}, not {printed}",
                        names[column]
                    );
                }
                assert_eq!(printed.len(), columns.len());
                rows += 1;
            }
        }
        // The summaries: means of the five rounded fold values.
        for (file, outsiders) in
            [("msr_map_mq2008", &["svm_rank"][..]), ("msr_ndcg_mq2008", &["AdaRank", "FacSVM_Rank"])]
        {
            let text = read(&systems.join("published").join(file));
            let Some(line) = text.lines().find(|line| line.split_whitespace().next() == Some(system)) else {
                assert!(file.contains("ndcg") && system.starts_with("svm_light"), "{system} is missing in {file}");
                continue;
            };
            if outsiders.contains(&system) {
                continue;
            }
            let printed: Vec<f64> = line.split_whitespace().skip(1).map(|text| text.parse().unwrap()).collect();
            assert_eq!(printed.len(), 12);
            for (column, printed) in (0..11).chain([21]).zip(printed) {
                let rounded: f64 = (1..=5).map(|fold| (value(column, fold) * 1e4).round() / 1e4).sum::<f64>() / 5.0;
                assert!(
                    close(rounded, printed, 5.000001e-5),
                    "{file} {system} {}: {rounded}, not {printed}",
                    names[column]
                );
                // The dialect's mean of fold means differs from the summary by rounding only.
                assert_close(
                    mean_over_folds(&folds_of(column), letor4.fold_mean, letor4.undefined).value,
                    rounded,
                    5.1e-5,
                );
            }
            rows += 1;
        }
    }
    println!("{rows} published rows are met");
    assert!(rows >= 100, "{rows}");
}

/// Fold, columns and printed values of the rows between "performance on testing set" and the next
/// heading.
fn test_rows(text: &str) -> Vec<(usize, std::ops::Range<usize>, Vec<f64>)> {
    let mut rows = Vec::new();
    let mut columns = 0..0;
    let section = text.lines().skip_while(|line| !line.eq_ignore_ascii_case("performance on testing set")).skip(1);
    for line in section.take_while(|line| !line.to_lowercase().starts_with("performance")) {
        let tokens: Vec<&str> = line.split_whitespace().collect();
        match tokens.first() {
            Some(&"Folds") => columns = if tokens[1].starts_with("NDCG") { 0..11 } else { 11..22 },
            Some(fold) if fold.starts_with("Fold") => {
                let fold = fold["Fold".len()..].parse().unwrap();
                rows.push((fold, columns.clone(), tokens[1..].iter().map(|text| text.parse().unwrap()).collect()));
            }
            _ => {}
        }
    }
    assert!(rows.len() >= 5, "no test rows found");
    rows
}
