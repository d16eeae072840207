//! The findings of the study, in sentences.

use fivefold_analysis::page::PagePart;
use fivefold_base::words::{counted, list_some, which};

use super::discount::DiscountType;
use super::tables::{Measured, Shown};

impl Shown<'_> {
    /// The findings: the measures that keep the order of rankers, and the results for each measure.
    pub(super) fn in_words(&self) -> PagePart {
        let mut sentences: Vec<String> = self.least_and_most().into_iter().collect();
        sentences.extend(self.measures.iter().enumerate().map(|(index, measure)| self.of_measure(index, measure)));
        sentences.push(format!(
            "Systems are ordered by means over {}; no difference is tested for significance.",
            counted(self.study.trials, "trial")
        ));
        PagePart { heading: None, sentences }
    }

    /// The measures under which rankers change places least and most often.
    fn least_and_most(&self) -> Option<String> {
        let crossings: Vec<usize> = self.measures.iter().map(Measured::crossings).collect();
        let (least, most) = (*crossings.iter().min()?, *crossings.iter().max()?);
        let under = |count: usize| {
            let measures = self.measures.iter().zip(&crossings).filter(|(_, own)| **own == count);
            list_some(&measures.map(|(measure, _)| measure.name.as_str()).collect::<Vec<_>>())
        };
        let pairs = counted(self.measures.first()?.pairs.len(), "pair of rankers");
        (least < most).then(|| {
            format!(
                "From n = {} on, the {pairs} change places least often under {} ({}) and most often under {} ({}).",
                self.study.from,
                under(least),
                times(least),
                under(most),
                times(most)
            )
        })
    }

    fn of_measure(&self, index: usize, measure: &Measured) -> String {
        let pairs = measure.pairs.len();
        let crossing = measure.crossing().count();
        let order = match measure.last_crossing() {
            _ if pairs == 0 => "there is no pair of rankers".to_owned(),
            None => format!("no pair of rankers changes places from n = {} on", self.study.from),
            Some(last) => format!(
                "{crossing} of {} {} places, {} in all, the last time at n = {last}",
                counted(pairs, "pair of rankers"),
                which(crossing, "changes", "change"),
                times(measure.crossings())
            ),
        };
        let kind = match measure.verdict.as_ref().and_then(|verdict| verdict.kind) {
            Some(DiscountType::One) => " (its discount lets the top decide: type 1)",
            Some(DiscountType::Two) => " (its discount lets every part count alike: type 2)",
            Some(DiscountType::Three) => " (its discount lets every part count, the upper ones more: type 3)",
            None => "",
        };
        let limits = self
            .farthest_from_limit(index, measure)
            .map(|far| format!("; at n = {} no mean is farther than {far:.4} from its limit", self.study.documents));
        format!("Under {}{kind}, {order}{}.", measure.name, limits.unwrap_or_default())
    }

    fn farthest_from_limit(&self, index: usize, measure: &Measured) -> Option<f64> {
        let limits = measure.limits.as_ref()?;
        let far = self.curves.last(index).zip(limits).map(|(spread, limit)| (spread.mean - limit).abs());
        far.reduce(f64::max).filter(|far| far.is_finite())
    }
}

fn times(count: usize) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        _ => format!("{count} times"),
    }
}
