//! How far the scores of a metric agree with ratings by people, at three levels.
//!
//! Scores and ratings stand for the same systems and items. An item is a document that is
//! summarised, or a query. The levels:
//!
//! - system: the correlation of two numbers of each system, its mean score and its mean rating;
//! - item: the correlation over the systems within each item, then the mean over items. Items with
//!   one score or one rating for all systems have no correlation, and are left out and counted;
//! - pooled: the correlation of all scores with all ratings.
//!
//! Only pairs of system and item with a rating count, for both metrics.
//!
//! Two metrics are compared by the difference of their correlations, with three companions:
//!
//! - a percentile interval from a paired bootstrap over items: both metrics see the same items;
//! - a permutation test that exchanges the standardised scores of the metrics, by system, by item,
//!   or by both (PERM-SYSTEMS, PERM-INPUTS and PERM-BOTH of Deutsch, Dror & Roth, "A Statistical
//!   Analysis of Summarization Evaluation Metrics Using Resampling Methods", TACL 9, 2021);
//! - [Williams' test](mod@crate::williams), at the levels that have one list of points.
//!
//! Draws in which a correlation does not exist are left out and counted. Cost of a draw: one
//! pass over the scores for the system level, items for the item level of the bootstrap, and n log L
//! otherwise, over n scores and L different ratings.

mod prepared;
mod repeated;

use fivefold_base::Seed;

use crate::correlation::Coefficient;
use crate::error::{StatsError, all_finite, same_length};
use crate::matrix::quantile;
use crate::resample::TestOptions;
use crate::williams::{Williams, williams};
use prepared::{Cells, Counted, Exchanged};

/// What the points of a correlation are.
///
/// ```
/// use fivefold_stats::CorrelationLevel;
///
/// assert_eq!(CorrelationLevel::named("item"), Some(CorrelationLevel::Item));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CorrelationLevel {
    /// The means of the systems.
    System,
    /// The systems within each item; the mean over items.
    Item,
    /// Every pair of system and item.
    Pooled,
}

impl CorrelationLevel {
    /// All levels.
    pub const ALL: [CorrelationLevel; 3] = [CorrelationLevel::System, CorrelationLevel::Item, CorrelationLevel::Pooled];

    /// The name in settings and tables.
    pub fn name(self) -> &'static str {
        match self {
            CorrelationLevel::System => "system",
            CorrelationLevel::Item => "item",
            CorrelationLevel::Pooled => "pooled",
        }
    }

    /// The level with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// What a permutation test exchanges at once between two metrics.
///
/// ```
/// use fivefold_stats::Exchange;
///
/// assert_eq!(Exchange::ALL.map(Exchange::name), ["both", "items", "systems"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// The scores of systems, then the scores of items (PERM-BOTH).
    Both,
    /// All scores of an item (PERM-INPUTS).
    Items,
    /// All scores of a system (PERM-SYSTEMS).
    Systems,
}

impl Exchange {
    /// All kinds.
    pub const ALL: [Exchange; 3] = [Exchange::Both, Exchange::Items, Exchange::Systems];

    /// The name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Exchange::Both => "both",
            Exchange::Items => "items",
            Exchange::Systems => "systems",
        }
    }

    /// The name in the publication.
    pub fn published(self) -> &'static str {
        match self {
            Exchange::Both => "PERM-BOTH",
            Exchange::Items => "PERM-INPUTS",
            Exchange::Systems => "PERM-SYSTEMS",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|exchange| exchange.name() == name)
    }
}

/// A correlation of scores with ratings.
///
/// ```
/// use fivefold_stats::{Coefficient, CorrelationLevel, RatedItems};
///
/// let ratings = [1.0, 3.0, 2.0, 3.0];
/// let rated = RatedItems::new(&ratings, 2)?;
/// let found = rated.correlation(&[0.1, 0.9, 0.5, 0.7], CorrelationLevel::Item, Coefficient::Kendall)?;
/// // The ratings of the second item are equal.
/// assert_eq!((found.value, found.points, found.left_out), (Some(1.0), 1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Correlated {
    /// The coefficient; `None` if it does not exist.
    pub value: Option<f64>,
    /// Number of systems, of items with a coefficient, or of pairs of system and item.
    pub points: usize,
    /// At the item level, the rated items without a coefficient; else 0.
    pub left_out: usize,
}

/// The mean score and the mean rating of a system, over the items on which it has a rating.
///
/// ```
/// use fivefold_stats::RatedItems;
///
/// let rated = RatedItems::new(&[1.0, 3.0, f64::NAN, f64::NAN, 2.0, f64::NAN], 2)?;
/// let means = rated.system_means(&[0.25, 0.75, 0.5, 0.5, 1.0, 0.0])?;
/// // The second system has no rating, and the third has one.
/// let found: Vec<(usize, f64, f64)> = means.iter().map(|own| (own.system, own.score, own.rating)).collect();
/// assert_eq!(found, [(0, 0.5, 2.0), (2, 1.0, 2.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SystemMean {
    /// The number of the system.
    pub system: usize,
    /// Its mean score.
    pub score: f64,
    /// Its mean rating.
    pub rating: f64,
}

/// The difference of two metrics' correlations with the same ratings.
///
/// ```
/// use fivefold_stats::{Coefficient, CorrelationLevel, Exchange, RatedItems, TestOptions};
///
/// let ratings = [1.0, 2.0, 3.0, 2.0, 3.0, 5.0, 4.0, 5.0, 6.0];
/// let (good, bad) = (ratings.map(|r| r / 9.0), ratings.map(|r| -r));
/// let rated = RatedItems::new(&ratings, 3)?;
/// let found =
///     rated.difference(&good, &bad, CorrelationLevel::Pooled, Coefficient::Kendall, Exchange::Both, &TestOptions::default())?;
/// assert_eq!((found.difference, found.interval), (Some(2.0), Some((2.0, 2.0))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CorrelationDifference {
    /// The correlation of the first metric minus that of the second.
    pub difference: Option<f64>,
    /// The percentile interval of the bootstrap.
    pub interval: Option<(f64, f64)>,
    /// Draws of the bootstrap in which both correlations exist.
    pub draws: usize,
    /// Two-sided p-value of the permutation test.
    pub p: Option<f64>,
    /// Permutations in which both correlations exist.
    pub permutations: usize,
    /// Williams' test, for Pearson's r and Spearman's rho of systems or pooled scores.
    pub williams: Option<Williams>,
}

/// Ratings of systems on items.
///
/// ```
/// use fivefold_stats::{Coefficient, CorrelationLevel, RatedItems};
///
/// // Two systems, three items; the second system has no rating for the last item.
/// let rated = RatedItems::new(&[1.0, 2.0, 4.0, 2.0, 5.0, f64::NAN], 3)?;
/// let found = rated.correlation(&[0.1, 0.3, 0.4, 0.2, 0.5, 0.9], CorrelationLevel::Pooled, Coefficient::Pearson)?;
/// assert_eq!(found.points, 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RatedItems {
    cells: Cells,
}

/// Draws with statistics that differ by less count as equal.
const TOLERANCE: f64 = 1e-9;

impl RatedItems {
    /// Ratings `[system][item]` with `items` ratings a system; NaN for a missing rating.
    ///
    /// # Errors
    /// [`StatsError::LengthMismatch`] if the ratings are no whole number of systems, and
    /// [`StatsError::NotFinite`] for an infinite rating.
    pub fn new(ratings: &[f64], items: usize) -> Result<Self, StatsError> {
        if items == 0 || !ratings.len().is_multiple_of(items) {
            return Err(StatsError::LengthMismatch { first: ratings.len(), second: items });
        }
        if let Some(position) = ratings.iter().position(|rating| rating.is_infinite()) {
            return Err(StatsError::NotFinite { position, value: ratings[position] });
        }
        Ok(RatedItems { cells: Cells::new(ratings, items) })
    }

    /// The correlation of scores `[system][item]` with the ratings.
    ///
    /// # Errors
    /// [`StatsError::LengthMismatch`] and [`StatsError::NotFinite`].
    pub fn correlation(
        &self,
        scores: &[f64],
        level: CorrelationLevel,
        coefficient: Coefficient,
    ) -> Result<Correlated, StatsError> {
        self.check(scores)?;
        let mut counted = Counted::new(&self.cells, scores, level, coefficient)?;
        let value = counted.of(&self.cells, &vec![1; self.cells.items])?;
        let points = counted.points(&self.cells);
        let rated = self.cells.rated_items();
        let left_out = if level == CorrelationLevel::Item { rated - points } else { 0 };
        Ok(Correlated { value, points, left_out })
    }

    /// The means of the systems that have a rating, in the order of the systems: the points of the
    /// system level.
    ///
    /// # Errors
    /// [`StatsError::LengthMismatch`] and [`StatsError::NotFinite`].
    pub fn system_means(&self, scores: &[f64]) -> Result<Vec<SystemMean>, StatsError> {
        self.check(scores)?;
        Ok(self.cells.system_means(scores))
    }

    /// The correlation of the first metric's scores with the ratings, minus that of the second
    /// metric's, with a bootstrap interval, a permutation test and Williams' test. `options` gives
    /// the draws of both resampling methods, their seed and the confidence of the interval. The
    /// items that are drawn depend on the seed alone, not on the metrics.
    ///
    /// # Errors
    /// [`StatsError::LengthMismatch`], [`StatsError::NotFinite`], and options out of range.
    pub fn difference(
        &self,
        first: &[f64],
        second: &[f64],
        level: CorrelationLevel,
        coefficient: Coefficient,
        exchange: Exchange,
        options: &TestOptions,
    ) -> Result<CorrelationDifference, StatsError> {
        self.check(first)?;
        self.check(second)?;
        let (draws, confidence) = (options.checked_draws()?, options.checked_confidence()?);
        let mut both = [
            Counted::new(&self.cells, first, level, coefficient)?,
            Counted::new(&self.cells, second, level, coefficient)?,
        ];
        let ones = vec![1; self.cells.items];
        let [one, other] = both.each_mut().map(|counted| counted.of(&self.cells, &ones));
        let (one, other) = (one?, other?);
        let mut found = CorrelationDifference {
            difference: one.zip(other).map(|(one, other)| one - other),
            interval: None,
            draws: 0,
            p: None,
            permutations: 0,
            williams: None,
        };
        let Some(observed) = found.difference else { return Ok(found) };
        let mut drawn = self.bootstrap(&mut both, options.seed.derive("rated bootstrap"), draws)?;
        drawn.sort_by(f64::total_cmp);
        found.draws = drawn.len();
        let tail = (1.0 - confidence) / 2.0;
        found.interval = (!drawn.is_empty()).then(|| (quantile(&drawn, tail), quantile(&drawn, 1.0 - tail)));
        if let Some(mut exchanged) = Exchanged::new(&self.cells, first, second, level, coefficient) {
            let seed = options.seed.derive("rated permutation");
            let mut hits = 0;
            for draw in 0..draws {
                let mut rng = seed.derive_index("draw", draw as u64).rng();
                let Some(permuted) = exchanged.draw(&self.cells, exchange, &mut rng)? else { continue };
                found.permutations += 1;
                hits += usize::from(permuted.abs() >= observed.abs() - TOLERANCE);
            }
            found.p = (found.permutations > 0).then(|| (1 + hits) as f64 / (1 + found.permutations) as f64);
        }
        if coefficient != Coefficient::Kendall
            && let Some([x, y]) = self.cells.points(level, first, second)
            && let (Some(one), Some(other), Some(between)) = (one, other, coefficient.of(&x, &y)?)
        {
            found.williams = williams(one, other, between, x.len())?;
        }
        Ok(found)
    }

    /// Differences of the correlations on drawn items; draws without a correlation are left out.
    fn bootstrap(&self, both: &mut [Counted; 2], seed: Seed, draws: usize) -> Result<Vec<f64>, StatsError> {
        let items = self.cells.items;
        let mut counts = vec![0u32; items];
        let mut drawn = Vec::with_capacity(draws);
        for draw in 0..draws {
            let mut rng = seed.derive_index("draw", draw as u64).rng();
            counts.fill(0);
            (0..items).for_each(|_| counts[rng.index(items)] += 1);
            let [one, other] = both.each_mut().map(|counted| counted.of(&self.cells, &counts));
            drawn.extend(one?.zip(other?).map(|(one, other)| one - other));
        }
        Ok(drawn)
    }

    fn check(&self, scores: &[f64]) -> Result<(), StatsError> {
        same_length(scores.len(), self.cells.systems * self.cells.items)?;
        all_finite(scores)
    }
}

#[cfg(test)]
mod tests;
