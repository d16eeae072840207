//! The report in a results folder: `tables/*.{csv,md,tex}`, `figures/*.{svg,csv}`, all tables in
//! `tables.md`, and `tables.json`.
//!
//! `tables.json` holds every table in full and lists the files that a report owns. The next report
//! in the same folder removes those files that it no longer makes, and no other files. A reader
//! never sees half of a file. The bytes depend on the tables alone.

use std::collections::BTreeSet;
use std::path::Path;

use fivefold_analysis::page::PAGE_DATA;
use fivefold_analysis::tables::{Analysed, MethodComparison, QuerySetFact, expected_histograms};
use fivefold_analysis::{Cell, PageData, Table, number_equal};
use fivefold_results::Results;
use fivefold_results::checksum::{read_verified, with_checksum};
use fivefold_results::store::{Store, StoreError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::chart::chart_figure;
use crate::critical_difference::critical_difference_figure;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::histogram::expected_figure;
use crate::html::{PageHead, Templates, page, run_data};
use crate::overview::Overview;
use crate::run_charts::run_charts;
use crate::{csv, latex, markdown};

/// Bins of the histograms of expected values.
const BINS: usize = 20;

pub(crate) const INDEX: &str = "tables.json";
const ALL_TABLES: &str = "tables.md";
const PAGE: &str = "report.html";
const TABLE_FORMS: [&str; 3] = ["csv", "md", "tex"];
const FIGURE_FORMS: [&str; 2] = ["svg", "csv"];

/// The files of a report: the path of each file with `/`, and its content.
pub(crate) type Files = Vec<(String, String)>;

/// What a report consists of, before it is written.
pub(crate) struct Made {
    pub files: Files,
    pub overview: Option<Overview>,
}

/// The content of `tables.json`, for writing.
#[derive(Serialize)]
struct Index<'a> {
    tables: &'a [Table],
    figures: &'a [Figure],
}

/// The content of `tables.json`, for reading.
#[derive(Deserialize)]
struct IndexRead {
    tables: Vec<Table>,
    figures: Vec<WrittenFigure>,
}

/// A figure without its files.
#[derive(Deserialize)]
struct WrittenFigure {
    id: String,
    title: String,
    notes: Vec<String>,
    #[serde(default)]
    shows_pairs: bool,
}

/// The ids in `tables.json`, from which the files of an earlier report follow. Other keys of an
/// earlier version are ignored.
#[derive(Deserialize)]
struct Owned {
    tables: Vec<Id>,
    figures: Vec<Id>,
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

/// A report that was written.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// The tables in it.
    pub tables: Vec<Table>,
    /// What is seen first; `None` where no two systems were compared.
    pub overview: Option<Overview>,
    /// The query sets of the tables of a run.
    pub query_sets: Vec<QuerySetFact>,
}

/// Writes the report of a run into `folder` and returns what it shows. `folder` is the results
/// folder or any other folder. Files of an earlier report that are no longer made are removed.
///
/// ```
/// use fivefold_report::{Templates, write_report};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives the results of two systems, as they are read from a results folder.
/// let folder = tempfile::tempdir()?;
/// let written = write_report(&small()?, folder.path(), &Templates::default())?;
/// assert_eq!(written.tables[0].title, "rr of every method on mine");
/// assert!(folder.path().join("report.html").is_file());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the tables cannot be computed, if a template cannot be used, and as [`Report::write`].
pub fn write_report(results: &Results, folder: &Path, templates: &Templates) -> Result<Written, ReportError> {
    Ok(write_report_unless(results, folder, templates, || false)?.unwrap_or_default())
}

/// Writes a report as [`write_report`] does, with one more table.
///
/// # Errors
/// As [`write_report`].
pub fn write_report_with(
    results: &Results,
    folder: &Path,
    templates: &Templates,
    table: Table,
) -> Result<(), ReportError> {
    let mut report = report_of(results, results.analyse()?)?;
    report.tables.push(table);
    write(report.made(templates)?.files, folder)
}

/// Writes a report as [`write_report`] does, but calls `left` after the report is made. If `left`
/// returns true, nothing is written, and the result is `None`.
///
/// # Errors
/// As [`write_report`].
pub fn write_report_unless(
    results: &Results,
    folder: &Path,
    templates: &Templates,
    left: impl FnOnce() -> bool,
) -> Result<Option<Written>, ReportError> {
    let analysed = results.analyse()?;
    let query_sets = analysed.query_sets.clone();
    let report = report_of(results, analysed)?;
    let Made { files, overview } = report.made(templates)?;
    if left() {
        return Ok(None);
    }
    write(files, folder)?;
    Ok(Some(Written { overview, tables: report.tables, query_sets }))
}

/// Checks that a report can be written into a folder. For a caller with much work before the
/// report.
///
/// # Errors
/// If `tables.json` exists but no report wrote it, or if the file system refuses.
pub fn check_index(folder: &Path) -> Result<(), ReportError> {
    owned(&Store::new(folder)).map(drop)
}

/// Removes a damaged `tables.json`, so that the next report is written anew. The caller must know
/// that the folder belongs to fivefold. Returns the fault, or `None` if there is no fault. A
/// missing `tables.json` beside tables or figures is a fault too. Without `tables.json` the files
/// of the earlier report are unknown, so its files stay if they are no longer made.
///
/// # Errors
/// If the file system refuses.
pub fn discard_damaged_index(folder: &Path) -> Result<Option<String>, ReportError> {
    let store = Store::new(folder);
    let reason = match store.read(INDEX)? {
        None if ["tables", "figures"].iter().all(|of| !store.path(of).exists()) => return Ok(None),
        None => "there is no such file".to_owned(),
        Some(content) => match read_index::<Owned>(&content) {
            Ok(_) => return Ok(None),
            Err(reason) => reason,
        },
    };
    store.remove(INDEX)?;
    Ok(Some(format!("{}: {reason}", store.path(INDEX).display())))
}

/// The most jobs of the manifest on a page.
const JOBS: usize = 200;

/// The report of a run.
pub(crate) fn run_report(results: &Results) -> Result<Report, ReportError> {
    report_of(results, results.analyse()?)
}

/// The report of a run whose values are analysed.
fn report_of(results: &Results, analysed: Analysed) -> Result<Report, ReportError> {
    let data = run_data(results, &analysed);
    let mut figures = figures(results, &analysed, &data)?;
    // Labels that differ only in marks that an id does not keep.
    number_equal(figures.iter_mut().map(|figure| &mut figure.id));
    Ok(Report { head: head(results)?, data, tables: analysed.tables, figures })
}

fn head(results: &Results) -> Result<PageHead, ReportError> {
    let mut manifest = results.manifest.clone();
    let jobs = manifest.jobs.len();
    manifest.jobs.truncate(JOBS);
    let json = serde_json::to_string_pretty(&manifest).map_err(|error| malformed("manifest", error.to_string()))?;
    let cut = (jobs > JOBS)
        .then(|| format!("the manifest on this page has the first {JOBS} of {jobs} jobs; manifest.json has all"));
    Ok(PageHead {
        name: manifest.experiment.name,
        seed: Some(manifest.experiment.seed),
        result: Some(manifest.result),
        stamps: results.stamps(),
        notices: cut.into_iter().collect(),
        manifest: json,
    })
}

/// The figures of a run: the paper's histograms, measures by cutoff, queries by expected and
/// original value, searches for parameters, and critical differences.
fn figures(results: &Results, analysed: &Analysed, data: &PageData) -> Result<Vec<Figure>, ReportError> {
    let Results { manifest, evaluation, .. } = results;
    let conventions = &results.notes();
    let histograms = expected_histograms(evaluation, BINS)?;
    let histograms = histograms
        .iter()
        .map(|histogram| expected_figure(histogram, &evaluation.lines_of(&histogram.measure, conventions)));
    let cut = data.datasets.iter().filter_map(|own| own.left_out(&data.noun));
    let conventions = &cut.chain(conventions.iter().cloned()).collect::<Vec<_>>();
    // Of many methods the leading ones, without ranks, which are among all.
    let shown = analysed.comparisons.iter().map(|comparison| {
        let shown = &data.datasets[comparison.dataset].shown;
        match shown.len() == comparison.compared.systems.len() {
            true => comparison.clone(),
            false => MethodComparison { compared: comparison.compared.among(shown), ranks: None, ..comparison.clone() },
        }
    });
    let comparisons: Vec<MethodComparison> = shown.collect();
    let mut charts = run_charts(evaluation, &comparisons, &analysed.classes, conventions);
    charts.extend(results.charts_of_searches());
    let charts = analysed.charts.iter().chain(&charts).map(chart_figure);
    let alpha = manifest.experiment.tables.alpha;
    let differences = comparisons.iter().filter_map(|c| critical_difference_figure(evaluation, c, alpha, conventions));
    histograms.chain(charts).chain(differences).collect()
}

/// A report: the data of its page, its tables and its figures.
///
/// ```
/// use fivefold_analysis::{Cell, Table};
/// use fivefold_report::folder::read_tables;
/// use fivefold_report::{Report, Templates};
///
/// let rows = vec![vec![Cell::text("A"), Cell::number(0.5, 3)]];
/// let tables = vec![Table::new("means", "Means", ["system", "nDCG@10"], 1).with_rows(rows)];
/// let report = Report { tables, ..Report::default() };
/// let folder = tempfile::tempdir()?;
/// report.write(folder.path(), &Templates::default())?;
/// assert!(folder.path().join("report.html").is_file());
/// assert_eq!(read_tables(folder.path())?, report.tables);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The name and the origin of the report.
    pub head: PageHead,
    /// The data of the page, without tables and figures.
    pub data: PageData,
    /// The tables.
    pub tables: Vec<Table>,
    /// The figures.
    pub figures: Vec<Figure>,
}

impl Report {
    /// Writes the report into `folder`, which is made if it does not exist. Files of an earlier
    /// report that are no longer made are removed. Returns the overview with which the page begins.
    ///
    /// # Errors
    /// - If a table or figure is malformed: its id is no file name or occurs twice, a row and the
    ///   heads differ in length, or a number is not finite. A malformed table is found before
    ///   anything is written.
    /// - If a template cannot be used.
    /// - If `tables.json` exists but no report wrote it.
    /// - If the file system refuses.
    pub fn write(&self, folder: &Path, templates: &Templates) -> Result<Option<Overview>, ReportError> {
        let Made { files, overview } = self.made(templates)?;
        write(files, folder)?;
        Ok(overview)
    }

    /// What is seen first. `None` if no systems were compared.
    ///
    /// # Errors
    /// Means that have no order.
    pub fn overview(&self) -> Result<Option<Overview>, ReportError> {
        Overview::new(&self.data, &self.head.stamps)
    }

    /// Makes every file of the report, and the overview.
    pub(crate) fn made(&self, templates: &Templates) -> Result<Made, ReportError> {
        let mut files = contents(&self.tables, &self.figures)?;
        let overview = self.overview()?;
        files.push((PAGE.to_owned(), page(self, overview.as_ref(), templates)?));
        Ok(Made { files, overview })
    }

    /// Reads back the report in `folder`. The head is given, because no file of the report holds
    /// it.
    ///
    /// # Errors
    /// If a file is missing or no report wrote it, or if the file system refuses.
    pub fn read(folder: &Path, head: PageHead) -> Result<Self, ReportError> {
        let store = Store::new(folder);
        let missing = |file: &str| StoreError::Content {
            path: store.path(file),
            reason: "there is no such file; run the study again".to_owned(),
        };
        let text = |file: String| -> Result<String, ReportError> {
            let content = store.read(&file)?.ok_or_else(|| missing(&file))?;
            Ok(String::from_utf8_lossy(&content).into_owned())
        };
        let IndexRead { tables, figures } = read_written(&store)?;
        let mut read = Vec::with_capacity(figures.len());
        for WrittenFigure { id, title, notes, shows_pairs } in figures {
            check_id(&id)?;
            let [svg, csv] = FIGURE_FORMS.map(|form| text(figure_file(&id, form)));
            read.push(Figure { id, title, notes, shows_pairs, svg: svg?, csv: csv? });
        }
        let content = store.read(PAGE_DATA)?.ok_or_else(|| missing(PAGE_DATA))?;
        let data =
            read_verified(&content).and_then(|value| serde_json::from_value(value).map_err(|error| error.to_string()));
        let wrong = |reason| StoreError::Content {
            path: store.path(PAGE_DATA),
            reason: format!("{reason}; run the study again"),
        };
        Ok(Report { head, data: data.map_err(wrong)?, tables, figures: read })
    }
}

/// Reads back the tables of the report in `folder`.
///
/// # Errors
/// If `tables.json` is missing or no report wrote it, or if the file system refuses.
pub fn read_tables(folder: &Path) -> Result<Vec<Table>, ReportError> {
    Ok(read_written(&Store::new(folder))?.tables)
}

fn read_written(store: &Store) -> Result<IndexRead, ReportError> {
    let wrong = |reason: String| StoreError::Content { path: store.path(INDEX), reason };
    let Some(content) = store.read(INDEX)? else {
        return Err(wrong("there is no such file; run the experiment again".to_owned()).into());
    };
    Ok(read_index(&content).map_err(|reason| wrong(format!("{reason}; run the experiment again")))?)
}

/// Reads `tables.json`. The error names the fault.
fn read_index<T: DeserializeOwned>(content: &[u8]) -> Result<T, String> {
    serde_json::from_value(read_verified(content)?).map_err(|error| format!("not the tables of a report ({error})"))
}

fn write(files: Files, folder: &Path) -> Result<(), ReportError> {
    let store = Store::new(folder);
    for file in owned(&store)?.iter().filter(|file| files.iter().all(|(made, _)| made != *file)) {
        store.remove(file)?;
    }
    for (file, content) in &files {
        store.write(file, content.as_bytes())?;
    }
    // What is left is no part of the report.
    store.sweep();
    Ok(())
}

/// Every file of a report with its content. The index comes first, so a killed report owns the
/// files that it wrote.
fn contents(tables: &[Table], figures: &[Figure]) -> Result<Files, ReportError> {
    let mut ids = BTreeSet::new();
    for id in tables.iter().map(|table| &table.id).chain(figures.iter().map(|figure| &figure.id)) {
        check_id(id)?;
        // Some file systems do not tell case apart.
        if !ids.insert(id.to_ascii_lowercase()) {
            return Err(malformed(id, "two tables or figures have this id".into()));
        }
    }
    let mut all = String::from("# Tables\n");
    let mut files = vec![(INDEX.to_owned(), index(tables, figures)?)];
    for table in tables {
        check_table(table)?;
        let text = markdown(table);
        all += &format!("\n{text}");
        let forms = TABLE_FORMS.iter().zip([csv(table), text, latex(table)]);
        files.extend(forms.map(|(form, text)| (table_file(&table.id, form), text)));
    }
    for figure in figures {
        let title = markdown::escape(&figure.title);
        let notes = markdown::notes(&figure.notes);
        all += &format!("\n## {title}\n\n![{title}](figures/{}.svg)\n{notes}", figure.id);
        let forms = FIGURE_FORMS.iter().zip([figure.svg.as_str(), figure.csv.as_str()]);
        files.extend(forms.map(|(form, text)| (figure_file(&figure.id, form), text.to_owned())));
    }
    files.push((ALL_TABLES.to_owned(), all));
    Ok(files)
}

fn table_file(id: &str, form: &str) -> String {
    format!("tables/{id}.{form}")
}

fn figure_file(id: &str, form: &str) -> String {
    format!("figures/{id}.{form}")
}

/// The table and figure files of an earlier report, from its index. Empty if there is no index.
fn owned(store: &Store) -> Result<Vec<String>, ReportError> {
    let Some(content) = store.read(INDEX)? else { return Ok(Vec::new()) };
    let Owned { tables, figures } = read_index(&content).map_err(|reason| StoreError::Content {
        path: store.path(INDEX),
        reason: format!("{reason}; move it away and run the report again"),
    })?;
    // An id that we would not have written is not ours to remove.
    let ours = |ids: Vec<Id>| ids.into_iter().map(|id| id.id).filter(|id| check_id(id).is_ok());
    let tables = ours(tables).flat_map(|id| TABLE_FORMS.map(|form| table_file(&id, form)));
    let figures = ours(figures).flat_map(|id| FIGURE_FORMS.map(|form| figure_file(&id, form)));
    Ok(tables.chain(figures).collect())
}

fn check_id(id: &str) -> Result<(), ReportError> {
    let plain = id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if id.is_empty() || id.starts_with('.') || !plain {
        return Err(malformed(id, "an id must be a file name of letters, digits, `-`, `_` and `.`".into()));
    }
    Ok(())
}

fn check_table(table: &Table) -> Result<(), ReportError> {
    let columns = table.columns.len();
    if columns == 0 || table.label_columns > columns {
        return Err(malformed(&table.id, format!("{} label columns of {columns}", table.label_columns)));
    }
    for (row, cells) in table.rows.iter().enumerate() {
        if cells.len() != columns {
            return Err(malformed(&table.id, format!("row {row} has {} cells for {columns} columns", cells.len())));
        }
        for (cell, head) in cells.iter().zip(&table.columns) {
            if let Cell::Number { value, .. } | Cell::PValue(value) = cell
                && !value.is_finite()
            {
                return Err(malformed(&table.id, format!("row {row}, column {head:?} holds the number {value}")));
            }
        }
    }
    Ok(())
}

fn malformed(id: &str, message: String) -> ReportError {
    ReportError::Malformed { id: id.to_owned(), message }
}

fn index(tables: &[Table], figures: &[Figure]) -> Result<String, ReportError> {
    let text = with_checksum(&Index { tables, figures }).map_err(|error| malformed(INDEX, error.to_string()))?;
    String::from_utf8(text).map_err(|error| malformed(INDEX, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn figure() -> Figure {
        expected_figure(&samples::histogram(), &[]).unwrap()
    }

    fn write_files(name: &str, tables: &[Table], figures: &[Figure], folder: &Path) -> Result<(), ReportError> {
        let head = PageHead { name: name.to_owned(), ..PageHead::default() };
        let (tables, figures) = (tables.to_vec(), figures.to_vec());
        Report { head, tables, figures, ..Report::default() }.write(folder, &Templates::default()).map(drop)
    }

    /// Every file below `folder` with its content.
    fn files(folder: &Path) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(next) = folders.pop() {
            for entry in std::fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
                    found.push((name, std::fs::read_to_string(path).unwrap()));
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn a_report_has_every_form_and_the_same_bytes_each_time() {
        let tables = [samples::every_cell(), samples::wide()];
        let figures = [figure()];
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write_files("test", &tables, &figures, first.path()).unwrap();
        write_files("test", &tables, &figures, second.path()).unwrap();
        let written = files(first.path());
        assert_eq!(written, files(second.path()));
        let names = written.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
        insta::assert_snapshot!(names.join("\n"));
        let all = &written.iter().find(|(name, _)| name == ALL_TABLES).unwrap().1;
        insta::assert_snapshot!(all);
    }

    #[test]
    fn tables_are_read_back_as_they_were_written() {
        let tables = [samples::every_cell(), samples::wide()];
        let folder = tempfile::tempdir().unwrap();
        let error = read_tables(folder.path()).unwrap_err().to_string();
        assert!(error.contains("tables.json") && error.contains("run the experiment again"), "{error}");
        write_files("test", &tables, &[figure()], folder.path()).unwrap();
        assert_eq!(read_tables(folder.path()).unwrap(), tables);
    }

    #[test]
    fn a_second_report_removes_what_it_no_longer_makes_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        write_files("test", &[samples::every_cell(), samples::wide()], &[figure()], folder.path()).unwrap();
        let mine = folder.path().join("tables/table-99-mine.csv");
        std::fs::write(&mine, "kept").unwrap();
        write_files("test", &[samples::wide()], &[], folder.path()).unwrap();
        let names = files(folder.path()).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let expected = [
            "report.html",
            "tables.json",
            "tables.md",
            "tables/table-03-scores.csv",
            "tables/table-03-scores.md",
            "tables/table-03-scores.tex",
            "tables/table-99-mine.csv",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn an_index_cannot_make_us_remove_files_elsewhere() {
        let outer = tempfile::tempdir().unwrap();
        let victim = outer.path().join("victim.csv");
        std::fs::write(&victim, "kept").unwrap();
        let folder = outer.path().join("run");
        std::fs::create_dir(&folder).unwrap();
        let index = serde_json::json!({ "tables": [{ "id": "../../victim" }], "figures": [] });
        std::fs::write(folder.join(INDEX), with_checksum(&index).unwrap()).unwrap();
        write_files("test", &[], &[], &folder).unwrap();
        assert!(victim.exists());
    }

    #[test]
    fn a_foreign_index_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(INDEX), "[1, 2").unwrap();
        let error = write_files("test", &[samples::wide()], &[], folder.path()).unwrap_err();
        assert!(matches!(error, ReportError::Store(_)), "{error}");
        assert!(error.to_string().contains("tables.json"), "{error}");
    }

    #[test]
    fn malformed_tables_are_refused_before_anything_is_written() {
        let change = |change: fn(&mut Table)| {
            let mut table = samples::every_cell();
            change(&mut table);
            table
        };
        let cases = [
            (vec![change(|table| table.id = "../up".into())], "file name"),
            (vec![samples::wide(), change(|table| table.id = "Table-03-SCORES".into())], "two tables"),
            (vec![change(|table| table.rows[1].truncate(2))], "row 1 has 2 cells for 5 columns"),
            (vec![change(|table| table.rows[0][2] = Cell::number(f64::NAN, 2))], "holds the number NaN"),
        ];
        for (tables, message) in cases {
            let folder = tempfile::tempdir().unwrap();
            let error = write_files("test", &tables, &[], folder.path()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
            assert!(files(folder.path()).is_empty());
        }
    }

    #[test]
    fn the_index_holds_the_tables_in_full() {
        let tables = [samples::every_cell(), samples::wide()];
        let files = contents(&tables, &[]).unwrap();
        let index = serde_json::from_str::<serde_json::Value>(&files[0].1).unwrap();
        assert_eq!(serde_json::from_value::<Vec<Table>>(index["tables"].clone()).unwrap(), tables);
    }
}
