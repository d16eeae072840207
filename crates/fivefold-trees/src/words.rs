//! Quantised gradients: a document's gradient, hessian and count in one 64-bit word, so that a
//! histogram adds all three with one addition.
//!
//! LightGBM's `use_quantized_grad` (Shi et al., NeurIPS 2022) rounds a gradient to some 2 to 5
//! bits, by the greatest gradient. Here the sums decide. The count takes the bits that the number
//! of documents needs, and gradient and hessian share the rest:
//!
//! ```text
//! word = gradient 2^(hessian bits + count bits) + hessian 2^(count bits) + count
//! ```
//! The units of gradient and hessian are the least powers of two for which the sums of all absolute
//! gradients and of all hessians fit their bits. So no sum of a subset overflows into the next
//! field, and the larger of two siblings is *exactly* the parent minus the smaller. 240,000
//! documents need 18 bits for the count. Of the other 46, 22 and a sign are the gradient's: some 12
//! units a document.
//!
//! A value between two units is rounded up with the probability of its distance from the lower
//! unit. So the error of a node's sum has mean 0. The draw follows from the tree's seed and the
//! bits of gradient and hessian, so it depends on neither the order of the documents nor the
//! threads. Documents of equal derivatives are rounded alike. If all derivatives differ, the
//! error has a standard deviation of at most half of the square root of the documents, in units.
//! If all are equal, it can be half a unit a document. So a document must have some units:
//! [`MOST_DOCUMENTS`] documents have four or more in the mean, and twice as many could all be
//! rounded to zero.

use rayon::prelude::*;

use crate::cells::{BLOCK, Gradients, GrowError, Scaled, Sum, Sums, Units, power_of_two_scale};
use crate::wide::{self, Loop};

/// The most documents of quantised gradients, counted with multiplicity.
pub(crate) const MOST_DOCUMENTS: u64 = (1 << 19) - 1;

/// Gradient, hessian and count of one document, or their sums over some documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Word(i64);

/// The bits of a word, from the lowest: count, hessian, gradient.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    count: u32,
    hessian: u32,
}

impl Sum for Word {
    type Fields = Fields;

    #[inline(always)]
    fn add(&mut self, other: Word) {
        self.0 = self.0.wrapping_add(other.0);
    }

    #[inline(always)]
    fn subtract(&mut self, other: Word) {
        self.0 = self.0.wrapping_sub(other.0);
    }

    #[inline(always)]
    fn gradient(self, fields: Fields) -> i64 {
        self.0 >> (fields.count + fields.hessian)
    }

    #[inline(always)]
    fn hessian(self, fields: Fields) -> i64 {
        self.0 >> fields.count & ((1 << fields.hessian) - 1)
    }

    #[inline(always)]
    fn count(self, fields: Fields) -> u32 {
        (self.0 & ((1 << fields.count) - 1)) as u32
    }

    // AVX2 neither converts 64-bit integers nor shifts them with their sign, so both functions use
    // logical shifts and the bits of a float. A field has at most 32 bits.
    #[inline(always)]
    fn real_gradient(self, fields: Fields) -> f64 {
        let shift = fields.count + fields.hessian;
        // The smallest gradient becomes 0.
        let raised = (self.0 as u64 ^ 1 << 63) >> shift;
        f64::from_bits(raised | WHOLE.to_bits()) - (WHOLE + (1u64 << (63 - shift)) as f64)
    }

    #[inline(always)]
    fn real_hessian(self, fields: Fields) -> f64 {
        let hessian = self.0 as u64 >> fields.count & ((1 << fields.hessian) - 1);
        f64::from_bits(hessian | WHOLE.to_bits()) - WHOLE
    }
}

/// 2^52: the lowest bits of a float of this size are a whole number.
const WHOLE: f64 = (1u64 << 52) as f64;

/// 1.5 2^52: the same, also for whole numbers below 0.
const MIDDLE: f64 = (3u64 << 51) as f64;

impl Fields {
    /// The fields for this number of documents, counted with multiplicity.
    fn new(documents: u64) -> Self {
        let count = (64 - documents.leading_zeros()).max(1);
        Fields { count, hessian: (64 - count).div_ceil(2) }
    }

    /// The bits of an absolute gradient.
    fn gradient(self) -> u32 {
        63 - self.count - self.hessian
    }

    #[inline(always)]
    fn word(self, gradient: i64, hessian: i64, count: u32) -> Word {
        Word(gradient << (self.count + self.hessian) | hessian << self.count | i64::from(count))
    }
}

impl Gradients<'_> {
    /// Writes a word for each row into `words`. A document outside the sample gets a zero word.
    ///
    /// # Errors
    /// More than [`MOST_DOCUMENTS`].
    pub(crate) fn to_words(self, sums: &Sums, seed: u64, words: &mut Vec<Word>) -> Result<Scaled<Word>, GrowError> {
        let &Sums { gradient, hessian, documents } = sums;
        if documents > MOST_DOCUMENTS {
            return Err(GrowError::TooManyForWords { documents });
        }
        let fields = Fields::new(documents);
        let mut scales = Units {
            gradient: power_of_two_scale(gradient, fields.gradient() as i32),
            hessian: power_of_two_scale(hessian, fields.hessian as i32),
        };
        words.resize(self.first.len(), Word::default());
        loop {
            let total = self.fill(fields, scales, seed, words);
            // Values that were rounded up may fill a field beyond its bits.
            let [gradient, hessian] = [total.absolute >> fields.gradient(), total.hessian >> fields.hessian];
            if gradient == 0 && hessian == 0 {
                let units = Units { gradient: scales.gradient.recip(), hessian: scales.hessian.recip() };
                let total = fields.word(total.gradient, total.hessian as i64, documents as u32);
                return Ok(Scaled { units, fields, total });
            }
            scales.gradient *= if gradient == 0 { 1.0 } else { 0.5 };
            scales.hessian *= if hessian == 0 { 1.0 } else { 0.5 };
        }
    }

    /// Writes the words at these units a value; returns their sums.
    fn fill(&self, fields: Fields, scales: Units, seed: u64, words: &mut [Word]) -> Total {
        let fill = |(number, words): (usize, &mut [Word])| {
            let start = number * BLOCK;
            wide::run(Fill { gradients: self, start, fields, scales, seed, words })
        };
        let parts: Vec<Total> = words.par_chunks_mut(BLOCK).enumerate().map(fill).collect();
        parts.into_iter().fold(Total::default(), Total::plus)
    }
}

/// Writes the words of neighbouring rows; returns their sums.
struct Fill<'a> {
    gradients: &'a Gradients<'a>,
    /// The first row.
    start: usize,
    fields: Fields,
    scales: Units,
    seed: u64,
    words: &'a mut [Word],
}

impl Loop for Fill<'_> {
    type Output = Total;

    #[inline(always)]
    fn run(self) -> Total {
        let Fill { gradients, start, fields, scales, seed, words } = self;
        let mut total = Total::default();
        let mut write = |word: &mut Word, (gradient, hessian, copies): (f64, f64, u32)| {
            let (up, right) = draws(gradient, hessian, seed);
            let gradient = floor(gradient * scales.gradient + up) * i64::from(copies);
            let hessian = floor(hessian * scales.hessian + right) * i64::from(copies);
            *word = fields.word(gradient, hessian, copies);
            total = total.plus(Total { gradient, absolute: gradient.unsigned_abs(), hessian: hessian as u64 });
        };
        match (gradients.second, gradients.copies) {
            // The compiler makes vectors of this loop.
            (Some(second), None) => {
                let values = gradients.first[start..].iter().zip(&second[start..]);
                words.iter_mut().zip(values).for_each(|(word, (&first, &second))| write(word, (first, second, 1)));
            }
            _ => (start..).zip(words).for_each(|(row, word)| write(word, gradients.of(row))),
        }
        total
    }
}

/// Sums of words.
#[derive(Clone, Copy, Default)]
struct Total {
    gradient: i64,
    absolute: u64,
    hessian: u64,
}

impl Total {
    #[inline(always)]
    fn plus(self, other: Total) -> Total {
        Total {
            gradient: self.gradient + other.gradient,
            absolute: self.absolute + other.absolute,
            hessian: self.hessian + other.hessian,
        }
    }
}

/// Two numbers from 0 to below 1 for the derivatives of a document (the finaliser of splitmix64,
/// by Vigna).
#[inline(always)]
fn draws(gradient: f64, hessian: f64, seed: u64) -> (f64, f64) {
    let mut x = (gradient.to_bits() ^ hessian.to_bits().rotate_left(32)).wrapping_add(seed);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    let part = |bits: u64| f64::from(bits as u32) * 2f64.powi(-32);
    (part(x >> 32), part(x))
}

/// The greatest whole number that is not above `x`, which must be within 2^51. All steps can be
/// taken in vectors of AVX2, which has no conversion to 64-bit integers.
#[inline(always)]
fn floor(x: f64) -> i64 {
    let nearest = (x + MIDDLE) - MIDDLE;
    let below = if nearest > x { nearest - 1.0 } else { nearest };
    (below + MIDDLE).to_bits() as i64 - MIDDLE.to_bits() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(first: &[f64], second: Option<&[f64]>, copies: Option<&[u32]>, seed: u64) -> (Vec<Word>, Scaled<Word>) {
        let mut words = Vec::new();
        let gradients = Gradients { first, second, copies };
        let scaled = gradients.to_words(&gradients.checked_sums(first.len()).unwrap(), seed, &mut words).unwrap();
        (words, scaled)
    }

    /// Derivatives of very different sizes.
    fn derivatives(documents: usize) -> (Vec<f64>, Vec<f64>) {
        let first: Vec<f64> =
            (0..documents).map(|i| libm::sin(i as f64 * 0.731) * 10f64.powi(i as i32 % 7 - 3)).collect();
        let second = first.iter().map(|g| g.abs() * 1e-3 + 1e-7).collect();
        (first, second)
    }

    #[test]
    fn a_document_has_units_even_if_all_derivatives_are_equal() {
        let most = MOST_DOCUMENTS as usize;
        let first: Vec<f64> = (0..most).map(|i| if i % 2 == 0 { 0.5 } else { -0.5 }).collect();
        let second = vec![0.25; most];
        for seed in 0..8 {
            let (words, Scaled { fields, .. }) = words(&first, Some(&second), None, seed);
            for (word, gradient) in words.iter().zip(&first).take(2) {
                let units = word.gradient(fields) as f64 * gradient.signum();
                assert!(units >= 2.0 && word.hessian(fields) >= 2, "{units} {}", word.hessian(fields));
            }
        }
        let more = vec![0.5; most + 1];
        let gradients = Gradients { first: &more, second: None, copies: None };
        let sums = gradients.checked_sums(more.len()).unwrap();
        let error = gradients.to_words(&sums, 1, &mut Vec::new()).err().unwrap();
        assert_eq!(error, GrowError::TooManyForWords { documents: most as u64 + 1 });
        let text =
            "524288 documents are too many for quantised gradients, which serve up to 524287; use exact gradients";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn a_value_becomes_one_of_its_neighbours_and_their_mean_is_the_value() {
        let (first, second) = derivatives(2000);
        let seeds = 400u64;
        let mut means = vec![(0.0, 0.0); first.len()];
        for seed in 0..seeds {
            let (words, Scaled { units, fields, .. }) =
                words(&first, Some(&second), None, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            for (((word, g), h), mean) in words.iter().zip(&first).zip(&second).zip(&mut means) {
                let of = |whole: i64, value: f64, unit: f64| {
                    assert!(whole as f64 <= (value / unit).ceil() && whole as f64 >= (value / unit).floor());
                    (whole as f64 - value / unit) / seeds as f64
                };
                mean.0 += of(word.gradient(fields), *g, units.gradient);
                mean.1 += of(word.hessian(fields), *h, units.hessian);
                assert_eq!(word.count(fields), 1);
            }
        }
        // The mean of a document's errors has a standard deviation of at most .5 / sqrt(400) = .025 units.
        assert!(means.iter().all(|(g, h)| g.abs().max(h.abs()) < 0.15));
        let all = |of: fn(&(f64, f64)) -> f64| means.iter().map(of).sum::<f64>() / means.len() as f64;
        assert!(all(|mean| mean.0).abs().max(all(|mean| mean.1).abs()) < 0.005);
    }

    #[test]
    fn sums_are_those_of_the_fields() {
        let (first, second) = derivatives(3000);
        let copies: Vec<u32> = (0..3000).map(|i| i % 4).collect();
        for seed in 0..20 {
            let (words, Scaled { fields, total, .. }) = words(&first, Some(&second), Some(&copies), seed);
            let (mut sum, mut part) = (Word::default(), Word::default());
            let (mut gradient, mut hessian, mut count) = (0, 0, 0);
            for (row, &word) in words.iter().enumerate() {
                sum.add(word);
                if row % 3 == 0 {
                    part.add(word);
                    gradient += word.gradient(fields);
                    hessian += word.hessian(fields);
                    count += word.count(fields);
                    assert_eq!(part.real_gradient(fields), gradient as f64);
                    assert_eq!(part.real_hessian(fields), hessian as f64);
                }
            }
            assert_eq!(sum, total);
            assert_eq!((part.gradient(fields), part.hessian(fields), part.count(fields)), (gradient, hessian, count));
            let rest = total.minus(part);
            assert_eq!(rest.gradient(fields), total.gradient(fields) - gradient);
            assert_eq!(rest.hessian(fields), total.hessian(fields) - hessian);
            assert_eq!(rest.count(fields), copies.iter().sum::<u32>() - count);
        }
    }

    #[test]
    fn the_largest_sums_do_not_overflow() {
        // Just below a power of two, where half of the values are rounded up.
        for size in [1e-286, 0.999_999_9, 1.0, 1.000_001, 1e30, 1e300] {
            for documents in [1, 2, 3, 1 << 12, (1 << 16) - 1] {
                let (first, second) = (vec![-size; documents], vec![size; documents]);
                for seed in 0..8 {
                    let (words, Scaled { units, fields, total }) = words(&first, Some(&second), None, seed);
                    let (gradient, hessian) = words.iter().fold((0i128, 0i128), |(gradient, hessian), word| {
                        (gradient + i128::from(word.gradient(fields)), hessian + i128::from(word.hessian(fields)))
                    });
                    assert_eq!(i128::from(total.gradient(fields)), gradient);
                    assert_eq!(i128::from(total.hessian(fields)), hessian);
                    assert_eq!(total.real_gradient(fields), gradient as f64);
                    assert_eq!(total.real_hessian(fields), hessian as f64);
                    assert_eq!(total.count(fields), documents as u32);
                    let expected = size * documents as f64;
                    assert!((total.gradient(fields) as f64 * units.gradient / -expected - 1.0).abs() < 0.01);
                    assert!((total.hessian(fields) as f64 * units.hessian / expected - 1.0).abs() < 0.01);
                }
            }
        }
    }

    #[test]
    fn a_draw_depends_on_the_seed_and_not_on_the_order() {
        let (first, second) = derivatives(500);
        let (backward, backward_second): (Vec<f64>, Vec<f64>) =
            (first.iter().rev().copied().collect(), second.iter().rev().copied().collect());
        let (one, _) = words(&first, Some(&second), None, 7);
        let (mut two, _) = words(&backward, Some(&backward_second), None, 7);
        two.reverse();
        assert_eq!(one, two);
        assert_ne!(one, words(&first, Some(&second), None, 8).0);
    }

    #[test]
    fn whole_units_are_exact() {
        let (words, Scaled { units, fields, total }) = words(&[0.5, -0.25, 3.0], None, Some(&[2, 0, 1]), 5);
        assert_eq!(words.iter().map(|word| word.count(fields)).collect::<Vec<_>>(), [2, 0, 1]);
        assert_eq!(total.hessian(fields) as f64 * units.hessian, 3.0);
        assert_eq!(total.gradient(fields) as f64 * units.gradient, 4.0);
        assert_eq!([floor(-1.5), floor(-1.0), floor(0.0), floor(2.75)], [-2, -1, 0, 2]);
    }
}
