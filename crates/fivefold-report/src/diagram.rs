//! Diagrams of systems as SVG, with the numbers behind each as CSV.

use fivefold_experiment::Diagram;

use crate::critical_difference::ranks_figure;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::intervals::intervals_figure;
use crate::p_values::pairs_figure;

/// The figure of a diagram: its drawing, and its numbers as CSV.
///
/// # Errors
/// [`ReportError::Malformed`] for numbers that are not finite, or not as many as there are systems.
pub fn diagram_figure(diagram: &Diagram) -> Result<Figure, ReportError> {
    match diagram {
        Diagram::Intervals(intervals) => intervals_figure(intervals),
        Diagram::Ranks(ranks) => ranks_figure(ranks),
        Diagram::Pairs(pairs) => pairs_figure(pairs),
    }
}
