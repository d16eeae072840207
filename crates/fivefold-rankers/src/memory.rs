//! The bytes that parts of fits need: the terms of each ranker's `fit_bytes`. In `tests/libraries`,
//! `tests/memory.rs` compares `fit_bytes` with the counts of an allocator.

use fivefold_core::Dataset;

/// Sizes of a data set.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    pub queries: u64,
    pub documents: u64,
    pub longest: u64,
    pub width: u64,
}

impl Size {
    /// The sizes of `data`; zeros if there is no data set.
    pub fn of(data: Option<&Dataset>) -> Self {
        let Some(data) = data else { return Size::default() };
        let longest = data.queries().map(|query| query.len()).max().unwrap_or(0) as u64;
        Size { queries: data.len() as u64, documents: data.documents() as u64, longest, width: data.width() as u64 }
    }

    /// A measure over the data: grades twice, and the numbers of each query.
    pub fn objective(self) -> u64 {
        self.documents + 360 * self.queries
    }

    /// A ranking of the longest query: scores, places, keys, grades, derivatives, and the changes of
    /// the measure or their factors.
    pub fn ranking(self) -> u64 {
        86 * self.longest
    }

    /// The features in bins: a byte a value, in panels of 32 and in columns, and the cuts.
    pub fn bins(self) -> u64 {
        (32 * self.panels() + self.width) * self.documents + self.width * (48 + 4 * self.documents.min(256))
    }

    /// The threads that make bins: eight features as columns, and a sorted feature with its keys
    /// twice.
    pub fn binning(self) -> u64 {
        44 * self.documents * self.panels().min(threads())
    }

    fn panels(self) -> u64 {
        self.width.div_ceil(32)
    }

    /// One tree at a time: scores, derivatives, cells and rows of the documents.
    pub fn growing(self) -> u64 {
        64 * self.documents
    }

    /// The histograms of one tree at a time: 4 KiB a feature for each node of more than 512
    /// documents that may still be cut.
    pub fn histograms(self, leaves: usize) -> u64 {
        let nodes = if self.documents > 512 { (self.documents / 1300).min(leaves as u64 / 2) + 2 } else { 0 };
        nodes * self.width.next_multiple_of(8) * 4096
    }
}

/// Threads of the pool.
pub(crate) fn threads() -> u64 {
    rayon::current_num_threads() as u64
}

/// A tree with this number of leaves.
pub(crate) fn tree(leaves: usize) -> u64 {
    120 + 56 * leaves as u64
}
