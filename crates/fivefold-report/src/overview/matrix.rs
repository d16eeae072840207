//! Means of all systems under all measures of a data set, with what is told apart from the best.

use fivefold_analysis::Compared;
use fivefold_analysis::compared::PairedDifference;
use fivefold_analysis::page::PageDataset;
use fivefold_analysis::table::Mark;

use super::one_cutoff;

/// The means of a data set: one row a system, one column a measure.
#[derive(Debug, Clone)]
pub(super) struct ScoreMatrix {
    /// The data set; empty where there is one only and it has no name.
    pub dataset: String,
    /// How many queries it has.
    pub queries: usize,
    pub columns: Vec<Column>,
    /// Best first by the first measure; systems without a mean last.
    pub rows: Vec<Row>,
    /// Systems that are not shown.
    pub left_out: usize,
}

/// What a measure is called in a head.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    /// Its name, with the cutoff if measures have different ones.
    pub whole: String,
    /// The name where the measure before is of the same family: `.v1`.
    pub short: String,
}

/// A measure.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub name: Name,
    /// The measure with its cutoff: `ndcg.v1@10`.
    pub measure: String,
    /// Rows from the best under this measure to the worst. Rows without a mean come last.
    pub order: Vec<usize>,
    /// `[row]`: the difference to the best under this measure. `None` for the best itself and for
    /// an untested pair.
    pub differences: Vec<Option<PairedDifference>>,
}

/// A system.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub system: String,
    /// The name that a terminal has room for.
    pub short: String,
    pub cells: Vec<ScoreCell>,
    /// The groups of systems that are not told apart under the first measure, by number, that this
    /// system belongs to.
    pub groups: Vec<usize>,
}

/// The mean of a system under a measure.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScoreCell {
    pub mean: Option<f64>,
    pub standing: Standing,
}

/// How a system stands to the best system of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is the best, or level with it.
    Best,
    /// It was tested, and is not told apart from the best.
    NotToldApart,
    /// It is significantly worse.
    Worse,
    /// It was not tested, or no test could be significant.
    Untested,
}

impl Standing {
    fn of(mark: Option<Mark>) -> Self {
        match mark {
            Some(Mark::Best) => Standing::Best,
            Some(Mark::NotToldApart) => Standing::NotToldApart,
            Some(Mark::Untested) => Standing::Untested,
            None => Standing::Worse,
        }
    }
}

impl ScoreMatrix {
    /// The matrix of a data set whose systems are called `short` in a terminal.
    pub(super) fn new(dataset: &PageDataset, short: &[String], alpha: f64) -> Self {
        let compared: Vec<Compared> = dataset.compared.iter().map(|own| own.among(&dataset.shown)).collect();
        let first = &compared[0];
        let order = first.order(first.main_cutoff());
        let systems: Vec<usize> = order.iter().map(|&place| first.systems[place]).collect();
        let cells: Vec<Vec<ScoreCell>> = compared.iter().map(|own| cells(own, &systems, alpha)).collect();
        let row = |(row, &system): (usize, &usize)| Row {
            system: dataset.systems[system].clone(),
            short: short[system].clone(),
            cells: cells.iter().map(|of_column| of_column[row]).collect(),
            groups: Vec::new(),
        };
        let mut rows: Vec<Row> = systems.iter().enumerate().map(row).collect();
        for (number, group) in groups(first, &order, alpha).into_iter().enumerate() {
            group.for_each(|row| rows[row].groups.push(number));
        }
        ScoreMatrix {
            dataset: dataset.name.clone(),
            queries: dataset.queries,
            columns: columns(&compared, one_cutoff(&[dataset]).is_none(), &systems),
            left_out: dataset.systems.len() - dataset.failed.len() - rows.len(),
            rows,
        }
    }

    /// The differences to the best system under the first measure, row by row.
    pub(super) fn differences(&self) -> &[Option<PairedDifference>] {
        &self.columns[0].differences
    }
}

/// The measures of some matrices with their cutoffs, each once.
pub(super) fn measures(matrices: &[ScoreMatrix]) -> Vec<&str> {
    let mut measures: Vec<&str> = Vec::new();
    for column in matrices.iter().flat_map(|own| &own.columns) {
        if !measures.contains(&column.measure.as_str()) {
            measures.push(&column.measure);
        }
    }
    measures
}

/// The least and the highest value of some differences and their intervals; 0 is always between.
pub(super) fn span(differences: impl Iterator<Item = PairedDifference>) -> (f64, f64) {
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    for own in differences {
        let (from, to) = own.ends.unwrap_or((own.mean, own.mean));
        for end in [own.mean, from, to].into_iter().filter(|end| end.is_finite()) {
            (low, high) = (low.min(end), high.max(end));
        }
    }
    (low, high)
}

/// What the measures are called in heads.
pub(super) fn names(compared: &[Compared], with_cutoff: bool) -> Vec<Name> {
    let whole = |own: &Compared| if with_cutoff { own.measure_at(own.main_cutoff()) } else { own.measure.clone() };
    let short = |place: usize, own: &Compared| {
        let before = place.checked_sub(1).map(|before| &compared[before].family);
        let version = own.measure.strip_prefix(&own.family).filter(|rest| rest.starts_with('.') && !with_cutoff);
        version.filter(|_| before == Some(&own.family)).map_or_else(|| whole(own), str::to_owned)
    };
    let name = |(place, own): (usize, &Compared)| Name { whole: whole(own), short: short(place, own) };
    compared.iter().enumerate().map(name).collect()
}

/// The columns of some measures. `systems` are the systems of the rows.
fn columns(compared: &[Compared], with_cutoff: bool, systems: &[usize]) -> Vec<Column> {
    let column = |(own, name): (&Compared, Name)| {
        let order = own.order(own.main_cutoff());
        let row = |&place: &usize| systems.iter().position(|&of_row| of_row == own.systems[place]);
        let difference = |system: &usize| own.difference(place(own, *system)?, *order.first()?);
        Column {
            name,
            measure: own.measure_at(own.main_cutoff()),
            differences: systems.iter().map(difference).collect(),
            order: order.iter().filter_map(row).collect(),
        }
    };
    compared.iter().zip(names(compared, with_cutoff)).map(column).collect()
}

/// The place of a system, an index of all of the data set.
fn place(compared: &Compared, system: usize) -> Option<usize> {
    compared.systems.iter().position(|&own| own == system)
}

/// The means of some systems under a measure, and how they stand to the best.
fn cells(compared: &Compared, systems: &[usize], alpha: f64) -> Vec<ScoreCell> {
    let cutoff = compared.main_cutoff();
    let (column, marks) = (compared.column(cutoff), compared.marks(cutoff, alpha));
    let cell = |&system: &usize| match place(compared, system) {
        None => ScoreCell { mean: None, standing: Standing::Untested },
        Some(own) => ScoreCell { mean: column[own], standing: Standing::of(marks[own]) },
    };
    systems.iter().map(cell).collect()
}

/// The longest runs of the order in which no two systems are told apart; runs of one are left out,
/// and so are all if a pair was not tested.
fn groups(compared: &Compared, order: &[usize], alpha: f64) -> Vec<std::ops::Range<usize>> {
    let cutoff = compared.main_cutoff();
    let apart = |a: usize, b: usize| Some(compared.p(order[a], order[b], cutoff)? < alpha);
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for first in 0..order.len() {
        let mut end = first + 1;
        while end < order.len() {
            let with_all: Option<Vec<bool>> = (first..end).map(|other| apart(other, end)).collect();
            match with_all {
                None => return Vec::new(),
                Some(told) if told.contains(&true) => break,
                Some(_) => end += 1,
            }
        }
        if end - first > 1 && found.last().is_none_or(|last| end > last.end) {
            found.push(first..end);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn made(dataset: &PageDataset) -> ScoreMatrix {
        ScoreMatrix::new(dataset, &dataset.systems, 0.05)
    }

    /// a and b, b and c are not told apart, a and c are.
    #[test]
    fn rows_go_by_the_mean_and_say_what_is_told_apart() {
        let own = samples::compared("ndcg", [0.2, 0.9, 0.5], [Some(0.01), Some(0.3), Some(0.2)]);
        let matrix = made(&samples::three_systems(vec![own]));
        let systems: Vec<&str> = matrix.rows.iter().map(|row| row.system.as_str()).collect();
        assert_eq!(systems, ["b", "c", "a"]);
        let standing: Vec<Standing> = matrix.rows.iter().map(|row| row.cells[0].standing).collect();
        assert_eq!(standing, [Standing::Best, Standing::NotToldApart, Standing::Worse]);
        let groups: Vec<&[usize]> = matrix.rows.iter().map(|row| row.groups.as_slice()).collect();
        assert_eq!(groups, [&[0][..], &[0, 1], &[1]]);
    }

    /// Under the second measure c is the best, so its differences are to c.
    #[test]
    fn each_measure_has_the_differences_to_its_own_best() {
        let difference = |mean| Some(PairedDifference { mean, ends: Some((mean - 0.25, mean + 0.25)) });
        // Of the pairs a-b, a-c and b-c.
        let mut ndcg = samples::compared("ndcg", [0.2, 0.9, 0.5], [Some(0.01); 3]);
        ndcg.differences = vec![difference(-0.7), difference(-0.3), difference(0.4)];
        let mut ap = samples::compared("ap", [0.4, 0.1, 0.6], [Some(0.01); 3]);
        ap.differences = vec![difference(0.3), difference(-0.2), None];
        let matrix = made(&samples::three_systems(vec![ndcg, ap]));
        let means = |column: usize| -> Vec<Option<f64>> {
            matrix.columns[column].differences.iter().map(|own| own.map(|own| own.mean)).collect()
        };
        // The rows are b, c and a.
        assert_eq!((means(0), means(1)), (vec![None, Some(-0.4), Some(-0.7)], vec![None, None, Some(-0.2)]));
        assert_eq!(matrix.columns[0].differences[2].unwrap().ends, Some((-0.7 - 0.25, -0.7 + 0.25)));
        assert_eq!((&matrix.columns[0].order, &matrix.columns[1].order), (&vec![0, 1, 2], &vec![1, 2, 0]));
        assert_eq!(matrix.columns[1].measure, "ap@10");
    }

    #[test]
    fn an_untested_pair_is_never_called_equal() {
        let own = samples::compared("ndcg", [0.2, 0.9, 0.5], [Some(0.01), None, Some(0.2)]);
        let matrix = made(&samples::three_systems(vec![own]));
        assert!(matrix.rows.iter().all(|row| row.groups.is_empty()));
        let untested = samples::compared("ndcg", [0.2, 0.9, 0.5], [None, None, None]);
        let matrix = made(&samples::three_systems(vec![untested]));
        assert_eq!(matrix.rows[1].cells[0].standing, Standing::Untested);
    }
}
