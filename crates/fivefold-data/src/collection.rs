//! A collection with its folds. Each file is read once, each query is stored once, and folds are
//! views.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fivefold_core::{Dataset, Seed};

use crate::cache::blocks::Blocks;
use crate::cache::{BadBlock, Cache, CacheUse, Parsed};
use crate::descriptor::{Descriptor, layouts_in, not_named, present};
use crate::digits::collapsed_remark;
use crate::error::{DataError, Place};
use crate::features::{FeatureChoice, FeatureNames, UnknownPick};
use crate::groups;
use crate::hash::{PartHashes, combine};
use crate::layout::{FoldFiles, Folds};
use crate::leaks::{Overlap, Role};
use crate::letor::{self, Listing, Missing, ReadOptions, read_into};
use crate::query_store::QueryStore;

/// The number of folds into which a single file is cut.
pub(crate) const FOLDS: usize = 5;

/// A collection that has been read.
///
/// ```
/// use fivefold_base::Dataset;
/// use fivefold_core::Seed;
/// use fivefold_data::Collection;
///
/// // Ten queries of one document, dealt to five folds: each is tested once.
/// let data = Dataset::of_queries(1, [(&[0.5][..], &[1][..]); 10])?;
/// let collection = Collection::cut("mine", "Queries of mine", data, Seed::new(1))?;
/// assert_eq!((collection.folds.len(), collection.all.len()), (5, 10));
/// assert_eq!(collection.folds.iter().map(|fold| fold.test.len()).sum::<usize>(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Collection {
    /// The collection's name.
    pub name: String,
    /// The collection's name in full.
    pub title: String,
    /// The folds, in order.
    pub folds: Vec<Fold>,
    /// Every distinct query once, in the order in which the files were read. A query id that stands
    /// in several files with different content has one entry for each content.
    pub all: Dataset,
    /// The highest possible grade. The descriptor declares it; else it is the highest grade over
    /// all parts.
    pub max_grade: u8,
    /// blake3 hash of the content of all parts of all folds, on which results depend.
    pub hash: String,
    /// The treatment of missing values.
    pub missing: Missing,
    /// The id of the first feature in the files.
    pub first_feature_id: u32,
    /// The names and groups of the features, as far as they are known.
    pub names: FeatureNames,
    /// Whether lines of a file were moved to bring queries together. Score files in the order of
    /// the file then no longer fit.
    pub moved: bool,
    /// Remarks for the user, for instance that the number of documents differs from the
    /// descriptor's.
    pub remarks: Vec<String>,
    /// The files that the collection was read from, each once; empty for a synthetic collection.
    pub files: Vec<PathBuf>,
    /// Whether the collection was read from text or from a cache. All other fields are the same in
    /// both cases.
    pub cache: CacheUse,
    /// The blocks of the cached file that holds the features.
    blocks: Option<Arc<Blocks>>,
}

/// One fold: views into the collection's storage.
///
/// ```
/// use fivefold_base::Dataset;
/// use fivefold_core::Seed;
/// use fivefold_data::Collection;
///
/// let data = Dataset::of_queries(1, [(&[0.5][..], &[1][..]); 10])?;
/// let fold = &Collection::cut("mine", "Queries of mine", data, Seed::new(1))?.folds[0];
/// // Three parts of two queries to learn from, one to tune by, one to score.
/// let validation = fold.validation.as_ref().map(|part| part.len());
/// assert_eq!((fold.number, fold.train.len(), validation, fold.test.len()), (1, 6, Some(2), 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Fold {
    /// The fold's number, from 1.
    pub number: usize,
    /// The training part.
    pub train: Dataset,
    /// The validation part, for early stopping and tuning.
    pub validation: Option<Dataset>,
    /// The test part.
    pub test: Dataset,
    /// Content hashes of the parts.
    pub hashes: PartHashes,
    /// Queries that stand in two parts of the fold. The [guards](crate::leaks) judge them.
    pub overlaps: Vec<Overlap>,
    /// The files of the test part.
    pub test_files: Vec<PathBuf>,
}

/// The parts of a fold, as numbers of stored queries.
struct FoldQueries {
    train: Vec<usize>,
    validation: Vec<usize>,
    test: Vec<usize>,
    overlaps: Vec<Overlap>,
    test_files: Vec<PathBuf>,
}

impl Collection {
    /// Reads the files of `descriptor` in `folder`, or takes them from `cache` if the cache is up
    /// to date. `seed` matters only if a single file is cut into folds.
    ///
    /// # Errors
    /// If a file is missing, cannot be read or has a fault, or if there are too few queries.
    pub fn read(
        descriptor: &Descriptor,
        folder: &Path,
        options: &ReadOptions,
        seed: Seed,
        cache: Option<&Cache>,
    ) -> Result<Self, DataError> {
        let folds = descriptor.folds_in(folder).map_err(|missing| DataError::MissingFile {
            name: descriptor.name.clone(),
            missing,
            get: match layouts_in(folder).next() {
                Some((layout, _)) => format!("the files of this folder fit `layout = \"{}\"`", layout.name),
                None if descriptor.get.is_empty() => format!("needed: {}", descriptor.needed()),
                None => descriptor.get.clone(),
            },
        })?;
        let files = folds.files();
        let path = |file: &&str| present(folder, file).unwrap_or_else(|| folder.join(file));
        let paths: Vec<PathBuf> = files.iter().map(path).collect();
        // The cache knows the data files only, not the files of group sizes beside them.
        let (feature_names, no_names) = descriptor.names_in(folder, paths.first().map(PathBuf::as_path))?;
        let cache = cache.filter(|_| paths.iter().all(|path| groups::beside(path).is_none()));
        let parse = || parse(&paths, options);
        let (parsed, cached) = match cache {
            Some(cache) => cache.open(&descriptor.name, &paths, options, parse)?,
            None => (parse()?, CacheUse::None),
        };
        let all = &parsed.all;
        let listings: HashMap<&str, &Listing> = files.iter().copied().zip(&parsed.listings).collect();
        let queries: Vec<FoldQueries> = match &folds {
            Folds::Cut(_) => cut(all.len(), seed)?
                .into_iter()
                .map(|fold| FoldQueries { test_files: paths.clone(), ..fold })
                .collect(),
            Folds::Files(folds) => folds.iter().map(|files| fold_of_files(files, &listings, all)).collect(),
        };
        let moved = files.iter().zip(&parsed.listings).filter(|(_, listing)| listing.moved.is_some());
        let regrouped: Vec<String> = moved
            .map(|(file, _)| {
                format!("{file}: lines were moved to bring queries together; score files must be in that order")
            })
            .collect();
        let mut collection = Self::assemble(&descriptor.name, &descriptor.title, &parsed, queries);
        collection.files = paths;
        collection.missing = options.missing;
        collection.first_feature_id = options.first_feature_id;
        let names = feature_names.for_features(collection.all.width());
        let (names, no_names) = match (names, &descriptor.feature_names) {
            (Ok(names), _) => (names, no_names),
            (Err(fault), Some(own)) => {
                let message = format!("the names of the features: {fault}");
                return Err(DataError::Descriptor { file: folder.join(own), message });
            }
            (Err(fault), None) => (FeatureNames::default(), Some(not_named(&fault))),
        };
        collection.names = names;
        collection.cache = cached;
        collection.blocks = parsed.blocks.clone();
        collection.moved = !regrouped.is_empty();
        collection.remarks = remarks(descriptor, &collection.all);
        collection.remarks.extend(no_names);
        collection.remarks.extend(regrouped);
        let named: Vec<(&str, &Listing)> = files.iter().copied().zip(&parsed.listings).collect();
        collection.remarks.extend(letor::remarks(&named));
        collection.remarks.extend(collapsed_remark(&parsed.collapsed));
        collection.remarks.extend(tested_twice(&collection.folds));
        Ok(collection)
    }

    /// A collection of one data set. A seeded draw deals the queries to five folds.
    ///
    /// # Errors
    /// [`DataError::FewQueries`] if there are fewer queries than folds.
    pub fn cut(name: &str, title: &str, data: Dataset, seed: Seed) -> Result<Self, DataError> {
        let queries = cut(data.len(), seed)?;
        Ok(Self::assemble(name, title, &Parsed::new(data, Vec::new(), Vec::new()), queries))
    }

    /// The columns that a ranker with this choice of features sees, from 0.
    ///
    /// # Errors
    /// [`UnknownPick`] if the collection has no such feature, or if no feature is left.
    pub fn columns(&self, choice: &FeatureChoice) -> Result<Vec<usize>, UnknownPick> {
        choice.columns(&self.names, self.first_feature_id, self.all.width())
    }

    fn assemble(name: &str, title: &str, parsed: &Parsed, queries: Vec<FoldQueries>) -> Self {
        let Parsed { all, hashes, .. } = parsed;
        let view = |numbers: &[usize]| all.select(numbers.iter().copied());
        let hash = |numbers: &[usize]| {
            let of_part: Vec<blake3::Hash> = numbers.iter().map(|&query| hashes[query]).collect();
            combine(all, &of_part)
        };
        let mut hasher = blake3::Hasher::new();
        let mut folds = Vec::with_capacity(queries.len());
        for (number, fold) in (1..).zip(queries) {
            let parts = [&fold.train, &fold.validation, &fold.test].map(|part| hash(part));
            for part in &parts {
                hasher.update(part.as_bytes());
            }
            let [train, validation, test] = parts;
            let validated = !fold.validation.is_empty();
            folds.push(Fold {
                number,
                train: view(&fold.train),
                validation: validated.then(|| view(&fold.validation)),
                test: view(&fold.test),
                hashes: PartHashes { train, validation: validated.then_some(validation), test },
                overlaps: fold.overlaps,
                test_files: fold.test_files,
            });
        }
        Collection {
            name: name.to_owned(),
            title: title.to_owned(),
            folds,
            max_grade: all.max_grade(),
            hash: hasher.finalize().to_hex().to_string(),
            all: all.clone(),
            missing: Missing::default(),
            first_feature_id: 1,
            names: FeatureNames::default(),
            moved: false,
            files: Vec::new(),
            remarks: Vec::new(),
            cache: CacheUse::None,
            blocks: None,
        }
    }

    /// Checks the features of some parts of this collection before they are used. If they are in
    /// a cached file, each block of it is checked once, whoever uses it first.
    ///
    /// # Errors
    /// [`BadBlock`]. The cached file was removed, so the next opening reads the text.
    pub fn check(&self, parts: &[&Dataset]) -> Result<(), BadBlock> {
        self.check_blocks(parts, false)
    }

    /// Checks the features of some parts again after they were used: the cached file may have been
    /// altered since the first check. Cost: one pass of a fast checksum over the parts.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn check_again(&self, parts: &[&Dataset]) -> Result<(), BadBlock> {
        self.check_blocks(parts, true)
    }

    fn check_blocks(&self, parts: &[&Dataset], anew: bool) -> Result<(), BadBlock> {
        let Some(blocks) = &self.blocks else { return Ok(()) };
        blocks.check(parts.iter().flat_map(|part| part.numbers()), anew)
    }
}

/// Reads files into one storage.
fn parse(files: &[PathBuf], options: &ReadOptions) -> Result<Parsed, DataError> {
    let mut store = QueryStore::new(options.scale(), options.features);
    let listings = files.iter().map(|file| read_into(&mut store, file, options)).collect::<Result<_, _>>()?;
    let collapsed = store.collapsed(options.first_feature_id);
    Ok(Parsed::new(store.finish()?, listings, collapsed))
}

/// The parts of a fold from the listings of its files.
fn fold_of_files(files: &FoldFiles, listings: &HashMap<&str, &Listing>, all: &Dataset) -> FoldQueries {
    let of_part = |names: &'_ [String]| -> Vec<&Listing> {
        names.iter().filter_map(|name| listings.get(name.as_str()).copied()).collect()
    };
    let [train, validation, test] = [&files.train, &files.validation, &files.test].map(|names| of_part(names));
    let overlap = |parts, one: &[&Listing], other: &[&Listing]| overlap(all, parts, one, other);
    let overlaps = [
        overlap([Role::Training, Role::Test], &train, &test),
        overlap([Role::Validation, Role::Test], &validation, &test),
        overlap([Role::Training, Role::Validation], &train, &validation),
    ];
    let numbers = |listings: &[&Listing]| -> Vec<usize> {
        listings.iter().flat_map(|listing| &listing.queries).map(|&query| query as usize).collect()
    };
    FoldQueries {
        overlaps: overlaps.into_iter().flatten().collect(),
        test_files: test.iter().map(|listing| listing.file.clone()).collect(),
        train: numbers(&train),
        validation: numbers(&validation),
        test: numbers(&test),
    }
}

/// Finds the queries that stand in two parts, by their ids. Returns their number, and the first in
/// the order of the second part.
fn overlap(all: &Dataset, parts: [Role; 2], one: &[&Listing], other: &[&Listing]) -> Option<Overlap> {
    let mut first_places: HashMap<&str, Place> = HashMap::new();
    for (qid, place) in one.iter().flat_map(|listing| entries(all, listing)) {
        first_places.entry(qid).or_insert(place);
    }
    let mut found: Option<Overlap> = None;
    for (qid, there) in other.iter().flat_map(|listing| entries(all, listing)) {
        let Some(here) = first_places.get(qid) else { continue };
        let new = || Overlap { parts, queries: 0, qid: qid.to_owned(), places: [here.clone(), there.clone()] };
        found.get_or_insert_with(new).queries += 1;
    }
    found
}

/// The queries of a file with their places.
fn entries<'a>(all: &'a Dataset, listing: &'a Listing) -> impl Iterator<Item = (&'a str, Place)> {
    let lines = listing.queries.iter().zip(&listing.lines);
    lines.map(|(&query, &line)| (all.query(query as usize).id(), Place { file: listing.file.clone(), line }))
}

/// The numbers of the queries of each fold's training, validation and test part, where a seeded draw
/// deals the queries of a file to five folds (the layout `one-file`).
///
/// ```
/// let folds = fivefold_data::dealt(10, fivefold_core::Seed::new(0))?;
/// let sizes = folds[0].each_ref().map(Vec::len);
/// assert_eq!((folds.len(), sizes), (5, [6, 2, 2]));
/// # Ok::<(), fivefold_data::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::FewQueries`] if there are fewer queries than folds.
pub fn dealt(queries: usize, seed: Seed) -> Result<Vec<[Vec<usize>; 3]>, DataError> {
    Ok(cut(queries, seed)?.into_iter().map(|fold| [fold.train, fold.validation, fold.test]).collect())
}

/// Deals queries to five parts, and rotates the parts as LETOR 4.0 does. The sizes of two parts
/// differ by at most one query.
fn cut(queries: usize, seed: Seed) -> Result<Vec<FoldQueries>, DataError> {
    if queries < FOLDS {
        return Err(DataError::FewQueries { found: queries, needed: FOLDS });
    }
    let mut order: Vec<usize> = (0..queries).collect();
    seed.derive("folds").rng().shuffle(&mut order);
    let part = |number: usize| {
        let number = number % FOLDS;
        let mut part = order[number * queries / FOLDS..(number + 1) * queries / FOLDS].to_vec();
        part.sort_unstable();
        part
    };
    let fold = |first: usize| FoldQueries {
        train: (first..first + FOLDS - 2).flat_map(part).collect(),
        validation: part(first + FOLDS - 2),
        test: part(first + FOLDS - 1),
        overlaps: Vec::new(),
        test_files: Vec::new(),
    };
    Ok((0..FOLDS).map(fold).collect())
}

fn remarks(descriptor: &Descriptor, all: &Dataset) -> Vec<String> {
    let facts = [("documents", descriptor.documents, all.documents()), ("queries", descriptor.queries, all.len())];
    let differs = |&(_, expected, found): &(&str, Option<usize>, usize)| expected.is_some_and(|n| n != found);
    let remark = |(what, expected, found): (&str, Option<usize>, usize)| {
        format!("{found} {what}, but `{}` is known to have {}", descriptor.name, expected.unwrap_or_default())
    };
    facts.into_iter().filter(differs).map(remark).collect()
}

/// The remark for queries that are tested in more than one fold. Such a query weighs in the means
/// as often as it is tested.
fn tested_twice(folds: &[Fold]) -> Option<String> {
    let mut fold_of: HashMap<&str, usize> = HashMap::new();
    let mut twice = Vec::new();
    for fold in folds {
        for query in fold.test.queries() {
            match fold_of.get(query.id()) {
                Some(&first) => twice.push((query.id(), first, fold.number)),
                None => drop(fold_of.insert(query.id(), fold.number)),
            }
        }
    }
    let (qid, first, second) = twice.first()?;
    let count = twice.len();
    Some(format!(
        "queries are tested in two folds and count twice: {count}, the first `{qid}` in folds {first} and {second}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_of_any_number_of_queries_are_even_and_disjoint() {
        for queries in FOLDS..60 {
            let folds = cut(queries, Seed::new(queries as u64)).unwrap();
            let sizes = || folds.iter().map(|fold| fold.test.len());
            assert!(sizes().max() <= sizes().min().map(|least| least + 1), "{queries}");
            for (number, fold) in folds.iter().enumerate() {
                let mut all = [&fold.train[..], &fold.validation, &fold.test].concat();
                all.sort_unstable();
                assert_eq!(all, (0..queries).collect::<Vec<_>>());
                assert_eq!(fold.validation, folds[(number + FOLDS - 1) % FOLDS].test);
            }
        }
        assert!(matches!(cut(4, Seed::new(0)), Err(DataError::FewQueries { found: 4, needed: 5 })));
    }
}
