//! Output that a page keeps, compared with what a command printed.

/// A line of a kept output that stands for any number of lines; within a line, for any text.
const ANY: &str = "...";
/// Longer output is written into a page without its middle.
const LONGEST: usize = 40;
const FIRST: usize = 18;
const LAST: usize = 6;

/// Whether an output is as kept.
pub fn fits(kept: &str, output: &str) -> bool {
    let kept: Vec<&str> = kept.trim_end().lines().map(str::trim_end).collect();
    let output: Vec<&str> = output.trim_end().lines().map(str::trim_end).collect();
    lines_fit(&kept, &output)
}

fn lines_fit(kept: &[&str], output: &[&str]) -> bool {
    // The state after each kept line: at which lines of the output one may be.
    let mut at = vec![false; output.len() + 1];
    at[0] = true;
    for line in kept {
        let mut next = vec![false; output.len() + 1];
        if line.trim() == ANY {
            let first = at.iter().position(|&is| is).unwrap_or(output.len() + 1);
            next.iter_mut().skip(first).for_each(|is| *is = true);
        } else {
            for place in (0..output.len()).filter(|&place| at[place]) {
                next[place + 1] |= line_fits(line, output[place]);
            }
        }
        at = next;
    }
    at[output.len()]
}

fn line_fits(kept: &str, line: &str) -> bool {
    if kept == line {
        return true;
    }
    let parts: Vec<&str> = kept.split(ANY).collect();
    let [first, middle @ .., last] = parts.as_slice() else { return false };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in middle {
        let Some(place) = rest.find(part) else { return false };
        rest = &rest[place + part.len()..];
    }
    rest.ends_with(last)
}

/// An output as a page keeps it.
pub fn shortened(output: &str) -> String {
    let lines: Vec<&str> = output.trim_end().lines().map(str::trim_end).collect();
    let mut kept = lines.clone();
    if lines.len() > LONGEST {
        kept = [&lines[..FIRST], &[ANY], &lines[lines.len() - LAST..]].concat();
    }
    kept.join("\n") + "\n"
}

/// The first line that differs, for a message.
pub fn difference(kept: &str, output: &str) -> String {
    format!("kept:\n{}\nprinted:\n{}", indented(kept), indented(output))
}

fn indented(text: &str) -> String {
    text.trim_end().lines().map(|line| format!("    {line}\n")).collect::<String>().trim_end().to_owned()
}
