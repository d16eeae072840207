//! ONNX: a graph from `features` (`f32`, [documents, features]) to `scores` (`f64`, [documents,
//! 1]).
//!
//! ```text
//! trees    Cast to double, TreeEnsemble (ai.onnx.ml 5; onnxruntime 1.21 and later)
//! linear   Cast to double, the normaliser, Gemm
//! ```
//! In double precision, the thresholds decide as in fivefold for every `f32` value. Scores differ
//! only by the order in which a runtime adds up the trees' values. A NaN goes to the tree's side
//! for missing values. The normaliser of a linear model is rounded to `f32`, as in fivefold.
//! Encoding: `protobuf`, with the field numbers of `onnx.proto`.

use fivefold_trees::{Node, Tree};

use super::protobuf::Message;
use super::{Context, Formula, Notes, Refusal, Scaling, Target};
use crate::linear_model::LinearModel;

/// ONNX.
pub(super) const TARGET: Target = Target {
    name: "onnx",
    summary: "an ONNX graph, in double precision, for onnxruntime and others",
    first_feature: 1,
    names: false,
    binary: true,
    knows_missing: true,
    by_hand: true,
    trees: write_trees,
    linear: Some(write_linear),
};

/// Versions of the file format and of the operators.
const IR: i64 = 10;
const OPERATORS: i64 = 18;
const ML_OPERATORS: i64 = 5;

const INPUT: &str = "features";
const OUTPUT: &str = "scores";

/// Element types.
#[derive(Debug, Clone, Copy)]
enum Element {
    Float = 1,
    Byte = 2,
    Double = 11,
}

fn write_trees(context: &Context<'_>, trees: &[Tree], _: &mut Notes) -> Vec<u8> {
    let mut table = Table::default();
    trees.iter().for_each(|tree| table.add(context, tree));
    let Table { roots, nodes, values } = table;
    let inner = |of: fn(&Row) -> i64| nodes.iter().map(of).collect::<Vec<_>>();
    let splits: Vec<f64> = nodes.iter().map(|row| row.threshold).collect();
    let ensemble = node("TreeEnsemble", &["doubles"], OUTPUT)
        .bytes(7, "ai.onnx.ml")
        // 1 is the plain sum over the trees.
        .message(5, int("aggregate_function", 1))
        .message(5, int("post_transform", 0))
        .message(5, int("n_targets", 1))
        .message(5, ints("tree_roots", roots))
        .message(5, ints("nodes_featureids", inner(|row| row.feature)))
        .message(5, ints("nodes_truenodeids", inner(|row| row.children[0].0)))
        .message(5, ints("nodes_trueleafs", inner(|row| row.children[0].1)))
        .message(5, ints("nodes_falsenodeids", inner(|row| row.children[1].0)))
        .message(5, ints("nodes_falseleafs", inner(|row| row.children[1].1)))
        .message(5, ints("nodes_missing_value_tracks_true", inner(|row| row.missing_left)))
        .message(5, tensor_attribute("nodes_splits", doubles("", &splits, &[splits.len()])))
        // 0 means: go left if x <= threshold.
        .message(5, tensor_attribute("nodes_modes", tensor("", Element::Byte, &[nodes.len()], vec![0; nodes.len()])))
        .message(5, ints("leaf_targetids", vec![0; values.len()]))
        .message(5, tensor_attribute("leaf_weights", doubles("", &values, &[values.len()])));
    file(context, [cast(INPUT, "doubles", Element::Double), ensemble], [])
}

/// All trees as the operator has them.
#[derive(Default)]
struct Table {
    /// The first node of each tree.
    roots: Vec<i64>,
    nodes: Vec<Row>,
    values: Vec<f64>,
}

struct Row {
    feature: i64,
    threshold: f64,
    missing_left: i64,
    /// For the left and the right child: its number, and 1 if it is a leaf.
    children: [(i64, i64); 2],
}

impl Table {
    fn add(&mut self, context: &Context<'_>, tree: &Tree) {
        let (first, leaves) = (self.nodes.len() as i64, self.values.len() as i64);
        let place = |child: i32| {
            if child >= 0 { (first + i64::from(child), 0) } else { (leaves + i64::from(!child), 1) }
        };
        let row = |node: Node| Row {
            feature: i64::from(node.feature),
            threshold: f64::from(node.threshold),
            missing_left: i64::from(context.missing_left(&node)),
            children: [place(node.left), place(node.right)],
        };
        self.roots.push(first);
        self.nodes.extend(tree.nodes().map(row));
        if tree.nodes().len() == 0 {
            // A tree must begin with a node. The leaf is written twice below the node, because
            // onnxruntime 1.21 fails on a shared leaf.
            let children = [(leaves, 1), (leaves + 1, 1)];
            self.nodes.push(Row { feature: 0, threshold: 0.0, missing_left: 1, children });
            self.values.extend_from_slice(tree.values());
        }
        self.values.extend_from_slice(tree.values());
    }
}

fn write_linear(
    context: &Context<'_>,
    model: &LinearModel,
    scaling: Option<&Scaling<'_>>,
    _: &mut Notes,
) -> Result<Vec<u8>, Refusal> {
    let width = model.weights.len();
    let mut weights = model.weights.clone();
    let mut nodes = vec![cast(INPUT, "doubles", Element::Double)];
    let mut constants = vec![doubles("intercept", &[model.intercept], &[1, 1])];
    if let Some(scaling) = scaling {
        let mut spreads: Vec<f64> = scaling.scales.iter().map(|&(_, spread)| spread).collect();
        for (spread, weight) in spreads.iter_mut().zip(&mut weights).filter(|(spread, _)| **spread <= 0.0) {
            (*spread, *weight) = (1.0, 0.0);
        }
        let centres: Vec<f64> = scaling.scales.iter().map(|&(centre, _)| centre).collect();
        let limits = [f64::from(f32::MIN), f64::from(f32::MAX)];
        constants.extend([
            doubles("centres", &centres, &[width]),
            doubles("spreads", &spreads, &[width]),
            doubles("least", &limits[..1], &[]),
            doubles("greatest", &limits[1..], &[]),
        ]);
        if scaling.formula == Formula::LogZScore {
            constants.push(doubles("one", &[1.0], &[]));
            nodes.extend([
                node("Abs", &["doubles"], "sizes"),
                node("Add", &["sizes", "one"], "shifted"),
                node("Log", &["shifted"], "logarithms"),
                node("Sign", &["doubles"], "signs"),
                node("Mul", &["logarithms", "signs"], "transformed"),
            ]);
        } else {
            nodes.push(node("Identity", &["doubles"], "transformed"));
        }
        nodes.extend([
            node("Sub", &["transformed", "centres"], "centred"),
            node("Div", &["centred", "spreads"], "scaled"),
            node("Clip", &["scaled", "least", "greatest"], "clipped"),
            cast("clipped", "rounded", Element::Float),
            cast("rounded", "inputs", Element::Double),
        ]);
    } else {
        nodes.push(node("Identity", &["doubles"], "inputs"));
    }
    constants.push(doubles("weights", &weights, &[width, 1]));
    nodes.push(node("Gemm", &["inputs", "weights", "intercept"], OUTPUT));
    Ok(file(context, nodes, constants))
}

/// The whole file: the graph of these nodes.
fn file(
    context: &Context<'_>,
    nodes: impl IntoIterator<Item = Message>,
    constants: impl IntoIterator<Item = Message>,
) -> Vec<u8> {
    let documents = || Message::default().bytes(2, "documents");
    let columns = |count: usize| Message::default().int(1, count as i64);
    let graph = Message::default()
        .messages(1, nodes)
        .bytes(2, context.name)
        .messages(5, constants)
        .message(11, value(INPUT, Element::Float, [documents(), columns(context.features)]))
        .message(12, value(OUTPUT, Element::Double, [documents(), columns(1)]));
    let operators = |domain: &str, version: i64| Message::default().bytes(1, domain).int(2, version);
    Message::default()
        .int(1, IR)
        .bytes(2, "fivefold")
        .bytes(3, env!("CARGO_PKG_VERSION"))
        .message(7, graph)
        .message(8, operators("", OPERATORS))
        .message(8, operators("ai.onnx.ml", ML_OPERATORS))
        .into_bytes()
}

/// An input or output of the graph.
fn value(name: &str, element: Element, shape: [Message; 2]) -> Message {
    let shape = Message::default().messages(1, shape);
    let tensor = Message::default().int(1, element as i64).message(2, shape);
    Message::default().bytes(1, name).message(2, Message::default().message(1, tensor))
}

fn node(operator: &str, inputs: &[&str], output: &str) -> Message {
    let inputs = inputs.iter().fold(Message::default(), |message, input| message.bytes(1, input));
    inputs.bytes(2, output).bytes(3, output).bytes(4, operator)
}

fn cast(input: &str, output: &str, to: Element) -> Message {
    node("Cast", &[input], output).message(5, int("to", to as i64))
}

fn int(name: &str, value: i64) -> Message {
    Message::default().bytes(1, name).int(3, value).int(20, 2)
}

fn ints(name: &str, values: Vec<i64>) -> Message {
    Message::default().bytes(1, name).ints(8, values).int(20, 7)
}

fn tensor_attribute(name: &str, tensor: Message) -> Message {
    Message::default().bytes(1, name).message(5, tensor).int(20, 4)
}

fn doubles(name: &str, values: &[f64], shape: &[usize]) -> Message {
    tensor(name, Element::Double, shape, values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

fn tensor(name: &str, element: Element, shape: &[usize], raw: Vec<u8>) -> Message {
    let shape = shape.iter().map(|&size| size as i64);
    Message::default().ints(1, shape).int(2, element as i64).bytes(8, name).bytes(9, raw)
}
