//! Queries and feature vectors that stand in more than one part.

use std::collections::HashMap;

use serde::Serialize;

use super::Problems;
use super::columns::ALL_MISSING;
use super::part::Part;

/// What parts have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Across {
    /// The fold, from 1, whose tested part is compared with what it learns from; `None`: parts are compared with each other.
    pub fold: Option<usize>,
    /// Different feature vectors that stand in more than one part.
    pub vectors: usize,
    /// Documents whose vector stands in another part too; of a fold, those of the tested part only.
    pub documents: usize,
    /// How many of these have no value at all.
    pub all_missing: usize,
    /// Queries that stand in more than one part.
    pub queries: usize,
}

/// Which files are compared, as places in the list of parts.
#[derive(Debug, Clone)]
pub(super) struct Comparison {
    fold: Option<usize>,
    /// Files that make one part each.
    parts: Vec<Vec<usize>>,
}

impl Comparison {
    /// Each file is a part.
    pub(super) fn parts(files: Vec<usize>) -> Self {
        Comparison { fold: None, parts: files.into_iter().map(|file| vec![file]).collect() }
    }

    /// What is tested against all that is learned from.
    pub(super) fn fold(number: usize, train: Vec<usize>, validation: Vec<usize>, test: Vec<usize>) -> Self {
        Comparison { fold: Some(number), parts: vec![test, [train, validation].concat()] }
    }

    /// The same, of files that come after `before` others.
    pub(super) fn shifted(&self, before: usize) -> Self {
        let parts = self.parts.iter().map(|files| files.iter().map(|file| file + before).collect()).collect();
        Comparison { fold: self.fold, parts }
    }

    /// Compares vectors by their hashes and queries by their ids. A query in two parts is a problem.
    pub(super) fn run(&self, files: &[Part], problems: &mut Problems) -> Across {
        let mut vectors: Vec<(u128, usize)> = Vec::new();
        let mut queries: HashMap<&str, (usize, usize, u64)> = HashMap::new();
        let mut shared_queries = 0;
        for (part, members) in self.parts.iter().enumerate() {
            for &file in members {
                vectors.extend(files[file].vectors.iter().map(|&hash| (hash, part)));
                for (id, line) in &files[file].queries {
                    let &mut (first, first_file, first_line) = queries.entry(id).or_insert((part, file, *line));
                    if first != part {
                        shared_queries += 1;
                        let (first, here) = (&files[first_file].report.file, &files[file].report.file);
                        let what = || format!("query `{id}` stands in {}:{first_line} too", first.display());
                        problems.add(here, *line, 0, what);
                    }
                }
            }
        }
        vectors.sort_unstable();
        let mut across = Across { fold: self.fold, vectors: 0, documents: 0, all_missing: 0, queries: shared_queries };
        for same in vectors.chunk_by(|a, b| a.0 == b.0) {
            if same[0].1 == same[same.len() - 1].1 {
                continue;
            }
            // Sorted by part: the tested part of a fold comes first.
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
