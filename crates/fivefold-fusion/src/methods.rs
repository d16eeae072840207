//! The methods of fusion. A new method is a file and a line in [`METHODS`].

mod borda;
mod condorcet;
mod ranks;
mod scores;

use crate::FusionError;
use crate::votes::Votes;

/// What a method uses of a ranking.
///
/// ```
/// use fivefold_fusion::{Uses, method};
///
/// assert_eq!(method("comb-sum")?.uses, Uses::Scores);
/// assert_eq!(method("rrf")?.uses, Uses::Ranks);
/// # Ok::<(), fivefold_fusion::FusionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uses {
    /// The scores, after a normaliser.
    Scores,
    /// The ranks alone.
    Ranks,
}

/// The parameter of a method.
///
/// ```
/// use fivefold_fusion::method;
///
/// let parameter = method("rrf")?.parameter.as_ref().unwrap();
/// assert_eq!((parameter.name, parameter.default), ("k", 60.0));
/// # Ok::<(), fivefold_fusion::FusionError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// The name, as in the source.
    pub name: &'static str,
    /// The value if none is given.
    pub default: f64,
    /// The lowest value.
    pub lowest: f64,
    /// The highest value.
    pub highest: f64,
}

/// A method of fusion.
///
/// ```
/// let method = fivefold_fusion::method("comb-mnz")?;
/// assert!(method.source.contains("Fox"));
/// # Ok::<(), fivefold_fusion::FusionError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Method {
    /// The name.
    pub name: &'static str,
    /// The formula in words, for one document.
    pub summary: &'static str,
    /// The paper.
    pub source: &'static str,
    /// What the method uses of a ranking.
    pub uses: Uses,
    /// The parameter, if the method has one.
    pub parameter: Option<Parameter>,
    fuse: fn(&Votes<'_>, f64) -> Result<Vec<f64>, FusionError>,
}

impl Method {
    pub(crate) fn fuse(&self, votes: &Votes<'_>, parameter: f64) -> Result<Vec<f64>, FusionError> {
        (self.fuse)(votes, parameter)
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All methods.
///
/// ```
/// let names: Vec<&str> = fivefold_fusion::METHODS.iter().map(|method| method.name).collect();
/// assert!(names.contains(&"rrf") && names.contains(&"condorcet"));
/// ```
pub const METHODS: &[Method] = &[
    ranks::RRF,
    ranks::ISR,
    ranks::LOG_ISR,
    ranks::RBC,
    borda::BORDA,
    condorcet::CONDORCET,
    scores::COMB_SUM,
    scores::COMB_MNZ,
    scores::COMB_ANZ,
    scores::COMB_MAX,
    scores::COMB_MIN,
    scores::COMB_MED,
];

/// The method with this name.
///
/// ```
/// assert_eq!(fivefold_fusion::method("borda")?.name, "borda");
/// # Ok::<(), fivefold_fusion::FusionError>(())
/// ```
///
/// # Errors
/// If there is no such method. The error names the nearest.
pub fn method(name: &str) -> Result<&'static Method, FusionError> {
    let found = METHODS.iter().find(|method| method.name == name);
    found.ok_or_else(|| FusionError::unknown("method of fusion", name, METHODS.iter().map(|method| method.name)))
}
