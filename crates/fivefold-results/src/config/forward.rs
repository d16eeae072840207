//! Forward selection of features: what enters, how often, and what it chose.

use std::collections::BTreeMap;

use fivefold_data::Collection;
use fivefold_data::features::Pick;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The name of the chosen features among the values of a setting.
pub const FEATURES: &str = "features";

/// Forward selection: what enters the set of features, and how often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Forward {
    /// What enters as a whole.
    pub from: Units,
    /// The most steps. Each step adds a feature, a group, or an entry of the list.
    pub max: usize,
}

/// What enters the set of features as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "\"features\", \"groups\", or a list of features and groups")]
pub enum Units {
    /// Each feature, or each group.
    Each(Each),
    /// Each entry of a list.
    Listed(Vec<Pick>),
}

/// A word for what enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Each {
    /// Each feature by itself.
    Features,
    /// Each group of features.
    Groups,
}

impl Forward {
    /// What may enter, in its order: the features of a collection, its groups, or the list.
    pub fn units(&self, collection: &Collection) -> Vec<Pick> {
        match &self.from {
            Units::Each(Each::Features) => {
                (collection.first_feature_id..).take(collection.all.width()).map(Pick::Number).collect()
            }
            Units::Each(Each::Groups) => {
                collection.names.groups().into_iter().map(|group| Pick::Text(format!("group:{group}"))).collect()
            }
            Units::Listed(list) => list.clone(),
        }
    }

    /// The number of steps for this many units.
    pub fn steps(&self, units: usize) -> usize {
        self.max.min(units)
    }

    /// The number of sets that a fold tries, of this many units.
    pub fn candidates(&self, units: usize) -> usize {
        (0..self.steps(units)).map(|step| units - step).fold(0, usize::saturating_add)
    }

    /// The selection in words.
    pub(super) fn words(&self) -> String {
        let what = match &self.from {
            Units::Each(Each::Features) => "features",
            Units::Each(Each::Groups) => "groups of features",
            Units::Listed(_) => "entries of a list of features",
        };
        format!("a forward selection of at most {} {what}", self.max)
    }
}

/// Returns the chosen features as they stand among the values of a setting.
pub fn features_value(set: &[Pick]) -> Value {
    json!(set)
}

/// The features among the values that a selection chose, in the order in which they entered.
pub fn chosen_features(setting: &BTreeMap<String, Value>) -> Option<Vec<Pick>> {
    serde_json::from_value(setting.get(FEATURES)?.clone()).ok()
}
