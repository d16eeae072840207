//! Divides the jobs of a round into chunks, and the chunks into job arrays.
//!
//! A chunk has jobs of one data set, so that a task opens one collection. It takes jobs in the order
//! of the plan until their estimated seconds reach the length of a chunk. A job that was handed in
//! before and did not end is alone in its chunk, so that it takes no other job with it again.
//!
//! All tasks of an array have the same limits. So chunks of about the same limits (within a factor
//! of 2) share an array, which has the highest limits of its chunks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The most tasks of an array: one less than Slurm's usual `MaxArraySize`.
const MOST_TASKS: usize = 1000;
/// The least time limit in seconds. A scheduler may take a minute to begin or end a task.
const LEAST_TIME: u64 = 600;
/// How many times the estimated time a chunk may take.
const TIMES: f64 = 4.0;
/// Memory of the program itself, beside data and fits.
const PROGRAM: u64 = 256 << 20;

/// A job that is to be handed in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    /// Its place among the rows of the submission.
    pub(crate) row: usize,
    pub(crate) dataset: usize,
    pub(crate) seconds: f64,
    /// The bytes that the job needs, by an estimate.
    pub(crate) bytes: u64,
    /// The limits that the job needs at least, since it exceeded lower ones. `None` if it was not
    /// handed in before.
    pub(crate) again: Option<Limits>,
}

/// What a task may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) seconds: u64,
    pub(crate) bytes: u64,
}

/// The jobs of a task, by their rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chunk {
    pub(crate) rows: Vec<usize>,
    pub(crate) limits: Limits,
}

/// A job array. All its tasks have the same limits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Array {
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) limits: Limits,
}

/// Limits that the user sets, in place of limits by an estimate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) seconds: Option<u64>,
    pub(crate) bytes: Option<u64>,
}

impl Asked {
    /// The limits of a task that takes so many seconds and bytes by an estimate.
    fn limits(self, seconds: f64, bytes: u64) -> Limits {
        let Limits { seconds, bytes } = limits(seconds, bytes);
        Limits { seconds: self.seconds.unwrap_or(seconds), bytes: self.bytes.unwrap_or(bytes) }
    }
}

/// Four times the estimated seconds, and 30 % more bytes.
fn limits(seconds: f64, bytes: u64) -> Limits {
    let seconds = (seconds * TIMES).ceil().max(0.0) as u64;
    Limits { seconds: seconds.max(LEAST_TIME), bytes: (bytes.saturating_add(bytes / 10 * 3)).saturating_add(PROGRAM) }
}

/// Divides jobs into chunks of about `length` seconds.
pub(crate) fn chunks(pieces: &[Piece], length: f64, asked: Asked) -> Vec<Chunk> {
    let mut open: BTreeMap<usize, (Vec<usize>, f64, u64)> = BTreeMap::new();
    let mut done = Vec::new();
    let chunk = |(rows, seconds, bytes): (Vec<usize>, f64, u64)| Chunk { rows, limits: asked.limits(seconds, bytes) };
    for piece in pieces {
        if let Some(least) = piece.again {
            let own = asked.limits(piece.seconds, piece.bytes);
            let limits = Limits { seconds: own.seconds.max(least.seconds), bytes: own.bytes.max(least.bytes) };
            done.push(Chunk { rows: vec![piece.row], limits });
            continue;
        }
        let (rows, seconds, bytes) = open.entry(piece.dataset).or_default();
        if !rows.is_empty() && *seconds + piece.seconds > length {
            done.push(chunk((std::mem::take(rows), *seconds, *bytes)));
            (*seconds, *bytes) = (0.0, 0);
        }
        rows.push(piece.row);
        *seconds += piece.seconds;
        *bytes = piece.bytes.max(*bytes);
    }
    done.extend(open.into_values().map(chunk));
    done
}

/// Divides chunks into arrays.
pub(crate) fn arrays(chunks: Vec<Chunk>) -> Vec<Array> {
    let class = |limits: Limits| (limits.seconds.ilog2(), limits.bytes.ilog2());
    let mut classes: BTreeMap<(u32, u32), Vec<Chunk>> = BTreeMap::new();
    for chunk in chunks {
        classes.entry(class(chunk.limits)).or_default().push(chunk);
    }
    let array = |chunks: &[Chunk]| Array {
        chunks: chunks.to_vec(),
        limits: chunks.iter().fold(Limits { seconds: 0, bytes: 0 }, |most, chunk| Limits {
            seconds: most.seconds.max(chunk.limits.seconds),
            bytes: most.bytes.max(chunk.limits.bytes),
        }),
    };
    classes.values().flat_map(|chunks| chunks.chunks(MOST_TASKS).map(array)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(row: usize, dataset: usize, seconds: f64) -> Piece {
        Piece { row, dataset, seconds, bytes: 1 << 30, again: None }
    }

    fn rows(chunks: &[Chunk]) -> Vec<&[usize]> {
        chunks.iter().map(|chunk| chunk.rows.as_slice()).collect()
    }

    #[test]
    fn a_chunk_has_jobs_of_one_data_set_and_about_its_length() {
        let pieces = [
            piece(0, 0, 5.0),
            piece(1, 1, 5.0),
            piece(2, 0, 5.0),
            piece(3, 0, 1.0),
            piece(4, 0, 99.0),
            piece(5, 0, 1.0),
        ];
        assert_eq!(rows(&chunks(&pieces, 10.0, Asked::default())), [&[0, 2][..], &[3], &[4], &[5], &[1]]);
        assert_eq!(rows(&chunks(&pieces, 1000.0, Asked::default())), [&[0, 2, 3, 4, 5][..], &[1]]);
        assert_eq!(chunks(&[], 10.0, Asked::default()), []);
    }

    /// No job is lost or doubled, whatever the times are.
    #[test]
    fn every_job_is_in_one_chunk() {
        let pieces: Vec<Piece> =
            (0..300).map(|row| piece(row, row % 3, f64::from(u32::try_from(row * 37 % 50).unwrap()))).collect();
        for length in [0.0, 1.0, 60.0, 1e9] {
            let mut all: Vec<usize> =
                chunks(&pieces, length, Asked::default()).into_iter().flat_map(|chunk| chunk.rows).collect();
            all.sort_unstable();
            assert_eq!(all, (0..300).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_job_that_did_not_end_is_alone_and_has_its_higher_limits() {
        let least = Limits { seconds: 7200, bytes: 64 << 30 };
        let again = Piece { again: Some(least), ..piece(1, 0, 1.0) };
        let chunks = chunks(&[piece(0, 0, 1.0), again, piece(2, 0, 1.0)], 100.0, Asked::default());
        assert_eq!(rows(&chunks), [&[1][..], &[0, 2]]);
        assert_eq!(chunks[0].limits, least);
        assert_eq!(chunks[1].limits, limits(2.0, 1 << 30));
    }

    #[test]
    fn limits_that_the_user_asks_for_are_taken_and_doubled() {
        assert_eq!(limits(1000.0, 1000), Limits { seconds: 4000, bytes: 1300 + PROGRAM });
        assert_eq!(limits(1.0, 0).seconds, LEAST_TIME);
        let asked = Asked { seconds: Some(60), bytes: Some(7) };
        let again = Some(Limits { seconds: 120, bytes: 7 });
        let pieces = [piece(0, 0, 1000.0), Piece { again, ..piece(1, 0, 1000.0) }];
        let limits: Vec<Limits> = chunks(&pieces, 1.0, asked).into_iter().map(|chunk| chunk.limits).collect();
        assert_eq!(limits, [Limits { seconds: 120, bytes: 7 }, Limits { seconds: 60, bytes: 7 }]);
    }

    #[test]
    fn arrays_have_chunks_of_like_limits() {
        let chunk = |row, bytes| Chunk { rows: vec![row], limits: Limits { seconds: 600, bytes } };
        let arrays = arrays(vec![chunk(0, 5 << 30), chunk(1, 1 << 30), chunk(2, 6 << 30)]);
        let told: Vec<_> = arrays.iter().map(|array| (array.chunks.len(), array.limits.bytes >> 30)).collect();
        assert_eq!(told, [(1, 1), (2, 6)]);
    }

    #[test]
    fn an_array_has_no_more_tasks_than_slurm_takes() {
        let chunk = |row| Chunk { rows: vec![row], limits: Limits { seconds: 600, bytes: 1 } };
        let sizes: Vec<usize> = arrays((0..2500).map(chunk).collect()).iter().map(|array| array.chunks.len()).collect();
        assert_eq!(sizes, [1000, 1000, 500]);
    }
}
