//! The value of a ranking without ties, after each of many small changes.

use super::{Column, Evaluator, Judged, Scratch};

/// The most positions whose contributions are kept in a table.
const MOST_POSITIONS: usize = 64;

/// A ranking without ties, whose positions get other grades one by one. If contributions depend on
/// nothing but grade and position, only those from the first changed position on are added up again.
/// Values are those of [`Exchanges::value`](super::Exchanges::value), to the bit.
pub(crate) struct Rearranged<'a> {
    evaluator: &'a Evaluator,
    column: usize,
    /// The contribution of each grade at each position; empty if contributions depend on more.
    table: Vec<f64>,
    /// Positions of the table.
    positions: usize,
    grades: Vec<u8>,
    /// The sum of contributions before each position.
    sums: Vec<f64>,
    /// Positions whose contributions are in `sums`.
    summed: usize,
    scratch: Scratch,
}

impl<'a> Rearranged<'a> {
    /// Rankings whose values are those of a column.
    ///
    /// # Panics
    /// If there is no such column.
    pub(crate) fn new(evaluator: &'a Evaluator, column: usize) -> Self {
        let (table, positions) = evaluator.table(column).unwrap_or_default();
        let sums = vec![std::iter::empty::<f64>().sum(); positions + 1];
        let scratch = Scratch::default();
        Rearranged { evaluator, column, table, positions, grades: Vec::new(), sums, summed: 0, scratch }
    }

    /// Whether contributions are in a table.
    pub(crate) fn has_table(&self) -> bool {
        !self.table.is_empty()
    }

    /// Begins with another ranking: its grades, from the first position to the last.
    #[inline]
    pub(crate) fn begin(&mut self, grades: impl Iterator<Item = u8>) {
        self.grades.clear();
        self.grades.extend(grades);
        self.summed = 0;
    }

    /// Puts a grade at a position.
    #[inline]
    pub(crate) fn put(&mut self, position: usize, grade: u8) {
        self.grades[position] = grade;
        self.summed = self.summed.min(position);
    }

    /// The grade at a position.
    #[inline]
    pub(crate) fn grade(&self, position: usize) -> u8 {
        self.grades[position]
    }

    /// The value; NaN if it is undefined. `judged` is the query whose documents are ranked.
    #[inline]
    pub(crate) fn value(&mut self, judged: &Judged) -> f64 {
        let Rearranged { evaluator, column, table, positions, grades, sums, summed, scratch } = self;
        if table.is_empty() {
            let ranked = evaluator.exchanges(judged, *column, grades, scratch);
            return ranked.map_or(f64::NAN, |ranked| ranked.value());
        }
        let counted = grades.len().min(*positions);
        let mut sum = sums[*summed];
        for (position, &grade) in grades[..counted].iter().enumerate().skip(*summed) {
            sum += table[usize::from(grade) * *positions + position];
            sums[position + 1] = sum;
        }
        *summed = counted;
        let Column { slot, version } = evaluator.columns[*column];
        let bounds = &judged.bounds[slot];
        evaluator.drawn.add_value(*column, bounds.error(version, sums[counted], 0.0));
        bounds.value(version, sums[counted])
    }
}

impl Evaluator {
    /// The contribution of each grade at each of the positions that count, and how many they are.
    fn table(&self, column: usize) -> Option<(Vec<f64>, usize)> {
        let slot = self.columns[column].slot;
        let base = self.bases.iter().rfind(|base| base.first_slot <= slot)?;
        let positions = base.cutoffs[slot - base.first_slot].filter(|&cutoff| cutoff <= MOST_POSITIONS)?;
        let places = (0..=self.scale.highest()).flat_map(|grade| (0..positions).map(move |place| (grade, place)));
        let table = places.map(|(grade, place)| base.measure.contribution(grade, place)).collect::<Option<Vec<_>>>()?;
        Some((table, positions))
    }
}
