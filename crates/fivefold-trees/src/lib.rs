//! Binning, histograms and growing of regression trees over plain slices; serves MART, random forest, LambdaMART and any
//! ranker that needs thresholds.
//!
//! Reading order: [`bins`] (a matrix becomes bytes), [`cells`] (gradients become integers), `histogram` and `split` (the
//! best cut of a node; `direct`: of a small one), [`grow`] (one tree), [`tree`] (what was grown), [`ensemble`] and `scorer`
//! (how many score), [`codes`] (trees of other programs that compare in `f64`).
//!
//! ```
//! use fivefold_trees::{BinnedMatrix, Gradients, Grower, Growth, Rows};
//!
//! let features = [0.0, 1.0, 2.0, 3.0];
//! let targets = [0.0, 0.0, 1.0, 5.0];
//! let matrix = BinnedMatrix::new(&Rows::new(vec![&features], 1), 255);
//! let growth = Growth { leaves: 3, min_documents: 1, ..Growth::default() };
//! // Squared loss at score 0: the gradient is minus the target, the hessian 1.
//! let first = targets.map(|target| -target);
//! let gradients = Gradients { first: &first, second: None, copies: None };
//! let tree = Grower::new(&matrix, growth).grow(gradients, None, &mut |_| 0)?;
//! assert_eq!(tree.values()[tree.leaf_of(&[2.9])], 5.0);
//! # Ok::<(), fivefold_trees::GrowError>(())
//! ```

pub mod bins;
pub mod cells;
pub mod codes;
mod direct;
pub mod ensemble;
pub mod grow;
mod histogram;
mod scorer;
mod split;
pub mod tree;

pub use bins::{BinnedMatrix, MAX_BINS, Rows, Spacing};
pub use cells::{Gradients, GrowError};
pub use codes::Codes;
pub use ensemble::{Ensemble, add_tree_scores};
pub use grow::{Draw, Grower, Growth};
pub use split::LeafDocuments;
pub use tree::{Node, Tree, TreeError};
