//! Fuzz target for model files of RankLib and LightGBM. A file is read, or refused with a line. A
//! model that is read has these properties:
//!
//! - The model scores any data. A score is the base plus the value of the reached leaf in each
//!   tree.
//! - The scores stay the same if the model is written in either format and read again.
//! - Every other format writes the model, or refuses a model that needs several thresholds in a
//!   node.

use std::sync::LazyLock;

use fivefold_core::Registry;
use fivefold_core::registry::DynModel;
use fivefold_rankers::RANKERS;
use fivefold_rankers::exchange::{Columns, Format, Imported, ImportedModel};
use fivefold_rankers::export::{Context, Exported, Normalised, TARGETS};

use crate::model::{bits, scores, values};

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::new(&[RANKERS]));

const FEATURES: usize = 50;

pub(crate) fn ranklib(bytes: &[u8]) {
    import("ranklib", bytes);
}

pub(crate) fn lightgbm(bytes: &[u8]) {
    import("lightgbm", bytes);
}

fn import(name: &str, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let format = Format::find(name).unwrap();
    let columns = |format: &Format| Columns { first: format.first_feature, features: Some(FEATURES) };
    let lines = text.lines().count().max(1);
    if let Err(error) = format.read(text, Columns { features: None, ..columns(format) }) {
        assert!((1..=lines).contains(&error.line), "{error} of {lines} lines");
    }
    let Ok(imported) = format.read(text, columns(format)) else { return };
    let before = scores(&*loaded(&imported), FEATURES);
    let ImportedModel::Trees(trees) = &imported.model else { return };
    let walked =
        |row: &[f32]| trees.trees().iter().fold(trees.base(), |sum, tree| sum + tree.values()[tree.leaf_of(row)]);
    let rows = values(FEATURES);
    assert_eq!(bits(&before), bits(&rows.chunks(FEATURES).map(walked).collect::<Vec<_>>()));
    let trees = Exported::Trees(trees.clone());
    for target in TARGETS {
        let first = target.first_feature;
        let context = Context {
            ranker: imported.ranker,
            name: "",
            first,
            features: FEATURES,
            names: None,
            missing: imported.missing,
        };
        // Sets of categories and zeros as missing values may be too large for one threshold a node.
        let Ok(written) = target.write(&trees, &context, Normalised::No) else { continue };
        let Some(format) = Format::find(target.name) else { continue };
        let written = String::from_utf8(written.bytes).unwrap();
        let again = format.read(&written, columns(format)).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(bits(&scores(&*loaded(&again), FEATURES)), bits(&before), "{}\n{written}", format.name);
    }
}

fn loaded(imported: &Imported) -> Box<dyn DynModel> {
    REGISTRY.find(imported.ranker).unwrap().load(serde_json::to_value(&imported.model).unwrap()).unwrap()
}
