//! Scores and ratings, prepared so that a draw needs sums and no copies.

use fivefold_base::Rng;

use super::repeated::Repeated;
use super::{CorrelationLevel, Exchange, SystemMean};
use crate::correlation::{Coefficient, constant};
use crate::error::StatsError;

/// The pairs of system and item that have a rating.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    pub(super) systems: usize,
    pub(super) items: usize,
    /// Systems in order, and the items of each system in order.
    all: Vec<Cell>,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    system: usize,
    item: usize,
    rating: f64,
}

impl Cells {
    /// The cells of ratings `[system][item]`.
    pub(super) fn new(ratings: &[f64], items: usize) -> Self {
        let cell = |(place, &rating): (usize, &f64)| Cell { system: place / items, item: place % items, rating };
        let all = ratings.iter().enumerate().map(cell).filter(|cell| !cell.rating.is_nan()).collect();
        Cells { systems: ratings.len() / items, items, all }
    }

    /// Number of items with a rating.
    pub(super) fn rated_items(&self) -> usize {
        self.of_items().iter().filter(|own| !own.is_empty()).count()
    }

    /// The places of the cells of each item.
    fn of_items(&self) -> Vec<Vec<usize>> {
        let mut of_items = vec![Vec::new(); self.items];
        self.all.iter().enumerate().for_each(|(place, cell)| of_items[cell.item].push(place));
        of_items
    }

    /// The cells' own numbers out of `[system][item]`.
    fn own(&self, scores: &[f64]) -> Vec<f64> {
        self.all.iter().map(|cell| scores[cell.system * self.items + cell.item]).collect()
    }

    fn ratings(&self) -> Vec<f64> {
        self.all.iter().map(|cell| cell.rating).collect()
    }

    /// The means of several lists of the cells' numbers for each system with a cell that counts.
    fn means<const N: usize>(
        &self,
        counts: &[u32],
        numbers: impl Fn(usize, &Cell) -> [f64; N],
        means: &mut [Vec<f64>; N],
    ) {
        means.iter_mut().for_each(Vec::clear);
        let mut place = 0;
        for of_system in self.all.chunk_by(|a, b| a.system == b.system) {
            let (mut all, mut sums) = (0.0, [0.0; N]);
            for cell in of_system {
                let count = f64::from(counts[cell.item]);
                all += count;
                let own = numbers(place, cell);
                (0..N).for_each(|list| sums[list] += count * own[list]);
                place += 1;
            }
            if all > 0.0 {
                means.iter_mut().zip(sums).for_each(|(means, sum)| means.push(sum / all));
            }
        }
    }

    /// Mean score and mean rating of each system with a cell.
    pub(super) fn system_means(&self, scores: &[f64]) -> Vec<SystemMean> {
        let own = self.own(scores);
        let mut means = [Vec::new(), Vec::new()];
        self.means(&vec![1; self.items], |place, cell| [own[place], cell.rating], &mut means);
        let systems = self.all.chunk_by(|a, b| a.system == b.system).map(|cells| cells[0].system);
        let [scores, ratings] = means;
        systems.zip(scores).zip(ratings).map(|((system, score), rating)| SystemMean { system, score, rating }).collect()
    }

    /// The scores of two metrics as the points of a level; `None` at the item level, which has a
    /// list of points for each item.
    pub(super) fn points(&self, level: CorrelationLevel, first: &[f64], second: &[f64]) -> Option<[Vec<f64>; 2]> {
        let own = [self.own(first), self.own(second)];
        match level {
            CorrelationLevel::Pooled => Some(own),
            CorrelationLevel::Item => None,
            CorrelationLevel::System => {
                let mut means = [Vec::new(), Vec::new()];
                self.means(&vec![1; self.items], |place, _| [own[0][place], own[1][place]], &mut means);
                Some(means)
            }
        }
    }
}

/// A metric whose correlation is asked for with each item counted a number of times.
pub(super) struct Counted {
    coefficient: Coefficient,
    kind: CountedKind,
}

enum CountedKind {
    /// The metric's scores of the cells, and room for means of scores and ratings.
    System {
        own: Vec<f64>,
        means: [Vec<f64>; 2],
    },
    /// The coefficient within each item.
    Item(Vec<Option<f64>>),
    Pooled(Repeated),
}

impl Counted {
    pub(super) fn new(
        cells: &Cells,
        scores: &[f64],
        level: CorrelationLevel,
        coefficient: Coefficient,
    ) -> Result<Self, StatsError> {
        let (own, ratings) = (cells.own(scores), cells.ratings());
        let kind = match level {
            CorrelationLevel::System => CountedKind::System { own, means: [Vec::new(), Vec::new()] },
            CorrelationLevel::Item => {
                let within = |places: Vec<usize>| {
                    let of = |list: &[f64]| places.iter().map(|&place| list[place]).collect::<Vec<_>>();
                    coefficient.of(&of(&own), &of(&ratings))
                };
                CountedKind::Item(cells.of_items().into_iter().map(within).collect::<Result<_, _>>()?)
            }
            CorrelationLevel::Pooled => CountedKind::Pooled(Repeated::new(&own, &ratings)),
        };
        Ok(Counted { coefficient, kind })
    }

    /// The correlation if each item counts `counts[item]` times.
    pub(super) fn of(&mut self, cells: &Cells, counts: &[u32]) -> Result<Option<f64>, StatsError> {
        match &mut self.kind {
            CountedKind::System { own, means } => {
                cells.means(counts, |place, cell| [own[place], cell.rating], means);
                self.coefficient.of(&means[0], &means[1])
            }
            CountedKind::Item(of_items) => {
                let defined = of_items.iter().zip(counts).filter_map(|(own, &count)| Some(((*own)?, f64::from(count))));
                let (sum, all) = defined.fold((0.0, 0.0), |(sum, all), (own, count)| (sum + count * own, all + count));
                Ok((all > 0.0).then(|| sum / all))
            }
            CountedKind::Pooled(points) => Ok(points.of(self.coefficient, |place| counts[cells.all[place].item])),
        }
    }

    /// Number of systems, of items with a coefficient, or of cells.
    pub(super) fn points(&self, cells: &Cells) -> usize {
        match &self.kind {
            CountedKind::System { .. } => cells.all.chunk_by(|a, b| a.system == b.system).count(),
            CountedKind::Item(of_items) => of_items.iter().flatten().count(),
            CountedKind::Pooled(_) => cells.all.len(),
        }
    }
}

/// Two metrics whose standardised scores are exchanged at random.
pub(super) struct Exchanged {
    coefficient: Coefficient,
    /// The standardised scores of the cells.
    scores: [Vec<f64>; 2],
    kind: ExchangedKind,
    /// Whether the scores of a system, of an item and of a cell are exchanged.
    by_system: Vec<bool>,
    by_item: Vec<bool>,
    by_cell: Vec<bool>,
}

enum ExchangedKind {
    /// Room for the means of both metrics and of the ratings; how often each item counts: once.
    System {
        means: [Vec<f64>; 3],
        ones: Vec<u32>,
    },
    /// For each item, the places of its cells; the points are those of the first metric, then those
    /// of the second.
    Item(Vec<(Vec<usize>, Repeated)>),
    Pooled(Repeated),
}

impl Exchanged {
    /// `None` if a metric has one score for all cells, which nothing can standardise.
    pub(super) fn new(
        cells: &Cells,
        first: &[f64],
        second: &[f64],
        level: CorrelationLevel,
        coefficient: Coefficient,
    ) -> Option<Self> {
        let scores = [standardised(cells.own(first))?, standardised(cells.own(second))?];
        let ratings = cells.ratings();
        let points = |places: &[usize]| {
            let of = |list: &[f64]| places.iter().map(|&place| list[place]).collect::<Vec<_>>();
            Repeated::new(&[of(&scores[0]), of(&scores[1])].concat(), &[of(&ratings), of(&ratings)].concat())
        };
        let kind = match level {
            CorrelationLevel::System => {
                ExchangedKind::System { means: [Vec::new(), Vec::new(), Vec::new()], ones: vec![1; cells.items] }
            }
            CorrelationLevel::Item => {
                let with_points = |places: Vec<usize>| {
                    let own = points(&places);
                    (places, own)
                };
                let several = cells.of_items().into_iter().filter(|places| places.len() > 1);
                ExchangedKind::Item(several.map(with_points).collect())
            }
            CorrelationLevel::Pooled => ExchangedKind::Pooled(points(&(0..ratings.len()).collect::<Vec<_>>())),
        };
        let (by_system, by_item) = (vec![false; cells.systems], vec![false; cells.items]);
        Some(Exchanged { coefficient, kind, by_system, by_item, by_cell: vec![false; ratings.len()], scores })
    }

    /// The difference of the correlations after one random exchange; `None` if a correlation does
    /// not exist.
    pub(super) fn draw(&mut self, cells: &Cells, exchange: Exchange, rng: &mut Rng) -> Result<Option<f64>, StatsError> {
        if exchange != Exchange::Items {
            toss(&mut self.by_system, rng);
        }
        if exchange != Exchange::Systems {
            toss(&mut self.by_item, rng);
        }
        for (own, cell) in self.by_cell.iter_mut().zip(&cells.all) {
            *own = self.by_system[cell.system] != self.by_item[cell.item];
        }
        let (coefficient, by_cell, scores) = (self.coefficient, &self.by_cell, &self.scores);
        match &mut self.kind {
            ExchangedKind::System { means, ones } => {
                let numbers = |place: usize, cell: &Cell| {
                    let other = usize::from(by_cell[place]);
                    [scores[other][place], scores[1 - other][place], cell.rating]
                };
                cells.means(ones, numbers, means);
                let [first, second, ratings] = &*means;
                let (first, second) = (coefficient.of(first, ratings)?, coefficient.of(second, ratings)?);
                Ok(first.zip(second).map(|(first, second)| first - second))
            }
            ExchangedKind::Item(of_items) => {
                let mut sums = [(0.0, 0usize); 2];
                for (places, points) in of_items {
                    let exchanged = |at: usize| by_cell[places[at]];
                    let own = both(points, coefficient, places.len(), exchanged);
                    for (sum, own) in sums.iter_mut().zip(own) {
                        if let Some(own) = own {
                            *sum = (sum.0 + own, sum.1 + 1);
                        }
                    }
                }
                let [first, second] = sums.map(|(sum, count)| (count > 0).then(|| sum / count as f64));
                Ok(first.zip(second).map(|(first, second)| first - second))
            }
            ExchangedKind::Pooled(points) => {
                let [first, second] = both(points, coefficient, by_cell.len(), |at| by_cell[at]);
                Ok(first.zip(second).map(|(first, second)| first - second))
            }
        }
    }
}

/// The coefficients of both metrics. `points` has the scores of `count` cells under the first
/// metric, then under the second; exchanged cells give each metric the other's score.
fn both(
    points: &mut Repeated,
    coefficient: Coefficient,
    count: usize,
    exchanged: impl Fn(usize) -> bool,
) -> [Option<f64>; 2] {
    let of_second = |place: usize| place >= count;
    let belongs = |place: usize| exchanged(if of_second(place) { place - count } else { place }) != of_second(place);
    [
        points.of(coefficient, |place| u32::from(!belongs(place))),
        points.of(coefficient, |place| u32::from(belongs(place))),
    ]
}

/// Tosses a coin for each place.
fn toss(coins: &mut [bool], rng: &mut Rng) {
    for of_word in coins.chunks_mut(64) {
        let word = rng.next_u64();
        of_word.iter_mut().enumerate().for_each(|(bit, coin)| *coin = word >> bit & 1 == 1);
    }
}

/// The scores less their mean, divided by their standard deviation; `None` if all are equal.
fn standardised(mut scores: Vec<f64>) -> Option<Vec<f64>> {
    if scores.is_empty() || constant(&scores) {
        return None;
    }
    let n = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / n;
    let deviation = (scores.iter().map(|score| (score - mean) * (score - mean)).sum::<f64>() / n).sqrt();
    scores.iter_mut().for_each(|score| *score = (*score - mean) / deviation);
    Some(scores)
}
