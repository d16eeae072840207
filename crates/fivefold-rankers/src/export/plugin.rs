//! Models as the learning-to-rank plug-ins of Elasticsearch and OpenSearch take them: the body of
//! `POST _ltr/_featureset/NAME/_createmodel`.
//!
//! ```text
//! model/xgboost+json   score = sum of the trees' values; yes (left) if x < split_condition, in single precision
//! model/linear         score = sum of weight times feature
//! feature_normalizers  min_max (x - minimum) / (maximum - minimum), standard (x - mean) / standard_deviation
//! ```
//! Our trees go left at `x <= threshold`, which is `x <` the next `f32`. The feature set NAME must
//! have the features that the file names. A feature whose query does not match counts as 0. Newer
//! releases of OpenSearch take such a feature for missing and follow `missing`. So `missing` is
//! the side of 0, unless the model was trained with missing values.

use std::fmt::Write as _;

use fivefold_trees::{Node, Tree};
use serde_json::{Value, json};

use super::tree_events::{Event, walk};
use super::{Context, Formula, Notes, Refusal, Scaling, Target, weighed, without_intercept, without_logarithm};
use crate::exchange::AS_TRAINED;
use crate::linear_model::LinearModel;

/// The plug-in of Elasticsearch.
pub(super) const ELASTICSEARCH: Target = Target {
    name: "elasticsearch",
    summary: "the learning-to-rank plug-in of Elasticsearch: JSON for _createmodel",
    first_feature: 1,
    names: true,
    binary: false,
    knows_missing: false,
    by_hand: false,
    trees: write_trees,
    linear: Some(|context, model, scaling, notes| write_linear(&ELASTICSEARCH, context, model, scaling, notes)),
};

/// The plug-in of OpenSearch.
pub(super) const OPENSEARCH: Target = Target {
    name: "opensearch",
    summary: "the learning-to-rank plug-in of OpenSearch: JSON for _createmodel",
    knows_missing: true,
    linear: Some(|context, model, scaling, notes| write_linear(&OPENSEARCH, context, model, scaling, notes)),
    ..ELASTICSEARCH
};

fn write_trees(context: &Context<'_>, trees: &[Tree], _: &mut Notes) -> Vec<u8> {
    let mut definition = String::from("[");
    for (number, tree) in trees.iter().enumerate() {
        definition.push_str(if number == 0 { "\n" } else { ",\n" });
        write_tree(context, tree, &mut definition);
    }
    definition.push_str("\n]");
    body(context, "model/xgboost+json", &definition, None)
}

fn write_tree(context: &Context<'_>, tree: &Tree, text: &mut String) {
    let inner = tree.nodes().len();
    // Inner nodes keep their numbers; the numbers of leaves follow.
    let id = |child: i32| if child >= 0 { child as usize } else { inner + !child as usize };
    walk(tree, |event| {
        // Writing to a string cannot fail.
        let _ = match event {
            Event::Node(number, node, depth) => {
                let (yes, no) = (id(node.left), id(node.right));
                let missing = if missing_left(context, &node) { yes } else { no };
                write!(
                    text,
                    "{{\"nodeid\":{number},\"depth\":{depth},\"split\":{},\"split_condition\":{},\"yes\":{yes},\"no\":{no},\
                     \"missing\":{missing},\"children\":[",
                    json!(context.feature(node.feature)),
                    // JSON has no infinite number, and no feature is infinite.
                    json!(f64::from(node.threshold.next_up().min(f32::MAX)))
                )
            }
            Event::Between => write!(text, ","),
            Event::End => write!(text, "]}}"),
            Event::Leaf(leaf) => {
                write!(text, "{{\"nodeid\":{},\"leaf\":{}}}", inner + leaf, json!(tree.values()[leaf]))
            }
        };
    });
}

/// Whether a feature goes left if its query does not match.
fn missing_left(context: &Context<'_>, node: &Node) -> bool {
    if context.missing == AS_TRAINED { node.missing_left } else { 0.0 <= node.threshold }
}

fn write_linear(
    target: &Target,
    context: &Context<'_>,
    model: &LinearModel,
    scaling: Option<&Scaling<'_>>,
    notes: &mut Notes,
) -> Result<Vec<u8>, Refusal> {
    without_logarithm(target, scaling)?;
    without_intercept(model, notes);
    let weighed = weighed(model, scaling);
    let weights: serde_json::Map<String, Value> =
        weighed.iter().map(|&(feature, weight)| (context.feature(feature), json!(weight))).collect();
    let normalisers = scaling.map(|scaling| {
        let named = |&(feature, _): &(u32, f64)| {
            (context.feature(feature), normaliser(scaling.formula, scaling.scales[feature as usize]))
        };
        weighed.iter().map(named).collect::<serde_json::Map<String, Value>>().into()
    });
    Ok(body(context, "model/linear", &Value::from(weights).to_string(), normalisers))
}

fn normaliser(formula: Formula, (centre, spread): (f64, f64)) -> Value {
    match formula {
        Formula::MinMax => json!({ "min_max": { "minimum": centre, "maximum": centre + spread } }),
        Formula::ZScore | Formula::LogZScore => {
            json!({ "standard": { "mean": centre, "standard_deviation": spread } })
        }
    }
}

fn body(context: &Context<'_>, kind: &str, definition: &str, normalisers: Option<Value>) -> Vec<u8> {
    let mut model = json!({ "type": kind, "definition": definition });
    if let Some(normalisers) = normalisers {
        model["feature_normalizers"] = normalisers;
    }
    let body = json!({ "model": { "name": context.name, "model": model } });
    format!("{body:#}\n").into_bytes()
}
