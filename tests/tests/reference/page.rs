//! Writing of pages: Markdown, and the comparison with the page in the book.

use std::fs;
use std::path::{Path, PathBuf};

use fivefold_base::words;

/// The folder of the book.
pub fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/book")
}

/// Compares a generated page with the page in the book; with UPDATE_BOOK=1, writes it.
pub fn same(path: &str, text: &str) {
    let file = book().join("pages").join(path);
    if std::env::var_os("UPDATE_BOOK").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        return;
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    if kept != text {
        let differs = kept.lines().zip(text.lines()).position(|(kept, made)| kept != made);
        let line = differs.unwrap_or_else(|| kept.lines().count().min(text.lines().count()));
        let of = |text: &str| text.lines().nth(line).unwrap_or("(no line)").to_owned();
        panic!(
            "docs/book/pages/{path}:{}: the program says otherwise; UPDATE_BOOK=1 cargo test -p fivefold-tests --test reference \
             writes the page\n  page:    {}\n  program: {}",
            line + 1,
            of(&kept),
            of(text)
        );
    }
}

/// The words at the head of a generated page.
pub fn head(title: &str, intro: &str) -> String {
    format!(
        "# {title}\n\n<!-- Made from the program by tests/tests/reference: do not edit. -->\n\n{}\n",
        wrapped(intro)
    )
}

/// Text of paragraphs, wrapped at 100 columns.
pub fn wrapped(text: &str) -> String {
    let paragraph = |text: &str| words::wrapped(text, "", 100).join("\n") + "\n";
    text.split("\n\n").map(paragraph).collect::<Vec<_>>().join("\n")
}

/// Text outside code with marks that Markdown would take for its own.
pub fn escaped(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts = text.split('`').enumerate().map(|(index, part)| match index % 2 {
        1 => part.replace('|', "\\|"),
        _ => {
            part.replace('\\', "\\\\").replace('|', "\\|").replace('*', "\\*").replace('<', "&lt;").replace("[", "\\[")
        }
    });
    parts.collect::<Vec<_>>().join("`")
}

/// Text as code.
pub fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// A table. Columns in which every cell is empty are left out.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let used: Vec<usize> = (0..head.len()).filter(|&column| rows.iter().any(|row| !row[column].is_empty())).collect();
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(used.iter().map(|&column| head[column]).collect());
    text += &line(used.iter().map(|_| "---").collect());
    for row in rows {
        text += &line(used.iter().map(|&column| row[column].as_str()).collect());
    }
    text
}

/// A sentence: with a capital and a full stop.
pub fn sentence(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
