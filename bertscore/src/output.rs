//! What the program writes: the values per item, the groups of documents, and the means.

use std::path::Path;

use fivefold_base::printable::printable;
use fivefold_base::words::{counted, which};
use fivefold_data::texts::Texts;
use serde_json::{Value as Json, json};

use crate::counts::Counts;
use crate::evaluate::Evaluation;
use crate::expected::Expected;
use crate::heterogeneity::{Group, Heterogeneity};
use crate::model::Model;
use crate::options::{Measure, Options, name};
use crate::score::Scores;
use crate::settings::Settings;

/// U: a text that equals the reference has the score 1, before and after any rescaling.
const UPPER: f64 = 1.0;

/// The values of all texts as CSV. Without expected values, the columns `expected` and `upper` are
/// left out.
pub(crate) fn values_csv(texts: &Texts, evaluation: &Evaluation, measures: &[Measure]) -> String {
    let mut rows = Vec::new();
    let mut with_expected = false;
    for measure in measures {
        for (document, values) in texts.documents.iter().zip(&evaluation.values) {
            for (system, value) in texts.systems.iter().zip(values) {
                let Some(value) = value else { continue };
                let mut row = [measure.metric(), &document.id, system].map(str::to_owned).to_vec();
                row.push(of(*measure, value.scores).to_string());
                if let Some(expected) = value.expected {
                    with_expected = true;
                    row.extend([of(*measure, expected), UPPER].map(|number| number.to_string()));
                }
                rows.push(row);
            }
        }
    }
    let mut head = vec!["metric", "item", "system", "score"];
    if with_expected {
        head.extend(["expected", "upper"]);
    }
    csv(&head, rows)
}

/// The distance and the group of each document as CSV.
pub(crate) fn heterogeneity_csv(documents: &[Heterogeneity], groups: &[Option<Group>]) -> String {
    let row = |(document, group): (&Heterogeneity, &Option<Group>)| {
        let group = group.map_or("", Group::name);
        let [b2w, w2b, value] = [document.b2w, document.w2b, document.value()].map(|number| number.to_string());
        vec![document.id.clone(), b2w, w2b, value, group.to_owned()]
    };
    csv(&["item", "b2w", "w2b", "heterogeneity", "group"], documents.iter().zip(groups).map(row).collect())
}

fn csv(head: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing into memory does not fail, and all rows have as many fields.
    let _ = writer.write_record(head);
    for row in rows {
        let _ = writer.write_record(row);
    }
    writer.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn of(measure: Measure, scores: Scores) -> f64 {
    match measure {
        Measure::F1 => scores.f1,
        Measure::P => scores.p,
        Measure::R => scores.r,
    }
}

/// The means of an evaluation, with all that they depend on.
pub(crate) struct Report<'r> {
    pub(crate) options: &'r Options,
    pub(crate) model: &'r Model,
    pub(crate) folder: &'r Path,
    pub(crate) settings: &'r Settings,
    pub(crate) texts: &'r Texts,
    pub(crate) evaluation: &'r Evaluation,
}

/// The means of a system, or of all texts.
struct Means {
    texts: usize,
    scores: Scores,
    expected: Option<Scores>,
}

impl Report<'_> {
    fn means(&self, system: Option<usize>) -> Means {
        let values = self.evaluation.values.iter().flat_map(|values| match system {
            Some(system) => &values[system..=system],
            None => &values[..],
        });
        let values: Vec<_> = values.flatten().collect();
        let scores: Vec<Scores> = values.iter().map(|value| value.scores).collect();
        let expected: Option<Vec<Scores>> = values.iter().map(|value| value.expected).collect();
        Means {
            texts: scores.len(),
            scores: Scores::mean(&scores),
            expected: expected.filter(|expected| !expected.is_empty()).map(|expected| Scores::mean(&expected)),
        }
    }

    /// The standard error of the mean E of F1 over documents.
    fn error(&self) -> Option<f64> {
        let errors: Option<Vec<f64>> = self.evaluation.errors.iter().copied().collect();
        let errors = errors.filter(|errors| !errors.is_empty())?;
        Some(errors.iter().map(|error| error * error).sum::<f64>().sqrt() / errors.len() as f64)
    }

    fn layer(&self) -> usize {
        self.settings.layer.unwrap_or(self.model.config().num_hidden_layers)
    }

    /// The conventions, in the order of the options.
    fn conventions(&self) -> Vec<(&'static str, String)> {
        let expected = match self.settings.expected {
            Expected::Random => {
                format!("random ({}, seed {})", counted(self.settings.draws, "draw"), self.settings.seed)
            }
            kind => kind.name().to_owned(),
        };
        let baseline =
            self.settings.baseline.as_ref().map_or_else(|| "no".to_owned(), |baseline| baseline.name.clone());
        vec![
            ("layer", self.layer().to_string()),
            ("references", name(&self.options.combine_references)),
            ("idf", which(usize::from(self.settings.idf), "yes", "no").to_owned()),
            ("special", name(&self.options.special)),
            ("rescaled", baseline),
            ("expected", expected),
            ("upper", "one".to_owned()),
            ("documents", name(&self.options.documents)),
        ]
    }

    /// A small table for the screen.
    pub(crate) fn text(&self) -> String {
        let names: Vec<String> = self.texts.systems.iter().map(|name| printable(name).to_string()).collect();
        let width = names.iter().map(|name| name.chars().count()).chain([6]).max().unwrap_or(6);
        let mut out = format!(
            "BERTScore of {} by {} ({}).\n\n",
            counted(self.evaluation.counts.candidates, "text"),
            printable(&self.folder.display().to_string()),
            counted(self.texts.documents.len(), "document"),
        );
        let all = self.means(None);
        let head: &[&str] = if all.expected.is_some() { &["P", "R", "F1", "E of F1"] } else { &["P", "R", "F1"] };
        out.push_str(&format!("{:<width$}  {:>5}", "system", "texts"));
        head.iter().for_each(|head| out.push_str(&format!("  {head:>8}")));
        out.push('\n');
        let mut line = |name: &str, means: &Means| {
            let pad = width - name.chars().count().min(width);
            out.push_str(&format!("{name}{}  {:>5}", " ".repeat(pad), means.texts));
            let numbers = means.scores.array().into_iter().chain(means.expected.map(|expected| expected.f1));
            // A system without a text has no mean.
            numbers.for_each(|number| match means.texts {
                0 => out.push_str(&format!("  {:>8}", "none")),
                _ => out.push_str(&format!("  {number:>8.6}")),
            });
            out.push('\n');
        };
        for (system, name) in names.iter().enumerate() {
            line(name, &self.means(Some(system)));
        }
        line("all", &all);
        out.push('\n');
        if let Some(error) = self.error() {
            out.push_str(&format!("The mean E of F1 over documents has the standard error {error:.6} of its draws.\n"));
        }
        for note in notes(&self.evaluation.counts, self.settings.expected) {
            out.push_str(&note);
            out.push('\n');
        }
        let conventions: Vec<String> = self.conventions().iter().map(|(key, value)| format!("{key} {value}")).collect();
        out.push_str(&format!("Conventions: {}.\nWeights: sha256 {}.\n", conventions.join(", "), self.model.sha256()));
        match &self.options.out {
            Some(path) => {
                out.push_str(&format!("The values per item are in {}.\n", printable(&path.display().to_string())))
            }
            None => out.push_str("Give --out FILE for the values per item, from which fivefold makes V1 and V2.\n"),
        }
        out
    }

    /// The same as JSON.
    pub(crate) fn json(&self) -> String {
        let scores = |scores: Scores| json!({ "p": scores.p, "r": scores.r, "f1": scores.f1 });
        let means = |means: &Means| match means.texts {
            0 => json!({ "texts": 0, "score": null, "expected": null }),
            _ => json!({ "texts": means.texts, "score": scores(means.scores), "expected": means.expected.map(scores) }),
        };
        let systems: serde_json::Map<String, Json> = self
            .texts
            .systems
            .iter()
            .enumerate()
            .map(|(place, name)| (name.clone(), means(&self.means(Some(place)))))
            .collect();
        let baseline = self.settings.baseline.as_ref();
        let counts = &self.evaluation.counts;
        let config = self.model.config();
        let value = json!({
            "model": {
                "folder": self.folder.display().to_string(),
                "sha256": self.model.sha256(),
                "type": config.model_type,
                "layers": config.num_hidden_layers,
                "width": config.hidden_size,
            },
            "conventions": {
                "layer": self.layer(),
                "references": name(&self.options.combine_references),
                "idf": self.settings.idf,
                "special": name(&self.options.special),
                "baseline": baseline.map(|baseline| json!({ "name": baseline.name, "score": scores(baseline.scores) })),
                "expected": self.settings.expected.name(),
                "draws": (self.settings.expected == Expected::Random).then_some(self.settings.draws),
                "seed": self.settings.seed,
                "upper": UPPER,
                "documents": name(&self.options.documents),
            },
            "systems": systems,
            "all": means(&self.means(None)),
            "expected_f1_standard_error": self.error(),
            "counts": {
                "documents": self.texts.documents.len(),
                "candidates": counts.candidates,
                "references": counts.references,
                "missing": counts.missing,
                "cut": {
                    "candidates": counts.cut_candidates,
                    "references": counts.cut_references,
                    "sources": counts.cut_sources,
                },
                "empty": {
                    "candidates": counts.empty_candidates,
                    "references": counts.empty_references,
                    "sources": counts.empty_sources,
                },
                "short_sources": counts.short_sources,
            },
        });
        format!("{value:#}\n")
    }
}

/// A line for each count that a reader must know.
fn notes(counts: &Counts, expected: Expected) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |count: usize, noun: &str, one: &str, many: &str| {
        if count > 0 {
            notes.push(format!("{} {}.", counted(count, noun), which(count, one, many)));
        }
    };
    note(counts.missing, "text", "is missing, and has no value", "are missing, and have no value");
    let cut = "lost the tokens beyond the model's last position";
    note(counts.cut_candidates, "candidate", cut, cut);
    note(counts.cut_references, "reference", cut, cut);
    if matches!(expected, Expected::B2w | Expected::W2b) {
        note(counts.cut_sources, "source", cut, cut);
    }
    note(
        counts.empty_candidates,
        "candidate",
        "has no token that counts: its score is 0",
        "have no token that counts: their scores are 0",
    );
    note(
        counts.empty_references,
        "reference",
        "has no token that counts: scores with it are 0",
        "have no token that counts: scores with them are 0",
    );
    note(counts.empty_sources, "source", "has no token: its E is 0", "have no token: their E is 0");
    let short = "fewer distinct tokens than a reference has tokens, so the text of its E is shorter";
    note(counts.short_sources, "source", &format!("has {short}"), &format!("have {short}"));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_said_in_sentences() {
        let counts = Counts { missing: 1, cut_references: 2, empty_sources: 1, cut_sources: 5, ..Counts::default() };
        let expected = [
            "1 text is missing, and has no value.",
            "2 references lost the tokens beyond the model's last position.",
            "1 source has no token: its E is 0.",
        ];
        assert_eq!(notes(&counts, Expected::Random), expected);
        assert_eq!(notes(&counts, Expected::W2b).len(), 4);
        assert!(notes(&Counts::default(), Expected::W2b).is_empty());
    }

    #[test]
    fn groups_are_a_column() {
        let document = Heterogeneity { id: "a,b".to_owned(), b2w: 0.5, w2b: 0.75 };
        let csv = heterogeneity_csv(&[document.clone(), document], &[Some(Group::HeteDoc), None]);
        assert_eq!(csv, "item,b2w,w2b,heterogeneity,group\n\"a,b\",0.5,0.75,0.25,HeteDoc\n\"a,b\",0.5,0.75,0.25,\n");
    }
}
