//! Random forests for ranking (Breiman, Machine Learning 45, 2001), with bags of whole queries.
//!
//! Each bag draws a share `queries` of the number of queries, by default as many as there are, with
//! replacement. So the documents of a query stay together. `trees` trees are grown on the bag's
//! queries; each node chooses from a random `features` share of the features. The score is the mean
//! over the bags. `inner` is the kind of trees: regression trees on the grades (squared loss), or
//! LambdaMART's trees (lambda gradients of nDCG). With one tree a bag, the learning rate only
//! scales all scores.
//!
//! The forest is RankLib's, with regression by default. Preset `ranklib` has RankLib's settings:
//! 300 bags of one tree with 100 leaves, and .3 of the features at each node. A feature has 255
//! equal widths instead of 256.
//!
//! With `inner = "lambdamart"`, the first tree of a bag sees equal scores only. Each bag ranks the
//! documents by its own draw (the `ties` module).
//!
//! Cost: bags x trees, in parallel over bags. For the cost of a tree, see `fivefold_trees`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, ParamError, ParamHelp, Ranker, Rng, Seed};
use fivefold_trees::{BinnedMatrix, Grower, Growth, LeafDocuments, Rows, Spacing, Tree};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::boosting::{Boosting, Loss, Rounds, bins_of, check_measure, help, objective, share_of_all};
use crate::lambda::{LambdaLoss, loss_bytes};
use crate::mart::SquaredLoss;
use crate::memory::{Size, threads, tree};
use crate::ties::Ties;
use crate::tree_model::{TreeModel, rows_of};

/// Trees grown on bags of queries, averaged.
///
/// ```
/// use fivefold_rankers::{Dataset, FitContext, Model, RandomForest, Ranker, Seed};
///
/// let train = Dataset::of_queries(1, [(&[3.0, 2.0, 1.0][..], &[2, 1, 0][..]), (&[9.0, 5.0, 0.0], &[2, 1, 0])])?;
/// let ranker = RandomForest { bags: 50, features: 1.0, ..RandomForest::default() };
/// let scores = ranker.fit(&train, &FitContext::new(Seed::new(1)))?.scores(train.query(1).view());
/// // The mean of trees that each predict a grade.
/// assert!(scores[0] > scores[2] && scores.iter().all(|score| (0.0..=2.0).contains(score)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RandomForest {
    /// How many bags are drawn.
    pub bags: usize,
    /// Trees boosted in each bag.
    pub trees: usize,
    /// The kind of trees in a bag.
    pub inner: Inner,
    /// The measure of LambdaMART's gradients; no effect for regression.
    pub objective: String,
    /// The factor of each tree's values; matters only with two or more trees a bag.
    pub learning_rate: f64,
    /// Share of the features from which a node chooses.
    pub features: f64,
    /// Share of the queries that is drawn for a bag.
    pub queries: f64,
    /// The most leaves of a tree.
    pub leaves: usize,
    /// The fewest documents of a leaf, counted as often as they were drawn.
    pub min_documents: u32,
    /// How the documents of a leaf are counted; no effect for regression, where both ways agree.
    pub leaf_documents: LeafDocuments,
    /// The most bins of a feature.
    pub bins: usize,
    /// The places of the cuts of a feature with more values than bins.
    pub spacing: Spacing,
}

/// The kind of trees in a bag of a [`RandomForest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inner {
    /// Regression trees on the grades.
    Mart,
    /// Trees on lambda gradients.
    Lambdamart,
}

impl Default for RandomForest {
    fn default() -> Self {
        RandomForest {
            bags: 300,
            trees: 1,
            inner: Inner::Mart,
            objective: "ndcg@10".to_owned(),
            learning_rate: 0.1,
            features: 0.3,
            queries: 1.0,
            leaves: 100,
            min_documents: 1,
            leaf_documents: LeafDocuments::Counted,
            bins: 255,
            spacing: Spacing::Quantiles,
        }
    }
}

impl RandomForest {
    fn boosting(&self) -> Boosting {
        Boosting {
            trees: self.trees,
            rate: self.learning_rate,
            bins: self.bins,
            spacing: self.spacing,
            growth: Growth {
                leaves: self.leaves,
                min_documents: self.min_documents,
                leaf_documents: self.leaf_documents,
                min_hessian: 0.0,
                node_features: self.features,
                ..Growth::default()
            },
            features: 1.0,
            queries: 1.0,
            early_stopping: 0,
        }
    }

    fn grow<L: Loss>(&self, train: &Dataset, cx: &FitContext<'_>, loss: &L) -> Result<TreeModel, FitError> {
        let rows = rows_of(train)?;
        let matrix = bins_of(&rows, self.bins, self.spacing, cx)?;
        let boosting = &self.boosting();
        let growers = Mutex::default();
        let forest = Forest { ranker: self, boosting, train, rows: &rows, matrix: &matrix, loss, growers };
        let total = self.bags as u64;
        let earlier = cx.resume().filter(|earlier: &Vec<Option<Bag>>| earlier.len() == self.bags);
        let grown = Mutex::new(earlier.unwrap_or_else(|| vec![None; self.bags]));
        let bags = || grown.lock().unwrap_or_else(PoisonError::into_inner);
        let done = AtomicU64::new(bags().iter().flatten().count() as u64);
        (0..self.bags).into_par_iter().try_for_each(|number| {
            if bags()[number].is_some() {
                return Ok(());
            }
            cx.round(done.fetch_add(1, Ordering::Relaxed), total, || bags().clone())?;
            let bag = cx.or_keep(forest.bag(cx.seed().derive_index("bag", number as u64)), || bags().clone())?;
            bags()[number] = Some(bag);
            Ok(())
        })?;
        let bags = grown.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut trees: Vec<Tree> = bags.into_iter().flatten().flatten().collect();
        let share = 1.0 / self.bags as f64;
        trees.iter_mut().flat_map(|tree| tree.values_mut()).for_each(|value| *value *= share);
        cx.step(total, total)?;
        TreeModel::new(train.width(), loss.base(), trees).map_err(FitError::Numeric)
    }
}

/// The trees of a bag.
type Bag = Vec<Tree>;

/// The data that all bags share.
struct Forest<'a, L> {
    ranker: &'a RandomForest,
    boosting: &'a Boosting,
    train: &'a Dataset,
    rows: &'a Rows<'a>,
    matrix: &'a BinnedMatrix,
    loss: &'a L,
    /// Growers of finished bags, whose memory the next bags use.
    growers: Mutex<Vec<Grower<'a>>>,
}

impl<L: Loss> Forest<'_, L> {
    fn bag(&self, seed: Seed) -> Result<Bag, FitError> {
        let copies = draw_queries(&self.train.bounds(), self.ranker.queries, &mut seed.rng());
        let growers = || self.growers.lock().unwrap_or_else(PoisonError::into_inner);
        let rounds = Rounds::new(self.boosting, self.matrix, self.rows, self.train, self.loss.base());
        let mut rounds = rounds.with_copies(copies);
        let finished = growers().pop();
        if let Some(grower) = finished {
            rounds = rounds.with_grower(grower);
        }
        let mut trees = Vec::new();
        for number in 0..self.boosting.trees {
            let Some(tree) = rounds.tree(self.loss, seed.derive_index("tree", number as u64))? else { break };
            trees.push(tree);
        }
        growers().push(rounds.into_grower());
        Ok(trees)
    }
}

/// How often each document is in a bag of queries, which are drawn with replacement.
fn draw_queries(bounds: &[usize], fraction: f64, rng: &mut Rng) -> Vec<u32> {
    let queries = bounds.len() - 1;
    let mut copies = vec![0; bounds[queries]];
    for _ in 0..((fraction * queries as f64).round() as usize).max(1) {
        let query = rng.index(queries);
        copies[bounds[query]..bounds[query + 1]].iter_mut().for_each(|count| *count += 1);
    }
    copies
}

impl Ranker for RandomForest {
    const NAME: &'static str = "random-forest";
    const SUMMARY: &'static str = "trees grown on bags of queries, averaged";
    const VERSION: u32 = 3;
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "bags", help: "how many bags of queries are drawn, with replacement, at least 1" },
        ParamHelp { name: "trees", help: "trees boosted in each bag, at least 1" },
        ParamHelp { name: "inner", help: "kind of trees: \"mart\", on the grades, or \"lambdamart\", on a measure" },
        ParamHelp {
            name: "objective",
            help: "the measure that inner = \"lambdamart\" maximises; inert under \"mart\"",
        },
        help::LEARNING_RATE,
        ParamHelp { name: "features", help: "share of the features that a node chooses from, above 0, at most 1" },
        ParamHelp { name: "queries", help: "queries drawn for a bag, as a share of all, above 0, at most 1" },
        help::LEAVES,
        help::MIN_DOCUMENTS,
        help::LEAF_DOCUMENTS,
        help::BINS,
        help::SPACING,
    ];
    type Model = TreeModel;

    fn presets() -> Vec<Preset<Self>> {
        let params = RandomForest { spacing: Spacing::Widths, ..RandomForest::default() };
        vec![Preset {
            name: "ranklib",
            summary: "RankLib's settings: 300 bags of one tree with 100 leaves, 255 bins of equal width (RankLib: 256), features .3",
            params,
        }]
    }

    fn check(&self) -> Result<(), ParamError> {
        ParamError::unless(self.bags >= 1, "bags", self.bags, "at least 1")?;
        check_measure("objective", &self.objective)?;
        share_of_all("features", self.features)?;
        share_of_all("queries", self.queries)?;
        self.boosting().check()
    }

    /// Bins, loss and trees, and the memory of each thread's bag.
    fn fit_bytes(&self, train: &Dataset, _: Option<&Dataset>) -> u64 {
        let train = Size::of(Some(train));
        let loss = match self.inner {
            Inner::Mart => 8 * train.documents,
            Inner::Lambdamart => loss_bytes(train),
        };
        let trees = (self.bags * self.trees) as u64 * tree(self.leaves.min(train.documents as usize));
        // A bag has 63 % of the documents, and not all bags at work are at their peak.
        let bag = train.growing() - 10 * train.documents + train.histograms(self.leaves);
        let bags = (1 + 3 * threads().min(self.bags as u64)) * bag / 4;
        train.bins() + loss + train.binning().max(bags + trees)
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<TreeModel, FitError> {
        match self.inner {
            Inner::Mart => self.grow(train, cx, &SquaredLoss::new(train)),
            Inner::Lambdamart => {
                let objective = objective("objective", &self.objective, train, cx.seed())?;
                self.grow(train, cx, &LambdaLoss::new(objective, train, Ties::Drawn, 0, 1.0, false, cx)?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Model;

    use super::*;
    use crate::test_data::signal_in_order;

    #[test]
    fn bags_hold_whole_queries_drawn_with_replacement() {
        let bounds: Vec<usize> = (0..=500).map(|query| 3 * query).collect();
        let copies = draw_queries(&bounds, 1.0, &mut Seed::new(2).rng());
        assert_eq!(copies.iter().sum::<u32>(), 1500);
        assert!(copies.chunks(3).all(|query| query.iter().all(|&count| count == query[0])));
        let left_out = copies.chunks(3).filter(|query| query[0] == 0).count() as f64 / 500.0;
        // The expected share is (1 - 1/500)^500 = .3675. Three standard deviations of the share in
        // 500 draws are .04.
        assert!((left_out - 0.3675).abs() < 0.04, "{left_out}");
        assert_eq!(draw_queries(&bounds, 0.1, &mut Seed::new(2).rng()).iter().sum::<u32>(), 150);
    }

    #[test]
    fn each_thread_of_the_pool_needs_memory_for_a_bag() {
        let data = fivefold_core::conformance::data::sized(100, 40, 8, 1);
        let bytes = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| RandomForest::default().fit_bytes(&data, None))
        };
        // Five nodes of 8 features with 256 cells of 16 bytes; three quarters of the bags at their
        // peak.
        assert_eq!(bytes(5) - bytes(1), 3 * (4000 * 54 + 5 * 8 * 256 * 16));
    }

    #[test]
    fn scores_are_the_mean_over_bags() {
        let data = signal_in_order(30, 1);
        let forest = RandomForest { bags: 7, learning_rate: 1.0, ..RandomForest::default() };
        let model = forest.fit(&data, &FitContext::new(Seed::new(1))).unwrap();
        assert_eq!(model.trees().len(), 7);
        // Each tree's leaf means average to the mean grade of its bag, so the scores average to
        // about that of the data.
        let query = data.query(0);
        let mut out = vec![0.0; query.len()];
        model.score(query.view(), &mut out);
        assert!(out.iter().all(|score| (-1e-9..=2.0 + 1e-9).contains(score)), "a mean of grades: {out:?}");
    }
}
