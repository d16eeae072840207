//! Layouts: the files of a collection, and the part of each fold (train, validation, test) that a
//! file belongs to.
//!
//! Parts are rotated as LETOR 4.0 does. Fold k trains on parts k, k+1 and k+2, validates on part
//! k+3 and tests on part k+4; after the last part comes the first. A new layout is one entry of
//! [`LAYOUTS`].

use std::collections::HashSet;

/// The files of one fold, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldFiles {
    /// Files of the training part.
    pub train: Vec<String>,
    /// Files of the validation part, for early stopping and tuning.
    pub validation: Vec<String>,
    /// Files of the test part.
    pub test: Vec<String>,
}

/// The origin of folds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Folds {
    /// Files that are parts already.
    Files(Vec<FoldFiles>),
    /// One file. A seeded draw deals its queries to five folds.
    Cut(String),
}

impl Folds {
    /// All files, each once, in the order in which folds name them.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Folds::Cut(file) => vec![file],
            Folds::Files(folds) => {
                let mut seen = HashSet::new();
                let parts = folds.iter().flat_map(|fold| [&fold.train, &fold.validation, &fold.test]);
                parts.flatten().map(String::as_str).filter(|file| seen.insert(*file)).collect()
            }
        }
    }
}

/// One way in which the files of a collection lie in a folder.
///
/// ```
/// use fivefold_data::layout::{Folds, layout};
///
/// let files = ["a.txt", "b.txt", "c.txt"].map(str::to_owned);
/// let Folds::Files(folds) = (layout("train-test").unwrap().folds)(&files)? else { panic!("these are parts") };
/// assert_eq!((folds.len(), &folds[0].test[..]), (1, &files[2..]));
/// # Ok::<(), String>(())
/// ```
pub struct Layout {
    /// The name, as written after `layout =`.
    pub name: &'static str,
    /// The files that the layout expects, for help.
    pub summary: &'static str,
    /// Makes the folds from the file names that a descriptor or an experiment lists. The error
    /// names the fault of the list.
    pub folds: fn(files: &[String]) -> Result<Folds, String>,
}

/// All layouts.
///
/// ```
/// use fivefold_data::LAYOUTS;
///
/// let names: Vec<&str> = LAYOUTS.iter().map(|layout| layout.name).collect();
/// assert_eq!(names, ["fold-dirs", "fold-sets", "letor4", "parts", "train-test", "one-file"]);
/// ```
pub const LAYOUTS: &[Layout] = &[
    Layout {
        name: "fold-dirs",
        summary: "Fold1/{train,vali,test}.txt to Fold5 (MSLR, LETOR 3.0 and 4.0)",
        folds: |files| fold_folders(files, ["train.txt", "vali.txt", "test.txt"]),
    },
    Layout {
        name: "fold-sets",
        summary: "Fold1/{trainingset,validationset,testset}.txt to Fold5 (LETOR 2.0)",
        folds: |files| fold_folders(files, ["trainingset.txt", "validationset.txt", "testset.txt"]),
    },
    Layout {
        name: "letor4",
        summary: "parts S1.txt to S5.txt, rotated as LETOR 4.0 does",
        folds: |files| {
            none_listed(files)?;
            rotate(&["S1.txt", "S2.txt", "S3.txt", "S4.txt", "S5.txt"].map(str::to_owned))
        },
    },
    Layout {
        name: "parts",
        summary: "the listed `files` are parts (at least three), rotated as LETOR 4.0 does",
        folds: rotate,
    },
    Layout {
        name: "train-test",
        summary: "two or three listed `files`: the training, validation (optional) and test part of a single fold",
        folds: |files| {
            let one = |file: &String| vec![file.clone()];
            let (train, validation, test) = match files {
                [train, test] => (one(train), Vec::new(), one(test)),
                [train, validation, test] => (one(train), one(validation), one(test)),
                _ => return Err(format!("the layout needs two or three files in `files`, not {}", files.len())),
            };
            Ok(Folds::Files(vec![FoldFiles { train, validation, test }]))
        },
    },
    Layout {
        name: "one-file",
        summary: "one listed file, its queries dealt to five folds by a seeded draw",
        folds: |files| match files {
            [file] => Ok(Folds::Cut(file.clone())),
            _ => Err(format!("the layout needs one file in `files`, not {}", files.len())),
        },
    },
];

/// Where a user reads of all layouts, for errors.
pub(crate) const LAYOUTS_PAGE: &str = "`fivefold book reference/letor` shows each with its `files`";

/// The layout with this name.
pub fn layout(name: &str) -> Option<&'static Layout> {
    LAYOUTS.iter().find(|layout| layout.name == name)
}

fn none_listed(files: &[String]) -> Result<(), String> {
    if files.is_empty() { Ok(()) } else { Err("the layout has its own file names: leave out `files`".to_owned()) }
}

fn fold_folders(files: &[String], names: [&str; 3]) -> Result<Folds, String> {
    none_listed(files)?;
    let fold = |number: usize| {
        let [train, validation, test] = names.map(|name| vec![format!("Fold{number}/{name}")]);
        FoldFiles { train, validation, test }
    };
    Ok(Folds::Files((1..=5).map(fold).collect()))
}

fn rotate(parts: &[String]) -> Result<Folds, String> {
    if parts.len() < 3 {
        return Err(format!("the layout needs at least three files in `files`, not {}", parts.len()));
    }
    let fold = |first: usize| {
        let mut order: Vec<String> = parts[first..].iter().chain(&parts[..first]).cloned().collect();
        let test = order.split_off(parts.len() - 1);
        let validation = order.split_off(parts.len() - 2);
        FoldFiles { train: order, validation, test }
    };
    Ok(Folds::Files((0..parts.len()).map(fold).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_rotated_as_in_the_readme_of_letor_4() {
        let table = [
            ("S1 S2 S3", "S4", "S5"),
            ("S2 S3 S4", "S5", "S1"),
            ("S3 S4 S5", "S1", "S2"),
            ("S4 S5 S1", "S2", "S3"),
            ("S5 S1 S2", "S3", "S4"),
        ];
        let Folds::Files(folds) = (layout("letor4").unwrap().folds)(&[]).unwrap() else { panic!("files") };
        let names =
            |files: &[String]| files.iter().map(|file| file.trim_end_matches(".txt")).collect::<Vec<_>>().join(" ");
        let found: Vec<_> =
            folds.iter().map(|fold| (names(&fold.train), names(&fold.validation), names(&fold.test))).collect();
        assert_eq!(found, table.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
    }

    #[test]
    fn folders_and_lists() {
        let Folds::Files(folds) = (layout("fold-sets").unwrap().folds)(&[]).unwrap() else { panic!("files") };
        assert_eq!(folds[4].validation, ["Fold5/validationset.txt"]);
        let list = |layout_name: &str, n: usize| (layout(layout_name).unwrap().folds)(&vec!["x".to_owned(); n]);
        assert!(list("fold-dirs", 1).is_err() && list("letor4", 5).is_err() && list("parts", 2).is_err());
        assert!(list("train-test", 1).is_err() && list("train-test", 4).is_err());
        let Ok(Folds::Files(fold)) = list("train-test", 2) else { panic!("files") };
        assert_eq!((fold.len(), fold[0].train.len(), fold[0].validation.len(), fold[0].test.len()), (1, 1, 0, 1));
        assert!(list("one-file", 2).is_err() && list("one-file", 0).is_err());
        assert_eq!(list("one-file", 1), Ok(Folds::Cut("x".to_owned())));
    }
}
