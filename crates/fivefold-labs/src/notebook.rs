//! The worksheet as a Jupyter notebook: nbformat 4.5, without outputs.
//!
//! Text becomes cells of Markdown, one for each heading. A block of code in Python becomes a cell
//! of code. Other blocks stay in the text.

use serde_json::{Value, json};

/// The worksheet as the JSON text of a notebook. Same worksheet, same bytes.
///
/// ```
/// use fivefold_labs::notebook::notebook;
///
/// let text = notebook("# Lab\n\nSum:\n\n```python\nprint(1 + 1)\n```\n");
/// let read: serde_json::Value = serde_json::from_str(&text)?;
/// assert_eq!((&read["nbformat"], &read["nbformat_minor"]), (&4.into(), &5.into()));
/// assert_eq!(read["cells"][1]["source"], serde_json::json!(["print(1 + 1)"]));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn notebook(worksheet: &str) -> String {
    let mut cells: Vec<Value> = Vec::new();
    let mut add = |kind: &str, lines: &mut Vec<&str>| {
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(lines.len());
        let lines: Vec<&str> = std::mem::take(lines).split_off(first);
        if lines.is_empty() {
            return;
        }
        let ends = |(number, line): (usize, &&str)| match number + 1 == lines.len() {
            true => (*line).to_owned(),
            false => format!("{line}\n"),
        };
        let source: Vec<String> = lines.iter().enumerate().map(ends).collect();
        let id = format!("cell-{:03}", cells.len() + 1);
        cells.push(match kind {
            "code" => {
                json!({"cell_type": kind, "execution_count": null, "id": id, "metadata": {}, "outputs": [], "source": source})
            }
            _ => json!({"cell_type": kind, "id": id, "metadata": {}, "source": source}),
        });
    };
    let (mut lines, mut fence): (Vec<&str>, Option<bool>) = (Vec::new(), None);
    for line in worksheet.lines() {
        match (fence, line.trim_start().strip_prefix("```")) {
            (None, Some("python")) => {
                add("markdown", &mut lines);
                fence = Some(true);
            }
            (Some(true), Some(_)) => {
                add("code", &mut lines);
                fence = None;
            }
            (open, Some(_)) => {
                lines.push(line);
                fence = if open.is_some() { None } else { Some(false) };
            }
            (None, None) if line.starts_with('#') => {
                add("markdown", &mut lines);
                lines.push(line);
            }
            _ => lines.push(line),
        }
    }
    add(if fence == Some(true) { "code" } else { "markdown" }, &mut lines);
    let kernel = json!({"display_name": "Python 3", "language": "python", "name": "python3"});
    let whole = json!({
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    });
    // Values of strings and numbers alone always have a text.
    format!("{whole:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_code_and_other_blocks_are_told_apart() {
        let sheet =
            "# A\n\ntext\n\n```text\n# no heading\n```\n## B\n```python\n# a comment\nx = 1\n\ny = 2\n```\nend\n";
        let read: Value = serde_json::from_str(&notebook(sheet)).unwrap();
        let cells = read["cells"].as_array().unwrap();
        let kinds: Vec<&str> = cells.iter().map(|cell| cell["cell_type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["markdown", "markdown", "code", "markdown"]);
        assert_eq!(cells[0]["source"], json!(["# A\n", "\n", "text\n", "\n", "```text\n", "# no heading\n", "```"]));
        assert_eq!(cells[2]["source"], json!(["# a comment\n", "x = 1\n", "\n", "y = 2"]));
        assert_eq!(cells[2]["outputs"], json!([]));
        let ids: std::collections::BTreeSet<&str> = cells.iter().map(|cell| cell["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), 4);
    }
}
