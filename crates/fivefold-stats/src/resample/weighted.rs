//! Weighted sums of integer columns for many draws at once, by the method of four Russians.
//!
//! A draw's weights are bits: weight = sum over planes p of 2^p bit_p. For every eight queries, a
//! table holds the sums of all 256 subsets. So a draw adds one row of the table instead of up to
//! eight rows of values (Arlazarov, Dinic, Kronrod & Faradzhev 1970). A row is eight columns wide,
//! the width that vector instructions add at once. Weights of 4 and more, which a bootstrap has for
//! one query in fifty, are added row by row.
//!
//! Cost for n queries, B draws, C columns: (planes B + 256) C n / 8 additions, on tables that stay
//! in the cache.

/// Columns that are summed together.
const LANES: usize = 8;
/// Queries in a word of bits.
const BLOCK: usize = 64;

type Row = [i64; LANES];
/// The sums of all subsets of eight queries.
type Table = [Row; 256];
/// The tables of a word of bits.
type Tables = [Table; BLOCK / 8];

/// Columns of integers over the same queries.
pub(crate) struct Columns {
    /// `[column / LANES][query]`
    chunks: Vec<Vec<Row>>,
    count: usize,
    queries: usize,
}

impl Columns {
    pub(crate) fn new(queries: usize) -> Columns {
        Columns { chunks: Vec::new(), count: 0, queries }
    }

    /// Adds a column and returns its number.
    pub(crate) fn push(&mut self, values: impl Iterator<Item = i64>) -> usize {
        let (number, lane) = (self.count, self.count % LANES);
        if lane == 0 {
            self.chunks.push(vec![[0; LANES]; self.queries]);
        }
        for (row, value) in self.chunks[number / LANES].iter_mut().zip(values) {
            row[lane] = value;
        }
        self.count += 1;
        number
    }
}

/// The weights of a batch of draws in `P` planes of bits.
pub(crate) struct Weights<const P: usize> {
    draws: usize,
    blocks: usize,
    /// `[block of 64 queries][draw][plane]`
    words: Vec<[u64; P]>,
    /// By block: (draw, query) with a weight greater than its planes say. Each entry adds `2^P`.
    more: Vec<Vec<(u32, u32)>>,
}

impl<const P: usize> Weights<P> {
    pub(crate) fn new(draws: usize, queries: usize) -> Weights<P> {
        let blocks = queries.div_ceil(BLOCK);
        Weights { draws, blocks, words: vec![[0; P]; blocks * draws], more: vec![Vec::new(); blocks] }
    }

    /// Takes the bits of a draw from `words`, one array for each 64 queries. Bits beyond the last
    /// query are ignored.
    pub(crate) fn set(&mut self, draw: usize, mut words: impl FnMut(usize) -> [u64; P]) {
        for block in 0..self.blocks {
            self.words[block * self.draws + draw] = words(block);
        }
    }
}

impl Weights<1> {
    /// Gives these queries weight 1 in a draw, and all other queries weight 0.
    pub(crate) fn set_members(&mut self, draw: usize, queries: &[usize]) {
        for &query in queries {
            self.words[query / BLOCK * self.draws + draw][0] |= 1 << (query % BLOCK);
        }
    }
}

impl Weights<2> {
    /// Takes how often each query was drawn: `counts` modulo 4, and `fours` with an entry for each
    /// further 4.
    pub(crate) fn set_counts(&mut self, draw: usize, counts: &[u8], fours: &[u32]) {
        self.set(draw, |block| {
            let of_block = &counts[block * BLOCK..counts.len().min((block + 1) * BLOCK)];
            let mut planes = [0; 2];
            for (byte, eight) in of_block.chunks(8).enumerate() {
                let mut bytes = [0; 8];
                bytes[..eight.len()].copy_from_slice(eight);
                let bytes = u64::from_le_bytes(bytes);
                for (plane, word) in planes.iter_mut().enumerate() {
                    *word |= low_bits(bytes >> plane) << (8 * byte);
                }
            }
            planes
        });
        for &query in fours {
            self.more[query as usize / BLOCK].push((draw as u32, query));
        }
    }
}

/// The lowest bits of eight bytes, side by side.
fn low_bits(bytes: u64) -> u64 {
    // The product moves the bit of byte i to bit 56 + i without carries.
    (bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The weighted sums of every column for every draw of a batch.
pub(crate) struct Sums {
    /// `[column / LANES][draw]`
    chunks: Vec<Vec<Row>>,
    count: usize,
}

impl Sums {
    /// Writes the sums of a draw, in the order of the columns.
    pub(crate) fn of_draw(&self, draw: usize, out: &mut Vec<i64>) {
        out.clear();
        out.extend(self.chunks.iter().flat_map(|rows| rows[draw]).take(self.count));
    }
}

/// Sums every column under every draw's weights.
pub(crate) fn weighted_sums<const P: usize>(columns: &Columns, weights: &Weights<P>) -> Sums {
    let mut tables: Vec<Tables> = vec![[[[0; LANES]; 256]; BLOCK / 8]];
    let sum = |values: &Vec<Row>| {
        let mut sums = vec![[0; LANES]; weights.draws];
        let words = weights.words.chunks(weights.draws.max(1));
        for ((queries, words), more) in values.chunks(BLOCK).zip(words).zip(&weights.more) {
            let tables = &mut tables[0];
            for (number, table) in tables.iter_mut().enumerate() {
                fill(table, queries.get(8 * number..).unwrap_or_default());
            }
            for (sum, planes) in sums.iter_mut().zip(words) {
                add_subsets(sum, tables, planes);
            }
            for &(draw, query) in more {
                let sum = &mut sums[draw as usize];
                for (sum, value) in sum.iter_mut().zip(&values[query as usize]) {
                    *sum += value << P;
                }
            }
        }
        sums
    };
    Sums { chunks: columns.chunks.iter().map(sum).collect(), count: columns.count }
}

/// Writes the sums of all subsets of the first eight rows; a missing row is 0.
fn fill(table: &mut Table, rows: &[Row]) {
    table[0] = [0; LANES];
    for bit in 0..8 {
        let row = rows.get(bit).unwrap_or(&[0; LANES]);
        let (known, new) = table.split_at_mut(1 << bit);
        for (new, known) in new.iter_mut().zip(known) {
            for ((new, known), value) in new.iter_mut().zip(known).zip(row) {
                *new = *known + value;
            }
        }
    }
}

fn add_subsets<const P: usize>(sum: &mut Row, tables: &Tables, planes: &[u64; P]) {
    for (plane, word) in planes.iter().enumerate() {
        let mut of_plane = [0; LANES];
        for (table, byte) in tables.iter().zip(word.to_le_bytes()) {
            for (of_plane, value) in of_plane.iter_mut().zip(&table[usize::from(byte)]) {
                *of_plane += value;
            }
        }
        for (sum, of_plane) in sum.iter_mut().zip(of_plane) {
            *sum += of_plane << plane;
        }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_base::Seed;

    use super::*;

    /// Compares every column and draw with the plain sum, at sizes around the edges of bytes, words
    /// and chunks.
    #[test]
    fn sums_are_those_of_the_definition() {
        let mut rng = Seed::new(5).rng();
        for (queries, count) in [(1, 1), (7, 3), (8, 8), (9, 9), (63, 2), (64, 17), (65, 8), (200, 20)] {
            let values: Vec<Vec<i64>> =
                (0..count).map(|_| (0..queries).map(|_| rng.next_u64() as i64 >> 20).collect()).collect();
            let mut columns = Columns::new(queries);
            for (number, column) in values.iter().enumerate() {
                assert_eq!(columns.push(column.iter().copied()), number);
            }
            let draws = 5;
            let mut weights = Weights::<2>::new(draws, queries);
            let mut plain = vec![vec![0i64; queries]; draws];
            for (draw, plain) in plain.iter_mut().enumerate() {
                let (mut counts, mut fours) = (vec![0u8; queries], Vec::new());
                for query in 0..queries {
                    let count = rng.index(14);
                    plain[query] = count as i64;
                    counts[query] = (count % 4) as u8;
                    fours.extend(vec![query as u32; count / 4]);
                }
                weights.set_counts(draw, &counts, &fours);
            }
            let sums = weighted_sums(&columns, &weights);
            let mut found = Vec::new();
            for (draw, plain) in plain.iter().enumerate() {
                sums.of_draw(draw, &mut found);
                let expected: Vec<i64> =
                    values.iter().map(|column| column.iter().zip(plain).map(|(v, w)| v * w).sum()).collect();
                assert_eq!(found, expected, "{queries} queries, draw {draw}");
            }
        }
    }

    #[test]
    fn bits_beyond_the_last_query_count_nothing() {
        let mut columns = Columns::new(3);
        columns.push([1, 10, 100].into_iter());
        let mut weights = Weights::<1>::new(2, 3);
        weights.set(0, |_| [u64::MAX]);
        weights.set(1, |_| [0b101]);
        let sums = weighted_sums(&columns, &weights);
        let mut found = Vec::new();
        sums.of_draw(0, &mut found);
        assert_eq!(found, [111]);
        sums.of_draw(1, &mut found);
        assert_eq!(found, [101]);
    }
}
