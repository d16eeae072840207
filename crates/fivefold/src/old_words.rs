//! Commands, options and shipped experiments that were renamed. The old words still work, and a
//! note tells the new word once.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

use fivefold_base::renamed::{self, Renamed};

use crate::screen::tell;

/// Renamed commands.
const COMMANDS: &[Renamed] = &[Renamed::new("meta", "compare")];

/// Renamed options of any command.
const OPTIONS: &[Renamed] = &[Renamed::new("--gmax", "--err-max-grade")];

/// Renamed experiments that come with the program.
const SHIPPED: &[Renamed] = &[
    Renamed::new("meta-trec8", "compare-trec8"),
    Renamed::new("meta-dl19", "compare-dl19"),
    Renamed::new("meta-mq2008-systems", "compare-mq2008-systems"),
];

/// Notes that were already printed.
static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Prints the note of each word whose note was not printed before.
pub(crate) fn tell_once<'w>(words: impl IntoIterator<Item = &'w Renamed>) {
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    for note in words.into_iter().map(Renamed::note) {
        if told.insert(note.clone()) {
            tell(format_args!("note: {note}"));
        }
    }
}

/// Returns the present name of a shipped experiment; `name` may be an old name.
pub(crate) fn shipped(name: &str) -> &str {
    tell_once(renamed::find(SHIPPED, name));
    renamed::new_name(SHIPPED, name)
}

/// Returns the command line with new words instead of old words: the command, and the options
/// before `--`.
pub(crate) fn replace(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut met: Vec<&Renamed> = Vec::new();
    let (mut command, mut options) = (false, true);
    let new = arguments.into_iter().enumerate().map(|(place, argument)| {
        let Some(word) = argument.to_str().filter(|_| place > 0) else { return argument };
        options &= word != "--";
        let list = if word.starts_with('-') { OPTIONS } else { COMMANDS };
        let (name, rest) = word.split_once('=').map_or((word, None), |(name, rest)| (name, Some(rest)));
        let is_command = !word.starts_with('-') && !std::mem::replace(&mut command, true);
        match renamed::find(list, name).filter(|_| options && (word.starts_with('-') || is_command)) {
            Some(found) => {
                met.push(found);
                rest.map_or_else(|| found.new.into(), |rest| format!("{}={rest}", found.new).into())
            }
            None => argument,
        }
    });
    let new = new.collect();
    tell_once(met);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_words_become_new_ones_where_they_are_commands_and_options() {
        let replaced = |line: &str| -> String {
            let words = replace(line.split(' ').map(OsString::from).collect());
            words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(replaced("fivefold meta meta --gmax 4"), "fivefold compare meta --err-max-grade 4");
        assert_eq!(replaced("fivefold eval --gmax=4 -- --gmax"), "fivefold eval --err-max-grade=4 -- --gmax");
        assert_eq!(replaced("meta report meta"), "meta report meta");
        assert_eq!(replaced("fivefold --memory 1GiB compare x"), "fivefold --memory 1GiB compare x");
    }

    #[test]
    fn old_names_of_experiments_lead_to_shipped_ones() {
        for renamed in SHIPPED {
            assert!(crate::shipped::names().contains(&renamed.new), "{renamed:?}");
        }
    }
}
