//! The memory budget for feature matrices.
//!
//! A process has one budget, and every matrix takes its share before it is made. Without a budget,
//! only the system limits the memory. Matrices in mapped files are not counted, because the system
//! can drop their pages.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Once, OnceLock};

static BUDGET: AtomicU64 = AtomicU64::new(u64::MAX);
static TAKEN: AtomicU64 = AtomicU64::new(0);
/// Tells the budget when it is first needed.
static RULE: OnceLock<fn() -> Option<u64>> = OnceLock::new();
/// Whether the budget was set.
static IS_SET: Once = Once::new();

/// Sets the bytes that all feature matrices of this process may take together.
pub fn set_memory_budget(bytes: u64) {
    IS_SET.call_once(|| {});
    BUDGET.store(bytes, Ordering::Relaxed);
}

/// Sets the budget by a rule, which is asked when the budget is first needed, unless a budget is set
/// before: to ask the system takes longer than some commands take. Only the first rule counts. There
/// is no budget if the rule gives `None`.
pub fn set_memory_budget_by(rule: fn() -> Option<u64>) {
    RULE.get_or_init(|| rule);
}

fn budget() -> u64 {
    if let Some(rule) = RULE.get() {
        IS_SET.call_once(|| BUDGET.store(rule().unwrap_or(u64::MAX), Ordering::Relaxed));
    }
    BUDGET.load(Ordering::Relaxed)
}

/// The budget; `None` if no budget was set.
pub fn memory_budget() -> Option<u64> {
    Some(budget()).filter(|&bytes| bytes < u64::MAX)
}

/// The bytes that are left of the budget; `None` if no budget was set.
pub fn memory_left() -> Option<u64> {
    memory_budget().map(|bytes| bytes.saturating_sub(TAKEN.load(Ordering::Relaxed)))
}

/// The bytes that a matrix takes. The share is given back when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Share(u64);

impl Share {
    /// The most bytes that the share could have.
    pub(crate) fn most(&self) -> u64 {
        let of_others = TAKEN.load(Ordering::Relaxed).saturating_sub(self.0);
        budget().saturating_sub(of_others)
    }

    /// Changes the share to `bytes` bytes. The caller must know that so many bytes are left.
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

/// Values of a matrix with their share of the budget.
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

/// A matrix of zeros. If the system has no memory for it, the error is the number of bytes.
pub(crate) fn zeros(documents: usize, width: usize) -> Result<Vec<f32>, u64> {
    let refused = || bytes(documents, width);
    let size = documents.checked_mul(width).ok_or_else(refused)?;
    let mut values = Vec::new();
    values.try_reserve_exact(size).map_err(|_| refused())?;
    values.resize(size, 0.0);
    Ok(values)
}
