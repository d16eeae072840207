//! A model that is written and read back gives the same scores, bit for bit.

use fivefold_core::conformance::data::signal_in_order;
use fivefold_core::{FitContext, Model, QueryView, Ranker, Seed};
use fivefold_rankers::exchange::{Columns, FORMATS};
use fivefold_rankers::export::Exported;
use fivefold_rankers::lambdamart::LambdaMart;
use fivefold_rankers::mart::Mart;
use fivefold_rankers::random_forest::RandomForest;
use fivefold_rankers::rankboost::RankBoost;
use fivefold_rankers::tree_model::TreeModel;
use fivefold_trees::{Node, Tree};
use proptest::prelude::*;

use super::{scores, written};

/// Writes and reads a model in every format, also with other numbers of features, and compares
/// scores.
fn assert_same(model: &TreeModel, ranker: &str, rows: &[f32]) {
    let documents = rows.len() / model.features();
    let mut before = vec![f64::NAN; documents];
    model.score(QueryView::new("q", rows, model.features(), documents), &mut before);
    for format in FORMATS {
        for first in [format.first_feature, 1 - format.first_feature] {
            let text = written(format.name, &Exported::Trees(model.clone()), ranker, first);
            let columns = Columns { first, features: Some(model.features()) };
            let read = format.read(&text, columns).unwrap();
            let after = scores(&read, rows);
            let bits = |scores: &[f64]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&before), bits(&after), "{ranker} as {}: {before:?} {after:?}", format.name);
        }
    }
}

#[test]
fn fitted_models_keep_their_scores() {
    let (train, test) = (signal_in_order(40, 1), signal_in_order(20, 2));
    let rows: Vec<f32> = test.queries().flat_map(|query| query.view().features().to_vec()).collect();
    let context = FitContext::new(Seed::new(3));
    let mart = Mart { trees: 20, ..Mart::default() }.fit(&train, &context).unwrap();
    assert!(mart.base() != 0.0);
    assert_same(&mart, "mart", &rows);
    assert_same(&LambdaMart { trees: 20, ..LambdaMart::default() }.fit(&train, &context).unwrap(), "lambdamart", &rows);
    assert_same(
        &RandomForest { bags: 7, ..RandomForest::default() }.fit(&train, &context).unwrap(),
        "random-forest",
        &rows,
    );
    assert_same(&RankBoost { rounds: 20, ..RankBoost::default() }.fit(&train, &context).unwrap(), "rankboost", &rows);
    assert_same(&TreeModel::new(6, 0.3, Vec::new()).unwrap(), "mart", &rows);
}

/// A number of any size, with few or all digits.
fn threshold() -> impl Strategy<Value = f32> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        (-8i8..8).prop_map(|eighths| f32::from(eighths) / 8.0),
        any::<f32>().prop_filter("finite", |value| value.is_finite())
    ]
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), -1.0..1.0, (-300i32..300, -1.0..1.0).prop_map(|(size, value)| value * 10f64.powi(size))]
}

/// A tree of up to 8 inner nodes: each further node takes the place of an earlier leaf.
fn tree() -> impl Strategy<Value = Tree> {
    let cuts = prop::collection::vec((0u32..3, threshold(), any::<prop::sample::Index>()), 0..8);
    (cuts, prop::collection::vec(value(), 9)).prop_map(|(cuts, values)| {
        let (mut nodes, mut leaves): (Vec<Node>, Vec<Option<(usize, bool)>>) = (Vec::new(), vec![None]);
        for (feature, threshold, index) in cuts {
            let number = nodes.len();
            match leaves.remove(index.index(leaves.len())) {
                Some((above, true)) => nodes[above].left = number as i32,
                Some((above, false)) => nodes[above].right = number as i32,
                None => {}
            }
            leaves.extend([Some((number, true)), Some((number, false))]);
            // As in RankLib, a missing value is 0.
            let missing_left = 0.0 <= threshold;
            nodes.push(Node { feature, threshold, missing_left, left: 0, right: 0, gain: 1.0 });
        }
        for (leaf, place) in (0..).zip(&leaves) {
            match *place {
                Some((above, true)) => nodes[above].left = !leaf,
                Some((above, false)) => nodes[above].right = !leaf,
                None => {}
            }
        }
        Tree::new(&nodes, values[..leaves.len()].to_vec()).unwrap()
    })
}

proptest! {
    #[test]
    fn any_model_keeps_its_scores(
        trees in prop::collection::vec(tree(), 0..5),
        base in value(),
        mut rows in prop::collection::vec(prop_oneof![threshold(), Just(f32::NAN)], 30),
    ) {
        // Values at the thresholds and just above them.
        let thresholds: Vec<f32> = trees.iter().flat_map(|tree| tree.nodes().map(|node| node.threshold)).collect();
        for (row, &threshold) in rows.chunks_mut(3).zip(&thresholds) {
            row.copy_from_slice(&[threshold, threshold.next_up(), threshold.next_down()]);
        }
        // LightGBM takes such small values for 0.
        rows.iter_mut().filter(|value| value.abs() <= 1e-35).for_each(|value| *value = 0.0);
        assert_same(&TreeModel::new(3, base, trees).unwrap(), "mart", &rows);
    }
}
