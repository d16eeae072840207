//! The findings of the study, in sentences.

use fivefold_analysis::page::PagePart;
use fivefold_base::rounding::{highest, levels};
use fivefold_base::words::{counted, list_some, which};
use fivefold_stats::kendall_tau_b;

use super::compute::{Gains, Numbers};
use crate::study::StudyError;

/// The findings under one measure.
pub(super) fn of_measure(names: &[String], measure: &str, numbers: &Numbers) -> Result<PagePart, StudyError> {
    let means = numbers.means(&numbers.values);
    let best = highest(&means);
    let words = Words { names, measure, numbers, means, best };
    let mut sentences = vec![words.of_the_measure()];
    for gains in &numbers.experiments {
        sentences.push(words.of_experiment(gains)?);
    }
    sentences.push("Differences are not tested for significance here.".to_owned());
    Ok(PagePart { heading: Some(measure.to_owned()), sentences })
}

struct Words<'a> {
    names: &'a [String],
    measure: &'a str,
    numbers: &'a Numbers,
    /// Means of the measure, and the systems with the highest mean.
    means: Vec<f64>,
    best: Vec<usize>,
}

impl Words<'_> {
    fn list(&self, systems: &[usize]) -> String {
        list_some(&systems.iter().map(|&system| self.names[system].as_str()).collect::<Vec<_>>())
    }

    fn of_the_measure(&self) -> String {
        let mean = self.means[self.best[0]];
        format!(
            "{} {} the best of {} under {} alone ({mean:.4}).",
            self.list(&self.best),
            which(self.best.len(), "is", "are"),
            counted(self.names.len(), "system"),
            self.measure
        )
    }

    /// The systems that add most and least, the place of the best system by the measure, and the
    /// agreement of the two orders.
    fn of_experiment(&self, gains: &Gains) -> Result<String, StudyError> {
        let means = self.numbers.means(&gains.residual);
        let most = highest(&means);
        let least = highest(&means.iter().map(|mean| -mean).collect::<Vec<_>>());
        let head = format!("After {} ({})", gains.experiment.before, gains.experiment.name);
        let cases = self.numbers.queries * self.names.len();
        let left = match gains.exhausted {
            0 => String::new(),
            some => format!(" Nothing was left to add in {some} of {cases} queries x systems."),
        };
        if most.len() == means.len() {
            return Ok(format!("{head} all systems add the same ({:.4}).{left}", means[0]));
        }
        let adds = |systems: &[usize]| format!("{} {}", self.list(systems), which(systems.len(), "adds", "add"));
        let (highest, lowest) = (means[most[0]], means[least[0]]);
        let mut words =
            format!("{head} {} most ({highest:.4}) and {} least ({lowest:.4}).", adds(&most), self.list(&least));
        let levels = levels(&means);
        let of_best = self.best.iter().map(|&system| levels[system]).fold(f64::NEG_INFINITY, f64::max);
        match levels.iter().filter(|&&level| level > of_best).count() {
            0 => {}
            more => {
                words += &format!(
                    " {} {of_best:.4}, less than {}.",
                    adds(&self.best),
                    which(more, "1 other system", &format!("{more} other systems"))
                );
            }
        }
        if let Some(tau) = kendall_tau_b(&means, &self.means)? {
            words += &format!(" Kendall's tau-b of this order with the order by {}: {tau:.3}.", self.measure);
        }
        Ok(words + &left)
    }
}
