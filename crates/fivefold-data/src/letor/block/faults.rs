//! Faults of a line: their places and messages.
//!
//! Correct lines never run this code. A message shows the token, cut short and printable.

use std::ops::Range;

use super::bytes::{blank, ends_line, significant, skip_blanks};
use crate::letor::error::ReadErrorKind;
use crate::letor::options::ReadOptions;
use crate::text::find_odd;

/// The fault that stopped a block.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Line within the block, from 0.
    pub(crate) line: u32,
    /// Column from 1, in bytes.
    pub(crate) column: usize,
    pub(crate) kind: ReadErrorKind,
}

/// A place in the text, and the fault there.
pub(super) type Wrong = (usize, ReadErrorKind);

/// Names the cause of a fault more clearly, if an odd character or a carriage return within the
/// line caused it. Other faults stay as they are.
#[cold]
pub(super) fn clearer(text: &[u8], (at, kind): Wrong) -> Wrong {
    let end = blank(text, at);
    match find_odd(&text[at..end]) {
        Some((place, character)) => (at + place, ReadErrorKind::Odd { character }),
        None if text[end] == b'\r' && !ends_line(text, end) => (end, ReadErrorKind::CarriageReturns),
        None => (at, kind),
    }
}

/// The column, from 1, that a place in the text has in the file. A query id that stands only in the
/// text does not count.
pub(super) fn column(text: &[u8], line: usize, place: usize, queries_given: bool) -> usize {
    let column = place - line + 1;
    let grade = skip_blanks(text, line);
    if !queries_given || matches!(text[grade], b'\n' | b'#' | b'\r') {
        return column;
    }
    let given = blank(text, grade);
    let end = blank(text, given + 1);
    match place {
        _ if place >= end => column - (end - given),
        _ => column.min(given - line + 1),
    }
}

/// The token at `at`, cut short and made printable for a message.
#[cold]
pub(super) fn shown(text: &[u8], at: usize) -> String {
    cut(&text[at..blank(text, at)])
}

fn cut(token: &[u8]) -> String {
    const LONGEST: usize = 40;
    let cut = &token[..token.len().min(LONGEST)];
    let dots = if cut.len() < token.len() { "..." } else { "" };
    format!("{}{dots}", String::from_utf8_lossy(cut).escape_debug())
}

#[cold]
pub(super) fn too_high(text: &[u8], token: Range<usize>, features: usize, options: &ReadOptions) -> ReadErrorKind {
    let last = features as u64 + u64::from(options.first_feature_id);
    ReadErrorKind::AboveLast { id: cut(significant(&text[token])), last: last.saturating_sub(1) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{block, fault};
    use super::super::{AfterFault, Block};
    use crate::ReadOptions;

    #[test]
    fn faults_name_line_and_column() {
        let cases = [
            ("0\n", 2, "found the end of the line where `qid:` and the query's id belong"),
            ("0 1:0.5\n", 3, "found `1:0.5` where `qid:` and the query's id belong"),
            ("0 qid: 1:0.5\n", 3, "found `qid:` where `qid:` and the query's id belong"),
            ("0 qid:1 x\n", 9, "found `x` where a feature `id:value` belongs"),
            ("0 qid:1 1 2\n", 9, "found `1` where a feature `id:value` belongs"),
            ("0 qid:1 -1:2\n", 9, "found `-1:2` where a feature `id:value` belongs"),
            ("0 qid:1 0:2\n", 9, "feature id 0 is below the first id, 1"),
            ("0 qid:1 1:2 1:3\n", 13, "feature id 1 stands on the line twice"),
            ("0 qid:1 3:2 2:3 4:1 3:3 2:1\n", 21, "feature id 3 stands on the line twice"),
            ("0 qid:1 3:2 2:x 3:3\n", 15, "value `x` of feature 2 is not a finite number that fits 32 bits"),
            ("0 qid:1 1:\n", 11, "value `` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 1: 5\n", 11, "value `` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 1:inf\n", 11, "value `inf` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 1:1e39\n", 11, "value `1e39` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 7:0.5x\n", 11, "value `0.5x` of feature 7 is not a finite number that fits 32 bits"),
            ("0 qid:1 7:NULL\n", 11, "feature 7 is missing (`NULL`)"),
            ("0 qid:1 100001:1\n", 9, "feature id 100001 is above the last id possible here, 100000"),
            ("0 qid:1 4294967298:1\n", 9, "feature id 4294967298 is above the last id possible here, 100000"),
            (
                "0 qid:1 018446744073709551617:1\n",
                9,
                "feature id 18446744073709551617 is above the last id possible here, 100000",
            ),
        ];
        for (text, column, message) in cases {
            let found = fault(&format!("1 qid:1 2:3\n\n{text}"), &ReadOptions::default());
            assert_eq!(found, (3, column, message.to_owned()), "{text}");
        }
        let declared = ReadOptions { features: Some(2), first_feature_id: 0, ..ReadOptions::default() };
        assert_eq!(fault("0 qid:1 0:1 2:1\n", &declared).2, "feature id 2 is above the last id possible here, 1");
    }

    #[test]
    fn lint_goes_on_after_a_fault() {
        let mut block = Block { text: b"1 qid:1 1:3\n0 qid:1 1:3 x\n0 qid:2 1:1\nx\n".to_vec(), ..Block::default() };
        block.parse(&ReadOptions::default(), AfterFault::GoOn);
        let lines = (block.rows.iter().map(|row| row.line), block.faults.iter().map(|fault| fault.line));
        assert_eq!((lines.0.collect::<Vec<_>>(), lines.1.collect::<Vec<_>>()), (vec![0, 2], vec![1, 3]));
        assert_eq!((block.matrix.rows(), block.lines, block.parsed), (2, 4, block.text.len()));
    }

    /// Lines of an old Mac: the whole file, and after the first line. Rows behind a comment would
    /// be lost.
    #[test]
    fn carriage_returns_within_lines_are_refused() {
        let named = "found a carriage return within the line".to_owned();
        for (text, column) in [
            ("1 qid:1 1:3\r0 qid:1 1:2\r\n", 12),
            ("# head\r1 qid:1 1:3\n", 7),
            ("1 qid:1 1:3 # a\r0 qid:1 1:2 # b\n", 16),
            ("1 qid:1 1:3 \r 2:1\n", 13),
            ("1\rqid:1 1:3\n", 2),
            ("1 qid:1\r1:3\n", 8),
            ("\r1 qid:1 1:3\n", 1),
        ] {
            assert_eq!(fault(text, &ReadOptions::default()), (1, column, named.clone()), "{text:?}");
        }
        let ends = block("1 qid:1 1:3\r\r\n\r\n# x\r\r\n0 qid:1\r\n0 qid:1 # d\r\r\n", &ReadOptions::default());
        assert_eq!((ends.rows.len(), ends.faults.len(), ends.bytes(&ends.rows[2].doc_id)), (3, 0, &b"d"[..]));
    }

    /// mosuka/litsea #99: an odd blank did not end the query id, which then swallowed the features.
    #[test]
    fn blanks_other_than_space_and_tab_are_refused_litsea_99() {
        for (text, column, character) in [
            ("1 qid:1\u{b}1:1\n", 8, "U+000B (vertical tab)"),
            ("0 qid:1\u{c}1:0\n", 8, "U+000C (form feed)"),
            ("1 qid:1\u{a0} 1:1\n", 8, "U+00A0 (no-break space)"),
            ("1 qid:1 1:1\u{a0}2:1\n", 12, "U+00A0 (no-break space)"),
            ("1 qid:1 \u{3000}1:1\n", 9, "U+3000 (ideographic space)"),
            ("1\u{2009}qid:1 1:1\n", 2, "U+2009 (thin space)"),
            ("\u{feff}1 qid:1 1:1\n", 1, "U+FEFF (byte order mark)"),
            ("1 qid:q\u{200b} 1:1\n", 8, "U+200B (zero-width space)"),
            ("1 qid:q\u{85} 1:1\n", 8, "U+0085 (next line)"),
            ("1 qid:a\0b 1:1\n", 8, "U+0000 (NUL)"),
            ("1 qid:1 1:1 # docid = D1\u{a0}inc = 1\n", 25, "U+00A0 (no-break space)"),
            ("1 qid:1 1:1 # docid\u{a0}= D1\n", 20, "U+00A0 (no-break space)"),
            ("1 qid:1 1:1 # D1\u{a0}\n", 17, "U+00A0 (no-break space)"),
            ("1 qid:1 1:1 # D1\u{c}D2\n", 17, "U+000C (form feed)"),
        ] {
            let found = fault(text, &ReadOptions::default());
            assert_eq!(found, (1, column, format!("found the character {character}")), "{text:?}");
        }
        // Odd characters do no harm in comments, nor within names that comments give; joiners are
        // parts of words.
        let text =
            "#\u{a0}head\u{b}\n1 qid:\u{645}\u{200c}\u{6cc} 1:1 # docid = D1 inc\u{a0}= 1\n0 qid:2 # prix\u{a0}: 5\n";
        let block = block(text, &ReadOptions::default());
        assert_eq!((block.rows.len(), block.faults.len()), (2, 0));
        assert_eq!(block.bytes(&block.rows[1].doc_id), "prix\u{a0}: 5".as_bytes());
    }
}
