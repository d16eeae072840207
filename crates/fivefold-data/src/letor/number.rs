//! Decimal text to the nearest `f32`, fast for the numbers that LETOR files hold.
//!
//! A number of at most 19 digits is read as an integer m and a count k of decimals. If m <= 2^53 and k <= 22, both m and
//! 10^k are exact in `f64`, so m / 10^k is the correctly rounded `f64` (Clinger 1990). Rounding that once more to `f32`
//! gives the correctly rounded `f32` unless the `f64` lies exactly half way between two `f32`, which a test of its low 29
//! bits shows; such numbers, subnormal ones, exponents and longer digits go to fast-float2. Every result is the `f32`
//! nearest to the text, as `str::parse` gives it. For models that compare in `f64`, [`decimal_f64`] and [`slow`] give the nearest
//! `f64` by the same rules.

use fast_float2::FastFloat;

/// 10^k for k = 0..=22, all exact.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Reads a plain decimal (`-12.5`) that starts at `at`; gives it and the place after its last digit, or `None` where the
/// text is not one or needs [`slow`]. `text` must end with a byte that is not a digit.
#[inline(always)]
pub(super) fn decimal(text: &[u8], start: usize) -> Option<(f32, usize)> {
    let (Plain { negative, mantissa, decimals }, at) = plain(text, start)?;
    let magnitude = if decimals == 0 || mantissa == 0 {
        mantissa as f32
    } else {
        let exact = mantissa as f64 / POWERS[decimals];
        let half_way = exact.to_bits() & 0x1fff_ffff == 0x1000_0000;
        if half_way || exact < f64::from(f32::MIN_POSITIVE) {
            return None;
        }
        exact as f32
    };
    Some((if negative { -magnitude } else { magnitude }, at))
}

/// [`decimal`] to the nearest `f64`.
pub(super) fn decimal_f64(text: &[u8], start: usize) -> Option<(f64, usize)> {
    let (Plain { negative, mantissa, decimals }, at) = plain(text, start)?;
    let magnitude = mantissa as f64 / POWERS[decimals];
    Some((if negative { -magnitude } else { magnitude }, at))
}

/// mantissa / 10^decimals, both exact in `f64`.
struct Plain {
    negative: bool,
    mantissa: u64,
    decimals: usize,
}

#[inline(always)]
fn plain(text: &[u8], start: usize) -> Option<(Plain, usize)> {
    let mut at = start;
    let negative = text[at] == b'-';
    at += usize::from(negative);
    let mut mantissa: u64 = 0;
    let first = at;
    loop {
        let digit = text[at].wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    let mut digits = at - first;
    let mut decimals = 0;
    if text[at] == b'.' {
        at += 1;
        let point = at;
        loop {
            let digit = text[at].wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        decimals = at - point;
        digits += decimals;
    }
    if digits == 0 || digits > 19 || mantissa > 1 << 53 || text[at] | 0x20 == b'e' {
        return None;
    }
    Some((Plain { negative, mantissa, decimals }, at))
}

/// What a token that is not a plain decimal means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Slow<F = f32> {
    /// A finite number.
    Number(F),
    /// `NULL` or `nan`, in any case.
    Missing,
    /// Neither: no number, infinite, or too large.
    Bad,
}

/// Reads a whole token in full generality.
#[cold]
pub(super) fn slow<F: FastFloat + Into<f64>>(token: &[u8]) -> Slow<F> {
    if token.eq_ignore_ascii_case(b"null") {
        return Slow::Missing;
    }
    let Ok(value) = fast_float2::parse::<F, _>(token) else { return Slow::Bad };
    match value.into() {
        number if number.is_nan() => Slow::Missing,
        number if number.is_finite() => Slow::Number(value),
        _ => Slow::Bad,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Slow {
        let line = format!("{text}\n");
        match decimal(line.as_bytes(), 0) {
            Some((value, end)) if end == text.len() => Slow::Number(value),
            _ => slow(text.as_bytes()),
        }
    }

    fn read_f64(text: &str) -> Option<u64> {
        let line = format!("{text}\n");
        match decimal_f64(line.as_bytes(), 0) {
            Some((value, end)) if end == text.len() => Some(value.to_bits()),
            _ => match slow::<f64>(text.as_bytes()) {
                Slow::Number(value) => Some(value.to_bits()),
                _ => None,
            },
        }
    }

    #[test]
    fn forms_of_numbers() {
        for text in
            ["0", "1", "-0", "0.000000", "-4.69140000", "14.340359", "23.703909", "+2.5", "1e-3", "2.5E2", ".5", "7."]
        {
            assert_eq!(read(text), Slow::Number(text.parse().unwrap()), "{text}");
        }
        assert_eq!(read("-0").bits(), (-0.0f32).to_bits());
        assert_eq!(read("-0.00").bits(), (-0.0f32).to_bits());
        for text in ["NULL", "null", "nan", "NaN", "NAN"] {
            assert_eq!(read(text), Slow::Missing, "{text}");
        }
        for text in ["inf", "-inf", "Infinity", "1e39", "", "-", ".", "1x", "0x10", "1e", "NULLS", "1.2.3", "--1"] {
            assert_eq!(read(text), Slow::Bad, "{text}");
        }
    }

    #[test]
    fn halves_between_two_floats_are_not_rounded_twice() {
        // 16777217 = 2^24 + 1 lies half way; 1.00000005960464477539 is 1 + 2^-24 cut short, below or above the half.
        for text in [
            "16777217.0",
            "16777217.00000001",
            "16777219.0",
            "1.000000059604644775",
            "1.00000005960464478",
            "1.0000000596046447",
            "9007199254740992",
            "9007199254740993",
            "0.000000000000000000000000000000000000011754943",
        ] {
            assert_eq!(read(text), Slow::Number(text.parse().unwrap()), "{text}");
        }
    }

    impl Slow {
        fn bits(self) -> u32 {
            match self {
                Slow::Number(value) => value.to_bits(),
                _ => panic!("no number"),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn every_decimal_is_the_nearest_float(whole in 0u64..100_000_000, part in 0u64..1_000_000_000, digits in 0usize..12) {
            let text = format!("{whole}.{part:0digits$}");
            prop_assert_eq!(read(&text).bits(), text.parse::<f32>().unwrap().to_bits());
            prop_assert_eq!(read_f64(&text), Some(text.parse::<f64>().unwrap().to_bits()));
        }

        #[test]
        fn every_double_comes_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            let expected = value.is_finite().then_some(bits);
            prop_assert_eq!(read_f64(&format!("{value}")), expected);
            prop_assert_eq!(read_f64(&format!("{value:e}")), expected);
        }

        #[test]
        fn every_float_comes_back(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(read(&format!("{value}")).bits(), bits);
            prop_assert_eq!(read(&format!("{value:e}")).bits(), bits);
        }
    }
}
