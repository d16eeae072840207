//! The findings in words: the best system under each measure, whether the difference is
//! significant, whether measures agree, and the facts that a reader must know first.

use std::collections::BTreeSet;

use fivefold_analysis::Compared;
use fivefold_analysis::p_value::p_in_words;
use fivefold_analysis::page::{PageData, PageDataset, PagePart};
use fivefold_base::rounding::{ROUNDING, highest};
use fivefold_base::words::{counted, list, list_some, which};

use super::matrices::{over_cutoffs, tau_of_measures};
use crate::error::ReportError;

pub(super) fn summary(data: &PageData) -> Result<Vec<PagePart>, ReportError> {
    let mut first = Vec::new();
    for dataset in &data.datasets {
        let on = dataset.on();
        let failed = dataset.failed.iter().map(|&system| dataset.systems[system].as_str());
        first.extend(failed.map(|name| format!("{name} FAILED{on} and is left out of every number{on}.")));
    }
    let mut parts = data.findings.clone();
    let Some(test) = &data.test else { return Ok(parts) };
    if data.datasets.iter().flat_map(|dataset| &dataset.compared).any(|compared| compared.systems.len() > 1) {
        first.push(format!("Test of significance: {}.", test.words));
    }
    for why in data.datasets.iter().flat_map(|dataset| &dataset.compared).filter_map(|own| own.too_few_draws.as_ref()) {
        let sentence = format!("{why}.");
        if !first.contains(&sentence) {
            first.insert(0, sentence);
        }
    }
    parts.push(PagePart { heading: None, sentences: first });
    for dataset in &data.datasets {
        let mut sentences = Vec::new();
        for compared in &dataset.compared {
            sentences.extend(winner(dataset, compared, &data.noun, test.alpha));
            sentences.extend(against_baseline(dataset, compared, &data.noun, test.alpha));
            sentences.extend(against_means(dataset, compared, test.alpha));
        }
        sentences.extend(versions(dataset, &data.noun));
        sentences.extend(measures(dataset, &data.noun, test.alpha)?);
        sentences.extend(dataset.remarks.iter().cloned());
        match parts.last_mut() {
            Some(last) if dataset.name.is_empty() && last.heading.is_none() => last.sentences.extend(sentences),
            _ => {
                let heading = Some(dataset.name.clone()).filter(|name| !name.is_empty());
                parts.push(PagePart { heading, sentences });
            }
        }
    }
    parts.retain(|part| !part.sentences.is_empty());
    Ok(parts)
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

/// Sentences on whether the versions of each measure name the same winner.
fn versions(dataset: &PageDataset, noun: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    if one_winner(dataset) {
        // One sentence for all of them.
        return sentences;
    }
    let mut families: Vec<&str> = Vec::new();
    for compared in &dataset.compared {
        if !families.contains(&compared.family.as_str()) {
            families.push(&compared.family);
        }
    }
    for family in families {
        let own = dataset.compared.iter().filter(|compared| compared.family == family);
        let winners: Vec<(String, Vec<&str>)> = own.filter_map(|compared| best(dataset, compared)).collect();
        let [(_, winner), _, ..] = winners.as_slice() else { continue };
        let measures: Vec<&str> = winners.iter().map(|(measure, _)| measure.as_str()).collect();
        if winners.iter().all(|(_, other)| other == winner) {
            let s = which(winner.len(), "", "s");
            sentences.push(format!("{} name the same best {noun}{s}.", list(&measures)));
        } else {
            let each: Vec<String> =
                winners.iter().map(|(measure, winner)| format!("{} under {measure}", list_some(winner))).collect();
            sentences.push(format!("Normalisation changes the best {noun}: {}.", list(&each)));
        }
    }
    sentences
}

/// Whether measures of several families all name the same winner.
fn one_winner(dataset: &PageDataset) -> bool {
    let own = &dataset.compared;
    let mut winners = own.iter().filter_map(|compared| best(dataset, compared)).map(|(_, winner)| winner);
    let first = winners.next();
    own.iter().any(|compared| compared.family != own[0].family) && winners.all(|winner| Some(winner) == first)
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

/// The best systems by the mean over cutoffs, by which tables compare orders. `None` if the same
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
        format!(
            "By the mean over cutoffs, the best {}: {}. The mean over cutoffs decides the orders compared here.",
            which(each.len(), "is", "are"),
            each.join("; ")
        )
    })
}

/// The pairs of measures that order the systems least alike.
fn least_agreement(own: &[Compared], noun: &str) -> Result<Option<String>, ReportError> {
    let taus = tau_of_measures(own)?;
    let pairs = (0..own.len()).flat_map(|a| (a + 1..own.len()).map(move |b| (a, b)));
    let pairs: Vec<(f64, usize, usize)> = pairs.filter_map(|(a, b)| Some((taus[a][b]?, a, b))).collect();
    let Some(tau) = pairs.iter().map(|(tau, ..)| *tau).reduce(f64::min) else { return Ok(None) };
    let systems = counted(own[0].systems.len(), noun);
    let by = if has_cutoffs(own) { " by the mean over cutoffs" } else { "" };
    if tau >= 1.0 - ROUNDING {
        return Ok(Some(format!("All measures put the {systems} in the same order{by}.")));
    }
    let least: Vec<String> = pairs
        .iter()
        .filter(|(other, ..)| *other <= tau + ROUNDING)
        .map(|&(_, a, b)| format!("{} and {}", own[a].measure, own[b].measure))
        .collect();
    let tau = format!("Kendall's tau-b {tau:.3}");
    Ok(Some(match least.as_slice() {
        [only] if pairs.len() == 1 => format!("{only} order the {systems} differently{by} ({tau})."),
        [only] => format!("Of all pairs of measures, {only} order the {systems} least alike{by} ({tau})."),
        [first, ..] => {
            let pairs = least.len();
            let named = if pairs > LISTED { format!("for example {first}") } else { least.join("; ") };
            format!("{pairs} pairs of measures order the {systems} least alike{by}: {named} ({tau} each).")
        }
        [] => return Ok(None),
    }))
}

/// Whether all measures lead to the same conclusions: the winner and the significant pairs at their
/// main cutoffs, and the order by the means over cutoffs.
fn measures(dataset: &PageDataset, noun: &str, alpha: f64) -> Result<Vec<String>, ReportError> {
    let own = &dataset.compared;
    let over_cutoffs = best_over_cutoffs(dataset);
    if own.len() < 2 || own[0].systems.len() < 2 || own.iter().any(|compared| compared.systems != own[0].systems) {
        return Ok(over_cutoffs.into_iter().collect());
    }
    let mut sentences = Vec::new();
    let at = at_cutoff(own);
    if own.iter().any(|compared| compared.family != own[0].family) {
        let winners: Vec<Vec<&str>> = own.iter().filter_map(|compared| Some(best(dataset, compared)?.1)).collect();
        let mut names: Vec<&str> = Vec::new();
        winners.iter().flatten().for_each(|winner| {
            if !names.contains(winner) {
                names.push(winner)
            }
        });
        sentences.push(match winners.first() {
            Some(first) if winners.iter().all(|winner| winner == first) => {
                let which = if own.len() == 2 { "Both".to_owned() } else { format!("All {}", own.len()) };
                let best =
                    if first.len() == 1 { format!("the best {noun}") } else { format!("the best {noun}s, tied") };
                format!("{which} measures name {} as {best}{at}.", list_some(first))
            }
            _ => {
                let all: Vec<&str> =
                    names.iter().copied().filter(|name| winners.iter().all(|of| of.contains(name))).collect();
                let all = match all.as_slice() {
                    [] => String::new(),
                    all => format!("; {} {} among the best under each", list_some(all), which(all.len(), "is", "are")),
                };
                let many = counted(names.len(), noun);
                format!("The {} measures name {many} as best{at}: {}{all}.", own.len(), list_some(&names))
            }
        });
    }
    sentences.extend(over_cutoffs);
    sentences.extend(least_agreement(own, noun)?);
    sentences.extend(conclusions(own, alpha));
    Ok(sentences)
}

/// Counts the pairs that every measure tested: significant under all, some or no measures, and with
/// opposite signs.
fn conclusions(own: &[Compared], alpha: f64) -> Option<String> {
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
    use fivefold_analysis::compared::SystemMean;
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
        summary(data).unwrap().into_iter().flat_map(|part| part.sentences).collect()
    }

    #[test]
    fn winners_and_agreement_in_words() {
        let same = page([[0.9, 0.5, 0.4], [0.8, 0.6, 0.1]], [[1e-6, 0.01, 0.2], [0.3, 0.01, 0.04]]);
        assert_eq!(
            sentences(&same),
            [
                "Test of significance: a test.",
                "Under ndcg@10, a is best (0.9000), significantly better than each of the 2 others.",
                "Under ap@10, a is best (0.8000), significantly better than all other systems but b (p = 0.3000).",
                "Both measures name a as the best system.",
                "All measures put the 3 systems in the same order.",
                "Of 3 pairs, 1 differs significantly under every measure, 2 under some measures and 0 under no measure; no pair differs \
                 significantly in opposite directions.",
            ]
        );
        let turned = page([[0.9, 0.5, 0.4], [0.1, 0.6, 0.8]], [[0.001; 3], [0.001, 0.001, 0.9]]);
        let found = sentences(&turned);
        assert!(found.contains(&"The 2 measures name 2 systems as best: a and c.".to_owned()), "{found:?}");
        assert_eq!(found[4], "ndcg and ap order the 3 systems differently (Kendall's tau-b -1.000).");
        assert!(found[5].ends_with("2 pairs differ significantly in opposite directions."), "{found:?}");
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
        assert_eq!(sentences(&data)[2], said);
        // Where the baseline is best, the first sentence says it all; where draws are too few,
        // nothing is significant.
        data.datasets[0].baseline = Some(0);
        assert_eq!(sentences(&data).len(), 2);
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
        assert!(found[1].ends_with("but not significantly better than any other: c (p = 0.2000)."), "{found:?}");
        assert_eq!(
            found[2],
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
            found[1].ends_with("significantly better than b, the only system that it was compared with."),
            "{found:?}"
        );
        data.datasets[0].compared[0].p_values[0] = vec![Some(0.3)];
        let found = sentences(&data);
        let end = "but not significantly better than b (p = 0.3000), the only system that it was compared with.";
        assert!(found[1].ends_with(end), "{found:?}");
    }

    #[test]
    fn who_is_below_a_tie_is_named_and_too_few_draws_find_nothing() {
        let mut data = page([[0.9, 0.9, 0.4]; 2], [[1.0, 0.01, 0.01]; 2]);
        let found = sentences(&data);
        assert_eq!(
            found[1],
            "Under ndcg@10, a is best (0.9000), tied with b, significantly better than the other system."
        );
        assert_eq!(found[3], "Both measures name a and b as the best systems, tied.");
        data.datasets[0].compared[0].too_few_draws = Some("Too few".to_owned());
        let found = sentences(&data);
        assert_eq!(found[0], "Too few.");
        let end = "tied with b; too few draws were made to say whether a difference is significant.";
        assert!(found[2].ends_with(end), "{found:?}");
    }

    /// Sums of tenths in three orders: a, b and c have the same mean but for rounding.
    #[test]
    fn rounding_makes_no_winner() {
        let means = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1]].map(|own| own.iter().sum::<f64>() / 3.0);
        assert!(means[0] != means[1]);
        let found = sentences(&page([means, [0.9, 0.5, 0.4]], [[0.01; 3]; 2]));
        assert_eq!(found[1], "Under ndcg@10, a is best (0.2000), tied with b and c.");
        assert_eq!(found[3], "The 2 measures name 3 systems as best: a, b and c; a is among the best under each.");
        assert!(found[4].contains("0 differ significantly under every measure, 3 under some measures"), "{found:?}");
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
            found[3..],
            [
                "Both measures name a as the best system at cutoff 10.",
                "By the mean over cutoffs, the best are: b under ndcg; a under ap. The mean over cutoffs decides the orders compared here.",
                "ndcg and ap order the 3 systems differently by the mean over cutoffs (Kendall's tau-b 0.333).",
                "Of 3 pairs at cutoff 10, 1 differs significantly under every measure, 0 under some measures and 2 under no measure; no \
                 pair differs significantly in opposite directions.",
            ]
        );
        // One measure is of the whole list.
        let ap = &mut data.datasets[0].compared[1];
        (ap.cutoffs, ap.means) = (vec!["whole list".to_owned()], ap.means.iter().map(|own| vec![own[0]]).collect());
        assert_eq!(sentences(&data)[3], "Both measures name a as the best system at the cutoffs of ndcg@10 and ap.");
    }

    /// Three measures, of which the third reverses the order of the other two. So two pairs have
    /// tau -1.
    #[test]
    fn all_pairs_that_agree_least_are_named() {
        let mut data = page([[0.9, 0.5, 0.4]; 2], [[0.2; 3]; 2]);
        data.datasets[0].compared.push(samples::compared("rr", [0.1, 0.2, 0.3], [Some(0.2); 3]));
        let said = "2 pairs of measures order the 3 systems least alike: ndcg and rr; ap and rr (Kendall's tau-b -1.000 each).";
        assert!(sentences(&data).contains(&said.to_owned()), "{:?}", sentences(&data));
        let more = ["p", "err", "rbp"].map(|name| samples::compared(name, [0.9, 0.5, 0.4], [Some(0.2); 3]));
        data.datasets[0].compared.extend(more);
        let said = "5 pairs of measures order the 3 systems least alike: for example ndcg and rr (Kendall's tau-b -1.000 each).";
        assert!(sentences(&data).contains(&said.to_owned()), "{:?}", sentences(&data));
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
        assert!(found[1].ends_with("but not significantly better than any of the 6 others."), "{found:?}");
        data.datasets[0].compared[0].p_values[0] = vec![Some(0.01)];
        let found = sentences(&data);
        assert!(found[1].ends_with("significantly better than 1 of the 6 others."), "{found:?}");
    }
}
