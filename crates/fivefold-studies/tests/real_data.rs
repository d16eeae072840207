//! Published figures on real data; needs `FIVEFOLD_DATA`.
#![allow(clippy::unwrap_used)] // a test

use std::path::{Path, PathBuf};

use fivefold_experiment::{Cell, Table};
use fivefold_studies::{Findings, RunOptions, StudyFile, run};

fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: FIVEFOLD_DATA is not set");
    }
    // Cargo runs tests in their package's folder, but the variable is given relative to the workspace.
    folder.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder))
}

fn findings(text: &str, data: &Path) -> Findings {
    let file = StudyFile::parse(text).unwrap();
    run(&file, &RunOptions { folders: vec![data.to_owned()], ..RunOptions::default() }).unwrap()
}

fn shipped(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../experiments/{name}.toml")))
        .unwrap()
}

fn table<'a>(found: &'a Findings, id: &str) -> &'a Table {
    found.tables.iter().find(|table| table.id == id).unwrap()
}

/// The numbers of the row that begins with these labels.
fn numbers(table: &Table, labels: &[&str]) -> Vec<f64> {
    let is_label = |(cell, label): (&Cell, &&str)| *cell == Cell::Text((*label).to_owned());
    let row = table.rows.iter().find(|row| row.iter().zip(labels).all(is_label)).unwrap();
    let number = |cell: &Cell| match cell {
        Cell::Number { value, .. } => Some(*value),
        Cell::Count(count) => Some(*count as f64),
        _ => None,
    };
    row.iter().filter_map(number).collect()
}

/// Webber, Moffat & Zobel (SIGIR 2008): quartiles of the 6,450 standardised AP scores of TREC-8, and its easiest topic.
#[test]
fn trec8_is_as_published() {
    let Some(data) = data() else { return };
    // Fewer draws: the figures that are published do not depend on them.
    let text = shipped("standardise-trec8") + "\n";
    let text = text.replace("kind = ", "draws = 20\npartitions = 20\nkind = ");
    let found = findings(&text, &data);
    let standardised = numbers(table(&found, "distribution"), &["adhoc8_ap", "standardised"]);
    assert_eq!(standardised[0], 6450.0);
    let printed = [0.263, 0.497, 0.736];
    for (value, printed) in standardised[1..4].iter().zip(printed) {
        assert!((value - printed).abs() < 0.5e-3, "{standardised:?}");
    }
    let easiest = numbers(table(&found, "queries"), &["adhoc8_ap", "easiest"]);
    assert!((easiest[0] - 0.708).abs() < 0.5e-3 && (easiest[1] - 0.226).abs() < 0.5e-3, "{easiest:?}");
}

/// Per-query constants cancel: SP and AP, DCG and nDCG have the same standardised scores.
#[test]
fn sums_and_their_normalised_forms_are_the_same_once_standardised() {
    let Some(data) = data() else { return };
    let text = shipped("standardise-mq2008-systems");
    let measures = "measures = [\"sp@10\", \"ap(denominator=min)@10\", \"dcg@10\", \"ndcg@10\", \"sp\", \"ap\"]";
    let start = text.find("measures = ").unwrap();
    let end = start + text[start..].find('\n').unwrap();
    let text = format!("draws = 5\npartitions = 5\n{}{measures}{}", &text[..start], &text[end..]);
    let found = findings(&text, &data);
    let scores = &found.files.iter().find(|(name, _)| name == "standardised.csv").unwrap().1;
    let mut lines = scores.lines();
    let head = lines.next().unwrap().replace("gain=exp2,", "");
    let column = |name: &str| head.split(',').position(|other| other == format!("standardised {name}")).unwrap();
    let pairs = [("sp@10", "ap(denominator=min)@10"), ("dcg@10", "ndcg@10"), ("sp", "ap")];
    let pairs = pairs.map(|(a, b)| (column(a), column(b)));
    let mut compared = 0;
    for line in lines {
        let cells: Vec<Option<f64>> = line.split(',').map(|cell| cell.parse().ok()).collect();
        for (a, b) in pairs {
            assert_eq!(cells[a].is_some(), cells[b].is_some(), "{line}");
            if let (Some(a), Some(b)) = (cells[a], cells[b]) {
                assert!((a - b).abs() < 1e-12, "{line}");
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

/// nDCG@10 of a reranker on the runs' own track: RankVicuna on SPLADE++ EnsembleDistil is .7459 in Pradeep, Sharifymoghaddam &
/// Lin, "RankVicuna" (2023), Table 2, DL19. And leave-one-out gain can never exceed what nobody took.
#[test]
fn dl19_has_the_published_ndcg() {
    let Some(data) = data() else { return };
    let found = findings(&shipped("residual-dl19"), &data);
    let residual = table(&found, "ndcg-gain-linear-10-residual");
    let of = |start: &str| -> Vec<f64> {
        let row =
            residual.rows.iter().find(|row| matches!(&row[1], Cell::Text(name) if name.starts_with(start))).unwrap();
        row[3..]
            .iter()
            .filter_map(|cell| if let Cell::Number { value, .. } = cell { Some(*value) } else { None })
            .collect()
    };
    let run = of("SPLADE_P_P_ENSEMBLE_DISTIL__output_v2_aug_vicuna_7b_4096_100_RANK_GPT_dl19_2023-09-13T16-36");
    assert!((run[0] - 0.7459).abs() < 0.5e-4, "{run:?}");
    assert_eq!(residual.rows.len(), 38);
    // The first run of all has nobody before it: its residual gain is its nDCG.
    let first = of("gpt-3.5-turbo_4096_RANK_GPT_dl19_2023-08-04T23-26");
    assert_eq!(first[0], first[1]);
    let groups = table(&found, "ndcg-gain-linear-10-groups");
    let counts: Vec<&Cell> = groups.rows.iter().map(|row| &row[1]).collect();
    assert_eq!(counts, [12, 6, 5, 5, 5, 5].map(Cell::Count).iter().collect::<Vec<_>>());
}
