//! The exact E of ROUGE-L's matches under `unigram`, by a walk over the values of the bit vector V
//! of [`lcs`](crate::lcs): each draw takes a chance from one value to another.
//!
//! Tokens of the reference that the source lacks are never drawn, so V leaves them out. V has at
//! most 2^n values, hence the limit of 16 tokens. Costs O(m 2^n n) at most, so that m is limited
//! too.

use super::Source;
use crate::lcs::after;
use crate::slots::Local;

/// The most tokens of the reference that the source has.
const MOST: usize = 16;

/// The most steps of all values of V together: with 16 tokens, summaries of 1,024 tokens.
const MOST_STEPS: usize = 1 << 26;

/// E of the matches of random summaries of increasing lengths; `None` if reference or summaries are
/// too long.
pub(crate) fn matches(reference: &Local, source: &Source, lengths: &[usize]) -> Option<Vec<f64>> {
    let is_known = |token: &&u32| source.counts[**token as usize] > 0;
    let kept: Vec<u32> = reference.tokens.iter().filter(is_known).copied().collect();
    let longest = lengths.last().copied().unwrap_or(0);
    if kept.len() > MOST || longest > MOST_STEPS >> kept.len() {
        return None;
    }
    let chance = |count: u32| f64::from(count) / source.tokens.len() as f64;
    let steps: Vec<(f64, u64)> = (1..reference.counts.len() as u32)
        .filter(|token| is_known(&token))
        .map(|token| {
            let places = kept.iter().enumerate().filter(|(_, known)| **known == token);
            (chance(source.counts[token as usize]), places.map(|(place, _)| 1 << place).sum())
        })
        .collect();
    let none = chance(source.counts[0]);
    let all = (1_usize << kept.len()) - 1;
    let (mut chances, mut next) = (vec![0.0; all + 1], vec![0.0; all + 1]);
    chances[all] = 1.0;
    let (mut drawn, mut means) = (0, Vec::new());
    for &m in lengths {
        for _ in drawn..m {
            next.fill(0.0);
            for (v, &chance) in chances.iter().enumerate().filter(|(_, chance)| **chance > 0.0) {
                next[v] += chance * none;
                for &(p, mask) in &steps {
                    next[after(v as u64, mask) as usize & all] += chance * p;
                }
            }
            std::mem::swap(&mut chances, &mut next);
        }
        drawn = drawn.max(m);
        let length = |v: usize| kept.len() - v.count_ones() as usize;
        means.push(chances.iter().enumerate().map(|(v, chance)| chance * length(v) as f64).sum());
    }
    Some(means)
}
