//! Golden models: a test fails if a ranker makes another model and its `VERSION` was not raised.
//!
//! The test is for rankers that are registered [by their version](crate::RankerEntry::by_version):
//! stored results hold the version in place of a hash of the code. If the code of such a ranker
//! changes and its `VERSION` does not, stored results are stale and nobody sees it. So the test
//! fits each ranker under its cases, and with each change of a case. A file keeps one line for each
//! fit: the version, a hash of the fit's input, and a hash of the model with its scores. Lines are
//! compared if the hash of the input (parameters, data, seed) is the same. So a new parameter, or
//! another default, needs no new version.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::trial::{Fitted, SEED, make, scores, test, train, validation, with};
use super::{Case, guarded};
use crate::params::with_keys;
use crate::registry::DynRanker;
use crate::{Dataset, FitContext, JudgedQuery, RankerEntry, Seed};

/// The environment variable that lets [`check_golden`] write the file anew, if set to `1`.
pub const UPDATE: &str = "FIVEFOLD_UPDATE_GOLDEN";

const HEAD: &str = "# Hashes of models that rankers make of a small collection: ranker, VERSION, hash of what the fit is given, hash of the\n\
    # model and its scores, parameters. CONTRIBUTING.md (\"When a ranker makes another model\") says when and how to update.\n";
/// Hexadecimal digits of a hash.
const DIGITS: usize = 16;

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    version: u32,
    model: String,
    params: String,
}

/// Lines by ranker and by hash of the fit's input.
type Lines = BTreeMap<(String, String), Line>;

/// Fails a test if a ranker makes another model than the file says, at the same `VERSION`. The
/// message tells how to go on. With [`UPDATE`] set to `1`, the file is written anew, unless a model
/// changed and its version did not.
///
/// # Panics
/// If a model is not the model of the file, or if the file cannot be read or written.
pub fn check_golden(entries: &[RankerEntry], cases: &[Case], file: &Path) {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let old = parse(&text).unwrap_or_else(|line| panic!("{}: no line of golden models: {line}", file.display()));
    let new = lines(entries, cases);
    let unraised = unraised(&old, &new);
    assert!(
        unraised.is_empty(),
        "rankers make other models of the same parameters, data and seed, and their VERSION is as it was:\n{}\n\
         A run would reuse stored results of the old code. If the change is meant, raise `VERSION` of each ranker by 1, then \
         write {} anew: run this test with {UPDATE}=1. If the change is not meant, find its cause.",
        unraised.join("\n"),
        file.display(),
    );
    if old == new {
        return;
    }
    if std::env::var(UPDATE).is_ok_and(|value| value == "1") {
        std::fs::write(file, render(&new)).unwrap_or_else(|error| panic!("cannot write {}: {error}", file.display()));
        return;
    }
    let of = |lines: &Lines, others: &Lines| -> Vec<String> {
        let other = lines.iter().filter(|(key, line)| others.get(key) != Some(line));
        other.map(|((ranker, _), line)| format!("  {ranker} {} ({})", line.version, line.params)).collect()
    };
    panic!(
        "{} is not up to date (versions raised, parameters or cases changed); write the file anew: run this test with {UPDATE}=1.\n\
         new:\n{}\nno longer:\n{}",
        file.display(),
        of(&new, &old).join("\n"),
        of(&old, &new).join("\n"),
    );
}

/// Fits that give another model although the version was not raised.
fn unraised(old: &Lines, new: &Lines) -> Vec<String> {
    let changed = new.iter().filter(|(key, line)| {
        old.get(*key).is_some_and(|before| before.model != line.model && before.version >= line.version)
    });
    changed.map(|((ranker, _), line)| format!("  {ranker}, VERSION {}: {}", line.version, line.params)).collect()
}

/// One line for each case, with and without a validation part, and one for each change of a case. A
/// failed fit has a line too: its error is its result.
fn lines(entries: &[RankerEntry], cases: &[Case]) -> Lines {
    let mut lines = Lines::new();
    for case in cases {
        let entry = entries.iter().find(|entry| entry.name == case.name);
        let entry = entry.unwrap_or_else(|| panic!("there is a case for `{}`, but no ranker of that name", case.name));
        let changed = case.changes.iter().map(|(name, value, _)| (with(case.params, name, value), true));
        let unchanged = [true, false].map(|validated| (case.params.to_owned(), validated));
        for (params, validated) in unchanged.into_iter().chain(changed) {
            let ranker = make(entry, &params).unwrap_or_else(|error| panic!("{error}"));
            // Parameters have their old names, as in the keys of jobs. So a renamed parameter is
            // not another parameter.
            let key = with_keys(&ranker.params(), entry.renamed.iter().map(|word| (word.new, word.old)));
            let given = format!("{key}{validated}{}", digest_of_data());
            let model = match guarded(|| fit_with(&*ranker, validated)) {
                Ok(fitted) => digest(&fitted),
                Err(error) => error,
            };
            let mut shown = params.trim().replace('\n', ", ");
            if !validated {
                shown += " (without validation part)";
            }
            let line = Line { version: entry.version, model: short(model.as_bytes()), params: shown.trim().to_owned() };
            lines.entry((entry.name.to_owned(), short(given.as_bytes()))).or_insert(line);
        }
    }
    lines
}

fn fit_with(ranker: &dyn DynRanker, validated: bool) -> Result<Fitted, String> {
    let validation = validation();
    let mut context = FitContext::new(Seed::new(SEED));
    if validated {
        context = context.with_validation(&validation);
    }
    let model = ranker.fit(&train(), &context).map_err(|error| error.to_string())?;
    let json = model.to_json().map_err(|error| error.to_string())?.to_string();
    Ok(Fitted { model, json })
}

fn digest(fitted: &Fitted) -> String {
    let bits = scores(&*fitted.model, &test()).concat().into_iter().map(|score| format!("{:016x}", score.to_bits()));
    fitted.json.clone() + &bits.collect::<String>()
}

/// Hash of a fit's input besides its parameters: the data and the seed.
fn digest_of_data() -> String {
    let of = |data: Dataset| -> String {
        let query = |query: JudgedQuery<'_>| format!("{} {:?} {:?};", query.id(), query.grades(), query.features());
        data.queries().map(query).collect()
    };
    short([of(train()), of(validation()), of(test()), SEED.to_string()].concat().as_bytes())
}

fn short(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..DIGITS].to_owned()
}

fn render(lines: &Lines) -> String {
    let mut text = HEAD.to_owned();
    for ((ranker, given), Line { version, model, params }) in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", format!("{ranker} {version} {given} {model} {params}").trim_end());
    }
    text
}

/// The lines of the file. The error is the first line that cannot be read.
fn parse(text: &str) -> Result<Lines, String> {
    let mut lines = Lines::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.splitn(5, ' ');
        let mut word = || words.next().map(str::to_owned);
        let (Some(ranker), Some(version), Some(given), Some(model)) = (word(), word(), word(), word()) else {
            return Err(line.to_owned());
        };
        let version = version.parse().map_err(|_| line.to_owned())?;
        lines.insert((ranker, given), Line { version, model, params: word().unwrap_or_default() });
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entries: &[(&str, &str, u32, &str)]) -> Lines {
        let line = |&(ranker, given, version, model): &(&str, &str, u32, &str)| {
            let line = Line { version, model: model.to_owned(), params: "a = 1, b = 'x y'".to_owned() };
            ((ranker.to_owned(), given.to_owned()), line)
        };
        entries.iter().map(line).collect()
    }

    #[test]
    fn another_model_needs_another_version_and_other_parameters_do_not() {
        let old = of(&[("tree", "g1", 2, "m1"), ("tree", "g2", 2, "m2")]);
        assert_eq!(parse(&render(&old)).unwrap(), old);
        assert!(unraised(&old, &of(&[("tree", "g1", 2, "m1")])).is_empty());
        assert!(unraised(&old, &of(&[("tree", "g1", 3, "m9"), ("tree", "g3", 2, "m9")])).is_empty());
        // The version is the same, or older.
        for version in [1, 2] {
            let found = unraised(&old, &of(&[("tree", "g1", 2, "m1"), ("tree", "g2", version, "m9")]));
            assert_eq!(found, [format!("  tree, VERSION {version}: a = 1, b = 'x y'")]);
        }
        assert_eq!(parse("tree one g m").unwrap_err(), "tree one g m");
    }
}
