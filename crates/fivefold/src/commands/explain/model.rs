//! Explains the score of a document: how much each feature adds to it, compared with the mean score
//! of the query.
//!
//! Trees (A. Saabas, "Interpreting random forests", 2014): the value of a node is the mean leaf
//! value of the query's documents that pass through the node. On a document's way from the root to
//! its leaf, each cut changes the value, and this change is added to the share of the cut's
//! feature. The values of the roots add up to the mean score of the query. So mean + shares =
//! score.
//!
//! Weights: the share of a feature is w (x - mean of x in the query).
//!
//! The shares are not Shapley values: a cut near the root gets no credit for later cuts that it
//! makes possible.

use std::path::Path;

use fivefold_analysis::{Cell, Table};
use fivefold_base::words::counted;
use fivefold_core::{JudgedQuery, ModelHeader, Registry};
use fivefold_data::{Missing, ReadOptions};
use fivefold_rankers::export::Exported;
use fivefold_rankers::linear_model::LinearModel;
use fivefold_rankers::tree_model::TreeModel;
use fivefold_trees::{Node, Tree};

use super::{Args, blank, number};
use crate::commands::cases::{LETOR_IDS, document_name, no_query};
use crate::feature_names::Named;
use crate::model::{self, Scorer};
use crate::problem::Problem;
use crate::reading;

/// The number of trees whose cuts are shown.
const TREES: usize = 3;

/// The tables of the features' shares and of the document's way through the first trees.
pub(super) fn tables(args: &Args, model: &Path, registry: &Registry) -> miette::Result<Vec<Table>> {
    let file = model::read(model)?;
    let unusable = |error: &dyn std::fmt::Display| model::unusable(model, error);
    let Some(path) = &args.data else { return Err(Problem::new("give --data FILE, the documents to score").into()) };
    let content = file.model.clone();
    let scorer = Scorer::load(file, model, registry, &args.missing)?;
    let ranker = &scorer.header.ranker;
    let options = args.reading.grades();
    let asked = scorer.normalised(&scorer.read(path, &options)?.data)?;
    let scores = scorer.score(&asked)?;
    // Codes are not values that a user knows, so the values are read too.
    let data = match scorer.model.codes() {
        Some(_) => {
            let missing = scorer.missing.unwrap_or(Missing::Zero);
            reading::read_for_grades(path, &ReadOptions { features: Some(asked.width()), missing, ..options })?.data
        }
        None => asked.clone(),
    };
    let named = args.names.of_model(model, Some(path), asked.width(), options.first_feature_id)?;
    let (first, query) = find(data.queries(), &args.query)?;
    let scores = &scores[first..first + query.len()];
    let rows: Vec<&[f32]> = query.view().rows().collect();
    let (_, asked) = find(asked.queries(), &args.query)?;
    let asked: Vec<&[f32]> = asked.view().rows().collect();
    let row = chosen(args, scores, |row| query.doc_id(row))?;
    let model = Explained::read(content, &scorer.header).map_err(|error| unusable(&error))?;
    let Some(model) = model else {
        let what = format!("a model of `{ranker}` has neither trees nor weights, so no feature has a share of its own");
        return Err(unusable(&what).help("models of trees and of weights can be explained").into());
    };
    let (mean, shares) = model.shares(&asked, row);
    let rank = 1 + scores.iter().filter(|&&other| other > scores[row]).count();
    let name = document_name(query.doc_id(row), row);
    let title = format!(
        "Document {name} of query {}: score {:.4}, rank {rank} of {}, grade {}",
        args.query,
        scores[row],
        rows.len(),
        query.grades()[row]
    );
    let mut table_of_shares = Table::new("shares", title, ["feature", "value", "mean of query", "share", "sum"], 1);
    let mut order: Vec<usize> = (0..shares.len()).filter(|&feature| shares[feature] != 0.0).collect();
    order.sort_by(|&one, &other| shares[other].abs().total_cmp(&shares[one].abs()));
    let mut sum = mean;
    let mean_row = [Cell::text("(mean of the query)"), blank(), blank(), number(mean), number(mean)];
    table_of_shares.rows.push(mean_row.to_vec());
    for &feature in order.iter().take(args.rows) {
        sum += shares[feature];
        let mean = rows.iter().map(|row| f64::from(row[feature])).sum::<f64>() / rows.len() as f64;
        let cells = [f64::from(rows[row][feature]), mean, shares[feature], sum].map(number);
        table_of_shares.rows.push([Cell::Text(named.label(feature))].into_iter().chain(cells).collect());
    }
    let rest: f64 = order.iter().skip(args.rows).map(|&feature| shares[feature]).sum();
    if order.len() > args.rows {
        let cells = [blank(), blank(), number(rest), number(sum + rest)];
        let name = Cell::Text(format!("({})", counted(order.len() - args.rows, "more feature")));
        table_of_shares.rows.push([name].into_iter().chain(cells).collect());
    }
    table_of_shares.notes.push(model.method().to_owned());
    let note = format!("features count from {}; values are shown after the model's normaliser", named.first);
    table_of_shares.notes.push(note);
    if scorer.model.codes().is_some() {
        table_of_shares
            .notes
            .push("values are shown as 32 bits hold them; the model compares all digits of the text".to_owned());
    }
    if scorer.missing.is_none() {
        table_of_shares
            .notes
            .push("a missing value is shown as 0; the model sends a missing value to a side at each split".to_owned());
    }
    let mut tables = vec![table_of_shares];
    if let Explained::Trees(trees) = &model {
        tables.push(way(trees, (&rows, &asked), row, &named));
    }
    Ok(tables)
}

/// Finds a query by its id. Also returns the number of documents in the queries before it.
fn find<'a>(queries: impl Iterator<Item = JudgedQuery<'a>>, id: &str) -> miette::Result<(usize, JudgedQuery<'a>)> {
    let mut before = 0;
    let mut others = Vec::new();
    for query in queries {
        if query.id() == id {
            return Ok((before, query));
        }
        before += query.len();
        others.push(query.view().id());
    }
    Err(no_query(id, others, LETOR_IDS).into())
}

/// The row of the document that the user named, else of the document with the highest score.
fn chosen<'a>(args: &Args, scores: &[f64], id: impl Fn(usize) -> Option<&'a str>) -> miette::Result<usize> {
    let Some(name) = &args.document else {
        let best = (0..scores.len()).max_by(|&one, &other| scores[one].total_cmp(&scores[other]).then(other.cmp(&one)));
        return Ok(best.unwrap_or(0));
    };
    let number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let by_id = (0..scores.len()).find(|&row| id(row) == Some(name));
    by_id.or(number.filter(|&row| row < scores.len())).ok_or_else(|| {
        let what = format!("query {} has no document `{name}`", args.query);
        Problem::new(what).help(format!("give a document's id, or its number from 1 to {}", scores.len())).into()
    })
}

enum Explained {
    Trees(TreeModel),
    Weights(LinearModel),
}

impl Explained {
    /// Reads a model, and widens it if it sees some features only. `None` if the model has neither
    /// trees nor weights.
    fn read(content: serde_json::Value, header: &ModelHeader) -> Result<Option<Self>, String> {
        let text = |error: serde_json::Error| error.to_string();
        let model = if content.get("trees").is_some() {
            Exported::Trees(serde_json::from_value(content).map_err(text)?)
        } else if content.get("weights").is_some() {
            Exported::Linear(serde_json::from_value(content).map_err(text)?)
        } else {
            return Ok(None);
        };
        Ok(Some(match model.widened(header.columns.as_deref(), header.features)? {
            Exported::Trees(model) => Explained::Trees(model),
            Exported::Linear(model) => Explained::Weights(model),
        }))
    }

    fn method(&self) -> &'static str {
        match self {
            Explained::Trees(_) => {
                "method: path contributions (Saabas, 2014); a node's value is the mean over the query's documents that reach it"
            }
            Explained::Weights(_) => "method: weight x (value - mean of the query)",
        }
    }

    /// Returns the mean score of the query, and the share of each feature in the score of the
    /// document at `row`.
    fn shares(&self, rows: &[&[f32]], row: usize) -> (f64, Vec<f64>) {
        let width = rows.first().map_or(0, |row| row.len());
        let mut shares = vec![0.0; width];
        match self {
            Explained::Weights(model) => {
                let mean =
                    |feature: usize| rows.iter().map(|row| f64::from(row[feature])).sum::<f64>() / rows.len() as f64;
                let mut base = model.intercept;
                for (feature, weight) in model.weights.iter().enumerate() {
                    base += weight * mean(feature);
                    shares[feature] = weight * (f64::from(rows[row][feature]) - mean(feature));
                }
                (base, shares)
            }
            Explained::Trees(model) => {
                let mut base = model.base();
                for number in 0..model.trees().len() {
                    let steps = path(model, number, rows, row);
                    base += steps.first().map_or(0.0, |step| step.before);
                    for step in steps {
                        if let Some((_, cut)) = step.cut {
                            shares[cut.feature as usize] += step.after - step.before;
                        }
                    }
                }
                (base, shares)
            }
        }
    }
}

/// One step of a document's way through a tree.
struct Step {
    /// The number of the cut's node, and the node; `None` if the tree is one leaf.
    cut: Option<(usize, Node)>,
    /// The number of the query's documents that reach the cut.
    documents: usize,
    left: bool,
    /// The mean leaf value of the query's documents that reach the cut. `after` is the mean of
    /// those documents that take the same side.
    before: f64,
    after: f64,
}

/// Follows a document through one tree, together with the other documents of its query. Rows hold
/// values, or codes if the model uses codes.
fn path(model: &TreeModel, number: usize, rows: &[&[f32]], row: usize) -> Vec<Step> {
    let tree = &model.trees()[number];
    let nodes: Vec<_> = tree.nodes().collect();
    let value = |row: usize| {
        let mut child = if nodes.is_empty() { !0 } else { 0 };
        while let Ok(node) = usize::try_from(child) {
            child = if model.goes_left(number, node, rows[row]) { nodes[node].left } else { nodes[node].right };
        }
        tree.values()[!child as usize]
    };
    let mean = |there: &[usize]| there.iter().map(|&row| value(row)).sum::<f64>() / there.len() as f64;
    let mut there: Vec<usize> = (0..rows.len()).collect();
    let mut before = mean(&there);
    let mut steps = Vec::new();
    let mut child = if nodes.is_empty() { !0 } else { 0 };
    if nodes.is_empty() {
        return vec![Step { cut: None, documents: rows.len(), left: false, before, after: before }];
    }
    while child >= 0 {
        let cut = nodes[child as usize];
        let goes_left = |row: usize| model.goes_left(number, child as usize, rows[row]);
        let (left, documents) = (goes_left(row), there.len());
        there.retain(|&other| goes_left(other) == left);
        let after = mean(&there);
        let cut = Some((child as usize, cut));
        steps.push(Step { cut, documents, left, before, after });
        before = after;
        child = if left { nodes[child as usize].left } else { nodes[child as usize].right };
    }
    steps
}

/// The table of a document's way through the first trees, cut by cut. `rows` are the values that
/// the table shows; `asked` are the values or codes that the model decides by.
fn way(model: &TreeModel, (rows, asked): (&[&[f32]], &[&[f32]]), row: usize, named: &Named) -> Table {
    let count = model.trees().len();
    let title = format!("The way through the first {} of {}", TREES.min(count), counted(count, "tree"));
    let columns = ["tree", "cut", "value", "gain of the cut", "documents", "mean before", "mean behind", "share"];
    let mut table = Table::new("way", title, columns, 2);
    for tree in 0..TREES.min(count) {
        for step in path(model, tree, asked, row) {
            let Some((node, cut)) = step.cut else { continue };
            let text = question(&model.trees()[tree], node, &cut, step.left, named);
            let value = f64::from(rows[row][cut.feature as usize]);
            let mut cells = vec![Cell::Text((tree + 1).to_string()), Cell::Text(text), number(value)];
            cells.extend([number(cut.gain), Cell::count(step.documents)]);
            cells.extend([step.before, step.after, step.after - step.before].map(number));
            table.rows.push(cells);
        }
    }
    table.notes.push(
        "cut: the split with the largest gain (fall of the training loss) that the node could choose; documents: \
            documents of this query, because the model file has no counts"
            .to_owned(),
    );
    table
}

/// The condition of a cut, as it holds for a document that goes left, or right.
fn question(tree: &Tree, number: usize, cut: &Node, left: bool, named: &Named) -> String {
    let side = if left { "<=" } else { ">" };
    let feature = named.label(cut.feature as usize);
    match tree.cuts().get(number).map(Vec::as_slice) {
        None => format!("feature {feature} {side} {}", cut.threshold),
        Some([cut]) => format!("feature {feature} {side} {cut}"),
        // A set of categories, or zero as a missing value.
        Some(cuts) => {
            format!("feature {feature} {} {} parts of the line", if left { "in" } else { "not in" }, cuts.len() / 2 + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree is x1 <= .5 ? 1 : (x2 <= .5 ? 2 : 6), with base .25. For the documents (0,0),
    /// (1,0), (1,1), the value of the root is 3, and the value after the first cut is 4.
    #[test]
    fn shares_of_a_tree_by_hand_add_up_to_the_score() {
        let node = |feature, left, right| Node { feature, threshold: 0.5, missing_left: true, left, right, gain: 1.0 };
        let tree = Tree::new(&[node(0, !0, 1), node(1, !1, !2)], vec![1.0, 2.0, 6.0]);
        let model = Explained::Trees(TreeModel::new(2, 0.25, vec![tree.unwrap()]).unwrap());
        let rows: [&[f32]; 3] = [&[0.0, 0.0], &[1.0, 0.0], &[1.0, 1.0]];
        assert_eq!(model.shares(&rows, 2), (3.25, vec![1.0, 2.0]));
        assert_eq!(model.shares(&rows, 0), (3.25, vec![-2.0, 0.0]));
    }

    #[test]
    fn shares_of_weights_by_hand() {
        let model = Explained::Weights(LinearModel { weights: vec![2.0, -1.0], intercept: 0.5 });
        let rows: [&[f32]; 2] = [&[1.0, 0.0], &[3.0, 4.0]];
        assert_eq!(model.shares(&rows, 1), (2.5, vec![2.0, -2.0]));
    }
}
