//! p-values for people. CSV and JSON hold all digits.

/// A p-value with four decimals, as other numbers in tables: `0.0331`. A p-value that would be
/// printed as 0 is `< 0.0001`.
pub fn p_value(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

/// A p-value in a sentence: `p = 0.0331`, `p < 0.0001`.
pub fn p_in_words(p: f64) -> String {
    let shown = p_value(p);
    if shown.starts_with('<') { format!("p {shown}") } else { format!("p = {shown}") }
}

/// A p-value for places with little room: `.033`, `< .001`. More decimals are shown if three do not
/// tell on which side of `alpha` the p-value is.
pub fn p_in_short(p: f64, alpha: f64) -> String {
    if p < 1e-3 {
        return "< .001".to_owned();
    }
    let tells = |shown: &String| shown.parse().is_ok_and(|shown: f64| (shown < alpha) == (p < alpha));
    let decimals = (3..=6).map(|digits| format!("{p:.digits$}")).find(tells);
    decimals.unwrap_or_else(|| format!("{p:.3}")).replacen("0.", ".", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_p_value_is_printed_as_zero() {
        let of = |p| [p_value(p), p_in_words(p), p_in_short(p, 0.05)];
        assert_eq!(of(0.0), ["< 0.0001", "p < 0.0001", "< .001"]);
        assert_eq!(of(0.000_099), ["< 0.0001", "p < 0.0001", "< .001"]);
        assert_eq!(of(0.0001), ["0.0001", "p = 0.0001", "< .001"]);
        assert_eq!(of(0.0331), ["0.0331", "p = 0.0331", ".033"]);
        assert_eq!(of(1.0), ["1.0000", "p = 1.0000", "1.000"]);
    }

    #[test]
    fn a_short_p_value_shows_whether_it_is_significant() {
        let of = |p| p_in_short(p, 0.05);
        assert_eq!([of(0.0496), of(0.04996), of(0.05), of(0.0504)], [".0496", ".04996", ".050", ".050"]);
        assert_eq!(p_in_short(0.0496, 0.01), ".050");
    }
}
