//! Loops in the vectors of the processor: one source, compiled for any processor and for AVX2, whose
//! vectors hold eight `f32` or four `f64`.
//!
//! Both ways give the same bits. A vector instruction rounds each lane as the plain instruction
//! does, and the compiler neither reorders sums of floats nor fuses a product with a sum. So the
//! order of each sum is that of the source.

#![allow(unsafe_code)] // the one place of this crate; see `run` and `Avx`

/// Numbers in a vector.
pub(crate) const LANES: usize = 8;

/// The numbers of a vector in memory.
pub(crate) type Lanes = [f32; LANES];

/// Numbers of `f64` in a vector.
pub(crate) const DOUBLES: usize = 4;

/// Eight numbers that are worked on side by side.
pub(crate) trait Vector: Copy {
    /// Four numbers of `f64` that are worked on side by side.
    type Double: Double;

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

/// Four numbers of `f64` that are worked on side by side. Each operation is that of `f64` in each
/// lane.
pub(crate) trait Double: Copy {
    /// The numbers in memory.
    fn load(values: &[f64; DOUBLES]) -> Self;
    /// The same number four times.
    fn splat(value: f64) -> Self;
    /// Sums.
    fn plus(self, other: Self) -> Self;
    /// Differences.
    fn minus(self, other: Self) -> Self;
    /// Products.
    fn times(self, other: Self) -> Self;
    /// Quotients.
    fn over(self, other: Self) -> Self;
    /// The numbers without their signs.
    fn absolute(self) -> Self;
    /// `below` where the number is less than 0, else `other`.
    fn if_negative(self, below: Self, other: Self) -> Self;
    /// The numbers.
    fn values(self) -> [f64; DOUBLES];
}

/// A loop over vectors. A simple loop over `f64` leaves the vectors to the compiler.
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
    type Double = [f64; DOUBLES];

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

/// Applies an operation in each lane.
#[inline(always)]
fn each(a: [f64; DOUBLES], b: [f64; DOUBLES], operation: impl Fn(f64, f64) -> f64) -> [f64; DOUBLES] {
    std::array::from_fn(|lane| operation(a[lane], b[lane]))
}

impl Double for [f64; DOUBLES] {
    #[inline(always)]
    fn load(values: &[f64; DOUBLES]) -> Self {
        *values
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        [value; DOUBLES]
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        each(self, other, |a, b| a + b)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        each(self, other, |a, b| a - b)
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        each(self, other, |a, b| a * b)
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        each(self, other, |a, b| a / b)
    }

    #[inline(always)]
    fn absolute(self) -> Self {
        self.map(f64::abs)
    }

    #[inline(always)]
    fn if_negative(self, below: Self, other: Self) -> Self {
        std::array::from_fn(|lane| if self[lane] < 0.0 { below[lane] } else { other[lane] })
    }

    #[inline(always)]
    fn values(self) -> [f64; DOUBLES] {
        self
    }
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use std::arch::x86_64::{
        __m256, __m256d, _CMP_LT_OQ, _mm256_add_pd, _mm256_add_ps, _mm256_andnot_pd, _mm256_blendv_pd, _mm256_cmp_pd,
        _mm256_div_pd, _mm256_loadu_pd, _mm256_loadu_ps, _mm256_mul_pd, _mm256_mul_ps, _mm256_set1_pd, _mm256_set1_ps,
        _mm256_setzero_pd, _mm256_storeu_pd, _mm256_storeu_ps, _mm256_sub_pd,
    };

    use super::{DOUBLES, Double, LANES, Lanes, Loop, Vector};

    /// A register. Only [`run`] names this type, so its functions are called on processors with AVX2
    /// alone.
    #[derive(Clone, Copy)]
    struct Avx(__m256);

    /// A register of four `f64`. Only [`Avx`] names this type.
    #[derive(Clone, Copy)]
    struct Avx64(__m256d);

    #[target_feature(enable = "avx2")]
    pub(super) fn run<L: Loop>(work: L) -> L::Output {
        work.run::<Avx>()
    }

    // SAFETY of all blocks: the processor has AVX2 (see `Avx`), and each pointer is that of a
    // reference to eight `f32` or four `f64`. The memory instructions need no alignment.
    impl Vector for Avx {
        type Double = Avx64;

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
    impl Double for Avx64 {
        #[inline(always)]
        fn load(values: &[f64; DOUBLES]) -> Self {
            Avx64(unsafe { _mm256_loadu_pd(values.as_ptr()) })
        }

        #[inline(always)]
        fn splat(value: f64) -> Self {
            Avx64(unsafe { _mm256_set1_pd(value) })
        }

        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            Avx64(unsafe { _mm256_add_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            Avx64(unsafe { _mm256_sub_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn times(self, other: Self) -> Self {
            Avx64(unsafe { _mm256_mul_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn over(self, other: Self) -> Self {
            Avx64(unsafe { _mm256_div_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn absolute(self) -> Self {
            Avx64(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
        }

        #[inline(always)]
        fn if_negative(self, below: Self, other: Self) -> Self {
            let negative = unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, _mm256_setzero_pd()) };
            Avx64(unsafe { _mm256_blendv_pd(other.0, below.0, negative) })
        }

        #[inline(always)]
        fn values(self) -> [f64; DOUBLES] {
            let mut values = [0.0; DOUBLES];
            unsafe { _mm256_storeu_pd(values.as_mut_ptr(), self.0) };
            values
        }
    }
}
