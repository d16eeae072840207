//! Queries and feature vectors that stand in more than one part.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::Problems;
use super::columns::ALL_MISSING;
use super::part::Part;

/// Queries and vectors that parts share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Across {
    /// The fold, from 1, whose test part is compared with its training and validation parts. `None`
    /// if files are compared with each other.
    pub fold: Option<usize>,
    /// Number of different feature vectors that stand in more than one part.
    pub vectors: usize,
    /// Number of documents whose vector stands in another part too. For a fold, only documents of
    /// the test part count.
    pub documents: usize,
    /// Number of these documents in which every value is missing.
    pub all_missing: usize,
    /// Number of queries that stand in more than one part.
    pub queries: usize,
}

/// The files to compare, as places in the list of files.
#[derive(Debug, Clone)]
pub(super) struct PartsToCompare {
    fold: Option<usize>,
    /// The files of each part.
    parts: Vec<Vec<usize>>,
}

impl PartsToCompare {
    /// Compares files with each other: each file is a part.
    pub(super) fn parts(files: Vec<usize>) -> Self {
        PartsToCompare { fold: None, parts: files.into_iter().map(|file| vec![file]).collect() }
    }

    /// Compares the test part of a fold with its training and validation parts together.
    pub(super) fn fold(number: usize, train: Vec<usize>, validation: Vec<usize>, test: Vec<usize>) -> Self {
        PartsToCompare { fold: Some(number), parts: vec![test, [train, validation].concat()] }
    }

    /// The same comparison, with places that start after `before` other files.
    pub(super) fn shifted(&self, before: usize) -> Self {
        let parts = self.parts.iter().map(|files| files.iter().map(|file| file + before).collect()).collect();
        PartsToCompare { fold: self.fold, parts }
    }

    /// Compares vectors by their hashes, and queries by their ids. A query in two parts is a
    /// problem.
    pub(super) fn run(&self, files: &[Part], problems: &mut Problems) -> Across {
        let mut vectors: Vec<(u128, usize)> = Vec::new();
        let mut queries: HashMap<&str, (usize, usize, u64)> = HashMap::new();
        let mut shared: HashSet<&str> = HashSet::new();
        for (part, members) in self.parts.iter().enumerate() {
            for &file in members {
                vectors.extend(files[file].vectors.iter().map(|&hash| (hash, part)));
                for (id, line) in &files[file].queries {
                    let &mut (first, first_file, first_line) = queries.entry(id).or_insert((part, file, *line));
                    if first != part {
                        shared.insert(id);
                        let (first, here) = (&files[first_file].report.file, &files[file].report.file);
                        let what = || format!("query `{id}` stands in {}:{first_line} too", first.display());
                        problems.add(here, *line, 0, what);
                    }
                }
            }
        }
        vectors.sort_unstable();
        let mut across = Across { fold: self.fold, vectors: 0, documents: 0, all_missing: 0, queries: shared.len() };
        for same in vectors.chunk_by(|a, b| a.0 == b.0) {
            if same[0].1 == same[same.len() - 1].1 {
                continue;
            }
            // Sorted by part: the test part of a fold comes first.
            let documents = match self.fold {
                Some(_) => same.iter().filter(|(_, part)| *part == 0).count(),
                None => same.len(),
            };
            across.vectors += 1;
            across.documents += documents;
            across.all_missing += if same[0].0 == ALL_MISSING { documents } else { 0 };
        }
        across
    }
}
