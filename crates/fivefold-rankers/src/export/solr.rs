//! Solr's models, as `PUT /schema/model-store` takes them (checked against Solr's
//! `org.apache.solr.ltr` of 6.4 to 9).
//!
//! ```text
//! MultipleAdditiveTreesModel   score = sum of the trees' values; left if x <= threshold
//! LinearModel                  score = sum of weight times feature
//! norm                         MinMaxNormalizer (x - min) / (max - min), StandardNormalizer (x - avg) / std
//! ```
//! Solr computes in single precision. When Solr reads a threshold, it adds 1e-6. So each threshold
//! is written as the number that becomes the right threshold by this addition. A few thresholds
//! near 0, or below 0 near a power of two, have no such number. Then the nearest possible threshold
//! with 0 on the same side is written, and a note gives the number of such thresholds. A missing
//! value is the default of its feature: 0, unless the feature states another default.

use std::fmt::Write as _;

use fivefold_base::words::counted;
use fivefold_trees::Tree;
use serde_json::{Value, json};

use super::tree_events::{Event, walk};
use super::{Context, Formula, Notes, Refusal, Scaling, Target, used, weighed, without_intercept, without_logarithm};
use crate::linear_model::LinearModel;

/// Solr.
pub(super) const TARGET: Target = Target {
    name: "solr",
    summary: "Solr's model store: MultipleAdditiveTreesModel or LinearModel, as JSON",
    first_feature: 1,
    names: true,
    binary: false,
    knows_missing: false,
    by_hand: false,
    trees: write_trees,
    linear: Some(write_linear),
};

/// The number that Solr adds to a threshold.
const SLACK: f32 = 1e-6;

fn write_trees(context: &Context<'_>, trees: &[Tree], notes: &mut Notes) -> Vec<u8> {
    let features: Vec<Value> =
        used(trees).into_iter().map(|feature| json!({ "name": context.feature(feature) })).collect();
    let mut text = format!(
        "{{\"class\":\"org.apache.solr.ltr.model.MultipleAdditiveTreesModel\",\"name\":{},\n\"features\":{},\n\
         \"params\":{{\"trees\":[\n",
        json!(context.name),
        json!(features)
    );
    let (mut unmet, mut cuts, mut farthest) = (0, 0, 0.0f32);
    for (number, tree) in trees.iter().enumerate() {
        text.push_str(if number == 0 { "{\"weight\":\"1\",\"root\":" } else { ",\n{\"weight\":\"1\",\"root\":" });
        walk(tree, |event| {
            // Writing to a string cannot fail.
            let _ = match event {
                Event::Node(_, node, _) => {
                    let written = before_slack(node.threshold);
                    let distance = (written + SLACK - node.threshold).abs();
                    cuts += 1;
                    if distance > 0.0 {
                        unmet += 1;
                        farthest = farthest.max(distance);
                    }
                    let feature = json!(context.feature(node.feature));
                    write!(text, "{{\"feature\":{feature},\"threshold\":\"{}\",\"left\":", Java(written))
                }
                Event::Between => write!(text, ",\"right\":"),
                Event::End => write!(text, "}}"),
                Event::Leaf(leaf) => write!(text, "{{\"value\":\"{:?}\"}}", tree.values()[leaf]),
            };
        });
        text.push('}');
    }
    text.push_str("\n]}}\n");
    if unmet > 0 {
        notes.push(format!(
            "Solr adds 1e-6 to each threshold in single precision, and cannot meet {unmet} of {}: documents whose value \
             is within {farthest:e} of such a threshold may go the other way",
            counted(cuts, "threshold")
        ));
    }
    text.into_bytes()
}

/// The number that becomes `threshold` when [`SLACK`] is added. If no number does, the number that
/// becomes the nearest threshold with 0 on the same side.
fn before_slack(threshold: f32) -> f32 {
    if threshold.is_infinite() {
        return threshold;
    }
    let near = (f64::from(threshold) - f64::from(SLACK)) as f32;
    // Most documents have the value 0, which must stay on its side.
    let distance = |written: &f32| {
        let becomes = written + SLACK;
        let moves_zero = (0.0 <= becomes) != (0.0 <= threshold);
        if moves_zero { f64::INFINITY } else { (f64::from(becomes) - f64::from(threshold)).abs() }
    };
    let candidates = [near, near.next_up(), near.next_down(), near.next_up().next_up(), near.next_down().next_down()];
    candidates.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(near)
}

/// A number as `Float.parseFloat` reads it.
struct Java(f32);

impl std::fmt::Display for Java {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_infinite() {
            return f.write_str(if self.0 > 0.0 { "Infinity" } else { "-Infinity" });
        }
        write!(f, "{:?}", self.0)
    }
}

fn write_linear(
    context: &Context<'_>,
    model: &LinearModel,
    scaling: Option<&Scaling<'_>>,
    notes: &mut Notes,
) -> Result<Vec<u8>, Refusal> {
    without_logarithm(&TARGET, scaling)?;
    without_intercept(model, notes);
    let weighed = weighed(model, scaling);
    let feature = |&(feature, _): &(u32, f64)| {
        let mut described = json!({ "name": context.feature(feature) });
        if let Some(scaling) = scaling {
            described["norm"] = norm(scaling.formula, scaling.scales[feature as usize]);
        }
        described
    };
    let features: Vec<Value> = weighed.iter().map(feature).collect();
    let weights: serde_json::Map<String, Value> =
        weighed.iter().map(|&(feature, weight)| (context.feature(feature), json!(weight))).collect();
    let model = json!({
        "class": "org.apache.solr.ltr.model.LinearModel",
        "name": context.name,
        "features": features,
        "params": { "weights": weights },
    });
    Ok(format!("{model:#}\n").into_bytes())
}

fn norm(formula: Formula, (centre, spread): (f64, f64)) -> Value {
    let text = |value: f64| json!(format!("{:?}", value as f32));
    let (class, params) = match formula {
        Formula::MinMax => ("MinMaxNormalizer", json!({ "min": text(centre), "max": text(centre + spread) })),
        Formula::ZScore | Formula::LogZScore => {
            ("StandardNormalizer", json!({ "avg": text(centre), "std": text(spread) }))
        }
    };
    json!({ "class": format!("org.apache.solr.ltr.norm.{class}"), "params": params })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slack_is_taken_off_where_it_can_be() {
        for threshold in [0.0f32, 1e-6, 5e-7, 0.15, 0.5, 1.0, 12.25, 1e9, -0.3, -17.5, f32::MAX, f32::MIN] {
            assert_eq!(before_slack(threshold) + SLACK, threshold, "{threshold}");
        }
        assert_eq!(before_slack(f32::INFINITY), f32::INFINITY);
        // No single-precision number plus 1e-6 is 1e-20.
        let near = before_slack(1e-20) + SLACK;
        assert!(near != 1e-20 && (near - 1e-20).abs() < 1e-13, "{near:e}");
        // LightGBM separates zero from lower and higher values by cuts at -1e-35 and 1e-35.
        let [below, above] = [-1e-35, 1e-35].map(|threshold| before_slack(threshold) + SLACK);
        assert!((-2e-13..0.0).contains(&below) && (0.0..2e-13).contains(&above), "{below:e} {above:e}");
    }

    /// Nearly all usual cuts can be written.
    #[test]
    fn few_thresholds_cannot_be_met() {
        let thresholds = (1..20_000).flat_map(|i| [i as f32 / 10_000.0, i as f32 * 0.37, -(i as f32) / 10_000.0]);
        let unmet = thresholds.clone().filter(|&threshold| before_slack(threshold) + SLACK != threshold).count();
        assert!(unmet * 1000 < thresholds.count(), "{unmet}");
    }
}
