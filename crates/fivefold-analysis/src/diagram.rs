//! Finished diagrams of systems, ready to be drawn: means with intervals, average ranks, and
//! p-values of pairs. Points are in a [`Chart`](crate::Chart) instead. Systems stand in the order
//! in which a page shows them.

/// A diagram of systems.
///
/// ```
/// use fivefold_analysis::Diagram;
/// use fivefold_analysis::diagram::Ranks;
///
/// let mut diagram = Diagram::Ranks(Ranks {
///     id: "ranks".to_owned(),
///     title: "Average ranks".to_owned(),
///     systems: vec!["A".to_owned(), "B".to_owned()],
///     average: vec![1.25, 1.75],
///     critical_difference: 1.0,
///     cliques: vec![vec![0, 1]],
///     notes: Vec::new(),
/// });
/// diagram.id_mut().push_str("-ndcg");
/// assert_eq!(diagram.id_mut(), "ranks-ndcg");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Diagram {
    /// Means with intervals, a line for each system.
    Intervals(Intervals),
    /// A critical-difference diagram.
    Ranks(Ranks),
    /// p-values of all pairs.
    Pairs(Pairs),
}

impl Diagram {
    /// The id: a file name without ending.
    pub fn id_mut(&mut self) -> &mut String {
        match self {
            Diagram::Intervals(Intervals { id, .. })
            | Diagram::Ranks(Ranks { id, .. })
            | Diagram::Pairs(Pairs { id, .. }) => id,
        }
    }
}

/// Means with intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct Intervals {
    /// File name without ending.
    pub id: String,
    /// The title.
    pub title: String,
    /// The label of the axis: the quantity of the means.
    pub axis: String,
    /// The systems, from the top.
    pub systems: Vec<String>,
    /// The series; each has a mark on every line.
    pub series: Vec<IntervalSeries>,
    /// Lines under the diagram.
    pub notes: Vec<String>,
}

/// One mean of each system.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalSeries {
    /// The name in the legend.
    pub name: String,
    /// For each system, the mean and the ends of its interval, if there is an interval.
    pub means: Vec<(f64, Option<(f64, f64)>)>,
}

/// Average ranks, and the groups of systems that the ranks do not tell apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranks {
    /// File name without ending.
    pub id: String,
    /// The title.
    pub title: String,
    /// The systems.
    pub systems: Vec<String>,
    /// The average rank of each system.
    pub average: Vec<f64>,
    /// Two systems are told apart if their average ranks differ by more than the critical
    /// difference.
    pub critical_difference: f64,
    /// Groups of systems that the critical difference does not tell apart, as numbers, the best
    /// first.
    pub cliques: Vec<Vec<usize>>,
    /// Lines under the diagram.
    pub notes: Vec<String>,
}

/// p-values of all pairs of systems.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    /// File name without ending.
    pub id: String,
    /// The title.
    pub title: String,
    /// The systems, from the top and from the left.
    pub systems: Vec<String>,
    /// `[row][column]`; `None` for a system and itself, or if the p-value is undefined.
    pub cells: Vec<Vec<Option<PairOfSystems>>>,
    /// The level below which a p-value is significant.
    pub alpha: f64,
    /// Lines under the diagram.
    pub notes: Vec<String>,
}

/// The system of a row against the system of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairOfSystems {
    /// Mean of the row's system minus mean of the column's system.
    pub difference: f64,
    /// The p-value.
    pub p: f64,
}
