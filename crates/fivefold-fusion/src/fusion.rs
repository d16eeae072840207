//! A method of fusion with its settings.

use fivefold_base::words::list;

use crate::votes::Votes;
use crate::{FusionError, METHODS, Method, NORMALISERS, Normaliser, Ranked, Uses};

/// A method of fusion with its parameter, its normaliser and the weights of the systems.
///
/// ```
/// use fivefold_fusion::{Fusion, Ranked, Ties, method, normaliser};
///
/// let first = Ranked::new([(0, 10.0), (1, 5.0), (2, 0.0)], Ties::Average)?;
/// let second = Ranked::new([(2, 0.9), (0, 0.1)], Ties::Average)?;
/// let fusion = Fusion::new(method("comb-mnz")?).with_normaliser(normaliser("min-max")?)?;
/// // Document 0: (1 + 0) x 2 systems; document 1: .5 x 1; document 2: (0 + 1) x 2.
/// assert_eq!(fusion.scores(3, &[first, second])?, [2.0, 0.5, 2.0]);
/// # Ok::<(), fivefold_fusion::FusionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fusion {
    method: &'static Method,
    parameter: f64,
    normaliser: &'static Normaliser,
    weights: Option<Vec<f64>>,
}

impl Fusion {
    /// The method with the default of its parameter. Scores are normalised by min-max, and each
    /// system has the weight 1.
    pub fn new(method: &'static Method) -> Self {
        let parameter = method.parameter.as_ref().map_or(0.0, |parameter| parameter.default);
        Fusion { method, parameter, normaliser: &NORMALISERS[0], weights: None }
    }

    /// The fusion with another value of the parameter that its method calls `name`.
    ///
    /// # Errors
    /// If the method has no such parameter, or if the value is out of range.
    pub fn with_parameter(mut self, name: &'static str, value: f64) -> Result<Self, FusionError> {
        let own = self.method.parameter.as_ref().filter(|own| own.name == name);
        let Some(own) = own else {
            let takes = |method: &&Method| method.parameter.as_ref().is_some_and(|other| other.name == name);
            let owners: Vec<&str> = METHODS.iter().filter(takes).map(|method| method.name).collect();
            return Err(FusionError::NoParameter { method: self.method.name, name, owners: list(&owners) });
        };
        if !(own.lowest..=own.highest).contains(&value) {
            let (lowest, highest) = (own.lowest, own.highest);
            return Err(FusionError::Parameter { name, value, lowest, highest });
        }
        self.parameter = value;
        Ok(self)
    }

    /// The fusion with another normaliser of scores.
    ///
    /// # Errors
    /// If the method uses ranks.
    pub fn with_normaliser(mut self, normaliser: &'static Normaliser) -> Result<Self, FusionError> {
        if self.method.uses == Uses::Ranks {
            return Err(FusionError::NotNormalised { method: self.method.name });
        }
        self.normaliser = normaliser;
        Ok(self)
    }

    /// The fusion with a weight for each system, by which all that the system gives is multiplied.
    /// A system of weight 0 is left out.
    ///
    /// # Errors
    /// If a weight is negative or not finite, or if all weights are 0.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self, FusionError> {
        if let Some(weight) = weights.iter().find(|weight| !weight.is_finite() || **weight < 0.0) {
            return Err(FusionError::Weights(format!("the weight {weight} is not a number of at least 0")));
        }
        if weights.iter().all(|weight| *weight == 0.0) {
            return Err(FusionError::Weights("all weights are 0; give at least one system a weight".to_owned()));
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The method.
    pub fn method(&self) -> &'static Method {
        self.method
    }

    /// The normaliser of scores; `None` if the method uses ranks.
    pub fn normaliser(&self) -> Option<&'static Normaliser> {
        (self.method.uses == Uses::Scores).then_some(self.normaliser)
    }

    /// The value of the method's parameter; `None` if the method has no parameter.
    pub fn parameter(&self) -> Option<f64> {
        self.method.parameter.as_ref().map(|_| self.parameter)
    }

    /// The weight of each system; `None` if all have the weight 1.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The fused score of each candidate of one query. `systems` holds a ranking of each system; an
    /// empty ranking if the system retrieved nothing. A candidate that no system retrieved has the
    /// score 0, or the points of the last ranks in `borda`.
    ///
    /// # Errors
    /// If a ranking holds a document that is not a candidate, if the number of weights is not the
    /// number of systems, or if the normaliser cannot take the scores of a system.
    pub fn scores(&self, candidates: usize, systems: &[Ranked]) -> Result<Vec<f64>, FusionError> {
        let documents = systems.iter().flat_map(Ranked::documents).map(|placed| placed.document);
        if let Some(document) = documents.max().filter(|document| *document >= candidates) {
            return Err(FusionError::Candidate { document, candidates });
        }
        let equal = vec![1.0; systems.len()];
        let weights = self.weights.as_deref().unwrap_or(&equal);
        if weights.len() != systems.len() {
            let (weights, systems) = (weights.len(), systems.len());
            return Err(FusionError::Weights(format!("{weights} weights for {systems} systems; give one a system")));
        }
        let votes = Votes { candidates, systems, weights, normaliser: self.normaliser };
        self.method.fuse(&votes, self.parameter)
    }
}
