//! The weights that fusions have learnt on validation parts, a row for each fold.

use fivefold_analysis::{Cell, Table};

use crate::config::{FusionConfig, ScoreSource, learnt_weights};
use crate::manifest::Manifest;

/// Decimals of a value of a measure.
const DIGITS: u8 = 4;

/// The table of all learnt weights. Empty if no fusion has learnt any.
pub(crate) fn tables(manifest: &Manifest) -> Vec<Table> {
    let mut rows = Vec::new();
    for job in &manifest.jobs {
        let ranker = &manifest.experiment.rankers[job.ranker];
        let ScoreSource::Fusion(FusionConfig { of, weights_by: Some(measure), .. }) = &ranker.source else { continue };
        let head = [Cell::text(&manifest.datasets[job.dataset].label), Cell::text(&ranker.label)];
        let found = job.chosen.as_ref().and_then(|chosen| Some((chosen, learnt_weights(&chosen.setting)?)));
        let rest = match found {
            Some((chosen, weights)) => {
                let words = of.iter().zip(&weights).map(|(label, weight)| format!("{label} {weight:.3}"));
                [
                    Cell::Text(words.collect::<Vec<_>>().join(", ")),
                    Cell::text(measure.to_string()),
                    Cell::number(chosen.value, DIGITS),
                    Cell::Count(chosen.settings as u64),
                ]
            }
            None => [Cell::text("FAILED"), Cell::text(measure.to_string()), Cell::na(), Cell::na()],
        };
        rows.push(head.into_iter().chain([Cell::text(job.fold_name())]).chain(rest).collect());
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let notes = vec![
        "value: mean of the fusion on the validation part, the highest of all weights that were tried, so it is too high \
         as an estimate of quality; tried: by coordinate search (`fivefold book reference/fusion`)"
            .to_owned(),
    ];
    let columns = ["data set", "fusion", "fold", "weights", "measure", "value", "tried"];
    vec![
        Table::new("fusion-weights", "Weights that were learnt on validation parts", columns, 3)
            .with_rows(rows)
            .with_notes(notes),
    ]
}
