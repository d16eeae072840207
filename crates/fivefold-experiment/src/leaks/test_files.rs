//! Finds files of a test part that a `command` is given. Test files hold the grades. A command may
//! list the file, a copy or an archive of it, or name the file in an argument.

use std::cell::OnceCell;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use blake3::Hash;
use fivefold_data::Collection;
use fivefold_data::packed::{content_hashes, file_on_disk};
use fivefold_results::config::CommandLine;

use crate::plan::Plan;

/// The files of a collection's test parts.
pub(super) struct TestFiles {
    files: Vec<TestFile>,
}

struct TestFile {
    /// The path in the collection, which may be a member of an archive.
    path: PathBuf,
    /// The file or the archive on disk, without links.
    disk: PathBuf,
    /// Hash of the unpacked content, computed when first asked for.
    hash: OnceCell<Option<Hash>>,
}

impl TestFiles {
    pub(super) fn of(collection: &Collection) -> Self {
        let file = |path: &PathBuf| {
            let disk = fs::canonicalize(file_on_disk(path)).ok()?;
            Some(TestFile { path: path.clone(), disk, hash: OnceCell::new() })
        };
        TestFiles { files: collection.test_files().filter_map(file).collect() }
    }

    /// The first argument or listed file through which a command gets a test file, and this test
    /// file. A command may get the file itself, a copy, or a folder that holds the file.
    pub(super) fn given_to(&self, command: &CommandLine, plan: &Plan<'_>) -> Option<(String, &Path)> {
        let listed = command.files.iter().find_map(|given| {
            let path = plan.find(given);
            let file = self.below(&path).or_else(|| self.copied_in(&path))?;
            Some((given.clone(), file.path.as_path()))
        });
        listed.or_else(|| command.argv.iter().find_map(|argument| self.named_in(argument)))
    }

    /// The test file that is at or below a path.
    fn below(&self, path: &Path) -> Option<&TestFile> {
        let path = fs::canonicalize(path).ok()?;
        self.files.iter().find(|file| file.disk.starts_with(&path))
    }

    /// The test file whose content the file at `path` holds, packed or not.
    fn copied_in(&self, path: &Path) -> Option<&TestFile> {
        let held = content_hashes(path).ok()?;
        // An empty file is not a copy of a test file.
        let known =
            |file: &&TestFile| file.hash().is_some_and(|hash| hash != blake3::hash(b"") && held.contains(&hash));
        self.files.iter().find(known)
    }

    /// The path in an argument at or below which a test file lies. The argument may be a script.
    /// Only absolute paths count: a relative path leads into the program's own folder, which holds
    /// only listed files.
    fn named_in(&self, argument: &str) -> Option<(String, &Path)> {
        let words = argument.split(|c: char| c.is_whitespace() || "'\"`=:;|&<>(){},".contains(c));
        let paths = std::iter::once(argument).chain(words).filter(|word| {
            let path = Path::new(word);
            // A `/` alone is not a path here, because it often has another meaning.
            path.is_absolute() && path.components().any(|part| matches!(part, Component::Normal(_)))
        });
        let mut below = paths.filter_map(|word| Some((word.to_owned(), self.below(Path::new(word))?.path.as_path())));
        below.next().or_else(|| {
            // The path of a test file may contain a character that ends words, so search for the
            // whole path.
            let named = |file: &TestFile| {
                let places = [Some(file.disk.clone()), std::path::absolute(file_on_disk(&file.path)).ok()];
                let texts = places.into_iter().flatten().filter_map(|place| Some(place.to_str()?.to_owned()));
                texts.into_iter().find(|text| holds_name(argument, text))
            };
            self.files.iter().find_map(|file| Some((named(file)?, file.path.as_path())))
        })
    }
}

/// A listed archive that cannot be read fully, and why. For example, an archive with two members of
/// the same name could hide a test file.
pub(super) fn unseen(command: &CommandLine, plan: &Plan<'_>) -> Option<(String, io::Error)> {
    let look = |given: &String| Some((given.clone(), content_hashes(&plan.find(given)).err()?));
    command.files.iter().find_map(look)
}

impl TestFile {
    fn hash(&self) -> Option<Hash> {
        *self.hash.get_or_init(|| content_hashes(&self.path).ok()?.first().copied())
    }
}

/// Whether a text holds a name that ends there.
fn holds_name(text: &str, name: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || "._-/".contains(c));
    text.match_indices(name).any(|(at, _)| !goes_on(&text[at + name.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[PathBuf]) -> TestFiles {
        let file = |path: &PathBuf| TestFile {
            path: path.clone(),
            disk: fs::canonicalize(file_on_disk(path)).unwrap(),
            hash: OnceCell::new(),
        };
        TestFiles { files: paths.iter().map(file).collect() }
    }

    #[test]
    fn a_path_is_found_wherever_it_stands_in_an_argument() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("my data/Fold1");
        fs::create_dir_all(&data).unwrap();
        fs::write(data.join("test.txt"), "1 qid:1 1:1\n").unwrap();
        fs::write(data.join("test.txt.old"), "").unwrap();
        fs::create_dir(folder.path().join("d")).unwrap();
        fs::write(folder.path().join("d/t.txt"), "1 qid:1 1:1\n").unwrap();
        let found = |argument: String| {
            files(&[data.join("test.txt"), folder.path().join("d/t.txt")]).named_in(&argument).is_some()
        };
        let at = folder.path().display();
        for argument in [
            format!("{at}/d/t.txt"),
            format!("--test={at}/d/t.txt"),
            format!("cat {at}/d/t.txt>x"),
            format!("cut -d' ' -f1 '{at}/d/t.txt'|tail -n 1"),
            format!("cd {at}/d; cat t.txt"),
            format!("cat {at}/d/../d/t.txt"),
            format!("A={at}:B"),
            format!("{at}/my data/Fold1/test.txt"),
            format!("cat \"{at}/my data/Fold1/test.txt\""),
            format!("{at}/my data"),
        ] {
            assert!(found(argument.clone()), "{argument}");
        }
        for argument in [
            format!("cat '{at}/my data/Fold1/test.txt.old'"),
            format!("{at}/d/other"),
            format!("{at}/dd/t.txt"),
            "cut -d / -f 1".to_owned(),
            "/".to_owned(),
            "d/t.txt".to_owned(),
        ] {
            assert!(!found(argument.clone()), "{argument}");
        }
    }

    #[test]
    fn a_copy_is_found_by_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let files = files(&[write("empty.txt", ""), write("test.txt", "1 qid:1 1:1\n")]);
        assert_eq!(files.copied_in(&write("a.py", "1 qid:1 1:1\n")).unwrap().path, folder.path().join("test.txt"));
        assert!(files.copied_in(&write("b.py", "1 qid:1 1:2\n")).is_none());
        assert!(files.copied_in(&write("__init__.py", "")).is_none());
    }
}
