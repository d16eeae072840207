//! Writes lines as C's `printf` does, without its cost.

use std::fmt::Write as _;

use fivefold_base::Assessment;

/// The names of the lines, padded to trec_eval's width.
pub(super) struct Labels(Vec<String>);

impl Labels {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        Labels(names.map(|name| format!("{name:<22}\t")).collect())
    }

    /// Writes a line; `value` writes the last field.
    pub(super) fn put(&self, text: &mut String, place: usize, topic: &str, value: impl FnOnce(&mut String)) {
        text.push_str(&self.0[place]);
        text.push_str(topic);
        text.push('\t');
        value(text);
        text.push('\n');
    }
}

/// The grades of the first documents, a character each, in quotes.
pub(super) fn put_grades(text: &mut String, ranking: &[Assessment], count: usize) {
    let grade = |document: &Assessment| match document {
        Assessment::Judged(grade) if *grade < 10 => char::from(b'0' + grade),
        Assessment::Judged(_) => '>',
        Assessment::Pooled => '.',
        Assessment::Unjudged => '-',
    };
    text.push('\'');
    text.extend(ranking.iter().take(count).map(grade));
    text.push('\'');
}

/// A whole number, as `%.0f`.
pub(super) fn put_count(text: &mut String, number: f64) {
    // Counts are whole numbers below 2^53, and of no sign. Writing to a string does not fail.
    let _ = write!(text, "{}", number as u64);
}

/// A number, as `%6.4f`.
pub(super) fn put_value(text: &mut String, value: f64) {
    const BOUND: f64 = 1000.0;
    let scaled = value * 1e4;
    // How far the number lies above the last one that ends in four decimals.
    let (whole, rest) = (scaled as u64, scaled - (scaled as u64) as f64);
    // The product is off by less than 1e-8. Nearer to a half, the exact value decides.
    if !(0.0..BOUND).contains(&value) || value.is_sign_negative() || (rest - 0.5).abs() < 1e-6 {
        let _ = write!(text, "{value:6.4}");
        return;
    }
    let rounded = whole + u64::from(rest > 0.5);
    let mut digits = [b'0'; 9];
    let (mut left, mut start) = (rounded, digits.len());
    while start > digits.len() - 6 || left > 0 {
        start -= 1;
        if start == digits.len() - 5 {
            digits[start] = b'.';
            continue;
        }
        digits[start] = b'0' + (left % 10) as u8;
        left /= 10;
    }
    text.extend(digits[start..].iter().map(|&digit| char::from(digit)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library rounds the exact value, as C does.
    #[test]
    fn values_have_the_digits_of_the_standard_library() {
        let of = |value: f64| {
            let mut text = String::new();
            put_value(&mut text, value);
            text
        };
        let ties = (0..4000).flat_map(|i| {
            let half = (f64::from(i) + 0.5) / 1e4;
            [half, half.next_up(), half.next_down(), f64::from(i) / 32.0, f64::from(i) / 997.0]
        });
        let others = [0.0, -0.0, 1.0, 9.99994, 9.99995, 99.99995, 999.99994, 999.99999, 1000.0, 1e9, -3.5, -0.00001];
        for value in ties.chain(others).chain([f64::NAN, f64::INFINITY, 0.99995, 0.03125, 123.456_78]) {
            assert_eq!(of(value), format!("{value:6.4}"), "{value:?}");
        }
    }
}
