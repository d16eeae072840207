//! Fuzz target for per-query values.
//!
//! - A file is read in its recognised format, and in every format by name.
//! - Values that are printed as triples and read again are the same.
//! - Systems are joined, and each policy for missing queries leaves no gap.

use fivefold_data::per_query::{FORMATS, MissingQuery, PerQueryOptions, SystemValues, read};

use crate::files::{file, is_packed};

pub(crate) fn run(bytes: &[u8]) {
    if is_packed(bytes) {
        return;
    }
    let path = file("values", bytes);
    let named = FORMATS.iter().map(|format| Some(format.name.to_owned()));
    for format in [None].into_iter().chain(named) {
        let Ok(values) = read(&path, &PerQueryOptions { format, ..PerQueryOptions::default() }) else { continue };
        let size = values.measures.len() * values.systems.len() * values.queries.len();
        assert_eq!((values.values.len(), values.undefined.len()), (size, size));
        assert!(values.values.iter().all(|value| !value.is_infinite()));
        read_back(&values);
        let mut other = values.clone();
        other.systems.iter_mut().for_each(|system| system.push_str(" (other)"));
        let Ok(joined) = SystemValues::join(vec![values, other]) else { continue };
        for policy in MissingQuery::ALL {
            if let Ok((settled, _)) = joined.clone().settle(policy) {
                let missing =
                    settled.values.iter().zip(&settled.undefined).filter(|(v, undefined)| v.is_nan() && !**undefined);
                assert_eq!(missing.count(), 0);
            }
        }
    }
}

/// Prints a system's values under all measures, as `query measure value`, and reads them back.
fn read_back(values: &SystemValues) {
    let is_token =
        |name: &String| !name.is_empty() && !name.contains(char::is_whitespace) && !name.starts_with('\u{feff}');
    if !values.queries.iter().chain(&values.measures).all(is_token)
        || values.queries.iter().any(|query| query == "runid")
    {
        return;
    }
    let mut text = String::new();
    for (measure, name) in values.measures.iter().enumerate() {
        for (query, value) in values.queries.iter().zip(values.of(measure, 0)) {
            if !value.is_nan() {
                text += &format!("{query} {name} {value:?}\n");
            }
        }
    }
    let options = PerQueryOptions { format: Some("ir_measures".to_owned()), ..PerQueryOptions::default() };
    let Ok(again) = read(&file("again", text.as_bytes()), &options) else {
        assert!(text.is_empty(), "{text}");
        return;
    };
    let find = |names: &[String], name: &String| names.iter().position(|other| other == name).unwrap();
    for (measure, name) in again.measures.iter().enumerate() {
        for (query, value) in again.queries.iter().zip(again.of(measure, 0)) {
            let before = values.of(find(&values.measures, name), 0)[find(&values.queries, query)];
            assert!(value.to_bits() == before.to_bits() || (value.is_nan() && before.is_nan()), "{name} {query}");
        }
    }
}
