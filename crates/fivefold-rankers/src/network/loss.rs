//! The losses by which networks are trained. Training knows a loss as [`AnyLoss`], so that it is
//! compiled once for all losses.

use fivefold_core::FitError;

/// A loss of the scores of one query's documents.
pub(crate) trait QueryLoss: Sync {
    /// Memory that is used again from query to query.
    type Scratch: Default + Send;

    /// Whether the order of this query's documents matters to the loss.
    fn informative(&self, query: usize) -> bool;

    /// Writes the derivatives by the scores of all documents, in epoch `epoch`.
    fn slopes(
        &self,
        query: usize,
        epoch: u64,
        scores: &[f64],
        slopes: &mut [f64],
        scratch: &mut Self::Scratch,
    ) -> Result<(), FitError>;
}

/// A [`QueryLoss`] of any type.
pub(crate) trait AnyLoss: Sync {
    /// [`QueryLoss::informative`].
    fn is_informative(&self, query: usize) -> bool;

    /// The loss with memory of its own, for one thread.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// A loss with its memory.
pub(crate) trait Worker: Send {
    /// [`QueryLoss::slopes`].
    fn slopes(&mut self, query: usize, epoch: u64, scores: &[f64], slopes: &mut [f64]) -> Result<(), FitError>;
}

impl<L: QueryLoss> AnyLoss for L {
    fn is_informative(&self, query: usize) -> bool {
        self.informative(query)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Own { loss: self, scratch: L::Scratch::default() })
    }
}

/// In cache lines of its own: otherwise each length that a thread writes would hold up the others.
#[repr(align(128))]
struct Own<'a, L: QueryLoss> {
    loss: &'a L,
    scratch: L::Scratch,
}

impl<L: QueryLoss> Worker for Own<'_, L> {
    fn slopes(&mut self, query: usize, epoch: u64, scores: &[f64], slopes: &mut [f64]) -> Result<(), FitError> {
        self.loss.slopes(query, epoch, scores, slopes, &mut self.scratch)
    }
}
