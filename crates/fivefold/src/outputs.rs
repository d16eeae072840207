//! One rule for every file that a command writes to a path given by the user:
//!
//! - A command never writes over one of its own inputs.
//! - A command writes over an existing file of the kind that it writes.
//! - A command writes over any other file only with `--replace`.
//! - A folder, a device or a pipe is never written over.
//!
//! `fivefold_results::owner` holds the rule for results folders.

use std::fs::{self, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use fivefold_core::model_file;
use fivefold_experiment::scoring::scores_text;
use fivefold_results::store::hash_of_file;

use crate::problem::Problem;

/// How many bytes of an existing file are read to tell its kind.
const LOOKED_AT: u64 = 1 << 16;

/// Whether files of other kinds may be replaced.
#[derive(clap::Args, Clone, Copy, Default)]
pub(crate) struct ReplaceArgs {
    /// Write over existing files of any kind (but never over an input)
    #[arg(long)]
    pub(crate) replace: bool,
}

/// A file that a command is about to write.
pub(crate) struct Output<'a> {
    /// The path of the file.
    pub(crate) path: &'a Path,
    /// The kind of the file, with its article: "a model file".
    pub(crate) what: &'a str,
    /// Whether an existing file with this beginning is a file of this kind.
    pub(crate) is_one: &'a dyn Fn(&[u8]) -> bool,
}

impl Output<'_> {
    /// Checks, before any work is done, that the file may be written.
    ///
    /// # Errors
    /// Fails if the file must not be written. The error names the obstacle and tells what to do.
    pub(crate) fn check<'i>(
        &self,
        inputs: impl IntoIterator<Item = &'i PathBuf>,
        replace: ReplaceArgs,
    ) -> miette::Result<()> {
        let shown = self.path.display();
        let inputs: Vec<&PathBuf> = inputs.into_iter().collect();
        if let Some(input) = inputs.iter().find(|input| same_file(self.path, input)) {
            let what = if self.path == input.as_path() {
                format!("{shown} is an input of this command, and the output would replace it")
            } else {
                format!(
                    "{shown} is the same file as {}, an input of this command, and the output would replace it",
                    input.display()
                )
            };
            return Err(Problem::new(what).help("give another file").into());
        }
        let Ok(link) = fs::symlink_metadata(self.path) else { return Ok(()) };
        let found = match fs::metadata(self.path) {
            Ok(found) => found,
            // A link to nothing.
            Err(_) => link,
        };
        if found.is_dir() {
            return Err(Problem::new(format!("{shown} is a folder")).help("give a file").into());
        }
        if !found.is_file() && !found.is_symlink() {
            let what = format!("{shown} is a device or a pipe, and a file would replace it");
            return Err(Problem::new(what)
                .help("give a file; if -o may be left out, the command then prints the output")
                .into());
        }
        if replace.replace || found.len() == 0 || self.is_one(&found)? {
            return Ok(());
        }
        let what = format!("{shown} exists and is not {}, so the file was not changed", self.what);
        Err(Problem::new(what).help("give another file, or --replace to write over this file").into())
    }

    fn is_one(&self, found: &Metadata) -> miette::Result<bool> {
        if !found.is_file() {
            return Ok(false);
        }
        let mut beginning = Vec::new();
        let read = fs::File::open(self.path).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut beginning));
        read.map_err(|error| Problem::file("read", self.path, error))?;
        Ok((self.is_one)(&beginning))
    }
}

/// Whether two paths lead to the same file, also by another spelling, a link or a hard link.
pub(crate) fn same_file(one: &Path, other: &Path) -> bool {
    if let (Ok(one), Ok(other)) = (fs::canonicalize(one), fs::canonicalize(other))
        && one == other
    {
        return true;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        if let (Ok(one), Ok(other)) = (fs::metadata(one), fs::metadata(other)) {
            return (one.dev(), one.ino()) == (other.dev(), other.ino());
        }
    }
    false
}

/// Whether a file with this beginning is a model file.
pub(crate) fn is_model(beginning: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&beginning[..beginning.len().min(256)]);
    let family = model_file::FORMAT.split('/').next().unwrap_or_default();
    // A byte order mark is skipped, as the readers do.
    head.trim_start_matches('\u{feff}').trim_start().starts_with('{') && head.contains(family)
}

/// Whether a file with this beginning is a score file of this program: one number in each line,
/// written as this program writes numbers.
pub(crate) fn is_scores(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    // If the file is longer than its beginning, the last line may be incomplete.
    let whole =
        if beginning.len() as u64 == LOOKED_AT { text.rsplit_once('\n').map_or("", |(whole, _)| whole) } else { &text };
    let as_written = |line: &str| line.parse().is_ok_and(|score: f64| scores_text(&[score]).trim_end() == line);
    !whole.is_empty() && whole.lines().all(as_written)
}

/// Whether a file with this beginning is a TREC run: `topic Q0 document rank score tag`.
pub(crate) fn is_run(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    let fields: Vec<&str> = text.lines().next().unwrap_or_default().split_ascii_whitespace().collect();
    fields.len() >= 6 && fields[1].eq_ignore_ascii_case("q0") && fields[3].parse::<i64>().is_ok()
}

/// Returns a function that tells whether an existing file looks like `new`. Two JSON texts are
/// alike if their top levels have the same keys. Other texts are alike if their first lines begin
/// with the same word, and their second lines too.
pub(crate) fn begins_as<'n>(new: &'n str) -> impl Fn(&[u8]) -> bool + 'n {
    let keys = |text: &str| -> Vec<String> {
        let value: Option<serde_json::Value> = serde_json::from_str(text).ok();
        value
            .as_ref()
            .and_then(|value| value.as_object())
            .map(|object| object.keys().cloned().collect())
            .unwrap_or_default()
    };
    move |old| {
        let old = String::from_utf8_lossy(old);
        let (of_new, of_old) = (keys(new), keys(&old));
        if of_new.is_empty() { first_words(new) == first_words(&old) } else { of_new == of_old }
    }
}

/// The first word of line 1 and the first word of line 2.
fn first_words(text: &str) -> Vec<Option<&str>> {
    text.lines().take(2).map(|line| line.split_whitespace().next()).collect()
}

/// Whether the file at `path` exists and its content has this hash.
pub(crate) fn holds(path: &Path, hash: &str) -> bool {
    hash_of_file(path).is_ok_and(|found| found == hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &Path, inputs: &[PathBuf], replace: bool) -> Result<(), String> {
        let output = Output { path, what: "a file of scores", is_one: &is_scores };
        output.check(inputs, ReplaceArgs { replace }).map_err(|error| error.to_string())
    }

    /// mapequation/infomap #907: a run wrote its outputs over its own inputs, by whatever path.
    #[test]
    fn an_input_is_never_written_over_by_whatever_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let input = at.join("d.txt");
        fs::write(&input, "0.5\n").unwrap();
        fs::create_dir(at.join("sub")).unwrap();
        fs::hard_link(&input, at.join("hard")).unwrap();
        let mut paths = vec![input.clone(), at.join("./sub/../d.txt"), at.join("hard")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&input, at.join("link")).unwrap();
            std::os::unix::fs::symlink(at, at.join("round")).unwrap();
            paths.extend([at.join("link"), at.join("round/d.txt")]);
        }
        for path in paths {
            for replace in [false, true] {
                let error = check(&path, std::slice::from_ref(&input), replace).unwrap_err();
                assert!(error.contains("an input of this command"), "{}: {error}", path.display());
            }
        }
        assert_eq!(check(&at.join("new"), &[input], false), Ok(()));
    }

    #[test]
    fn our_own_kind_is_replaced_and_any_other_only_if_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        for (text, ours) in [
            ("", true),
            ("0.5\n1.0\n-1e-7\n", true),
            // The texts are: documents per query; weights; LETOR; prose.
            ("10\n12\n", false),
            ("0.50\n", false),
            ("2 qid:1 1:0.5\n", false),
            ("dear diary\n", false),
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(check(&path, &[], false).is_ok(), ours, "{text}");
            assert_eq!(check(&path, &[], true), Ok(()), "{text}");
        }
        assert!(check(folder.path(), &[], true).unwrap_err().ends_with("is a folder"));
        #[cfg(unix)]
        assert!(check(Path::new("/dev/null"), &[], true).unwrap_err().contains("a device or a pipe"));
        let long: String = (0..20_000).map(|line| format!("{:?}\n", f64::from(line) / 7.0)).collect();
        fs::write(&path, &long).unwrap();
        assert_eq!(check(&path, &[], false), Ok(()));
    }

    #[test]
    fn kinds_are_told_by_their_beginning() {
        assert!(is_model(br#"{ "format": "fivefold-model/1", "ranker": "linear" }"#) && !is_model(br#"{ "a": 1 }"#));
        let ranklib = "## LambdaMART\n## No. of trees = 5\n<ensemble>";
        assert!(begins_as(ranklib)(b"## MART\n## No. of trees = 9\n<ensemble>"));
        assert!(!begins_as(ranklib)(b"tree\nversion=v4\n") && !begins_as(ranklib)(b"## Diary\n\nDear\n"));
        assert!(begins_as(r#"{"class":"a","name":"x"}"#)(br#"{"name":"y","class":"b"}"#));
        assert!(!begins_as(r#"{"class":"a"}"#)(br#"{"format":"b"}"#));
    }
}
