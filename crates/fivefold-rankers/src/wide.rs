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
    /// The lower of two numbers in each lane. None is NaN.
    fn lower(self, other: Self) -> Self;
    /// The lowest of the numbers. None is NaN.
    fn lowest(self) -> f64;
    /// The lanes with equal numbers, a bit each.
    fn equal(self, other: Self) -> u32;
    /// The numbers, but `value` in lane `lane`, if there is such a lane.
    fn put(self, lane: usize, value: f64) -> Self;
    /// A mask of the lanes whose number is less than the other. All bits of a lane are set, or none.
    fn less(self, other: Self) -> Self;
    /// A mask of the lanes that two masks have.
    fn and(self, other: Self) -> Self;
    /// The lanes of a mask, a bit each.
    fn bits(self) -> u32;
    /// `one` in the lanes of a mask, `other` in the others.
    fn choose(self, one: Self, other: Self) -> Self;
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
    fn lower(self, other: Self) -> Self {
        each(self, other, |a, b| if b < a { b } else { a })
    }

    #[inline(always)]
    fn lowest(self) -> f64 {
        self.into_iter().fold(f64::INFINITY, |low, number| if number < low { number } else { low })
    }

    #[inline(always)]
    fn equal(self, other: Self) -> u32 {
        (0..DOUBLES).fold(0, |equal, lane| equal | u32::from(self[lane] == other[lane]) << lane)
    }

    #[inline(always)]
    fn put(self, lane: usize, value: f64) -> Self {
        std::array::from_fn(|own| if own == lane { value } else { self[own] })
    }

    #[inline(always)]
    fn less(self, other: Self) -> Self {
        each(self, other, |a, b| f64::from_bits(if a < b { u64::MAX } else { 0 }))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        each(self, other, |a, b| f64::from_bits(a.to_bits() & b.to_bits()))
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        (0..DOUBLES).fold(0, |bits, lane| bits | ((self[lane].to_bits() >> 63) as u32) << lane)
    }

    #[inline(always)]
    fn choose(self, one: Self, other: Self) -> Self {
        std::array::from_fn(|lane| if self[lane].is_sign_negative() { one[lane] } else { other[lane] })
    }

    #[inline(always)]
    fn values(self) -> [f64; DOUBLES] {
        self
    }
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use std::arch::x86_64::{
        __m256, __m256d, _CMP_EQ_OQ, _CMP_LT_OQ, _mm_cvtsd_f64, _mm_min_pd, _mm_min_sd, _mm_unpackhi_pd, _mm256_add_pd,
        _mm256_add_ps, _mm256_and_pd, _mm256_andnot_pd, _mm256_blendv_pd, _mm256_castpd256_pd128, _mm256_castsi256_pd,
        _mm256_cmp_pd, _mm256_cmpeq_epi64, _mm256_div_pd, _mm256_extractf128_pd, _mm256_loadu_pd, _mm256_loadu_ps,
        _mm256_min_pd, _mm256_movemask_pd, _mm256_mul_pd, _mm256_mul_ps, _mm256_set_epi64x, _mm256_set1_epi64x,
        _mm256_set1_pd, _mm256_set1_ps, _mm256_setzero_pd, _mm256_storeu_pd, _mm256_storeu_ps, _mm256_sub_pd,
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
        fn lower(self, other: Self) -> Self {
            Avx64(unsafe { _mm256_min_pd(other.0, self.0) })
        }

        #[inline(always)]
        fn lowest(self) -> f64 {
            unsafe {
                let two = _mm_min_pd(_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0));
                _mm_cvtsd_f64(_mm_min_sd(two, _mm_unpackhi_pd(two, two)))
            }
        }

        #[inline(always)]
        fn equal(self, other: Self) -> u32 {
            unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, other.0)) as u32 }
        }

        #[inline(always)]
        fn put(self, lane: usize, value: f64) -> Self {
            unsafe {
                let is_lane = _mm256_cmpeq_epi64(_mm256_set1_epi64x(lane as i64), _mm256_set_epi64x(3, 2, 1, 0));
                Avx64(_mm256_blendv_pd(self.0, _mm256_set1_pd(value), _mm256_castsi256_pd(is_lane)))
            }
        }

        #[inline(always)]
        fn less(self, other: Self) -> Self {
            Avx64(unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0) })
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Avx64(unsafe { _mm256_and_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn bits(self) -> u32 {
            unsafe { _mm256_movemask_pd(self.0) as u32 }
        }

        #[inline(always)]
        fn choose(self, one: Self, other: Self) -> Self {
            Avx64(unsafe { _mm256_blendv_pd(other.0, one.0, self.0) })
        }

        #[inline(always)]
        fn values(self) -> [f64; DOUBLES] {
            let mut values = [0.0; DOUBLES];
            unsafe { _mm256_storeu_pd(values.as_mut_ptr(), self.0) };
            values
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a vector of four numbers does with some numbers.
    struct Operations<'a>(&'a [[f64; DOUBLES]]);

    impl Loop for Operations<'_> {
        type Output = Vec<(Vec<[u64; DOUBLES]>, [u32; 2])>;

        #[inline(always)]
        fn run<V: Vector>(self) -> Self::Output {
            let mut found = Vec::new();
            for (number, a) in self.0.iter().enumerate() {
                for b in self.0 {
                    let (x, y) = (V::Double::load(a), V::Double::load(b));
                    let less = x.less(y);
                    let numbers = [
                        x.lower(y).values(),
                        [x.lowest(); DOUBLES],
                        x.put(number, 7.0).values(),
                        x.put(number.wrapping_sub(2), -3.0).values(),
                        less.values(),
                        less.and(y.less(V::Double::splat(1.0))).values(),
                        less.choose(x, y).values(),
                    ];
                    found.push((numbers.map(|numbers| numbers.map(f64::to_bits)).to_vec(), [x.equal(y), less.bits()]));
                }
            }
            found
        }
    }

    #[test]
    fn operations_are_the_same_on_any_processor() {
        let numbers = [
            [0.5, -1.0, 3.0, f64::INFINITY],
            [0.5, 2.0, -3.0, 1e300],
            [f64::INFINITY; DOUBLES],
            [-0.5, 1.0, 0.25, f64::NEG_INFINITY],
            [9.0, 8.0, 7.0, 6.0],
        ];
        let found = run(Operations(&numbers));
        assert_eq!(found, run_plainly(Operations(&numbers)));
        // The first two by hand.
        let (values, [equal, less]) = &found[1];
        let values: Vec<[f64; DOUBLES]> = values.iter().map(|values| values.map(f64::from_bits)).collect();
        assert_eq!((values[0], values[1], *equal), ([0.5, -1.0, -3.0, 1e300], [-1.0; DOUBLES], 0b1));
        assert_eq!((values[2], values[3]), ([7.0, -1.0, 3.0, f64::INFINITY], numbers[0]));
        assert_eq!((*less, values[6]), (0b10, [0.5, -1.0, -3.0, 1e300]));
    }
}
