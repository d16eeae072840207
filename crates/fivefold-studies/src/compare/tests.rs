//! Tests the study on scores with known answers.

use fivefold_analysis::table::Mark;
use fivefold_analysis::{Cell, Diagram, Table};
use fivefold_core::Seed;
use fivefold_data::per_query::SystemValues;
use fivefold_metrics::Undefined;
use fivefold_results::config::PadConfig;

use super::by_class::of_classes;
use super::classes::Class;
use super::scores::Scores;
use super::tables::Shown;
use super::tested::{Found, compare};
use super::{Compare, across, between};
use crate::study::{Findings, Study};

/// Scores from `[measure][system][query]`, a measure for each name.
fn scores(measures: &[&str], systems: &[&str], values: &[&[&[f64]]], against: Option<&str>) -> Scores {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let flat: Vec<f64> = values.iter().flat_map(|systems| systems.iter().flat_map(|own| own.to_vec())).collect();
    let values = SystemValues {
        measures: owned(measures),
        systems: owned(systems),
        queries: (0..values[0][0].len()).map(|query| query.to_string()).collect(),
        undefined: vec![false; flat.len()],
        values: flat,
        remarks: Vec::new(),
    };
    Scores::of("", values, Undefined::Zero, against, Vec::new()).unwrap()
}

fn compared(study: &Compare, scores: &Scores) -> Vec<Found> {
    scores.measures.iter().map(|measure| compare(study, scores, measure, Seed::new(1)).unwrap()).collect()
}

fn shown(study: &Compare, scores: &Scores) -> Vec<Table> {
    let mut findings = Findings::default();
    let compared = compared(study, scores);
    Shown { study, scores, compared: &compared, several: false }.add(&mut findings).unwrap();
    findings.tables
}

fn table<'a>(tables: &'a [Table], id: &str) -> &'a Table {
    tables.iter().find(|table| table.id == id).unwrap()
}

fn value(cell: &Cell) -> f64 {
    match cell {
        Cell::Number { value, .. } | Cell::PValue(value) => *value,
        Cell::Count(count) => *count as f64,
        other => panic!("{other:?}"),
    }
}

/// The differences are .5 four times and 0 four times. t-test: p = .0331 (scipy's `ttest_rel`);
/// exact permutation test: p = .125 (2 of 16 signs).
#[test]
fn known_answers_of_tests() {
    let (a, b): ([f64; 8], [f64; 8]) =
        ([0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.2, 0.1, 0.4, 0.3, 0.2, 0.1]);
    let given = scores(&["ap"], &["a", "b"], &[&[&a, &b]], None);
    let p = |test: &str| {
        let study = Compare { test: test.to_owned(), ..Compare::default() };
        value(&table(&shown(&study, &given), "pairs").rows[0][6])
    };
    assert!((p("t") - 0.0331).abs() < 5e-5, "{}", p("t"));
    assert_eq!(p("permutation"), 0.125);
}

#[test]
fn two_identical_systems_do_not_differ() {
    let same = [0.1, 0.5, 0.9, 0.3];
    let given = scores(&["ap"], &["a", "b", "c"], &[&[&same, &same, &[0.0, 0.1, 0.2, 0.0]]], None);
    for test in fivefold_stats::TESTS {
        let study = Compare { test: test.name.to_owned(), ..Compare::default() };
        let tables = shown(&study, &given);
        let row = table(&tables, "pairs").rows.iter().find(|row| row[2] == Cell::text("b")).unwrap();
        assert_eq!((value(&row[3]), value(&row[6])), (0.0, 1.0), "{}", test.name);
        assert!(!value(&row[3]).is_sign_negative());
    }
}

/// The better system stands first. With a baseline, the baseline's value is subtracted, whatever
/// the sign.
#[test]
fn differences_are_of_the_better_system_or_from_the_baseline() {
    let values: &[&[f64]] = &[&[0.1, 0.2, 0.1], &[0.5, 0.7, 0.6], &[0.3, 0.2, 0.4]];
    let names = |against| {
        let given = scores(&["ap"], &["low", "high", "middle"], &[values], against);
        let tables = shown(&Compare::default(), &given);
        let rows: Vec<(Cell, Cell, bool)> = table(&tables, "pairs")
            .rows
            .iter()
            .map(|row| (row[1].clone(), row[2].clone(), value(&row[3]) > 0.0))
            .collect();
        rows
    };
    let text = |text: &str| Cell::text(text);
    let pair = |a: &str, b: &str, positive| (text(a), text(b), positive);
    assert_eq!(names(None), [pair("high", "middle", true), pair("high", "low", true), pair("middle", "low", true)]);
    assert_eq!(names(Some("middle")), [pair("high", "middle", true), pair("low", "middle", false)]);
}

/// `high` less `low` is .4, .4, .4 and .35: p < .05. `high` less `near` is ±.1 three times, then .15:
/// not told apart. With a baseline, only pairs with the baseline are tested.
#[test]
fn tables_of_means_have_the_marks_of_the_test() {
    let high = [0.5, 0.7, 0.6, 0.8];
    let values: &[&[f64]] = &[&[0.1, 0.3, 0.2, 0.45], &high, &[0.6, 0.6, 0.7, 0.65]];
    let marked = |against| {
        let given = scores(&["ap@5", "ap@10"], &["low", "high", "near"], &[values, values], against);
        let tables = shown(&Compare::default(), &given);
        let means = table(&tables, "scores-ap").clone();
        assert_eq!([0, 1, 2].map(|row| &means.rows[row][0]), ["high", "near", "low"].map(Cell::text).each_ref());
        // The columns are the system, then mean and interval at each cutoff.
        let marks: Vec<Vec<Option<Mark>>> =
            (0..3).map(|row| (0..5).map(|column| means.mark(row, column)).collect()).collect();
        assert!(marks.iter().all(|of_row| of_row[1] == of_row[3] && [0, 2, 4].iter().all(|&c| of_row[c].is_none())));
        (marks.iter().map(|of_row| of_row[1]).collect::<Vec<_>>(), means.marks.unwrap().meaning)
    };
    let (marks, meaning) = marked(None);
    assert_eq!(marks, [Some(Mark::Best), Some(Mark::NotToldApart), None]);
    assert!(meaning.starts_with("bold: the best of the column; =: not told apart from the best; without"), "{meaning}");
    assert!(meaning.ends_with("significant: p < 0.05)"), "{meaning}");
    let (marks, meaning) = marked(Some("low"));
    assert_eq!(marks, [Some(Mark::Best), Some(Mark::Untested), None]);
    assert!(!meaning.contains('=') && meaning.contains("?: not tested against the best"), "{meaning}");
}

/// Holm over two comparisons: [.010, .011] -> [.020, .020], tested in fivefold-stats. Here: raw and
/// corrected p-values stand side by side, and the correction is over one measure at all its
/// cutoffs.
#[test]
fn the_family_of_a_correction_is_a_measure_with_its_cutoffs() {
    let one: &[&[f64]] = &[&[0.9, 0.8, 0.9, 0.7, 0.8], &[0.1, 0.3, 0.2, 0.2, 0.1]];
    let study = Compare { correction: "bonferroni".to_owned(), ..Compare::default() };
    let given = scores(&["ndcg@5", "ndcg@10", "ap"], &["a", "b"], &[one, one, one], None);
    let tables = shown(&study, &given);
    let factors: Vec<f64> = table(&tables, "pairs").rows.iter().map(|row| value(&row[7]) / value(&row[6])).collect();
    for (factor, expected) in factors.iter().zip([2.0, 2.0, 1.0]) {
        assert!((factor - expected).abs() < 1e-9, "{factors:?}");
    }
    let power = table(&tables, "power");
    assert_eq!(power.rows.iter().map(|row| value(&row[2])).collect::<Vec<_>>(), [2.0, 1.0]);
    let page = super::page::data(&study, &[(&given, compared(&study, &given))]).unwrap();
    assert_eq!(page.facts, ["2 systems, 5 queries, ndcg at 5 and 10; ap"]);
}

/// The test draws on 24 queries, and is exact on classes of 12 queries. Each table says which
/// method was used for it.
#[test]
fn exact_and_drawn_tests_of_classes_are_told_apart() {
    let values = |system: u32| -> Vec<f64> { (0..24u32).map(|query| f64::from(query * (system + 3) % 11)).collect() };
    let systems: Vec<Vec<f64>> = (0..3).map(values).collect();
    let systems: Vec<&[f64]> = systems.iter().map(Vec::as_slice).collect();
    let mut given = scores(&["ap"], &["a", "b", "c"], &[&systems], None);
    let half =
        |name: &str, queries: std::ops::Range<usize>| Class { name: name.to_owned(), queries: queries.collect() };
    given.classes = vec![half("first", 0..12), half("second", 12..24)];
    let study = Compare { test: "permutation".to_owned(), draws: 99, ..Compare::default() };
    let compared = compared(&study, &given);
    let shown = Shown { study: &study, scores: &given, compared: &compared, several: false };
    let mut findings = Findings::default();
    shown.add(&mut findings).unwrap();
    shown.add_classes(&of_classes(&shown, Seed::new(1)).unwrap(), &mut findings).unwrap();
    let begins = |id: &str, with: &str| {
        let notes = &table(&findings.tables, id).notes;
        assert!(notes.iter().any(|note| note.starts_with(with)), "{id}: {notes:?}");
    };
    begins("pairs", "test: permutation (99 draws), two-sided");
    begins("class-power", "test: permutation (99 draws for 3 comparisons, exact for 6), two-sided");
    let page = super::page::data(&study, &[(&given, compared.clone())]).unwrap();
    assert!(page.test.unwrap().words.starts_with("paired permutation test over queries (99 draws), p < 0.05"));
    assert!(page.methods[2].contains("Test of differences: paired permutation test over queries (99 draws), p"));
    assert_eq!(
        (page.datasets[0].classes.join(" "), &page.datasets[0].class_sets),
        ("first second".to_owned(), &vec![vec![0], vec![1]])
    );
}

#[test]
fn draws_that_are_too_few_for_the_correction_are_named() {
    let better: Vec<f64> = (0..30).map(|i| 0.5 + f64::from(i) / 100.0).collect();
    let worse = [0.0; 30];
    let middle: Vec<f64> = better.iter().map(|value| value - 0.3).collect();
    let given = scores(&["ap"], &["a", "b", "c"], &[&[&better, &worse, &middle]], None);
    let noted = |draws, correction: &str| {
        let study =
            Compare { draws, test: "permutation".to_owned(), correction: correction.to_owned(), ..Compare::default() };
        shown(&study, &given).iter().any(|table| table.notes.iter().any(|note| note.contains("take more draws")))
    };
    assert!(noted(19, "holm"));
    // Even without a correction, 1/20 is not below .05.
    assert!(noted(19, "none"));
    assert!(!noted(999, "holm") && !noted(99, "none"));
}

/// System b is better on 17 of 20 queries, but a has the higher mean: 2 P(at most 3 of 20 coins) =
/// .0026.
#[test]
fn a_sign_test_against_the_means_is_counted() {
    let a: Vec<f64> = (0..20).map(|query| if query < 3 { 0.9 } else { 0.4 }).collect();
    let b: Vec<f64> = (0..20).map(|query| if query < 3 { 0.3 } else { 0.42 }).collect();
    let given = scores(&["ap"], &["a", "b"], &[&[&a, &b]], None);
    let notes = |test: &str| {
        let study = Compare { test: test.to_owned(), ..Compare::default() };
        table(&shown(&study, &given), "pairs").notes.join("\n")
    };
    assert!(notes("sign").contains("1 significant comparison favours a system whose mean is not higher"));
    assert!(!notes("t").contains("favours"));
}

/// If the test has intervals of its own, tables, files and the page use and name them. Tukey's
/// p-values are corrected for all pairs, even if only the pairs with a baseline are shown.
#[test]
fn intervals_and_corrections_are_those_of_the_test() {
    let values = |system: u32| -> Vec<f64> { (0..24u32).map(|query| f64::from(query * (system + 3) % 11)).collect() };
    let systems: Vec<Vec<f64>> = (0..4).map(values).collect();
    let systems: Vec<&[f64]> = systems.iter().map(Vec::as_slice).collect();
    let of = |test: &str, against: Option<&str>| {
        let given = scores(&["ap"], &["a", "b", "c", "d"], &[&systems], against);
        let study = Compare { test: test.to_owned(), draws: 99, ..Compare::default() };
        let all = [(&given, compared(&study, &given))];
        let mut findings = Findings::default();
        super::files::add(&study, &all, &mut findings).unwrap();
        super::charts::add(&study, &given, &all[0].1, false, &mut findings).unwrap();
        let methods = super::page::data(&study, &all).unwrap().methods.join("\n");
        (table(&shown(&study, &given), "pairs").notes.join("\n"), methods, findings)
    };
    for (test, interval) in [
        ("t", "t"),
        ("permutation", "t, whatever the test"),
        ("bootstrap", "studentised bootstrap"),
        ("tukey-hsd", "randomised Tukey HSD (simultaneous)"),
    ] {
        let (notes, methods, findings) = of(test, None);
        assert!(notes.contains(&format!("low, high: 95 % interval of the difference ({interval})")), "{notes}");
        assert!(
            methods.contains(&format!("at 95 %: of means by Student's t, of differences by {interval}.")),
            "{methods}"
        );
        let pairs = &findings.files.iter().find(|(name, _)| name == "pairs.csv").unwrap().1;
        let method = interval.trim_end_matches(", whatever the test");
        assert!(pairs.lines().skip(1).all(|line| line.contains(&format!(",{method},"))), "{pairs}");
        let axis = if test == "tukey-hsd" { "corrected by itself" } else { "correction: none" };
        assert_eq!(findings.charts[0].y.label, format!("p ({test}, {axis})"));
    }
    let notes = of("tukey-hsd", Some("b")).0;
    let own = "test: tukey-hsd (99 draws), two-sided; correction: the test's own, over all 6 pairs of systems of a measure at a cutoff;";
    assert!(notes.contains(own), "{notes}");
    assert!(of("t", Some("b")).0.contains("correction: none, over the comparisons of one measure (3 for the first)"));
}

/// The mean of b is .2 - .3 + .1 = 0 up to rounding, and the mean of c is negative. By hand: a and
/// b 100 %, a and c 200 %, b and c undefined.
#[test]
fn percentages_of_negative_means_are_noted() {
    let values: &[&[f64]] = &[&[0.1, 0.1, 0.1], &[0.2, -0.3, 0.1], &[-0.1, -0.2, 0.0]];
    let mut given = scores(&["x"], &["a", "b", "c"], &[values], None);
    given.classes = vec![Class { name: "hard".to_owned(), queries: vec![0, 1, 2] }];
    let power = |pad| {
        let study = Compare { pad, ..Compare::default() };
        let compared = compared(&study, &given);
        let shown = Shown { study: &study, scores: &given, compared: &compared, several: false };
        let mut findings = Findings::default();
        shown.add(&mut findings).unwrap();
        shown.add_classes(&of_classes(&shown, Seed::new(1)).unwrap(), &mut findings).unwrap();
        ["power", "class-power"].map(|id| table(&findings.tables, id).clone())
    };
    let [all, by_class] = power(PadConfig::Signed);
    assert!((value(&all.rows[0][6]) - 150.0).abs() < 1e-9, "{:?}", all.rows);
    for (table, places) in [(&all, "x"), (&by_class, "x, all; x, hard")] {
        let notes = table.notes.join("\n");
        assert!(notes.contains("1 of 3 pairs left out, their max(a, b) is 0"), "{notes}");
        assert!(
            notes.contains("these figures measure no difference (`pad = \"abs\"`, `--pad abs` divides by"),
            "{notes}"
        );
        assert!(notes.contains(&format!("max(|a|, |b|)): {places}")), "{notes}");
    }
    let [abs, _] = power(PadConfig::Abs);
    // a and b 100 %, a and c 200 %, b and c 100 %.
    assert!((value(&abs.rows[0][6]) - 400.0 / 3.0).abs() < 1e-9, "{:?}", abs.rows);
    assert!(!abs.notes.join("\n").contains("negative"));
}

/// All systems tie under x, so no correlation with x exists.
#[test]
fn an_order_that_does_not_exist_is_explained() {
    let level: &[f64] = &[0.2, 0.4];
    let (flat, up): (&[&[f64]], &[&[f64]]) = (&[level; 3], &[&[0.1, 0.2], &[0.3, 0.4], &[0.5, 0.6]]);
    let given = scores(&["x", "y"], &["a", "b", "c"], &[flat, up], None);
    let tables = shown(&Compare::default(), &given);
    for id in ["tau", "tau-ap", "weighted-tau"] {
        let table = table(&tables, id);
        assert_eq!(table.rows[0][2], Cell::na());
        assert!(table.notes.iter().any(|note| note.starts_with("n/a: undefined, since all systems tie")), "{id}");
    }
}

/// Two measures that agree on everything, and a measure with the reverse order; by hand.
#[test]
fn measures_are_held_against_each_other() {
    let up: &[&[f64]] = &[&[0.9, 0.8, 0.9, 0.85], &[0.1, 0.2, 0.15, 0.1], &[0.5, 0.45, 0.5, 0.4]];
    let down: Vec<Vec<f64>> = up.iter().map(|own| own.iter().map(|value| 1.0 - value).collect()).collect();
    let down: Vec<&[f64]> = down.iter().map(Vec::as_slice).collect();
    let given = scores(&["x", "y", "z"], &["a", "b", "c"], &[up, up, &down], None);
    let found = compared(&Compare::default(), &given);
    let taus = between::matrix(&given, fivefold_stats::kendall_tau_b).unwrap();
    assert_eq!(taus[0], [Some(1.0), Some(1.0), Some(-1.0)]);
    let (pairs, unlike) = between::pairs(&given, found.iter().map(|compared| &compared.tested));
    assert_eq!((pairs.len(), unlike), (3, 0));
    assert_eq!(pairs[0].conflicts(0.05).unwrap(), (0, 0, 0));
    let [same] = pairs[0].agreements(0.05).unwrap()[..] else { panic!() };
    assert!(same.same_winner && same.same_order && same.active_agreements == 3);
    let [turned] = pairs[1].agreements(0.05).unwrap()[..] else { panic!() };
    assert_eq!((turned.same_winner, turned.active_disagreements), (false, 3));
}

/// Two data sets, and a system that is in a single data set: WN and IWN by hand.
#[test]
fn winning_numbers_over_data_sets() {
    let mut first = scores(&["ap"], &["a", "b", "c"], &[&[&[0.9, 0.9], &[0.5, 0.5], &[0.1, 0.1]]], None);
    let mut second = scores(&["ap"], &["b", "a"], &[&[&[0.9, 0.9], &[0.5, 0.5]]], None);
    (first.label, second.label) = ("one".to_owned(), "two".to_owned());
    let tables = across::tables(&[&first, &second]).unwrap();
    let rows: Vec<(Cell, f64, f64)> =
        tables[0].rows.iter().map(|row| (row[1].clone(), value(&row[2]), value(&row[3]))).collect();
    let text = |text: &str| Cell::text(text);
    assert_eq!(rows, [(text("a"), 2.0, 3.0), (text("b"), 2.0, 3.0), (text("c"), 0.0, 2.0)]);
    assert_eq!(value(&tables[1].rows[0][4]), 1.0, "the order of a and b is reversed");
}

fn drawn(study: &Compare, scores: &Scores) -> Vec<Diagram> {
    let mut findings = Findings::default();
    let compared = compared(study, scores);
    Shown { study, scores, compared: &compared, several: false }.add_diagrams(&mut findings).unwrap();
    findings.diagrams
}

/// Two measures that rank the systems alike on every query share a diagram of ranks. The row of the
/// better system has the positive difference. Intervals are as in the table: mean .5, sd .1, n = 4,
/// so the half-width is 3.182 x .05, from a table of t.
#[test]
fn diagrams_have_the_numbers_of_the_tables() {
    let low: &[f64] = &[0.1, 0.2, 0.1, 0.2];
    let high = [0.4, 0.4, 0.6, 0.6].map(|value: f64| 0.5 + (value - 0.5) * 0.75f64.sqrt());
    let given = scores(&["x@5", "x@10", "y"], &["low", "high"], &[&[low, &high], &[low, &high], &[low, &high]], None);
    let diagrams = drawn(&Compare::default(), &given);
    let [Diagram::Intervals(means), Diagram::Pairs(pairs), _, _, Diagram::Ranks(ranks)] = &diagrams[..] else {
        panic!("{diagrams:?}");
    };
    assert_eq!(
        (means.systems.join(" "), means.series.len(), means.series[1].name.as_str()),
        ("high low".to_owned(), 2, "x@10")
    );
    let (mean, ends) = means.series[0].means[0];
    assert!((mean - 0.5).abs() < 1e-12 && (ends.unwrap().1 - mean - 3.182 * 0.05).abs() < 1e-4, "{ends:?}");
    assert!(pairs.title.ends_with("under x@10"));
    let [above, below] = [pairs.cells[0][1].unwrap(), pairs.cells[1][0].unwrap()];
    assert!(above.difference > 0.0 && above.difference == -below.difference && above.p == below.p);
    assert_eq!(
        (ranks.average.as_slice(), ranks.title.as_str()),
        (&[1.0, 2.0][..], "Critical differences under x@10, y")
    );
}

/// Of 30 systems, 24 stand on the line of ranks. Bars end with these systems, and no bar lies
/// within another.
#[test]
fn many_systems_are_cut_to_the_best() {
    let names: Vec<String> = (0..30).map(|system| format!("s{system}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let values: Vec<Vec<f64>> =
        (0..30).map(|system| (0..40).map(|query| f64::from(system + query % 3)).collect()).collect();
    let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
    let given = scores(&["x"], &names, &[&values], None);
    let of = |study: &Compare| match drawn(study, &given).pop() {
        Some(Diagram::Ranks(ranks)) => ranks,
        other => panic!("{other:?}"),
    };
    let ranks = of(&Compare::default());
    assert_eq!((ranks.systems.len(), ranks.systems[0].as_str()), (24, "s29"));
    assert!(ranks.notes.contains(&"the best 24 of 30 systems; scores.csv and pairs.csv have all".to_owned()));
    assert!(ranks.cliques.iter().all(|clique| clique.len() > 1 && clique.iter().all(|&system| system < 24)));
    for (at, one) in ranks.cliques.iter().enumerate() {
        let within = |other: &Vec<usize>| one.iter().all(|system| other.contains(system));
        assert!(
            ranks.cliques.iter().enumerate().all(|(other, clique)| at == other || !within(clique)),
            "{:?}",
            ranks.cliques
        );
    }
    assert_eq!(of(&Compare { top: Some(5), ..Compare::default() }).systems.len(), 5);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let error = |study: Compare| study.check().unwrap_err().to_string();
    let base = || Compare {
        systems: crate::SystemsConfig { values: vec!["x.csv".to_owned()], ..Default::default() },
        ..Compare::default()
    };
    assert!(base().check().is_ok());
    assert!(error(Compare { test: "tt".to_owned(), ..base() }).starts_with("`test` is wrong: unknown test \"tt\""));
    let joint = error(Compare { correction: "maxt".to_owned(), ..base() });
    assert!(joint.starts_with("`correction` is wrong: "), "{joint}");
    assert!(Compare { correction: "maxt".to_owned(), test: "permutation".to_owned(), ..base() }.check().is_ok());
    assert!(error(Compare { alpha: 1.0, ..base() }).starts_with("`alpha` must be between 0 and 1"));
    assert!(error(Compare { differences: vec![0.1, 0.0], ..base() }).contains("must be above 0 each, not 0"));
    let classes = |classes| error(Compare { classes, ..base() });
    let none = super::classes::Classes::default;
    assert!(
        classes(super::classes::Classes { by: Some("ap".to_owned()), ..none() })
            .contains("needs `file`, `quantiles` or `sets`")
    );
    let two = super::classes::Classes { quantiles: Some(2), sets: Some(5), ..none() };
    assert!(classes(two).contains("several keys of"));
    let both = super::CompareDataset { label: "d".to_owned(), systems: base().systems };
    assert!(error(Compare { dataset: vec![both], ..base() }).contains("give `systems` or `dataset`"));
}
