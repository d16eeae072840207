//! Writes lines as C's `printf` does, without its cost.

use std::io::Write as _;

use fivefold_base::Assessment;

/// The names of the lines, padded to trec_eval's width.
pub(super) struct Labels(Vec<String>);

/// The beginnings of all lines of a topic.
pub(super) struct Starts {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Labels {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        Labels(names.map(|name| format!("{name:<22}\t")).collect())
    }

    /// The beginnings of the lines of a topic.
    pub(super) fn of_topic(&self, topic: &str) -> Starts {
        let (mut text, mut ends) = (String::new(), Vec::with_capacity(self.0.len()));
        for label in &self.0 {
            text.extend([label, topic, "\t"]);
            ends.push(text.len());
        }
        Starts { text, ends }
    }
}

impl Starts {
    /// The beginning of a line.
    #[inline]
    pub(super) fn of_line(&self, place: usize) -> &str {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.text[start..self.ends[place]]
    }
}

/// The grades of the first documents, a character each, in quotes, and the end of the line.
pub(super) fn put_grades(text: &mut Vec<u8>, ranking: &[Assessment], count: usize) {
    let grade = |document: &Assessment| match document {
        Assessment::Judged(grade) if *grade < 10 => b'0' + grade,
        Assessment::Judged(_) => b'>',
        Assessment::Pooled => b'.',
        Assessment::Unjudged => b'-',
    };
    text.push(b'\'');
    text.extend(ranking.iter().take(count).map(grade));
    text.extend(b"'\n");
}

/// A whole number, as `%.0f`, and the end of the line.
pub(super) fn put_count(text: &mut Vec<u8>, number: f64) {
    // Counts are whole numbers below 2^53, and of no sign. Writing to memory does not fail.
    let _ = writeln!(text, "{}", number as u64);
}

/// A number, as `%6.4f`, and the end of the line.
pub(super) fn put_value(text: &mut Vec<u8>, value: f64) {
    const UNIT: f64 = 1e4;
    let scaled = value * UNIT;
    // How far the number lies above the last one that ends in four decimals.
    let (whole, rest) = (scaled as usize, scaled - (scaled as usize) as f64);
    // The product is off by less than 1e-11. Nearer to a half, the exact value decides.
    let known = (0.0..=1.0).contains(&value) && !value.is_sign_negative() && (rest - 0.5).abs() > 1e-6;
    if known {
        let share = whole + usize::from(rest > 0.5);
        let ([a, b], [c, d]) = (PAIRS[share / 100 % 100], PAIRS[share % 100]);
        text.extend_from_slice(&[b'0' + (share / 10_000) as u8, b'.', a, b, c, d, b'\n']);
    } else {
        let _ = writeln!(text, "{value:6.4}");
    }
}

/// The two digits of the numbers below 100.
const PAIRS: [[u8; 2]; 100] = {
    let (mut pairs, mut number) = ([[0; 2]; 100], 0);
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library rounds the exact value, as C does.
    #[test]
    fn values_have_the_digits_of_the_standard_library() {
        let of = |value: f64| {
            let mut text = Vec::new();
            put_value(&mut text, value);
            String::from_utf8(text).unwrap()
        };
        let ties = (0..4000).flat_map(|i| {
            let half = (f64::from(i) + 0.5) / 1e4;
            [half, half.next_up(), half.next_down(), f64::from(i) / 32.0, f64::from(i) / 997.0]
        });
        let others = [0.0, -0.0, 1.0, 9.99994, 9.99995, 99.99995, 999.99994, 999.99999, 1000.0, 1e9, -3.5, -0.00001];
        for value in ties.chain(others).chain([f64::NAN, f64::INFINITY, 0.99995, 0.03125, 123.456_78]) {
            assert_eq!(of(value), format!("{value:6.4}\n"), "{value:?}");
        }
    }
}
