//! Draws diagrams of systems as SVG, and writes their numbers as CSV.

use fivefold_analysis::Diagram;

use crate::critical_difference::ranks_figure;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::intervals::intervals_figure;
use crate::p_values::pairs_figure;

/// The figure of a diagram: its drawing, and its numbers as CSV.
///
/// ```
/// use fivefold_analysis::Diagram;
/// use fivefold_analysis::diagram::Ranks;
/// use fivefold_report::diagram_figure;
///
/// let figure = diagram_figure(&Diagram::Ranks(Ranks {
///     id: "ranks".to_owned(),
///     title: "Average ranks".to_owned(),
///     systems: vec!["A".to_owned(), "B".to_owned()],
///     average: vec![1.25, 1.75],
///     critical_difference: 1.0,
///     cliques: vec![vec![0, 1]],
///     notes: Vec::new(),
/// }))?;
/// assert!(figure.csv.contains("1.25") && figure.svg.starts_with("<svg"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ReportError::Malformed`] if a number is not finite, or if the number of values is not the
/// number of systems.
pub fn diagram_figure(diagram: &Diagram) -> Result<Figure, ReportError> {
    match diagram {
        Diagram::Intervals(intervals) => intervals_figure(intervals),
        Diagram::Ranks(ranks) => ranks_figure(ranks),
        Diagram::Pairs(pairs) => pairs_figure(pairs),
    }
}

#[cfg(test)]
mod tests {
    use fivefold_analysis::diagram::{IntervalSeries, Intervals, PairOfSystems, Pairs, Ranks};

    use super::*;

    /// Two long names that differ in a single letter in the middle, where long names are cut.
    #[test]
    fn long_names_stay_apart_and_are_whole_where_one_points() {
        let systems = ["x", "y"].map(|letter| format!("{}{letter}{}", "a<".repeat(20), "b&".repeat(20))).to_vec();
        let (id, title, notes) = ("id".to_owned(), "title".to_owned(), Vec::new());
        let cell = |difference| Some(PairOfSystems { difference, p: 0.5 });
        let series = vec![IntervalSeries { name: "ap".to_owned(), means: vec![(0.5, None), (0.25, None)] }];
        let diagrams = [
            Diagram::Intervals(Intervals {
                id: id.clone(),
                title: title.clone(),
                axis: "mean".to_owned(),
                systems: systems.clone(),
                series,
                notes: notes.clone(),
            }),
            Diagram::Pairs(Pairs {
                id: id.clone(),
                title: title.clone(),
                systems: systems.clone(),
                cells: vec![vec![None, cell(0.1)], vec![cell(-0.1), None]],
                alpha: 0.05,
                notes: notes.clone(),
            }),
            Diagram::Ranks(Ranks {
                id,
                title,
                systems: systems.clone(),
                average: vec![1.0, 2.0],
                critical_difference: 0.5,
                cliques: Vec::new(),
                notes,
            }),
        ];
        for diagram in &diagrams {
            let figure = diagram_figure(diagram).unwrap();
            let document = roxmltree::Document::parse(&figure.svg).unwrap();
            let names = document.root_element().children().filter(|node| !node.has_tag_name("title"));
            let titles = names.flat_map(|node| node.descendants()).filter(|node| node.has_tag_name("title"));
            let named: Vec<(&str, &str)> = titles
                .map(|title| {
                    (title.text().unwrap(), title.parent_element().unwrap().last_child().unwrap().text().unwrap())
                })
                .collect();
            assert_eq!(named.iter().map(|(whole, _)| *whole).collect::<Vec<_>>(), systems, "{}", figure.svg);
            assert_ne!(named[0].1, named[1].1);
            assert!(named.iter().all(|(_, shown)| shown.contains('…')));
        }
    }
}
