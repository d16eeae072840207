//! Reads an `answers.toml` that is not TOML entry by entry, so that one slip costs one answer.
//!
//! An entry is a line `name = value`, with the lines that follow while a bracket is open. Lines
//! that are neither an entry nor a section are named by their number.

use toml::{Table, Value};

/// A line of the file that is no entry, or an entry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// The line on which it begins, from 1.
    pub(crate) line: usize,
    /// `q1.p`; `None` for a line that has no name.
    pub(crate) name: Option<String>,
    /// The value; otherwise what stands there, and why it cannot be read.
    pub(crate) value: Result<Value, Slip>,
}

/// A text that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slip {
    /// What stands there.
    pub(crate) text: String,
    /// Why it cannot be read, and what to write.
    pub(crate) why: String,
}

/// All entries of a text, in their order.
pub(crate) fn entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut section = String::new();
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())).peekable();
    while let Some((line, start)) = lines.next() {
        if start.is_empty() || start.starts_with('#') {
            continue;
        }
        if start.starts_with('[') {
            let inner = start.split('#').next().unwrap_or_default();
            section = inner.trim().trim_matches(['[', ']']).trim().to_owned();
            if toml::from_str::<Table>(start).is_err() {
                let why = format!("is no section: write [{section}]; the answers below it count for this section");
                entries.push(Entry { line, name: None, value: Err(Slip { text: start.to_owned(), why }) });
            }
            continue;
        }
        let Some((key, value)) = start.split_once('=') else {
            let slip = Slip { text: start.to_owned(), why: "is no answer: write `name = 0.25`".to_owned() };
            entries.push(Entry { line, name: None, value: Err(slip) });
            continue;
        };
        let mut whole = value.trim().to_owned();
        // A list may go on in the next lines, up to its bracket or the next entry.
        while whole.starts_with('[') && is_open(&whole) {
            let Some((_, more)) = lines.next_if(|(_, next)| !next.starts_with('[') && !next.contains('=')) else {
                break;
            };
            whole = format!("{whole}\n{more}");
        }
        let key = key.trim().trim_matches(['"', '\'']);
        let name = if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") };
        let value = read(&whole);
        entries.push(Entry { line, name: Some(name), value });
    }
    entries
}

/// Whether a list has no closing bracket yet. A bracket in quotes or in a comment would mislead, and
/// is a slip at worst.
fn is_open(text: &str) -> bool {
    text.matches('[').count() > text.matches(']').count()
}

/// The value behind `=`.
fn read(text: &str) -> Result<Value, Slip> {
    match toml::from_str::<Table>(&format!("value = {text}\n")) {
        Ok(table) if table.len() == 1 => Ok(table["value"].clone()),
        Ok(_) => Err(slip(text, "is more than one value")),
        Err(error) => Err(slip(text, error.message().trim())),
    }
}

/// Why a text is no value, by the slips that students make.
fn slip(text: &str, message: &str) -> Slip {
    let shown = text.split('#').next().unwrap_or_default().trim();
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok_and(f64::is_finite);
    let fraction = shown.split_once('/').is_some_and(|(above, below)| is_number(above) && is_number(below));
    let why = if shown.is_empty() {
        "has no value: write one behind `=`, or \"\"".to_owned()
    } else if fraction {
        format!("a fraction needs quotes: \"{shown}\"")
    } else if is_number(shown) {
        "a number has a digit before and behind its point: 0.6".to_owned()
    } else if is_number(&shown.replacen(',', ".", 1)) {
        "a number has a point, not a comma: 0.25".to_owned()
    } else if shown.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ')) {
        format!("a word needs quotes: \"{shown}\"")
    } else {
        format!("{}; write 0.25, \"2/3\", \"word\" or [\"one\", \"two\"]", message.replace('\n', " "))
    };
    Slip { text: shown.to_owned(), why }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Vec<(usize, Option<String>, Result<Value, String>)> {
        entries(text).into_iter().map(|e| (e.line, e.name, e.value.map_err(|slip| slip.why))).collect()
    }

    #[test]
    fn each_slip_costs_one_answer_and_says_what_to_write() {
        for (text, told) in [
            ("3/5", "a fraction needs quotes: \"3/5\""),
            (".6  # P@5", "a digit before"),
            ("-.6", "a digit before"),
            ("1.", "a digit before"),
            ("0,5", "a point, not a comma"),
            ("group", "a word needs quotes: \"group\""),
            ("best seed", "a word needs quotes: \"best seed\""),
            ("", "has no value"),
            ("\"open", "write 0.25"),
            ("[a, b]", "write 0.25"),
        ] {
            let found = read_all(&format!("x = 1\n[q1]\np = {text}\nap = 0.5  # AP\n"));
            assert_eq!((&found[0].2, &found[2].2), (&Ok(Value::Integer(1)), &Ok(Value::Float(0.5))), "{text}");
            assert_eq!((found[1].0, found[1].1.as_deref()), (3, Some("q1.p")));
            assert!(found[1].2.as_ref().unwrap_err().contains(told), "{text}: {found:?}");
        }
    }

    #[test]
    fn lists_over_lines_and_broken_sections_are_read() {
        let found = read_all("[q1\na = [\n  \"x\",  # one\n  \"y\",\n]\nb = [1\nc = 2\nd 3\n[q2]\n\"e\" = true\n");
        let names: Vec<_> = found.iter().map(|(line, name, _)| (*line, name.as_deref())).collect();
        let [a, b, c, e] = ["q1.a", "q1.b", "q1.c", "q2.e"].map(Some);
        assert_eq!(names, [(1, None), (2, a), (6, b), (7, c), (8, None), (10, e)]);
        assert_eq!(found[1].2.as_ref().unwrap().as_array().unwrap().len(), 2);
        assert!(found[2].2.is_err() && found[3].2.is_ok() && found[5].2.is_ok());
        assert!(found[0].2.as_ref().unwrap_err().contains("write [q1]"), "{found:?}");
    }

    /// A file that is TOML reads the same in both ways.
    #[test]
    fn what_is_toml_is_read_as_toml() {
        let text = "w = \"a = b\"  # c\n[q1]\np = 0.25\nd = [\"x\", \"y\"]\n[q2]\np = -1e-3\n";
        let table: Table = text.parse().unwrap();
        let of = |name: &str| match name.split_once('.') {
            Some((section, key)) => table[section][key].clone(),
            None => table[name].clone(),
        };
        let found = entries(text);
        assert_eq!(found.len(), 4);
        found.iter().for_each(|entry| assert_eq!(entry.value, Ok(of(entry.name.as_ref().unwrap())), "{entry:?}"));
    }
}
