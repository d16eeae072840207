//! `kind = "ratings"` on SummEval: correlations of ROUGE-1 with people, against the check values of an
//! independent computation (numpy, scipy, rouge-score 0.1.2).
//!
//! `summeval/rouge1.csv` is made by `summeval/rouge1.py`. The ratings are in FIVEFOLD_DATA.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fivefold_studies::{Findings, StudyFile, StudyOptions, run};

const DIMENSIONS: [&str; 4] = ["coherence", "consistency", "fluency", "relevance"];

/// The fixture as values with expected values: ROUGE-1, F1.
fn values() -> String {
    let mut text = "item,system,score,expected,upper\n".to_owned();
    for line in include_str!("summeval/rouge1.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |place: usize| cells[place].parse::<f64>().unwrap();
        let score = 2.0 * number(2) / (number(3) + number(4));
        writeln!(text, "{},{},{score},{},1", cells[0], cells[1], number(5) / number(4)).unwrap();
    }
    text
}

/// The study's findings on real data; `None` without real data.
fn findings(settings: &str, group: &str) -> Option<Findings> {
    let Some(data) = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from) else {
        println!("skipped: FIVEFOLD_DATA is not set");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rouge1.csv"), values()).unwrap();
    let text = format!(
        "name = \"summeval\"\nkind = \"ratings\"\n{settings}\n[systems]\nvalues = [\"rouge1.csv\"]\n[ratings]\n\
         group = \"{group}\"\nfiles = [\"text/summeval/model_output_annotations/*_outputs_annotations.jsonl\"]\n"
    );
    // Cargo runs tests in the folder of their package.
    let folders = vec![folder.path().to_owned(), Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(data)];
    let options = StudyOptions { folders, ..StudyOptions::default() };
    Some(run(&StudyFile::parse(&text).unwrap(), &options).unwrap())
}

/// The rows of a file of the findings, as cells.
fn rows(findings: &Findings, name: &str) -> Vec<Vec<String>> {
    let (_, text) = findings.files.iter().find(|(own, _)| own == name).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The correlation, points and items left out.
fn correlation(rows: &[Vec<String>], key: [&str; 4]) -> (f64, usize, usize) {
    let row = rows.iter().find(|row| row[..4] == key).unwrap();
    (row[4].parse().unwrap(), row[5].parse().unwrap(), row[6].parse().unwrap())
}

#[test]
fn rouge_1_has_the_correlations_of_the_check_values() {
    let Some(findings) = findings("draws = 20", "expert") else { return };
    let found = rows(&findings, "correlations.csv");
    let check = |measure: &str, level: &str, coefficient: &str, expected: [f64; 4], tolerance: f64| {
        for (dimension, expected) in DIMENSIONS.into_iter().zip(expected) {
            let (value, ..) = correlation(&found, [measure, dimension, level, coefficient]);
            assert!(
                (value - expected).abs() < tolerance,
                "{measure} {dimension} {level} {coefficient}: {value} {expected}"
            );
        }
    };
    let tau = |measure: &str, sixty_sixths: [f64; 4]| {
        check(measure, "system", "kendall", sixty_sixths.map(|k| k / 66.0), 1e-12)
    };
    tau("rouge1", [22.0, 18.0, 36.0, 34.0]);
    tau("rouge1.v1", [24.0, 20.0, 38.0, 36.0]);
    tau("rouge1.v2", [18.0, 18.0, 36.0, 30.0]);
    // Within documents, UE changes no order.
    for measure in ["rouge1", "rouge1.v1", "rouge1.v2"] {
        check(measure, "item", "kendall", [0.087738, 0.151978, 0.102441, 0.204013], 5.1e-7);
    }
    check("rouge1", "pooled", "kendall", [0.136504, 0.140950, 0.078189, 0.252443], 5.1e-7);
    check("rouge1.v1", "pooled", "kendall", [0.1193, 0.1368, 0.0659, 0.2289], 5.1e-5);
    check("rouge1.v2", "pooled", "kendall", [0.0991, 0.1315, 0.0531, 0.1927], 5.1e-5);
    check("rouge1", "system", "spearman", [0.468531, 0.447552, 0.713287, 0.706294], 5.1e-7);
    check("rouge1", "system", "pearson", [0.212341, 0.661703, 0.609314, 0.668502], 5.1e-7);
    check("rouge1.v2", "system", "pearson", [0.142438, 0.660467, 0.595119, 0.618907], 5.1e-7);
    let constant = DIMENSIONS.map(|dimension| correlation(&found, ["rouge1", dimension, "item", "kendall"]).2);
    assert_eq!(constant, [0, 4, 2, 0]);
    assert_eq!(correlation(&found, ["rouge1", "fluency", "pooled", "pearson"]).1, 1200);
    // tau x 66 = concordant - discordant: 22 means 22 of 66 pairs against people.
    let against = rows(&findings, "pairs.csv");
    let of = |dimension: &str| against.iter().filter(|row| row[..2] == ["rouge1", dimension]).count();
    assert_eq!(DIMENSIONS.map(of), [22, 24, 15, 16]);
}

/// The verdict of the definitions: no interval of a difference lies above 0.
#[test]
fn ue_does_not_make_rouge_1_agree_better_with_people() {
    let settings = "draws = 400\nlevel = [\"system\"]\ncoefficients = [\"kendall\"]";
    let Some(findings) = findings(settings, "expert") else { return };
    let differences = rows(&findings, "differences.csv");
    assert_eq!(differences.len(), 8);
    for row in differences {
        let [difference, low, high] = [5, 6, 7].map(|place: usize| row[place].parse::<f64>().unwrap());
        assert!(low <= 0.0 && high >= 0.0 && low <= difference && difference <= high, "{row:?}");
        assert_eq!(row[8], "400");
    }
}

/// Nominal, ordinal and interval alpha of each dimension.
const EXPERT: [[f64; 3]; 4] = [
    [0.16070777106856382, 0.5743864949509275, 0.575579604395337],
    [0.5362756772246169, 0.8145642718839878, 0.8988605609016765],
    [0.40677874768548183, 0.6122954982492772, 0.7375339503350834],
    [0.13887585492403431, 0.4472551159346192, 0.49349141867633395],
];
const CROWD: [[f64; 3]; 4] = [
    [0.45426624950158345, 0.4593718571852069, 0.453009848026917],
    [0.4562806260013973, 0.45192664182040054, 0.43590402770032444],
    [0.45342365547337327, 0.4518530352542367, 0.4436822842870082],
    [0.44594499415702493, 0.43815056398225005, 0.435147608285411],
];

/// krippendorff 0.9.0 on the ratings `[rater][system x article]` of SummEval's files.
#[test]
fn the_alphas_of_summeval_are_those_of_another_program() {
    for (group, expected) in [("expert", EXPERT), ("crowd", CROWD)] {
        let settings = "draws = 1\nlevel = [\"system\"]\ncoefficients = [\"pearson\"]";
        let Some(findings) = findings(settings, group) else { return };
        let table = findings.tables.iter().find(|table| table.id == "raters").unwrap();
        for (row, expected) in table.rows.iter().zip(expected) {
            for (cell, expected) in row[3..].iter().zip(expected) {
                let fivefold_analysis::Cell::Number { value, .. } = cell else { panic!("{cell:?}") };
                assert!((value - expected).abs() < 1e-9, "{group}: {value} {expected}");
            }
        }
    }
}
