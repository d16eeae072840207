//! How much memory feature matrices may take.
//!
//! A process has one memory, so it has one budget, of which every matrix takes its share before it is made. Whoever has no
//! budget set is stopped by the system's own limits only. Matrices in mapped files are not counted: the system can drop
//! their pages.

use std::sync::atomic::{AtomicU64, Ordering};

static BUDGET: AtomicU64 = AtomicU64::new(u64::MAX);
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// Sets the bytes that all feature matrices of this process may take together.
pub fn set_memory_budget(bytes: u64) {
    BUDGET.store(bytes, Ordering::Relaxed);
}

/// What was set; `None`: nothing was.
pub fn memory_budget() -> Option<u64> {
    Some(BUDGET.load(Ordering::Relaxed)).filter(|&bytes| bytes < u64::MAX)
}

/// What is left of the budget; `None`: none was set.
pub fn memory_left() -> Option<u64> {
    memory_budget().map(|bytes| bytes.saturating_sub(TAKEN.load(Ordering::Relaxed)))
}

/// The bytes that a matrix takes; given back when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Share(u64);

impl Share {
    /// How many bytes it could have.
    pub(crate) fn most(&self) -> u64 {
        let of_others = TAKEN.load(Ordering::Relaxed).saturating_sub(self.0);
        BUDGET.load(Ordering::Relaxed).saturating_sub(of_others)
    }

    /// Takes so many bytes instead, of which the caller knows that it can have them.
    pub(crate) fn set(&mut self, bytes: u64) {
        TAKEN.fetch_add(bytes, Ordering::Relaxed);
        TAKEN.fetch_sub(self.0, Ordering::Relaxed);
        self.0 = bytes;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// Values with their share.
#[derive(Debug)]
pub(crate) struct Counted {
    values: Vec<f32>,
    _share: Share,
}

impl Counted {
    pub(crate) fn new(values: Vec<f32>, mut share: Share) -> Self {
        share.set(bytes(values.len(), 1));
        Counted { values, _share: share }
    }
}

impl AsRef<[f32]> for Counted {
    fn as_ref(&self) -> &[f32] {
        &self.values
    }
}

/// The bytes of a matrix.
pub(crate) fn bytes(documents: usize, width: usize) -> u64 {
    (documents as u64).saturating_mul(width as u64).saturating_mul(size_of::<f32>() as u64)
}

/// Zeros, if the system has the memory: the bytes it was asked for otherwise.
pub(crate) fn zeros(documents: usize, width: usize) -> Result<Vec<f32>, u64> {
    let refused = || bytes(documents, width);
    let size = documents.checked_mul(width).ok_or_else(refused)?;
    let mut values = Vec::new();
    values.try_reserve_exact(size).map_err(|_| refused())?;
    values.resize(size, 0.0);
    Ok(values)
}
