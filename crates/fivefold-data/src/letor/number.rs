//! Decimal text to the nearest `f32`. The module also finds out whether the `f32` still holds the
//! digits of the text.
//!
//! A number of at most 19 digits is read as an integer m and a count k of decimals. If m <= 2^53
//! and k <= 22, both m and 10^k are exact in `f64`, so m / 10^k is the correctly rounded `f64`
//! (Clinger 1990). Rounding the `f64` once more gives the correctly rounded `f32`, unless the `f64`
//! lies exactly half way between two `f32`. A test of the low 29 bits finds these half-way cases.
//! Half-way cases go to fast-float2, as do subnormal numbers, exponents and longer digits. Every
//! result is the `f32` nearest to the text, as `str::parse` gives it.
//!
//! An `f32` holds the digits of a text if it rounds back to them: 0.1 does, 1609459201 does not. If
//! the digits without their point are a number of at most 2^23, they always come back. For models
//! that compare in `f64`, [`decimal_f64`] and [`slow_f64`] give the nearest `f64` by the same
//! rules.

use fast_float2::FastFloat;

use crate::text::is_msvc_nan;

/// 10^k for k = 0..=22, all exact.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// The largest integer of digits for which every text comes back from its `f32`.
const SHORT: u64 = 1 << 23;

/// A finite number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    /// The stored value.
    pub(super) value: f32,
    /// The nearest `f64`.
    pub(super) exact: f64,
    /// Whether `value` does not round back to the digits of the text.
    pub(super) loses: bool,
    /// Whether the text has so many digits that another text may have the same `f32`.
    pub(super) long: bool,
}

/// Reads a plain decimal (`-12.5`) that starts at `start`. Returns the number and the place after
/// its last digit. `None` if the text is no plain decimal or needs [`slow`]. `text` must end with a
/// byte that is not a digit.
#[inline(always)]
pub(super) fn decimal(text: &[u8], start: usize) -> Option<(Number, usize)> {
    let (Plain { negative, mantissa, decimals }, at) = plain(text, start)?;
    let (magnitude, exact) = if decimals == 0 || mantissa == 0 {
        (mantissa as f32, mantissa as f64)
    } else {
        let exact = mantissa as f64 / POWERS[decimals];
        let half_way = exact.to_bits() & 0x1fff_ffff == 0x1000_0000;
        if half_way || exact < f64::from(f32::MIN_POSITIVE) {
            return None;
        }
        (exact as f32, exact)
    };
    let (mut loses, mut long) = (false, false);
    if mantissa > SHORT {
        loses = (f64::from(magnitude) - exact).abs() * POWERS[decimals] >= 0.5;
        long = loses || decimals == 0;
    }
    let signed = |value, exact| Number { value, exact, loses, long };
    Some((if negative { signed(-magnitude, -exact) } else { signed(magnitude, exact) }, at))
}

/// Like [`decimal`], but gives the nearest `f64`.
pub(super) fn decimal_f64(text: &[u8], start: usize) -> Option<(f64, usize)> {
    let (Plain { negative, mantissa, decimals }, at) = plain(text, start)?;
    let magnitude = mantissa as f64 / POWERS[decimals];
    Some((if negative { -magnitude } else { magnitude }, at))
}

/// The number mantissa / 10^decimals. Both parts are exact in `f64`.
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

/// The meaning of a token that is not a plain decimal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Slow<N = Number> {
    /// A finite number.
    Number(N),
    /// `NULL` or `nan`, in any case, or a form like `1.#QNAN`.
    Missing,
    /// No number, or an infinite or too large number.
    Bad,
}

/// Reads a whole token in any form of a number.
#[cold]
pub(super) fn slow(token: &[u8]) -> Slow {
    match (slow_as::<f32>(token), slow_as::<f64>(token)) {
        (Slow::Number(value), Slow::Number(exact)) => {
            let (digits, unit) = digits_and_unit(token);
            let loses = (f64::from(value) - exact).abs() >= 0.5 * unit;
            Slow::Number(Number { value, exact, loses, long: loses || digits > 7 })
        }
        (Slow::Missing, _) => Slow::Missing,
        _ => Slow::Bad,
    }
}

/// Like [`slow`], but gives the nearest `f64`.
#[cold]
pub(super) fn slow_f64(token: &[u8]) -> Slow<f64> {
    slow_as(token)
}

fn slow_as<F: FastFloat + Into<f64>>(token: &[u8]) -> Slow<F> {
    if token.eq_ignore_ascii_case(b"null") || is_msvc_nan(token) {
        return Slow::Missing;
    }
    let Ok(value) = fast_float2::parse::<F, _>(token) else { return Slow::Bad };
    match value.into() {
        number if number.is_nan() => Slow::Missing,
        number if number.is_finite() => Slow::Number(value),
        _ => Slow::Bad,
    }
}

/// Count of a number's digits without leading zeros, and the worth of 1 in its last digit.
fn digits_and_unit(token: &[u8]) -> (usize, f64) {
    let exponent = token.iter().position(|byte| byte | 0x20 == b'e');
    let (mantissa, exponent) = token.split_at(exponent.unwrap_or(token.len()));
    let exponent =
        std::str::from_utf8(exponent.get(1..).unwrap_or_default()).ok().and_then(|digits| digits.parse().ok());
    let decimals = mantissa.iter().position(|&byte| byte == b'.').map_or(0, |point| mantissa.len() - point - 1);
    let digits = mantissa.iter().filter(|byte| byte.is_ascii_digit()).skip_while(|&&byte| byte == b'0').count();
    let power = exponent.unwrap_or(0i32).saturating_sub(i32::try_from(decimals).unwrap_or(i32::MAX));
    (digits, 10f64.powi(power))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_in_full(text: &str) -> Slow {
        let line = format!("{text}\n");
        match decimal(line.as_bytes(), 0) {
            Some((number, end)) if end == text.len() => Slow::Number(number),
            _ => slow(text.as_bytes()),
        }
    }

    /// The stored value; `None` if the value is missing or bad.
    fn read(text: &str) -> Option<f32> {
        match read_in_full(text) {
            Slow::Number(number) => {
                assert_eq!(number.exact.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
                Some(number.value)
            }
            _ => None,
        }
    }

    fn bits(text: &str) -> u32 {
        read(text).unwrap().to_bits()
    }

    fn read_f64(text: &str) -> Option<u64> {
        let line = format!("{text}\n");
        match decimal_f64(line.as_bytes(), 0) {
            Some((value, end)) if end == text.len() => Some(value.to_bits()),
            _ => match slow_f64(text.as_bytes()) {
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
            assert_eq!(read(text), Some(text.parse().unwrap()), "{text}");
        }
        assert_eq!(bits("-0"), (-0.0f32).to_bits());
        assert_eq!(bits("-0.00"), (-0.0f32).to_bits());
        // pocoproject/poco #286: forms that Microsoft's C library wrote until 2015.
        for text in ["NULL", "null", "nan", "NaN", "NAN", "1.#QNAN", "-1.#IND", "1.#SNAN00", "-1.#IND00e+000"] {
            assert_eq!(read_in_full(text), Slow::Missing, "{text}");
        }
        for text in [
            "inf",
            "-inf",
            "Infinity",
            "1e39",
            "",
            "-",
            ".",
            "1x",
            "0x10",
            "1e",
            "NULLS",
            "1.2.3",
            "--1",
            "1.#INF",
            "-1.#INF00",
            "1.#J",
            "1.#QNANx",
            "2.#IND",
            "7.#",
        ] {
            assert_eq!(read_in_full(text), Slow::Bad, "{text}");
        }
    }

    #[test]
    fn halves_between_two_floats_are_not_rounded_twice() {
        // 16777217 = 2^24 + 1 lies half way. The digits of 1 + 2^-24, cut short, lie below or above
        // the half.
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
            assert_eq!(read(text), Some(text.parse().unwrap()), "{text}");
        }
    }

    /// Whether the `f32` of a text rounds back to its digits. This slow way prints the `f32`, and
    /// rounds halves to even.
    fn comes_back(text: &str) -> bool {
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let digits = |printed: String| printed.trim_start_matches('-').trim_start_matches('0').to_owned();
        digits(format!("{:.decimals$}", text.parse::<f32>().unwrap())) == digits(text.to_owned())
    }

    #[test]
    fn digits_that_32_bits_do_not_hold() {
        let number = |text: &str| match read_in_full(text) {
            Slow::Number(number) => (number.loses, number.long),
            other => panic!("{text}: {other:?}"),
        };
        for text in ["0.1", "14.340359", "16777216", "0.333333", "8388608", "1e-3", "-2.5E2", "123456.7"] {
            assert!(!number(text).0, "{text}");
        }
        // dmlc/treelite #98: times in seconds.
        for text in
            ["1609459201", "-16777217", "0.12345678901", "8388.608001", "1.609459201e9", "1e-46", "3.0000000000000004"]
        {
            assert_eq!(number(text), (true, true), "{text}");
        }
        assert_eq!(number("1609459200"), (false, true)); // others may fall on it
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn every_decimal_is_the_nearest_float(whole in 0u64..100_000_000, part in 0u64..1_000_000_000, digits in 0usize..12) {
            let text = format!("{whole}.{part:0digits$}");
            prop_assert_eq!(bits(&text), text.parse::<f32>().unwrap().to_bits());
            prop_assert_eq!(read_f64(&text), Some(text.parse::<f64>().unwrap().to_bits()));
            let Slow::Number(number) = read_in_full(&text) else { panic!("{text}") };
            prop_assert_eq!(number.loses, !comes_back(&text), "{}", text);
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
            prop_assert_eq!(super::tests::bits(&format!("{value}")), bits);
            prop_assert_eq!(super::tests::bits(&format!("{value:e}")), bits);
        }
    }
}
