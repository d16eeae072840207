//! SummEval: means of A, E, V1 and V2 that were computed apart, and what UE can and cannot change.

use fivefold_text::{Column, Document, Seed, TextValues, evaluate};

use crate::common::{SYSTEMS, SummEval, assert_close, concordance, measures, summeval, system_means};

/// A measure; the means of A, E, V1 and V2; concordant less discordant pairs of systems with the
/// ratings (coherence, consistency, fluency, relevance) for A, V1 and V2.
type Row = (&'static str, [f64; 4], [[i32; 4]; 3]);

/// E of these has a closed form.
const EXACT: [Row; 6] = [
    ("rouge1", [0.425913, 0.290753, 0.256313, 0.181334], [[22, 18, 36, 34], [24, 20, 38, 36], [18, 18, 36, 30]]),
    (
        "rouge1(references=mean)",
        [0.328073, 0.244990, 0.188953, 0.104336],
        [[22, 34, 40, 38], [22, 34, 40, 38], [16, 32, 34, 32]],
    ),
    ("rouge2", [0.198563, 0.006327, 0.192613, 0.176955], [[22, 22, 36, 38], [22, 22, 36, 38], [14, 14, 28, 30]]),
    (
        "rouge2(references=mean)",
        [0.109600, 0.005314, 0.104603, 0.104868],
        [[12, 28, 30, 28], [12, 28, 30, 28], [12, 28, 30, 28]],
    ),
    (
        "rouge1(value=recall,length=candidate)",
        [0.478600, 0.330209, 0.286384, 0.218748],
        [[16, 20, 30, 32], [20, 20, 34, 36], [24, 20, 34, 36]],
    ),
    (
        "rouge1(length=candidate)",
        [0.425913, 0.293076, 0.255100, 0.180767],
        [[22, 18, 36, 34], [20, 16, 34, 32], [14, 18, 32, 30]],
    ),
];

/// E of these is drawn.
const DRAWN: [Row; 5] = [
    (
        "rouge1(references=max)",
        [0.487058, 0.3359, 0.2900, 0.2252],
        [[30, 30, 40, 42], [32, 28, 42, 44], [30, 30, 40, 42]],
    ),
    (
        "rouge2(references=max)",
        [0.255591, 0.0230, 0.2348, 0.2381],
        [[24, 32, 42, 36], [26, 30, 44, 38], [24, 32, 42, 36]],
    ),
    ("rougeL", [0.292075, 0.1443, 0.1980, 0.1679], [[22, 18, 36, 38], [22, 18, 36, 38], [26, 22, 36, 42]]),
    (
        "rougeL(references=mean)",
        [0.218570, 0.1358, 0.1356, 0.0944],
        [[34, 42, 48, 46], [34, 42, 48, 46], [34, 42, 48, 46]],
    ),
    (
        "rougeL(references=max)",
        [0.351112, 0.1843, 0.2319, 0.2040],
        [[32, 32, 42, 48], [32, 32, 42, 48], [32, 32, 42, 48]],
    ),
];

const COLUMNS: [Column; 4] = [Column::Score, Column::Expected, Column::V1, Column::V2];
const VERSIONS: [Column; 3] = [Column::Score, Column::V1, Column::V2];

fn of(data: &SummEval, names: &[&str]) -> TextValues {
    evaluate(&data.corpus, &measures(names), Seed::new(7)).unwrap()
}

/// Concordant less discordant pairs of systems with each dimension of the ratings.
fn with_people(data: &SummEval, values: &TextValues, column: Column, measure: usize) -> [i32; 4] {
    let means = system_means(values, column, measure);
    [0, 1, 2, 3].map(|dimension| {
        let mean = |list: &Vec<f64>| list.iter().sum::<f64>() / list.len() as f64;
        let ratings: Vec<f64> = data.ratings[dimension].iter().map(mean).collect();
        concordance(&means, &ratings)
    })
}

#[test]
fn means_of_exact_measures() {
    let Some(data) = summeval() else { return };
    let values = of(&data, &EXACT.map(|(name, ..)| name));
    for (measure, (name, means, pairs)) in EXACT.into_iter().enumerate() {
        for (column, expected) in COLUMNS.into_iter().zip(means) {
            assert_close(values.mean(column, measure), expected, 6e-7, &format!("{name} {column:?}"));
        }
        for (column, expected) in VERSIONS.into_iter().zip(pairs) {
            assert_eq!(with_people(&data, &values, column, measure), expected, "{name} {column:?}");
        }
        let errors = (0..SYSTEMS.len()).flat_map(|system| values.column(Column::ExpectedError, measure, system));
        assert!(errors.into_iter().all(|error| *error == 0.0), "{name}");
    }
    // The other model, and the same system's other summaries.
    for (name, expected) in [
        ("rouge1(model=sample)", 0.302892),
        ("rouge2(model=sample)", 0.006366),
        ("rouge1(model=mismatch)", 0.130077),
        ("rouge2(model=mismatch)", 0.005879),
        ("rougeL(model=mismatch)", 0.0891511),
    ] {
        let most = if name.starts_with("rougeL") { 6e-8 } else { 6e-7 };
        assert_close(of(&data, &[name]).mean(Column::Expected, 0), expected, most, name);
    }
}

/// The values to compare with were drawn, too: they hold within .0005, and are printed to four
/// digits. Our own error is far smaller: two seeds differ by no more than four of their errors.
#[test]
fn means_of_drawn_measures() {
    let Some(data) = summeval() else { return };
    let names = DRAWN.map(|(name, ..)| name);
    let values = of(&data, &names);
    let other = evaluate(&data.corpus, &measures(&names), Seed::new(8)).unwrap();
    for (measure, (name, means, pairs)) in DRAWN.into_iter().enumerate() {
        for (column, expected) in COLUMNS.into_iter().zip(means) {
            let most = if column == Column::Score { 6e-7 } else { 5e-4 + 5e-5 };
            let (mean, what) = (values.mean(column, measure), format!("{name} {column:?}"));
            assert_close(mean, expected, most, &what);
            let error = values.mean_error(column, measure);
            assert!(error < 2e-4 && (error > 0.0) == (column != Column::Score), "{what}: {error}");
            assert_close(other.mean(column, measure), mean, 4.0 * 2_f64.sqrt() * error, &what);
        }
        for (column, expected) in VERSIONS.into_iter().zip(pairs) {
            assert_eq!(with_people(&data, &values, column, measure), expected, "{name} {column:?}");
        }
    }
}

#[test]
fn means_without_stems() {
    let Some(data) = summeval() else { return };
    let rows = [
        ("rouge1", [0.416785, 0.315531, 0.475386], Some((0.281366, 6e-7))),
        ("rouge2", [0.195302, 0.105802, 0.249561], Some((0.005830, 6e-7))),
        ("rougeL", [0.287072, 0.212334, 0.344081], Some((0.1413, 5e-4 + 5e-5))),
    ];
    for (metric, means, expected) in rows {
        for (references, mean) in ["first", "mean", "max"].into_iter().zip(means) {
            let name = format!("{metric}(references={references},stemmer=none,draws=200)");
            let values = of(&data, &[&name]);
            assert_close(values.mean(Column::Score, 0), mean, 6e-7, &name);
            if let (Some((expected, most)), "first") = (expected, references) {
                assert_close(values.mean(Column::Expected, 0), expected, most, &name);
            }
        }
    }
}

#[test]
fn system_means_of_rouge1() {
    let Some(data) = summeval() else { return };
    let values = of(&data, &["rouge1"]);
    let a = [
        0.420939, 0.428065, 0.444750, 0.413949, 0.424592, 0.424679, 0.419218, 0.420587, 0.475316, 0.304000, 0.459379,
        0.475489,
    ];
    let v2 = [
        0.176466, 0.191513, 0.215539, 0.167831, 0.184264, 0.185587, 0.174756, 0.174013, 0.257719, -0.042462, 0.235772,
        0.255007,
    ];
    for (column, expected) in [(Column::Score, a), (Column::V2, v2)] {
        for ((found, expected), system) in system_means(&values, column, 0).into_iter().zip(expected).zip(SYSTEMS) {
            assert_close(found, expected, 6e-7, &format!("{system} {column:?}"));
        }
    }
    let upper = of(&data, &["rouge1(upper=source)"]).mean(Column::Upper, 0);
    assert_close(upper, 0.901865, 6e-7, "the best bag of source tokens");
}

/// The first document in file order, the first system: 38 tokens of the first reference, 61 of the
/// candidate, 334 of the source.
#[test]
fn the_first_document() {
    let Some(data) = summeval() else { return };
    let names = |more: &str| ["rouge1", "rouge2", "rougeL"].map(|metric| format!("{metric}({more})"));
    let first = |names: &[String]| -> Vec<[f64; 6]> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let values = of(&data, &names);
        (0..names.len()).map(|measure| Column::ALL.map(|column| values.column(column, measure, 0)[0])).collect()
    };
    let matches = |value: f64, candidate: f64, reference: f64| value * (candidate + reference) / 2.0;
    let porter = first(&names("draws=20000"));
    let plain = first(&names("draws=20000,stemmer=none"));
    // Of tokens, and of bigrams.
    let (units, pairs) = ([61.0, 38.0, 38.0], [60.0, 37.0, 37.0]);
    for (found, [a, e, plain_e], counts, plain_counts) in [
        (0, [0.383838, 9.690599, 9.594232], 19.0, 19.0),
        (1, [0.103093, 0.102483, 0.102152], 5.0, 5.0),
        (2, [0.262626, 4.986, 4.958], 13.0, 12.0),
    ] {
        let [candidate, reference, m] = if found == 1 { pairs } else { units };
        let what = format!("metric {found}");
        assert_close(porter[found][0], a, 6e-7, &what);
        assert_close(matches(porter[found][0], candidate, reference), counts, 1e-12, &what);
        assert_close(matches(plain[found][0], candidate, reference), plain_counts, 1e-12, &what);
        // The value to compare with was drawn with an error of .008 for ROUGE-L.
        let most = if found == 2 { 4.0 * 0.008 } else { 6e-7 };
        assert_close(matches(porter[found][1], m, reference), e, most, &what);
        assert_close(matches(plain[found][1], m, reference), plain_e, most, &what);
    }
    for (found, [v1, v2]) in [(0, [0.230619, 0.172920]), (1, [0.100395, 0.100602])] {
        assert_close(porter[found][4], v1, 6e-7, "V1");
        assert_close(porter[found][5], v2, 6e-7, "V2");
    }
    let sample = first(&names("model=sample,draws=2"));
    assert_close(matches(sample[0][1], 38.0, 38.0), 10.060682, 6e-7, "sample, ROUGE-1");
    assert_close(matches(sample[1][1], 37.0, 37.0), 0.102942, 6e-7, "sample, ROUGE-2");
    let longer = first(&names("length=candidate,draws=2"));
    assert_close(matches(longer[0][1], 61.0, 38.0), 13.491440, 6e-7, "61 tokens, ROUGE-1");
    assert_close(matches(longer[1][1], 60.0, 37.0), 0.165825, 6e-7, "61 tokens, ROUGE-2");
}

/// Fact 1: if E and U depend on the document alone, no two summaries of a document change their
/// order. If E depends on the summary, some do.
#[test]
fn within_a_document_the_order_never_changes() {
    let Some(data) = summeval() else { return };
    let fixed = [
        "rouge1",
        "rouge2",
        "rougeL(draws=50)",
        "rouge1(references=max,draws=50)",
        "rouge2(references=mean,model=sample)",
        "rougeL(value=recall,length=fixed:60,draws=50)",
        "rouge1(upper=source)",
        "rouge1(length=candidate)",
        "rouge1(model=mismatch)",
    ];
    let values = of(&data, &fixed);
    let sign = |x: f64, y: f64| i32::from(x > y) - i32::from(x < y);
    for (measure, name) in fixed.iter().enumerate() {
        let mut changed = 0;
        for document in 0..data.corpus.documents.len() {
            let of = |column, system| values.column(column, measure, system)[document];
            for (one, other) in (0..SYSTEMS.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
                let order = VERSIONS.map(|column| sign(of(column, one), of(column, other)));
                changed += usize::from(order[1] != order[0]) + usize::from(order[2] != order[0]);
            }
        }
        let depends_on_the_summary = name.contains("candidate") || name.contains("mismatch");
        assert_eq!(changed > 0, depends_on_the_summary, "{name}: {changed}");
    }
}

/// Fact 2: with one E for all documents, V2 is (A - b)/(1 - b), so that systems keep their order,
/// unless summaries lie below b.
#[test]
fn one_expected_value_for_all_keeps_the_order_of_systems() {
    let Some(data) = summeval() else { return };
    let values = of(&data, &["rouge1"]);
    let rescaled = |b: f64| {
        let mut below = 0;
        let mean = |system: usize| {
            let of = values.column(Column::Score, 0, system);
            let v2 = |&a: &f64| {
                below += usize::from(a < b);
                fivefold_base::ue::v2(a, 1.0, b)
            };
            of.iter().map(v2).sum::<f64>() / of.len() as f64
        };
        let means: Vec<f64> = (0..SYSTEMS.len()).map(mean).collect();
        let pairs = [0, 1, 2, 3].map(|dimension| {
            let ratings: Vec<f64> = data.ratings[dimension].iter().map(|list| list.iter().sum()).collect();
            concordance(&means, &ratings)
        });
        (below, pairs)
    };
    assert_eq!(rescaled(0.05), (0, [22, 18, 36, 34]));
    assert_eq!(rescaled(0.290753), (150, [20, 20, 38, 32]));
    // The same E for all documents comes out of the crate where all documents are alike.
    let same = Document { id: String::new(), ..data.corpus.documents[0].clone() };
    let mut alike = data.corpus.clone();
    for (place, document) in alike.documents.iter_mut().enumerate() {
        let candidates = document.candidates.clone();
        *document = Document { id: place.to_string(), candidates, ..same.clone() };
    }
    let values = evaluate(&alike, &measures(&["rouge1"]), Seed::new(1)).unwrap();
    let b = values.column(Column::Expected, 0, 0)[0];
    for system in 0..SYSTEMS.len() {
        for place in 0..alike.documents.len() {
            let of = |column| values.column(column, 0, system)[place];
            assert_eq!(of(Column::Expected), b);
            if of(Column::Score) >= b {
                assert_close(of(Column::V2), (of(Column::Score) - b) / (1.0 - b), 1e-12, "V2");
            }
        }
    }
}

/// Fact 3: where E is small, a value of 0 costs a whole point. `clip` takes the cliff away.
#[test]
fn a_small_expected_value_makes_a_cliff() {
    let Some(data) = summeval() else { return };
    let values = of(&data, &["rouge2", "rouge2(clip=zero)"]);
    let column = |column, measure| -> Vec<f64> {
        (0..SYSTEMS.len()).flat_map(|system| values.column(column, measure, system)).copied().collect()
    };
    let (a, e, v2) = (column(Column::Score, 0), column(Column::Expected, 0), column(Column::V2, 0));
    let below = a.iter().zip(&e).filter(|(a, e)| a < e).count();
    assert_close(below as f64 / a.len() as f64, 0.017, 5e-4, "share below E");
    assert!(a.iter().zip(&v2).all(|(a, v2)| (*a == 0.0) == (*v2 == -1.0)));
    let clipped = column(Column::V2, 1);
    assert!(v2.iter().zip(&clipped).all(|(v2, clipped)| *clipped == v2.max(0.0)));
    let tau = |one: &[f64], other: &[f64]| f64::from(concordance(one, other)) / 66.0;
    let [of_a, of_v2] = [Column::Score, Column::V2].map(|column| system_means(&values, column, 0));
    assert_close(tau(&of_a, &of_v2), 0.70, 5e-3, "tau between the orders of A and V2");
}
