//! Scores of a model in Solr and in the plug-ins of Elasticsearch and OpenSearch, in single
//! precision. The code follows their documentation and their classes (`org.apache.solr.ltr`,
//! `com.o19s.es.ltr.ranker`).

use serde_json::Value;

/// A score in single precision, as the engine adds it up, and in double precision, with the same
/// path through the trees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    pub engine: f32,
    pub exact: f64,
}

/// An engine, which computes a score from a model's JSON and the value of each feature by name.
pub type Engine = fn(&Value, &dyn Fn(&str) -> f32) -> Score;

/// The text of a Java float.
fn float(text: &Value) -> f32 {
    match text.as_str().unwrap() {
        "Infinity" => f32::INFINITY,
        text => text.parse().unwrap(),
    }
}

/// A number of JSON, which Java's parsers read as a double first.
fn number(value: &Value) -> f32 {
    value.as_f64().unwrap() as f32
}

/// `features` with `norm`s, then `MultipleAdditiveTreesModel` or `LinearModel`.
pub fn solr(model: &Value, value: &dyn Fn(&str) -> f32) -> Score {
    let normalised = |name: &str| {
        let features = model["features"].as_array().unwrap();
        let feature = features.iter().find(|feature| feature["name"] == name).expect("a feature of the model");
        let (raw, params) = (value(name), &feature["norm"]["params"]);
        match feature["norm"]["class"].as_str() {
            None => raw,
            Some("org.apache.solr.ltr.norm.MinMaxNormalizer") => {
                let (min, max) = (float(&params["min"]), float(&params["max"]));
                (raw - min) / (max - min)
            }
            Some("org.apache.solr.ltr.norm.StandardNormalizer") => {
                (raw - float(&params["avg"])) / float(&params["std"])
            }
            Some(other) => panic!("{other}"),
        }
    };
    let mut score = Score { engine: 0.0, exact: 0.0 };
    match model["class"].as_str().unwrap() {
        "org.apache.solr.ltr.model.MultipleAdditiveTreesModel" => {
            for tree in model["params"]["trees"].as_array().unwrap() {
                let mut node = &tree["root"];
                while let Some(feature) = node["feature"].as_str() {
                    // Solr adds 1e-6 to each threshold that it reads.
                    let threshold = float(&node["threshold"]) + 1e-6f32;
                    node = &node[if normalised(feature) <= threshold { "left" } else { "right" }];
                }
                score.engine += float(&tree["weight"]) * float(&node["value"]);
                score.exact += node["value"].as_str().unwrap().parse::<f64>().unwrap();
            }
        }
        "org.apache.solr.ltr.model.LinearModel" => {
            for feature in model["features"].as_array().unwrap() {
                let name = feature["name"].as_str().unwrap();
                let weight = &model["params"]["weights"][name];
                score.engine += normalised(name) * number(weight);
                score.exact += f64::from(normalised(name)) * weight.as_f64().unwrap();
            }
        }
        other => panic!("{other}"),
    }
    score
}

/// `feature_normalizers`, then `model/xgboost+json` or `model/linear`.
pub fn plugin(body: &Value, value: &dyn Fn(&str) -> f32) -> Score {
    let model = &body["model"]["model"];
    let normalised = |name: &str| {
        let (raw, normaliser) = (value(name), &model["feature_normalizers"][name]);
        if let Value::Object(params) = &normaliser["min_max"] {
            let (least, greatest) = (number(&params["minimum"]), number(&params["maximum"]));
            return (raw - least) / (greatest - least);
        }
        match &normaliser["standard"] {
            Value::Object(params) => (raw - number(&params["mean"])) / number(&params["standard_deviation"]),
            _ => raw,
        }
    };
    let definition: Value = serde_json::from_str(model["definition"].as_str().unwrap()).unwrap();
    let mut score = Score { engine: 0.0, exact: 0.0 };
    match model["type"].as_str().unwrap() {
        "model/xgboost+json" => {
            for tree in definition.as_array().unwrap() {
                let mut node = tree;
                while node["leaf"].is_null() {
                    let children = node["children"].as_array().unwrap();
                    // The plug-in refuses any other model.
                    assert_eq!((&node["yes"], &node["no"]), (&children[0]["nodeid"], &children[1]["nodeid"]));
                    assert!(node["missing"] == node["yes"] || node["missing"] == node["no"]);
                    let feature = normalised(node["split"].as_str().unwrap());
                    let yes = number(&node["split_condition"]) > feature;
                    node = &children[usize::from(!yes)];
                }
                score.engine += number(&node["leaf"]);
                score.exact += node["leaf"].as_f64().unwrap();
            }
        }
        "model/linear" => {
            for (name, weight) in definition.as_object().unwrap() {
                score.engine += number(weight) * normalised(name);
                score.exact += weight.as_f64().unwrap() * f64::from(normalised(name));
            }
        }
        other => panic!("{other}"),
    }
    score
}
