//! The feature `adapters`: rankers of linfa and smartcore. The feature is off by default, because
//! it brings a sixth of all dependencies.
//!
//! This module also holds the names of these rankers, so that a build without the feature can say
//! where they are.

#[cfg(feature = "adapters")]
pub(crate) use fivefold_adapters::RANKERS;
use fivefold_core::Absent;
#[cfg(not(feature = "adapters"))]
use fivefold_core::RankerEntry;

/// No adapted ranker.
#[cfg(not(feature = "adapters"))]
pub(crate) const RANKERS: &[RankerEntry] = &[];

/// The linear ranker of linfa, whose models can be exported.
pub(crate) const LINFA_LOGISTIC: &str = "linfa-logistic";

/// The adapted rankers by name.
pub(crate) const NAMES: &[Absent] = &[absent(LINFA_LOGISTIC), absent("smartcore-forest")];

const fn absent(name: &'static str) -> Absent {
    Absent { name, feature: "adapters" }
}

#[cfg(all(test, feature = "adapters"))]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_adapters() {
        let listed: Vec<&str> = RANKERS.iter().map(|entry| entry.name).collect();
        assert_eq!(NAMES.iter().map(|absent| absent.name).collect::<Vec<_>>(), listed);
        assert!(crate::builtin().absent().is_empty());
    }
}
