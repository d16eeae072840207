//! The ids of a line: of its query, of its document, and of its features if they do not rise.
//!
//! Nothing is copied: an id is a place in the text. The loop over the line reads the ids of
//! features. For features, this module holds only the search for a repeated id, which few lines
//! need.

use std::ops::Range;

use super::bytes::{blank, inner_return, next_line, significant, skip_blanks, value_end};
use super::faults::{Wrong, shown};

use crate::letor::error::ReadErrorKind;
use crate::text::{find_odd, find_odd_in_name, is_msvc_nan};

/// The place of TOKEN in `qid:TOKEN`.
pub(super) fn read_qid(text: &[u8], at: usize) -> Result<Range<usize>, Wrong> {
    let end = blank(text, at);
    let id = text[at..end].strip_prefix(b"qid:").unwrap_or_default();
    if !id.is_empty() && !is_msvc_nan(id) {
        return match find_odd(id) {
            Some((place, character)) => Err((at + 4 + place, ReadErrorKind::Odd { character })),
            None => Ok(at + 4..end),
        };
    }
    let found = if at == end { "the end of the line".to_owned() } else { format!("`{}`", shown(text, at)) };
    Err((at, ReadErrorKind::Qid { found }))
}

/// The document id of a comment that starts at `at`: X of `docid = X`, else the comment without
/// blanks at its ends.
pub(super) fn read_comment(text: &[u8], at: usize) -> Result<Range<usize>, Wrong> {
    let line_end = next_line(text, at) - 1;
    if let Some(place) = inner_return(text, at..line_end) {
        return Err((place, ReadErrorKind::CarriageReturns));
    }
    let trim = |range: Range<usize>| {
        let is_blank = |&&byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
        let start = range.start + text[range.clone()].iter().take_while(is_blank).count();
        start..range.end - text[start..range.end].iter().rev().take_while(is_blank).count()
    };
    let refuse = |found: Option<(usize, char)>, start: usize| {
        found.map_or(Ok(()), |(place, character)| Err((start + place, ReadErrorKind::Odd { character })))
    };
    let comment = trim(at + 1..line_end);
    let rest = text[comment.clone()].strip_prefix(b"docid").map(|rest| trim(comment.end - rest.len()..comment.end));
    if let Some(after) = rest.as_ref().filter(|after| text[(*after).clone()].first() == Some(&b'=')) {
        let value = trim(after.start + 1..comment.end);
        let id = value.start..blank(text, value.start).min(value.end);
        refuse(find_odd(&text[id.clone()]), id.start)?;
        return Ok(id);
    }
    // An odd blank must not hide `docid =`. A comment that does not begin so is a name.
    if let Some(after) = rest {
        refuse(find_odd(&text[after.clone()]).filter(|(place, _)| *place == 0), after.start)?;
    }
    refuse(find_odd_in_name(&text[comment.clone()]), comment.start)?;
    Ok(comment)
}

/// The place of the first id that repeats an earlier id, in the features from `at` on. The search
/// ends at the first token that is no feature; the loop over the line reports that token.
#[cold]
pub(super) fn first_repeated(text: &[u8], mut at: usize) -> Option<usize> {
    let mut ids: Vec<(&[u8], usize)> = Vec::new();
    loop {
        at = skip_blanks(text, at);
        let digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || text[at + digits] != b':' {
            break;
        }
        ids.push((significant(&text[at..at + digits]), at));
        at = value_end(text, at + digits + 1);
    }
    ids.sort_unstable();
    ids.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).min()
}

#[cfg(test)]
mod tests {
    use super::super::tests::block;
    use crate::ReadOptions;

    #[test]
    fn document_ids_of_comments() {
        for (comment, id) in [
            ("#docid = GX008-86-4444840 inc = 1 prob = 0.086622", "GX008-86-4444840"),
            ("# docid = X", "X"),
            ("# docid = X inc = 1", "X"),
            ("#docid=X\t", "X"),
            ("# docid", "docid"),
            ("# docidx = 3", "docidx = 3"),
            ("#  some text ", "some text"),
            ("#", ""),
            ("# docid = ", ""),
        ] {
            let block = block(&format!("0 qid:1 1:2{comment}\n"), &ReadOptions::default());
            assert_eq!(std::str::from_utf8(block.bytes(&block.rows[0].doc_id)), Ok(id), "{comment}");
        }
    }

    /// The readers of SVMlight take ids in any order.
    #[test]
    fn ids_may_stand_in_any_order_and_have_zeros_before_them() {
        let text = "0 qid:1 3:3 1:1 2:2 # a\n0 qid:1 1:1 2:2\n0 qid:1 2:5 0000000000001:4 3:1\n";
        let block = block(text, &ReadOptions::default());
        assert!(block.faults.is_empty());
        assert_eq!(
            block.rows.iter().map(|row| (row.unsorted, row.width)).collect::<Vec<_>>(),
            [(true, 3), (false, 2), (true, 3)]
        );
        assert_eq!(block.matrix.finish().0, [1.0, 2.0, 3.0, 1.0, 2.0, 0.0, 4.0, 5.0, 1.0]);
    }

    /// 100,000 ids that fall along the line: each id is compared with a few others, not with all
    /// others.
    #[test]
    fn a_long_line_of_falling_ids_is_read() {
        let ids = (1..=100_000).rev().map(|id| format!(" {id}:1")).collect::<String>();
        let block = block(&format!("0 qid:1{ids}\n"), &ReadOptions::default());
        assert!(block.faults.is_empty() && block.matrix.finish().0.iter().all(|&value| value == 1.0));
    }
}
