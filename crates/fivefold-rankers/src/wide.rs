//! Loops in the vectors of the processor: one source, compiled for any processor and for AVX2, whose
//! vectors hold eight `f32` or four `f64`. A [`LongLoop`] is also compiled for AVX-512, whose vectors
//! hold 16 `f32` or eight `f64`.
//!
//! All ways give the same bits. A vector instruction rounds each lane as the plain instruction
//! does, and the compiler neither reorders sums of floats nor fuses a product with a sum. So the
//! order of each sum is that of the source.

#![allow(unsafe_code)] // the one place of this crate; see `run`, `run_at_most`, `Avx` and `Avx512`

/// Numbers in a vector.
pub(crate) const LANES: usize = 8;

/// The numbers of a vector in memory.
pub(crate) type Lanes = [f32; LANES];

/// Numbers of `f64` in a vector.
pub(crate) const DOUBLES: usize = 4;

/// N numbers that are worked on side by side.
pub(crate) trait Vector<const N: usize = LANES, const D: usize = DOUBLES>: Copy {
    /// D numbers of `f64` that are worked on side by side.
    type Double: Double<D>;
    /// Eight numbers, for what is left of a row.
    type Eight: Vector;

    /// The numbers in memory.
    fn load(values: &[f32; N]) -> Self;
    /// The same number N times.
    fn splat(value: f32) -> Self;
    /// Sums, lane by lane.
    fn plus(self, other: Self) -> Self;
    /// Products, lane by lane.
    fn times(self, other: Self) -> Self;
    /// The numbers.
    fn values(self) -> [f32; N];
}

/// N numbers of `f64` that are worked on side by side. Each operation is that of `f64` in each lane.
pub(crate) trait Double<const N: usize = DOUBLES>: Copy {
    /// Some of the lanes.
    type Mask: Mask<Self>;

    /// The numbers in memory.
    fn load(values: &[f64; N]) -> Self;
    /// The same number N times.
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
    /// The lanes with equal numbers.
    fn same(self, other: Self) -> Self::Mask;
    /// The lanes with equal numbers, a bit each.
    #[inline(always)]
    fn equal(self, other: Self) -> u32 {
        self.same(other).bits()
    }
    /// The numbers, but `value` in lane `lane`, if there is such a lane.
    fn put(self, lane: usize, value: f64) -> Self;
    /// The lanes whose number is less than the other.
    fn less(self, other: Self) -> Self::Mask;
    /// The numbers.
    fn values(self) -> [f64; N];
}

/// Some lanes of vectors `D`.
pub(crate) trait Mask<D>: Copy {
    /// The lanes that two masks have.
    fn and(self, other: Self) -> Self;
    /// The lanes that one of two masks has, or both.
    fn or(self, other: Self) -> Self;
    /// The lanes of a mask, a bit each.
    fn bits(self) -> u32;
    /// `one` in the lanes of a mask, `other` in the others.
    fn choose(self, one: D, other: D) -> D;
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

/// Brings the cache line of `value` into the first-level cache while other work goes on. No result
/// depends on it.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    // SAFETY: the instruction is part of every x86-64 processor. It changes no memory and no register,
    // and it cannot fault. The pointer is that of a reference.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// A loop over vectors of the processor's length: N numbers of `f32`, or D numbers of `f64`.
pub(crate) trait LongLoop {
    /// What the loop computes.
    type Output;

    /// Runs the loop. The functions that it calls are inlined, as those of [`Loop::run`].
    fn run<const N: usize, const D: usize, V: Vector<N, D>>(self) -> Self::Output;
}

/// The programs that are made of a [`LongLoop`], the shortest vectors first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) enum Program {
    Plain,
    Avx2,
    Avx512,
}

impl Program {
    /// The program with the longest vectors that this processor has.
    #[inline(always)]
    fn longest() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            let has_long = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw");
            return if has_long { Program::Avx512 } else { Program::Avx2 };
        }
        Program::Plain
    }
}

/// Runs a loop with the longest vectors of the processor, those of AVX-512 included.
pub(crate) fn run_long<L: LongLoop>(work: L) -> L::Output {
    run_at_most(Program::Avx512, work)
}

/// Runs a loop with the longest vectors of the processor that are no longer than those of `most`.
#[inline(always)]
pub(crate) fn run_at_most<L: LongLoop>(most: Program, work: L) -> L::Output {
    match most.min(Program::longest()) {
        // SAFETY: the functions need nothing but a processor with AVX2, and the first one with AVX-512 (F,
        // VL, DQ and BW). `longest` asked the processor for the instructions of its program and of those
        // before.
        #[cfg(target_arch = "x86_64")]
        Program::Avx512 => unsafe { avx::run_512(work) },
        #[cfg(target_arch = "x86_64")]
        Program::Avx2 => unsafe { avx::run_256(work) },
        _ => work.run::<LANES, DOUBLES, Lanes>(),
    }
}

impl Vector for Lanes {
    type Double = [f64; DOUBLES];
    type Eight = Self;

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
fn each<T, const N: usize>(a: [T; N], b: [T; N], operation: impl Fn(T, T) -> T) -> [T; N]
where
    T: Copy,
{
    std::array::from_fn(|lane| operation(a[lane], b[lane]))
}

impl Double for [f64; DOUBLES] {
    type Mask = [u64; DOUBLES];

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
    fn same(self, other: Self) -> [u64; DOUBLES] {
        std::array::from_fn(|lane| all_bits(self[lane] == other[lane]))
    }

    #[inline(always)]
    fn put(self, lane: usize, value: f64) -> Self {
        std::array::from_fn(|own| if own == lane { value } else { self[own] })
    }

    #[inline(always)]
    fn less(self, other: Self) -> [u64; DOUBLES] {
        std::array::from_fn(|lane| all_bits(self[lane] < other[lane]))
    }

    #[inline(always)]
    fn values(self) -> [f64; DOUBLES] {
        self
    }
}

/// All bits, or none.
#[inline(always)]
fn all_bits(all: bool) -> u64 {
    if all { u64::MAX } else { 0 }
}

/// All bits of a lane are set, or none, so that a choice needs no branch.
impl Mask<[f64; DOUBLES]> for [u64; DOUBLES] {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        each(self, other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        each(self, other, |a, b| a | b)
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        (0..DOUBLES).fold(0, |bits, lane| bits | ((self[lane] & 1) as u32) << lane)
    }

    #[inline(always)]
    fn choose(self, one: [f64; DOUBLES], other: [f64; DOUBLES]) -> [f64; DOUBLES] {
        let chosen = |lane: usize| one[lane].to_bits() & self[lane] | other[lane].to_bits() & !self[lane];
        std::array::from_fn(|lane| f64::from_bits(chosen(lane)))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use std::arch::x86_64::{
        __m256, __m256d, __m512, __m512d, __mmask8, _CMP_EQ_OQ, _CMP_LT_OQ, _mm_cvtsd_f64, _mm_min_pd, _mm_min_sd,
        _mm_unpackhi_pd, _mm256_add_pd, _mm256_add_ps, _mm256_and_pd, _mm256_andnot_pd, _mm256_blendv_pd,
        _mm256_castpd256_pd128, _mm256_castsi256_pd, _mm256_cmp_pd, _mm256_cmpeq_epi64, _mm256_div_pd,
        _mm256_extractf128_pd, _mm256_loadu_pd, _mm256_loadu_ps, _mm256_min_pd, _mm256_movemask_pd, _mm256_mul_pd,
        _mm256_mul_ps, _mm256_or_pd, _mm256_set_epi64x, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_set1_ps,
        _mm256_setzero_pd, _mm256_storeu_pd, _mm256_storeu_ps, _mm256_sub_pd, _mm512_abs_pd, _mm512_add_pd,
        _mm512_add_ps, _mm512_castpd512_pd256, _mm512_cmp_pd_mask, _mm512_cmpeq_epi64_mask, _mm512_div_pd,
        _mm512_extractf64x4_pd, _mm512_loadu_pd, _mm512_loadu_ps, _mm512_mask_blend_pd, _mm512_min_pd, _mm512_mul_pd,
        _mm512_mul_ps, _mm512_set_epi64, _mm512_set1_epi64, _mm512_set1_pd, _mm512_set1_ps, _mm512_storeu_pd,
        _mm512_storeu_ps, _mm512_sub_pd,
    };

    use super::{DOUBLES, Double, LANES, Lanes, LongLoop, Loop, Mask, Vector};

    /// Numbers of `f32` in a vector of AVX-512.
    const LONG: usize = 16;

    /// Numbers of `f64` in a vector of AVX-512.
    const LONG_DOUBLES: usize = 8;

    /// A register. Only [`run`], [`run_256`] and [`run_512`] name this type, so its functions are called
    /// on processors with AVX2 alone.
    #[derive(Clone, Copy)]
    struct Avx(__m256);

    /// A register of four `f64`. Only [`Avx`] names this type.
    #[derive(Clone, Copy)]
    struct Avx64(__m256d);

    /// A register of 16 `f32`. Only [`run_512`] names this type, so its functions are called on
    /// processors with AVX-512 alone.
    #[derive(Clone, Copy)]
    struct Avx512(__m512);

    /// A register of eight `f64`. Only [`Avx512`] names this type.
    #[derive(Clone, Copy)]
    struct Avx512Double(__m512d);

    /// A bit for each lane of [`Avx512Double`], which alone names this type.
    #[derive(Clone, Copy)]
    struct Lanes512(__mmask8);

    #[target_feature(enable = "avx2")]
    pub(super) fn run<L: Loop>(work: L) -> L::Output {
        work.run::<Avx>()
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn run_256<L: LongLoop>(work: L) -> L::Output {
        work.run::<LANES, DOUBLES, Avx>()
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2")]
    pub(super) fn run_512<L: LongLoop>(work: L) -> L::Output {
        work.run::<LONG, LONG_DOUBLES, Avx512>()
    }

    // SAFETY of all blocks: the processor has AVX2 (see `Avx`), and each pointer is that of a
    // reference to eight `f32` or four `f64`. The memory instructions need no alignment.
    impl Vector for Avx {
        type Double = Avx64;
        type Eight = Self;

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
        type Mask = Self;

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
        fn same(self, other: Self) -> Self {
            Avx64(unsafe { _mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, other.0) })
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
        fn values(self) -> [f64; DOUBLES] {
            let mut values = [0.0; DOUBLES];
            unsafe { _mm256_storeu_pd(values.as_mut_ptr(), self.0) };
            values
        }
    }

    /// All bits of a lane are set, or none.
    impl Mask<Avx64> for Avx64 {
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Avx64(unsafe { _mm256_and_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Avx64(unsafe { _mm256_or_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn bits(self) -> u32 {
            unsafe { _mm256_movemask_pd(self.0) as u32 }
        }

        #[inline(always)]
        fn choose(self, one: Self, other: Self) -> Self {
            Avx64(unsafe { _mm256_blendv_pd(other.0, one.0, self.0) })
        }
    }

    // SAFETY of all blocks: the processor has AVX-512 (see `Avx512`), and each pointer is that of a
    // reference to 16 `f32` or eight `f64`. The memory instructions need no alignment.
    impl Vector<LONG, LONG_DOUBLES> for Avx512 {
        type Double = Avx512Double;
        type Eight = Avx;

        #[inline(always)]
        fn load(values: &[f32; LONG]) -> Self {
            Avx512(unsafe { _mm512_loadu_ps(values.as_ptr()) })
        }

        #[inline(always)]
        fn splat(value: f32) -> Self {
            Avx512(unsafe { _mm512_set1_ps(value) })
        }

        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn times(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_mul_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn values(self) -> [f32; LONG] {
            let mut values = [0.0; LONG];
            unsafe { _mm512_storeu_ps(values.as_mut_ptr(), self.0) };
            values
        }
    }

    impl Double<LONG_DOUBLES> for Avx512Double {
        type Mask = Lanes512;

        #[inline(always)]
        fn load(values: &[f64; LONG_DOUBLES]) -> Self {
            Avx512Double(unsafe { _mm512_loadu_pd(values.as_ptr()) })
        }

        #[inline(always)]
        fn splat(value: f64) -> Self {
            Avx512Double(unsafe { _mm512_set1_pd(value) })
        }

        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            Avx512Double(unsafe { _mm512_add_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            Avx512Double(unsafe { _mm512_sub_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn times(self, other: Self) -> Self {
            Avx512Double(unsafe { _mm512_mul_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn over(self, other: Self) -> Self {
            Avx512Double(unsafe { _mm512_div_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn absolute(self) -> Self {
            Avx512Double(unsafe { _mm512_abs_pd(self.0) })
        }

        #[inline(always)]
        fn if_negative(self, below: Self, other: Self) -> Self {
            self.less(Self::splat(0.0)).choose(below, other)
        }

        #[inline(always)]
        fn lower(self, other: Self) -> Self {
            Avx512Double(unsafe { _mm512_min_pd(other.0, self.0) })
        }

        #[inline(always)]
        fn lowest(self) -> f64 {
            let halves = unsafe { [_mm512_castpd512_pd256(self.0), _mm512_extractf64x4_pd::<1>(self.0)] };
            Avx64(halves[1]).lower(Avx64(halves[0])).lowest()
        }

        #[inline(always)]
        fn same(self, other: Self) -> Lanes512 {
            Lanes512(unsafe { _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(self.0, other.0) })
        }

        #[inline(always)]
        fn put(self, lane: usize, value: f64) -> Self {
            unsafe {
                let lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
                let is_lane = _mm512_cmpeq_epi64_mask(_mm512_set1_epi64(lane as i64), lanes);
                Avx512Double(_mm512_mask_blend_pd(is_lane, self.0, _mm512_set1_pd(value)))
            }
        }

        #[inline(always)]
        fn less(self, other: Self) -> Lanes512 {
            Lanes512(unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, other.0) })
        }

        #[inline(always)]
        fn values(self) -> [f64; LONG_DOUBLES] {
            let mut values = [0.0; LONG_DOUBLES];
            unsafe { _mm512_storeu_pd(values.as_mut_ptr(), self.0) };
            values
        }
    }

    impl Mask<Avx512Double> for Lanes512 {
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Lanes512(self.0 & other.0)
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Lanes512(self.0 | other.0)
        }

        #[inline(always)]
        fn bits(self) -> u32 {
            u32::from(self.0)
        }

        #[inline(always)]
        fn choose(self, one: Avx512Double, other: Avx512Double) -> Avx512Double {
            Avx512Double(unsafe { _mm512_mask_blend_pd(self.0, other.0, one.0) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of a number. No processor promises those of NaN.
    fn bits(number: f64) -> u64 {
        if number.is_nan() { u64::MAX } else { number.to_bits() }
    }

    /// What vectors of `f64` do with some numbers, eight at a time: lane by lane, and as a whole.
    struct Operations<'a>(&'a [[f64; 8]]);

    impl LongLoop for Operations<'_> {
        type Output = Vec<(Vec<[u64; 8]>, [u64; 3])>;

        #[inline(always)]
        fn run<const N: usize, const D: usize, V: Vector<N, D>>(self) -> Self::Output {
            let mut found = Vec::new();
            for (number, a) in self.0.iter().enumerate() {
                for b in self.0 {
                    let mut lanes = vec![[0; 8]; 13];
                    let (mut lowest, mut equal, mut less) = (f64::INFINITY, 0, 0);
                    for part in 0..8 / D {
                        let first = part * D;
                        let (x, y) = (V::Double::load(&a.as_chunks().0[part]), V::Double::load(&b.as_chunks().0[part]));
                        let below = x.less(y);
                        let numbers = [
                            x.plus(y),
                            x.minus(y),
                            x.times(y),
                            x.over(y),
                            x.absolute(),
                            x.if_negative(y, x),
                            x.lower(y),
                            x.put(number.wrapping_sub(first), 7.0),
                            x.put(number.wrapping_sub(first + 2), -3.0),
                            below.choose(x, y),
                            below.and(y.less(V::Double::splat(1.0))).choose(y, x),
                            below.or(y.less(V::Double::splat(1.0))).choose(y, x),
                            V::Double::splat(a[number]),
                        ];
                        for (lanes, numbers) in lanes.iter_mut().zip(numbers) {
                            let places = lanes[first..first + D].iter_mut();
                            places.zip(numbers.values()).for_each(|(place, number)| *place = bits(number));
                        }
                        lowest = x.lowest().min(lowest);
                        equal |= u64::from(x.equal(y)) << first;
                        less |= u64::from(below.bits()) << first;
                    }
                    found.push((lanes, [lowest.to_bits(), equal, less]));
                }
            }
            found
        }
    }

    #[test]
    fn operations_are_the_same_on_any_processor() {
        let numbers = [
            [0.5, -1.0, 3.0, f64::INFINITY, 0.1, -0.2, 1e-300, 4.0],
            [0.5, 2.0, -3.0, 1e300, 0.3, -0.2, 1e-308, -5.0],
            [f64::INFINITY; 8],
            [-0.5, 1.0, 0.25, f64::NEG_INFINITY, -7.0, 0.125, 3e-5, -1.0],
            [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0],
        ];
        let [plain, found] = [Program::Plain, Program::Avx2].map(|most| run_at_most(most, Operations(&numbers)));
        assert_eq!(found, plain);
        assert_eq!(run_long(Operations(&numbers)), plain);
        // The first two by hand.
        let (lanes, [lowest, equal, less]) = &plain[1];
        let values: Vec<[f64; 8]> = lanes.iter().map(|lanes| lanes.map(f64::from_bits)).collect();
        assert_eq!(values[6], [0.5, -1.0, -3.0, 1e300, 0.1, -0.2, 1e-308, -5.0]);
        assert_eq!(values[9], [0.5, -1.0, -3.0, 1e300, 0.1, -0.2, 1e-308, -5.0]);
        assert_eq!(values[7], [7.0, -1.0, 3.0, f64::INFINITY, 0.1, -0.2, 1e-300, 4.0]);
        assert_eq!((values[8], f64::from_bits(*lowest)), (numbers[0], -1.0));
        assert_eq!((*equal, *less), (0b10_0001, 0b1_0010));
    }
}
