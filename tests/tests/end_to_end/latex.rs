//! Tests LaTeX tables in a document that only reads them: the tables compile unchanged, and no line
//! is wider than the text.

use std::path::Path;
use std::process::Command;

use crate::harness::{content, directory, real_data, skipped, small_quickstart, stdout, stdout_with_data};

/// Compiles the tables of a results folder. Returns the table of each line that is too wide, and
/// the excess in points.
pub fn overfull(folder: &Path) -> Vec<(String, f64)> {
    if !Command::new("pdflatex").arg("--version").output().is_ok_and(|output| output.status.success()) {
        skipped("there is no pdflatex");
        return Vec::new();
    }
    let files = content(folder);
    let tables = files.keys().filter(|name| name.ends_with(".tex"));
    let inputs: String =
        tables.map(|name| format!("\\typeout{{table {name}}}\\input{{{name}}}\\clearpage\n")).collect();
    assert!(!inputs.is_empty());
    let head = "\\documentclass{article}\\usepackage{booktabs,graphicx,longtable}";
    let document = directory(&[]);
    let text = format!("{head}\\begin{{document}}\n{inputs}\\end{{document}}\n");
    std::fs::write(document.path().join("all.tex"), text).unwrap();
    let mut command = Command::new("pdflatex");
    // The variables keep pdflatex from breaking the lines of its output, and give an absolute path
    // of the tables. The path has no blanks.
    command.env("max_print_line", "1000").env("TEXINPUTS", format!("{}:", folder.display()));
    command.args(["-interaction=nonstopmode", "-halt-on-error", "all.tex"]).current_dir(document.path());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    let (mut table, mut found) = (String::new(), Vec::new());
    for line in said.lines() {
        if let Some(name) = line.strip_prefix("table ") {
            table = name.to_owned();
        }
        let too_wide = line.strip_prefix("Overfull \\hbox (").and_then(|rest| rest.split_once("pt too wide)"));
        found.extend(too_wide.map(|(points, _)| (table.clone(), points.parse().unwrap())));
    }
    found
}

fn assert_fits(folder: &Path) {
    let found: Vec<_> = overfull(folder).into_iter().filter(|(_, points)| *points > 3.0).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn tables_of_a_run_fit() {
    let folder = directory(&[("small.toml", &small_quickstart())]);
    stdout(folder.path(), "run small.toml --out run");
    assert_fits(&folder.path().join("run"));
}

/// Rows with two long names are too wide in any font size. Some names have blanks, others have
/// none.
#[test]
fn long_names_in_long_tables_are_wrapped() {
    let names: Vec<String> = (0..12)
        .map(|number| match number % 2 {
            0 => format!("a system of some name {number}"),
            _ => format!("BM25_AUGMENTED_CKPT_A{number}"),
        })
        .collect();
    let values = |query: usize| {
        (0..12)
            .map(|system| format!(",0.{}", (system * system * 7 + query * 3 * (system + 1)) % 10))
            .collect::<String>()
    };
    let rows: String = (0..6).map(|query| format!("{query}{}\n", values(query))).collect();
    let quoted: String = names.iter().map(|name| format!(",\"{name}\"")).collect();
    let values = format!("query{quoted}\n{rows}");
    let folder = directory(&[("ap.csv", &values), ("p.csv", &values)]);
    stdout(folder.path(), "compare AP=ap.csv P=p.csv --draws 10 --trials 5 --out compare");
    let pairs = std::fs::read_to_string(folder.path().join("compare/tables/pairs.tex")).unwrap();
    assert!(pairs.contains("\\begin{longtable}") && pairs.contains("\\raggedright"), "{pairs}");
    assert_fits(&folder.path().join("compare"));
}

/// All letters that need no warning compile.
#[test]
fn accented_and_greek_names_compile() {
    let greek: String =
        ('α'..='ω').chain('Α'..='Ω').filter(|&c| c.is_alphabetic() && !"οςΑΒΕΖΗΙΚΜΝΟΡΤΥΧ".contains(c)).collect();
    let lacking = "«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ\u{ad}";
    let latin: String = ('¡'..='ſ').filter(|&c| !lacking.contains(c)).collect();
    let values = format!("query,{greek},\"{latin}\",Я\n1,.5,.25,.1\n2,.25,.5,.1\n3,.75,.5,.1\n");
    let folder = directory(&[("ap.csv", &values)]);
    stdout(folder.path(), "compare ap.csv --top 2 --draws 10 --trials 5 --out compare");
    let scores = std::fs::read_to_string(folder.path().join("compare/tables/scores-ap.tex")).unwrap();
    assert!(scores.lines().next().unwrap().ends_with("in the preamble."), "{scores}");
    overfull(&folder.path().join("compare"));
}

#[test]
fn tables_of_real_studies_and_runs_fit() {
    let Some(data) = real_data() else { return };
    let folder = directory(&[]);
    for (command, name) in
        [("compare", "compare-dl19"), ("compare", "compare-mq2008-systems"), ("run", "mq2008-systems")]
    {
        stdout_with_data(folder.path(), &data, &[command, name]);
        assert_fits(&folder.path().join("runs").join(name));
    }
}
