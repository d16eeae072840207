//! The layers of BERT over rows of tokens.
//!
//! The rows of several texts lie in one matrix, one text after the other. Rows of zeros fill up the
//! last block of [`BLOCK`] rows. A product with weights takes one block at a time, because the order
//! in which a product is summed depends on its number of rows. Attention takes the rows of one text.
//! So no bit of a text depends on the texts beside it.
//!
//! What follows a product (bias, activation, residual, norm) is one loop over its rows.

use candle_core::{CpuStorage, DType, InplaceOp1, InplaceOp2, Layout, Result, Tensor, bail};

use crate::lanes;

/// The rows of a product. A multiple of the rows that any processor takes at once; with fewer rows,
/// products would be slower, and with more, a batch would have more rows of zeros.
pub(crate) const BLOCK: usize = 192;

/// The rows of a text in the matrix of all: the first row, and their number.
pub(crate) type Span = (usize, usize);

/// Weights of a product, turned so that rows are multiplied by them, and the bias.
pub(crate) struct Linear {
    weight: Tensor,
    bias: Vec<f32>,
}

impl Linear {
    /// `weight` has a row for each number of the result.
    pub(crate) fn new(weight: &Tensor, bias: &Tensor) -> Result<Self> {
        Ok(Linear { weight: weight.t()?, bias: bias.to_vec1()? })
    }

    /// The products without the bias, of whole blocks of rows.
    fn product(&self, rows: &Tensor) -> Result<Tensor> {
        let starts = (0..rows.dim(0)?).step_by(BLOCK);
        let blocks = starts.map(|start| rows.narrow(0, start, BLOCK)?.matmul(&self.weight));
        Tensor::cat(&blocks.collect::<Result<Vec<Tensor>>>()?, 0)
    }
}

/// Brings rows to mean 0 and variance 1, and then to a learned scale.
pub(crate) struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f64,
}

impl Norm {
    pub(crate) fn new(scale: &Tensor, shift: &Tensor, epsilon: f64) -> Result<Self> {
        Ok(Norm { scale: scale.to_vec1()?, shift: shift.to_vec1()?, epsilon })
    }

    fn apply(&self, row: &mut [f32]) {
        // In blocks, whose sums the compiler makes in lanes. The order of the sums is fixed.
        let mean = (sum(row, |x| x) / row.len() as f64) as f32;
        let variance = sum(row, |x| (x - mean) * (x - mean)) / row.len() as f64;
        let factor = (1.0 / (variance + self.epsilon).sqrt()) as f32;
        for ((x, scale), shift) in row.iter_mut().zip(&self.scale).zip(&self.shift) {
            *x = (*x - mean) * factor * scale + shift;
        }
    }
}

/// A sum in eight lanes, which are added at the end.
fn sum(row: &[f32], term: impl Fn(f32) -> f32) -> f64 {
    let mut lanes = [0.0f32; 8];
    let blocks = row.chunks_exact(8);
    let rest: f64 = blocks.remainder().iter().map(|x| f64::from(term(*x))).sum();
    for block in blocks {
        for (lane, x) in lanes.iter_mut().zip(block) {
            *lane += term(*x);
        }
    }
    lanes.iter().map(|lane| f64::from(*lane)).sum::<f64>() + rest
}

/// One layer: attention, then a network of two products, each with its residual and norm.
pub(crate) struct Layer {
    /// Query, key and value in one product.
    pub(crate) mix: Linear,
    pub(crate) attended: Linear,
    pub(crate) attended_norm: Norm,
    pub(crate) inner: Linear,
    pub(crate) outer: Linear,
    pub(crate) outer_norm: Norm,
    pub(crate) heads: usize,
}

impl Layer {
    /// The rows after the layer.
    pub(crate) fn forward(&self, rows: &Tensor, spans: &[Span]) -> Result<Tensor> {
        let mixed = self.mix.product(rows)?;
        mixed.inplace_op1(&AddBias { bias: &self.mix.bias })?;
        let mut contexts: Vec<Tensor> =
            spans.iter().map(|&span| self.attention(&mixed, span)).collect::<Result<_>>()?;
        let filled: usize = spans.iter().map(|span| span.1).sum();
        if filled < rows.dim(0)? {
            contexts.push(Tensor::zeros((rows.dim(0)? - filled, rows.dim(1)?), DType::F32, rows.device())?);
        }
        let attended = self.attended.product(&Tensor::cat(&contexts, 0)?)?;
        attended.inplace_op2(rows, &AddNorm { bias: &self.attended.bias, norm: &self.attended_norm })?;
        let inner = self.inner.product(&attended)?;
        inner.inplace_op1(&BiasGelu { bias: &self.inner.bias })?;
        let outer = self.outer.product(&inner)?;
        outer.inplace_op2(&attended, &AddNorm { bias: &self.outer.bias, norm: &self.outer_norm })?;
        Ok(outer)
    }

    /// The means of a text's values, each weighted by how well its key fits the query.
    fn attention(&self, mixed: &Tensor, (first, count): Span) -> Result<Tensor> {
        let width = mixed.dim(1)? / 3;
        let own = mixed.narrow(0, first, count)?.reshape((count, 3, self.heads, width / self.heads))?;
        // [heads, tokens, numbers], without a copy.
        let part = |number: usize| own.narrow(1, number, 1)?.squeeze(1)?.transpose(0, 1);
        let (query, key, value) = (part(0)?, part(1)?, part(2)?);
        let weights = query.matmul(&key.transpose(1, 2)?)?;
        let scale = 1.0 / ((width / self.heads) as f32).sqrt();
        weights.inplace_op1(&Softmax { scale })?;
        weights.matmul(&value)?.transpose(0, 1)?.reshape((count, width))
    }
}

/// The first rows: embeddings of tokens, positions and the first type of text, and a norm.
pub(crate) struct Embeddings {
    pub(crate) tokens: Tensor,
    pub(crate) positions: Tensor,
    /// The embedding of the first type.
    pub(crate) kind: Vec<f32>,
    pub(crate) norm: Norm,
    /// The position of the first token.
    pub(crate) first: usize,
}

impl Embeddings {
    /// The rows of texts, filled up to whole blocks, and the span of each text.
    pub(crate) fn forward(&self, texts: &[&[u32]]) -> Result<(Tensor, Vec<Span>)> {
        let (mut ids, mut positions, mut spans) = (Vec::new(), Vec::new(), Vec::new());
        for text in texts {
            spans.push((ids.len(), text.len()));
            ids.extend_from_slice(text);
            positions.extend((self.first..self.first + text.len()).map(|position| position as u32));
        }
        let device = self.tokens.device();
        // The states of these tokens are never read.
        let count = ids.len().next_multiple_of(BLOCK);
        ids.resize(count, 0);
        positions.resize(count, 0);
        let rows = self.tokens.index_select(&Tensor::from_vec(ids, count, device)?, 0)?;
        let places = self.positions.index_select(&Tensor::from_vec(positions, count, device)?, 0)?;
        rows.inplace_op2(&places, &AddNorm { bias: &self.kind, norm: &self.norm })?;
        Ok((rows, spans))
    }
}

/// Makes each row a unit vector.
pub(crate) fn unit(rows: &Tensor) -> Result<()> {
    rows.inplace_op1(&Unit)
}

/// The numbers of a tensor that no other tensor shares, and the length of its rows.
fn numbers<'s>(storage: &'s mut CpuStorage, layout: &Layout) -> Result<(&'s mut [f32], usize)> {
    let Some((start, end)) = layout.contiguous_offsets() else { bail!("rows must be in order") };
    let CpuStorage::F32(all) = storage else { bail!("rows must be of the type {:?}", DType::F32) };
    let width = layout.dims().last().copied().unwrap_or(0).max(1);
    Ok((&mut all[start..end], width))
}

struct AddBias<'b> {
    bias: &'b [f32],
}

impl InplaceOp1 for AddBias<'_> {
    fn name(&self) -> &'static str {
        "add-bias"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let (numbers, width) = numbers(storage, layout)?;
        for row in numbers.chunks_exact_mut(width) {
            row.iter_mut().zip(self.bias).for_each(|(x, bias)| *x += bias);
        }
        Ok(())
    }
}

struct BiasGelu<'b> {
    bias: &'b [f32],
}

impl InplaceOp1 for BiasGelu<'_> {
    fn name(&self) -> &'static str {
        "bias-gelu"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let (numbers, width) = numbers(storage, layout)?;
        for row in numbers.chunks_exact_mut(width) {
            row.iter_mut().zip(self.bias).for_each(|(x, bias)| *x = lanes::gelu(*x + bias));
        }
        Ok(())
    }
}

/// Adds the bias and the rows from before, and brings the sums to the scale of a norm.
struct AddNorm<'b> {
    bias: &'b [f32],
    norm: &'b Norm,
}

impl InplaceOp2 for AddNorm<'_> {
    fn name(&self) -> &'static str {
        "add-norm"
    }

    fn cpu_fwd(&self, to: &mut CpuStorage, to_layout: &Layout, from: &CpuStorage, from_layout: &Layout) -> Result<()> {
        let (numbers, width) = numbers(to, to_layout)?;
        let Some((start, end)) = from_layout.contiguous_offsets() else { bail!("rows must be in order") };
        let before = &from.as_slice::<f32>()?[start..end];
        for (row, before) in numbers.chunks_exact_mut(width).zip(before.chunks_exact(width)) {
            row.iter_mut().zip(self.bias).zip(before).for_each(|((x, bias), before)| *x += bias + before);
            self.norm.apply(row);
        }
        Ok(())
    }
}

struct Softmax {
    scale: f32,
}

impl InplaceOp1 for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let (numbers, width) = numbers(storage, layout)?;
        for row in numbers.chunks_exact_mut(width) {
            let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            row.iter_mut().for_each(|x| *x = lanes::exp((*x - most) * self.scale));
            let factor = (1.0 / sum(row, |x| x)) as f32;
            row.iter_mut().for_each(|x| *x *= factor);
        }
        Ok(())
    }
}

struct Unit;

impl InplaceOp1 for Unit {
    fn name(&self) -> &'static str {
        "unit"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let (numbers, width) = numbers(storage, layout)?;
        for row in numbers.chunks_exact_mut(width) {
            let factor = (1.0 / sum(row, |x| x * x).sqrt()) as f32;
            row.iter_mut().for_each(|x| *x *= factor);
        }
        Ok(())
    }
}
