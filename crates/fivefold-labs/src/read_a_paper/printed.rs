//! The tables of a paper that does not exist. Each table obeys a law, and most tables have one row
//! that breaks it.
//!
//! | table | what it prints | law |
//! |---|---|---|
//! | 1 | means of six systems under three measures | the other tables follow from it, or agree with it |
//! | 2 | Kendall's tau | 15 pairs without ties give multiples of 2/15 |
//! | 3 | percentages of grades | a row sums to 100, but for rounding |
//! | 4 | discriminative powers and conflicts | conflicts are at least the difference of the powers, and have its parity |
//! | 5 | a mean and its interval | the mean is the middle of its t-interval |
//! | 6 | t and p | with 49 degrees of freedom, p < .05 if and only if abs(t) > 2.010 |
//! | 7 | mean P@5 of ten queries | multiples of 1/50 |
//! | 8 | wins, ties and losses on 50 queries | a row sums to 50 |
//!
//! Tables 2, 4 and 7 always have an impossible row; two of tables 3, 5, 6 and 8 have one, and the
//! two others have none. Numbers are kept as whole numbers of the last printed digit, so that no
//! rounding plants a second fault. Tables 1, 2, 5, 6 and 8 come from the same values of queries
//! ([`super::measured`]), and tables 3, 4 and 7 are about other data. So all rows that are not planted
//! can be true together.

use fivefold_base::{Rng, Seed};
use fivefold_stats::{StatsError, kendall_tau_b};

use super::measured::{BORDER, Measured, QUERIES};

/// The systems of the paper.
pub(crate) const SYSTEMS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
/// The measures of Table 1.
pub(crate) const MEASURES: [&str; 3] = ["ndcg@10", "ap", "rr"];
/// Pairs of six systems.
pub(crate) const PAIRS: usize = 15;
/// Queries behind Table 7, and the cutoff of its measure: the values are multiples of 1/50.
const PILOT: i64 = 10 * 5;
/// The numbers of the tables that may hold no impossible row.
const SOMETIMES: [usize; 4] = [3, 5, 6, 8];

/// A printed table: a letter, a label and the printed numbers of each row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PrintedTable {
    pub(crate) number: usize,
    pub(crate) title: &'static str,
    pub(crate) columns: &'static [&'static str],
    pub(crate) rows: Vec<(String, Vec<String>)>,
    /// The impossible row.
    pub(crate) planted: Option<usize>,
}

impl PrintedTable {
    /// The name of a row: the number of the table and a letter.
    pub(crate) fn row_name(&self, row: usize) -> String {
        format!("{}{}", self.number, letter(row))
    }

    /// The name of the impossible row, or `none`.
    pub(crate) fn answer(&self) -> String {
        self.planted.map_or_else(|| "none".to_owned(), |row| self.row_name(row))
    }

    /// A printed number.
    #[cfg(test)]
    fn number(&self, row: usize, column: usize) -> f64 {
        self.rows.get(row).and_then(|(_, cells)| cells.get(column)?.parse().ok()).unwrap_or(f64::NAN)
    }

    /// The table in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let head = format!("| row | {} |\n|---|{}", self.columns.join(" | "), "---|".repeat(self.columns.len()));
        let line = |(row, (label, cells)): (usize, &(String, Vec<String>))| {
            format!("| {} | {label} | {} |", self.row_name(row), cells.join(" | "))
        };
        let rows: Vec<String> = self.rows.iter().enumerate().map(line).collect();
        format!("## Table {}\n\n{}\n\n{head}\n{}\n", self.number, self.title, rows.join("\n"))
    }
}

/// The letter in the name of a row.
pub(crate) fn letter(row: usize) -> char {
    char::from(b'a' + row as u8)
}

/// The paper of one student.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Paper {
    /// Table 1: `[measure][system]` in thousandths.
    pub(crate) means: [[i64; 6]; 3],
    /// Tables 2 to 8.
    pub(crate) tables: Vec<PrintedTable>,
    /// The possible tau that is nearest to the impossible one.
    pub(crate) nearest_tau: f64,
    /// The fewest conflicts that the powers of the impossible row allow.
    pub(crate) fewest_conflicts: i64,
    /// The possible mean P@5 that is nearest to the impossible one.
    pub(crate) nearest_precision: f64,
}

impl Paper {
    /// Makes the paper of a student.
    ///
    /// # Errors
    /// None that can occur with the numbers made here; those of the tests.
    pub(crate) fn make(seed: Seed) -> Result<Self, StatsError> {
        let seed = seed.derive("paper");
        let mut rng = seed.derive("which").rng();
        let mut sometimes = SOMETIMES;
        rng.shuffle(&mut sometimes);
        let has_fault = |number: usize| !SOMETIMES.contains(&number) || sometimes[..2].contains(&number);
        let table_rng = |number: u64| seed.derive_index("table", number).rng();
        let measured = Measured::make(seed.derive("values"))?;
        let means = std::array::from_fn(|measure| measured.means(measure, 0..QUERIES).map(|mean| mean.round() as i64));
        let (tau, nearest_tau) = tau(&measured, &mut table_rng(2))?;
        let grades = grades(has_fault(3), &mut table_rng(3));
        let (conflicts, fewest_conflicts) = conflicts(&mut table_rng(4));
        let intervals = intervals(&measured, has_fault(5), &mut table_rng(5))?;
        let p_values = p_values(&measured, has_fault(6), &mut table_rng(6))?;
        let (precision, nearest_precision) = precision(&mut table_rng(7));
        let wins = wins(&measured, has_fault(8), &mut table_rng(8));
        let tables = vec![tau, grades, conflicts, intervals, p_values, precision, wins];
        Ok(Paper { means, tables, nearest_tau, fewest_conflicts, nearest_precision })
    }

    /// The means of the systems under one measure of Table 1.
    pub(crate) fn scores(&self, measure: usize) -> [f64; 6] {
        self.means[measure].map(|mean| mean as f64 / 1000.0)
    }

    /// All tables in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let line = |(system, name): (usize, &&str)| {
            let cells: Vec<String> = self.means.iter().map(|row| thousandths(row[system])).collect();
            format!("| {name} | {} |", cells.join(" | "))
        };
        let rows: Vec<String> = SYSTEMS.iter().enumerate().map(line).collect();
        let first = format!(
            "## Table 1\n\nMeans of the six systems over 50 queries.\n\n| system | {} |\n|---|{}\n{}\n",
            MEASURES.join(" | "),
            "---|".repeat(MEASURES.len()),
            rows.join("\n")
        );
        let others = self.tables.iter().map(PrintedTable::markdown);
        std::iter::once(first).chain(others).collect::<Vec<_>>().join("\n")
    }
}

/// A number of thousandths with three decimals.
fn thousandths(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}.{:03}", number.abs() / 1000, number.abs() % 1000)
}

/// A whole number in `low..=high`.
fn between(rng: &mut Rng, low: i64, high: i64) -> i64 {
    low + rng.below((high - low + 1) as u64) as i64
}

fn tau(measured: &Measured, rng: &mut Rng) -> Result<(PrintedTable, f64), StatsError> {
    let half = QUERIES / 2;
    let sets = [("all 50 queries", 0..QUERIES), ("25 short queries", 0..half), ("25 long queries", half..QUERIES)];
    let mut rows = Vec::new();
    let mut values = Vec::new();
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        for (set, queries) in &sets {
            let [first, second] = [one, other].map(|measure| measured.means(measure, queries.clone()));
            // Both lists have an order without ties, so tau is defined.
            let value = kendall_tau_b(&first, &second)?.unwrap_or(1.0);
            values.push(value);
            rows.push((format!("{} and {}, {set}", MEASURES[one], MEASURES[other]), vec![format!("{value:.3}")]));
        }
    }
    let planted = rng.index(rows.len());
    let nearest = values[planted];
    // Two possible values are .133 apart, so the nearest value stays the nearest. An impossible
    // value above 1 would be found without the law.
    let moved = nearest - between(rng, 25, 55) as f64 / 1000.0;
    rows[planted].1 = vec![format!("{moved:.3}")];
    let title = "Kendall's tau between the orders of the six systems. No two systems tie.";
    let columns = &["measures and queries", "tau"];
    Ok((PrintedTable { number: 2, title, columns, rows, planted: Some(planted) }, nearest))
}

fn grades(has_fault: bool, rng: &mut Rng) -> PrintedTable {
    let collections = ["news", "forum", "patents", "recipes", "code"];
    let mut parts: Vec<[i64; 4]> = collections
        .iter()
        .map(|_| {
            let rare = [between(rng, 90, 240), between(rng, 40, 160), between(rng, 5, 60)];
            [1000 - rare.iter().sum::<i64>(), rare[0], rare[1], rare[2]]
        })
        .collect();
    let planted = has_fault.then(|| rng.index(parts.len()));
    if let Some(row) = planted {
        let sign = if rng.below(2) == 0 { -1 } else { 1 };
        parts[row][rng.index(2)] += sign * between(rng, 14, 45);
    }
    let cells = |parts: &[i64; 4]| parts.iter().map(|part| format!("{}.{}", part / 10, part % 10)).collect();
    PrintedTable {
        number: 3,
        title: "Documents of each grade, in per cent.",
        columns: &["collection", "grade 0", "grade 1", "grade 2", "grade 3"],
        rows: collections.iter().zip(&parts).map(|(name, parts)| ((*name).to_owned(), cells(parts))).collect(),
        planted,
    }
}

fn conflicts(rng: &mut Rng) -> (PrintedTable, i64) {
    let pairs = PAIRS as i64;
    let names = ["ndcg@5", "ndcg@10", "ndcg@20", "ap", "rr", "err@10"];
    let mut numbers: Vec<[i64; 3]> = names
        .iter()
        .map(|_| {
            let first = between(rng, 4, 10);
            let second = (first + between(rng, -3, 4)).clamp(1, pairs - 2);
            let fewest = (first - second).abs();
            let most = (first + second).min(2 * pairs - first - second);
            [first, second, fewest + 2 * between(rng, 0, ((most - fewest) / 2).min(2))]
        })
        .collect();
    let row = rng.index(numbers.len());
    let [first, second, conflicts] = &mut numbers[row];
    let fewest = (*first - *second).abs();
    if fewest >= 2 && rng.below(2) == 0 {
        *conflicts = fewest - 2;
    } else {
        *conflicts = fewest + 1;
    }
    let cells = |numbers: &[i64; 3]| numbers.iter().map(i64::to_string).collect();
    let table = PrintedTable {
        number: 4,
        title: "Significant comparisons on another collection, of 15 pairs of systems, under each measure and\n\
                under its version V2. A *conflict* is a comparison that is significant under exactly one of the two.",
        columns: &["measure", "power", "power of V2", "conflicts"],
        rows: names.iter().zip(&numbers).map(|(name, numbers)| ((*name).to_owned(), cells(numbers))).collect(),
        planted: Some(row),
    };
    (table, fewest)
}

fn intervals(measured: &Measured, has_fault: bool, rng: &mut Rng) -> Result<PrintedTable, StatsError> {
    let mut rows = Vec::new();
    for system in 0..SYSTEMS.len() - 1 {
        let test = measured.test(0, system)?;
        // The standard error is the difference divided by t; no difference is 0.
        let half = (BORDER * test.difference / test.t).round() as i64;
        let mean = test.difference.round() as i64;
        rows.push([mean, mean - half, mean + half]);
    }
    let planted = has_fault.then(|| rng.index(rows.len()));
    if let Some([mean, low, high]) = planted.and_then(|row| rows.get_mut(row)) {
        let width = *high - *low;
        let beyond = between(rng, 2, 9);
        (*low, *high) = if rng.below(2) == 0 {
            (*mean + beyond, *mean + beyond + width)
        } else {
            (*mean - beyond - width, *mean - beyond)
        };
    }
    let row = |(system, numbers): (&&str, &[i64; 3])| {
        (format!("{system} minus F"), numbers.iter().map(|number| thousandths(*number)).collect())
    };
    Ok(PrintedTable {
        number: 5,
        title: "Difference of each system to system F under ndcg@10: the mean, and its 95 % t-interval.",
        columns: &["systems", "mean", "low", "high"],
        rows: SYSTEMS.iter().zip(&rows).map(row).collect(),
        planted,
    })
}

fn p_values(measured: &Measured, has_fault: bool, rng: &mut Rng) -> Result<PrintedTable, StatsError> {
    let mut rows = Vec::new();
    for system in 0..SYSTEMS.len() - 1 {
        let test = measured.test(1, system)?;
        rows.push(((100.0 * test.t).round() as i64, (1000.0 * test.p).round() as i64));
    }
    let planted = has_fault.then(|| rng.index(rows.len()));
    if let Some((t, p)) = planted.and_then(|row| rows.get_mut(row)) {
        *p = if t.abs() > 201 { between(rng, 90, 320) } else { between(rng, 4, 38) };
    }
    let row = |(system, &(t, p)): (&&str, &(i64, i64))| {
        let sign = if t < 0 { "-" } else { "" };
        let t = format!("{sign}{}.{:02}", t.abs() / 100, t.abs() % 100);
        (format!("{system} minus F"), vec![t, thousandths(p)])
    };
    Ok(PrintedTable {
        number: 6,
        title: "Paired t-test of each system against system F under ap on the 50 queries: t and the two-sided p.",
        columns: &["systems", "t", "p"],
        rows: SYSTEMS.iter().zip(&rows).map(row).collect(),
        planted,
    })
}

fn precision(rng: &mut Rng) -> (PrintedTable, f64) {
    let mut values: Vec<i64> = SYSTEMS.iter().map(|_| between(rng, 8, 40) * 1000 / PILOT).collect();
    let row = rng.index(values.len());
    let nearest = values[row] as f64 / 1000.0;
    // Two possible values are .020 apart.
    values[row] += if rng.below(2) == 0 { -1 } else { 1 } * between(rng, 3, 7);
    let line = |(name, value): (&&str, &i64)| ((*name).to_owned(), vec![thousandths(*value)]);
    let table = PrintedTable {
        number: 7,
        title: "A first look: mean P@5 over ten other queries.",
        columns: &["system", "P@5"],
        rows: SYSTEMS.iter().zip(&values).map(line).collect(),
        planted: Some(row),
    };
    (table, nearest)
}

fn wins(measured: &Measured, has_fault: bool, rng: &mut Rng) -> PrintedTable {
    let mut rows: Vec<[i64; 3]> = (0..SYSTEMS.len() - 1).map(|system| measured.wins(system)).collect();
    let planted = has_fault.then(|| rng.index(rows.len()));
    if let Some(row) = planted {
        let sign = if rng.below(2) == 0 { -1 } else { 1 };
        rows[row][0] += sign * between(rng, 1, 4);
    }
    let row = |(system, numbers): (&&str, &[i64; 3])| {
        (format!("{system} against F"), numbers.iter().map(i64::to_string).collect())
    };
    PrintedTable {
        number: 8,
        title: "Queries on which each system wins, ties and loses against system F under rr. All 50 queries\n\
                count.",
        columns: &["systems", "wins", "ties", "losses"],
        rows: SYSTEMS.iter().zip(&rows).map(row).collect(),
        planted,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use fivefold_stats::check_conflicts;

    /// Whether a row can be, by a law that is written here a second time, on the printed text.
    fn possible(paper: &Paper, table: &PrintedTable, row: usize) -> bool {
        let at = |column| table.number(row, column);
        match table.number {
            2 => (0..=PAIRS).any(|swaps| (at(0) - (1.0 - 2.0 * swaps as f64 / 15.0)).abs() < 0.001),
            3 => ((0..4).map(at).sum::<f64>() - 100.0).abs() < 0.21,
            4 => check_conflicts(at(0) as usize, at(1) as usize, at(2) as usize, PAIRS).is_ok(),
            5 => {
                let difference = (paper.means[0][row] - paper.means[0][5]) as f64 / 1000.0;
                assert!((at(0) - difference).abs() < 1e-9, "the mean itself follows from Table 1");
                at(1) <= at(0) && at(0) <= at(2)
            }
            // scipy.stats.t.ppf(.975, 49) = 2.009575
            6 => (at(0).abs() > 2.009575) == (at(1) < 0.05),
            7 => (0..=50).any(|hits| (at(0) - f64::from(hits) / 50.0).abs() < 0.0005),
            8 => (0..3).map(at).sum::<f64>() == 50.0,
            number => panic!("no table {number}"),
        }
    }

    #[test]
    fn the_planted_rows_are_impossible_and_no_others() {
        let mut clean = 0;
        for student in 0..300 {
            let paper = Paper::make(Seed::new(student)).unwrap();
            for table in &paper.tables {
                clean += usize::from(table.planted.is_none());
                for row in 0..table.rows.len() {
                    let is_planted = table.planted == Some(row);
                    assert_eq!(possible(&paper, table, row), !is_planted, "student {student}, {table:?}, row {row}");
                }
            }
        }
        assert_eq!(clean, 2 * 300);
    }

    #[test]
    fn what_follows_is_nearest() {
        for student in 0..100 {
            let paper = Paper::make(Seed::new(student)).unwrap();
            let of = |number: usize| {
                let table = &paper.tables[number - 2];
                (table, table.planted.unwrap())
            };
            let (tau, row) = of(2);
            let possible = (0..=PAIRS).map(|swaps| 1.0 - 2.0 * swaps as f64 / 15.0);
            let near = |a: &f64, b: &f64| (a - tau.number(row, 0)).abs().total_cmp(&(b - tau.number(row, 0)).abs());
            assert!((possible.min_by(near).unwrap() - paper.nearest_tau).abs() < 1e-9);
            let (conflicts, row) = of(4);
            let powers = [0, 1].map(|column| conflicts.number(row, column) as usize);
            let fewest = (0..=30).find(|&count| check_conflicts(powers[0], powers[1], count, PAIRS).is_ok());
            assert_eq!(fewest, Some(paper.fewest_conflicts as usize));
            let (precision, row) = of(7);
            let nearest = (precision.number(row, 0) * 50.0).round() / 50.0;
            assert!((nearest - paper.nearest_precision).abs() < 1e-9);
        }
    }

    /// The largest sum of A - F under rr, given wins, ties and losses of A and the sum of F. A value of
    /// rr is 1, 1/2, 1/3, ... or 0. For each price of a unit of F, the best queries give a bound (weak
    /// duality); the lowest bound counts.
    fn most(wins: f64, ties: f64, losses: f64, sum: f64) -> f64 {
        /// Prices, and the most that a lost query is worth at each.
        static LOSSES: LazyLock<Vec<(f64, f64)>> = LazyLock::new(|| {
            let loss = |price: f64| {
                // A lost query with F = 1/k has A at most at 1/(k + 1).
                let lost = |k: i32| -1.0 / f64::from(k * (k + 1)) - price / f64::from(k);
                (price, (1..200).map(lost).fold(0.0, f64::max))
            };
            (0..=300).map(|step| loss(f64::from(step) / 100.0 - 2.0)).collect()
        });
        let bound = |&(price, loss): &(f64, f64)| {
            // A win has F at 0 or at most at 1/2.
            let win = f64::max(1.0, 0.5 - 0.5 * price);
            let tie = f64::max(0.0, -price);
            wins * win + ties * tie + losses * loss + price * sum
        };
        LOSSES.iter().map(bound).fold(f64::INFINITY, f64::min)
    }

    /// Whether a row of tables 6 and 8 can stand beside Table 1. Printed numbers are rounded.
    fn fits(paper: &Paper, table: &PrintedTable, row: usize) -> bool {
        let at = |column| table.number(row, column);
        let of = |measure: usize| (paper.scores(measure)[row], paper.scores(measure)[5]);
        match table.number {
            6 => {
                let (a, f) = of(1);
                let (difference, t) = (a - f, at(0));
                // Values from 0 to 1 have (A - F)^2 <= A + F, so the variance has a bound.
                let deviation = difference.abs() * 7.0 / t.abs();
                difference * t > 0.0 && deviation <= (a + f - difference * difference).sqrt() + 0.01
            }
            8 => {
                let (a, f) = of(2);
                let (slack, difference) = (0.06, 50.0 * (a - f));
                difference <= most(at(0), at(1), at(2), 50.0 * f) + slack
                    && -difference <= most(at(2), at(1), at(0), 50.0 * a) + slack
            }
            _ => true,
        }
    }

    /// A row of an earlier version of this lab, which a solver found impossible: A has .697 and F .618.
    #[test]
    fn the_bound_of_wins_finds_a_row_that_cannot_be() {
        let bound = most(16.0, 5.0, 29.0, 50.0 * 0.618);
        assert!((bound - 3.57).abs() < 0.01 && bound < 50.0 * (0.697 - 0.618), "{bound}");
    }

    #[test]
    fn rows_that_are_not_planted_fit_table_1_and_each_other() {
        for student in 0..300 {
            let paper = Paper::make(Seed::new(student)).unwrap();
            for table in &paper.tables {
                for row in (0..table.rows.len()).filter(|&row| table.planted != Some(row)) {
                    assert!(fits(&paper, table, row), "student {student}, {table:?}, row {row}");
                }
            }
            // Of three orders, a pair is swapped in none or in two of the three comparisons.
            let tau = &paper.tables[0];
            for set in 0..3 {
                let rows = [set, set + 3, set + 6];
                if rows.iter().all(|&row| tau.planted != Some(row)) {
                    let swaps = rows.map(|row| ((1.0 - tau.number(row, 0)) * 7.5).round() as i64);
                    let [a, b, c] = swaps;
                    assert!((a + b + c) % 2 == 0 && a <= b + c && b <= a + c && c <= a + b, "{swaps:?}");
                }
            }
        }
    }

    /// scipy 1.17: 2 * stats.t.sf([2.0, .5, 3.5], 49) = .0511, .6193, .0010. The p falls with abs(t),
    /// so a printed p lies between those of the neighbours. A t is printed to .005, and the density is
    /// below .4, so p moves by .004 at most.
    #[test]
    fn p_is_that_of_scipy() {
        let known = [(0.0, 1.0), (0.5, 0.6193), (2.0, 0.0511), (3.5, 0.0010), (f64::INFINITY, 0.0)];
        let mut seen = [0; 4];
        for student in 0..50 {
            let paper = Paper::make(Seed::new(student)).unwrap();
            let table = &paper.tables[4];
            for row in (0..5).filter(|&row| table.planted != Some(row)) {
                let (t, p) = (table.number(row, 0).abs(), table.number(row, 1));
                let place = known.windows(2).position(|pair| pair[0].0 <= t && t < pair[1].0).unwrap();
                seen[place] += 1;
                assert!(known[place + 1].1 - 0.0045 <= p && p <= known[place].1 + 0.0045, "{t} {p}");
            }
        }
        assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    }

    #[test]
    fn tau_of_all_queries_follows_from_table_1() {
        let paper =
            (0..).map(|seed| Paper::make(Seed::new(seed)).unwrap()).find(|paper| paper.tables[0].planted != Some(0));
        let paper = paper.unwrap();
        let (first, second) = (paper.scores(0), paper.scores(1));
        let mut swaps = 0;
        for one in 0..6 {
            for other in 0..one {
                swaps += usize::from((first[one] > first[other]) != (second[one] > second[other]));
            }
        }
        assert!((paper.tables[0].number(0, 0) - (1.0 - 2.0 * swaps as f64 / 15.0)).abs() < 0.001);
    }
}
