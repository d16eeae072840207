//! Loops in the vectors of the processor: one source, compiled for any processor and for AVX2, whose
//! vectors hold eight `f32`.
//!
//! Both ways give the same bits. A vector instruction rounds each lane as the plain instruction
//! does, and the compiler neither reorders sums of floats nor fuses a product with a sum. So the
//! order of each sum is that of the source.

#![allow(unsafe_code)] // the one place of this crate; see `run` and `Avx`

/// Numbers in a vector.
pub(crate) const LANES: usize = 8;

/// The numbers of a vector in memory.
pub(crate) type Lanes = [f32; LANES];

/// Eight numbers that are worked on side by side.
pub(crate) trait Vector: Copy {
    /// The numbers in memory.
    fn load(values: &Lanes) -> Self;
    /// The same number eight times.
    fn splat(value: f32) -> Self;
    /// Sums, lane by lane.
    fn plus(self, other: Self) -> Self;
    /// Products, lane by lane.
    fn times(self, other: Self) -> Self;
    /// The numbers.
    fn values(self) -> Lanes;
}

/// A loop over vectors. A loop over `f64` leaves the vectors to the compiler.
pub(crate) trait Loop {
    /// What the loop computes.
    type Output;

    /// Runs the loop. Implementations need `#[inline(always)]`, and so do the functions that they
    /// call: code that is not inlined is compiled without AVX2.
    fn run<V: Vector>(self) -> Self::Output;
}

/// Runs a loop with the longest vectors of the processor.
pub(crate) fn run<L: Loop>(work: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: `avx::run` needs nothing but a processor with AVX2, which was asked for here.
        return unsafe { avx::run(work) };
    }
    run_plainly(work)
}

/// Runs a loop as on a processor without AVX2.
pub(crate) fn run_plainly<L: Loop>(work: L) -> L::Output {
    work.run::<Lanes>()
}

impl Vector for Lanes {
    #[inline(always)]
    fn load(values: &Lanes) -> Self {
        *values
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        [value; LANES]
    }

    #[inline(always)]
    fn plus(mut self, other: Self) -> Self {
        for lane in 0..LANES {
            self[lane] += other[lane];
        }
        self
    }

    #[inline(always)]
    fn times(mut self, other: Self) -> Self {
        for lane in 0..LANES {
            self[lane] *= other[lane];
        }
        self
    }

    #[inline(always)]
    fn values(self) -> Lanes {
        self
    }
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use std::arch::x86_64::{__m256, _mm256_add_ps, _mm256_loadu_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_storeu_ps};

    use super::{LANES, Lanes, Loop, Vector};

    /// A register. Only [`run`] names this type, so its functions are called on processors with AVX2
    /// alone.
    #[derive(Clone, Copy)]
    struct Avx(__m256);

    #[target_feature(enable = "avx2")]
    pub(super) fn run<L: Loop>(work: L) -> L::Output {
        work.run::<Avx>()
    }

    // SAFETY of all blocks: the processor has AVX2 (see `Avx`), and each pointer is that of a
    // reference to eight `f32`. The two memory instructions need no alignment.
    impl Vector for Avx {
        #[inline(always)]
        fn load(values: &Lanes) -> Self {
            Avx(unsafe { _mm256_loadu_ps(values.as_ptr()) })
        }

        #[inline(always)]
        fn splat(value: f32) -> Self {
            Avx(unsafe { _mm256_set1_ps(value) })
        }

        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            Avx(unsafe { _mm256_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn times(self, other: Self) -> Self {
            Avx(unsafe { _mm256_mul_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn values(self) -> Lanes {
            let mut values = [0.0; LANES];
            unsafe { _mm256_storeu_ps(values.as_mut_ptr(), self.0) };
            values
        }
    }
}
