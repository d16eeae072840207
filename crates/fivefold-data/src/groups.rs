//! Rows without `qid:` whose queries are given by a file of group sizes, as LightGBM and XGBoost
//! take them.
//!
//! The file of sizes for `rank.train` is `rank.train.query` (or `.group`): one whole number a line,
//! the sizes of the queries in order. If such a file lies beside the data, and the first row has no
//! `qid:`, each row is read as if it had `qid:NAME:n`. NAME is the name of the data file, and n is
//! the number of the query, from 1. So queries of different files stay apart. The reading fails if
//! the sizes do not add up to the number of rows.
//!
//! Other programs also look for weights, initial scores and positions beside a data file. This
//! program does not use these files, and names them in a remark. A remark also names a file of
//! sizes whose rows already have queries.

use std::io::{self, BufReader, Cursor, Read, Write as _};
use std::path::{Path, PathBuf};

use fivefold_base::words::counted;

use crate::input::invalid;
use crate::packed::{Bytes, open_file};
use crate::text::{LONGEST_LINE, TextLines, find_odd, is_odd, named, read_line};

/// Endings of the name of a file of sizes.
const ENDINGS: [&str; 2] = ["query", "group"];
/// Endings of a data file's own name that the name of its sizes leaves out.
const PACKED: [&str; 3] = [".gz", ".zst", ".zip"];

/// Endings of other files that LightGBM and XGBoost read beside a data file, each with its content.
const UNUSED: [(&str, &str); 4] = [
    ("weight", "weights of documents"),
    ("init", "initial scores"),
    ("base_margin", "initial scores"),
    ("position", "positions of documents"),
];

/// The name of a file beside the data file `name`.
fn neighbour(name: &str, ending: &str) -> String {
    format!("{}.{ending}", PACKED.iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name))
}

/// The file of group sizes beside a data file; `None` if there is no such file.
pub(crate) fn beside(path: &Path) -> Option<PathBuf> {
    let name = path.to_str()?;
    ENDINGS.iter().map(|ending| PathBuf::from(neighbour(name, ending))).find(|sizes| open_file(sizes).is_ok())
}

/// Remarks on files beside data files that other programs would use and fivefold does not. Each
/// data file comes with the name by which remarks call it.
pub(crate) fn unused_beside(files: &[(&str, &Path)]) -> Vec<String> {
    let there = |path: &Path, ending: &str| {
        path.to_str().is_some_and(|path| open_file(Path::new(&neighbour(path, ending))).is_ok())
    };
    let remark = |what: &str, files: &[String], why: &str| {
        let (first, more) = (files.first()?, files.len() - 1);
        let others = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("{first}{others} beside the data: {what} are not used{why}"))
    };
    let mut remarks = Vec::new();
    for (ending, what) in UNUSED {
        let there = files.iter().filter(|(_, path)| there(path, ending));
        let names: Vec<String> = there.map(|(name, _)| neighbour(name, ending)).collect();
        remarks.extend(remark(what, &names, ""));
    }
    let (mut named, mut second) = (Vec::new(), Vec::new());
    for (name, path) in files {
        let endings: Vec<&str> = ENDINGS.into_iter().filter(|ending| there(path, ending)).collect();
        // A file that cannot be read is an error elsewhere.
        if !endings.is_empty() && begun(path).is_ok_and(|(start, _)| names_queries(&start)) {
            named.extend(endings.iter().map(|ending| neighbour(name, ending)));
        } else {
            second.extend(endings.iter().skip(1).map(|ending| neighbour(name, ending)));
        }
    }
    remarks.extend(remark("group sizes", &named, ", since the rows name their queries (`qid:`)"));
    remarks.extend(remark("group sizes", &second, ", because the sizes in the file that ends with `.query` are used"));
    remarks
}

/// An opened LETOR file.
pub(crate) struct Opened {
    pub(crate) bytes: Bytes,
    /// Whether the file has no queries in its rows, and the rows got the queries of the group
    /// sizes.
    pub(crate) queries_given: bool,
}

/// The bytes of a file up to its first row, and a reader of the rest.
fn begun(path: &Path) -> io::Result<(Vec<u8>, BufReader<Bytes>)> {
    let mut source = BufReader::with_capacity(1 << 16, open_file(path)?);
    let (mut start, mut line) = (Vec::new(), Vec::new());
    // Comments and blank lines may come before the first row.
    while read_line(&mut source, &mut line)? {
        start.extend_from_slice(&line);
        if is_row(&line) {
            break;
        }
        if start.len() > LONGEST_LINE {
            return Err(invalid("begins with comments only, as no file of rows does"));
        }
    }
    Ok((start, source))
}

fn names_queries(start: &[u8]) -> bool {
    start.windows(4).any(|token| token == b"qid:")
}

/// Opens a LETOR file. Rows without queries get the queries of the file of group sizes.
pub(crate) fn open(path: &Path) -> io::Result<Opened> {
    let Some(sizes_file) = beside(path) else {
        return Ok(Opened { bytes: open_file(path)?, queries_given: false });
    };
    let (start, source) = begun(path)?;
    let has_queries = names_queries(&start);
    let whole = Cursor::new(start).chain(source);
    if has_queries {
        return Ok(Opened { bytes: Box::new(whole), queries_given: false });
    }
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let sizes = sizes(&sizes_file)?;
    let source = BufReader::with_capacity(1 << 16, Box::new(whole) as Bytes);
    let name = name.rsplit(':').next().unwrap_or(&name).replace(|c| c == ' ' || c == '\t' || is_odd(c), "_");
    let grouped = Grouped { source, name, sizes_file, sizes, query: 0, rows: 0, line: Vec::new(), given: 0 };
    Ok(Opened { bytes: Box::new(grouped), queries_given: true })
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn ends_token(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_row(line: &[u8]) -> bool {
    line.iter().find(|&&byte| !is_blank(byte)).is_some_and(|&byte| !matches!(byte, b'#' | b'\r' | b'\n'))
}

/// The sizes of the queries. Sizes whose sum does not fit into a number are an error.
fn sizes(path: &Path) -> io::Result<Vec<usize>> {
    let (mut sizes, mut documents) = (Vec::new(), 0usize);
    let mut lines = TextLines::open(path)?;
    while let Some((number, line)) = lines.next()? {
        if let Some((place, character)) = find_odd(line.as_bytes()) {
            let (column, character) = (place + 1, named(character));
            return Err(wrong(path, &format!("line {number}: found the character {character} in column {column}")));
        }
        for token in line.split_ascii_whitespace() {
            let wrong = || wrong(path, &format!("line {number}: `{token}` is not the size of a query"));
            let size: usize = token.parse().map_err(|_| wrong())?;
            documents = documents.checked_add(size).ok_or_else(wrong)?;
            sizes.push(size);
        }
    }
    Ok(sizes)
}

fn wrong(path: &Path, what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, WrongSizes(format!("{}: {what}", path.display())))
}

/// A fault in a file of sizes, which belongs to no line of the data file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct WrongSizes(String);

/// Whether an error of reading a data file is about the file of sizes.
pub(crate) fn is_of_sizes(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<WrongSizes>())
}

/// Puts a query id into each row.
struct Grouped {
    source: BufReader<Bytes>,
    name: String,
    sizes_file: PathBuf,
    sizes: Vec<usize>,
    /// The query of the next row, from 0; `rows` counts its rows so far.
    query: usize,
    rows: usize,
    /// The line with its query id; `given` counts its bytes that were given out.
    line: Vec<u8>,
    given: usize,
}

impl Grouped {
    fn next_line(&mut self) -> io::Result<()> {
        self.given = 0;
        if !read_line(&mut self.source, &mut self.line)? {
            return self.end();
        }
        if !is_row(&self.line) {
            return Ok(());
        }
        while self.sizes.get(self.query).is_some_and(|&size| size == self.rows) {
            (self.query, self.rows) = (self.query + 1, 0);
        }
        if self.query == self.sizes.len() {
            let documents: usize = self.sizes.iter().sum();
            let what = format!("the sizes add up to {}, but the data file has more", counted(documents, "document"));
            return Err(wrong(&self.sizes_file, &what));
        }
        self.rows += 1;
        let start = self.line.iter().take_while(|&&byte| is_blank(byte)).count();
        let grade = self.line[start..].iter().take_while(|&&byte| !ends_token(byte)).count();
        let mut id = Vec::new();
        write!(id, " qid:{}:{}", self.name, self.query + 1)?;
        self.line.splice(start + grade..start + grade, id);
        Ok(())
    }

    /// Checks at the end of the rows that all queries are complete.
    fn end(&self) -> io::Result<()> {
        let documents: usize = self.sizes.iter().sum();
        let read = self.sizes[..self.query].iter().sum::<usize>() + self.rows;
        if read == documents {
            return Ok(());
        }
        let what = format!("the sizes add up to {}, but the data file has {read}", counted(documents, "document"));
        Err(wrong(&self.sizes_file, &what))
    }
}

impl Read for Grouped {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.line.len() {
            self.next_line()?;
        }
        let rest = &self.line[self.given..];
        let given = rest.len().min(buffer.len());
        buffer[..given].copy_from_slice(&rest[..given]);
        self.given += given;
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn text(rows: &str, sizes: &str) -> Result<String, String> {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("rank.train"), rows).unwrap();
        std::fs::write(folder.path().join("rank.train.query"), sizes).unwrap();
        let mut text = String::new();
        let read = open(&folder.path().join("rank.train")).and_then(|mut file| file.bytes.read_to_string(&mut text));
        let shown = folder.path().join("rank.train.query").display().to_string();
        read.map(|_| text).map_err(|error| error.to_string().replace(&shown, "SIZES"))
    }

    #[test]
    fn rows_get_the_queries_of_the_sizes() {
        let rows = "# head\n2 1:0.5 3:1\n\n 0 # a\n1\t2:1\n0";
        let with_ids = "# head\n2 qid:rank.train:1 1:0.5 3:1\n\n 0 qid:rank.train:1 # a\n1 qid:rank.train:3\t2:1\n0 qid:rank.train:3";
        assert_eq!(text(rows, "2\n0\n2\n").as_deref(), Ok(with_ids));
        assert_eq!(text(rows, "2 0 2 0").as_deref(), Ok(with_ids));
        // Rows with query ids need no sizes.
        assert_eq!(text("1 qid:7 1:2\n", "5").as_deref(), Ok("1 qid:7 1:2\n"));
    }

    #[test]
    fn sizes_must_add_up() {
        let more = "SIZES: the sizes add up to 1 document, but the data file has more";
        assert_eq!(text("1 1:2\n0 1:1\n", "1\n").unwrap_err(), more);
        let fewer = "SIZES: the sizes add up to 3 documents, but the data file has 2";
        assert_eq!(text("1 1:2\n0 1:1\n", "1\n2\n").unwrap_err(), fewer);
        assert_eq!(text("1 1:2\n", "-1").unwrap_err(), "SIZES: line 1: `-1` is not the size of a query");
    }
}
