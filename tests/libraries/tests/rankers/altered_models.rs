//! Model files that were altered by hand are refused when they are loaded, with a message that says
//! why. Models never cause a panic when they score.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use fivefold_core::{ModelFile, Registry};
use fivefold_rankers::RANKERS;

fn error(ranker: &str, features: usize, model: &str) -> String {
    let text = format!(
        r#"{{"header":{{"format":"fivefold-model/1","ranker":"{ranker}","version":1,"params":null,"features":{features},
        "missing":"error","normaliser":null,"data":""}},"model":{model}}}"#
    );
    let loaded = ModelFile::parse(&text).and_then(|file| file.load(&Registry::new(&[RANKERS]), features));
    loaded.err().map_or_else(|| "loaded".to_owned(), |error| error.to_string())
}

#[test]
fn a_model_is_of_the_width_that_its_header_says() {
    let linear = r#"{"weights":[1,2,3],"intercept":0}"#;
    assert_eq!(error("linear", 3, linear), "loaded");
    let altered = "the header says 4 features a document, but the model has 3: the file was altered";
    assert_eq!(error("linear", 4, linear), altered);
    let tree =
        r#"{"feature":[2],"threshold":[0.5],"missing_left":[true],"left":[-1],"right":[-2],"gain":[1],"value":[0,1]}"#;
    let trees = format!(r#"{{"features":3,"base":0,"trees":[{tree}]}}"#);
    assert_eq!(error("mart", 3, &trees), "loaded");
    assert_eq!(error("mart", 4, &trees), altered);
    assert_eq!(
        error("mart", 2, &trees.replace("\"features\":3", "\"features\":2")),
        "not a model file: a tree uses feature 3, but documents have 2"
    );
    let network = r#"{"activation":"relu","layers":[{"inputs":3,"weights":[1,2,3],"biases":[0]}]}"#;
    assert_eq!(error("ranknet", 3, network), "loaded");
    assert_eq!(error("ranknet", 4, network), altered);
    assert_eq!(error("feature", 4, r#"{"column":1,"negate":false,"width":3}"#), altered);
}

#[test]
fn what_cannot_be_scored_with_is_refused() {
    let no_input = r#"{"activation":"relu","layers":[{"inputs":0,"weights":[],"biases":[0]}]}"#;
    assert_eq!(error("ranknet", 0, no_input), "not a model file: layer 1 has no input");
    let beyond = error("feature", 3, r#"{"column":3,"negate":false,"width":3}"#);
    assert_eq!(beyond, "not a model file: there is no column 3; documents have 3, from 0");
    let most = "the header says 18446744073709551615 features a document; the most is 100000";
    assert_eq!(error("feature", usize::MAX, r#"{"column":3,"negate":false,"width":18446744073709551615}"#), most);
    assert!(error("linear", 1, r#"{"weights":[1e999],"intercept":0}"#).contains("out of range"));
}
