//! The sum of the potentials of each bin, for a group of features.
//!
//! A sum adds its documents in their order, one after the other, so it takes the time of an addition
//! for each of them. Sums of different bins do not wait for each other. So the documents of each bin
//! are listed once, and eight bins with about as many documents are added up side by side, in
//! registers: two loads and no store go with an addition. The lowest bin of a feature is above no
//! threshold, and is left out.
//!
//! Lists count documents from the beginning of a block of [`BLOCK`] places, whose potentials fit in
//! the nearest cache. The last place of a block holds -0, which alters no sum: shorter lists are
//! filled up with it.

/// Features of a group.
pub(super) const FEATURES: usize = 8;
/// The most bins of a feature.
pub(super) const BINS: usize = 1 << u8::BITS;
/// Bins that are added up side by side.
const SIDE: usize = 8;
/// Places of a block.
const BLOCK: usize = 1 << 12;
/// The last place of a block.
const FILLER: usize = BLOCK - 1;
/// Documents of a block.
const DOCUMENTS: usize = BLOCK - 1;
/// The place of sums that nobody needs.
const UNUSED: u16 = (FEATURES * BINS) as u16;

/// The potentials of the documents, in blocks.
pub(super) struct Potentials(Vec<[f64; BLOCK]>);

impl Potentials {
    pub(super) fn new(potentials: &[f64]) -> Self {
        let block = |potentials: &[f64]| {
            let mut block = [-0.0; BLOCK];
            block[..potentials.len()].copy_from_slice(potentials);
            block
        };
        Potentials(potentials.chunks(DOCUMENTS).map(block).collect())
    }
}

/// The sums of a group: for each feature, those of its bins. The last is one that nobody needs.
pub(super) struct Sums([f64; FEATURES * BINS + 1]);

impl Sums {
    /// The sum of a bin that is not the lowest.
    pub(super) fn of(&self, feature: usize, bin: usize) -> f64 {
        self.0[feature * BINS + bin]
    }
}

/// Documents that are added up side by side.
struct Run {
    /// The places of the sums.
    sums: [u16; SIDE],
    /// Documents of each sum.
    length: u32,
}

/// The documents of each bin.
pub(super) struct BinSums(Vec<Block>);

/// The documents of each bin in a block.
struct Block {
    runs: Vec<Run>,
    /// Of all runs, one after the other: the next document of each sum.
    documents: Vec<Packed>,
}

/// Numbers of documents, four in a word. The compiler would load eight `u16` as one vector, and take
/// them out of it with two instructions each.
type Packed = [u64; SIDE / 4];

/// Fillers alone.
const FILLED: Packed = [FILLER as u64 * 0x0001_0001_0001_0001; SIDE / 4];

fn put(packed: &mut Packed, side: usize, document: u16) {
    let shift = 16 * (side % 4);
    let word = &mut packed[side / 4];
    *word = *word & !(0xffff << shift) | u64::from(document) << shift;
}

#[inline(always)]
fn document(packed: &Packed, side: usize) -> usize {
    (packed[side / 4] >> (16 * (side % 4))) as usize % BLOCK
}

/// The documents of a bin, in a list that is sorted by bin.
struct OfBin {
    begin: usize,
    end: usize,
    /// The place of the sum.
    sum: u16,
}

impl OfBin {
    fn len(&self) -> usize {
        self.end - self.begin
    }
}

impl BinSums {
    /// `columns` has the bins of all documents, for up to [`FEATURES`] features.
    pub(super) fn new(columns: &[&[u8]]) -> Self {
        let documents = columns.first().map_or(0, |column| column.len());
        let block = |first: usize| {
            let end = documents.min(first + DOCUMENTS);
            Block::new(&columns.iter().map(|column| &column[first..end]).collect::<Vec<_>>())
        };
        BinSums((0..documents).step_by(DOCUMENTS).map(block).collect())
    }

    /// The sums of `potentials`.
    pub(super) fn sums(&self, potentials: &Potentials) -> Sums {
        let mut all = Sums([0.0; FEATURES * BINS + 1]);
        for (Block { runs, documents }, potentials) in self.0.iter().zip(&potentials.0) {
            let mut documents = documents.as_slice();
            for run in runs {
                let (own, rest) = documents.split_at(run.length as usize);
                documents = rest;
                let mut sums = run.sums.map(|place| all.0[usize::from(place)]);
                for packed in own {
                    for side in 0..SIDE {
                        sums[side] += potentials[document(packed, side)];
                    }
                }
                run.sums.iter().zip(sums).for_each(|(&place, sum)| all.0[usize::from(place)] = sum);
            }
        }
        all
    }
}

impl Block {
    fn new(columns: &[&[u8]]) -> Self {
        // Documents by feature, bin and number.
        let mut by_bin = vec![0u16; columns.iter().map(|column| column.len()).sum()];
        let mut bins: Vec<OfBin> = Vec::new();
        let mut begin = 0;
        for (feature, column) in columns.iter().enumerate() {
            let mut counts = [0; BINS];
            column.iter().for_each(|&bin| counts[usize::from(bin)] += 1);
            let mut next = [0; BINS];
            for bin in 0..BINS {
                next[bin] = begin;
                if bin > 0 && counts[bin] > 0 {
                    bins.push(OfBin { begin, end: begin + counts[bin], sum: (feature * BINS + bin) as u16 });
                }
                begin += counts[bin];
            }
            for (document, &bin) in (0..).zip(*column) {
                let place = &mut next[usize::from(bin)];
                by_bin[*place] = document;
                *place += 1;
            }
        }
        bins.sort_by_key(|of_bin| std::cmp::Reverse(of_bin.len()));
        let run = |bins: &[OfBin]| {
            let mut sums = [UNUSED; SIDE];
            sums.iter_mut().zip(bins).for_each(|(sum, of_bin)| *sum = of_bin.sum);
            Run { sums, length: bins.first().map_or(0, OfBin::len) as u32 }
        };
        let runs: Vec<Run> = bins.chunks(SIDE).map(run).collect();
        let mut documents = vec![FILLED; runs.iter().map(|run| run.length as usize).sum()];
        let mut rest = documents.as_mut_slice();
        for (run, bins) in runs.iter().zip(bins.chunks(SIDE)) {
            let own = rest.split_off_mut(..run.length as usize).unwrap_or_default();
            for (side, of_bin) in bins.iter().enumerate() {
                let of_bin = &by_bin[of_bin.begin..of_bin.end];
                own.iter_mut().zip(of_bin).for_each(|(packed, &document)| put(packed, side, document));
            }
        }
        Block { runs, documents }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;

    #[test]
    fn sums_have_the_bits_of_documents_added_in_their_order() {
        let mut rng = Seed::new(3).rng();
        for (documents, features, most) in [(1, 1, 3), (9, 8, 2), (300, 5, 255), (4095, 2, 50), (9001, 3, 11)] {
            // Many documents are in one bin, which may be the lowest.
            let columns: Vec<Vec<u8>> = (0..features)
                .map(|feature| {
                    let bin = |share: f64| if share < 0.6 { feature as u8 % 3 } else { (share * most as f64) as u8 };
                    (0..documents).map(|_| bin(rng.uniform())).collect()
                })
                .collect();
            let potentials: Vec<f64> =
                (0..documents).map(|_| if rng.uniform() < 0.1 { -0.0 } else { rng.normal() }).collect();
            let sums = BinSums::new(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let sums = sums.sums(&Potentials::new(&potentials));
            for (feature, column) in columns.iter().enumerate() {
                for bin in 1..BINS {
                    let of_bin = column.iter().zip(&potentials).filter(|(own, _)| usize::from(**own) == bin);
                    let expected = of_bin.fold(0.0, |sum, (_, potential)| sum + potential);
                    assert_eq!(sums.of(feature, bin).to_bits(), f64::to_bits(expected), "{feature} {bin}");
                }
            }
        }
    }
}
