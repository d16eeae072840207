//! The tokens of one reference, numbered from 1. Most tokens of other texts are not in the
//! reference: their number is 0, and they match nothing.

/// The number that each token of the vocabulary has in the current reference.
pub(crate) struct Slots(Vec<u32>);

/// A reference in numbers of its own.
pub(crate) struct Local {
    /// The reference's tokens, numbered from 1 in order of appearance.
    pub(crate) tokens: Vec<u32>,
    /// How often each of its tokens appears; place 0 stands for all others and holds 0.
    pub(crate) counts: Vec<u32>,
}

impl Slots {
    pub(crate) fn new(vocabulary: usize) -> Self {
        Slots(vec![0; vocabulary])
    }

    /// Numbers the tokens of a reference. [`leave`](Self::leave) must follow.
    pub(crate) fn enter(&mut self, reference: &[u32]) -> Local {
        let mut local = Local { tokens: Vec::with_capacity(reference.len()), counts: vec![0] };
        for &token in reference {
            let slot = &mut self.0[token as usize];
            if *slot == 0 {
                *slot = local.counts.len() as u32;
                local.counts.push(0);
            }
            local.counts[*slot as usize] += 1;
            local.tokens.push(*slot);
        }
        local
    }

    /// The numbers of another text's tokens.
    pub(crate) fn of<'a>(&'a self, text: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        text.iter().map(|&token| self.0[token as usize])
    }

    /// Forgets the reference that was entered.
    pub(crate) fn leave(&mut self, reference: &[u32]) {
        reference.iter().for_each(|&token| self.0[token as usize] = 0);
    }
}
