//! The findings in words: three to five sentences, counted over cases. A case is a data set under a
//! measure.

use fivefold_analysis::Compared;
use fivefold_analysis::page::PageDataset;
use fivefold_base::rounding::ROUNDING;
use fivefold_base::words::{counted, list, which};

use super::agreement::{conflicts, significant, tau};

/// Most sentences.
const MOST: usize = 5;

/// Names that a sentence lists at most.
const LISTED: usize = 4;

/// A data set under a measure.
#[derive(Clone, Copy)]
struct Case<'d> {
    dataset: &'d PageDataset,
    /// The names of the data set's systems, as sentences have them.
    names: &'d [String],
    compared: &'d Compared,
}

impl<'d> Case<'d> {
    fn cutoff(&self) -> usize {
        self.compared.main_cutoff()
    }

    fn name(&self, place: usize) -> &'d str {
        &self.names[self.compared.systems[place]]
    }

    /// The places that have the mean of the first or the last of the order.
    fn at_end(&self, last: bool) -> Vec<usize> {
        let levels = self.compared.levels(self.cutoff());
        let order = self.compared.ranked(self.cutoff());
        let end = if last { order.last() } else { order.first() };
        let level = end.and_then(|&place| levels[place]);
        order.into_iter().filter(|&place| levels[place] == level).collect()
    }

    /// `ndcg.v2 on made-MQ2007`.
    fn words(&self) -> String {
        match self.dataset.name.as_str() {
            "" => self.compared.measure.clone(),
            name => format!("{} on {name}", self.compared.measure),
        }
    }

    fn can_tell(&self) -> bool {
        self.compared.too_few_draws.is_none()
    }
}

/// All cases, and how to speak of them.
struct Cases<'d> {
    all: Vec<Case<'d>>,
    datasets: usize,
    noun: &'d str,
    alpha: f64,
}

/// The findings on these data sets. `names` are what sentences call the systems of each data set.
pub(super) fn findings(datasets: &[&PageDataset], names: &[Vec<String>], noun: &str, alpha: f64) -> Vec<String> {
    let cases = datasets
        .iter()
        .zip(names)
        .flat_map(|(&dataset, names)| dataset.compared.iter().map(move |compared| Case { dataset, names, compared }));
    let cases = Cases { all: cases.collect(), datasets: datasets.len(), noun, alpha };
    let mut found = Vec::new();
    if cases.all.iter().all(|case| case.compared.systems.len() < 2) {
        return found;
    }
    if let Some((leader, sentence)) = cases.best() {
        found.push(sentence);
        found.extend(cases.beaten_by(leader));
    }
    found.extend(cases.against_baseline());
    found.extend(cases.last());
    found.extend(cases.against_means());
    found.extend(cases.versions());
    found.extend(cases.families());
    found.truncate(MOST);
    found
}

impl<'d> Cases<'d> {
    /// ` on both data sets under all 6 measures`, of all cases.
    fn everywhere(&self) -> String {
        let of_datasets = match self.datasets {
            1 => String::new(),
            2 => " on both data sets".to_owned(),
            many => format!(" on all {many} data sets"),
        };
        match self.all.len() / self.datasets.max(1) {
            1 => {
                let case = &self.all[0];
                format!("{of_datasets} under {}", case.compared.measure_at(case.cutoff()))
            }
            2 => format!("{of_datasets} under both measures"),
            many => format!("{of_datasets} under all {many} measures"),
        }
    }

    /// `in 3 of 12 cases`, `in all 12 cases`.
    fn in_cases(&self, count: usize, of: usize) -> String {
        match (count, of) {
            (1, 1) => String::new(),
            (2, 2) => " in both cases".to_owned(),
            (count, of) if count == of => format!(" in all {of} cases"),
            (count, of) => format!(" in {count} of {of} cases"),
        }
    }

    /// How often each system stands at an end of the order, the most frequent first.
    fn at_end(&self, last: bool) -> Vec<(&'d str, Vec<usize>)> {
        let mut counts: Vec<(&str, Vec<usize>)> = Vec::new();
        for (number, case) in self.all.iter().enumerate() {
            for name in case.at_end(last).into_iter().map(|place| case.name(place)) {
                match counts.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, of)) => of.push(number),
                    None => counts.push((name, vec![number])),
                }
            }
        }
        counts.sort_by_key(|(_, of)| std::cmp::Reverse(of.len()));
        counts
    }

    /// Who is best, and in how many cases.
    fn best(&self) -> Option<(&'d str, String)> {
        let counts = self.at_end(false);
        let (leader, of) = counts.first()?;
        let everywhere: Vec<&str> =
            counts.iter().filter(|(_, of)| of.len() == self.all.len()).map(|(name, _)| *name).collect();
        if everywhere.len() > 1 {
            return Some((leader, format!("{} share the best mean{}.", list(&everywhere), self.everywhere())));
        }
        if of.len() == self.all.len() {
            return Some((leader, format!("{leader} is best{}.", self.everywhere())));
        }
        let each = counts.iter().take(LISTED).enumerate().map(|(place, (name, of))| {
            let where_to: Vec<String> = of.iter().map(|&number| self.all[number].words()).collect();
            let is_best = if place == 0 { " is best" } else { "" };
            match of.len() {
                1 | 2 if self.all.len() > 2 => format!("{name}{is_best} in {} ({})", of.len(), where_to.join("; ")),
                count => format!("{name}{is_best} in {count}"),
            }
        });
        let each: Vec<String> = each.collect();
        let more = counts.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(", {more} more in fewer") } else { String::new() };
        let all = counted(self.all.len(), "case");
        Some((leader, format!("The best {} differs between {all}: {}{more}.", self.noun, each.join(", "))))
    }

    /// Whom the leader beats where it is best.
    fn beaten_by(&self, leader: &str) -> Option<String> {
        let own = self.all.iter().filter(|case| case.at_end(false).iter().any(|&place| case.name(place) == leader));
        let own: Vec<&Case<'_>> = own.collect();
        let untested = |case: &&Case<'_>| {
            let best = (0..case.compared.systems.len()).find(|&place| case.name(place) == leader);
            let others = (0..case.compared.systems.len()).filter(|&other| Some(other) != best);
            best.is_none_or(|best| others.clone().any(|other| case.compared.p(best, other, case.cutoff()).is_none()))
        };
        if own.iter().any(|case| !case.can_tell()) || own.iter().copied().any(|case| untested(&case)) {
            return None;
        }
        let (mut all_beaten, mut any_beaten, mut others) = (0, false, 0);
        let mut not: Vec<(&str, usize)> = Vec::new();
        for case in &own {
            let best = (0..case.compared.systems.len()).find(|&place| case.name(place) == leader)?;
            let beaten = case.compared.beaten(best, case.cutoff(), self.alpha);
            let rest = (0..case.compared.systems.len()).filter(|place| *place != best && !beaten.contains(place));
            let rest: Vec<&str> = rest.map(|place| case.name(place)).collect();
            others = others.max(case.compared.systems.len() - 1);
            all_beaten += usize::from(rest.is_empty());
            any_beaten |= !beaten.is_empty();
            for name in rest {
                match not.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, count)) => *count += 1,
                    None => not.push((name, 1)),
                }
            }
        }
        let each_other = if others == 1 { "the other one".to_owned() } else { format!("each of the {others} others") };
        if not.is_empty() {
            return Some(format!("{leader} beats {each_other} significantly{}.", self.in_cases(own.len(), own.len())));
        }
        not.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let apart = match not.as_slice() {
            names if own.len() == 1 && names.len() <= LISTED => {
                list(&names.iter().map(|(n, _)| *n).collect::<Vec<_>>())
            }
            names if own.len() == 1 => format!("{} of the others", names.len()),
            names if names.len() <= LISTED => {
                let groups = names.chunk_by(|(_, one), (_, other)| one == other).enumerate();
                let each = groups.map(|(place, group)| {
                    let alike: Vec<&str> = group.iter().map(|(name, _)| *name).collect();
                    let count = group[0].1;
                    let cases = if place == 0 { counted(count, "case") } else { count.to_string() };
                    format!("{} in {cases}", list(&alike))
                });
                each.collect::<Vec<_>>().join(", ")
            }
            [(first, most), rest @ ..] => format!("{first} in {most}, {} more in {} or fewer", rest.len(), rest[0].1),
            [] => String::new(),
        };
        Some(match all_beaten {
            0 if !any_beaten => {
                let others =
                    if others == 1 { "the other one".to_owned() } else { format!("any of the {others} others") };
                format!("{leader} is not told apart from {others}{}.", self.in_cases(own.len(), own.len()))
            }
            0 => format!("{leader} is not told apart from {apart}, and beats the rest significantly."),
            count => format!(
                "{leader} beats {each_other} significantly{}, but is not told apart from {apart}.",
                self.in_cases(count, own.len())
            ),
        })
    }

    /// How many are better and worse than the baseline, under the first measure of each data set.
    fn against_baseline(&self) -> Option<String> {
        let mut each = Vec::new();
        for case in &self.all {
            let baseline = case.compared.systems.iter().position(|&system| Some(system) == case.dataset.baseline);
            let Some(baseline) = baseline.filter(|_| std::ptr::eq(case.compared, &case.dataset.compared[0])) else {
                continue;
            };
            let cutoff = case.cutoff();
            let others = (0..case.compared.systems.len()).filter(|&o| case.compared.p(o, baseline, cutoff).is_some());
            let others: Vec<usize> = others.collect();
            let beats = |other: &&usize| case.compared.beaten(**other, cutoff, self.alpha).contains(&baseline);
            let better = others.iter().filter(beats).count();
            let worse = case.compared.beaten(baseline, cutoff, self.alpha).len();
            each.push(format!(
                "against {} under {}, {better} of {} {} significantly better and {worse} significantly worse",
                case.name(baseline),
                case.words(),
                counted(others.len(), &format!("other {}", self.noun)),
                which(better, "is", "are")
            ));
        }
        (!each.is_empty()).then(|| capital(&format!("{}.", each.join("; "))))
    }

    /// Who is last, if one system is in most cases.
    fn last(&self) -> Option<String> {
        let (name, of) = self.at_end(true).into_iter().next()?;
        if 4 * of.len() < 3 * self.all.len() || self.all.iter().any(|case| case.compared.systems.len() < 3) {
            return None;
        }
        let below_all = of.iter().map(|&number| &self.all[number]).all(|case| {
            let last = case.at_end(true);
            let others = (0..case.compared.systems.len()).filter(|place| !last.contains(place));
            let beats = |place: usize| case.compared.beaten(place, case.cutoff(), self.alpha);
            case.can_tell() && others.map(beats).all(|beaten| last.iter().all(|place| beaten.contains(place)))
        });
        let others = self.all[of[0]].compared.systems.len() - 1;
        let below =
            if below_all { format!(", significantly below each of the {others} others") } else { String::new() };
        Some(format!("{name} is last{}{below}.", self.in_cases(of.len(), self.all.len())))
    }

    /// Significant pairs in which the test favours the lower mean.
    fn against_means(&self) -> Option<String> {
        let own = self.all.iter().map(|case| {
            let p = |pair: usize| case.compared.p_values.get(pair).and_then(|of_pair| of_pair[case.cutoff()]);
            let against = case.compared.against_means.iter().filter(|own| own.cutoff == case.cutoff());
            against.filter(|own| p(own.pair).is_some_and(|p| p < self.alpha)).count()
        });
        let pairs: usize = own.sum();
        (pairs > 0).then(|| {
            format!(
                "In {}, the test favours the {} with the lower mean: the test looks at signs or ranks, not at means.",
                counted(pairs, "significant comparison"),
                self.noun
            )
        })
    }

    /// What each UE version changes against the original measure.
    fn versions(&self) -> Vec<String> {
        let mut versions: Vec<&str> = Vec::new();
        for case in &self.all {
            if let Some(version) = version_of(case.compared).filter(|version| !versions.contains(version)) {
                versions.push(version);
            }
        }
        let found: Vec<String> = versions.iter().filter_map(|version| self.version(version)).collect();
        // Of two versions that change nothing it is said once.
        match found.as_slice() {
            [first, second] => match (first.strip_prefix("V1 changes"), second.strip_prefix("V2 changes")) {
                (Some(rest), Some(other)) if rest == other => vec![format!("V1 and V2 change{rest}")],
                _ => found,
            },
            _ => found,
        }
    }

    fn version(&self, version: &str) -> Option<String> {
        let (mut cases, mut reordered, mut lost, mut gained) = (0, 0, 0, 0);
        let mut families: Vec<&str> = Vec::new();
        let mut most: Option<(usize, usize, String)> = None;
        for case in self.all.iter().filter(|case| version_of(case.compared) == Some(version)) {
            let original = |other: &&Compared| other.measure == case.compared.family;
            let Some(original) = case.dataset.compared.iter().find(original) else { continue };
            cases += 1;
            if !families.contains(&original.measure.as_str()) {
                families.push(&original.measure);
            }
            let same = tau(original, case.compared).ok().flatten().is_none_or(|tau| tau >= 1.0 - ROUNDING);
            reordered += usize::from(!same);
            let differing = conflicts(original, case.compared, self.alpha);
            let (before, now) = (significant(original, self.alpha), significant(case.compared, self.alpha));
            // Of the pairs that differ, as many more are lost as there are fewer now.
            let own_lost = (differing + before.saturating_sub(now) - now.saturating_sub(before)) / 2;
            lost += own_lost;
            gained += differing - own_lost;
            if most.as_ref().is_none_or(|(pairs, ..)| differing > *pairs) {
                most = Some((differing, before, Case { compared: original, ..*case }.words()));
            }
        }
        let name = version.trim_start_matches('.').to_uppercase();
        let against = list(&families);
        if cases == 0 {
            return None;
        }
        let order = match reordered {
            0 => "keeps the order".to_owned(),
            count => format!("changes the order{}", self.in_cases(count, cases)),
        };
        let pairs = match (lost, gained) {
            (0, 0) if reordered == 0 => {
                return Some(format!("{name} changes nothing against {against}: same order, same significant pairs."));
            }
            (0, 0) => "keeps the significant pairs".to_owned(),
            (lost, 0) => format!("loses {}", counted(lost, "significant pair")),
            (0, gained) => format!("gains {}", counted(gained, "significant pair")),
            (lost, gained) => format!("loses {} and gains {gained}", counted(lost, "significant pair")),
        };
        let most = most.filter(|(pairs, ..)| *pairs > 0 && cases > 1);
        let most = most.map(|(pairs, before, case)| {
            let change = which(pairs, "changes", "change");
            format!("; most for {case} ({} {change}, {before} are significant without {name})", counted(pairs, "pair"))
        });
        Some(format!("Against {against}, {name} {order} and {pairs}{}.", most.unwrap_or_default()))
    }

    /// How far the original measures of different families agree, by the least tau.
    fn families(&self) -> Option<String> {
        let mut least: Option<(f64, &Case<'_>, &Compared)> = None;
        let mut same = 0;
        let mut compared = 0;
        for case in self.all.iter().filter(|case| version_of(case.compared).is_none()) {
            let place = case.dataset.compared.iter().position(|own| std::ptr::eq(own, case.compared))?;
            let others = case.dataset.compared[place + 1..].iter();
            for other in others.filter(|other| version_of(other).is_none() && other.systems == case.compared.systems) {
                let Some(tau) = tau(case.compared, other).ok().flatten() else { continue };
                compared += 1;
                same += usize::from(tau >= 1.0 - ROUNDING);
                if least.is_none_or(|(known, ..)| tau < known) {
                    least = Some((tau, case, other));
                }
            }
        }
        let (tau, case, other) = least?;
        if same == compared {
            return Some(format!("The original measures put the {}s in the same order.", self.noun));
        }
        let on = case.dataset.on();
        let conflicts = conflicts(case.compared, other, self.alpha);
        let pairs = case.compared.p_values.len();
        let significance = match case.can_tell() {
            true => format!(
                "; {conflicts} of {} {} significant under only one of the two",
                counted(pairs, "pair"),
                which(conflicts, "is", "are")
            ),
            false => String::new(),
        };
        let (first, second) = (&case.compared.measure, &other.measure);
        let noun = self.noun;
        Some(match compared {
            1 => format!("{first} and {second} order the {noun}s differently{on}: tau {tau:.2}{significance}."),
            _ => format!(
                "Of the original measures, {first} and {second} order the {noun}s least alike{on}: tau {tau:.2}{significance}."
            ),
        })
    }
}

/// `.v1` of a UE version.
fn version_of(compared: &Compared) -> Option<&str> {
    let rest = compared.measure.strip_prefix(compared.family.split('(').next()?)?;
    ["v1", "v2"].iter().find(|version| rest.starts_with(&format!(".{version}"))).map(|_| &rest[..3])
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn of(compared: Vec<Compared>) -> Vec<String> {
        let dataset = samples::three_systems(compared);
        findings(&[&dataset], std::slice::from_ref(&dataset.systems), "system", 0.05)
    }

    /// c beats a alone under ndcg, and all under ap.
    #[test]
    fn the_best_is_named_once_with_its_cases() {
        let ndcg = samples::compared("ndcg", [0.2, 0.5, 0.9], [Some(0.3), Some(0.01), Some(0.2)]);
        let ap = samples::compared("ap", [0.2, 0.1, 0.9], [Some(0.3), Some(0.01), Some(0.02)]);
        assert_eq!(
            of(vec![ndcg.clone(), ap]),
            [
                "c is best under both measures.",
                "c beats each of the 2 others significantly in 1 of 2 cases, but is not told apart from b in 1 case.",
                "ndcg and ap order the systems differently on d: tau 0.33; 1 of 3 pairs is significant under only one of the two.",
            ]
        );
        assert_eq!(
            of(vec![ndcg]),
            ["c is best under ndcg@10.", "c is not told apart from b, and beats the rest significantly.", "a is last."]
        );
    }

    /// Where no other system is beaten in any case, there is no rest.
    #[test]
    fn a_best_that_beats_nobody_beats_no_rest() {
        let compared = |name| samples::compared(name, [0.2, 0.5, 0.9], [Some(0.3), Some(0.4), Some(0.2)]);
        let found = of(vec![compared("ndcg"), compared("ap")]);
        assert_eq!(found[1], "c is not told apart from any of the 2 others in both cases.");
        assert_eq!(of(vec![compared("ndcg")])[1], "c is not told apart from any of the 2 others.");
    }

    /// A comparison that was not tested is no tie.
    #[test]
    fn of_untested_pairs_nothing_is_said() {
        let found = of(vec![samples::compared("ndcg", [0.2, 0.5, 0.9], [Some(0.3), None, Some(0.01)])]);
        assert_eq!(found, ["c is best under ndcg@10.", "a is last."]);
    }

    /// Of three significant pairs V2 keeps one and finds none anew; V1 is the same.
    #[test]
    fn versions_say_what_they_change() {
        let version = |name: &str, means, p: [f64; 3]| Compared {
            family: "ndcg".to_owned(),
            ..samples::compared(name, means, p.map(Some))
        };
        let found = of(vec![
            version("ndcg", [0.2, 0.5, 0.9], [0.01; 3]),
            version("ndcg.v1", [0.1, 0.4, 0.8], [0.01; 3]),
            version("ndcg.v2", [0.4, 0.1, 0.8], [0.9, 0.01, 0.9]),
        ]);
        assert!(found.contains(&"V1 changes nothing against ndcg: same order, same significant pairs.".to_owned()));
        assert!(
            found.contains(&"Against ndcg, V2 changes the order and loses 2 significant pairs.".to_owned()),
            "{found:?}"
        );
    }
}
