//! The three experiments. An experiment says which systems the user has seen before a system.
//!
//! - chronological: every earlier system;
//! - leave-one-out: all other systems;
//! - grouped: the best system of every other group, so that variants of a system do not hide each
//!   other's gain.

use fivefold_base::words::nearest;
use serde::{Deserialize, Serialize};

use crate::study::StudyError;

/// The rule by which a system is earlier than another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// By place in the input.
    #[default]
    Input,
    /// By the first time stamp in the name. Its form is YYYY-MM-DDThh-mm-ss, with `-`, `:` or `_`
    /// between the digits of the time, and with or without fractions of the second.
    Timestamp,
}

/// An experiment: for each system, the systems that the user has seen before.
#[derive(Debug, Clone, PartialEq)]
pub struct PriorSystems {
    /// The name in tables and files.
    pub name: &'static str,
    /// The systems before a system, in words.
    pub before: &'static str,
    /// `priors[s]`: the systems before system `s`.
    pub priors: Vec<Vec<usize>>,
}

/// Systems in the order of time.
///
/// # Errors
/// A name without a time stamp, if time stamps make the order.
pub fn chronology(names: &[String], order: Order) -> Result<Vec<usize>, StudyError> {
    let mut systems: Vec<usize> = (0..names.len()).collect();
    if order == Order::Timestamp {
        let stamp = |name: &String| {
            time_stamp(name).ok_or_else(|| {
                let what = format!("`{name}` has no time stamp like 2023-09-13T11-58-44, by which systems are ordered");
                StudyError::Input(format!("{what}; leave out `order` to take the order of the input"))
            })
        };
        let stamps = names.iter().map(stamp).collect::<Result<Vec<String>, _>>()?;
        systems.sort_by(|&a, &b| stamps[a].cmp(&stamps[b]));
    }
    Ok(systems)
}

/// The digits of the first time stamp in a text, with the digits of the fraction of its second. The
/// result sorts as text.
fn time_stamp(text: &str) -> Option<String> {
    const FORM: &[u8] = b"0000-00-00T00-00-00";
    let fits = |(found, form): (&u8, &u8)| match form {
        b'0' => found.is_ascii_digit(),
        b'T' => matches!(found, b'T' | b't' | b'_' | b' '),
        _ => matches!(found, b'-' | b':' | b'_'),
    };
    let bytes = text.as_bytes();
    let start = bytes.windows(FORM.len()).position(|window| window.iter().zip(FORM).all(fits))?;
    let (stamp, rest) = bytes[start..].split_at(FORM.len());
    let fraction = rest.strip_prefix(b".").unwrap_or_default();
    let digits = stamp.iter().filter(|byte| byte.is_ascii_digit());
    Some(digits.chain(fraction.iter().take_while(|byte| byte.is_ascii_digit())).map(|&byte| char::from(byte)).collect())
}

/// The group of each system, as a number of `groups`. The group is the longest text with which the
/// system's name begins.
///
/// # Errors
/// A system without a group.
pub fn group_of(names: &[String], groups: &[String]) -> Result<Vec<usize>, StudyError> {
    let find = |name: &String| {
        let own = (0..groups.len()).filter(|&group| name.starts_with(&groups[group]));
        own.max_by_key(|&group| groups[group].len()).ok_or_else(|| {
            let near = nearest(name, groups.iter().map(String::as_str));
            let near = near.map_or_else(String::new, |near| format!("; the nearest is `{near}`"));
            StudyError::Input(format!("the name `{name}` begins with no entry of `groups`{near}"))
        })
    };
    names.iter().map(find).collect()
}

/// The best system of each group by these means; the first, if several are equal. `None` for a
/// group without systems.
pub fn best_of_groups(group_of: &[usize], groups: usize, means: &[f64]) -> Vec<Option<usize>> {
    let mut best: Vec<Option<usize>> = vec![None; groups];
    for (system, &group) in group_of.iter().enumerate() {
        if best[group].is_none_or(|best| means[system] > means[best]) {
            best[group] = Some(system);
        }
    }
    best
}

/// Each system after every earlier system in `chronology`.
pub fn chronological(chronology: &[usize]) -> PriorSystems {
    let mut priors = vec![Vec::new(); chronology.len()];
    for (place, &system) in chronology.iter().enumerate() {
        priors[system] = chronology[..place].to_vec();
    }
    PriorSystems { name: "chronological", before: "every earlier system", priors }
}

/// Each system after all other systems.
pub fn leave_one_out(systems: usize) -> PriorSystems {
    let others = |system| (0..systems).filter(|&other| other != system).collect();
    PriorSystems { name: "leave-one-out", before: "all others", priors: (0..systems).map(others).collect() }
}

/// Each system after the best system of every other group.
pub fn grouped(group_of: &[usize], best: &[Option<usize>]) -> PriorSystems {
    let others = |&own: &usize| {
        let best = best.iter().enumerate().filter(|(group, _)| *group != own);
        best.filter_map(|(_, best)| *best).collect()
    };
    let priors = group_of.iter().map(others).collect();
    PriorSystems { name: "grouped", before: "the best system of every other group", priors }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn systems_come_in_the_order_of_their_time_stamps() {
        let all = names(&["b_2023-09-13T11-58-44.290501", "a_2023-08-04T23:26:51", "c_2023-09-13T11-58-44.29.txt"]);
        assert_eq!(chronology(&all, Order::Input).unwrap(), [0, 1, 2]);
        assert_eq!(chronology(&all, Order::Timestamp).unwrap(), [1, 2, 0]);
        let error = chronology(&names(&["2023-09-13"]), Order::Timestamp).unwrap_err().to_string();
        assert!(error.contains("no time stamp"), "{error}");
        let experiment = chronological(&[1, 2, 0]);
        assert_eq!(experiment.priors, [vec![1, 2], vec![], vec![1]]);
    }

    #[test]
    fn groups_are_the_longest_beginning_and_their_best_stand_for_them() {
        let all = names(&["BM25__a", "BM25_RM3__a", "BM25__b", "gpt-1", "gpt-2"]);
        let groups = names(&["BM25", "BM25_RM3", "gpt", "unused"]);
        let group_of = group_of(&all, &groups).unwrap();
        assert_eq!(group_of, [0, 1, 0, 2, 2]);
        let best = best_of_groups(&group_of, 4, &[0.3, 0.1, 0.4, 0.5, 0.5]);
        assert_eq!(best, [Some(2), Some(1), Some(3), None]);
        assert_eq!(grouped(&group_of, &best).priors, [vec![1, 3], vec![2, 3], vec![1, 3], vec![2, 1], vec![2, 1]]);
        assert!(super::group_of(&all, &names(&["BM25"])).unwrap_err().to_string().contains("gpt-1"));
        assert_eq!(leave_one_out(3).priors, [vec![1, 2], vec![0, 2], vec![0, 1]]);
    }
}
