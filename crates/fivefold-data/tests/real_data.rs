//! Facts of the real collections. The tests are skipped only if FIVEFOLD_DATA is not set; missing
//! or broken data fail.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use std::path::PathBuf;

use fivefold_data::descriptor::Checked;
use fivefold_data::{
    Collection, FeatureNames, Missing, ReadOptions, Source, descriptor, open, read_letor, read_scores,
};

/// The data folder. Without a folder, prints a line and returns `None`.
fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: FIVEFOLD_DATA is not set");
    }
    // Tests run in the folder of this package, but the variable is relative to the workspace's
    // folder.
    folder.map(|folder| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder))
}

fn collection(name: &str, missing: Option<Missing>) -> Option<Collection> {
    let source = Source { name: Some(name.to_owned()), missing, ..Source::default() };
    Some(open(&source, &[data()?]).unwrap())
}

/// Checks documents, queries, features and highest grade against the data's own README. No
/// collection may have a remark.
fn check(name: &str, facts: (usize, usize, usize, u8)) -> Option<Collection> {
    let collection = collection(name, None)?;
    let all = &collection.all;
    assert_eq!((all.documents(), all.len(), all.width(), all.max_grade()), facts, "{name}");
    assert_eq!(all.queries().flat_map(|query| query.grades().to_vec()).max(), Some(facts.3), "{name}");
    assert!(collection.remarks.is_empty(), "{:?}", collection.remarks);
    assert_eq!(collection.folds.len(), 5);
    let tested: usize = collection.folds.iter().map(|fold| fold.test.len()).sum();
    assert_eq!(tested, facts.1, "{name}: every query is tested once");
    for fold in &collection.folds {
        let parts = [Some(&fold.train), fold.validation.as_ref(), Some(&fold.test)];
        let documents: usize = parts.into_iter().flatten().map(|part| part.documents()).sum();
        assert_eq!(documents, facts.0, "{name}: a fold has all documents");
    }
    Some(collection)
}

#[test]
fn mq2008() {
    let Some(collection) = check("mq2008", (15_211, 784, 46, 2)) else { return };
    let barren = collection.all.queries().filter(|query| query.grades().iter().all(|&grade| grade == 0)).count();
    assert_eq!(barren, 220);
    // The readme: fold 1 tests on S5 (156 queries, the other parts have 157), fold 2 on S1, which
    // starts with query 10002.
    let tests: Vec<usize> = collection.folds.iter().map(|fold| fold.test.len()).collect();
    assert_eq!(tests, [156, 157, 157, 157, 157]);
    let first = collection.folds[1].test.query(0);
    assert_eq!((first.id(), first.doc_id(0), first.row(0)[45]), ("10002", Some("GX008-86-4444840"), 0.007042));
    assert_eq!(collection.folds[0].train.query(0).id(), "10002");
}

#[test]
fn mq2008_agg_has_the_documents_of_mq2008() {
    let Some(ranks) = check("mq2008-agg", (15_211, 784, 25, 2)) else { return };
    let Some(plain) = collection("mq2008", None) else { return };
    for (ranks, plain) in ranks.all.queries().zip(plain.all.queries()) {
        assert_eq!((ranks.id(), ranks.grades()), (plain.id(), plain.grades()));
        assert!((0..plain.len()).all(|row| ranks.doc_id(row) == plain.doc_id(row)));
    }
}

#[test]
fn mq2007_agg_under_each_policy() {
    let Some(zero) = check("mq2007-agg", (69_623, 1_692, 21, 2)) else { return };
    // The first document has no value at all. In its query, the value of feature 1 is known under
    // both policies.
    assert_eq!(zero.all.query(0).row(0), [0.0; 21]);
    let Some(minimum) = collection("mq2007-agg", Some(Missing::QueryMin)) else { return };
    let (zeros, filled) = (zero.all.query(0), minimum.all.query(0));
    for feature in 0..21 {
        let present = zeros.rows().map(|row| row[feature]).filter(|&value| value > 0.0);
        let least = present.fold(f32::INFINITY, f32::min);
        let expected = if least.is_finite() { least } else { 0.0 };
        assert_eq!(filled.row(0)[feature], expected, "feature {}", feature + 1);
    }
    assert_ne!(minimum.hash, zero.hash);
    let error = open(
        &Source { name: Some("mq2007-agg".to_owned()), missing: Some(Missing::Error), ..Source::default() },
        &[data().unwrap()],
    );
    let error = error.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("A1.txt:1:12: feature 1 is missing (`NULL`)"), "{error}");
}

#[test]
fn ohsumed() {
    let Some(collection) = check("ohsumed", (16_140, 106, 25, 2)) else { return };
    assert!(collection.all.queries().any(|query| query.features().iter().any(|&value| value < 0.0)));
    assert!(collection.all.has_doc_ids());
    let tests: Vec<usize> = collection.folds.iter().map(|fold| fold.test.len()).collect();
    assert_eq!(tests, [22, 21, 21, 21, 21]);
}

#[test]
fn clueweb09() {
    let Some(collection) = check("clueweb09", (26_646, 61, 42, 4)) else { return };
    let lengths = || collection.all.queries().map(|query| query.len());
    assert_eq!((lengths().min(), lengths().max()), (Some(230), Some(728)));
}

#[test]
fn mslr_sample() {
    let Some(collection) = check("mslr-sample", (9_189, 90, 136, 4)) else { return };
    assert!(!collection.all.has_doc_ids() && collection.folds.iter().all(|fold| fold.test.len() == 18));
}

#[test]
fn checksums() {
    let Some(data) = data() else { return };
    for name in ["mq2008", "mq2008-agg", "mq2007-agg", "mslr-sample", "ohsumed", "clueweb09"] {
        let known = descriptor(name).unwrap();
        let files = known.verify(&data.join(name)).unwrap();
        assert!(files.len() >= 5 && files.iter().all(|(_, checked)| *checked == Checked::Same), "{name}: {files:?}");
        assert_eq!(known.find(&[PathBuf::from("nowhere"), data.clone()]), Some(data.join(name)));
    }
}

#[test]
fn scores_of_the_eight_systems() {
    let Some(collection) = collection("mq2008", None) else { return };
    let systems = data().unwrap().join("mq2008-systems");
    let names = ["AdaRank", "FacSVM_Rank", "ListNet", "RankBoost", "RankNet", "svm_light", "svm_light2", "svm_rank"];
    for name in names {
        for fold in &collection.folds {
            let file = systems.join(name).join(format!("Fold{}.score", fold.number));
            assert_eq!(read_scores(&file, fold.test.documents()).unwrap().len(), fold.test.documents());
        }
    }
}

/// The list of LETOR 2.0 says that feature 22 is the logarithm of feature 21, and that the features
/// 1 and 3 are a count and the count divided by a length, which is a whole number.
#[test]
fn names_of_ohsumed_fit_the_data() {
    let names = FeatureNames::built_in("ohsumed-letor2").unwrap();
    assert_eq!(
        [21, 22].map(|id| names.name(id).unwrap()),
        ["BM25", "log(BM25)"].map(|of| format!("{of} of title + abstract"))
    );
    let Some(data) = data() else { return };
    let part = read_letor(&data.join("ohsumed/Fold1/testset.txt"), &ReadOptions::default()).unwrap();
    for row in part.data.queries().flat_map(|query| query.view().rows().map(<[f32]>::to_vec).collect::<Vec<_>>()) {
        let value = |id: usize| f64::from(row[id - 1]);
        assert!(value(21) <= 0.0 || (libm::log(value(21)) - value(22)).abs() < 1e-6);
        for first in [1, 11].into_iter().filter(|first| value(*first) > 0.0) {
            let length = value(first) / value(first + 2);
            assert!((length - length.round()).abs() < 1e-3, "{length}");
        }
    }
}
