//! Lists the pages of `pages/SUMMARY.md` for `src/lib.rs`, in the form that mdBook reads: a heading begins
//! a part, and each link outside headings is a page.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// The text and the target of the first link in a line.
fn link(line: &str) -> Option<(&str, &str)> {
    let (title, rest) = line.split_once('[')?.1.split_once("](")?;
    Some((title, rest.split_once(')')?.0))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=pages");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("pages");
    let summary = fs::read_to_string(folder.join("SUMMARY.md"))?;
    let mut part = "";
    let mut list = String::from("&[\n");
    // The first line is the heading of the table itself.
    for line in summary.lines().skip(1) {
        if let Some(heading) = line.strip_prefix("# ") {
            part = heading.trim();
        } else if let Some((title, path)) = link(line) {
            let file = folder.join(path);
            if !file.is_file() {
                return Err(format!("pages/SUMMARY.md lists {path}, which is not there").into());
            }
            let text = format!("include_str!({file:?})");
            writeln!(list, "    Page {{ path: {path:?}, title: {title:?}, part: {part:?}, text: {text} }},")?;
        }
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("pages.rs"), list + "]\n")?;
    Ok(())
}
