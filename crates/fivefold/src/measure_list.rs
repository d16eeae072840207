//! Lists of measures on the command line. Every command reads them alike: `--measures ap,ndcg@10`
//! and `--measure ap ndcg@10` are the same list.
//!
//! A comma separates measures. Within parentheses, a comma separates the parameters of one measure.

use fivefold_metrics::spec::old_names;
use fivefold_metrics::spelling::split;
use fivefold_metrics::{Conventions, DIALECTS, MeasureSpec, spelling};

use crate::old_words;
use crate::problem::Problem;
use crate::screen::tell;

/// Parses a list of measures, which may be separated by commas or given as several values. A note
/// says how a name of another program is read, which can depend on the conventions in force.
///
/// # Errors
/// Fails if a name is not a measure.
pub(crate) fn measures(values: &[String], in_force: &Conventions) -> miette::Result<Vec<MeasureSpec>> {
    values.iter().flat_map(|value| split(value)).map(|name| measure(name, in_force)).collect()
}

/// Parses one measure, as [`measures`] does.
///
/// # Errors
/// Fails if the name is not a measure.
pub(crate) fn measure(name: &str, in_force: &Conventions) -> miette::Result<MeasureSpec> {
    old_words::tell_once(old_names(name));
    let reading = spelling::read(name, in_force).map_err(Problem::from)?;
    if let Some(note) = reading.note {
        tell(format_args!("note: {note}"));
    }
    Ok(reading.spec)
}

/// The names in a list of measures, which may also be columns of another program's values. A value
/// is split at its commas only if all parts are measures that can be read, because the name of a
/// column may contain a comma.
pub(crate) fn names(values: &[String]) -> Vec<String> {
    let paper = DIALECTS[0].conventions();
    let known = |value: &str| split(value).all(|name| spelling::read(name, &paper).is_ok());
    let names = values.iter().map(|value| if known(value) { split(value).collect() } else { vec![value.as_str()] });
    names.flatten().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    fn paper() -> Conventions {
        fivefold_metrics::dialect("paper").unwrap().conventions()
    }

    #[test]
    fn commas_and_several_values_list_the_same_measures() {
        let expected = ["ndcg@10", "ap.v2(denominator=cutoff,upper=ideal)@5", "rr"];
        for values in [
            &["ndcg@10, ap.v2(denominator=cutoff,upper=ideal)@5,rr"][..],
            &["ndcg@10", "ap.v2(denominator=cutoff,upper=ideal)@5", "rr"],
            &["ndcg@10", "ap.v2(denominator=cutoff,upper=ideal)@5,rr"],
        ] {
            let values = owned(values);
            let parsed: Vec<String> = measures(&values, &paper()).unwrap().iter().map(ToString::to_string).collect();
            assert_eq!(parsed, expected);
            assert_eq!(names(&values), expected);
        }
        assert!(measures(&owned(&["ndcg@10,,rr"]), &paper()).is_err());
    }

    #[test]
    fn a_comma_in_the_name_of_another_programs_measure_separates_nothing() {
        assert_eq!(names(&owned(&["P@10, judged only", "ap,rr"])), ["P@10, judged only", "ap", "rr"]);
    }
}
