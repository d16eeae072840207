//! The best cut of a small node, without histograms that outlive the search.
//!
//! A histogram has 256 cells a feature. All of them must be cleared, subtracted and searched,
//! however few documents a node has. For a small node it is cheaper to add up its documents for
//! the allowed features, to note which cells were met, and to search these cells only. The sums
//! are the same integers, so the cut is the same as with histograms.
//!
//! Cost: documents x allowed features.

use crate::bins::{BinnedMatrix, LANES, MISSING};
use crate::cells::Sum;
use crate::split::{Cut, Scan};

/// The cells of a group's features, and the documents' bins in a group.
pub(crate) struct Direct<S> {
    /// All zero, except during a search.
    cells: Box<[[S; 256]; LANES]>,
    bins: Vec<[u8; LANES]>,
}

impl<S: Sum> Direct<S> {
    pub fn new() -> Self {
        Direct { cells: Box::new([[S::default(); 256]; LANES]), bins: Vec::new() }
    }

    /// The best cut of the node with these rows. `cells` are in the order of the rows, and `total`
    /// is their sum.
    pub fn search(
        &mut self,
        matrix: &BinnedMatrix,
        scan: &Scan<S>,
        allowed: &[[bool; LANES]],
        (rows, cells, total): (&[u32], &[S], S),
    ) -> Option<Cut<S>> {
        let mut best = None;
        let mut lanes = Vec::with_capacity(LANES);
        // The cells of a feature that were met, and their bins.
        let (mut filled, mut places) = ([S::default(); 256], [0; 256]);
        for (group, allowed) in allowed.iter().enumerate().filter(|(_, allowed)| allowed.contains(&true)) {
            let (panel, place, _) = matrix.place(group * LANES);
            self.bins.clear();
            self.bins.extend(rows.iter().map(|&row| panel.bins[row as usize].0[place]));
            lanes.clear();
            lanes.extend((0..LANES).filter(|&lane| allowed[lane]));
            let met = self.add(&lanes, cells);
            for &lane in &lanes {
                let mut count = 0;
                for bin in bits(met[lane]) {
                    filled[count & 255] = std::mem::take(&mut self.cells[lane][bin]);
                    places[count & 255] = bin as u8;
                    count += 1;
                }
                if count < 2 {
                    continue;
                }
                // The bin of missing values is the last.
                let any_missing = places[count - 1] == MISSING;
                let missing = if any_missing { filled[count - 1] } else { S::default() };
                let present = &filled[..count - usize::from(any_missing)];
                let number = (group * LANES + lane) as u32;
                best = scan.better(best, number, (present, missing), |place| places[place & 255], total);
            }
        }
        best
    }

    /// Adds up some features of a group, and returns a bit for each cell that was met. The features
    /// of a document are added in turn, since an addition must wait for the previous addition to
    /// the same cell, and many neighbours share a bin.
    fn add(&mut self, lanes: &[usize], cells: &[S]) -> [[u64; 4]; LANES] {
        let mut met = [[0; 4]; LANES];
        for (bins, &cell) in self.bins.iter().zip(cells) {
            for &lane in lanes {
                let lane = lane % LANES;
                let bin = bins[lane];
                self.cells[lane][usize::from(bin)].add(cell);
                met[lane][usize::from(bin >> 6)] |= 1u64 << (bin & 63);
            }
        }
        met
    }
}

/// The places of the bits that are set, rising.
fn bits(words: [u64; 4]) -> impl Iterator<Item = usize> + Clone {
    (0..4).flat_map(move |word| {
        let mut rest = words[word];
        std::iter::from_fn(move || {
            let place = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (place < 64).then_some(word * 64 + place)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_rise() {
        let places = [0, 5, 63, 64, 127, 128, 191, 192, 255];
        let mut words = [0; 4];
        places.iter().for_each(|place| words[place / 64] |= 1 << (place % 64));
        assert_eq!(bits(words).collect::<Vec<_>>(), places);
        assert_eq!(bits([0; 4]).count(), 0);
    }
}
