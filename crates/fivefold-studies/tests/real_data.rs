//! Published figures on real data; needs `FIVEFOLD_DATA`.
#![allow(clippy::unwrap_used)] // a test

use std::path::{Path, PathBuf};

use fivefold_analysis::{Cell, Table};
use fivefold_studies::{Findings, StudyFile, StudyOptions, run};

fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: FIVEFOLD_DATA is not set");
    }
    // Cargo runs tests in the folder of their package, but the variable is relative to the
    // workspace.
    folder.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder))
}

fn findings(text: &str, data: &Path) -> Findings {
    let file = StudyFile::parse(text).unwrap();
    run(&file, &StudyOptions { folders: vec![data.to_owned()], ..StudyOptions::default() }).unwrap()
}

fn shipped(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../experiments/{name}.toml")))
        .unwrap()
}

fn table<'a>(found: &'a Findings, id: &str) -> &'a Table {
    found.tables.iter().find(|table| table.id == id).unwrap()
}

/// The numbers of the row with these labels.
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

/// Webber, Moffat & Zobel (SIGIR 2008): quartiles of the 6,450 standardised AP scores of TREC-8,
/// and its easiest topic.
// numpy gives the same: z = (m - m.mean(1, keepdims=True)) / m.std(1, ddof=1, keepdims=True)
#[test]
fn trec8_is_as_published() {
    let Some(data) = data() else { return };
    // Fewer draws are enough, because the published figures do not depend on draws.
    let text = shipped("standardise-trec8") + "\n";
    let text = text.replace("kind = ", "draws = 20\npartitions = 20\nkind = ");
    let found = findings(&text, &data);
    let standardised = numbers(table(&found, "distribution"), &["adhoc8_ap", "standardised"]);
    assert_eq!(standardised[0], 6450.0);
    let printed = [0.263, 0.497, 0.736];
    for (value, printed) in standardised[1..4].iter().zip(printed) {
        assert!((value - printed).abs() < 0.5e-3, "{standardised:?}");
    }
    // Counted by numpy, with the z of above: (abs(z) > 10/3).sum()
    let notes = &table(&found, "distribution").notes;
    assert!(notes.contains(&"adhoc8_ap: 39 of 6450 linear scores are cut to 0 or 1".to_owned()), "{notes:?}");
    let easiest = numbers(table(&found, "queries"), &["adhoc8_ap", "easiest"]);
    assert!((easiest[0] - 0.708).abs() < 0.5e-3 && (easiest[1] - 0.226).abs() < 0.5e-3, "{easiest:?}");
}

/// Constants of a query cancel: SP and AP have the same standardised scores, and so have DCG and
/// nDCG.
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

/// The numbers of a row in the table of residual gain of dl19: nDCG@10, then NRG chronological,
/// leave-one-out, grouped.
fn residual_gain(found: &Findings, name: &str) -> Vec<f64> {
    let table = table(found, "ndcg-gain-linear-10-residual");
    let row = table.rows.iter().find(|row| row[1] == Cell::Text(name.to_owned())).unwrap();
    let numbers = row.iter().filter_map(|cell| if let Cell::Number { value, .. } = cell { Some(*value) } else { None });
    numbers.collect()
}

/// nDCG@10 of a reranker on its own track: RankVicuna on SPLADE++ EnsembleDistil has .7459 in
/// Pradeep, Sharifymoghaddam & Lin, "RankVicuna" (2023), Table 2, DL19. The residual gains are from
/// an independent script in Python:
// g = dict(grades of the query); for p in priors: for i, d in enumerate(top10(p)): g[d] *= 1 -
// 1/log2(i+2) sum(g.get(d, 0)/log2(i+2) for i, d in enumerate(top10(run))) / sum(x/log2(i+2) for i,
// x in enumerate(sorted(g.values())[:-11:-1]))
#[test]
fn dl19_has_the_published_ndcg() {
    let Some(data) = data() else { return };
    let found = findings(&shipped("residual-dl19"), &data);
    for (name, expected) in [
        ("SPLADE++ aug-7b top100 #2", [0.7459, 0.0395, 0.0329, 0.1877]),
        ("SPLADE++ 7b-ckpt800 top100", [0.7644, 0.3639, 0.1064, 0.2898]),
        ("gpt-3.5-turbo #2", [0.6737, 0.3192, 0.0190, 0.1685]),
    ] {
        for (value, expected) in residual_gain(&found, name).iter().zip(expected) {
            assert!((value - expected).abs() <= 0.5e-4, "{name}: {value}, not {expected}");
        }
    }
    // No run comes before the first run, so its residual gain is its nDCG.
    let first = residual_gain(&found, "gpt-3.5-turbo #1");
    assert_eq!(first[0], first[1]);
    assert_eq!(table(&found, "ndcg-gain-linear-10-residual").rows.len(), 38);
    let groups = table(&found, "ndcg-gain-linear-10-groups");
    let counts: Vec<&Cell> = groups.rows.iter().map(|row| &row[1]).collect();
    assert_eq!(counts, [12, 6, 5, 5, 5, 5].map(Cell::Count).iter().collect::<Vec<_>>());
}

/// The names and places come from the files themselves: all files of the folder, by the time stamps
/// in their names.
#[test]
fn dl19_is_the_same_by_the_names_of_its_files() {
    let Some(data) = data() else { return };
    let shipped = shipped("residual-dl19");
    let by_file = "name = \"dl19\"\nkind = \"residual\"\nmeasures = [\"ndcg(gain=linear)@10\"]\norder = \"timestamp\"\n\
                   groups = [\"BM25__\", \"BM25_RM3__\", \"D_BERT\", \"OPEN_AI\", \"SPLADE\", \"gpt-3.5-turbo\"]\n[systems]\n\
                   qrels = \"trec/dl19/qrels.txt\"\nruns = [\"trec/dl19/runs/*.txt\"]\n";
    let gains = |text: &str| -> Vec<Vec<String>> {
        let found = findings(text, &data);
        let rows = table(&found, "ndcg-gain-linear-10-residual").rows.clone();
        // The product over the prior systems is taken in their order, so its last bits may differ.
        let shown = |cell: &Cell| match cell {
            Cell::Number { value, .. } => format!("{value:.12}"),
            other => format!("{other:?}"),
        };
        let mut numbers: Vec<Vec<String>> = rows.iter().map(|row| row[3..].iter().map(shown).collect()).collect();
        numbers.sort();
        numbers
    };
    assert_eq!(gains(&shipped), gains(by_file));
}
