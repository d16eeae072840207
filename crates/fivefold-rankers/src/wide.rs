//! Loops in the vectors of the processor: one source, compiled for any processor and for AVX2,
//! whose vectors hold eight `f32` or four `f64`. A [`LongLoop`] is also compiled for AVX-512, whose
//! vectors hold 16 `f32` or eight `f64`.
//!
//! All ways give the same bits. A vector instruction rounds each lane as the plain instruction
//! does, and the compiler neither reorders sums of floats nor fuses a product with a sum. So the
//! order of each sum is that of the source.

#![allow(unsafe_code)] // the one place of this crate; see `run`, `run_at_most`, `Avx` and `Avx512`

#[cfg(target_arch = "x86_64")]
mod avx;
mod plain;

/// Numbers in a vector.
pub(crate) const LANES: usize = 8;

/// The numbers of a vector in memory.
pub(crate) type Lanes = [f32; LANES];

/// The length of a row that holds `width` numbers: whole vectors of eight.
pub(crate) fn stride(width: usize) -> usize {
    width.next_multiple_of(LANES)
}

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

/// N numbers of `f64` that are worked on side by side. Each operation is that of `f64` in each
/// lane.
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
    /// The lowest of the numbers. None is NaN, and of zeros with two signs it is any.
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
        // SAFETY: the functions need nothing but a processor with AVX2, and the first one with
        // AVX-512 (F, VL, DQ and BW). `longest` asked the processor for the instructions of its
        // program and of those before.
        #[cfg(target_arch = "x86_64")]
        Program::Avx512 => unsafe { avx::run_512(work) },
        #[cfg(target_arch = "x86_64")]
        Program::Avx2 => unsafe { avx::run_256(work) },
        _ => work.run::<LANES, DOUBLES, Lanes>(),
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
