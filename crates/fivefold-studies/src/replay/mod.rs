//! Replay of published numbers: the paper's derived tables are recomputed from its own printed
//! scores, cell by cell.
//!
//! Feng & Karmaker (IPM 2023) print the score of every method at every cutoff (Tables 3 to 6 and 15
//! to 18). Further tables print statistics derived from these scores (Tables 7 to 14 and 19 to 26).
//! For all queries, Kendall's tau, the swap rate between the data sets and PAD follow from the
//! printed scores alone. So they are recomputed and compared. The other cells rest on per-query
//! values that are not printed. So they are tested against known limits:
//! - m methods have p = m (m-1) / 2 pairs. Without ties, tau is a multiple of 2 / p, and the swap
//!   rate a multiple of 1 / p;
//! - conflicts of two measures are at least the difference of their discriminative powers, and have
//!   the same parity. Conflicts are at most the sum of the powers, and at most twice the
//!   comparisons minus the sum of the powers;
//! - discriminative power is at most the number of comparisons.
//!
//! The paper cuts digits off instead of rounding, so a number agrees if it differs by less than one
//! unit of the last printed digit. The scores are cut off, too. A number follows within rounding if
//! some scores with the same printed digits give it (`bounds`). `misprint` looks for scores whose
//! decimal point may have slipped.
//!
//! Printed correlations with people's ratings are of another form, and have checks of their own
//! (`correlations`).
//!
//! Cost: microseconds. A replay reads only the two texts.

mod bounds;
mod check;
mod conclusions;
mod correlations;
pub(crate) mod misprint;
mod published;
mod report;
mod reproduce;

pub use check::{CheckedCell, Verdict};
pub use conclusions::{Answer, Conclusion};
pub use correlations::{
    CheckedCorrelation, CheckedImprovement, CorrelationReplay, has_correlations, replay_correlations,
};
pub(crate) use correlations::{PrintedCorrelations, VERSIONS, pai, printed_correlations};
pub use misprint::Misprint;
pub use published::{DerivedColumn, ReplayError, Statistic};
pub use reproduce::{DerivedPair, ReproduceError, Reproduction, ScorePair, reproduce};

use published::{PublishedScores, read_derived};

/// Scores printed in Feng & Karmaker (IPM 2023), Tables 3 to 6 and 15 to 18.
pub const FENG_KARMAKER_2023_SCORES: &str = include_str!("../../published/feng-karmaker-2023/scores.toml");

/// Derived statistics printed in Feng & Karmaker (IPM 2023), Tables 7 to 14 and 19 to 26.
pub const FENG_KARMAKER_2023_DERIVED: &str = include_str!("../../published/feng-karmaker-2023/derived.toml");

/// Correlations with people's ratings printed in Feng's dissertation (2023), Tables 8.1 to 8.3 and
/// 9.1.
pub const FENG_2023_CORRELATIONS: &str = include_str!("../../published/feng-2023/correlations.toml");

/// The result of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// Every printed cell of the derived tables, in the order of the file.
    pub cells: Vec<CheckedCell>,
    /// Printed scores whose decimal point may have slipped.
    pub misprints: Vec<Misprint>,
}

impl Replay {
    /// Number of cells with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cells.iter().filter(|cell| cell.verdict == verdict).count()
    }
}

/// Recomputes the derived tables of `derived_text` from the method scores of `scores_text` (both
/// TOML, in the form of `published/feng-karmaker-2023/`) and compares cell by cell.
///
/// # Errors
/// A text that cannot be read, or scores that do not fit together: see [`ReplayError`].
pub fn replay(scores_text: &str, derived_text: &str) -> Result<Replay, ReplayError> {
    let scores = PublishedScores::read(scores_text)?;
    let derived = read_derived(derived_text)?;
    let cells = check::check_all(&scores, &derived);
    let misprints = misprint::find(&scores, &derived, &cells);
    Ok(Replay { cells, misprints })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper() -> Replay {
        replay(FENG_KARMAKER_2023_SCORES, FENG_KARMAKER_2023_DERIVED).unwrap()
    }

    fn named<'a>(replay: &'a Replay, statistic: Statistic, verdicts: &[Verdict]) -> Vec<&'a CheckedCell> {
        replay.cells.iter().filter(|c| c.statistic == statistic && verdicts.contains(&c.verdict)).collect()
    }

    const AGREES: [Verdict; 2] = [Verdict::Equal, Verdict::WithinRounding];

    #[test]
    fn all_eight_tau_values_follow() {
        let cells = named(&paper(), Statistic::KendallTau, &AGREES).len();
        assert_eq!(cells, 8);
        assert!(named(&paper(), Statistic::KendallTau, &[Verdict::Differs]).is_empty());
    }

    #[test]
    fn four_swap_rates_follow_and_two_if_close_methods_change_places() {
        let replay = paper();
        let follow = named(&replay, Statistic::SwapRateAcrossDatasets, &[Verdict::Equal]);
        let metrics: Vec<&str> = follow.iter().map(|c| c.metric.as_str()).collect();
        assert_eq!(metrics, ["ndcg.v2", "ap", "ap.v1", "ap.v2"]);
        // Random forest and coordinate ascent are .0006 and .0002 apart on MSLR-WEB30K, printed
        // with three decimals.
        let open = named(&replay, Statistic::SwapRateAcrossDatasets, &[Verdict::WithinRounding]);
        let metrics: Vec<&str> = open.iter().map(|c| c.metric.as_str()).collect();
        assert_eq!(metrics, ["ndcg", "ndcg.v1"]);
        assert!(open.iter().all(|c| c.printed == 0.107 && c.computed == Some(2.0 / 28.0)));
        assert!(open[0].remark.ends_with("which gives 0.071 to 0.107 at most"), "{open:?}");
    }

    #[test]
    fn eight_pad_cells_follow_and_the_four_others_are_listed() {
        let replay = paper();
        assert_eq!(named(&replay, Statistic::PadPercent, &AGREES).len(), 8);
        let differ = named(&replay, Statistic::PadPercent, &[Verdict::Differs]);
        let cells: Vec<(&str, &str, f64, String)> = differ
            .iter()
            .map(|c| (c.dataset.as_str(), c.metric.as_str(), c.printed, format!("{:.2}", c.computed.unwrap())))
            .collect();
        let listed = [
            ("mslr-web30k", "ndcg", 31.0, "29.81".to_owned()),
            ("mq2007", "ndcg.v1", 3.6, "2.11".to_owned()),
            ("mq2007", "ap.v1", 6.86, "6.96".to_owned()),
            ("mq2007", "ap.v2", 20.01, "22.85".to_owned()),
        ];
        assert_eq!(cells, listed);
    }

    #[test]
    fn the_impossible_cells_are_found_and_no_others() {
        let replay = paper();
        let found: Vec<(u32, &str, &str, DerivedColumn, f64)> = replay
            .cells
            .iter()
            .filter(|c| c.verdict == Verdict::Impossible)
            .map(|c| (c.table, c.dataset.as_str(), c.metric.as_str(), c.column, c.printed))
            .collect();
        assert_eq!(
            found,
            [
                (8, "mslr-web30k", "ndcg.v2", DerivedColumn::Uninformative, 46.0),
                (19, "mq2007", "ap.v2", DerivedColumn::Uninformative, 0.624),
                (20, "mq2007", "ap.v1", DerivedColumn::All, 1.0),
                (20, "mq2007", "ap.v2", DerivedColumn::All, 8.0),
            ]
        );
    }

    #[test]
    fn every_cell_has_a_verdict_and_only_all_queries_are_recomputed() {
        let replay = paper();
        let verdicts = Verdict::ALL.iter().map(|&v| replay.count(v)).sum::<usize>();
        assert_eq!(verdicts, replay.cells.len());
        // 8 tau, 6 swap rates, 12 PAD.
        assert_eq!(replay.cells.iter().filter(|c| c.computed.is_some()).count(), 26);
        assert!(replay.cells.iter().all(|c| c.computed.is_none() || c.column == DerivedColumn::All));
    }

    #[test]
    fn the_slipped_decimal_point_is_suggested() {
        let replay = paper();
        let [misprint] = &replay.misprints[..] else { panic!("{:?}", replay.misprints) };
        assert_eq!(
            (misprint.dataset.as_str(), misprint.metric.as_str(), misprint.method.as_str(), misprint.cutoff),
            ("mq2007", "ap.v2", "ARank", 15)
        );
        assert_eq!((misprint.printed, misprint.moved), (0.0116, 0.116));
        let [repaired] = &misprint.repairs[..] else { panic!("{:?}", misprint.repairs) };
        assert_eq!((repaired.table, repaired.statistic, repaired.printed), (22, Statistic::PadPercent, 20.01));
        assert!((repaired.computed.unwrap() - 20.0).abs() < 0.02);
        assert!(misprint.breaks.is_empty());
    }
}
