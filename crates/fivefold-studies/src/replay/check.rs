//! The verdict on each printed cell. A cell is recomputed if the printed scores suffice. Otherwise
//! the check is whether the cell is possible.

use fivefold_stats::{PadDenominator, check_conflicts, kendall_tau_b, pad, swap_rate};

use super::bounds::{Bounds, FLOAT_SLACK, Printed, discordant, of_pad};
use super::published::{DerivedColumn, DerivedRow, PublishedScores, Statistic, decimals, original};

/// A value printed with fewer decimals had zeros at its end: `0.5` was at least `0.50`, if other
/// values of its table have as many decimals.
const FEWEST_DECIMALS: u32 = 2;

/// The verdict on a printed cell, by the printed scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The recomputed value is equal in every printed digit (cut off or rounded).
    Equal,
    /// The recomputed value differs by no more than the rounding of the scores explains.
    WithinRounding,
    /// The recomputed value is different.
    Differs,
    /// The printed numbers do not suffice to recompute the cell, and do not contradict it.
    NotCheckable,
    /// No scores give this value, or the cell contradicts another printed cell.
    Impossible,
}

impl Verdict {
    /// All verdicts, from best to worst.
    pub const ALL: [Verdict; 5] =
        [Verdict::Equal, Verdict::WithinRounding, Verdict::Differs, Verdict::NotCheckable, Verdict::Impossible];

    /// The verdict in words.
    pub fn title(self) -> &'static str {
        match self {
            Verdict::Equal => "equal",
            Verdict::WithinRounding => "within rounding",
            Verdict::Differs => "differs",
            Verdict::NotCheckable => "cannot be checked",
            Verdict::Impossible => "impossible",
        }
    }

    /// Whether the cell was recomputed and follows from the scores.
    pub fn follows(self) -> bool {
        matches!(self, Verdict::Equal | Verdict::WithinRounding)
    }
}

/// A printed cell and its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedCell {
    /// Number of the printed table.
    pub table: u32,
    /// The statistic.
    pub statistic: Statistic,
    /// Data set, or `A vs B`.
    pub dataset: String,
    /// Measure, e.g. `ndcg.v1`.
    pub metric: String,
    /// Column of the table.
    pub column: DerivedColumn,
    /// The printed value.
    pub printed: f64,
    /// The value recomputed from the printed scores; `None` if they do not suffice.
    pub computed: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason why a cell is impossible, or follows within rounding only; else empty.
    pub remark: String,
}

/// All cells of the derived tables, in order.
pub(super) fn check_all(scores: &PublishedScores, derived: &[DerivedRow]) -> Vec<CheckedCell> {
    let cell = |row: &DerivedRow, column: DerivedColumn, printed: f64| {
        let computed = if column == DerivedColumn::All { recompute(scores, row) } else { None };
        let (value, bounds) = computed.unzip();
        let digits = fewest_decimals(derived, row);
        let verdict = compare(printed, value, bounds.flatten(), digits);
        // A cell that follows from the printed scores is possible, so no objection is looked for.
        let objection =
            if verdict.follows() { None } else { objection(scores, derived, row, column, (printed, digits)) };
        let (verdict, remark) = match objection {
            Some(remark) => (Verdict::Impossible, remark),
            None => {
                let open = bounds
                    .flatten()
                    .filter(|_| row.statistic != Statistic::PadPercent && verdict == Verdict::WithinRounding);
                (verdict, open.map(within).unwrap_or_default())
            }
        };
        CheckedCell {
            table: row.table,
            statistic: row.statistic,
            dataset: row.dataset.clone(),
            metric: row.metric.clone(),
            column,
            printed,
            computed: value,
            verdict,
            remark,
        }
    };
    derived.iter().flat_map(|row| row.cells().map(move |(column, printed)| cell(row, column, printed))).collect()
}

fn compare(printed: f64, computed: Option<f64>, bounds: Option<Bounds>, digits: u32) -> Verdict {
    let Some(computed) = computed else { return Verdict::NotCheckable };
    let unit = unit(printed, digits);
    if (printed - computed).abs() < unit {
        return Verdict::Equal;
    }
    match bounds {
        None => Verdict::NotCheckable,
        Some(bounds) if printed > bounds.low - unit && printed < bounds.high + unit => Verdict::WithinRounding,
        Some(_) => Verdict::Differs,
    }
}

fn within(bounds: Bounds) -> String {
    let Bounds { low, high } = bounds;
    format!(
        "methods less than a printed unit apart can stand in either order, which gives {low:.3} to {high:.3} at most"
    )
}

/// The fewest decimals with which a value of a table was printed. Its last decimals may have been
/// zeros, which the file does not have.
fn fewest_decimals(derived: &[DerivedRow], row: &DerivedRow) -> u32 {
    let own = derived.iter().filter(|other| other.table == row.table && other.statistic == row.statistic);
    let most = own.flat_map(DerivedRow::cells).map(|(_, printed)| decimals(printed)).max().unwrap_or(0);
    most.min(FEWEST_DECIMALS)
}

/// One unit of the last printed digit, minus the error of floating point.
fn unit(printed: f64, digits: u32) -> f64 {
    10f64.powi(-(decimals(printed).max(digits) as i32)) - FLOAT_SLACK
}

/// The statistic over all queries, from the method scores, and its range by the rounding of the
/// scores. The range is `None` if any value is possible.
fn recompute(scores: &PublishedScores, row: &DerivedRow) -> Option<(f64, Option<Bounds>)> {
    let block = |dataset: &str, metric: &str| {
        let block = scores.block(dataset, metric)?;
        Some((block.method_scores(), 10f64.powi(-(block.decimals as i32))))
    };
    let pairs = scores.pairs() as f64;
    match row.statistic {
        Statistic::KendallTau => {
            let (base, base_unit) = block(&row.dataset, original(&row.metric)?)?;
            let (version, unit) = block(&row.dataset, &row.metric)?;
            let tau = kendall_tau_b(&base, &version).ok()??;
            let first = Printed { scores: &base, unit: base_unit };
            let (fewest, most) = discordant(first, Printed { scores: &version, unit });
            let [low, high] = [most, fewest].map(|count| 1.0 - 2.0 * count as f64 / pairs);
            Some((tau, Some(Bounds { low, high })))
        }
        Statistic::PadPercent => {
            let (scores, unit) = block(&row.dataset, &row.metric)?;
            let pad = pad(&scores, PadDenominator::Signed).ok()?;
            Some((pad.percent?, of_pad(Printed { scores: &scores, unit })))
        }
        Statistic::SwapRateAcrossDatasets => {
            let (first, second) = row.dataset.split_once(" vs ")?;
            let (first, first_unit) = block(first, &row.metric)?;
            let (second, unit) = block(second, &row.metric)?;
            let rate = swap_rate(&first, &second).ok()??;
            let printed = Printed { scores: &first, unit: first_unit };
            let (fewest, most) = discordant(printed, Printed { scores: &second, unit });
            let [low, high] = [fewest, most].map(|count| count as f64 / pairs);
            Some((rate, Some(Bounds { low, high })))
        }
        Statistic::Conflicts
        | Statistic::DiscriminativePower
        | Statistic::SwapRateUninformativeVsIdeal
        | Statistic::SwapRateBroadVsFocused
        | Statistic::SwapRateLeftVsRight => None,
    }
}

/// The reason why the cell cannot be right, if a reason is known.
fn objection(
    scores: &PublishedScores,
    derived: &[DerivedRow],
    row: &DerivedRow,
    column: DerivedColumn,
    (printed, digits): (f64, u32),
) -> Option<String> {
    let pairs = scores.pairs();
    match row.statistic {
        Statistic::PadPercent => None,
        Statistic::KendallTau => {
            let nearest = nearest((printed, digits), pairs, |d| 1.0 - 2.0 * d as f64 / pairs as f64)?;
            Some(format!("{pairs} pairs without ties give multiples of 2/{pairs}, the nearest {nearest:.4}"))
        }
        Statistic::DiscriminativePower => {
            let comparisons = scores.comparisons(&row.dataset, &row.metric)?;
            let possible = (0.0..=comparisons as f64).contains(&printed) && printed.fract() == 0.0;
            (!possible).then(|| format!("not a number of comparisons, of which there are {comparisons}"))
        }
        Statistic::Conflicts => {
            let power = |metric: &str| {
                let of_power = |r: &&DerivedRow| {
                    r.statistic == Statistic::DiscriminativePower && r.dataset == row.dataset && r.metric == metric
                };
                let power = derived.iter().find(of_power)?;
                Some((power.table, power.cell(column)?))
            };
            let (table, base) = power(original(&row.metric)?)?;
            let (_, version) = power(&row.metric)?;
            let comparisons = scores.comparisons(&row.dataset, &row.metric)?;
            let Some(conflicts) = whole(printed) else {
                return Some("not a number of comparisons".to_owned());
            };
            // A power that is not a whole number gets an objection in its own cell.
            let flaw = check_conflicts(whole(base)?, whole(version)?, conflicts, comparisons).err()?;
            Some(format!("{flaw} (powers {base} and {version} in table {table})"))
        }
        Statistic::SwapRateAcrossDatasets
        | Statistic::SwapRateUninformativeVsIdeal
        | Statistic::SwapRateBroadVsFocused
        | Statistic::SwapRateLeftVsRight => {
            let nearest = nearest((printed, digits), pairs, |d| d as f64 / pairs as f64)?;
            Some(format!("{pairs} pairs give multiples of 1/{pairs}, the nearest {nearest:.4}"))
        }
    }
}

/// The value nearest to `printed` among the values for 0, 1, ..., `pairs` discordant pairs. `None`
/// if a value is equal to `printed` in the printed digits.
fn nearest((printed, digits): (f64, u32), pairs: usize, value: impl Fn(usize) -> f64) -> Option<f64> {
    let nearest = (0..=pairs).map(value).min_by(|a, b| (a - printed).abs().total_cmp(&(b - printed).abs()))?;
    ((nearest - printed).abs() >= unit(printed, digits)).then_some(nearest)
}

/// A printed count as a whole number.
fn whole(printed: f64) -> Option<usize> {
    (printed >= 0.0 && printed.fract() == 0.0).then_some(printed as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_digits_are_equal_and_a_whole_unit_is_not() {
        let alone = |value: f64| (Some(value), Some(Bounds { low: value, high: value }));
        let compare = |printed, (computed, bounds)| compare(printed, computed, bounds, 2);
        assert_eq!(compare(0.785, alone(22.0 / 28.0)), Verdict::Equal);
        assert_eq!(compare(0.786, alone(22.0 / 28.0)), Verdict::Equal);
        assert_eq!(compare(0.784, alone(22.0 / 28.0)), Verdict::Differs);
        assert_eq!(compare(0.5, alone(0.509)), Verdict::Equal);
        assert_eq!(compare(0.5, alone(0.51)), Verdict::Differs);
        let wide = Some(Bounds { low: 31.85, high: 32.0 });
        assert_eq!(compare(31.845, (Some(31.95), wide)), Verdict::Differs);
        assert_eq!(compare(31.86, (Some(31.95), wide)), Verdict::WithinRounding);
        assert_eq!(compare(31.84, (Some(31.95), None)), Verdict::NotCheckable);
        assert_eq!(compare(31.84, (None, None)), Verdict::NotCheckable);
    }

    #[test]
    fn tau_of_eight_methods_takes_29_values() {
        let tau = |d: usize| 1.0 - 2.0 * d as f64 / 28.0;
        for printed in [1.0, 0.928, 0.857, 0.85, 0.785, 0.786, 0.0, -1.0] {
            assert_eq!(nearest((printed, 2), 28, tau), None, "{printed}");
        }
        assert!((nearest((0.624, 2), 28, tau).unwrap() - 18.0 / 28.0).abs() < 1e-12);
    }
}
