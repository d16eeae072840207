//! The findings measure by measure: the best system with its mean, the p-values of the systems that
//! are not told apart from it, and the pairs that differ under all measures. The overview says the
//! rest.

use std::collections::BTreeSet;

use fivefold_analysis::Compared;
use fivefold_analysis::compared::SystemMean;
use fivefold_analysis::p_value::p_in_words;
use fivefold_analysis::page::{PageData, PageDataset, PagePart};
use fivefold_base::rounding::highest;
use fivefold_base::words::{counted, list, list_some, which};

/// The sentences of a page with an overview, or all findings of a page without one. The overview
/// has the test, what failed, findings without a heading, and the remarks.
pub(super) fn summary(data: &PageData) -> Vec<PagePart> {
    let Some(test) = &data.test else { return data.findings.clone() };
    let mut parts: Vec<PagePart> = data.findings.iter().filter(|part| part.heading.is_some()).cloned().collect();
    for dataset in &data.datasets {
        let mut sentences = Vec::new();
        for compared in &dataset.compared {
            sentences.extend(winner(dataset, compared, &data.noun, test.alpha));
            sentences.extend(against_baseline(dataset, compared, &data.noun, test.alpha));
            sentences.extend(against_means(dataset, compared, test.alpha));
        }
        sentences.extend(best_over_cutoffs(dataset));
        sentences.extend(conclusions(&dataset.compared, test.alpha));
        let heading = Some(dataset.name.clone()).filter(|name| !name.is_empty());
        parts.push(PagePart { heading, sentences });
    }
    parts.retain(|part| !part.sentences.is_empty());
    parts
}

/// The most names with p-values in a sentence.
const LISTED: usize = 4;

/// The system with the highest mean at the main cutoff, and the systems that it beats.
fn winner(dataset: &PageDataset, compared: &Compared, noun: &str, alpha: f64) -> Option<String> {
    let cutoff = compared.main_cutoff();
    let levels = compared.levels(cutoff);
    let order = compared.ranked(cutoff);
    let (&first, others) = order.split_first()?;
    let name = |system: usize| dataset.systems[compared.systems[system]].as_str();
    let mean = compared.means[first][cutoff].mean?;
    let head = format!("Under {}, {} is best ({mean:.4})", compared.measure_at(cutoff), name(first));
    if others.is_empty() {
        return Some(format!("{head} as the only {noun}."));
    }
    let level = |other: usize| levels[other] == levels[first];
    let tied: Vec<&str> = others.iter().filter(|&&o| level(o)).map(|&o| name(o)).collect();
    let others: Vec<usize> = others.iter().copied().filter(|&other| !level(other)).collect();
    let head = match tied.is_empty() {
        true => head,
        false => format!("{head}, tied with {}", list_some(&tied)),
    };
    if others.is_empty() {
        return Some(format!("{head}."));
    }
    if compared.too_few_draws.is_some() {
        return Some(format!("{head}; too few draws were made to say whether a difference is significant."));
    }
    let mut beaten = compared.beaten(first, cutoff, alpha);
    beaten.retain(|other| others.contains(other));
    let (tested, untested): (Vec<usize>, Vec<usize>) = others
        .iter()
        .filter(|&&other| !beaten.contains(&other) && !compared.beaten(other, cutoff, alpha).contains(&first))
        .partition(|&&other| compared.p(first, other, cutoff).is_some());
    let equal: Vec<String> = tested
        .iter()
        .filter_map(|&other| Some(format!("{} ({})", name(other), p_in_words(compared.p(first, other, cutoff)?))))
        .collect();
    let equals = if equal.len() > LISTED { format!("the other {}", equal.len()) } else { list(&equal) };
    let among = others.len() - untested.len();
    if let (1, false, Some(&only)) = (among, untested.is_empty(), others.iter().find(|other| !untested.contains(other)))
    {
        let (not, p) = match equal.is_empty() {
            true => (", ", String::new()),
            false => (
                ", but not ",
                compared.p(first, only, cutoff).map(|p| format!(" ({})", p_in_words(p))).unwrap_or_default(),
            ),
        };
        let what = format!("the only {noun} that it was compared with");
        return Some(format!("{head}{not}significantly better than {}{p}, {what}.", name(only)));
    }
    let tail = match untested.len() {
        0 => String::new(),
        count => format!("; not compared with {}", counted(count, "other")),
    };
    Some(match (beaten.len(), equal.len()) {
        (0, 0) => format!("{head}{tail}."),
        (0, count) if count > LISTED => {
            format!("{head}, but not significantly better than any of the {count} others{tail}.")
        }
        (0, _) => format!("{head}, but not significantly better than any other: {equals}{tail}."),
        (1, 0) if among == 1 => format!("{head}, significantly better than the other {noun}{tail}."),
        (count, 0) if count == among => format!("{head}, significantly better than each of the {among} others{tail}."),
        (count, unbeaten) if unbeaten <= LISTED && count + unbeaten == among && untested.is_empty() => {
            format!("{head}, significantly better than all other {noun}s but {equals}.")
        }
        (count, _) => format!("{head}, significantly better than {count} of the {among} others{tail}."),
    })
}

/// The significant pairs for which the test and the means favour different systems.
fn against_means(dataset: &PageDataset, compared: &Compared, alpha: f64) -> Option<String> {
    let cutoff = compared.main_cutoff();
    let name = |system: usize| dataset.systems[compared.systems[system]].as_str();
    let mut found = Vec::new();
    for a in 0..compared.systems.len() {
        for b in a + 1..compared.systems.len() {
            let pair = compared.pair(a, b);
            let own = compared.against_means.iter().find(|own| Some(own.pair) == pair && own.cutoff == cutoff);
            if let Some(own) = own.filter(|_| compared.p(a, b, cutoff).is_some_and(|p| p < alpha)) {
                let (winner, loser) = if own.first { (a, b) } else { (b, a) };
                found.push(format!("{} than {}", name(winner), name(loser)));
            }
        }
    }
    (!found.is_empty()).then(|| {
        format!(
            "Under {}, the test finds a lower mean significantly better: {}. The test looks at signs or ranks, not at means.",
            compared.measure_at(cutoff),
            list_some(&found)
        )
    })
}

/// The numbers of systems that are better and worse than the baseline. `None` if the baseline is
/// best, because the winner's sentence says everything.
fn against_baseline(dataset: &PageDataset, compared: &Compared, noun: &str, alpha: f64) -> Option<String> {
    let baseline = compared.systems.iter().position(|&system| Some(system) == dataset.baseline)?;
    let cutoff = compared.main_cutoff();
    if compared.too_few_draws.is_some() || compared.ranked(cutoff).first() == Some(&baseline) {
        return None;
    }
    let others: Vec<usize> =
        (0..compared.systems.len()).filter(|&other| compared.p(other, baseline, cutoff).is_some()).collect();
    let better = others.iter().filter(|&&other| compared.beaten(other, cutoff, alpha).contains(&baseline)).count();
    let worse = compared.beaten(baseline, cutoff, alpha).len();
    Some(format!(
        "Compared with {} ({:.4}) under {}, {better} of {} {} significantly better and {worse} significantly worse.",
        dataset.systems[compared.systems[baseline]],
        compared.means[baseline][cutoff].mean?,
        compared.measure_at(cutoff),
        counted(others.len(), &format!("other {noun}")),
        which(better, "is", "are")
    ))
}

/// A measure at its main cutoff and the best system under it. If several systems are level, all of
/// them.
fn best<'d>(dataset: &'d PageDataset, compared: &Compared) -> Option<(String, Vec<&'d str>)> {
    let cutoff = compared.main_cutoff();
    let levels = compared.levels(cutoff);
    let order = compared.ranked(cutoff);
    let first = levels[*order.first()?];
    let best = order.iter().take_while(|&&system| levels[system] == first);
    Some((
        compared.measure_at(cutoff),
        best.map(|&system| dataset.systems[compared.systems[system]].as_str()).collect(),
    ))
}

/// The cutoff of a sentence about several measures: ` at cutoff 10`. Empty if each measure has a
/// single cutoff.
fn at_cutoff(own: &[Compared]) -> String {
    if !has_cutoffs(own) {
        return String::new();
    }
    let cutoffs: Option<BTreeSet<&str>> =
        own.iter().map(|compared| compared.cutoffs[compared.main_cutoff()].strip_prefix('@')).collect();
    match cutoffs.as_ref().and_then(|cutoffs| cutoffs.first().filter(|_| cutoffs.len() == 1)) {
        Some(cutoff) => format!(" at cutoff {cutoff}"),
        None => {
            let main: Vec<String> = own.iter().map(|compared| compared.measure_at(compared.main_cutoff())).collect();
            format!(" at the cutoffs of {}", list_some(&main))
        }
    }
}

/// Whether a measure has several cutoffs.
fn has_cutoffs(own: &[Compared]) -> bool {
    own.iter().any(|compared| compared.cutoffs.len() > 1)
}

/// Each system's mean over the cutoffs. `None` if a system has no value at a cutoff.
fn over_cutoffs(compared: &Compared) -> Option<Vec<f64>> {
    let of_system = |means: &Vec<SystemMean>| {
        let sum: Option<f64> = means.iter().map(|mean| mean.mean).sum();
        Some(sum? / means.len() as f64)
    };
    compared.means.iter().map(of_system).collect()
}

/// The best systems by the mean over cutoffs, by which the paper's tables compare orders. `None` if the same
/// systems are best at the main cutoffs.
fn best_over_cutoffs(dataset: &PageDataset) -> Option<String> {
    let mut found: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    let mut differs = false;
    for compared in &dataset.compared {
        let places = highest(&over_cutoffs(compared)?);
        let best_of: Vec<&str> =
            places.into_iter().map(|place| dataset.systems[compared.systems[place]].as_str()).collect();
        let at_main = best(dataset, compared)?.1;
        differs |= best_of.iter().collect::<BTreeSet<_>>() != at_main.iter().collect();
        match found.iter_mut().find(|(known, _)| *known == best_of) {
            Some((_, measures)) => measures.push(&compared.measure),
            None => found.push((best_of, vec![&compared.measure])),
        }
    }
    let each = found.iter().map(|(best, measures)| format!("{} under {}", list_some(best), list_some(measures)));
    differs.then(|| {
        let each: Vec<String> = each.collect();
        format!("By the mean over cutoffs, the best {}: {}.", which(each.len(), "is", "are"), each.join("; "))
    })
}

/// Counts the pairs that every measure tested: significant under all, some or no measures, and with
/// opposite signs.
fn conclusions(own: &[Compared], alpha: f64) -> Option<String> {
    if own.len() < 2 || own[0].systems.len() < 2 || own.iter().any(|other| other.systems != own[0].systems) {
        return None;
    }
    let (mut all, mut some, mut none, mut opposed) = (0, 0, 0, 0);
    let systems = own[0].systems.len();
    for a in 0..systems {
        for b in a + 1..systems {
            // +1 and -1: significant, and who is better.
            let signs: Option<Vec<i8>> = own.iter().map(|compared| sign(compared, a, b, alpha)).collect();
            let Some(signs) = signs else { continue };
            match signs.iter().filter(|&&sign| sign != 0).count() {
                0 => none += 1,
                count if count == own.len() => all += 1,
                _ => some += 1,
            }
            opposed += usize::from(signs.contains(&1) && signs.contains(&-1));
        }
    }
    let pairs = all + some + none;
    let opposed = match opposed {
        0 => "no pair differs significantly in opposite directions".to_owned(),
        1 => "1 pair differs significantly in opposite directions".to_owned(),
        count => format!("{count} pairs differ significantly in opposite directions"),
    };
    (pairs > 0).then(|| {
        format!(
            "Of {}{}, {all} {} significantly under every measure, {some} under some measures and {none} under no measure; {opposed}.",
            counted(pairs, "pair"),
            at_cutoff(own),
            which(all, "differs", "differ")
        )
    })
}

/// 1 if `a` is significantly better, -1 if `b` is, 0 if the difference is not significant. `None`
/// if the pair was not tested.
fn sign(compared: &Compared, a: usize, b: usize, alpha: f64) -> Option<i8> {
    let cutoff = compared.main_cutoff();
    let p = compared.p(a, b, cutoff)?;
    Some(if p < alpha { compared.better(cutoff)(a, b) as i8 } else { 0 })
}

#[cfg(test)]
mod tests {
    use fivefold_analysis::page::PageTest;

    use super::*;
    use crate::samples;

    /// Three systems under two measures, with the p-values of a-b, a-c and b-c.
    fn page(means: [[f64; 3]; 2], p: [[f64; 3]; 2]) -> PageData {
        let compared = |place: usize| samples::compared(["ndcg", "ap"][place], means[place], p[place].map(Some));
        let dataset = samples::three_systems(vec![compared(0), compared(1)]);
        let test = Some(PageTest { words: "a test".to_owned(), alpha: 0.05 });
        PageData { noun: "system".to_owned(), datasets: vec![dataset], test, ..PageData::default() }
    }

    fn sentences(data: &PageData) -> Vec<String> {
        summary(data).into_iter().flat_map(|part| part.sentences).collect()
    }

    #[test]
    fn winners_and_agreement_in_words() {
        let same = page([[0.9, 0.5, 0.4], [0.8, 0.6, 0.1]], [[1e-6, 0.01, 0.2], [0.3, 0.01, 0.04]]);
        assert_eq!(
            sentences(&same),
            [
                "Under ndcg@10, a is best (0.9000), significantly better than each of the 2 others.",
                "Under ap@10, a is best (0.8000), significantly better than all other systems but b (p = 0.3000).",
                "Of 3 pairs, 1 differs significantly under every measure, 2 under some measures and 0 under no measure; no pair differs \
                 significantly in opposite directions.",
            ]
        );
        let turned = page([[0.9, 0.5, 0.4], [0.1, 0.6, 0.8]], [[0.001; 3], [0.001, 0.001, 0.9]]);
        let found = sentences(&turned);
        assert!(found[2].ends_with("2 pairs differ significantly in opposite directions."), "{found:?}");
    }

    /// The baseline is b. System a is better, and c is not told apart.
    #[test]
    fn better_and_worse_than_the_baseline_are_counted() {
        let mut data = page([[0.9, 0.5, 0.4]; 2], [[0.001; 3]; 2]);
        let dataset = &mut data.datasets[0];
        dataset.compared.truncate(1);
        dataset.baseline = Some(1);
        dataset.compared[0].p_values = [Some(0.001), None, Some(0.3)].map(|p| vec![p]).to_vec();
        let said = "Compared with b (0.5000) under ndcg@10, 1 of 2 other systems is significantly better and 0 significantly worse.";
        assert_eq!(sentences(&data)[1], said);
        // Where the baseline is best, the first sentence says it all; where draws are too few,
        // nothing is significant.
        data.datasets[0].baseline = Some(0);
        assert_eq!(sentences(&data).len(), 1);
        data.datasets[0].baseline = Some(1);
        data.datasets[0].compared[0].too_few_draws = Some("Too few".to_owned());
        assert!(!sentences(&data).concat().contains("Compared with"));
    }

    #[test]
    fn a_test_that_contradicts_the_means_is_named() {
        let mut data = page([[0.9, 0.5, 0.4]; 2], [[0.001, 0.2, 0.3]; 2]);
        data.datasets[0].compared[0].favour([0, 1], 0, std::cmp::Ordering::Less);
        data.datasets[0].compared[0].favour([0, 2], 0, std::cmp::Ordering::Less);
        let found = sentences(&data);
        assert!(found[0].ends_with("but not significantly better than any other: c (p = 0.2000)."), "{found:?}");
        assert_eq!(
            found[1],
            "Under ndcg@10, the test finds a lower mean significantly better: b than a. The test looks at signs or ranks, not at means."
        );
        assert!(found.last().unwrap().ends_with("1 pair differs significantly in opposite directions."), "{found:?}");
    }

    #[test]
    fn untested_pairs_are_named() {
        let mut data = page([[0.9, 0.5, 0.4]; 2], [[0.001; 3]; 2]);
        data.datasets[0].compared.truncate(1);
        data.datasets[0].compared[0].p_values[1] = vec![None];
        let found = sentences(&data);
        assert!(
            found[0].ends_with("significantly better than b, the only system that it was compared with."),
            "{found:?}"
        );
        data.datasets[0].compared[0].p_values[0] = vec![Some(0.3)];
        let found = sentences(&data);
        let end = "but not significantly better than b (p = 0.3000), the only system that it was compared with.";
        assert!(found[0].ends_with(end), "{found:?}");
    }

    #[test]
    fn who_is_below_a_tie_is_named_and_too_few_draws_find_nothing() {
        let mut data = page([[0.9, 0.9, 0.4]; 2], [[1.0, 0.01, 0.01]; 2]);
        let found = sentences(&data);
        assert_eq!(
            found[0],
            "Under ndcg@10, a is best (0.9000), tied with b, significantly better than the other system."
        );
        data.datasets[0].compared[0].too_few_draws = Some("Too few".to_owned());
        let found = sentences(&data);
        let end = "tied with b; too few draws were made to say whether a difference is significant.";
        assert!(found[0].ends_with(end), "{found:?}");
    }

    /// Sums of tenths in three orders: a, b and c have the same mean but for rounding.
    #[test]
    fn rounding_makes_no_winner() {
        let means = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1]].map(|own| own.iter().sum::<f64>() / 3.0);
        assert!(means[0] != means[1]);
        let found = sentences(&page([means, [0.9, 0.5, 0.4]], [[0.01; 3]; 2]));
        assert_eq!(found[0], "Under ndcg@10, a is best (0.2000), tied with b and c.");
        assert!(found[2].contains("0 differ significantly under every measure, 3 under some measures"), "{found:?}");
    }

    /// At cutoff 10 a is best under both measures. By the mean of two cutoffs b is best under ndcg:
    /// (.9 + .1) / 2 < (.5 + .7) / 2.
    #[test]
    fn sentences_say_of_which_cutoff_they_are() {
        let mut data = page([[0.9, 0.5, 0.4]; 2], [[0.001, 0.2, 0.2]; 2]);
        let means = [[0.1, 0.7, 0.3], [0.8, 0.2, 0.1]];
        for (compared, means) in data.datasets[0].compared.iter_mut().zip(means) {
            compared.cutoffs = vec!["@10".to_owned(), "@20".to_owned()];
            for (own, mean) in compared.means.iter_mut().zip(means) {
                own.push(SystemMean { mean: Some(mean), ends: None });
            }
            compared.p_values.iter_mut().for_each(|own| own.push(Some(0.001)));
        }
        let found = sentences(&data);
        assert_eq!(
            found[2..],
            [
                "By the mean over cutoffs, the best are: b under ndcg; a under ap.",
                "Of 3 pairs at cutoff 10, 1 differs significantly under every measure, 0 under some measures and 2 under no measure; no \
                 pair differs significantly in opposite directions.",
            ]
        );
        // One measure is of the whole list.
        let ap = &mut data.datasets[0].compared[1];
        (ap.cutoffs, ap.means) = (vec!["whole list".to_owned()], ap.means.iter().map(|own| vec![own[0]]).collect());
        assert!(
            sentences(&data)[3].starts_with("Of 3 pairs at the cutoffs of ndcg@10 and ap, "),
            "{:?}",
            sentences(&data)
        );
    }

    #[test]
    fn many_names_are_a_count() {
        let mut data = page([[0.9, 0.5, 0.4]; 2], [[0.2; 3]; 2]);
        let dataset = &mut data.datasets[0];
        dataset.systems = (0..7).map(|i| format!("s{i}")).collect();
        dataset.compared.truncate(1);
        let own = &mut dataset.compared[0];
        own.systems = (0..7).collect();
        own.means = (0..7).map(|i| vec![SystemMean { mean: Some(1.0 - f64::from(i) / 10.0), ends: None }]).collect();
        own.p_values = vec![vec![Some(0.2)]; 21];
        let found = sentences(&data);
        assert!(found[0].ends_with("but not significantly better than any of the 6 others."), "{found:?}");
        data.datasets[0].compared[0].p_values[0] = vec![Some(0.01)];
        let found = sentences(&data);
        assert!(found[0].ends_with("significantly better than 1 of the 6 others."), "{found:?}");
    }
}
