//! Training of small feed-forward networks on the queries of a data set, for `ranknet`, `listnet`
//! and `lambdarank`.
//!
//! A query's documents go through the network once, as a block. A loss turns their scores into a
//! derivative for each document (the factored form of Burges, MSR-TR-2010-82, section 2.1). A pass
//! back gives the gradient. So the network costs 6 x documents x weights operations an epoch,
//! however many pairs the loss has. Weights are `f32`; scores and the derivatives by scores are
//! `f64`.
//!
//! An epoch takes the queries in batches, in a new random order. A step follows the mean gradient
//! of a batch. A query whose order does not matter to the loss is left out. With a validation part
//! and `early_stopping` = s, training ends when the measure has not risen for s epochs. The
//! weights of the best epoch are kept; of equal epochs, the first is the best.
//!
//! `standardise` brings each feature to mean 0 and standard deviation 1 over the training
//! documents. The first layer of the model includes this scaling, so the model takes raw features.
//! `standardise` does not replace an experiment's normaliser: if features compare only within a
//! query, use z-scores over each query first.
//!
//! A query of more than `LONGEST` documents goes through the network in blocks, with a second
//! forward pass before the pass back. So only the activations of one block are in memory.
//!
//! A batch is cut into shards by its work alone, never by the number of threads. Shards run in
//! parallel and are summed in order, so the model is the same for any number of threads. The short
//! steps of a linear scorer are shared by a team of threads (`linear`, `team`). Memory: a further copy
//! of the training and validation features.

mod inputs;
mod layers;
mod linear;
mod loss;
mod optimiser;
mod params;
mod products;
mod team;

use fivefold_core::{Dataset, FitContext, FitError, Seed};
use fivefold_metrics::Objective;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use layers::Activation;
pub(crate) use loss::QueryLoss;
pub use optimiser::Optimiser;
pub use params::Network;
pub(crate) use params::{flat, help};

use crate::aligned::Aligned;
use crate::by_query::mean;
use crate::memory::{Size, threads};
use crate::network_model::{Dense, NetworkModel};
use crate::patience::Patience;
use crate::validation::validation;
use inputs::{InputScaling, Inputs};
use layers::{Copies, Pass, Shape, Weights};
use linear::Linear;
use loss::{AnyLoss, Worker};
use optimiser::Steps;

/// The least number of multiplications of a shard, so that a task pays.
const SHARD: usize = 1 << 19;
/// A batch has at most this many shards.
const MOST_SHARDS: usize = 16;
/// Documents that are scored as a block.
const BLOCK: usize = 256;
/// The most documents of a query that go through the network at once. Additions are in groups of
/// four, so a multiple of four makes the gradient the same in blocks.
const LONGEST: usize = 1 << 12;

/// Whether a query's documents have more than one grade.
pub(crate) fn differ(grades: &[u8]) -> bool {
    grades.iter().any(|&grade| grade != grades[0])
}

impl Network {
    /// Bytes of a fit without the loss: a copy of the inputs, and weights, gradients and
    /// activations.
    pub(crate) fn fit_bytes(&self, train: Size, validation: Size) -> u64 {
        let shape = Shape::new(train.width as usize, &self.hidden, self.activation);
        let (stride, weights) = (shape.input_stride() as u64, shape.weights() as u64);
        let batch = (self.batch as u64).min(train.queries);
        let in_batch = batch * train.documents.div_ceil(train.queries.max(1));
        let shards = (in_batch * weights / SHARD as u64).clamp(1, (MOST_SHARDS as u64).min(batch.max(1)));
        let used = batch.max(1).div_ceil(batch.max(1).div_ceil(shards));
        let remembered = if self.optimiser == Optimiser::Adam { 2 } else { 0 };
        let units: u64 = shape.layers().iter().map(|layer| layer.stride as u64).sum();
        let pass = train.longest.min(LONGEST as u64) * 4 * 2 * units + 16 * train.longest;
        // Derivatives, rows and weights of a team.
        let linear = if self.hidden.is_empty() && threads() > 1 {
            8 * in_batch + 128 * batch + 32 * train.queries + 24 * weights
        } else {
            0
        };
        let copied = shape.copied() as u64;
        let early = if self.early_stopping > 0 { 1 } else { 0 };
        let of_validation =
            early * (validation.documents * (4 * stride + 8) + validation.objective() + 4 * (weights + copied));
        4 * stride * train.documents
            + 24 * train.queries
            + of_validation
            // Twice: the state before an epoch is kept while the epoch runs.
            + 4 * weights * (1 + used + 2 * remembered + 1)
            + 4 * copied
            + (8 * weights).max(40 * train.width)
            + 16 * train.width
            + used * pass
            + linear
    }

    /// Trains on `train`; `measure` is evaluated on the validation part of `cx`.
    pub(crate) fn fit(
        &self,
        train: &Dataset,
        cx: &FitContext<'_>,
        loss: &dyn AnyLoss,
        measure: &dyn Fn(&Dataset) -> Result<Objective, FitError>,
    ) -> Result<NetworkModel, FitError> {
        let shape = Shape::new(train.width(), &self.hidden, self.activation);
        let scaling = if self.standardise { InputScaling::standard(train) } else { InputScaling::none(train.width()) };
        let inputs = Inputs::new(train, &|query| loss.is_informative(query), &scaling, &shape)?;
        if inputs.len() == 0 || train.width() == 0 {
            return Err(FitError::Data(
                "there is no feature, or no query with documents of different grades".to_owned(),
            ));
        }
        let validation = if self.early_stopping > 0 { validation(cx, measure)? } else { None };
        let mut validation = match validation {
            Some((data, objective)) => {
                let inputs = Inputs::new(data, &|_| true, &scaling, &shape)?;
                Some(Validation::new(inputs, objective, data.documents()))
            }
            None => None,
        };
        let mut trained = self.begin(&shape, validation.is_some(), cx);
        let mut epochs = Epochs::new((self, loss), &shape, &inputs, trained.epochs, cx.seed());
        for epoch in trained.epochs..self.epochs {
            if trained.patience.is_some_and(Patience::is_exhausted) {
                break;
            }
            cx.round(epoch as u64, self.epochs as u64, || &trained)?;
            let before = cx.checkpoints().map(|_| trained.clone());
            cx.or_keep(epochs.run(&mut trained, epoch as u64, cx), || &before)?;
            if trained.weights.iter().any(|weight| !weight.is_finite()) {
                let reason = format!("weights overflow in epoch {}; lower `learning_rate` or standardise", epoch + 1);
                return Err(FitError::Numeric(reason));
            }
            trained.epochs = epoch + 1;
            if let Some(validation) = &mut validation {
                trained.judge(validation.value(&shape, &trained.weights)?);
            }
        }
        cx.step(self.epochs as u64, self.epochs as u64)?;
        model(&shape, &trained.best.unwrap_or(trained.weights), &scaling)
    }

    /// The state from which training begins, or goes on.
    fn begin(&self, shape: &Shape, validated: bool, cx: &FitContext<'_>) -> Trained {
        let earlier = cx.resume().filter(|earlier: &Trained| earlier.weights.len() == shape.weights());
        earlier.unwrap_or_else(|| Trained {
            epochs: 0,
            weights: shape.initial(&mut cx.seed().derive("weights").rng()),
            steps: Steps::new(self.optimiser, shape.weights()),
            patience: validated.then(|| Patience::new(self.early_stopping)),
            best: None,
        })
    }
}

/// The state after some epochs.
#[derive(Clone, Serialize, Deserialize)]
struct Trained {
    epochs: usize,
    weights: Vec<f32>,
    steps: Steps,
    /// `None` without a validation part.
    patience: Option<Patience>,
    /// The weights of the best epoch on the validation part.
    best: Option<Vec<f32>>,
}

impl Trained {
    /// Adds the value of the last epoch on the validation part.
    fn judge(&mut self, value: f64) {
        if self.patience.as_mut().is_some_and(|patience| patience.improves(value)) {
            self.best = Some(self.weights.clone());
        }
    }
}

/// Training part: the order of the queries, and gradients.
struct Epochs<'a> {
    training: &'a Network,
    loss: &'a dyn AnyLoss,
    shape: &'a Shape,
    inputs: &'a Inputs,
    order: Vec<usize>,
    copies: Copies,
    shards: Vec<Shard<'a>>,
}

/// Part of a batch.
struct Shard<'a> {
    gradient: Aligned<f32>,
    pass: Pass,
    scores: Vec<f64>,
    slopes: Vec<f64>,
    loss: Box<dyn Worker + 'a>,
}

impl<'a> Epochs<'a> {
    /// Ready for the epoch after `done` epochs.
    fn new(
        (training, loss): (&'a Network, &'a dyn AnyLoss),
        shape: &'a Shape,
        inputs: &'a Inputs,
        done: usize,
        seed: Seed,
    ) -> Self {
        let order = (0..inputs.len()).collect();
        let mut epochs = Epochs { training, loss, shape, inputs, order, copies: Copies::default(), shards: Vec::new() };
        (0..done as u64).for_each(|epoch| epochs.shuffle(epoch, seed));
        epochs
    }

    /// Shuffles the order of the epoch before.
    fn shuffle(&mut self, epoch: u64, seed: Seed) {
        seed.derive_index("epoch", epoch).rng().shuffle(&mut self.order);
    }

    fn run(&mut self, trained: &mut Trained, epoch: u64, cx: &FitContext<'_>) -> Result<(), FitError> {
        self.shuffle(epoch, cx.seed());
        let Epochs { training, loss, shape, inputs, order, copies, shards } = self;
        let Trained { weights, steps, .. } = trained;
        let part = Part { shape, inputs, epoch, cx };
        let mut step = |weights: &mut [f32], gradient: &mut [f32], queries: usize| {
            let mean = 1.0 / queries as f32;
            gradient.iter_mut().for_each(|g| *g *= mean);
            penalise(shape, training.l2 as f32, weights, gradient);
            steps.step(training.learning_rate, weights, gradient);
        };
        if let Some(linear) = Linear::new(part, *loss, order, training.batch) {
            return linear.run(weights, step);
        }
        for batch in order.chunks(training.batch) {
            let documents: usize = batch.iter().map(|&place| inputs.documents(place).len()).sum();
            let wanted = (documents * shape.weights() / SHARD).clamp(1, MOST_SHARDS.min(batch.len()));
            let each = batch.len().div_ceil(wanted);
            let used = batch.len().div_ceil(each);
            if shards.len() < used {
                shards.resize_with(used, || Shard::new(*loss));
            }
            let copied = copies.of(shape, weights);
            let fill = |(shard, places): (&mut Shard<'_>, &[usize])| shard.fill(part, places, copied);
            if used == 1 {
                fill((&mut shards[0], batch))?;
            } else {
                shards[..used].par_iter_mut().zip(batch.par_chunks(each)).try_for_each(fill)?;
            }
            let (first, others) = shards[..used].split_at_mut(1);
            let gradient = &mut first[0].gradient;
            for other in others {
                gradient.iter_mut().zip(&*other.gradient).for_each(|(sum, g)| *sum += g);
            }
            step(weights, gradient, batch.len());
        }
        Ok(())
    }
}

/// The data that all shards of an epoch share.
#[derive(Clone, Copy)]
struct Part<'a> {
    shape: &'a Shape,
    inputs: &'a Inputs,
    epoch: u64,
    cx: &'a FitContext<'a>,
}

/// Adds the gradient of the penalty.
fn penalise(shape: &Shape, l2: f32, weights: &[f32], gradient: &mut [f32]) {
    for layer in shape.layers().iter().filter(|_| l2 > 0.0) {
        let rows =
            weights[layer.weights()].chunks(layer.stride).zip(gradient[layer.weights()].chunks_mut(layer.stride));
        for (weights, gradient) in rows {
            weights[..layer.inputs].iter().zip(gradient).for_each(|(w, g)| *g += l2 * w);
        }
    }
}

impl<'a> Shard<'a> {
    fn new(loss: &'a dyn AnyLoss) -> Self {
        Shard {
            gradient: Aligned::default(),
            pass: Pass::default(),
            scores: Vec::new(),
            slopes: Vec::new(),
            loss: loss.worker(),
        }
    }

    /// The sum of the gradients of some queries.
    fn fill(&mut self, part: Part<'_>, places: &[usize], weights: Weights<'_>) -> Result<(), FitError> {
        let Part { shape, inputs, epoch, cx } = part;
        let Shard { gradient, pass, scores, slopes, loss } = self;
        gradient.reset(weights.all.len());
        for &place in places {
            let documents = inputs.documents(place);
            let blocks = || documents.clone().step_by(LONGEST).map(|first| first..documents.end.min(first + LONGEST));
            scores.clear();
            for block in blocks() {
                cx.check()?;
                scores.extend(shape.forward(weights, inputs.rows(block), pass).iter().map(|&score| f64::from(score)));
            }
            slopes.clear();
            slopes.resize(scores.len(), 0.0);
            loss.slopes(inputs.query(place), epoch, scores, slopes)?;
            for (block, slopes) in blocks().zip(slopes.chunks(LONGEST)) {
                cx.check()?;
                let rows = inputs.rows(block);
                if documents.len() > LONGEST {
                    shape.forward(weights, rows, pass);
                }
                shape.backward(weights.all, rows, slopes, pass, gradient);
            }
        }
        Ok(())
    }
}

/// Validation part: the value of an epoch.
struct Validation {
    inputs: Inputs,
    objective: Objective,
    copies: Copies,
    scores: Vec<f64>,
}

impl Validation {
    fn new(inputs: Inputs, objective: Objective, documents: usize) -> Self {
        Validation { inputs, objective, copies: Copies::default(), scores: vec![0.0; documents] }
    }

    /// The mean of the measure under the weights of an epoch.
    fn value(&mut self, shape: &Shape, weights: &[f32]) -> Result<f64, FitError> {
        let Validation { inputs, copies, scores, .. } = self;
        let weights = copies.of(shape, weights);
        let blocks = scores.par_chunks_mut(BLOCK).enumerate();
        blocks.for_each_init(Pass::default, |pass, (block, scores)| {
            let first = block * BLOCK;
            let found = shape.forward(weights, inputs.rows(first..first + scores.len()), pass);
            scores.iter_mut().zip(found).for_each(|(score, &found)| *score = f64::from(found));
        });
        mean(&self.objective, &self.scores)
    }
}

/// The network in `f64`, with the scaling of its inputs folded into the first layer.
fn model(shape: &Shape, weights: &[f32], scaling: &InputScaling) -> Result<NetworkModel, FitError> {
    let layers = shape.layers().iter().enumerate().map(|(number, layer)| {
        let mut dense = Dense { inputs: layer.inputs, weights: Vec::new(), biases: Vec::new() };
        for row in weights[layer.weights()].chunks(layer.stride) {
            let mut bias = if layer.bias { f64::from(row[layer.inputs]) } else { 0.0 };
            for (j, &weight) in row[..layer.inputs].iter().enumerate() {
                let (centre, scale) = if number == 0 { scaling.feature(j) } else { (0.0, 1.0) };
                let weight = f64::from(weight) * scale;
                bias -= weight * centre;
                dense.weights.push(weight);
            }
            dense.biases.push(bias);
        }
        dense
    });
    NetworkModel::new(shape.activation(), layers.collect()).map_err(FitError::Numeric)
}

#[cfg(test)]
mod tests;
