//! Numbers that begin at a cache line. Where rows have whole cache lines, too, no vector of a row lies
//! in two lines, which would take two loads.

use std::ops::{Deref, DerefMut};

/// Numbers in a cache line of 64 bytes.
pub(crate) const LINE: usize = 16;

/// Numbers in memory, the first one at the start of a cache line.
#[derive(Debug, Default)]
pub(crate) struct Aligned {
    /// A line longer than the numbers.
    memory: Vec<f32>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// Zeros.
    pub fn zeros(len: usize) -> Self {
        Aligned::new(vec![0.0; len + LINE - 1], len)
    }

    fn new(memory: Vec<f32>, len: usize) -> Self {
        let start = memory.as_ptr().align_offset(LINE * size_of::<f32>()).min(memory.len() - len);
        Aligned { memory, start, len }
    }

    /// Makes the numbers `len` zeros, in the same memory if it is long enough.
    pub fn reset(&mut self, len: usize) {
        let mut memory = std::mem::take(&mut self.memory);
        memory.clear();
        memory.resize(len + LINE - 1, 0.0);
        *self = Aligned::new(memory, len);
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.memory[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_at_a_cache_line() {
        for len in [0, 1, 16, 1000, 100_000] {
            let mut numbers = Aligned::zeros(len);
            for again in [len, 0, len / 2, 3 * len, len] {
                assert_eq!((&*numbers, numbers.as_ptr().addr() % 64), (&vec![0.0; numbers.len()][..], 0));
                numbers.fill(1.0);
                numbers.reset(again);
                assert_eq!(numbers.len(), again);
            }
        }
    }
}
