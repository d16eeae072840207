//! Writes a data set as LETOR text that [`read_letor`](crate::read_letor) reads back bit for bit.

use std::io::{self, Write};

use fivefold_core::Dataset;

use crate::text::{find_odd, find_odd_in_name};

/// Writes every document with all its features, ids counted from 1, numbers in the shortest form that reads back as the
/// same `f32`; document ids as `#docid = X`.
///
/// # Errors
/// Those of `out`; [`io::ErrorKind::InvalidInput`] if an id cannot be written so that it reads back (an empty one, a query
/// id with a blank, a document id with a line break or with blanks at its ends, characters that readers refuse), or a feature is not finite.
pub fn write_letor(data: &Dataset, out: &mut impl Write) -> io::Result<()> {
    write(data, out, |grade| grade)
}

/// [`write_letor`] with grade 0 everywhere, for readers who must not know the grades.
///
/// # Errors
/// The same.
pub fn write_letor_ungraded(data: &Dataset, out: &mut impl Write) -> io::Result<()> {
    write(data, out, |_| 0)
}

fn write(data: &Dataset, out: &mut impl Write, shown: fn(u8) -> u8) -> io::Result<()> {
    let refuse = |what: String| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    for query in data.queries() {
        let qid = query.id();
        if qid.is_empty() || qid.contains([' ', '\t']) || find_odd(qid.as_bytes()).is_some() {
            return refuse(format!("query id {qid:?} cannot be written as LETOR text"));
        }
        for (row, (features, grade)) in query.rows().zip(query.grades()).enumerate() {
            write!(out, "{} qid:{qid}", shown(*grade))?;
            for (id, value) in (1..).zip(features) {
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
