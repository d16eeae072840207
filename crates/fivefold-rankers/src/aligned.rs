//! Numbers that begin at a cache line. Where rows have whole cache lines, too, no vector of a row
//! lies in two lines, which would take two loads.

use std::ops::{Deref, DerefMut};

/// Numbers of `f32` in a cache line.
pub(crate) const LINE: usize = BYTES / size_of::<f32>();

/// Bytes of a cache line.
const BYTES: usize = 64;

/// Numbers in memory (`f32` or `f64`), the first one at the start of a cache line.
#[derive(Debug, Default)]
pub(crate) struct Aligned<T> {
    /// A line longer than the numbers.
    memory: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// Numbers in memory that are not in use.
    const SPARE: usize = BYTES / size_of::<T>() - 1;

    /// Zeros.
    pub fn zeros(len: usize) -> Self {
        Aligned::new(vec![T::default(); len + Self::SPARE], len)
    }

    fn new(memory: Vec<T>, len: usize) -> Self {
        let start = memory.as_ptr().align_offset(BYTES).min(memory.len() - len);
        Aligned { memory, start, len }
    }

    /// Makes the numbers `len` zeros, in the same memory if it is long enough.
    pub fn reset(&mut self, len: usize) {
        let mut memory = std::mem::take(&mut self.memory);
        memory.clear();
        memory.resize(len + Self::SPARE, T::default());
        *self = Aligned::new(memory, len);
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Copy + Default + PartialEq + std::fmt::Debug>(one: T) {
        for len in [0, 1, 16, 1000, 100_000] {
            let mut numbers: Aligned<T> = Aligned::zeros(len);
            for again in [len, 0, len / 2, 3 * len, len] {
                assert_eq!((&*numbers, numbers.as_ptr().addr() % 64), (&vec![T::default(); numbers.len()][..], 0));
                numbers.fill(one);
                numbers.reset(again);
                assert_eq!(numbers.len(), again);
            }
        }
    }

    #[test]
    fn numbers_begin_at_a_cache_line() {
        check(1f32);
        check(1f64);
    }
}
