//! Reads texts that systems wrote (summaries, translations), with reference texts and sources.
//!
//! A file of *candidates* holds the texts of one system or of several:
//! - JSON lines: an object a line, with the keys of [`KEYS`]. SummEval's files are of this form.
//! - Any other file: a text a line. Line n belongs to document n, so files of references and
//!   sources must have as many lines.
//!
//! Documents are joined by id, never by position in a file with ids. The references and the source
//! of a document may stand in every file of candidates, if all say the same. Each document needs
//! a reference.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fivefold_base::words::counted;
use serde::Deserialize;
use serde_json::Value;

use crate::text::TextLines;

/// The keys of a line of JSON, each with its other names. Other keys are passed over.
pub const KEYS: [(&str, &[&str]); 5] = [
    ("id", &["doc_id", "document_id", "item"]),
    ("system", &["model_id", "model"]),
    ("candidate", &["decoded", "prediction", "hypothesis", "summary"]),
    ("references", &["reference", "target", "highlights"]),
    ("source", &["text", "document", "article"]),
];

/// Texts of several systems about the same documents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Texts {
    /// Names of the systems, in order of appearance.
    pub systems: Vec<String>,
    /// The documents, in order of appearance.
    pub documents: Vec<TextDocument>,
}

/// A document with what was written about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TextDocument {
    /// The id, which is unique.
    pub id: String,
    /// The text that systems were given; `None` if no file has it.
    pub source: Option<String>,
    /// What people wrote; at least one text.
    pub references: Vec<String>,
    /// The text of each system; `None` if the system has none.
    pub candidates: Vec<Option<String>>,
}

/// The files of [`read_texts`].
#[derive(Debug, Clone, Default)]
pub struct TextFiles {
    /// Files of candidates, each with the name of its system. `None` takes the name in the file,
    /// else the file's name.
    pub candidates: Vec<(Option<String>, PathBuf)>,
    /// Files of references: each adds one reference to each document.
    pub references: Vec<PathBuf>,
    /// A file of sources.
    pub sources: Option<PathBuf>,
}

/// A fault in a file of texts, or between several files.
#[derive(Debug)]
#[non_exhaustive]
pub struct TextsError {
    /// The file; empty if the fault is between several files.
    pub file: PathBuf,
    /// Line, from 1; 0 if the fault is about the whole file.
    pub line: u64,
    /// The fault, and what to do.
    pub problem: String,
}

impl fmt::Display for TextsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.as_os_str().is_empty() {
            write!(f, "{}", self.file.display())?;
            if self.line > 0 {
                write!(f, ":{}", self.line)?;
            }
            write!(f, ": ")?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for TextsError {}

fn fault(file: &Path, line: u64, problem: impl Into<String>) -> TextsError {
    TextsError { file: file.to_owned(), line, problem: problem.into() }
}

/// Reads texts.
///
/// # Errors
/// A file that cannot be read, with the line; a line without an id or a text; an id twice in one
/// system; references or sources that differ between files; a document without a reference; files
/// of lines with unequal numbers.
///
/// ```
/// use fivefold_data::texts::{TextFiles, read_texts};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("lead.jsonl");
/// std::fs::write(&path, r#"{"id": "d1", "candidate": "a cat", "references": ["the cat"]}"#)?;
/// let texts = read_texts(&TextFiles { candidates: vec![(None, path)], ..TextFiles::default() })?;
/// assert_eq!((texts.systems, texts.documents[0].references.len()), (vec!["lead".to_owned()], 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_texts(files: &TextFiles) -> Result<Texts, TextsError> {
    let mut gathered = Gathered::default();
    for (name, path) in &files.candidates {
        let rows = read_rows(path, |row, text| row.candidate = Some(text))?;
        gathered.add_candidates(path, name.as_deref(), rows)?;
    }
    for path in &files.references {
        let rows = read_rows(path, |row, text| row.references.push(text))?;
        gathered.add_references(path, rows)?;
    }
    if let Some(path) = &files.sources {
        let rows = read_rows(path, |row, text| row.source = Some(text))?;
        gathered.add_sources(path, rows)?;
    }
    gathered.finish()
}

/// What a line says of a document.
#[derive(Debug, Default)]
struct Row {
    line: u64,
    /// The id; `None` in a file of lines.
    id: Option<String>,
    system: Option<String>,
    candidate: Option<String>,
    references: Vec<String>,
    source: Option<String>,
}

/// The rows of a file. `plain` puts a line that is no JSON into its row.
fn read_rows(path: &Path, plain: fn(&mut Row, String)) -> Result<Vec<Row>, TextsError> {
    let failed = |error: io::Error| fault(path, 0, format!("cannot be read: {error}"));
    let mut lines = TextLines::open(path).map_err(failed)?;
    let mut rows = Vec::new();
    let mut json = None;
    while let Some((number, text)) = lines.next().map_err(failed)? {
        // The first line shows the form.
        if *json.get_or_insert_with(|| text.trim_start().starts_with('{')) {
            if !text.trim().is_empty() {
                rows.push(json_row(text, number).map_err(|problem| fault(path, number, problem))?);
            }
            continue;
        }
        let mut row = Row { line: number, ..Row::default() };
        plain(&mut row, text.to_owned());
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(fault(path, 0, "has no text"));
    }
    Ok(rows)
}

fn json_row(text: &str, line: u64) -> Result<Row, String> {
    let object: HashMap<String, Value> =
        serde_json::from_str(text).map_err(|error| format!("is no JSON object of one line: {error}"))?;
    // The name of a key, under the first of its names that the object has.
    let get = |key: usize| {
        let (name, others) = KEYS[key];
        std::iter::once(name).chain(others.iter().copied()).find_map(|name| Some((name, object.get(name)?)))
    };
    let text_of = |key: usize| match get(key) {
        None | Some((_, Value::Null)) => Ok(None),
        Some((_, Value::String(text))) => Ok(Some(text.clone())),
        // Ids may be numbers.
        Some((_, Value::Number(number))) if key < 2 => Ok(Some(number.to_string())),
        Some((name, _)) => Err(format!("`{name}` is no text")),
    };
    let references = match get(3) {
        None | Some((_, Value::Null)) => Vec::new(),
        Some((_, Value::String(text))) => vec![text.clone()],
        Some((name, list)) => {
            Vec::<String>::deserialize(list).map_err(|_| format!("`{name}` is neither a text nor a list of texts"))?
        }
    };
    let id = text_of(0)?.ok_or_else(|| format!("has no `id` (or {})", KEYS[0].1.join(", ")))?;
    Ok(Row { line, id: Some(id), system: text_of(1)?, candidate: text_of(2)?, references, source: text_of(4)? })
}

/// The documents that were read so far.
#[derive(Default)]
struct Gathered {
    texts: Texts,
    places: HashMap<String, usize>,
    /// The file and the line that gave each document its first words.
    origins: Vec<(PathBuf, u64)>,
    /// A file of lines and their number: all such files must have as many.
    lines: Option<(PathBuf, usize)>,
}

impl Gathered {
    fn add_candidates(&mut self, path: &Path, name: Option<&str>, rows: Vec<Row>) -> Result<(), TextsError> {
        self.check_lines(path, &rows)?;
        let stem = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let stem = stem.split('.').next().unwrap_or(&stem).to_owned();
        for row in rows {
            let system = name.map(str::to_owned).or(row.system).unwrap_or_else(|| stem.clone());
            let Some(candidate) = row.candidate else {
                let what = format!("has no `{}` (or {})", KEYS[2].0, KEYS[2].1.join(", "));
                return Err(fault(path, row.line, what));
            };
            let system = self.system(system);
            let place = self.document(path, row.line, row.id);
            let document = &mut self.texts.documents[place];
            if document.candidates.len() <= system {
                document.candidates.resize(system + 1, None);
            }
            if document.candidates[system].is_some() {
                let what = format!(
                    "`{}` is there twice in the system `{}`; give the system's texts once, or name systems: NAME=PATH",
                    document.id, self.texts.systems[system]
                );
                return Err(fault(path, row.line, what));
            }
            document.candidates[system] = Some(candidate);
            if !row.references.is_empty() {
                self.set_references(path, row.line, place, row.references)?;
            }
            if let Some(source) = row.source {
                self.set_source(path, row.line, place, source)?;
            }
        }
        Ok(())
    }

    fn add_references(&mut self, path: &Path, rows: Vec<Row>) -> Result<(), TextsError> {
        self.check_lines(path, &rows)?;
        let mut given = vec![0; self.texts.documents.len()];
        for row in rows {
            let place = self.known(path, row.line, row.id)?;
            if row.references.is_empty() {
                return Err(fault(path, row.line, "has no `references`"));
            }
            given[place] += 1;
            if given[place] > 1 {
                let what = format!("`{}` is there twice; a file gives a document's references once", self.id(place));
                return Err(fault(path, row.line, what));
            }
            self.texts.documents[place].references.extend(row.references);
        }
        match given.iter().position(|count| *count == 0) {
            Some(place) => Err(fault(path, 0, format!("lacks the document `{}`", self.id(place)))),
            None => Ok(()),
        }
    }

    fn add_sources(&mut self, path: &Path, rows: Vec<Row>) -> Result<(), TextsError> {
        self.check_lines(path, &rows)?;
        for row in rows {
            let place = self.known(path, row.line, row.id)?;
            let Some(source) = row.source else { return Err(fault(path, row.line, "has no `source`")) };
            self.set_source(path, row.line, place, source)?;
        }
        Ok(())
    }

    /// The number of a system, which may be new.
    fn system(&mut self, name: String) -> usize {
        let systems = &mut self.texts.systems;
        systems.iter().position(|known| *known == name).unwrap_or_else(|| {
            systems.push(name);
            systems.len() - 1
        })
    }

    /// The place of a document, which may be new. Without ids, it is the line.
    fn document(&mut self, path: &Path, line: u64, id: Option<String>) -> usize {
        let id = id.unwrap_or_else(|| line.to_string());
        let new = self.texts.documents.len();
        let place = *self.places.entry(id.clone()).or_insert(new);
        if place == new {
            self.texts.documents.push(TextDocument { id, ..TextDocument::default() });
            self.origins.push((path.to_owned(), line));
        }
        place
    }

    /// The place of a document of which there is a candidate.
    fn known(&self, path: &Path, line: u64, id: Option<String>) -> Result<usize, TextsError> {
        let id = id.unwrap_or_else(|| line.to_string());
        let unknown = || fault(path, line, format!("no system has a text for the document `{id}`"));
        self.places.get(&id).copied().ok_or_else(unknown)
    }

    fn id(&self, place: usize) -> &str {
        &self.texts.documents[place].id
    }

    fn set_references(&mut self, path: &Path, line: u64, place: usize, new: Vec<String>) -> Result<(), TextsError> {
        let references = &mut self.texts.documents[place].references;
        if references.is_empty() {
            *references = new;
        } else if *references != new {
            return Err(self.differs(path, line, place, "references"));
        }
        Ok(())
    }

    fn set_source(&mut self, path: &Path, line: u64, place: usize, new: String) -> Result<(), TextsError> {
        match &self.texts.documents[place].source {
            Some(known) if *known != new => Err(self.differs(path, line, place, "source")),
            _ => {
                self.texts.documents[place].source = Some(new);
                Ok(())
            }
        }
    }

    fn differs(&self, path: &Path, line: u64, place: usize, what: &str) -> TextsError {
        let (file, first) = &self.origins[place];
        let (id, file) = (self.id(place), file.display());
        let verb = if what == "source" { "differs" } else { "differ" };
        fault(path, line, format!("the {what} of `{id}` {verb} from {file}:{first}; a document has one {what}"))
    }

    /// Checks that all files of lines have as many lines.
    fn check_lines(&mut self, path: &Path, rows: &[Row]) -> Result<(), TextsError> {
        if rows.first().is_some_and(|row| row.id.is_some()) {
            return Ok(());
        }
        match &self.lines {
            Some((first, count)) if *count != rows.len() => {
                let what = format!(
                    "has {}, but {} has {count}; line n of each file must be about document n",
                    counted(rows.len(), "line"),
                    first.display()
                );
                Err(fault(path, 0, what))
            }
            Some(_) => Ok(()),
            None => {
                self.lines = Some((path.to_owned(), rows.len()));
                Ok(())
            }
        }
    }

    fn finish(mut self) -> Result<Texts, TextsError> {
        let systems = self.texts.systems.len();
        for (document, (file, line)) in self.texts.documents.iter_mut().zip(&self.origins) {
            document.candidates.resize(systems, None);
            if document.references.is_empty() {
                let what = format!(
                    "the document `{}` has no reference; give `references` in the line, or a file of references",
                    document.id
                );
                return Err(fault(file, *line, what));
            }
        }
        Ok(self.texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn with(files: &[(&str, &str)]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in files {
                std::fs::write(folder.path().join(name), text).unwrap();
            }
            Folder(folder)
        }

        fn read(&self, candidates: &[&str], references: &[&str], sources: Option<&str>) -> Result<Texts, String> {
            let path = |name: &&str| self.0.path().join(name);
            let files = TextFiles {
                candidates: candidates.iter().map(|name| (None, path(name))).collect(),
                references: references.iter().map(path).collect(),
                sources: sources.as_ref().map(path),
            };
            read_texts(&files).map_err(|error| error.to_string().replace(&self.0.path().display().to_string(), "."))
        }
    }

    #[test]
    fn json_lines_are_joined_by_id() {
        let folder = Folder::with(&[
            (
                "A.jsonl",
                "{\"id\": 1, \"decoded\": \"a b\", \"references\": [\"r\", \"s\"], \"text\": \"t\"}\n\n{\"id\": \"x\", \"decoded\": \"\", \"reference\": \"q\"}\n",
            ),
            (
                "B.jsonl",
                "{\"id\": \"x\", \"model_id\": \"M\", \"summary\": \"c\"}\n{\"id\": \"1\", \"model_id\": \"N\", \"summary\": \"d\", \"references\": [\"r\", \"s\"]}\n",
            ),
        ]);
        let texts = folder.read(&["A.jsonl", "B.jsonl"], &[], None).unwrap();
        assert_eq!(texts.systems, ["A", "M", "N"]);
        let document =
            |id: &str, source: Option<&str>, references: &[&str], candidates: [Option<&str>; 3]| TextDocument {
                id: id.to_owned(),
                source: source.map(str::to_owned),
                references: references.iter().map(|text| (*text).to_owned()).collect(),
                candidates: candidates.map(|text| text.map(str::to_owned)).to_vec(),
            };
        let expected = [
            document("1", Some("t"), &["r", "s"], [Some("a b"), None, Some("d")]),
            document("x", None, &["q"], [Some(""), Some("c"), None]),
        ];
        assert_eq!(texts.documents, expected);
    }

    #[test]
    fn lines_are_joined_by_their_numbers() {
        let folder = Folder::with(&[
            ("A.txt", "one\n\nthree\n"),
            ("refs.txt", "r1\nr2\nr3\n"),
            ("more.txt", "s1\ns2\ns3\n"),
            ("src.txt", "t1\nt2\nt3\n"),
            ("two.txt", "a\nb\n"),
        ]);
        let texts = folder.read(&["A.txt"], &["refs.txt", "more.txt"], Some("src.txt")).unwrap();
        assert_eq!(texts.documents[1].candidates, [Some(String::new())]);
        assert_eq!(texts.documents[2].references, ["r3", "s3"]);
        assert_eq!(texts.documents[0].source.as_deref(), Some("t1"));
        assert_eq!(
            folder.read(&["A.txt"], &["two.txt"], None).unwrap_err(),
            "./two.txt: has 2 lines, but ./A.txt has 3; line n of each file must be about document n"
        );
        assert!(
            folder.read(&["A.txt"], &[], None).unwrap_err().starts_with("./A.txt:1: the document `1` has no reference")
        );
    }

    #[test]
    fn faults_name_file_and_line() {
        let good = "{\"id\": \"1\", \"candidate\": \"a\", \"references\": [\"r\"], \"source\": \"s\"}\n";
        let cases = [
            ("{\"candidate\": \"a\"}", "./bad.jsonl:1: has no `id`"),
            ("{\"id\": \"1\"}", "./bad.jsonl:1: has no `candidate`"),
            ("{\"id\": \"1\", \"candidate\": 3}", "./bad.jsonl:1: `candidate` is no text"),
            ("{\"id\": \"1\", \"candidate\": \"b\", \"references\": [1]}", "./bad.jsonl:1: `references` is neither"),
            (
                "{\"id\": \"1\", \"candidate\": \"b\", \"references\": [\"other\"]}",
                "./bad.jsonl:1: the references of `1` differ from ./good.jsonl:1",
            ),
            (
                "{\"id\": \"1\", \"candidate\": \"b\", \"source\": \"other\"}",
                "./bad.jsonl:1: the source of `1` differs",
            ),
            (
                "{\"id\": \"1\", \"candidate\": \"b\"}\n{\"id\": \"1\", \"candidate\": \"b\"}",
                "./bad.jsonl:2: `1` is there twice in the system `bad`",
            ),
            ("{\"id\": \"1\", \"candidate\": \"b\"}\nnot json", "./bad.jsonl:2: is no JSON object"),
            ("", "./bad.jsonl: has no text"),
        ];
        for (bad, expected) in cases {
            let folder = Folder::with(&[("good.jsonl", good), ("bad.jsonl", bad)]);
            let error = folder.read(&["good.jsonl", "bad.jsonl"], &[], None).unwrap_err();
            assert!(error.starts_with(expected), "{error}\n{expected}");
        }
        let folder = Folder::with(&[("good.jsonl", good), ("refs.jsonl", "{\"id\": \"9\", \"references\": [\"r\"]}")]);
        assert_eq!(
            folder.read(&["good.jsonl"], &["refs.jsonl"], None).unwrap_err(),
            "./refs.jsonl:1: no system has a text for the document `9`"
        );
        let folder = Folder::with(&[("good.jsonl", good)]);
        std::fs::write(folder.0.path().join("latin.jsonl"), b"{\"id\": \"1\"}\n{\"id\": \"\xe9\"}\n").unwrap();
        let error = folder.read(&["latin.jsonl"], &[], None).unwrap_err();
        assert!(error.contains("latin.jsonl") && error.contains("line 2"), "{error}");
    }
}
