//! Makes texts safe for a screen, a message or a spreadsheet.
//!
//! Some characters act instead of showing: control characters (among them the escape codes of
//! terminals) and characters that change the direction of the text after them. With such a
//! character a text can look other than it is. This module writes acting characters as escapes,
//! shortens quoted texts, and keeps a spreadsheet from running a text as a formula.

use std::borrow::Cow;

/// Whether a character acts on a screen instead of showing.
pub fn acts(c: char) -> bool {
    // Bidirectional marks, embeddings, overrides and isolates (Unicode Standard Annex 9), and line
    // separators.
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a text for a screen. Line ends and tabs stay; every other acting character becomes its
/// escape.
pub fn printable(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| acts(c) && !matches!(c, '\n' | '\t');
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if harmful(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Returns `text` with a blank in place of each character that acts: line ends, tabs, escape codes
/// and turns of direction. A hostile label may hold such characters.
pub fn one_line(text: &str) -> String {
    // Most texts are plain.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    text.chars().map(|c| if acts(c) { ' ' } else { c }).collect()
}

/// Returns a text for a cell of a spreadsheet. A text that a spreadsheet would run as a formula
/// gets an apostrophe before it. A formula that already has apostrophes before it gets one more, so
/// that [`formula`] gives back the text in both cases. Numbers stay as they are.
pub fn no_formula(text: &str) -> Cow<'_, str> {
    if would_run(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Returns the text that was given to [`no_formula`].
pub fn formula(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|_| would_run(cell)).unwrap_or(cell)
}

/// Whether a spreadsheet would run a text as a formula. Apostrophes before the text do not count.
fn would_run(text: &str) -> bool {
    let text = text.trim_start_matches('\'');
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && text.parse::<f64>().is_err()
}

/// The number of characters that a message shows of a piece of a file.
const SHOWN: usize = 40;

/// Returns a piece of a file for a message, whatever the piece holds: its first 40 characters, with
/// dots if the piece is longer.
///
/// ```
/// use fivefold_base::printable::shown;
///
/// assert_eq!(shown("12,5"), "12,5");
/// assert_eq!(shown(&"x".repeat(50)), format!("{}...", "x".repeat(40)));
/// ```
pub fn shown(text: &str) -> String {
    let end = text.char_indices().nth(SHOWN).map(|(end, _)| end);
    let escape = |text: &str| {
        let act = |c: char| if acts(c) { c.escape_default().collect() } else { c.to_string() };
        text.chars().map(act).collect::<String>()
    };
    match end {
        Some(end) => format!("{}...", escape(&text[..end])),
        None => escape(text),
    }
}

/// The number of characters that are shown from the start of a long message, and from its end.
const HEAD: usize = 160;
const TAIL: usize = 80;

/// Shortens a message of another library that may quote a file at any length, as messages of serde
/// do. The start and the end stay; the end names the place in the file.
pub fn bounded(message: &str) -> String {
    let place = |number: usize| message.char_indices().nth(number).map(|(place, _)| place);
    let last = message.char_indices().rev().nth(TAIL - 1).map(|(place, _)| place);
    match (place(HEAD), place(HEAD + TAIL), last) {
        (Some(head), Some(_), Some(tail)) => format!("{}...{}", &message[..head], &message[tail..]),
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_shown_as_its_escape() {
        assert_eq!(printable("a\tb\nü−"), "a\tb\nü−");
        assert_eq!(printable("\u{1b}[2J\r\u{202e}x\u{9b}"), "\\u{1b}[2J\\r\\u{202e}x\\u{9b}");
    }

    #[test]
    fn a_line_has_a_blank_in_place_of_what_acts() {
        let byte_by_byte = |text: &str| text.chars().map(|c| if acts(c) { ' ' } else { c }).collect::<String>();
        for c in ('\0'..='\u{3000}').map(|c| format!("a{c}ü b")).chain(('\0'..='\u{ff}').map(String::from)) {
            assert_eq!(one_line(&c), byte_by_byte(&c), "{c:?}");
        }
        assert_eq!(one_line("a\tb\r\n\u{1b}[0m\u{7f}\u{202e}é"), "a b   [0m  é");
    }

    #[test]
    fn messages_have_an_end() {
        assert_eq!(shown(&format!("a\u{1b}{}", "é".repeat(100))), format!("a\\u{{1b}}{}...", "é".repeat(38)));
        let message = format!("invalid type: string \"{}\", expected a sequence at line 1 column 7", "é".repeat(1000));
        let short = bounded(&message);
        assert_eq!(short.chars().count(), HEAD + 3 + TAIL);
        assert!(
            short.starts_with("invalid type: string \"é") && short.ends_with("expected a sequence at line 1 column 7")
        );
        assert_eq!(bounded("short"), "short");
    }

    #[test]
    fn what_a_spreadsheet_would_run_is_guarded() {
        for text in ["=1+1", "+a", "-a", "@SUM(A1)", "@", "@10", "\t=1", "\r=1", "\n=1", "-", "+1+cmd|' /C calc'!A0"] {
            assert_eq!(no_formula(text), format!("'{text}"));
        }
        for text in ["=1", "'=1", "''=1", "'a", "'", "-0.5", "'-0.5", "-q7", "'-q7", "a", ""] {
            assert_eq!(formula(&no_formula(text)), text);
        }
        for text in ["a=b", "ndcg@10", "-0.5", "+1", "-inf", "", " =1"] {
            assert_eq!(no_formula(text), text);
        }
    }
}
