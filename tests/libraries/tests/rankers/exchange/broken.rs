//! A broken file gives an error with the line, never a panic.

use fivefold_rankers::exchange::{FORMATS, Format};
use proptest::prelude::*;

use super::read;

const RANKLIB: &str = "\
## MART
## No. of trees = 1

<ensemble>
 <tree id=\"1\" weight=\"0.1\">
  <split>
   <feature>3</feature>
   <threshold>0.5</threshold>
   <split pos=\"left\">
    <output>1</output>
   </split>
   <split pos=\"right\">
    <output>2</output>
   </split>
  </split>
 </tree>
</ensemble>
";
const LIGHTGBM: &str = include_str!("fixtures/lightgbm-zero.model.txt");

fn error(format: &str, text: &str) -> String {
    read(format, text, None).unwrap_err().to_string()
}

#[test]
fn ranklib_errors_name_the_line() {
    let cases = [
        (
            "## MART",
            "## ListNet",
            "line 1: models of `ListNet` cannot be read; models of these learners can: LambdaMART, MART,",
        ),
        ("## MART", "MART", "line 1: the first line must be `## ` and the name of a learner"),
        ("</ensemble>", "", "line 17: the file ends within `<ensemble>`: the file is not complete"),
        ("</split>\n </tree>", "</tree>", "line 15: `</tree>` stands where `<split>` must be closed"),
        ("weight=\"0.1\"", "", "line 5: expected a number, found ``"),
        (">3<", ">3.5<", "line 7: expected a number, found `3.5`"),
        (">3<", ">0<", "line 7: there is no feature 0; features are 1 to 100000"),
        (">3<", ">4294967297<", "line 7: there is no feature 4294967297"),
        (">0.5<", ">NaN<", "line 8: `NaN` is no threshold of a feature"),
        (">0.5<", ">1e99<", "line 8: `inf` is no threshold of a feature"),
        ("\"left\"", "\"right\"", "line 9: the left `<split>` must have pos=\"left\""),
        ("<output>1</output>", "", "line 9: a `<split>` must hold `<output>`, or"),
        ("<output>1<", "<output>inf<", "line 5: a tree holds a value that is not a number"),
        ("<feature>3</feature>", "<feature>3</feature>4", "line 7: expected an element, found `4`"),
        ("<ensemble>", "<!DOCTYPE x><ensemble>", "line 4: no well-formed XML"),
        ("</ensemble>", "</ensemble><ensemble></ensemble>", "line 1: found 2 `<ensemble>`s; a model of MART has one"),
        (
            "",
            "",
            "line 1: the file does not say how many features a document has; give the number of features, at least 3",
        ),
    ];
    for (from, to, expected) in cases {
        let found = error("ranklib", &RANKLIB.replacen(from, to, 1));
        assert!(found.starts_with(expected), "{from} to {to}: {found}");
    }
    // o19s/elasticsearch-learning-to-rank #382: a line of megabytes, copied from JSON.
    let escaped = RANKLIB.replace('\n', "\\n").repeat(1000);
    let found = error("ranklib", &escaped);
    assert_eq!(
        found,
        "line 1: found `## MART\\n## No. of trees = 1\\n\\n<ensembl...`: the line ends are written as `\\n`, as in JSON; take the text out \
         of the JSON string (`jq -r`)"
    );
    let found = error("ranklib", &format!("## {}", "x".repeat(100_000)));
    assert!(found.len() < 250 && found.contains("xxx...` cannot be read; models of these"), "{found}");
    let narrow = read("ranklib", RANKLIB, Some(2)).unwrap_err().to_string();
    assert_eq!(narrow, "line 7: there is no feature 3; features are 1 to 2");
}

#[test]
fn ranklib_errors_in_weights_name_the_line() {
    let cases = [
        ("## AdaRank\n\n", "line 2: the file ends before the model"),
        ("## AdaRank\n1:2\n\n2:3", "line 4: expected one line below the lines that begin with `##`"),
        ("## AdaRank\n1:2:3", "line 2: expected `feature:weight`, found `1:2:3`"),
        ("## AdaRank\n1:two", "line 2: expected a number, found `two`"),
        ("## AdaRank\n3:2", "line 2: there is no feature 3; features are 1 to 2"),
        ("## AdaRank\n1:1e308 1:1e308", "line 2: a weight is not finite"),
        ("## RankBoost\n1:.5", "line 2: expected `feature:threshold:alpha`, found `1:.5`"),
        ("## RankBoost\n1:-inf:1", "line 2: `-inf` is no threshold of a feature"),
        ("## RankBoost\n1:1:NaN", "line 2: `1:1:NaN`: a tree holds a value that is not a number"),
        ("", "line 1: the file is empty"),
    ];
    for (text, expected) in cases {
        let found = read("ranklib", text, Some(2)).unwrap_err().to_string();
        assert!(found.starts_with(expected), "{text}: {found}");
    }
}

#[test]
fn lightgbm_errors_name_the_line() {
    let cases = [
        ("version=v4", "version=v1", "line 2: found version `v1`; v2, v3, v4 and files without a version can be read"),
        ("num_class=1", "num_class=3", "line 3: `num_class` must be 1: a ranker has one score"),
        ("max_feature_idx=3", "max_feature_idx=2", "line 15: there is no feature 3; features are 0 to 2"),
        ("max_feature_idx=3", "max_feature_idx=4000000000", "line 6: there is no feature 4000000000"),
        ("num_leaves=6", "num_leaves=7", "line 21: `leaf_value` has 6 values instead of 7"),
        ("num_leaves=6", "num_leaves=-1", "line 13: `num_leaves` is no number in its range"),
        ("num_leaves=6", "num_leaves=18446744073709551615", "line 21: `leaf_value` has 6 values instead of"),
        ("decision_type=6", "decision_type=1", "line 17: `1.0000000180025095e-35` is no number of a set"),
        ("num_cat=0", "num_cat=1", "line 12: `cat_boundaries=` is missing below this line"),
        ("num_cat=0", "num_cat=1\ncat_boundaries=0 1", "line 12: `cat_threshold=` is missing below this line"),
        ("num_cat=0", "num_cat=2\ncat_boundaries=0 2 1\ncat_threshold=1", "line 15: `cat_boundaries` must rise"),
        (
            "num_cat=0",
            "num_cat=1\ncat_boundaries=0 1\ncat_threshold=-1",
            "line 16: `cat_threshold` has a value that is no",
        ),
        (
            "tree_sizes=",
            "tree_sizes=1 ",
            "line 10: `tree_sizes` states 4 trees, but the file has 3: the file is not complete",
        ),
        ("decision_type=6", "decision_type=12", "line 18: `12` is no type of decision"),
        ("left_child=1 -1", "left_child=0 -1", "line 12: node 0 of a tree must be the child of exactly one node"),
        ("threshold=1.0000000180025095e-35", "threshold=nan", "line 17: `NaN` is no threshold of a feature"),
        ("leaf_value=0.7", "leaf_value=x0.7", "line 21: `leaf_value` has a value that is no number in its range"),
        ("is_linear=0", "is_linear=1", "line 27: linear models in leaves cannot be read; train without linear_tree"),
    ];
    for (from, to, expected) in cases {
        assert!(LIGHTGBM.contains(from), "{from}");
        let found = error("lightgbm", &LIGHTGBM.replacen(from, to, 1));
        assert!(found.starts_with(expected), "{from} to {to}: {found}");
    }
    let cut_off = &LIGHTGBM[..LIGHTGBM.len() / 2];
    let lines = cut_off.lines().count();
    assert_eq!(
        error("lightgbm", cut_off),
        format!("line {lines}: the file ends before `end of trees`: the file is cut off")
    );
}

#[test]
fn formats_are_recognised() {
    let found = |text: &str| Format::of_text(text).map(|format| format.name);
    assert_eq!((found(RANKLIB), found(LIGHTGBM)), (Some("ranklib"), Some("lightgbm")));
    assert_eq!(
        (found("<ensemble>"), found("tree\r\nversion=v4"), found("{}"), found("")),
        (Some("ranklib"), Some("lightgbm"), None, None)
    );
}

/// Deep trees do not overflow the stack.
#[test]
fn a_deep_tree_is_read() {
    let depth = 50_000;
    let mut text = "## MART\n<ensemble><tree weight=\"1\"><split>".to_owned();
    for _ in 0..depth {
        text.push_str("<feature>1</feature><threshold>1</threshold><split><output>1</output></split><split>");
    }
    text.push_str("<output>2</output></split>");
    (0..depth).for_each(|_| text.push_str("</split>"));
    text.push_str("</tree></ensemble>");
    let model = read("ranklib", &text, Some(1)).unwrap();
    assert_eq!(super::scores(&model, &[1.0, 2.0]), [1.0, 2.0]);
    // The second half of the text is missing, and with it the end tags.
    assert!(read("ranklib", &text[..text.len() / 2], Some(1)).is_err());
}

/// A text with some places overwritten.
fn damaged(text: &'static str) -> impl Strategy<Value = String> {
    let part = prop_oneof!["[-<>/\"=:#. a-z0-9\n]{0,3}", Just("99999999999".to_owned()), Just("nan".to_owned())];
    prop::collection::vec((any::<prop::sample::Index>(), 0usize..6, part), 1..4).prop_map(|places| {
        let mut text = text.to_owned();
        for (index, length, part) in places {
            let start = index.index(text.len());
            text.replace_range(start..(start + length).min(text.len()), &part);
        }
        text
    })
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(
        text in prop_oneof![any::<String>(), damaged(RANKLIB), damaged(LIGHTGBM), damaged("## RankBoost\n1:.5:2 3:4:5\n")],
        features in prop_oneof![Just(None), Just(Some(5))],
    ) {
        for format in FORMATS {
            match read(format.name, &text, features) {
                Ok(model) => drop(super::scores(&model, &vec![0.5; model.features])),
                Err(error) => assert!(error.line >= 1 && error.line <= text.lines().count().max(1), "{error}"),
            }
        }
    }
}
