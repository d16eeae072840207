//! Means of all systems under all measures of a data set, with what is told apart from the best.

use fivefold_analysis::Compared;
use fivefold_analysis::compared::PairedDifference;
use fivefold_analysis::page::PageDataset;

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
    /// The best system under the first measure.
    pub best: String,
    /// Whether differences have intervals.
    pub intervals: bool,
}

/// A measure.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// Its name, with the cutoff if measures have different ones.
    pub name: String,
    /// The name where the measure before is of the same family: `.v1`.
    pub short: String,
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
    pub cells: Vec<ScoreCell>,
    /// The groups of systems that are not told apart under the first measure, by number, that this system belongs to.
    pub groups: Vec<usize>,
    /// The difference to the best system under the first measure; `None` of the best itself and of an untested pair.
    pub difference: Option<PairedDifference>,
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

impl ScoreMatrix {
    pub(super) fn new(dataset: &PageDataset, alpha: f64) -> Self {
        let compared: Vec<Compared> = dataset.compared.iter().map(|own| own.among(&dataset.shown)).collect();
        let first = &compared[0];
        let order = order(first);
        let with_cutoff = one_cutoff(&[dataset]).is_none();
        let rows = order.iter().map(|&place| Row {
            system: dataset.systems[first.systems[place]].clone(),
            cells: compared.iter().map(|own| cell(own, first.systems[place], alpha)).collect(),
            groups: Vec::new(),
            difference: order.first().filter(|&&best| best != place).and_then(|&best| first.difference(place, best)),
        });
        let mut rows: Vec<Row> = rows.collect();
        for (number, group) in groups(first, &order, alpha).into_iter().enumerate() {
            group.for_each(|row| rows[row].groups.push(number));
        }
        ScoreMatrix {
            dataset: dataset.name.clone(),
            queries: dataset.queries,
            columns: columns(
                &compared,
                with_cutoff,
                &order.iter().map(|&place| first.systems[place]).collect::<Vec<_>>(),
            ),
            best: rows.first().map(|row| row.system.clone()).unwrap_or_default(),
            intervals: rows.iter().any(|row| row.difference.is_some_and(|difference| difference.ends.is_some())),
            left_out: dataset.systems.len() - dataset.failed.len() - rows.len(),
            rows,
        }
    }
}

/// The columns of some measures. `systems` are the systems of the rows.
pub(super) fn columns(compared: &[Compared], with_cutoff: bool, systems: &[usize]) -> Vec<Column> {
    let name = |own: &Compared| if with_cutoff { own.measure_at(own.main_cutoff()) } else { own.measure.clone() };
    let short = |place: usize| {
        let own = &compared[place];
        let before = place.checked_sub(1).map(|before| &compared[before].family);
        let version = own.measure.strip_prefix(&own.family).filter(|rest| rest.starts_with('.') && !with_cutoff);
        version.filter(|_| before == Some(&own.family)).map_or_else(|| name(own), str::to_owned)
    };
    let column = |(place, own): (usize, &Compared)| Column {
        name: name(own),
        short: short(place),
        measure: own.measure_at(own.main_cutoff()),
        order: order(own)
            .iter()
            .filter_map(|&at| systems.iter().position(|&of_row| of_row == own.systems[at]))
            .collect(),
        differences: differences(own, systems),
    };
    compared.iter().enumerate().map(column).collect()
}

/// The difference of each system to the best system of a measure.
fn differences(compared: &Compared, systems: &[usize]) -> Vec<Option<PairedDifference>> {
    let place = |system: &usize| compared.systems.iter().position(|own| own == system);
    let best = order(compared).first().copied();
    systems.iter().map(|system| compared.difference(place(system)?, best?)).collect()
}

/// Places of systems from the highest mean to the lowest, then those without a mean.
pub(super) fn order(compared: &Compared) -> Vec<usize> {
    let levels = compared.levels(compared.main_cutoff());
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by(|&a, &b| match (levels[a], levels[b]) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    order
}

/// The mean of a system (index of all of the data set) and how it stands to the best.
fn cell(compared: &Compared, system: usize, alpha: f64) -> ScoreCell {
    let cutoff = compared.main_cutoff();
    let levels = compared.levels(cutoff);
    let own = compared.systems.iter().position(|&other| other == system);
    let best = order(compared).first().copied();
    let (Some(own), Some(best)) = (own, best) else {
        return ScoreCell { mean: None, standing: Standing::Untested };
    };
    let standing = match compared.p(best, own, cutoff) {
        _ if levels[own].is_none() => Standing::Untested,
        _ if levels[own] == levels[best] => Standing::Best,
        _ if compared.too_few_draws.is_some() => Standing::Untested,
        None => Standing::Untested,
        Some(_) if compared.beaten(best, cutoff, alpha).contains(&own) => Standing::Worse,
        Some(_) => Standing::NotToldApart,
    };
    ScoreCell { mean: compared.column(cutoff)[own], standing }
}

/// The longest runs of the order in which no two systems are told apart; runs of one are left out, and so are all if a
/// pair was not tested.
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

    /// a and b, b and c are not told apart, a and c are.
    #[test]
    fn rows_go_by_the_mean_and_say_what_is_told_apart() {
        let own = samples::compared("ndcg", [0.2, 0.9, 0.5], [Some(0.01), Some(0.3), Some(0.2)]);
        let matrix = ScoreMatrix::new(&samples::three_systems(vec![own]), 0.05);
        let systems: Vec<&str> = matrix.rows.iter().map(|row| row.system.as_str()).collect();
        assert_eq!((systems.as_slice(), matrix.best.as_str()), (&["b", "c", "a"][..], "b"));
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
        let matrix = ScoreMatrix::new(&samples::three_systems(vec![ndcg, ap]), 0.05);
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
        let matrix = ScoreMatrix::new(&samples::three_systems(vec![own]), 0.05);
        assert!(matrix.rows.iter().all(|row| row.groups.is_empty()));
        let untested = samples::compared("ndcg", [0.2, 0.9, 0.5], [None, None, None]);
        let matrix = ScoreMatrix::new(&samples::three_systems(vec![untested]), 0.05);
        assert_eq!(matrix.rows[1].cells[0].standing, Standing::Untested);
    }
}
