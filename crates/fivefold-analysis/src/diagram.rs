//! Finished diagrams of systems, ready to be drawn: what a [`Chart`](crate::Chart) is for points, for means with intervals, average
//! ranks, and p-values of pairs. Systems stand in the order in which they are to be shown.

/// A diagram of systems.
#[derive(Debug, Clone, PartialEq)]
pub enum Diagram {
    /// Means with intervals, a line a system.
    Intervals(Intervals),
    /// A critical-difference diagram.
    Ranks(Ranks),
    /// p-values of all pairs.
    Pairs(Pairs),
}

impl Diagram {
    /// Its id: a file name without ending.
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
    /// What it shows.
    pub title: String,
    /// What the means are of.
    pub axis: String,
    /// The systems, from the top.
    pub systems: Vec<String>,
    /// One a mark of each line.
    pub series: Vec<IntervalSeries>,
    /// Lines under the diagram.
    pub notes: Vec<String>,
}

/// One mean of each system.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalSeries {
    /// Its name in the legend.
    pub name: String,
    /// One a system: the mean, and the ends of its interval where it has one.
    pub means: Vec<(f64, Option<(f64, f64)>)>,
}

/// Average ranks, and which systems they do not tell apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranks {
    /// File name without ending.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The systems.
    pub systems: Vec<String>,
    /// The average rank of each.
    pub average: Vec<f64>,
    /// Differences of average ranks up to this one are none.
    pub critical_difference: f64,
    /// Systems that it does not tell apart, as numbers, the best first.
    pub cliques: Vec<Vec<usize>>,
    /// Lines under the diagram.
    pub notes: Vec<String>,
}

/// p-values of all pairs of systems.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    /// File name without ending.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The systems, from the top and from the left.
    pub systems: Vec<String>,
    /// `[row][column]`; `None`: a system and itself, or undefined.
    pub cells: Vec<Vec<Option<PairOfSystems>>>,
    /// The level below which a p-value is significant.
    pub alpha: f64,
    /// Lines under the diagram.
    pub notes: Vec<String>,
}

/// The system of a row against that of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairOfSystems {
    /// How much better the system of the row is.
    pub difference: f64,
    /// The p-value.
    pub p: f64,
}
