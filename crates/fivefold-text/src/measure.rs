//! The full name of a text measure, with parameters: `rouge1`, `rouge2.v2`,
//! `rougeL.v1(value=recall,references=mean)`.
//!
//! Grammar, as that of ranking measures without a cutoff: `name`, then in any order at most one
//! version (`.v1`, `.v2`) and one list of parameters (`(a=x, b=y)`). A name is printed in one form
//! only, `name[.version][(parameters)]`, with the parameters in the order of [`PARAMS`]. A
//! parameter that has its default is not printed. Names as other programs write them (`ROUGE-1`,
//! `rouge-l`, `rouge_2`) are read too.

use std::fmt;
use std::str::FromStr;

use fivefold_base::Version;
use serde::{Deserialize, Serialize};

use crate::error::TextError;
use crate::settings::{Length, Metric, Model, PARAMS, References, Settings, Upper, Value};

/// A metric of texts, a version of it, and all its parameters.
///
/// ```
/// use fivefold_text::{TextMeasure, Version};
///
/// // Printed in one form, whatever the order that it was written in.
/// let measure: TextMeasure = "ROUGE-L(references=mean, value=recall).v1".parse()?;
/// assert_eq!(measure.to_string(), "rougeL.v1(value=recall,references=mean)");
/// assert_eq!(measure.version(), Version::V1);
/// # Ok::<(), fivefold_text::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextMeasure {
    metric: Metric,
    version: Version,
    settings: Settings,
}

impl TextMeasure {
    /// A measure from its parts.
    ///
    /// # Errors
    /// If parameters exclude each other: `pool` with another value than recall, `upper=source` for
    /// another metric than ROUGE-1, or a length for `mismatch`.
    pub fn new(metric: Metric, version: Version, settings: Settings) -> Result<Self, TextError> {
        let measure = TextMeasure { metric, version, settings };
        let problem = if metric == Metric::Grams(0) {
            "the shortest N-gram has one token"
        } else if settings.references == References::Pool && settings.value != Value::Recall {
            "`references=pool` is for recall only; add `value=recall`"
        } else if settings.upper == Upper::Source && metric != Metric::Grams(1) {
            "`upper=source` is for `rouge1` only"
        } else if settings.model == Model::Mismatch && settings.length != Length::Reference {
            "`length` has no effect with `model=mismatch`, whose summaries have lengths of their own; leave it out"
        } else {
            return Ok(measure);
        };
        Err(TextError::Combination { measure: measure.to_string(), problem })
    }

    /// What is matched.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// All parameters.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The same measure in another version.
    #[must_use]
    pub fn with_version(&self, version: Version) -> Self {
        TextMeasure { version, ..self.clone() }
    }

    /// The original measure: the same name without the version.
    #[must_use]
    pub fn base(&self) -> Self {
        self.with_version(Version::Original)
    }

    /// Whether the version that the name asks for needs the source of each document.
    pub fn needs_source(&self) -> bool {
        let of_source = self.settings.model != Model::Mismatch || self.settings.upper == Upper::Source;
        self.version != Version::Original && of_source
    }

    /// The metric with every parameter written out, also those that have their defaults.
    ///
    /// ```
    /// let measure: fivefold_text::TextMeasure = "rouge1.v2".parse()?;
    /// assert!(measure.conventions().starts_with("rouge1: value=f1, references=first, empty=zero, model=unigram"));
    /// # Ok::<(), fivefold_text::TextError>(())
    /// ```
    pub fn conventions(&self) -> String {
        let all: Vec<String> =
            PARAMS.iter().map(|param| format!("{}={}", param.name, (param.get)(&self.settings))).collect();
        format!("{}: {}", self.metric, all.join(", "))
    }
}

impl fmt::Display for TextMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.metric)?;
        if self.version != Version::Original {
            write!(f, ".{}", self.version)?;
        }
        let default = Settings::default();
        let (mut mark, mut end) = ("(", "");
        for param in PARAMS {
            let value = (param.get)(&self.settings);
            if value != (param.get)(&default) {
                write!(f, "{mark}{}={value}", param.name)?;
                (mark, end) = (",", ")");
            }
        }
        f.write_str(end)
    }
}

impl FromStr for TextMeasure {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let syntax = |problem: &str| TextError::Syntax { text: text.to_owned(), problem: problem.to_owned() };
        let (name, mut rest) = text.split_at(text.find(['.', '(', '@']).unwrap_or(text.len()));
        let metric = read_metric(name.trim_end())?;
        let (mut version, mut settings) = (None, None);
        while let Some(mark) = rest.chars().next() {
            let body = &rest[mark.len_utf8()..];
            let repeated = match mark {
                '.' => {
                    let (word, after) = body.split_at(body.find(['.', '(', '@']).unwrap_or(body.len()));
                    rest = after;
                    version.replace(read_version(word.trim(), metric)?).is_some()
                }
                '(' => {
                    let (list, after) = body.split_once(')').ok_or_else(|| syntax("`(` is never closed"))?;
                    rest = after.trim_start();
                    settings.replace(read_params(metric, list, syntax)?).is_some()
                }
                '@' => return Err(syntax("a text measure takes no cutoff")),
                _ => return Err(syntax(&format!("`{mark}` is not expected after `)`"))),
            };
            if repeated {
                return Err(syntax(&format!("`{mark}` stands twice")));
            }
        }
        TextMeasure::new(metric, version.unwrap_or(Version::Original), settings.unwrap_or_default())
    }
}

impl Serialize for TextMeasure {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TextMeasure {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Metrics that are known and not computed, by their names in small letters without marks.
const NOT_COMPUTED: &[(&str, &str)] = &[
    (
        "rougelsum",
        "it joins the longest common subsequences of each pair of sentences, and a sentence is a line of the text; \
         `rougeL` takes each whole text as one sequence",
    ),
    ("rougew", "it weights runs in the longest common subsequence; `rougeL` counts all matches alike"),
    ("rouges", "it matches pairs of tokens with gaps; `rouge2` matches adjacent tokens"),
    ("rougesu", "it matches pairs of tokens with gaps, and single tokens; `rouge1` and `rouge2` are"),
    ("bleu", "give its values in a file, with their expected values"),
    ("meteor", "give its values in a file, with their expected values"),
    ("chrf", "give its values in a file, with their expected values"),
    ("bertscore", "it needs the weights of a model; give its values in a file, with their expected values"),
];

fn read_metric(name: &str) -> Result<Metric, TextError> {
    let plain: String = name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect();
    match plain.strip_prefix("rouge") {
        Some("l") => return Ok(Metric::Lcs),
        // A number of up to four digits: no text has longer N-grams worth a match.
        Some(order) if (1..=4).contains(&order.len()) && order.bytes().all(|digit| digit.is_ascii_digit()) => {
            match order.parse() {
                Ok(order) if order > 0 => return Ok(Metric::Grams(order)),
                _ => {}
            }
        }
        _ => {}
    }
    let without_digits = plain.trim_end_matches(|c: char| c.is_ascii_digit() || c == '*' || c == '.');
    if let Some((_, reason)) = NOT_COMPUTED.iter().find(|(known, _)| *known == without_digits) {
        return Err(TextError::NotComputed { name: name.to_owned(), reason });
    }
    let what = "text measure";
    if plain.starts_with("rouge") {
        let help = "known names: rougeL, and rouge1, rouge2, ... for N-grams of N tokens".to_owned();
        return Err(TextError::Unknown { what: what.to_owned(), name: name.to_owned(), help });
    }
    Err(TextError::unknown(what, name, ["rouge1", "rouge2", "rougeL"]))
}

fn read_version(word: &str, metric: Metric) -> Result<Version, TextError> {
    let value = match word {
        "f" | "f1" | "fmeasure" => "f1",
        "r" | "recall" => "recall",
        "p" | "precision" => "precision",
        _ => return named_version(word),
    };
    let help = format!("write `{metric}(value={value})`");
    Err(TextError::Unknown { what: "version".to_owned(), name: word.to_owned(), help })
}

fn named_version(word: &str) -> Result<Version, TextError> {
    match word.parse()? {
        // The original is written without a version, so that a measure has only one name.
        Version::Original => Err(TextError::unknown("version", word, ["v1", "v2"])),
        version => Ok(version),
    }
}

fn read_params(metric: Metric, list: &str, syntax: impl Fn(&str) -> TextError) -> Result<Settings, TextError> {
    let mut settings = Settings::default();
    let mut seen = Vec::new();
    for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let (name, value) = item.split_once('=').ok_or_else(|| syntax(&format!("`{item}` has no `=`")))?;
        let (name, value) = (name.trim(), value.trim());
        let Some(param) = PARAMS.iter().find(|param| param.name == name) else {
            return Err(TextError::unknown(
                format!("parameter of `{metric}`"),
                name,
                PARAMS.iter().map(|param| param.name),
            ));
        };
        (param.set)(&mut settings, value).ok_or_else(|| TextError::Value {
            measure: metric.to_string(),
            param: param.name,
            value: value.to_owned(),
            must_be: param.values,
        })?;
        if seen.contains(&name) {
            return Err(syntax(&format!("parameter `{name}` stands twice")));
        }
        seen.push(name);
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        let measure: TextMeasure = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let printed = measure.to_string();
        assert_eq!(printed.parse::<TextMeasure>().unwrap(), measure);
        printed
    }

    fn error(text: &str) -> String {
        text.parse::<TextMeasure>().unwrap_err().to_string()
    }

    #[test]
    fn names_round_trip_in_one_form() {
        for text in [
            "rouge1",
            "rouge12",
            "rougeL",
            "rouge2.v2",
            "rougeL.v1(value=recall,references=mean,model=sample)",
            "rouge1.v2(length=fixed:60,upper=source,clip=zero)",
            "rougeL.v2(tokeniser=space,stemmer=none,draws=200)",
            "rouge1(value=recall,references=pool,empty=skip,length=candidate)",
        ] {
            assert_eq!(canonical(text), text);
        }
        for (theirs, ours) in [
            ("ROUGE-1", "rouge1"),
            ("rouge-l", "rougeL"),
            ("Rouge_2", "rouge2"),
            ("RougeL", "rougeL"),
            ("rouge-2.v1", "rouge2.v1"),
            (" rouge1( model = sample , value=recall ).v1 ", "rouge1.v1(value=recall,model=sample)"),
            ("rouge1(value=f1,draws=1000,length=reference)", "rouge1"),
            ("rouge1(length=fixed: 060)", "rouge1(length=fixed:60)"),
            ("rouge1()", "rouge1"),
        ] {
            assert_eq!(canonical(theirs), ours);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(error("rogue1"), "unknown text measure `rogue1`; did you mean `rouge1`?");
        assert_eq!(error("zzzzzz"), "unknown text measure `zzzzzz`; known names: rouge1, rouge2, rougeL");
        for name in ["rouge", "rouge0", "ROUGE-N", "rouge12345"] {
            let help = "known names: rougeL, and rouge1, rouge2, ... for N-grams of N tokens";
            assert_eq!(error(name), format!("unknown text measure `{name}`; {help}"));
        }
        assert_eq!(error("rouge1(vlaue=f1)"), "unknown parameter of `rouge1` `vlaue`; did you mean `value`?");
        assert_eq!(
            error("rouge1(cutoff=3)"),
            "unknown parameter of `rouge1` `cutoff`; known names: value, references, empty, model, length, upper, \
             clip, tokeniser, stemmer, draws"
        );
        assert_eq!(error("rougeL(value=f2)"), "`value` of `rougeL` must be f1, recall or precision, not `f2`");
        assert!(error("rougeL(draws=1)").contains("a whole number from 2"));
        assert!(error("rouge1(length=fixed:0)").contains("such as fixed:60"));
        assert_eq!(error("rouge1.v3"), "unknown version `v3`; did you mean `v1`?");
        assert_eq!(error("rouge1.recall"), "unknown version `recall`; write `rouge1(value=recall)`");
        assert!(error("rouge1@5").contains("takes no cutoff"));
        assert!(error("rouge1(value=f1").contains("never closed"));
        assert!(error("rouge1.v1.v2").contains("`.` stands twice"));
        assert!(error("rouge1(value=f1,value=f1)").contains("parameter `value` stands twice"));
        assert!(error("rouge1(value)").contains("`value` has no `=`"));
        assert!(error("rouge1()x").contains("`x` is not expected"));
    }

    #[test]
    fn parameters_that_exclude_each_other_are_refused() {
        assert!(error("rouge1(references=pool)").contains("add `value=recall`"));
        assert!(error("rouge2.v2(upper=source)").contains("is for `rouge1` only"));
        assert!(error("rouge1.v2(model=mismatch,length=candidate)").contains("has no effect"));
        let none = TextMeasure::new(Metric::Grams(0), Version::Original, Settings::default());
        assert!(none.unwrap_err().to_string().contains("has one token"));
    }

    #[test]
    fn metrics_of_others_are_explained() {
        for name in ["rougeLsum", "rouge-Lsum", "ROUGE-LSum", "rouge_lsum"] {
            assert!(error(name).contains("`rougeL` takes each whole text as one sequence"), "{}", error(name));
        }
        assert!(error("ROUGE-SU4").contains("with gaps, and single tokens"));
        assert!(error("ROUGE-W-1.2").contains("weights runs"), "{}", error("ROUGE-W-1.2"));
        assert!(error("BERTScore").contains("give its values in a file"));
        assert!(error("bleu").contains("give its values in a file"));
    }

    #[test]
    fn names_are_what_files_hold() {
        let measure: TextMeasure = serde_json::from_str("\"ROUGE-2.v2(clip=zero)\"").unwrap();
        assert_eq!(serde_json::to_string(&measure).unwrap(), "\"rouge2.v2(clip=zero)\"");
        assert!(serde_json::from_str::<TextMeasure>("\"rouge\"").is_err());
    }
}
