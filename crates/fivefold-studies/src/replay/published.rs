//! The two TOML texts of a replay, read and checked.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// Scores are kept as whole millionths, so that sums and ties of printed decimals are exact.
pub(super) const MILLION: f64 = 1e6;

/// The reason why a replay cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The printed scores are not valid TOML, or have other keys.
    #[error("cannot read the published scores: {0}")]
    Scores(toml::de::Error),
    /// The derived tables are not valid TOML, or have other keys.
    #[error("cannot read the published derived tables: {0}")]
    Derived(toml::de::Error),
    /// The printed correlations are not valid TOML, or have other keys.
    #[error("cannot read the published correlations: {0}")]
    Correlations(toml::de::Error),
    /// A table of correlations with rows that do not fit together.
    #[error("table {table}, {metric}: {problem}")]
    CorrelationBlock {
        /// Number of the printed table.
        table: String,
        /// The metric.
        metric: String,
        /// The problem.
        problem: String,
    },
    /// A method does not have a score for each cutoff.
    #[error("table {table}, {dataset}, {metric}: {method} has {found} scores for {cutoffs} cutoffs")]
    ScoreCount {
        /// Number of the printed table.
        table: u32,
        /// Data set of the block.
        dataset: String,
        /// Measure of the block.
        metric: String,
        /// The method.
        method: String,
        /// Number of its scores.
        found: usize,
        /// Number of cutoffs of the block.
        cutoffs: usize,
    },
    /// A score is not a decimal number that could have been printed.
    #[error(
        "table {table}, {dataset}, {metric}: {method} has the score {value}; finite numbers of at most 6 decimals can be replayed"
    )]
    Score {
        /// Number of the printed table.
        table: u32,
        /// Data set of the block.
        dataset: String,
        /// Measure of the block.
        metric: String,
        /// The method.
        method: String,
        /// The score.
        value: f64,
    },
    /// A block without methods or without cutoffs, or with other methods than the first block.
    #[error("table {table}, {dataset}, {metric}: {problem}")]
    Block {
        /// Number of the printed table.
        table: u32,
        /// Data set of the block.
        dataset: String,
        /// Measure of the block.
        metric: String,
        /// The problem, and the remedy.
        problem: String,
    },
}

/// The printed scores of all methods under one measure on one data set.
#[derive(Debug, Clone)]
pub(super) struct ScoreBlock {
    pub table: u32,
    pub dataset: String,
    pub metric: String,
    pub cutoffs: Vec<u32>,
    pub methods: Vec<String>,
    /// `[method][cutoff]` in millionths.
    pub scores: Vec<Vec<i64>>,
    /// Decimals printed.
    pub decimals: u32,
}

impl ScoreBlock {
    /// The score of each method: its mean over the cutoffs. Equal means are equal numbers.
    pub fn method_scores(&self) -> Vec<f64> {
        let scale = self.cutoffs.len() as f64 * MILLION;
        self.scores.iter().map(|row| row.iter().sum::<i64>() as f64 / scale).collect()
    }
}

/// All printed scores.
#[derive(Debug, Clone)]
pub(super) struct PublishedScores {
    pub blocks: Vec<ScoreBlock>,
    /// Other names of methods and data sets, with the printed names.
    pub map: BTreeMap<String, String>,
}

impl PublishedScores {
    pub fn read(text: &str) -> Result<Self, ReplayError> {
        let file: ScoresFile = toml::from_str(text).map_err(ReplayError::Scores)?;
        let mut blocks: Vec<ScoreBlock> = Vec::with_capacity(file.scores.len());
        for entry in file.scores {
            let table = entry.table;
            let block = entry.check()?;
            let problem = if blocks.iter().any(|b| (&b.dataset, &b.metric) == (&block.dataset, &block.metric)) {
                Some("this measure's scores stand there twice; remove one block".to_owned())
            } else {
                blocks.first().filter(|first| first.methods != block.methods).map(|first| {
                    format!("the methods differ from the methods of the first block ({})", first.methods.join(", "))
                })
            };
            if let Some(problem) = problem {
                return Err(ReplayError::Block { table, dataset: block.dataset, metric: block.metric, problem });
            }
            blocks.push(block);
        }
        Ok(PublishedScores { blocks, map: file.map })
    }

    pub fn block(&self, dataset: &str, metric: &str) -> Option<&ScoreBlock> {
        self.blocks.iter().find(|b| b.dataset == dataset && b.metric == metric)
    }

    /// Number of pairs of methods.
    pub fn pairs(&self) -> usize {
        let methods = self.blocks.first().map_or(0, |b| b.methods.len());
        methods * methods.saturating_sub(1) / 2
    }

    /// Number of comparisons on a data set: pairs of methods times cutoffs.
    pub fn comparisons(&self, dataset: &str, metric: &str) -> Option<usize> {
        Some(self.pairs() * self.block(dataset, metric)?.cutoffs.len())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScoresFile {
    scores: Vec<ScoreEntry>,
    /// Other names of methods and data sets, with the printed names.
    #[serde(default)]
    map: BTreeMap<String, String>,
    /// Derived tables may stand in the same file.
    #[serde(default)]
    #[expect(dead_code, reason = "read by `read_derived`")]
    derived: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScoreEntry {
    table: u32,
    dataset: String,
    metric: String,
    cutoffs: Vec<u32>,
    values: BTreeMap<String, Vec<f64>>,
}

impl ScoreEntry {
    fn check(self) -> Result<ScoreBlock, ReplayError> {
        let ScoreEntry { table, dataset, metric, cutoffs, values } = self;
        if cutoffs.is_empty() || values.len() < 2 {
            let problem = "at least one cutoff and two methods are needed".to_owned();
            return Err(ReplayError::Block { table, dataset, metric, problem });
        }
        let mut block =
            ScoreBlock { table, dataset, metric, cutoffs, methods: Vec::new(), scores: Vec::new(), decimals: 0 };
        for (method, row) in values {
            let (dataset, metric) = (block.dataset.clone(), block.metric.clone());
            if row.len() != block.cutoffs.len() {
                let (found, cutoffs) = (row.len(), block.cutoffs.len());
                return Err(ReplayError::ScoreCount { table, dataset, metric, method, found, cutoffs });
            }
            let printable = |v: &f64| v.abs() < MILLION && decimals(*v) <= 6;
            if let Some(&value) = row.iter().find(|v| !printable(v)) {
                return Err(ReplayError::Score { table, dataset, metric, method, value });
            }
            block.decimals = row.iter().map(|&v| decimals(v)).fold(block.decimals, u32::max);
            block.scores.push(row.iter().map(|v| (v * MILLION).round() as i64).collect());
            block.methods.push(method);
        }
        Ok(block)
    }
}

/// A printed row of a derived table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DerivedRow {
    pub table: u32,
    pub statistic: Statistic,
    pub dataset: String,
    pub metric: String,
    all: Option<f64>,
    uninformative: Option<f64>,
    ideal: Option<f64>,
    value: Option<f64>,
}

impl DerivedRow {
    /// The printed cells.
    pub fn cells(&self) -> impl Iterator<Item = (DerivedColumn, f64)> {
        DerivedColumn::ALL.iter().filter_map(|&column| self.cell(column).map(|printed| (column, printed)))
    }

    /// The cell in one column.
    pub fn cell(&self, column: DerivedColumn) -> Option<f64> {
        match column {
            DerivedColumn::All => self.all,
            DerivedColumn::Uninformative => self.uninformative,
            DerivedColumn::Ideal => self.ideal,
            DerivedColumn::Value => self.value,
        }
    }
}

/// The statistic of a derived table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// Kendall's tau between the order of the methods under a UE version and under the original
    /// measure.
    KendallTau,
    /// Comparisons that are significant under exactly one of the UE version and the original
    /// measure.
    Conflicts,
    /// Number of significant comparisons.
    DiscriminativePower,
    /// Percentage absolute difference.
    PadPercent,
    /// Swap rate between two data sets, named `A vs B`.
    SwapRateAcrossDatasets,
    /// Swap rate between uninformative and ideal queries.
    SwapRateUninformativeVsIdeal,
    /// Swap rate between broad and focused queries.
    SwapRateBroadVsFocused,
    /// Swap rate between left and right halves of the documents.
    SwapRateLeftVsRight,
}

impl Statistic {
    /// All statistics, in the order of the paper's tables.
    pub const ALL: [Statistic; 8] = [
        Statistic::KendallTau,
        Statistic::Conflicts,
        Statistic::DiscriminativePower,
        Statistic::PadPercent,
        Statistic::SwapRateAcrossDatasets,
        Statistic::SwapRateUninformativeVsIdeal,
        Statistic::SwapRateBroadVsFocused,
        Statistic::SwapRateLeftVsRight,
    ];

    /// The statistic in words.
    pub fn title(self) -> &'static str {
        match self {
            Statistic::KendallTau => "Kendall's tau",
            Statistic::Conflicts => "conflicts",
            Statistic::DiscriminativePower => "discriminative power",
            Statistic::PadPercent => "PAD %",
            Statistic::SwapRateAcrossDatasets => "swap rate across data sets",
            Statistic::SwapRateUninformativeVsIdeal => "swap rate uninformative vs ideal",
            Statistic::SwapRateBroadVsFocused => "swap rate broad vs focused",
            Statistic::SwapRateLeftVsRight => "swap rate left vs right",
        }
    }
}

/// The column of a derived table in which a cell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DerivedColumn {
    /// All queries.
    All,
    /// Uninformative queries.
    Uninformative,
    /// Ideal queries.
    Ideal,
    /// The single column of a table that compares two query sets.
    Value,
}

impl DerivedColumn {
    const ALL: [DerivedColumn; 4] =
        [DerivedColumn::All, DerivedColumn::Uninformative, DerivedColumn::Ideal, DerivedColumn::Value];

    /// The name of the column.
    pub fn title(self) -> &'static str {
        match self {
            DerivedColumn::All => "all",
            DerivedColumn::Uninformative => "uninformative",
            DerivedColumn::Ideal => "ideal",
            DerivedColumn::Value => "value",
        }
    }
}

pub(super) fn read_derived(text: &str) -> Result<Vec<DerivedRow>, ReplayError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct DerivedFile {
        derived: Vec<DerivedRow>,
        #[serde(default)]
        #[expect(dead_code, reason = "read by `PublishedScores::read`")]
        map: Option<IgnoredAny>,
        #[serde(default)]
        #[expect(dead_code, reason = "read by `PublishedScores::read`")]
        scores: Option<IgnoredAny>,
    }
    let file: DerivedFile = toml::from_str(text).map_err(ReplayError::Derived)?;
    Ok(file.derived)
}

/// Number of decimals of the shortest decimal number that reads back as `value`.
pub(super) fn decimals(value: f64) -> u32 {
    let text = value.to_string();
    text.split_once('.').map_or(0, |(_, fraction)| fraction.len() as u32)
}

/// The original measure: `ndcg` for `ndcg.v1`. `None` for a measure that is not a UE version.
pub(super) fn original(metric: &str) -> Option<&str> {
    metric.strip_suffix(".v1").or_else(|| metric.strip_suffix(".v2"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "[[scores]]\ntable = 3\ndataset = 'd'\nmetric = 'ndcg'\ncutoffs = [5, 10]\n";

    fn error(rest: &str) -> String {
        PublishedScores::read(&format!("{BLOCK}{rest}")).unwrap_err().to_string()
    }

    #[test]
    fn scores_that_do_not_fit_are_named() {
        assert_eq!(error("values.A = [0.1, 0.2]\nvalues.B = [0.1]"), "table 3, d, ndcg: B has 1 scores for 2 cutoffs");
        assert!(error("values.A = [0.1, 0.2]\nvalues.B = [0.1, nan]").contains("B has the score NaN"));
        assert!(error("values.A = [0.1, 0.2]\nvalues.B = [0.1, 0.1234567]").contains("0.1234567"));
        assert!(error("values.A = [0.1, 0.2]").contains("two methods"));
        let twice =
            format!("values.A = [0.1, 0.2]\nvalues.B = [0.1, 0.3]\n{BLOCK}values.A = [1, 1]\nvalues.B = [1, 1]");
        assert!(error(&twice).contains("twice"));
        let other = twice.replace("values.B = [1, 1]", "values.C = [1, 1]").replacen("ndcg", "ap", 1);
        assert!(error(&other).contains("the methods differ from the methods of the first block (A, B)"));
        assert!(matches!(PublishedScores::read("x = 1"), Err(ReplayError::Scores(_))));
        assert!(read_derived("[[derived]]\ntable = 1\nstatistic = 'tau'\ndataset = 'd'\nmetric = 'm'").is_err());
    }

    #[test]
    fn means_of_printed_decimals_tie_exactly() {
        // .1 + .2 and .3 + 0 differ as sums of doubles.
        let text = format!("{BLOCK}values.A = [0.1, 0.2]\nvalues.B = [0.3, 0.0]");
        let scores = PublishedScores::read(&text).unwrap();
        let means = scores.blocks[0].method_scores();
        assert_eq!(means, [0.15, 0.15]);
        assert_eq!(scores.blocks[0].decimals, 1);
        assert_eq!(scores.comparisons("d", "ndcg"), Some(2));
    }
}
