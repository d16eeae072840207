//! `fivefold importance`: how much a model uses each feature.

use std::path::PathBuf;

use fivefold_core::Registry;
use fivefold_rankers::tree_model::TreeModel;
use serde::Serialize;

use crate::exit::Exit;
use crate::feature_names::{Named, NamesArgs};
use crate::format::JsonArgs;
use crate::model;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold importance model.json            the most important feature first
  fivefold importance model.json --json     for a program

Features have the numbers of the data files, and their names if these are known (`fivefold book name-features`). Trees: the sum of the gains of the splits on a feature. A model from \
RankLib has the number of splits instead, because RankLib's files hold no gains. Linear models: absolute weights, \
comparable only between features of the same scale.")]
pub(crate) struct Args {
    /// A model file, from `fivefold train`, `fivefold import` or the folder of a run
    model: PathBuf,
    #[command(flatten)]
    names: NamesArgs,
    /// The number of the first feature in the data files: 0 or 1. A model of a run knows it
    #[arg(long, value_name = "ID", default_value_t = 1)]
    first_feature_id: u32,
    #[command(flatten)]
    json: JsonArgs,
}

/// One line of the list.
#[derive(Serialize)]
struct Feature {
    feature: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    importance: f64,
    /// The feature's share of the sum over all features; 0 if the sum is 0.
    share: f64,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let file = model::read(&self.model)?;
        let (ranker, width) = (file.header.ranker.clone(), file.header.features);
        let model = file.load(registry, width).map_err(|error| model::unusable(&self.model, error))?;
        let importance = model.importance().ok_or_else(|| {
            let trees = model.to_json().ok().and_then(|json| serde_json::from_value::<TreeModel>(json).ok());
            if trees.is_some() {
                let what = "the gains of the splits are not known: the imported file has no gains, or infinite gains";
                return model::unusable(&self.model, what)
                    .help("the scores of the model are right; train again to get finite gains");
            }
            model::unusable(&self.model, format_args!("models of `{ranker}` have no feature importance"))
                .help("models of trees and linear models have feature importances")
        })?;
        let named = self.names.of_model(&self.model, None, importance.len(), self.first_feature_id)?;
        let features = ranked(&importance, &named);
        if self.json.asked() {
            screen.json(&features)?;
        } else {
            let has_names = features.iter().any(|feature| feature.name.is_some());
            let rows = features.iter().map(|feature| {
                let Feature { feature, name, importance, share } = feature;
                let numbers = [feature.to_string(), format!("{importance:.6}"), format!("{share:.4}")];
                numbers.into_iter().chain(has_names.then(|| name.clone().unwrap_or_default())).collect()
            });
            let heads = ["Feature", "Importance", "Share", "Name"];
            screen.columns(&heads[..if has_names { 4 } else { 3 }], rows);
        }
        Ok(Exit::Done)
    }
}

/// Sorts features: the most important feature first, and of equals the feature with the lower
/// number first.
fn ranked(importance: &[f64], named: &Named) -> Vec<Feature> {
    let sum: f64 = importance.iter().sum();
    let share = |importance: f64| if sum > 0.0 { importance / sum } else { 0.0 };
    let feature = |(column, &importance): (usize, &f64)| {
        let name = named.name(column).map(str::to_owned);
        Feature { feature: named.id(column), name, importance, share: share(importance) }
    };
    let mut features: Vec<Feature> = importance.iter().enumerate().map(feature).collect();
    features.sort_by(|one, other| other.importance.total_cmp(&one.importance));
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_important_comes_first_and_shares_sum_to_one() {
        let ranked = |importance: &[f64]| super::ranked(importance, &Named { first: 1, ..Named::default() });
        let order = |importance: &[f64]| ranked(importance).iter().map(|f| f.feature).collect::<Vec<_>>();
        assert_eq!(order(&[1.0, 4.0, 1.0, 2.0]), [2, 4, 1, 3]);
        let shares: Vec<f64> = ranked(&[1.0, 4.0, 1.0, 2.0]).iter().map(|f| f.share).collect();
        assert_eq!(shares, [0.5, 0.25, 0.125, 0.125]);
        assert!(ranked(&[0.0, 0.0]).iter().all(|f| f.share == 0.0));
    }
}
