//! E against the mean over every random summary of small vocabularies. The summaries stand as
//! systems, so that their values are those that [`evaluate`] gives to any text.

use fivefold_text::{Column, Seed, evaluate};

use crate::common::{assert_close, measures, one_document};

/// Every sequence of `m` places of `tokens`, with or without repetition.
fn sequences(tokens: usize, m: usize, repeated: bool) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..m {
        let longer = |sequence: &Vec<usize>| -> Vec<Vec<usize>> {
            let next = (0..tokens).filter(|place| repeated || !sequence.contains(place));
            next.map(|place| [sequence.as_slice(), &[place]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Sources of one to six tokens over three letters, and references that have words apart, too.
const TEXTS: [(&str, &[&str]); 7] = [
    ("a", &["a", "b a a"]),
    ("a b", &["a b a b", "b a"]),
    ("a a b", &["a a a", "c b", "a b b a"]),
    ("a b c a", &["c a b", "a a", "b c d c a"]),
    ("a a a b", &["a a b a a b", "b"]),
    ("a b a b c", &["a b a b", "c c"]),
    ("b a c a a b", &["a a b a", "a c a"]),
];

/// The most enumerated summaries of a case.
const MOST: usize = 5000;

fn check(names: &[String], model: &str, compare: impl Fn(&str, f64, f64, f64)) -> usize {
    let mut cases = 0;
    for (source, references) in TEXTS {
        let words: Vec<&str> = source.split(' ').collect();
        for m in 1..=6 {
            let drawn = if model == "sample" { m.min(words.len()) } else { m };
            let repeated = model == "unigram";
            if repeated && words.len().pow(m as u32) > MOST {
                continue;
            }
            let text = |places: Vec<usize>| places.iter().map(|&place| words[place]).collect::<Vec<_>>().join(" ");
            let summaries = sequences(words.len(), drawn, repeated).into_iter().map(text).collect();
            let corpus = one_document(source, references, summaries);
            let names: Vec<String> = names.iter().map(|name| name.replace('M', &m.to_string())).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let values = evaluate(&corpus, &measures(&names), Seed::new(7)).unwrap();
            for (measure, name) in names.iter().enumerate() {
                let of = |column| values.column(column, measure, 0)[0];
                let what = format!("{name}: {source} / {references:?}");
                compare(&what, of(Column::Expected), of(Column::ExpectedError), values.mean(Column::Score, measure));
                cases += 1;
            }
        }
    }
    cases
}

/// All names of a metric for a model, with length M.
fn names(metrics: &[&str], model: &str, references: &[&str], more: &str) -> Vec<String> {
    let mut all = Vec::new();
    for metric in metrics {
        for of in references {
            for value in ["f1", "recall", "precision"] {
                if *of != "pool" || value == "recall" {
                    all.push(format!("{metric}(value={value},references={of},model={model},length=fixed:M{more})"));
                }
            }
        }
    }
    all
}

#[test]
fn closed_forms_are_means_over_all_summaries() {
    let references = ["first", "mean", "pool"];
    let exact = |what: &str, expected: f64, error: f64, mean: f64| {
        assert_eq!(error, 0.0, "{what}");
        assert_close(expected, mean, 1e-12, what);
    };
    let cases = check(&names(&["rouge1", "rouge2", "rougeL"], "unigram", &references, ""), "unigram", exact)
        + check(&names(&["rouge1", "rouge2"], "sample", &references, ""), "sample", exact);
    assert!(cases > 1000, "{cases}");
}

/// What is drawn lies within five standard errors, and the error is that of so many draws.
#[test]
fn drawn_means_are_means_over_all_summaries() {
    let drawn = |what: &str, expected: f64, error: f64, mean: f64| {
        // A constant has no error; rounding remains.
        assert_close(expected, mean, 5.0 * error + 1e-12, what);
        // Values from 0 to 1 spread most if half are 0 and half are 1.
        assert!(error <= 0.5 / 1999_f64.sqrt() + 1e-12, "{what}: {error}");
    };
    let more = ",draws=2000";
    let unigram = [
        names(&["rouge3"], "unigram", &["first", "mean", "pool"], more),
        names(&["rouge1", "rouge2", "rougeL", "rouge3"], "unigram", &["max"], more),
    ];
    let sample = [
        names(&["rouge3", "rougeL"], "sample", &["first", "mean", "pool"], more),
        names(&["rouge1", "rouge2", "rougeL"], "sample", &["max"], more),
    ];
    let cases = check(&unigram.concat(), "unigram", drawn) + check(&sample.concat(), "sample", drawn);
    assert!(cases > 1000, "{cases}");
}

/// A long reference of which the source has few tokens is exact, too.
#[test]
fn a_sequence_is_exact_by_the_tokens_that_the_source_has() {
    let reference = ["a x x x x x x x x x b x x x x x x x x c a"];
    let text =
        |places: Vec<usize>| places.iter().map(|&place| ["a", "b", "c", "a"][place]).collect::<Vec<_>>().join(" ");
    let corpus = one_document("a b c a", &reference, sequences(4, 5, true).into_iter().map(text).collect());
    let values = evaluate(&corpus, &measures(&["rougeL(length=fixed:5)"]), Seed::new(1)).unwrap();
    assert_eq!(values.column(Column::ExpectedError, 0, 0)[0], 0.0);
    assert_close(values.column(Column::Expected, 0, 0)[0], values.mean(Column::Score, 0), 1e-12, "rougeL");
}

/// Very long summaries are drawn rather than walked through.
#[test]
fn a_sequence_of_very_long_summaries_is_drawn() {
    let reference = ["a b c d e f g h i j k l m n o p"];
    let corpus = one_document(reference[0], &reference, vec!["a".to_owned()]);
    let names = ["rougeL(length=fixed:1024)", "rougeL(length=fixed:1025,draws=10)"];
    let values = evaluate(&corpus, &measures(&names), Seed::new(1)).unwrap();
    let [exact, drawn] = [0, 1].map(|measure| values.column(Column::Expected, measure, 0)[0]);
    // All but a few of the letters come in order, in one as in the other.
    assert_close(exact, drawn, 1e-2, "1024 and 1025 tokens");
    assert_eq!(values.column(Column::ExpectedError, 0, 0)[0], 0.0);
}

/// `empty=skip` leaves out references without a unit, in E as in A.
#[test]
fn references_without_a_unit_are_left_out() {
    let summaries: Vec<String> = sequences(3, 3, true)
        .into_iter()
        .map(|places| places.iter().map(|&place| ["a", "b", "b"][place]).collect::<Vec<_>>().join(" "))
        .collect();
    let corpus = one_document("a b b", &["a b a", "!", "b"], summaries);
    let names = ["rouge2(references=mean,empty=skip,length=fixed:3)", "rouge2(references=mean,length=fixed:3)"];
    let values = evaluate(&corpus, &measures(&names), Seed::new(1)).unwrap();
    for (measure, name) in names.into_iter().enumerate() {
        assert_close(values.column(Column::Expected, measure, 0)[0], values.mean(Column::Score, measure), 1e-12, name);
    }
    let [skipped, all] = [0, 1].map(|measure| values.mean(Column::Score, measure));
    assert_close(skipped, 3.0 * all, 1e-12, "two of three references have no bigram");
    assert_eq!(values.counts[0].empty_references, 2);
}
