//! Writes a data set as LETOR text that [`read_letor`](crate::read_letor) reads back bit for bit.

use std::io::{self, Write};

use fivefold_core::Dataset;

use crate::text::{find_odd, find_odd_in_name};

/// Writes every document with all its features, with ids that count from 1. Numbers have the
/// shortest form that reads back as the same `f32`. Document ids are written as `#docid = X`.
///
/// ```
/// use fivefold_base::Dataset;
/// use fivefold_data::write_letor;
///
/// let mut text = Vec::new();
/// write_letor(&Dataset::of_queries(2, [(&[0.5, 3.0][..], &[1][..])])?, &mut text)?;
/// assert_eq!(String::from_utf8(text)?, "1 qid:1 1:0.5 2:3\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of `out`. [`io::ErrorKind::InvalidInput`] if a feature is not finite, or if an id
/// would not read back. An id does not read back if the id is empty or has a character that readers
/// refuse. The same holds for a query id with a blank, and for a document id with a line break or
/// with blanks at its ends.
pub fn write_letor(data: &Dataset, out: &mut impl Write) -> io::Result<()> {
    write(data, None, out, |grade| grade)
}

/// Like [`write_letor`], with grade 0 in every line, for readers who must not know the grades.
///
/// # Errors
/// As [`write_letor`].
pub fn write_letor_ungraded(data: &Dataset, out: &mut impl Write) -> io::Result<()> {
    write(data, None, out, |_| 0)
}

/// Like [`write_letor`], but only the features of these columns, from 0, are written. The features
/// keep their ids. `graded` says whether the lines have the grades, or 0.
///
/// # Errors
/// As [`write_letor`].
pub fn write_letor_columns(data: &Dataset, columns: &[usize], graded: bool, out: &mut impl Write) -> io::Result<()> {
    write(data, Some(columns), out, if graded { |grade| grade } else { |_| 0 })
}

fn write(data: &Dataset, columns: Option<&[usize]>, out: &mut impl Write, shown: fn(u8) -> u8) -> io::Result<()> {
    let left_out = |column: usize| columns.is_some_and(|columns| columns.binary_search(&column).is_err());
    let refuse = |what: String| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    for query in data.queries() {
        let qid = query.id();
        if qid.is_empty() || qid.contains([' ', '\t']) || find_odd(qid.as_bytes()).is_some() {
            return refuse(format!("query id {qid:?} cannot be written as LETOR text"));
        }
        for (row, (features, grade)) in query.rows().zip(query.grades()).enumerate() {
            write!(out, "{} qid:{qid}", shown(*grade))?;
            for (column, value) in features.iter().enumerate().filter(|(column, _)| !left_out(*column)) {
                let id = column + 1;
                if !value.is_finite() {
                    return refuse(format!("feature {id} of query {qid:?} is {value}"));
                }
                write!(out, " {id}:{value}")?;
            }
            match query.doc_id(row) {
                None => writeln!(out)?,
                Some(id) if id.is_empty() || id != id.trim_ascii() || find_odd_in_name(id.as_bytes()).is_some() => {
                    return refuse(format!("document id {id:?} of query {qid:?} cannot be written as LETOR text"));
                }
                Some(id) if id.contains([' ', '\t']) || find_odd(id.as_bytes()).is_some() => writeln!(out, " # {id}")?,
                Some(id) => writeln!(out, " #docid = {id}")?,
            }
        }
    }
    Ok(())
}
