//! What holds for any texts.

use fivefold_text::{Column, Corpus, Document, Seed, TextValues, evaluate};
use proptest::prelude::*;

use crate::common::{assert_close, measures, of_one, one_document};

fn corpus(texts: &[Vec<u8>], systems: usize) -> Corpus {
    let text = |letters: &Vec<u8>| {
        letters.iter().map(|letter| ["a", "b", "c", "dogs", "!"][usize::from(*letter)]).collect::<Vec<_>>().join(" ")
    };
    let document = |(place, texts): (usize, &[Vec<u8>])| Document {
        id: place.to_string(),
        source: Some(text(&texts[0])),
        references: texts[1..4].iter().map(text).collect(),
        candidates: texts[4..].iter().map(text).map(Some).collect(),
    };
    Corpus {
        systems: (0..systems).map(|system| system.to_string()).collect(),
        documents: texts.chunks_exact(4 + systems).enumerate().map(document).collect(),
    }
}

fn bits(values: &TextValues) -> Vec<u64> {
    let mut all = Vec::new();
    for column in Column::ALL {
        for measure in 0..values.measures.len() {
            for system in 0..values.systems.len() {
                all.extend(values.column(column, measure, system).iter().map(|value| value.to_bits()));
            }
        }
    }
    all
}

const ALL: [&str; 12] = [
    "rouge1",
    "rouge2(value=recall,model=sample)",
    "rougeL(length=candidate)",
    "rougeL(model=sample,references=mean,draws=20)",
    "rouge3(length=candidate,draws=20)",
    "rouge1(references=max,draws=20)",
    "rouge2(references=max,length=candidate,model=sample,draws=20,empty=skip)",
    "rouge1(model=mismatch,references=max,value=recall)",
    "rougeL(model=mismatch)",
    "rouge1(references=pool,value=recall,upper=source)",
    "rouge1(stemmer=none,tokeniser=space)",
    "rouge2(length=fixed:70,references=mean,value=precision,empty=skip)",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Values lie in their ranges, and are the same to the bit for any number of threads, alone or
    /// among other measures and systems.
    #[test]
    fn values_are_bounded_and_the_same(texts in prop::collection::vec(prop::collection::vec(0..5_u8, 0..8), 18)) {
        let corpus = corpus(&texts, 2);
        let all = evaluate(&corpus, &measures(&ALL), Seed::new(3)).unwrap();
        for column in [Column::Score, Column::Expected, Column::Upper] {
            for (measure, name) in ALL.iter().enumerate() {
                for value in (0..2).flat_map(|system| all.column(column, measure, system)) {
                    prop_assert!(value.is_nan() || (0.0..=1.0 + 1e-12).contains(value), "{name} {column:?} {value}");
                }
            }
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| evaluate(&corpus, &measures(&ALL), Seed::new(3))).unwrap();
            prop_assert_eq!(bits(&again), bits(&all));
        }
        for (place, name) in ALL.iter().enumerate() {
            let alone = evaluate(&corpus, &measures(&[name]), Seed::new(3)).unwrap();
            for column in Column::ALL {
                for system in 0..2 {
                    let of = |values: &TextValues, measure| -> Vec<u64> {
                        values.column(column, measure, system).iter().map(|value| value.to_bits()).collect()
                    };
                    prop_assert_eq!(of(&alone, 0), of(&all, place), "{} {:?}", name, column);
                }
            }
            prop_assert_eq!(alone.counts[0], all.counts[place]);
        }
    }
}

#[test]
fn another_seed_draws_other_summaries() {
    let source = "a b c d e f g h i j k l m n o p q r s t a b c";
    let names = measures(&["rougeL(model=sample)"]);
    let corpus = one_document(source, &["a c e g i k m o q s"], vec!["a".to_owned()]);
    let of = |seed| evaluate(&corpus, &names, Seed::new(seed)).unwrap().column(Column::Expected, 0, 0)[0];
    assert!(of(1) == of(1) && of(1) != of(2));
}

#[test]
fn mismatch_is_the_mean_of_other_documents() {
    let document = |id: &str, reference: &str, candidates: [Option<&str>; 2]| Document {
        id: id.to_owned(),
        source: None,
        references: vec![reference.to_owned()],
        candidates: candidates.map(|text| text.map(str::to_owned)).to_vec(),
    };
    let corpus = Corpus {
        systems: vec!["x".to_owned(), "y".to_owned()],
        documents: vec![
            document("1", "a b", [Some("a b"), Some("a")]),
            document("2", "a c", [Some("a"), None]),
            document("3", "b b", [Some("b c"), None]),
        ],
    };
    let values = evaluate(&corpus, &measures(&["rouge1.v2(model=mismatch)"]), Seed::new(1)).unwrap();
    let expected = |system| values.column(Column::Expected, 0, system);
    // Reference 1 with summaries 2 and 3: 2/3 and 1/2.
    assert_close(expected(0)[0], (2.0 / 3.0 + 0.5) / 2.0, 1e-15, "document 1");
    // Reference 2 with summaries 1 and 3; reference 3 with summaries 1 and 2.
    assert_eq!(expected(0)[1..], [(0.5 + 0.5) / 2.0, 0.25]);
    // The second system wrote no other summary.
    assert!(expected(1)[0].is_nan() && values.of(0, 1).iter().all(|value| value.is_nan()));
    let counts = values.counts[0];
    assert_eq!((counts.missing_candidates, counts.without_expected, counts.without_source), (2, 1, 3));
}

#[test]
fn empty_texts_are_zero_and_counted() {
    let corpus = one_document("a b c", &["a b", ""], vec!["...".to_owned(), "a".to_owned()]);
    let names = ["rouge2(references=mean)", "rouge2(references=mean,empty=skip)", "rouge1"];
    let values = evaluate(&corpus, &measures(&names), Seed::new(1)).unwrap();
    assert_eq!((values.of(0, 0), values.of(0, 1)), (&[0.0][..], &[0.0][..]));
    assert!(values.of(1, 0)[0].is_nan() && values.of(1, 1)[0].is_nan());
    // `a` has no bigram either.
    assert_eq!([0, 1, 2].map(|measure| values.counts[measure].empty_candidates), [2, 2, 1]);
    assert_eq!([0, 1, 2].map(|measure| values.counts[measure].empty_references), [1, 1, 0]);
    assert_eq!([0, 1, 2].map(|measure| values.counts[measure].undefined_scores), [0, 2, 0]);
    // An empty source: E is 0, and V2 is A.
    let [a, e, _, _, _, v2] = of_one("rouge1", "!", &["a b"], "a");
    assert_eq!((a, e, v2), (2.0 / 3.0, 0.0, 2.0 / 3.0));
}

#[test]
fn what_no_summary_can_miss_has_no_v2() {
    let corpus = one_document("a a a", &["a a"], vec!["a".to_owned()]);
    let values = evaluate(&corpus, &measures(&["rouge1.v2"]), Seed::new(1)).unwrap();
    assert_eq!(values.column(Column::Expected, 0, 0), [1.0]);
    assert!(values.of(0, 0)[0].is_nan());
    assert_eq!(values.counts[0].undefined_ue, 1);
}

#[test]
fn without_a_source_there_is_a_alone() {
    let mut corpus = one_document("a b", &["a b"], vec!["a".to_owned()]);
    corpus.documents[0].source = None;
    let values = evaluate(&corpus, &measures(&["rouge1"]), Seed::new(1)).unwrap();
    assert_eq!(values.of(0, 0), [2.0 / 3.0]);
    assert!(values.column(Column::Expected, 0, 0)[0].is_nan());
    assert_eq!((values.counts[0].without_source, values.counts[0].without_expected), (1, 1));
    assert!(evaluate(&corpus, &measures(&["rouge1.v1"]), Seed::new(1)).is_err());
}
