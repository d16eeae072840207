//! The value of a ranking without ties, after each of many small changes.

use super::{Column, Evaluator, Judged, Scratch};

/// The most positions whose contributions are kept in a table.
const MOST_POSITIONS: usize = 64;

/// A ranking without ties, whose positions get other grades one by one. If contributions depend on
/// nothing but grade and position, they come from a table. All are added up again for each value:
/// to begin at the first changed position took longer, since that is another number of steps each
/// time. Values are those of [`Exchanges::value`](super::Exchanges::value), to the bit.
pub(crate) struct Rearranged<'a> {
    evaluator: &'a Evaluator,
    column: usize,
    /// The contribution of each grade at each position; empty if contributions depend on more.
    table: Vec<f64>,
    /// Positions of the table.
    positions: usize,
    grades: Vec<u8>,
    /// The contributions of `grades` at the positions of the table.
    contributions: Vec<f64>,
    scratch: Scratch,
}

impl<'a> Rearranged<'a> {
    /// Rankings whose values are those of a column.
    ///
    /// # Panics
    /// If there is no such column.
    pub(crate) fn new(evaluator: &'a Evaluator, column: usize) -> Self {
        let (table, positions) = evaluator.table(column).unwrap_or_default();
        let (grades, contributions, scratch) = (Vec::new(), Vec::new(), Scratch::default());
        Rearranged { evaluator, column, table, positions, grades, contributions, scratch }
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
        let (table, positions) = (&self.table, self.positions);
        let of_positions = self.grades.iter().take(positions).enumerate();
        self.contributions.clear();
        self.contributions.extend(of_positions.map(|(place, &grade)| table[usize::from(grade) * positions + place]));
    }

    /// Puts a grade at a position.
    #[inline]
    pub(crate) fn put(&mut self, position: usize, grade: u8) {
        self.grades[position] = grade;
        if let Some(contribution) = self.contributions.get_mut(position) {
            *contribution = self.table[usize::from(grade) * self.positions + position];
        }
    }

    /// The grade at a position.
    #[inline]
    pub(crate) fn grade(&self, position: usize) -> u8 {
        self.grades[position]
    }

    /// The value; NaN if it is undefined. `judged` is the query whose documents are ranked.
    #[inline(always)] // into loops that ask for value after value
    pub(crate) fn value(&mut self, judged: &Judged) -> f64 {
        if self.table.is_empty() {
            return self.value_without_table(judged);
        }
        let sum = self.contributions.iter().sum();
        let Column { slot, version } = self.evaluator.columns[self.column];
        let bounds = &judged.bounds[slot];
        let error = bounds.error(version, sum, 0.0);
        if error != 0.0 {
            self.note(error);
        }
        bounds.value(version, sum)
    }

    #[cold]
    fn note(&self, error: f64) {
        self.evaluator.drawn.add_value(self.column, error);
    }

    fn value_without_table(&mut self, judged: &Judged) -> f64 {
        let Rearranged { evaluator, column, grades, scratch, .. } = self;
        let ranked = evaluator.exchanges(judged, *column, grades, scratch);
        ranked.map_or(f64::NAN, |ranked| ranked.value())
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
