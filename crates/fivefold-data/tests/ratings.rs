//! Ratings by people: tables, lines of JSON, SummEval's files, preferences.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use fivefold_data::ratings::{Preferences, RaterGroup, RatingError, RatingOptions, Ratings, read, read_preferences};
use tempfile::TempDir;

/// The message without the folder.
fn told<T>(found: Result<T, RatingError>, folder: &Path) -> Result<T, String> {
    found.map_err(|error| error.to_string().replace(&format!("{}/", folder.display()), ""))
}

fn ratings_of(name: &str, text: impl AsRef<[u8]>, options: &RatingOptions) -> Result<Ratings, String> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    told(read(&path, options), folder.path())
}

fn ratings(text: &str) -> Result<Ratings, String> {
    ratings_of("r.csv", text, &RatingOptions::default())
}

fn preferences(text: &str) -> Result<Preferences, String> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("p.csv");
    fs::write(&path, text).unwrap();
    told(read_preferences(&path), folder.path())
}

/// The same ratings in each form: M8 has 4 and 5 on d1, 2 on d2; M9 has 1 on d1 by one rater.
#[test]
fn all_forms_say_the_same() {
    let long = "item,system,rater,dimension,rating\nd1,M8,1,fluency,4\nd1,M8,1,relevance,1\n\
        d1,M8,2,fluency,5\nd1,M8,2,relevance,2\n\
        d2,M8,1,fluency,2\nd2,M8,1,relevance,3\nd1,M9,1,fluency,1\n\
        d1,M9,1,relevance,5\nd1,M9,2,fluency,\nd1,M9,2,relevance,nan\n";
    let wide =
        "fluency;relevance;query;annotator;system\n4;1;d1;1;M8\n5;2;d1;2;M8\n2;3;d2;1;M8\n1;5;d1;1;M9\n;nan;d1;2;M9\n";
    let lines = "{\"id\": \"d1\", \"system\": \"M8\", \"rater\": 1, \"fluency\": 4, \"relevance\": 1}\n\
        {\"id\": \"d1\", \"system\": \"M8\", \"rater\": 2, \"fluency\": 5, \"relevance\": 2}\n\n\
        {\"id\": \"d2\", \"system\": \"M8\", \"rater\": 1, \"fluency\": 2, \"relevance\": 3}\n\
        {\"id\": \"d1\", \"model\": \"M9\", \"rater\": 1, \"fluency\": 1, \"relevance\": 5}\n\
        {\"id\": \"d1\", \"system\": \"M9\", \"rater\": \"2\", \"fluency\": null, \"relevance\": NaN}\n";
    let expected = ratings(long).unwrap();
    assert_eq!(expected.means(0, &["M8", "M9"], &["d1", "d2"])[..3], [4.5, 2.0, 1.0]);
    assert!(expected.means(0, &["M8", "M9"], &["d1", "d2"])[3].is_nan());
    assert_eq!(expected.means(1, &["M9", "M8", "M7"], &["d1", "x", "y"])[..1], [5.0]);
    assert_eq!((expected.missing, expected.all.len()), (2, 8));
    for text in [wide, lines] {
        assert_eq!(ratings(text).unwrap(), expected, "{text}");
    }
    // `[rater][system][item]`.
    let by_rater: Vec<Option<f64>> = expected.by_rater(0).into_iter().map(|v| (!v.is_nan()).then_some(v)).collect();
    assert_eq!(by_rater, [Some(4.0), Some(2.0), Some(1.0), None, Some(5.0), None, None, None]);
}

#[test]
fn one_rater_and_one_dimension_need_no_column() {
    let found = ratings("topic,system,rating\n1,bm25,2\n1,dense,3\n").unwrap();
    assert_eq!((found.dimensions, found.raters), (vec!["rating".to_owned()], vec![String::new()]));
    let named = RatingOptions { system: Some("bm25".to_owned()), ..RatingOptions::default() };
    assert_eq!(ratings_of("a.csv", "topic,usefulness\n1,2\n", &named).unwrap().systems, ["bm25"]);
}

const SUMMEVAL: &str = "{\"id\": \"d1\", \"decoded\": \"a\", \
    \"expert_annotations\": [{\"coherence\": 1, \"fluency\": 2}, {\"coherence\": 3, \"fluency\": null}], \
    \"turker_annotations\": [{\"coherence\": 5, \"fluency\": 5}]}\n";

#[test]
fn files_of_summeval_have_two_groups() {
    let found = ratings_of("M8_outputs_annotations.jsonl", SUMMEVAL, &RatingOptions::default()).unwrap();
    assert_eq!((&found.systems[..], &found.items[..]), (&["M8".to_owned()][..], &["d1".to_owned()][..]));
    assert_eq!((found.means(0, &["M8"], &["d1"]), found.means(1, &["M8"], &["d1"])), (vec![2.0], vec![2.0]));
    assert_eq!((found.raters.len(), found.missing), (2, 1));
    let crowd = RatingOptions { group: RaterGroup::Crowd, system: Some("x".to_owned()) };
    let found = ratings_of("M8.jsonl", SUMMEVAL, &crowd).unwrap();
    assert_eq!((found.systems, found.all.len()), (vec!["x".to_owned()], 2));
    let named = SUMMEVAL.replace("\"decoded\"", "\"model_id\": \"M11\", \"decoded\"");
    assert_eq!(ratings_of("all.jsonl", named, &crowd).unwrap().systems, ["M11"]);
    let one = SUMMEVAL.replace("turker_annotations", "other");
    let error = ratings_of("M8.jsonl", one, &crowd).unwrap_err();
    assert!(error.starts_with("M8.jsonl:1: there is no list `turker_annotations`"), "{error}");
}

#[test]
fn mistakes_have_their_line() {
    let says = |text: &str, words: &str| {
        let error = ratings(text).unwrap_err();
        assert!(error.starts_with(words), "{words}\n{error}");
    };
    let head = "item,system,rater,fluency\nd1,A,1,3\n";
    says(&format!("{head}d1,A,2,good\n"), "r.csv:3: the rating of fluency is `good`, not a number;");
    says(&format!("{head}d1,A,2,inf\n"), "r.csv:3: the rating of fluency is `inf`");
    says(&format!("{head}d1,A,1,4\n"), "r.csv:3: item `d1` has a second rating of `A` in fluency by rater `1`;");
    says("item,system,fluency\nd1,A,1\nd1,A,2\n", "r.csv:3: item `d1` has a second rating of `A` in fluency; a column");
    says(&format!("{head}d1,A\n"), "r.csv:3: has 2 cells below 4 columns;");
    says("doc_name,system,fluency\nd1,A,1\n", "r.csv:2: there is no column `item` (or item_id,");
    says("item,fluency\nd1,1\n", "r.csv:2: there is no column `system`; the columns are `item` and `fluency`");
    says("item,system\nd1,A\n", "r.csv:2: there is no column of ratings;");
    says("item,system,dimension,score\nd1,A,x,1\n", "r.csv:2: there is a column `dimension` but no `rating`;");
    says(
        "item,system,dimension,rating,note\nd1,A,x,1,y\n",
        "r.csv:2: beside item, system, rater, dimension and rating",
    );
    says("item,system,a,a\n", "r.csv:1: column `a` stands twice;");
    says("", "r.csv: has no ratings;");
    says("item,system,fluency\nd1,A,nan\n", "r.csv: has no rating, as all ratings are missing;");
    says("{\"id\": \"d1\", \"system\": \"A\", \"x\": 1}\n{oops\n", "r.csv:2: is no object of JSON:");
    says("{\"id\": \"d1\", \"system\": \"A\", \"x\": [1]}\n", "r.csv:1: `x` is neither a text nor a number");
    let error = ratings_of("r.csv", b"item,system,x\nd1,A,1\nd\xff,A,1\n", &RatingOptions::default()).unwrap_err();
    assert_eq!(error, "r.csv:3: is not UTF-8 text; convert the file to UTF-8");
    assert!(
        read(Path::new("no-such.csv"), &RatingOptions::default()).unwrap_err().to_string().contains("cannot be read")
    );
}

#[test]
fn files_are_joined_by_name() {
    let part = |name: &str, text: &str| (PathBuf::from(name), ratings(text).unwrap());
    let one = || part("a.csv", "item,system,x\nd1,A,1\nd2,A,\n");
    let joined = Ratings::join(vec![one(), part("b.csv", "item,system,x\nd2,B,3\nd1,B,2\n")]).unwrap();
    assert_eq!((joined.missing, joined.means(0, &["A", "B"], &["d1", "d2"])[2..].to_vec()), (1, vec![2.0, 3.0]));
    let error = Ratings::join(vec![one(), part("b.csv", "item,system,x\nd1,A,3\n")]).unwrap_err().to_string();
    assert!(error.starts_with("b.csv: item `d1` has a second rating of `A` in x"), "{error}");
}

#[test]
fn preferences_name_a_system_or_a_side() {
    let found =
        preferences("query\ta\tb\tpreferred\nq1\tX\tY\tX\nq1\tX\tY\tb\nq2\tY\tX\tA\nq3\tX\tY\tTie\nq3\tX\tY\t\n")
            .unwrap();
    let preferred: Vec<Option<usize>> = found.all.iter().map(|own| own.preferred).collect();
    assert_eq!((preferred, found.missing), (vec![Some(0), Some(1), Some(0), None], 1));
    // A system may be called `b`.
    let odd = preferences("item,a,b,preferred\nq,b,c,b\n").unwrap();
    assert_eq!(odd.all[0].preferred, Some(0));
    let says = |text: &str, words: &str| {
        let error = preferences(text).unwrap_err();
        assert!(error.starts_with(words), "{words}\n{error}");
    };
    says("item,a,b,preferred\nq,X,Y,Z\n", "p.csv:2: `preferred` is `Z`, which is neither `X` nor `Y` nor `tie`");
    says("item,a,b,preferred\nq,X,X,X\n", "p.csv:2: `a` and `b` are both `X`;");
    says("item,a,b\nq,X,Y\n", "p.csv:2: there is no column `preferred`; the columns are item, a, b");
    says("item,a,b,preferred,why\nq,X,Y,X,-\n", "p.csv:2: `why` is none of the columns item, a, b,");
    says("item,a,b,preferred\nq,X,Y,\n", "p.csv: has no preference;");
}

/// SummEval: 12 systems x 100 articles, 3 experts and 5 crowd workers.
#[test]
fn summeval_is_read_whole() {
    let Some(data) = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from) else {
        println!("skipped: FIVEFOLD_DATA is not set");
        return;
    };
    // Cargo runs tests in the folder of their package.
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(data).join("text/summeval/model_output_annotations");
    for (group, raters) in [(RaterGroup::Expert, 3), (RaterGroup::Crowd, 5)] {
        let mut parts = Vec::new();
        let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            parts.push((path.clone(), read(&path, &RatingOptions { group, system: None }).unwrap()));
        }
        let all = Ratings::join(parts).unwrap();
        assert_eq!((all.systems.len(), all.items.len(), all.raters.len()), (12, 100, raters));
        assert_eq!(all.dimensions, ["coherence", "consistency", "fluency", "relevance"]);
        assert_eq!((all.all.len(), all.missing), (12 * 100 * 4 * raters, 0));
        assert!(all.systems.contains(&"M8".to_owned()));
    }
}
