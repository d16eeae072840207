//! Replay of printed correlations with people's ratings: those of a metric and of its UE-normalised
//! versions, by dimension of the ratings, and the percentage improvements that are derived from
//! them.
//!
//! Feng's dissertation (2023) prints such tables (8.1 to 8.3 and 9.1). Two things follow from the
//! printed numbers alone:
//! - Kendall's tau-b of s systems without equal means, t pairs of which people rate equally, is
//!   k / sqrt(p (p - t)) with p = s (s - 1) / 2 pairs. Here k is the number of pairs that a metric
//!   orders as people do, less the number of the others, so k has the parity of p - t. The
//!   ratings of a dimension are the same for all versions, so one t must fit all its cells.
//! - The percentage improvement (PAI) is 100 (v - a) / |a|, or 100 v if a is 0 (Eq. 8.1).
//!
//! Digits were cut off or rounded, so a printed number stands for a range.

use fivefold_analysis::table::{Cell, Table};
use serde::Deserialize;

use super::bounds::FLOAT_SLACK;
use super::check::Verdict;
use super::published::{ReplayError, decimals};

/// Printed with fewer decimals, a correlation had zeros at its end.
const FEWEST_DECIMALS: u32 = 2;
/// The most pairs of systems with equal ratings that are looked for: mean ratings of SummEval have up
/// to three, by the crowd for relevance.
const MOST_TIES: u64 = 3;
/// The versions of a metric, in the order of the printed rows.
pub(crate) const VERSIONS: [&str; 3] = ["original", "v1", "v2"];

/// A printed correlation and its verdict.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CheckedCorrelation {
    /// Number of the printed table.
    pub table: String,
    /// The documents over which systems were rated.
    pub documents: String,
    /// Version of the metric.
    pub version: &'static str,
    /// Dimension of the ratings.
    pub dimension: String,
    /// The printed value.
    pub printed: f64,
    /// If it can be Kendall's tau-b over the systems: pairs ordered as people do less pairs ordered
    /// against them, and pairs that people rate equally.
    pub pairs: Option<(i64, u64)>,
}

/// A printed percentage improvement and its verdict.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CheckedImprovement {
    /// Number of the printed table.
    pub table: String,
    /// The cell: a version and a dimension, or the mean.
    pub cell: String,
    /// The printed value.
    pub printed: f64,
    /// The value computed from the printed correlations.
    pub computed: f64,
    /// The lowest and the highest value that correlations with these printed digits give; `None` if
    /// any value is possible.
    pub range: Option<(f64, f64)>,
    /// The verdict.
    pub verdict: Verdict,
    /// A misprint that would explain a difference; else empty.
    pub remark: String,
}

/// The result of a replay of printed correlations.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CorrelationReplay {
    /// Every printed correlation, in the order of the file.
    pub correlations: Vec<CheckedCorrelation>,
    /// Every printed percentage improvement.
    pub improvements: Vec<CheckedImprovement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    dimensions: Vec<String>,
    correlations: Vec<Block>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    table: String,
    metric: String,
    documents: String,
    systems: u64,
    original: Vec<f64>,
    v1: Vec<f64>,
    v2: Vec<f64>,
    mean_pai: Option<f64>,
    #[serde(default)]
    pai: Vec<PrintedPai>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PrintedPai {
    version: String,
    dimension: String,
    printed: f64,
}

/// Whether a text holds printed correlations rather than scores of methods.
pub fn has_correlations(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("correlations"))
}

/// Checks printed correlations and percentage improvements (TOML, in the form of
/// `published/feng-2023/correlations.toml`).
///
/// # Errors
/// A text that cannot be read, or rows that do not fit together: see [`ReplayError`].
///
/// ```
/// use fivefold_studies::replay::{FENG_2023_CORRELATIONS, Verdict, replay_correlations};
///
/// let replay = replay_correlations(FENG_2023_CORRELATIONS)?;
/// let wrong: Vec<&str> =
///     replay.improvements.iter().filter(|pai| pai.verdict == Verdict::Differs).map(|pai| pai.table.as_str()).collect();
/// assert_eq!(wrong, ["9.1", "9.1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn replay_correlations(text: &str) -> Result<CorrelationReplay, ReplayError> {
    let file: File = toml::from_str(text).map_err(ReplayError::Correlations)?;
    let mut replay = CorrelationReplay { correlations: Vec::new(), improvements: Vec::new() };
    for block in &file.correlations {
        block.check(&file.dimensions)?;
        replay.correlations.extend(block.correlations(&file.dimensions));
        replay.improvements.extend(block.improvements(&file.dimensions)?);
    }
    Ok(replay)
}

/// A printed table of correlations with people's ratings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PrintedCorrelations {
    /// The number of the table.
    pub(crate) number: String,
    /// The metric.
    pub(crate) metric: String,
    /// The documents over which systems were rated.
    pub(crate) documents: String,
    /// Dimensions of the ratings.
    pub(crate) dimensions: Vec<String>,
    /// The correlations of the original, of V1 and of V2, by dimension.
    pub(crate) rows: [Vec<f64>; 3],
}

/// The printed tables that come with the program.
pub(crate) fn printed_correlations() -> Vec<PrintedCorrelations> {
    // A test reads the text, so it can be read.
    let Ok(file) = toml::from_str::<File>(super::FENG_2023_CORRELATIONS) else { return Vec::new() };
    let table = |block: Block| PrintedCorrelations {
        number: block.table,
        metric: block.metric,
        documents: block.documents,
        dimensions: file.dimensions.clone(),
        rows: [block.original, block.v1, block.v2],
    };
    file.correlations.into_iter().map(table).collect()
}

impl Block {
    fn rows(&self) -> [&[f64]; 3] {
        [&self.original, &self.v1, &self.v2]
    }

    fn check(&self, dimensions: &[String]) -> Result<(), ReplayError> {
        for (row, version) in self.rows().into_iter().zip(VERSIONS) {
            if row.len() != dimensions.len() {
                let (found, wanted) = (row.len(), dimensions.len());
                return Err(self.wrong(format!("`{version}` has {found} values for {wanted} dimensions")));
            }
            if let Some(value) = row.iter().find(|value| !(-1.0..=1.0).contains(*value)) {
                return Err(self.wrong(format!("`{version}` has {value}, which is no correlation (-1 to 1)")));
            }
        }
        if !(2..=10_000).contains(&self.systems) {
            return Err(self.wrong(format!("`systems` is {}; from 2 to 10,000 can be checked", self.systems)));
        }
        Ok(())
    }

    fn wrong(&self, problem: String) -> ReplayError {
        ReplayError::CorrelationBlock { table: self.table.clone(), metric: self.metric.clone(), problem }
    }

    /// The correlations of each dimension, for one number of ties that fits most of its cells.
    fn correlations(&self, dimensions: &[String]) -> Vec<CheckedCorrelation> {
        let mut cells = Vec::with_capacity(3 * dimensions.len());
        for (version, row) in VERSIONS.into_iter().zip(self.rows()) {
            for ((place, dimension), &printed) in dimensions.iter().enumerate().zip(row) {
                let ties = self.ties(place);
                cells.push(CheckedCorrelation {
                    table: self.table.clone(),
                    documents: self.documents.clone(),
                    version,
                    dimension: dimension.clone(),
                    printed,
                    pairs: ties.and_then(|ties| Some((pairs_of(printed, self.pairs(), ties)?, ties))),
                });
            }
        }
        cells
    }

    /// The fewest pairs with equal ratings that explain all cells of a dimension.
    fn ties(&self, place: usize) -> Option<u64> {
        let fits = |ties: &u64| self.rows().iter().all(|row| pairs_of(row[place], self.pairs(), *ties).is_some());
        (0..=MOST_TIES.min(self.pairs() - 1)).find(fits)
    }

    fn pairs(&self) -> u64 {
        self.systems * (self.systems - 1) / 2
    }

    fn improvements(&self, dimensions: &[String]) -> Result<Vec<CheckedImprovement>, ReplayError> {
        let mut checked = Vec::new();
        for pai in &self.pai {
            let place = dimensions.iter().position(|dimension| *dimension == pai.dimension);
            let row = VERSIONS[1..].iter().position(|version| *version == pai.version);
            let (Some(place), Some(row)) = (place, row) else {
                return Err(self.wrong(format!("`pai` names {} and {}", pai.version, pai.dimension)));
            };
            let cell = format!("{}, {}", pai.version, pai.dimension);
            checked.push(self.improvement(cell, pai.printed, &[(row + 1, place)]));
        }
        if let Some(printed) = self.mean_pai {
            let all: Vec<(usize, usize)> =
                (1..3).flat_map(|row| (0..dimensions.len()).map(move |place| (row, place))).collect();
            checked.push(self.improvement(format!("mean of {}", all.len()), printed, &all));
        }
        Ok(checked)
    }

    /// Checks the mean of the percentage improvements of some cells.
    fn improvement(&self, cell: String, printed: f64, cells: &[(usize, usize)]) -> CheckedImprovement {
        let (computed, range) =
            mean_pai(cells.iter().map(|&(row, place)| (self.original[place], self.rows()[row][place])));
        let verdict = verdict(printed, computed, range);
        let remark = match verdict {
            Verdict::Differs => self.misprint(printed, cells).unwrap_or_default(),
            _ => String::new(),
        };
        CheckedImprovement { table: self.table.clone(), cell, printed, computed, range, verdict, remark }
    }

    /// The correlation that explains a printed improvement if its decimal point moves by one place.
    fn misprint(&self, printed: f64, cells: &[(usize, usize)]) -> Option<String> {
        cells.iter().find_map(|&(row, place)| {
            let moved = self.rows()[row][place] / 10.0;
            let value = |&(other, at): &(usize, usize)| {
                let version = if (other, at) == (row, place) { moved } else { self.rows()[other][at] };
                (self.original[at], version)
            };
            let (computed, range) = mean_pai(cells.iter().map(value));
            verdict(printed, computed, range).follows().then(|| {
                let printed = self.rows()[row][place];
                format!("{moved} in place of {printed} in row {} gives {computed:.2}, within rounding", VERSIONS[row])
            })
        })
    }
}

/// The range of a correlation by its printed digits: cut off towards 0, or rounded.
fn range_of(printed: f64) -> (f64, f64) {
    let unit = 10f64.powi(-(decimals(printed).max(FEWEST_DECIMALS) as i32));
    let (inner, outer) = (unit / 2.0 + FLOAT_SLACK, unit - FLOAT_SLACK);
    match printed {
        0.0 => (-outer, outer),
        p if p > 0.0 => (p - inner, p + outer),
        p => (p - outer, p + inner),
    }
}

/// The difference of pairs that gives a printed tau-b, if there is one.
fn pairs_of(printed: f64, pairs: u64, ties: u64) -> Option<i64> {
    let (all, untied) = (pairs as f64, (pairs - ties) as f64);
    let scale = (all * untied).sqrt();
    let (low, high) = range_of(printed);
    let most = (pairs - ties) as i64;
    let first = ((low * scale).ceil() as i64).max(-most);
    let last = ((high * scale).floor() as i64).min(most);
    let distance = |k: &i64| (*k as f64 / scale - printed).abs();
    (first..=last).filter(|k| (k - most) % 2 == 0).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// The mean improvement from the original to the version over pairs of printed correlations, and
/// its range by their digits. The range is `None` if an original correlation can be 0 without being
/// printed so.
fn mean_pai(pairs: impl Iterator<Item = (f64, f64)>) -> (f64, Option<(f64, f64)>) {
    let (mut sum, mut low, mut high, mut count, mut open) = (0.0, 0.0, 0.0, 0.0, false);
    for (original, version) in pairs {
        count += 1.0;
        sum += pai(original, version);
        let ((a_low, a_high), (v_low, v_high)) = (range_of(original), range_of(version));
        if original == 0.0 {
            // Printed as 0, it was treated as 0.
            (low, high) = (low + pai(0.0, v_low), high + pai(0.0, v_high));
        } else if a_low <= 0.0 && a_high >= 0.0 {
            open = true;
        } else {
            let ends = [a_low, a_high].map(|a| [pai(a, v_low), pai(a, v_high)]);
            low += ends.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            high += ends.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        }
    }
    (sum / count, (!open).then_some((low / count, high / count)))
}

/// Percentage improvement (PAI), Feng (2023), Eq. 8.1.
pub(crate) fn pai(original: f64, version: f64) -> f64 {
    if original == 0.0 { 100.0 * version } else { 100.0 * (version - original) / original.abs() }
}

fn verdict(printed: f64, computed: f64, range: Option<(f64, f64)>) -> Verdict {
    let unit = 10f64.powi(-(decimals(printed) as i32)) - FLOAT_SLACK;
    match range {
        _ if (printed - computed).abs() < unit => Verdict::Equal,
        None => Verdict::NotCheckable,
        Some((low, high)) if printed > low - unit && printed < high + unit => Verdict::WithinRounding,
        Some(_) => Verdict::Differs,
    }
}

impl CorrelationReplay {
    /// The replay as tables: the improvements, then all correlations.
    pub fn tables(&self) -> Vec<Table> {
        let improvement = |pai: &CheckedImprovement| {
            let range = |end: fn((f64, f64)) -> f64| pai.range.map_or_else(Cell::na, |both| Cell::number(end(both), 2));
            vec![
                Cell::text(&pai.table),
                Cell::text(&pai.cell),
                Cell::text(pai.verdict.title()),
                Cell::number(pai.printed, 2),
                Cell::number(pai.computed, 2),
                range(|both| both.0),
                range(|both| both.1),
            ]
        };
        let correlation = |cell: &CheckedCorrelation| {
            let (net, tied) = cell.pairs.unzip();
            vec![
                Cell::text(&cell.table),
                Cell::text(&cell.documents),
                Cell::text(cell.version),
                Cell::text(&cell.dimension),
                Cell::text(if cell.pairs.is_some() { "possible" } else { "impossible" }),
                Cell::number(cell.printed, 3),
                net.map_or_else(Cell::na, |net| Cell::text(net.to_string())),
                tied.map_or_else(Cell::na, Cell::Count),
            ]
        };
        let mut notes = vec![
            "the percentage improvement (PAI) is 100 (v - a) / |a|, or 100 v if a is 0. Lowest and highest: over all \
             correlations that would be printed so, cut off or rounded"
                .to_owned(),
            "an improvement is worth little if a is near 0: with 12 systems, one pair moves tau by .03".to_owned(),
        ];
        let explained = self.improvements.iter().filter(|pai| !pai.remark.is_empty());
        notes.extend(explained.map(|pai| format!("table {}, {}: {}", pai.table, pai.cell, pai.remark)));
        let improvements = ["table", "cell", "verdict", "printed", "computed", "lowest", "highest"];
        let correlations =
            ["table", "documents", "version", "dimension", "Kendall's tau", "printed", "net pairs", "tied pairs"];
        vec![
            Table::new("replay-improvements", "Printed percentage improvements", improvements, 3)
                .with_rows(self.improvements.iter().map(improvement).collect())
                .with_notes(notes),
            Table::new("replay-correlations", "Printed correlations with people's ratings", correlations, 5)
                .with_rows(self.correlations.iter().map(correlation).collect())
                .with_notes(vec![
                    "possible: some whole number of net pairs (ordered as people do, less ordered against them) gives \
                     the value as Kendall's tau-b over the systems, with one number of tied pairs for the three versions \
                     of a dimension"
                        .to_owned(),
                ]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::FENG_2023_CORRELATIONS;

    fn dissertation() -> CorrelationReplay {
        replay_correlations(FENG_2023_CORRELATIONS).unwrap()
    }

    /// The net pairs were found by hand from the printed cells.
    #[test]
    fn bertscore_tables_are_kendall_tau_of_twelve_systems() {
        let replay = dissertation();
        let of = |table: &str| -> Vec<Option<(i64, u64)>> {
            replay.correlations.iter().filter(|cell| cell.table == table).map(|cell| cell.pairs).collect()
        };
        let net =
            [(0, 0), (-7, 1), (11, 1), (-2, 0), (2, 0), (-13, 1), (17, 1), (4, 0), (10, 0), (3, 1), (29, 1), (12, 0)];
        assert_eq!(of("8.1"), net.map(Some));
        assert!(of("8.2").iter().chain(&of("8.3")).all(Option::is_some));
        // Table 9.1 is of another form: only in coherence does one number of ties fit all cells.
        let coherence = Some((5, 1));
        assert_eq!(of("9.1"), [coherence, None, None, None].repeat(3));
    }

    #[test]
    fn mean_improvements_follow_but_for_the_slipped_point() {
        let replay = dissertation();
        let verdicts: Vec<(&str, &str, Verdict)> =
            replay.improvements.iter().map(|pai| (pai.table.as_str(), pai.cell.as_str(), pai.verdict)).collect();
        assert_eq!(
            verdicts,
            [
                ("8.1", "mean of 8", Verdict::Equal),
                ("8.2", "mean of 8", Verdict::Equal),
                ("8.3", "mean of 8", Verdict::Equal),
                ("9.1", "v2, fluency", Verdict::Differs),
                ("9.1", "mean of 8", Verdict::Differs),
            ]
        );
        // By hand: (-.2 % ... ) of Table 8.3 is -8.1667 / 8.
        assert!((replay.improvements[2].computed + 8.0 / 8.0 + 0.1667 / 8.0).abs() < 1e-3, "{replay:?}");
        for pai in &replay.improvements[3..] {
            assert!(pai.remark.starts_with("0.04 in place of 0.4 in row v2"), "{pai:?}");
        }
    }

    #[test]
    fn ranges_hold_what_was_cut_or_rounded() {
        let (low, high) = range_of(0.16);
        assert!(low < 0.155 && high > 0.1699 && high < 0.17, "{low} {high}");
        let (low, high) = range_of(-0.3);
        assert!(low > -0.31 && high > -0.295, "{low} {high}");
        assert_eq!((pai(0.0, 0.15), pai(-0.2, 0.1)), (15.0, 150.0));
        // An original correlation that may be 0 allows any improvement.
        assert_eq!(mean_pai([(0.004, 0.2)].into_iter()).1, Some(mean_pai([(0.004, 0.2)].into_iter()).1.unwrap()));
        assert!(mean_pai([(0.001, 0.2)].into_iter()).1.is_some());
    }

    #[test]
    fn rows_that_do_not_fit_are_named() {
        let text =
            "dimensions = ['a', 'b']\n[[correlations]]\ntable = '1'\nmetric = 'm'\ndocuments = 'all'\nsystems = 12\n";
        let error = |rest: &str| replay_correlations(&format!("{text}{rest}")).unwrap_err().to_string();
        assert_eq!(
            error("original = [0.1]\nv1 = [0.1, 0.2]\nv2 = [0.1, 0.2]"),
            "table 1, m: `original` has 1 values for 2 dimensions"
        );
        assert!(error("original = [0.1, 2]\nv1 = [0.1, 0.2]\nv2 = [0.1, 0.2]").contains("no correlation"));
        assert!(error("original = [0.1, 0.2]\nv1 = [0.1, 0.2]\nv3 = [0.1, 0.2]").contains("v3"));
        let pai = "original = [0.1, 0.2]\nv1 = [0.1, 0.2]\nv2 = [0.1, 0.2]\npai = [{ version = 'v1', dimension = 'c', printed = 1 }]";
        assert!(error(pai).contains("`pai` names v1 and c"));
    }
}
