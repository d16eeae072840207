//! RankLib's models, and RankLib's scores of them.

use std::path::{Path, PathBuf};

use fivefold_core::{Dataset, Model};
use fivefold_data::{Source, open};
use fivefold_rankers::exchange::{Imported, ImportedModel};
use fivefold_rankers::export::Exported;
use fivefold_rankers::tree_model::TreeModel;

use super::{numbers, read, scores, written};

const LAMBDAMART: &str = "\
## LambdaMART
## No. of trees = 2
## Learning rate = 0.5

<ensemble>
\t<tree id=\"1\" weight=\"0.5\">
\t\t<split>
\t\t\t<feature>2 </feature>
\t\t\t<threshold> 0.25 </threshold>
\t\t\t<split pos=\"left\">
\t\t\t\t<output>-1.5 </output>
\t\t\t</split>
\t\t\t<split pos=\"right\">
\t\t\t\t<feature>1 </feature>
\t\t\t\t<threshold> -1.0 </threshold>
\t\t\t\t<split pos=\"left\">
\t\t\t\t\t<output>4.0 </output>
\t\t\t\t</split>
\t\t\t\t<split pos=\"right\">
\t\t\t\t\t<output>8.0 </output>
\t\t\t\t</split>
\t\t\t</split>
\t\t</split>
\t</tree>
\t<tree id=\"2\" weight=\"2.0\">
\t\t<split>
\t\t\t<output>0.125 </output>
\t\t</split>
\t</tree>
</ensemble>
";

fn stump(threshold: f32, left: f64, right: f64) -> String {
    format!(
        "<ensemble><tree id=\"1\" weight=\"1\"><split><feature>1</feature><threshold>{threshold}</threshold>\
         <split pos=\"left\"><output>{left}</output></split><split pos=\"right\"><output>{right}</output></split></split>\
         </tree></ensemble>\n"
    )
}

#[test]
fn trees_go_left_up_to_the_threshold_and_are_weighted() {
    let model = read("ranklib", LAMBDAMART, Some(3)).unwrap();
    assert_eq!((model.ranker, model.features, model.missing), ("lambdamart", 3, "zero"));
    let rows = [0.0, 0.25, 9.0, -1.0, 0.26, 9.0, -0.5, 0.26, 9.0, f32::NAN, 0.26, 0.0, -2.0, f32::NAN, 0.0];
    // A missing value is 0: right of -1, left of .25.
    assert_eq!(scores(&model, &rows), [-0.5, 2.25, 4.25, 4.25, -0.5]);
    let ImportedModel::Trees(trees) = &model.model else { panic!("no trees") };
    assert_eq!(trees.importance(), Some(vec![1.0, 1.0, 0.0]), "cuts are counted");
    let bare = LAMBDAMART.split_once("\n\n").unwrap().1;
    assert_eq!(read("ranklib", bare, Some(3)).unwrap(), model, "a bare ensemble");
}

#[test]
fn a_forest_is_the_mean_of_its_ensembles() {
    let text = format!("## Random Forests\n## No. of bags = 2\n\n{}\n{}", stump(0.5, 1.0, 2.0), stump(2.0, -4.0, 8.0));
    let model = read("ranklib", &text, Some(1)).unwrap();
    assert_eq!(model.ranker, "random-forest");
    assert_eq!(scores(&model, &[0.5, 1.0, 3.0]), [-1.5, -1.0, 5.0]);
}

#[test]
fn weights_and_stumps_are_summed() {
    let model = read("ranklib", "## AdaRank\n## Iteration = 3\n2:0.5 1:-1 2:0.25", Some(3)).unwrap();
    assert_eq!((model.ranker, scores(&model, &[1.0, 2.0, 9.0])), ("adarank", vec![0.5]));
    let model = read("ranklib", "## Linear Regression\n\n0:10 1:2 2:3 # remark\n", Some(2)).unwrap();
    assert_eq!((model.ranker, scores(&model, &[1.0, 2.0])), ("linear", vec![18.0]));
    let model = read("ranklib", "## Coordinate Ascent\n1:.5 2:-.5\n", Some(2)).unwrap();
    assert_eq!((model.ranker, scores(&model, &[4.0, 2.0])), ("coordinate-ascent", vec![1.0]));
    // The threshold .1 is a double, which is below .1 in single precision. So the single-precision
    // value is above the threshold.
    let model = read("ranklib", "## RankBoost\n1:.1:2 2:-1:.5 1:.1:1\n", Some(2)).unwrap();
    assert_eq!(model.ranker, "rankboost");
    assert_eq!(scores(&model, &[0.1, -1.0, 0.099_999_994, -0.5]), [3.0, 0.5]);
}

/// RankLib's reader needs each tag on a line of its own, without blanks between tags, and takes the
/// learner from the first line of the header.
#[test]
fn models_are_written_as_ranklib_does() {
    let model = read("ranklib", LAMBDAMART, Some(3)).unwrap();
    let ImportedModel::Trees(trees) = model.model else { panic!("no trees") };
    let trees = Exported::Trees(trees);
    let text = written("ranklib", &trees, "lambdamart", 1);
    let expected = LAMBDAMART
        .replace("## Learning rate = 0.5", "## No. of leaves = 3")
        .replace("weight=\"0.5\"", "weight=\"1.0\"")
        .replace("weight=\"2.0\"", "weight=\"1.0\"")
        .replace("-1.5 <", "-0.75 <")
        .replace("4.0 <", "2.0 <")
        .replace("8.0 <", "4.0 <")
        .replace("0.125 <", "0.25 <")
        .replace("<feature>", "<feature> ")
        .replace("<output>", "<output> ");
    assert_eq!(text, expected);
    for (ranker, name) in [("mart", "MART"), ("random-forest", "Random Forests"), ("rankboost", "LambdaMART")] {
        let text = written("ranklib", &trees, ranker, 1);
        assert_eq!(text.lines().next().unwrap(), format!("## {name}"));
    }
}

/// The models that RankLib trained on fold 1 of MQ2008, and the data; `None` without
/// `FIVEFOLD_DATA`.
fn peers() -> Option<(PathBuf, Dataset)> {
    let Some(folder) = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from) else {
        println!("skipped: FIVEFOLD_DATA is not set");
        return None;
    };
    let source = Source { name: Some("mq2008".to_owned()), ..Source::default() };
    let test = open(&source, std::slice::from_ref(&folder)).unwrap().folds.remove(0).test;
    Some((folder.join("../peers/fixtures/ranklib"), test))
}

fn peer(folder: &Path, name: &str) -> (Imported, Vec<f64>) {
    let text = |what: &str| std::fs::read_to_string(folder.join(format!("{name}.{what}.txt"))).unwrap();
    (read("ranklib", &text("model"), Some(46)).unwrap(), numbers(&text("scores")))
}

#[test]
fn real_models_score_as_in_ranklib() {
    let Some((folder, test)) = peers() else { return };
    let rows: Vec<f32> = test.queries().flat_map(|query| query.view().features().to_vec()).collect();
    // Sums in single precision differ from our sums by some units in the last place; sums in double
    // precision differ less.
    let kinds = [
        ("lambdamart", 1e-6),
        ("mart", 1e-6),
        ("random-forest", 1e-7),
        ("rankboost", 0.0),
        ("adarank", 1e-12),
        ("coordinate-ascent", 1e-12),
    ];
    for (name, tolerance) in kinds {
        let (model, theirs) = peer(&folder, name);
        let ours = scores(&model, &rows);
        assert_eq!((ours.len(), model.ranker), (theirs.len(), name));
        let worst = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("{name}: {} documents, largest difference {worst:e}", ours.len());
        assert!(worst <= tolerance, "{name}: {worst:e}");
    }
}

/// RankLib adds each tree in double precision and rounds the sum to single precision.
fn sums_as_in_ranklib(model: &TreeModel, row: &[f32]) -> f64 {
    let add = |sum: f32, value: f64| (f64::from(sum) + value) as f32;
    f64::from(model.trees().iter().map(|tree| tree.values()[tree.leaf_of(row)]).fold(0.0, add))
}

#[test]
fn real_models_score_bit_by_bit_as_in_ranklib_if_summed_as_there() {
    let Some((folder, test)) = peers() else { return };
    for name in ["lambdamart", "mart"] {
        let (Imported { model: ImportedModel::Trees(model), .. }, theirs) = peer(&folder, name) else {
            panic!("no trees")
        };
        let ours: Vec<f64> = test
            .queries()
            .flat_map(|query| query.view().rows().map(|row| sums_as_in_ranklib(&model, row)).collect::<Vec<_>>())
            .collect();
        assert_eq!(ours, theirs, "{name}");
    }
}
