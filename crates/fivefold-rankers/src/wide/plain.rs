//! Vectors of any processor: arrays of numbers.

use super::{DOUBLES, Double, LANES, Lanes, Mask, Vector};

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
