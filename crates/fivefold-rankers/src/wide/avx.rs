//! Vectors of processors with AVX2 and with AVX-512: registers.

use std::arch::x86_64::{
    __m256, __m256d, __m512, __m512d, __mmask8, _CMP_EQ_OQ, _CMP_LT_OQ, _mm_cvtsd_f64, _mm_min_pd, _mm_min_sd,
    _mm_unpackhi_pd, _mm256_add_pd, _mm256_add_ps, _mm256_and_pd, _mm256_andnot_pd, _mm256_blendv_pd,
    _mm256_castpd256_pd128, _mm256_castsi256_pd, _mm256_cmp_pd, _mm256_cmpeq_epi64, _mm256_div_pd,
    _mm256_extractf128_pd, _mm256_loadu_pd, _mm256_loadu_ps, _mm256_min_pd, _mm256_movemask_pd, _mm256_mul_pd,
    _mm256_mul_ps, _mm256_or_pd, _mm256_set_epi64x, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_set1_ps,
    _mm256_setzero_pd, _mm256_storeu_pd, _mm256_storeu_ps, _mm256_sub_pd, _mm512_abs_pd, _mm512_add_pd, _mm512_add_ps,
    _mm512_castpd512_pd256, _mm512_cmp_pd_mask, _mm512_cmpeq_epi64_mask, _mm512_div_pd, _mm512_extractf64x4_pd,
    _mm512_loadu_pd, _mm512_loadu_ps, _mm512_mask_blend_pd, _mm512_min_pd, _mm512_mul_pd, _mm512_mul_ps,
    _mm512_set_epi64, _mm512_set1_epi64, _mm512_set1_pd, _mm512_set1_ps, _mm512_storeu_pd, _mm512_storeu_ps,
    _mm512_sub_pd,
};

use super::{DOUBLES, Double, LANES, Lanes, LongLoop, Loop, Mask, Vector};

/// Numbers of `f32` in a vector of AVX-512.
const LONG: usize = 16;

/// Numbers of `f64` in a vector of AVX-512.
const LONG_DOUBLES: usize = 8;

/// A register. It is reached from [`run`], [`run_256`] and, as a part of [`Avx512`], from
/// [`run_512`]. Each of them is entered on processors with AVX2 alone.
#[derive(Clone, Copy)]
struct Avx(__m256);

/// A register of four `f64`. Only [`Avx`] and [`Avx512Double`] name this type.
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
