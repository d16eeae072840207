//! The parameters of a network, which `ranknet`, `listnet` and `lambdarank` share.

use fivefold_core::ParamError;

use super::{Activation, Optimiser};
use crate::boosting::positive;

/// The most units of a hidden layer.
const MOST_UNITS: usize = 4096;

/// The network and its training.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Units of each hidden layer; empty for a linear scorer.
    pub hidden: Vec<usize>,
    /// The function of a hidden unit.
    pub activation: Activation,
    /// Whether each feature is brought to mean 0 and standard deviation 1 over the training
    /// documents.
    pub standardise: bool,
    /// The most passes over the training queries.
    pub epochs: usize,
    /// Number of queries of a step.
    pub batch: usize,
    /// How weights follow the gradient.
    pub optimiser: Optimiser,
    /// Length of a step.
    pub learning_rate: f64,
    /// Penalty on half the squared weights.
    pub l2: f64,
    /// Stop after this number of epochs without a gain on the validation part. 0: never; the last
    /// epoch is kept.
    pub early_stopping: usize,
    /// The measure on the validation part.
    pub stop_measure: String,
}

impl Default for Network {
    fn default() -> Self {
        Network {
            hidden: vec![32],
            activation: Activation::Relu,
            standardise: true,
            epochs: 100,
            batch: 8,
            optimiser: Optimiser::Adam,
            learning_rate: 0.003,
            l2: 0.05,
            early_stopping: 20,
            stop_measure: "ndcg@10".to_owned(),
        }
    }
}

impl Network {
    /// Checks the ranges of [`help`].
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        for &units in &self.hidden {
            ParamError::unless((1..=MOST_UNITS).contains(&units), "hidden", units, "1 to 4096 units a layer")?;
        }
        ParamError::unless(self.epochs >= 1, "epochs", self.epochs, "at least 1")?;
        ParamError::unless(self.batch >= 1, "batch", self.batch, "at least 1")?;
        positive("learning_rate", self.learning_rate)?;
        ParamError::unless(self.l2 >= 0.0 && self.l2.is_finite(), "l2", self.l2, "a finite number of at least 0")
    }
}

/// Makes `Flat`, the serde form of a ranker: a table with its own parameters, then the parameters
/// of its `network`. (`serde(flatten)` would lose the names of parameters, the defaults of the
/// ranker and the places in the file.)
macro_rules! flat {
    ($ranker:ident { $($own:ident: $type:ty),* }) => {
        #[derive(Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        struct Flat {
            $($own: $type,)*
            hidden: Vec<usize>,
            activation: Activation,
            standardise: bool,
            epochs: usize,
            batch: usize,
            optimiser: Optimiser,
            learning_rate: f64,
            l2: f64,
            early_stopping: usize,
            stop_measure: String,
        }

        impl Default for Flat {
            fn default() -> Self {
                $ranker::default().into()
            }
        }

        impl From<Flat> for $ranker {
            fn from(flat: Flat) -> Self {
                let Flat { $($own,)* hidden, activation, standardise, epochs, batch, optimiser, .. } = flat;
                let Flat { learning_rate, l2, early_stopping, stop_measure, .. } = flat;
                let network = Network {
                    hidden, activation, standardise, epochs, batch, optimiser, learning_rate, l2, early_stopping, stop_measure,
                };
                $ranker { $($own,)* network }
            }
        }

        impl From<$ranker> for Flat {
            fn from($ranker { $($own,)* network }: $ranker) -> Self {
                let Network { hidden, activation, standardise, epochs, batch, optimiser, .. } = network;
                let Network { learning_rate, l2, early_stopping, stop_measure, .. } = network;
                Flat {
                    $($own,)*
                    hidden, activation, standardise, epochs, batch, optimiser, learning_rate, l2, early_stopping, stop_measure,
                }
            }
        }
    };
}
pub(crate) use flat;

/// Help for the parameters of [`Network`], the same in every ranker.
pub(crate) mod help {
    use fivefold_core::ParamHelp;

    const fn param(name: &'static str, help: &'static str) -> ParamHelp {
        ParamHelp { name, help }
    }

    pub const HIDDEN: ParamHelp =
        param("hidden", "units of each hidden layer, 1 to 4096, such as [32]; []: a linear scorer");
    pub const ACTIVATION: ParamHelp = param("activation", "function of a hidden unit: relu, tanh or logistic");
    pub const STANDARDISE: ParamHelp =
        param("standardise", "bring each feature to mean 0 and standard deviation 1 over the training documents");
    pub const EPOCHS: ParamHelp = param("epochs", "the most passes over the training queries, at least 1");
    pub const BATCH: ParamHelp = param("batch", "queries a step, at least 1");
    pub const OPTIMISER: ParamHelp = param("optimiser", "how weights follow the gradient: adam or sgd");
    pub const LEARNING_RATE: ParamHelp = param("learning_rate", "length of a step, above 0");
    pub const L2: ParamHelp = param("l2", "penalty on half the squared weights, biases excepted; at least 0");
    pub const EARLY_STOPPING: ParamHelp = param(
        "early_stopping",
        "stop after so many epochs without a gain on the validation part, and keep the best; 0: keep the last",
    );
    pub const STOP_MEASURE: ParamHelp =
        param("stop_measure", "the measure on the validation part that decides when to stop");

    /// The help of a ranker: its own parameters, the parameters of the network, and the measure
    /// that stops it.
    macro_rules! with_network {
        ([$($own:expr),* $(,)?], $stop:expr) => {
            &[
                $($own,)*
                help::HIDDEN,
                help::ACTIVATION,
                help::STANDARDISE,
                help::EPOCHS,
                help::BATCH,
                help::OPTIMISER,
                help::LEARNING_RATE,
                help::L2,
                help::EARLY_STOPPING,
                $stop,
            ]
        };
    }
    pub(crate) use with_network;
}
