//! Gradient boosting of trees (Friedman, Annals of Statistics 29, 2001), for `mart` and
//! `lambdamart`.
//!
//! F_t = F_{t-1} + rate x tree_t, where tree_t is grown on the derivatives of a loss at F_{t-1}
//! with Newton leaf values. With a validation part and `early_stopping` = s, boosting ends when the
//! measure has not risen for s trees. The trees after the best tree are dropped; of equal trees,
//! the first is the best.

use fivefold_core::{Dataset, FitContext, FitError, ParamError, Rng, Seed};
use fivefold_metrics::{DIALECTS, MeasureError, MeasureSpec, Objective};
use fivefold_trees::{
    BinnedMatrix, Gradients, Grower, Growth, MAX_BINS, Precision, Rows, Spacing, Tree, add_tree_scores,
};
use serde::{Deserialize, Serialize};

use crate::by_query::mean;
use crate::memory::{Size, tree};
use crate::patience::Patience;
use crate::tree_model::{TreeModel, rows_of};
use crate::validation::validation;

/// A loss, given by its derivatives by the scores.
pub(crate) trait Loss: Sync {
    /// Whether the second derivative is 1 everywhere; `second` is then not written.
    const CONSTANT_HESSIAN: bool;

    /// The score from which boosting starts.
    fn base(&self) -> f64;

    /// Writes the derivatives at `scores` for each document. A loss of a ranking breaks ties by
    /// `draw`.
    fn gradients(&self, scores: &[f64], draw: Seed, first: &mut [f64], second: &mut [f64]) -> Result<(), FitError>;
}

/// How trees are boosted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Boosting {
    pub trees: usize,
    pub rate: f64,
    pub bins: usize,
    pub spacing: Spacing,
    pub growth: Growth,
    /// Share of the features that a tree may use.
    pub features: f64,
    /// Share of the queries on which a tree is grown.
    pub queries: f64,
    /// Stop after this number of trees without a gain on the validation part; 0: never.
    pub early_stopping: usize,
}

/// Help for the parameters of [`Boosting`], the same in every ranker.
pub(crate) mod help {
    use fivefold_core::ParamHelp;

    const fn param(name: &'static str, help: &'static str) -> ParamHelp {
        ParamHelp { name, help }
    }

    pub const TREES: ParamHelp = param("trees", "the most trees, at least 1");
    pub const LEARNING_RATE: ParamHelp = param("learning_rate", "the factor of each tree's values, above 0");
    pub const EARLY_STOPPING: ParamHelp =
        param("early_stopping", "stop after so many trees without a gain on the validation part; 0: never");
    pub const LEAVES: ParamHelp = param("leaves", "the most leaves of a tree, at least 2");
    pub const DEPTH: ParamHelp = param("depth", "the most splits between root and leaf; 0: no limit");
    pub const MIN_DOCUMENTS: ParamHelp = param("min_documents", "the fewest training documents of a leaf, at least 1");
    pub const LEAF_DOCUMENTS: ParamHelp = param(
        "leaf_documents",
        "how min_documents counts the documents of a leaf: \"counted\", or \"by-hessian\", estimated as LightGBM does \
         from a leaf's share of the second derivatives",
    );
    pub const MIN_HESSIAN: ParamHelp =
        param("min_hessian", "the least sum of second derivatives of a leaf, at least 0");
    pub const L2: ParamHelp =
        param("l2", "added to the sum of second derivatives in gains and leaf values, at least 0");
    pub const BINS: ParamHelp = param("bins", "the most bins of a feature, 2 to 255; a split falls between two bins");
    pub const GRADIENTS: ParamHelp = param(
        "gradients",
        "how exactly gradients count while splits are chosen: \"exact\", or \"quantised\", rounded by draws with the \
         seed to whole units, which is faster (LightGBM's use_quantized_grad) and serves up to 524,287 documents; of \
         few documents the splits are mostly the same; leaf values follow from the exact gradients",
    );
    pub const SPACING: ParamHelp = param(
        "spacing",
        "limits of the bins of a feature with more values than bins: \"quantiles\", or equal \"widths\" between least and greatest",
    );
    pub const FEATURES: ParamHelp =
        param("features", "share of the features, drawn with the seed, that a tree may use; above 0, at most 1");
    pub const QUERIES: ParamHelp =
        param("queries", "share of the queries, drawn with the seed, that a tree is grown on; above 0, at most 1");
}

impl Boosting {
    /// Checks the ranges of [`help`].
    pub fn check(&self) -> Result<(), ParamError> {
        let Growth { leaves, min_documents, min_hessian, l2, .. } = self.growth;
        ParamError::unless(self.trees >= 1, "trees", self.trees, "at least 1")?;
        positive("learning_rate", self.rate)?;
        ParamError::unless(leaves >= 2, "leaves", leaves, "at least 2")?;
        ParamError::unless(min_documents >= 1, "min_documents", min_documents, "at least 1")?;
        for (name, value) in [("min_hessian", min_hessian), ("l2", l2)] {
            let ok = value >= 0.0 && value.is_finite();
            ParamError::unless(ok, name, value, "a finite number of at least 0")?;
        }
        ParamError::unless((2..=MAX_BINS).contains(&self.bins), "bins", self.bins, "2 to 255")?;
        share_of_all("features", self.features)?;
        share_of_all("queries", self.queries)
    }

    /// Bytes of a fit, without the loss.
    pub fn fit_bytes(&self, train: Size, validation: Size) -> u64 {
        let of_validation = if self.early_stopping > 0 { 8 * validation.documents + validation.objective() } else { 0 };
        let matrix = train.bins() + 16 * train.queries;
        let trees = self.trees as u64 * tree(self.growth.leaves.min(train.documents as usize));
        matrix + of_validation + train.binning().max(train.growing() + train.histograms(self.growth.leaves) + trees)
    }

    /// Whether features, queries or the rounding of gradients are drawn.
    pub fn draws(&self) -> bool {
        self.features < 1.0 || self.queries < 1.0 || self.growth.precision == Precision::Quantised
    }

    /// Boosts on `train`; `measure` is evaluated on the validation part of `cx`.
    pub fn fit<L: Loss>(
        &self,
        train: &Dataset,
        cx: &FitContext<'_>,
        loss: &L,
        measure: impl Fn(&Dataset) -> Result<Objective, FitError>,
    ) -> Result<TreeModel, FitError> {
        let rows = rows_of(train)?;
        let matrix = bins_of(&rows, self.bins, self.spacing, cx)?;
        let validation = if self.early_stopping > 0 { validation(cx, measure)? } else { None };
        let mut validation = match validation {
            Some((data, objective)) => {
                Some(Validation::new(rows_of(data)?, objective, loss.base(), self.early_stopping))
            }
            None => None,
        };
        let mut rounds = Rounds::new(self, &matrix, &rows, train, loss.base());
        let mut trees = Vec::new();
        if let Some(Grown { trees: earlier, patience }) = cx.resume() {
            rounds.add_all(&earlier);
            if let (Some(validation), Some(patience)) = (&mut validation, patience) {
                validation.resume(&earlier, patience);
            }
            trees = earlier;
        }
        for number in trees.len()..self.trees {
            let patience = validation.as_ref().map(|validation| validation.patience);
            if patience.is_some_and(Patience::is_exhausted) {
                break;
            }
            cx.round(number as u64, self.trees as u64, || GrownSoFar { trees: &trees, patience })?;
            let tree = rounds.tree(loss, cx.seed().derive_index("tree", number as u64));
            let Some(tree) = cx.or_keep(tree, || GrownSoFar { trees: &trees, patience })? else { break };
            if let Some(validation) = &mut validation {
                validation.add(&tree)?;
            }
            trees.push(tree);
        }
        if let Some(validation) = validation {
            trees.truncate(validation.patience.best_step());
        }
        cx.step(self.trees as u64, self.trees as u64)?;
        TreeModel::new(train.width(), loss.base(), trees).map_err(FitError::Numeric)
    }
}

/// The state after some trees, from which boosting goes on.
#[derive(Deserialize)]
struct Grown {
    trees: Vec<Tree>,
    patience: Option<Patience>,
}

/// [`Grown`] as it is written.
#[derive(Serialize)]
struct GrownSoFar<'a> {
    trees: &'a [Tree],
    patience: Option<Patience>,
}

/// The features in bins.
pub(crate) fn bins_of(
    rows: &Rows<'_>,
    bins: usize,
    spacing: Spacing,
    cx: &FitContext<'_>,
) -> Result<BinnedMatrix, FitError> {
    BinnedMatrix::spaced_unless(rows, bins, spacing, || cx.check().is_err()).ok_or(FitError::Cancelled)
}

/// Refuses a value that is not above 0.
pub(crate) fn positive(name: &str, value: f64) -> Result<(), ParamError> {
    ParamError::unless(value > 0.0 && value.is_finite(), name, value, "a finite number above 0")
}

/// Refuses a value that is not a share above 0.
pub(crate) fn share_of_all(name: &str, value: f64) -> Result<(), ParamError> {
    ParamError::unless(value > 0.0 && value <= 1.0, name, value, "above 0 and at most 1")
}

/// Refuses the name of a measure that does not parse, or that no order of a training query alters.
pub(crate) fn check_measure(param: &str, name: &str) -> Result<(), ParamError> {
    let parsed: Result<MeasureSpec, _> = name.parse();
    let spec = parsed.map_err(|error| ParamError::new(param, format!("is not a measure: {error}")))?;
    match spec.entry().no_ue {
        Some(reason) => Err(ParamError::new(param, format!("`{name}` cannot be learnt: {reason}"))),
        None => Ok(()),
    }
}

/// The measure `name` over `data`, under the conventions of the default dialect.
pub(crate) fn objective(param: &'static str, name: &str, data: &Dataset, seed: Seed) -> Result<Objective, FitError> {
    let error = |error: MeasureError| FitError::Param { name: param, reason: error.to_string() };
    Objective::new(&name.parse().map_err(error)?, &DIALECTS[0].conventions(), data, seed).map_err(error)
}

/// Training part: the scores so far, and scratch space.
pub(crate) struct Rounds<'a> {
    boosting: &'a Boosting,
    rows: &'a Rows<'a>,
    bounds: Vec<usize>,
    grower: Grower<'a>,
    scores: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    copies: Option<Vec<u32>>,
    /// The last tree, not yet added to the scores. (A bag of one tree never needs these scores.)
    last: Option<Tree>,
}

impl<'a> Rounds<'a> {
    pub fn new(
        boosting: &'a Boosting,
        matrix: &'a BinnedMatrix,
        rows: &'a Rows<'a>,
        train: &Dataset,
        base: f64,
    ) -> Self {
        let n = rows.len();
        Rounds {
            boosting,
            rows,
            bounds: train.bounds(),
            grower: Grower::new(matrix, boosting.growth),
            scores: vec![base; n],
            first: vec![0.0; n],
            second: vec![0.0; n],
            copies: None,
            last: None,
        }
    }

    /// Grows trees on these copies of each document instead of a sample of queries.
    pub fn with_copies(mut self, copies: Vec<u32>) -> Self {
        self.copies = Some(copies);
        self
    }

    /// Grows trees with a grower on the same matrix, whose memory is used again.
    pub fn with_grower(mut self, grower: Grower<'a>) -> Self {
        self.grower = grower;
        self
    }

    /// The grower, for other rounds on the same matrix.
    pub fn into_grower(self) -> Grower<'a> {
        self.grower
    }

    /// The next tree, with its values multiplied by the rate; `None` if no cut has a gain.
    pub fn tree<L: Loss>(&mut self, loss: &L, seed: Seed) -> Result<Option<Tree>, FitError> {
        let mut rng = seed.rng();
        self.add_last();
        loss.gradients(&self.scores, seed.derive("ties"), &mut self.first, &mut self.second)?;
        let sampled = self.boosting.queries < 1.0;
        if sampled {
            self.copies = Some(sample_queries(&self.bounds, self.boosting.queries, &mut rng));
        }
        let width = self.rows.width();
        let features = (self.boosting.features < 1.0).then(|| rng.sample(width, share(self.boosting.features, width)));
        let gradients = Gradients {
            first: &self.first,
            second: (!L::CONSTANT_HESSIAN).then_some(&self.second[..]),
            copies: self.copies.as_deref(),
        };
        let grown = self.grower.grow(gradients, features.as_deref(), &mut |n| rng.index(n));
        let mut tree = grown.map_err(|error| FitError::Numeric(error.to_string()))?;
        // Another draw, of queries, features or units, may find a cut.
        if tree.values().len() == 1 && !self.boosting.draws() {
            return Ok(None);
        }
        tree.values_mut().iter_mut().for_each(|value| *value *= self.boosting.rate);
        self.last = Some(tree.clone());
        Ok(Some(tree))
    }

    /// Adds trees of an earlier fit to the scores, one after the other, as that fit did.
    fn add_all(&mut self, trees: &[Tree]) {
        trees.iter().for_each(|tree| add_tree_scores(tree, self.rows, &mut self.scores));
    }

    fn add_last(&mut self) {
        let Some(tree) = self.last.take() else { return };
        if self.copies.is_some() {
            add_tree_scores(&tree, self.rows, &mut self.scores);
        } else {
            for (value, rows) in tree.values().iter().zip(self.grower.leaf_rows()) {
                rows.iter().for_each(|&row| self.scores[row as usize] += value);
            }
        }
    }
}

/// `share` of `count`, but at least 1.
fn share(share: f64, count: usize) -> usize {
    ((share * count as f64).round() as usize).clamp(1, count)
}

/// 1 for each document of the drawn queries, else 0.
fn sample_queries(bounds: &[usize], fraction: f64, rng: &mut Rng) -> Vec<u32> {
    let queries = bounds.len() - 1;
    let mut copies = vec![0; bounds[queries]];
    for query in rng.sample(queries, share(fraction, queries)) {
        copies[bounds[query]..bounds[query + 1]].fill(1);
    }
    copies
}

/// Validation part: the scores so far, and the step with the best measure.
struct Validation<'a> {
    rows: Rows<'a>,
    objective: Objective,
    scores: Vec<f64>,
    patience: Patience,
}

impl<'a> Validation<'a> {
    fn new(rows: Rows<'a>, objective: Objective, base: f64, patience: usize) -> Self {
        let scores = vec![base; rows.len()];
        Validation { rows, objective, scores, patience: Patience::new(patience) }
    }

    /// Adds a tree.
    fn add(&mut self, tree: &Tree) -> Result<(), FitError> {
        add_tree_scores(tree, &self.rows, &mut self.scores);
        self.patience.improves(mean(&self.objective, &self.scores)?);
        Ok(())
    }

    /// Goes on after trees of an earlier fit.
    fn resume(&mut self, trees: &[Tree], patience: Patience) {
        trees.iter().for_each(|tree| add_tree_scores(tree, &self.rows, &mut self.scores));
        self.patience = patience;
    }
}
