//! A feed-forward network with one output: weights in one array, the forward pass and the pass
//! back.
//!
//! Layer l turns a row x_l into act(W_l x_l + b_l). The last layer has no activation, and no bias,
//! since a ranking loss does not depend on a bias. A bias is the weight of an input that is
//! always 1. So a row is `inputs` values, a 1, and zeros up to the stride. The padding has zero
//! inputs and zero gradients, so its weights stay 0.

use fivefold_core::Rng;
use serde::{Deserialize, Serialize};

use super::products::{ByInput, Coefficients, add_combinations, products};
use crate::aligned::Aligned;
use crate::wide::{self, Loop, Vector, stride};

/// The least number of multiplications of half a block of documents, so that a task pays.
const HALF: usize = 1 << 16;

/// The function of a hidden unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// max(0, x).
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// 1 / (1 + exp(-x)).
    Logistic,
}

impl Activation {
    /// The value at `x`.
    pub fn value(self, x: f64) -> f64 {
        match self {
            Activation::Relu => x.max(0.0),
            Activation::Tanh => libm::tanh(x),
            Activation::Logistic => 1.0 / (1.0 + libm::exp(-x)),
        }
    }

    #[inline(always)]
    fn apply(self, values: &mut [f32]) {
        match self {
            Activation::Relu => values.iter_mut().for_each(|x| *x = x.max(0.0)),
            Activation::Tanh => values.iter_mut().for_each(|x| *x = libm::tanhf(*x)),
            Activation::Logistic => values.iter_mut().for_each(|x| *x = 1.0 / (1.0 + libm::expf(-*x))),
        }
    }

    /// The derivative where the value is `y`.
    #[inline(always)]
    fn slope(self, y: f32) -> f32 {
        match self {
            Activation::Relu => f32::from(u8::from(y > 0.0)),
            Activation::Tanh => 1.0 - y * y,
            Activation::Logistic => y * (1.0 - y),
        }
    }
}

/// The shape of a layer, and the place of its weights: `outputs` rows of `stride` in the network's
/// array.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Layer {
    pub inputs: usize,
    pub outputs: usize,
    pub bias: bool,
    pub stride: usize,
    start: usize,
}

impl Layer {
    /// The place of the weights.
    pub fn weights(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.outputs * self.stride
    }
}

/// Shapes and activation of a network. The weights are kept separately, since an optimiser works on
/// one array.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    layers: Vec<Layer>,
    activation: Activation,
}

/// Memory of a pass through the network, for the documents of a query.
#[derive(Debug, Default)]
pub(crate) struct Pass {
    /// The inputs of each layer but the first.
    hidden: Vec<Aligned<f32>>,
    outputs: Vec<f32>,
    deltas: Aligned<f32>,
    earlier: Aligned<f32>,
}

/// Memory for copies of weights, layer by layer.
#[derive(Debug, Default)]
pub(crate) struct Copies(Vec<ByInput>);

/// The weights of a network for [`Shape::forward`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights<'a> {
    /// The weights in their order.
    pub all: &'a [f32],
    copies: &'a [ByInput],
}

impl Copies {
    /// Copies weights. It takes as long as a few documents take in [`Shape::forward`], so it is
    /// done once for each step.
    pub fn of<'a>(&'a mut self, shape: &Shape, weights: &'a [f32]) -> Weights<'a> {
        self.0.resize_with(shape.layers.len(), ByInput::default);
        for (layer, copy) in shape.layers.iter().zip(&mut self.0) {
            copy.fill(&weights[layer.weights()], layer.outputs, layer.stride);
        }
        Weights { all: weights, copies: &self.0 }
    }
}

impl Shape {
    pub fn new(width: usize, hidden: &[usize], activation: Activation) -> Self {
        let mut layers = Vec::with_capacity(hidden.len() + 1);
        let (mut inputs, mut start) = (width, 0);
        for (number, &outputs) in hidden.iter().chain(&[1]).enumerate() {
            let bias = number < hidden.len();
            let layer = Layer { inputs, outputs, bias, stride: stride(inputs + usize::from(bias)), start };
            start = layer.weights().end;
            layers.push(layer);
            inputs = outputs;
        }
        Shape { layers, activation }
    }

    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    pub fn activation(&self) -> Activation {
        self.activation
    }

    /// Length of a row of inputs.
    pub fn input_stride(&self) -> usize {
        self.layers[0].stride
    }

    /// How many weights there are, padding included.
    pub fn weights(&self) -> usize {
        self.layers.iter().map(|layer| layer.weights().end).max().unwrap_or(0)
    }

    /// How many numbers [`Copies`] have.
    pub fn copied(&self) -> usize {
        self.layers.iter().map(|layer| ByInput::len(layer.outputs, layer.stride)).sum()
    }

    /// Initial weights. Hidden layers have uniform weights within +-sqrt(6 / (inputs + outputs))
    /// (Glorot & Bengio, AISTATS 2010) and biases 0. The last layer has weights 0, so all scores
    /// are equal at first, and no random order must be unlearnt.
    pub fn initial(&self, rng: &mut Rng) -> Vec<f32> {
        let mut weights = vec![0.0; self.weights()];
        for layer in &self.layers[..self.layers.len() - 1] {
            let limit = (6.0 / (layer.inputs + layer.outputs) as f64).sqrt();
            for row in weights[layer.weights()].chunks_mut(layer.stride) {
                row[..layer.inputs].iter_mut().for_each(|w| *w = (limit * (2.0 * rng.uniform() - 1.0)) as f32);
            }
        }
        weights
    }

    /// Puts the features of one document in a row of inputs.
    pub fn fill_row(&self, values: impl Iterator<Item = f32>, row: &mut [f32]) {
        let Layer { inputs, bias, .. } = self.layers[0];
        row.iter_mut().zip(values).for_each(|(place, value)| *place = value);
        if bias {
            row[inputs] = 1.0;
        }
    }

    /// How many documents a block can have whose halves do not run side by side: a multiple of four.
    pub fn undivided(&self) -> usize {
        ((2 * HALF - 1) / self.weights().max(1) / 4 * 4).max(4)
    }

    /// The scores of the documents whose rows are `inputs`.
    pub fn forward<'a>(&self, weights: Weights<'_>, inputs: &[f32], pass: &'a mut Pass) -> &'a [f32] {
        let documents = inputs.len() / self.input_stride();
        let Pass { hidden, outputs, .. } = pass;
        hidden.resize_with(self.layers.len() - 1, Aligned::default);
        for (rows, next) in hidden.iter_mut().zip(&self.layers[1..]) {
            rows.reset(documents * next.stride);
        }
        outputs.clear();
        outputs.resize(documents, 0.0);
        self.forward_into(weights, inputs, hidden.iter_mut().map(|rows| &mut **rows).collect(), outputs);
        outputs
    }

    /// Fills the inputs of each layer but the first, and the scores. Large blocks of documents are
    /// halved, and the halves run side by side.
    fn forward_into(&self, weights: Weights<'_>, inputs: &[f32], mut hidden: Vec<&mut [f32]>, outputs: &mut [f32]) {
        let documents = outputs.len();
        if documents > 4 && documents * self.weights() >= 2 * HALF && rayon::current_num_threads() > 1 {
            // A multiple of four, since products are taken of four rows at once.
            let first = (documents / 2).next_multiple_of(4);
            let (first_inputs, last_inputs) = inputs.split_at(first * self.input_stride());
            let (first_outputs, last_outputs) = outputs.split_at_mut(first);
            let halves = hidden.into_iter().zip(&self.layers[1..]);
            let (first_hidden, last_hidden) = halves.map(|(rows, next)| rows.split_at_mut(first * next.stride)).unzip();
            rayon::join(
                || self.forward_into(weights, first_inputs, first_hidden, first_outputs),
                || self.forward_into(weights, last_inputs, last_hidden, last_outputs),
            );
            return;
        }
        for (number, pair) in self.layers.windows(2).enumerate() {
            let (layer, next) = (&pair[0], &pair[1]);
            let (done, rest) = hidden.split_at_mut(number);
            let rows = &mut *rest[0];
            let from = done.last().map_or(inputs, |rows| &**rows);
            products(from, &weights.all[layer.weights()], &weights.copies[number], layer.stride, rows, next.stride);
            wide::run(Activated { rows, layer, next, activation: self.activation });
        }
        let number = self.layers.len() - 1;
        let last = &self.layers[number];
        let from = hidden.last().map_or(inputs, |rows| &**rows);
        products(from, &weights.all[last.weights()], &weights.copies[number], last.stride, outputs, 1);
    }

    /// Adds the derivatives of a loss by the weights to `gradient`. `slopes` are the derivatives by
    /// the scores of the documents of the last [`forward`](Self::forward).
    pub fn backward(&self, weights: &[f32], inputs: &[f32], slopes: &[f64], pass: &mut Pass, gradient: &mut [f32]) {
        let documents = slopes.len();
        let Pass { hidden, deltas, earlier, .. } = pass;
        deltas.reset(documents);
        deltas.iter_mut().zip(slopes).for_each(|(delta, &slope)| *delta = slope as f32);
        // Length of a document's row in `deltas`.
        let mut width = 1;
        for (number, layer) in self.layers.iter().enumerate().rev() {
            let from = if number == 0 { inputs } else { &hidden[number - 1] };
            add_gradient(from, documents, layer.stride, deltas, width, &mut gradient[layer.weights()]);
            if number > 0 {
                earlier.reset(documents * layer.stride);
                let of_documents = Coefficients { values: deltas, stride: width, by_source: false };
                let rows = &weights[layer.weights()];
                add_combinations(rows, layer.stride, layer.outputs, of_documents, earlier, layer.stride);
                wide::run(Sloped { deltas: earlier, values: from, activation: self.activation });
                width = layer.stride;
                std::mem::swap(deltas, earlier);
            }
        }
    }
}

/// Turns the products of a layer into the inputs of the next, as a loop.
struct Activated<'a> {
    rows: &'a mut [f32],
    layer: &'a Layer,
    next: &'a Layer,
    activation: Activation,
}

impl Loop for Activated<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Activated { rows, layer, next, activation } = self;
        for row in rows.chunks_exact_mut(next.stride) {
            activation.apply(&mut row[..layer.outputs]);
            if next.bias {
                row[layer.outputs] = 1.0;
            }
        }
    }
}

/// Turns derivatives by values of units into derivatives by their arguments, as a loop.
struct Sloped<'a> {
    deltas: &'a mut [f32],
    values: &'a [f32],
    activation: Activation,
}

impl Loop for Sloped<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let activation = self.activation;
        self.deltas.iter_mut().zip(self.values).for_each(|(delta, &y)| *delta *= activation.slope(y));
    }
}

/// Some documents of a query, their scores' derivatives, and the rows of their inputs.
pub(crate) type Documents<'a> = (&'a [f32], &'a [f64]);

impl Shape {
    /// For a network without hidden layers: adds the derivatives of several queries by the weights from
    /// `first` on, one query after the other. `first` and the number of weights are multiples of [`LANES`].
    ///
    /// [`LANES`]: crate::wide::LANES
    pub fn linear_columns(&self, queries: &[Documents<'_>], first: usize, gradient: &mut [f32]) {
        let mut values = Vec::new();
        for (inputs, slopes) in queries {
            values.clear();
            values.extend(slopes.iter().map(|&slope| slope as f32));
            let of_weights = Coefficients { values: &values, stride: values.len(), by_source: false };
            let (stride, width) = (self.input_stride(), gradient.len());
            add_combinations(&inputs[first..], stride, values.len(), of_weights, gradient, width);
        }
    }
}

/// Adds the gradient of a layer's weights. `deltas` begins with the derivatives by its outputs; a
/// row has those of a document. The rows of many outputs are halved, and the halves run side by
/// side.
fn add_gradient(from: &[f32], documents: usize, stride: usize, deltas: &[f32], width: usize, gradient: &mut [f32]) {
    let outputs = gradient.len() / stride;
    if outputs > 1 && documents * gradient.len() >= 2 * HALF && rayon::current_num_threads() > 1 {
        let half = outputs / 2;
        let (one, other) = gradient.split_at_mut(half * stride);
        rayon::join(
            || add_gradient(from, documents, stride, deltas, width, one),
            || add_gradient(from, documents, stride, &deltas[half..], width, other),
        );
    } else {
        let of_outputs = Coefficients { values: deltas, stride: width, by_source: true };
        add_combinations(from, stride, documents, of_outputs, gradient, stride);
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;

    /// The score of one document by plain `f64` loops.
    fn score(shape: &Shape, weights: &[f64], row: &[f32]) -> f64 {
        let mut x: Vec<f64> = row.iter().map(|&x| f64::from(x)).collect();
        for (number, layer) in shape.layers.iter().enumerate() {
            let weights = &weights[layer.weights()];
            let value = |o: usize| -> f64 {
                let row = &weights[o * layer.stride..];
                let sum: f64 = x.iter().zip(row).map(|(x, w)| x * w).sum();
                let sum = sum + if layer.bias { row[layer.inputs] } else { 0.0 };
                if number + 1 < shape.layers.len() { shape.activation.value(sum) } else { sum }
            };
            x = (0..layer.outputs).map(value).collect();
        }
        x[0]
    }

    #[test]
    fn gradients_are_those_of_finite_differences_in_double_precision() {
        for activation in [Activation::Relu, Activation::Tanh, Activation::Logistic] {
            for hidden in [vec![], vec![1], vec![10], vec![9, 4]] {
                let shape = Shape::new(6, &hidden, activation);
                let mut rng = Seed::new(3).rng();
                let mut weights = shape.initial(&mut rng);
                for layer in shape.layers() {
                    for row in weights[layer.weights()].chunks_mut(layer.stride) {
                        let used = layer.inputs + usize::from(layer.bias);
                        row[..used].iter_mut().for_each(|w| *w += rng.uniform() as f32 - 0.5);
                    }
                }
                let rows: Vec<Vec<f32>> =
                    (0..7).map(|_| (0..6).map(|_| 2.0 * rng.uniform() as f32 - 1.0).collect()).collect();
                let mut inputs = vec![0.0; rows.len() * shape.input_stride()];
                for (row, place) in rows.iter().zip(inputs.chunks_mut(shape.input_stride())) {
                    shape.fill_row(row.iter().copied(), place);
                }
                // The loss sum_d c_d s_d, whose derivatives by the scores are the c_d.
                let slopes: Vec<f64> = (0..7).map(|d| f64::from(d) - 2.5).collect();
                let mut pass = Pass::default();
                let mut copies = Copies::default();
                let scores = shape.forward(copies.of(&shape, &weights), &inputs, &mut pass).to_vec();
                let mut gradient = vec![0.0; weights.len()];
                shape.backward(&weights, &inputs, &slopes, &mut pass, &mut gradient);
                let exact: Vec<f64> = weights.iter().map(|&w| f64::from(w)).collect();
                for (row, &found) in rows.iter().zip(&scores) {
                    let plain = score(&shape, &exact, row);
                    assert!((plain - f64::from(found)).abs() < 1e-5, "{activation:?} {hidden:?}: {plain} {found}");
                }
                for i in 0..weights.len() {
                    let loss = |change: f64| -> f64 {
                        let mut moved = exact.clone();
                        moved[i] += change;
                        rows.iter().zip(&slopes).map(|(row, c)| c * score(&shape, &moved, row)).sum()
                    };
                    let slope = (loss(1e-6) - loss(-1e-6)) / 2e-6;
                    let found = f64::from(gradient[i]);
                    assert!((slope - found).abs() < 2e-5, "{activation:?} {hidden:?} weight {i}: {slope} {found}");
                }
            }
        }
    }

    #[test]
    fn halves_side_by_side_give_the_same_bits() {
        for (hidden, documents) in [(vec![], 301), (vec![10], 121), (vec![33, 5], 62), (vec![4096], 4), (vec![4096], 5)]
        {
            let shape = Shape::new(136, &hidden, Activation::Logistic);
            let mut rng = Seed::new(7).rng();
            let weights: Vec<f32> = shape.initial(&mut rng).iter().map(|w| w + 0.01).collect();
            let mut inputs = vec![0.0; documents * shape.input_stride()];
            for row in inputs.chunks_mut(shape.input_stride()) {
                shape.fill_row((0..136).map(|_| rng.uniform() as f32), row);
            }
            let is_large = documents * shape.weights() >= 2 * HALF;
            assert!(is_large || shape.layers.len() == 1, "the block is large enough");
            let slopes: Vec<f64> = (0..documents).map(|_| rng.uniform() - 0.5).collect();
            let both = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let (mut pass, mut gradient) = (Pass::default(), vec![0.0; weights.len()]);
                    let scores = shape.forward(Copies::default().of(&shape, &weights), &inputs, &mut pass).to_vec();
                    shape.backward(&weights, &inputs, &slopes, &mut pass, &mut gradient);
                    (scores, gradient)
                })
            };
            let alone = both(1);
            if shape.layers.len() == 1 {
                let (head, tail) = inputs.split_at(100 * shape.input_stride());
                let (first, second) = slopes.split_at(100);
                for middle in [64, 72] {
                    let mut gradient = vec![0.0; weights.len()];
                    let (one, other) = gradient.split_at_mut(middle);
                    shape.linear_columns(&[(head, first), (tail, second)], 0, one);
                    shape.linear_columns(&[(head, first), (tail, second)], middle, other);
                    assert_eq!(gradient, alone.1);
                }
            }
            assert!([2, 3].into_iter().all(|threads| both(threads) == alone), "{hidden:?}");
        }
    }
}
