//! The model of every ranker with a neural network: dense layers that end in a score.

use fivefold_core::{Model, QueryView};
use serde::{Deserialize, Serialize};

use crate::linear_model::dot;
use crate::network::Activation;

/// score(x) = the last layer of act(... act(W_1 x + b_1) ...), in `f64`, for the raw features of
/// the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct NetworkModel {
    activation: Activation,
    layers: Vec<Dense>,
}

/// One layer: output o is the sum of `weights[o * inputs + j]` x input j, plus `biases[o]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dense {
    /// Number of inputs.
    pub inputs: usize,
    /// A row of `inputs` weights for each output.
    pub weights: Vec<f64>,
    /// A bias for each output.
    pub biases: Vec<f64>,
}

/// A model as it stands in a file, not yet checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    activation: Activation,
    layers: Vec<Dense>,
}

impl TryFrom<Parts> for NetworkModel {
    type Error = String;

    fn try_from(parts: Parts) -> Result<Self, String> {
        NetworkModel::new(parts.activation, parts.layers)
    }
}

impl NetworkModel {
    /// A network of these layers; `activation` follows every layer but the last.
    ///
    /// # Errors
    /// If layers do not fit together, or the last layer has more than one output, or a weight is
    /// not finite.
    pub fn new(activation: Activation, layers: Vec<Dense>) -> Result<Self, String> {
        for (number, layer) in layers.iter().enumerate() {
            let outputs = layer.biases.len();
            let wanted = layers.get(number + 1).map_or(1, |next| next.inputs);
            if outputs != wanted {
                return Err(format!("layer {} has {outputs} outputs, not {wanted}", number + 1));
            }
            if layer.inputs == 0 {
                return Err(format!("layer {} has no input", number + 1));
            }
            if layer.inputs.checked_mul(outputs) != Some(layer.weights.len()) {
                let found = layer.weights.len();
                return Err(format!(
                    "layer {} has {found} weights for {} inputs and {outputs} outputs",
                    number + 1,
                    layer.inputs
                ));
            }
            if !layer.weights.iter().chain(&layer.biases).all(|value| value.is_finite()) {
                return Err(format!("layer {} has a weight that is not finite", number + 1));
            }
        }
        if layers.is_empty() {
            return Err("a network needs a layer".to_owned());
        }
        Ok(NetworkModel { activation, layers })
    }

    /// The function of a hidden unit.
    pub fn activation(&self) -> Activation {
        self.activation
    }

    /// The layers, in order.
    pub fn layers(&self) -> &[Dense] {
        &self.layers
    }
}

impl Model for NetworkModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        let first = &self.layers[0];
        let (mut values, mut next) = (Vec::new(), Vec::new());
        for (score, row) in out.iter_mut().zip(query.rows()) {
            values.clear();
            let rows = first.weights.chunks_exact(first.inputs);
            values.extend(rows.zip(&first.biases).map(|(weights, bias)| dot(weights, row) + bias));
            for layer in &self.layers[1..] {
                values.iter_mut().for_each(|value| *value = self.activation.value(*value));
                next.clear();
                let rows = layer.weights.chunks_exact(layer.inputs);
                next.extend(rows.zip(&layer.biases).map(|(weights, bias)| {
                    let sum: f64 = weights.iter().zip(&values).map(|(w, x)| w * x).sum();
                    sum + bias
                }));
                std::mem::swap(&mut values, &mut next);
            }
            *score = values[0];
        }
    }

    fn features(&self) -> Option<usize> {
        Some(self.layers[0].inputs)
    }

    /// The absolute weights, for a network without a hidden layer; otherwise `None`. Compare them
    /// only between features of the same scale.
    fn importance(&self) -> Option<Vec<f64>> {
        (self.layers.len() == 1).then(|| self.layers[0].weights.iter().map(|weight| weight.abs()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(inputs: usize, weights: &[f64], biases: &[f64]) -> Dense {
        Dense { inputs, weights: weights.to_vec(), biases: biases.to_vec() }
    }

    #[test]
    fn scores_by_hand() {
        let layers = vec![dense(2, &[1.0, -1.0, 0.5, 2.0], &[0.0, 1.0]), dense(2, &[3.0, -1.0], &[0.25])];
        let model = NetworkModel::new(Activation::Relu, layers.clone()).unwrap();
        let view = QueryView::new("q", &[2.0, 1.0, 0.0, 1.0], 2, 2);
        let mut out = [0.0; 2];
        model.score(view, &mut out);
        // relu(1, 4) gives 3 - 4 + .25; relu(-1, 3) gives 0 - 3 + .25.
        assert_eq!(out, [-0.75, -2.75]);
        assert_eq!(model.importance(), None);
        let text = serde_json::to_string(&model).unwrap();
        assert_eq!(serde_json::from_str::<NetworkModel>(&text).unwrap(), model);
        NetworkModel::new(Activation::Tanh, layers).unwrap().score(view, &mut out);
        assert_eq!(out[0], 3.0 * libm::tanh(1.0) - libm::tanh(4.0) + 0.25);
        let linear = NetworkModel::new(Activation::Relu, vec![dense(2, &[3.0, -1.0], &[0.0])]).unwrap();
        linear.score(view, &mut out);
        assert_eq!((out, linear.importance()), ([5.0, -1.0], Some(vec![3.0, 1.0])));
    }

    #[test]
    fn layers_that_do_not_fit_are_refused() {
        let new = |layers| NetworkModel::new(Activation::Relu, layers).unwrap_err();
        assert_eq!(new(vec![]), "a network needs a layer");
        assert_eq!(new(vec![dense(1, &[1.0, 2.0], &[0.0, 0.0])]), "layer 1 has 2 outputs, not 1");
        assert_eq!(new(vec![dense(2, &[1.0], &[0.0])]), "layer 1 has 1 weights for 2 inputs and 1 outputs");
        assert_eq!(new(vec![dense(1, &[f64::NAN], &[0.0])]), "layer 1 has a weight that is not finite");
        assert_eq!(new(vec![dense(1, &[1.0], &[0.0]), dense(2, &[1.0, 1.0], &[0.0])]), "layer 1 has 1 outputs, not 2");
    }
}
