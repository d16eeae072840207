//! Layouts, folds, descriptors and synthetic collections, on small files made for each test.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use fivefold_core::Seed;
use fivefold_data::hash::data_hash;
use fivefold_data::{
    Collection, DataError, Missing, Source, SyntheticSource, descriptor, descriptors, open, read_letor, synthetic,
    write_letor,
};

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn query(id: usize) -> String {
    format!("1 qid:{id} 1:{id} # docid = A\n0 qid:{id} 2:0.5 # docid = B\n")
}

fn queries(ids: impl IntoIterator<Item = usize>) -> String {
    ids.into_iter().map(query).collect()
}

fn source(folder: &Path, layout: &str) -> Source {
    Source { path: Some(folder.to_owned()), layout: Some(layout.to_owned()), ..Source::default() }
}

fn ids(part: &fivefold_core::Dataset) -> Vec<String> {
    part.queries().map(|query| query.id().to_owned()).collect()
}

fn fold_ids(collection: &Collection) -> Vec<[String; 3]> {
    let joined = |part: &fivefold_core::Dataset| ids(part).join(" ");
    let of = |fold: &fivefold_data::Fold| {
        [joined(&fold.train), fold.validation.as_ref().map(joined).unwrap_or_default(), joined(&fold.test)]
    };
    collection.folds.iter().map(of).collect()
}

/// Five parts of one query each, in every layout. All layouts give the folds of LETOR 4.0's readme.
#[test]
fn layouts_agree() {
    let parts = |first: usize, count: usize| (0..count).map(move |i| (first + i) % 5 + 1);
    let mut hashes = BTreeSet::new();
    for (layout, names) in [
        ("letor4", None),
        ("parts", None),
        ("fold-dirs", Some(["train", "vali", "test"])),
        ("fold-sets", Some(["trainingset", "validationset", "testset"])),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut source = source(folder.path(), layout);
        for number in 0..5 {
            match names {
                Some([train, validation, test]) => {
                    let file = |name: &str| format!("Fold{}/{name}.txt", number + 1);
                    write(folder.path(), &file(train), &queries(parts(number, 3)));
                    write(folder.path(), &file(validation), &queries(parts(number + 3, 1)));
                    write(folder.path(), &file(test), &queries(parts(number + 4, 1)));
                }
                None => {
                    let file = format!("{}{}.txt", if layout == "parts" { "A" } else { "S" }, number + 1);
                    write(folder.path(), &file, &queries([number + 1]));
                    if layout == "parts" {
                        source.files.push(file);
                    }
                }
            }
        }
        let collection = open(&source, &[]).unwrap();
        let expected =
            [["1 2 3", "4", "5"], ["2 3 4", "5", "1"], ["3 4 5", "1", "2"], ["4 5 1", "2", "3"], ["5 1 2", "3", "4"]];
        assert_eq!(fold_ids(&collection), expected, "{layout}");
        assert_eq!((collection.all.len(), collection.all.documents()), (5, 10), "every query is stored once: {layout}");
        assert_eq!(collection.folds.iter().map(|fold| fold.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        let views: BTreeSet<_> = collection.folds.iter().map(|fold| fold.train.query(0).features().as_ptr()).collect();
        assert_eq!(views.len(), 5);
        assert_eq!(
            collection.folds[0].test.query(0).features().as_ptr(),
            collection.folds[2].train.query(2).features().as_ptr()
        );
        hashes.insert(collection.hash);
    }
    assert_eq!(hashes.len(), 1, "the hash is of the content, not of files");
}

#[test]
fn all_parts_have_one_width_and_compressed_files_are_found() {
    let folder = tempfile::tempdir().unwrap();
    for (number, last) in (1..=5).zip([3, 9, 4, 2, 5]) {
        let text = format!("{} qid:{number} 1:1 {last}:7\n", number % 3);
        if number == 2 {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(text.as_bytes()).unwrap();
            std::fs::write(folder.path().join("S2.txt.gz"), gzip.finish().unwrap()).unwrap();
        } else {
            write(folder.path(), &format!("S{number}.txt"), &text);
        }
    }
    let collection = open(&source(folder.path(), "letor4"), &[]).unwrap();
    let parts = collection.folds.iter().flat_map(|fold| [&fold.train, &fold.test]);
    assert!(parts.clone().all(|part| part.width() == 9 && part.max_grade() == 2));
    assert_eq!(collection.folds[1].test.query(0).row(0), [1.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(collection.folds[2].test.query(0).row(0)[8], 7.0);
}

#[test]
fn all_parts_have_document_ids_or_none() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=5 {
        let comment = if number == 3 { "" } else { "# docid = A" };
        write(folder.path(), &format!("S{number}.txt"), &format!("\n1 qid:{number} 1:1 {comment}\n"));
    }
    let error = open(&source(folder.path(), "letor4"), &[]).unwrap_err().to_string();
    assert!(
        error.contains("S3.txt:2: this line has no document id, but ")
            && error.contains("S1.txt line 2 has a document id"),
        "{error}"
    );
}

#[test]
fn queries_tested_twice_and_moved_lines_are_remarked() {
    let folder = tempfile::tempdir().unwrap();
    for fold in 1..=5 {
        for (role, id) in [("train", 1), ("vali", 2), ("test", 10 + fold)] {
            write(folder.path(), &format!("Fold{fold}/{role}.txt"), &format!("1 qid:{id} 1:1\n"));
        }
    }
    let remarks = |regroup| open(&Source { regroup, ..source(folder.path(), "fold-dirs") }, &[]).unwrap().remarks;
    assert!(remarks(false).is_empty() && remarks(true).is_empty());
    write(folder.path(), "Fold4/test.txt", "1 qid:12 1:1\n1 qid:14 1:1\n1 qid:11 1:7\n");
    let twice = "queries are tested in two folds and count twice: 2, the first `12` in folds 2 and 4";
    assert_eq!(remarks(false), [twice]);
    write(folder.path(), "Fold5/test.txt", "1 qid:15 1:1\n1 qid:16 1:1\n0 qid:15 1:7\n");
    let moved = "Fold5/test.txt: lines were moved to bring queries together; score files must be in that order";
    assert_eq!(remarks(true), [moved, twice]);
}

#[test]
fn one_file_is_cut_into_five_folds_by_query() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "all.txt", &queries(1..=23));
    let cut = |fold_seed| {
        let source = Source { fold_seed, ..source(Path::new("all.txt"), "one-file") };
        open(&source, &[folder.path().to_owned()]).unwrap()
    };
    let collection = cut(0);
    let mut tested: Vec<String> = Vec::new();
    for fold in &collection.folds {
        let (train, validation, test) = (ids(&fold.train), ids(fold.validation.as_ref().unwrap()), ids(&fold.test));
        assert!((4..=5).contains(&test.len()) && (4..=5).contains(&validation.len()));
        let all: BTreeSet<&String> = train.iter().chain(&validation).chain(&test).collect();
        assert_eq!((all.len(), train.len() + validation.len() + test.len()), (23, 23));
        tested.extend(test);
    }
    assert_eq!(tested.iter().collect::<BTreeSet<_>>().len(), 23);
    assert_eq!(collection.folds[0].validation.as_ref().map(ids), Some(ids(&collection.folds[4].test)));
    assert_eq!(fold_ids(&cut(0)), fold_ids(&collection));
    assert_ne!(fold_ids(&cut(1)), fold_ids(&collection));
    assert_ne!(cut(1).hash, collection.hash);
    write(folder.path(), "all.txt", &queries(1..=4));
    let error = open(&source(&folder.path().join("all.txt"), "one-file"), &[]).unwrap_err();
    assert_eq!(error.to_string(), "4 queries cannot be cut into 5 folds: give at least a query for each fold");
}

#[test]
fn what_is_absent_is_said_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let known = Source { name: Some("mslr-web30k".to_owned()), ..Source::default() };
    let error = open(&known, &[folder.path().to_owned()]).unwrap_err().to_string();
    for part in [
        "`mslr-web30k`",
        "download MSLR-WEB30K",
        "FIVEFOLD_DATA",
        "Fold1/{train,vali,test}.txt",
        &folder.path().join("mslr-web30k").display().to_string(),
    ] {
        assert!(error.contains(part), "{part} in {error}");
    }
    assert!(open(&known, &[]).unwrap_err().to_string().contains("FIVEFOLD_DATA is not set"));
    write(folder.path(), "mslr-web30k/Fold1/train.txt", &query(1));
    let error = open(&known, &[folder.path().to_owned()]).unwrap_err().to_string();
    assert!(error.contains("Fold1/vali.txt is missing") && error.contains("download"), "{error}");
    let error = open(&source(&folder.path().join("nowhere"), "letor4"), &[]).unwrap_err().to_string();
    assert!(error.contains("nowhere") && error.contains("S1.txt to S5.txt"), "{error}");
    let file = folder.path().join("mslr-web30k/Fold1/train.txt");
    let error = open(&source(&file, "letor4"), &[]).unwrap_err().to_string();
    assert!(error.contains("train.txt` is a file; give the folder that holds parts S1.txt"), "{error}");
}

#[test]
fn sources_that_make_no_sense_are_refused() {
    let named = |name: &str| Source { name: Some(name.to_owned()), ..Source::default() };
    let made = |shape: &str| Source {
        synthetic: Some(SyntheticSource { shape: shape.to_owned(), queries: 9, seed: 0 }),
        ..Source::default()
    };
    let cases = [
        (Source::default(), "say which data"),
        (named("mq208"), "did you mean `mq2008`?"),
        (named("xyzzyxyzzy"), "known: mq2007, mq2008,"),
        (Source { path: Some("x".into()), ..Source::default() }, "add `layout`"),
        (source(Path::new("x"), "leto4"), "did you mean \"letor4\"?"),
        (Source { files: vec!["a".to_owned()], ..source(Path::new("x"), "letor4") }, "leave out `files`"),
        (Source { files: vec!["a".to_owned()], ..named("mq2008") }, "`files` needs a `layout`"),
        (Source { features: Some(0), ..named("mq2008") }, "`features` must be"),
        (Source { max_grade: Some(31), ..named("mq2008") }, "`max_grade` must be"),
        (made("mq2008"), "did you mean \"mq2007\"?"),
        (Source { regroup: true, ..made("mq2007") }, "has no files"),
    ];
    for (source, part) in cases {
        let error = source.check().unwrap_err().to_string();
        assert!(error.contains(part), "{part} in {error}");
    }
    assert!(toml::from_str::<Source>("name = 'mq2008'\nlayot = 'x'").is_err());
}

#[test]
fn a_descriptor_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let text = "name = 'mine'\ntitle = 'Mine'\nlayouts = ['parts']\nfiles = ['a.txt', 'b.txt', 'c.txt']\nqueries = 4\n\
                features = 3\nmax_grade = 2\nmissing = 'zero'\nfirst_feature_id = 0\n";
    write(folder.path(), "mine.toml", text);
    for (file, id) in [("a.txt", 1), ("b.txt", 2), ("c.txt", 3)] {
        write(folder.path(), file, &format!("1 qid:{id} 0:NULL 1:{id}\n"));
    }
    let source = Source { path: Some("mine.toml".into()), ..Source::default() };
    let folders = [PathBuf::from("nowhere"), folder.path().to_owned()];
    let collection = open(&source, &folders).unwrap();
    assert_eq!(fold_ids(&collection), [["1", "2", "3"], ["2", "3", "1"], ["3", "1", "2"]]);
    assert_eq!((collection.max_grade, collection.missing, collection.all.width()), (2, Missing::Zero, 3));
    assert_eq!(collection.remarks, ["3 queries, but `mine` is known to have 4"]);
    let strict = Source { missing: Some(Missing::Error), ..source.clone() };
    assert!(matches!(open(&strict, &folders), Err(DataError::Read(_))));
    let low = Source { max_grade: Some(0), ..source.clone() };
    let error = open(&low, &folders).unwrap_err().to_string();
    assert!(error.contains("a.txt:1:1: grade `1` is not a whole number from 0 to 0"), "{error}");
    write(folder.path(), "mine.toml", &text.replace("title", "titel"));
    let error = open(&source, &folders).unwrap_err().to_string();
    assert!(error.contains("mine.toml: ") && error.contains("titel"), "{error}");
}

#[test]
fn built_in_descriptors_are_complete() {
    assert_eq!(descriptors().len(), 10);
    for known in descriptors() {
        assert!(
            known.documents.is_some()
                && known.queries.is_some()
                && known.features.is_some()
                && known.max_grade.is_some()
        );
        assert!(
            known.url.starts_with("https://") && !known.licence.is_empty() && known.get.contains(&known.name),
            "{}",
            known.name
        );
        assert_eq!(descriptor(&known.name).unwrap(), known);
    }
}

#[test]
fn made_collections_have_folds_and_can_be_written() {
    let source = Source {
        synthetic: Some(SyntheticSource { shape: "mslr-web30k".to_owned(), queries: 11, seed: 4 }),
        ..Source::default()
    };
    let collection = open(&source, &[]).unwrap();
    assert_eq!((collection.folds.len(), collection.all.len(), collection.max_grade), (5, 11, 4));
    assert_eq!(source.name(), "mslr-web30k");
    for shape in synthetic::SHAPES {
        let data = synthetic::make(shape, 12, Seed::new(4)).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        write_letor(&data, &mut std::io::BufWriter::new(file.reopen().unwrap())).unwrap();
        let options = fivefold_data::ReadOptions { max_grade: Some(shape.max_grade()), ..Default::default() };
        assert_eq!(data_hash(&read_letor(file.path(), &options).unwrap().data), data_hash(&data), "{}", shape.name);
    }
}

#[test]
fn hashes_see_every_part_of_the_content() {
    let base = "1 qid:a 1:1 2:2 # docid = X\n0 qid:a 1:3 # docid = Y\n";
    let hash = |text: &str| {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        data_hash(&read_letor(file.path(), &Default::default()).unwrap().data)
    };
    let changed = [
        base.replace("qid:a", "qid:b"),
        base.replace("0 qid", "1 qid"),
        base.replace("2:2", "2:2.0000002"),
        base.replace("2:2", "2:2 3:0"),
        base.replace("= Y", "= Z"),
        base.replace(" # docid = X", "").replace(" # docid = Y", ""),
        base.replace("0 qid:a", "0 qid:c"),
    ];
    let all: BTreeSet<String> = changed.iter().map(|text| hash(text)).chain([hash(base)]).collect();
    assert_eq!(all.len(), changed.len() + 1);
    assert_eq!(hash(&base.replace("1:1", "1:1.0").replace('\n', "\r\n")), hash(base));
}
