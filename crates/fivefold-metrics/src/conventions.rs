//! The conventions in which evaluation programs differ. Each convention is an enum, and each
//! variant has a word for experiment files. [`Conventions`] holds one variant of each enum.
//!
//! A dialect ([`mod@crate::dialect`]) is a complete set of conventions under a name. An experiment
//! file overrides single conventions with [`Overrides`]. A parameter in a measure's name
//! (`ndcg(gain=linear)`) overrides a convention for this measure alone.

use std::fmt;
use std::str::FromStr;

use fivefold_base::GradeScale;
use serde::{Deserialize, Serialize};

use crate::MeasureError;

/// An enum whose values are words, the same in TOML, in measure names and in print.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident, $what:literal, { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// All words, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word for this value.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::MeasureError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok($name::$variant),)+
                    _ => Err($crate::MeasureError::unknown($what, text, Self::WORDS.iter().copied())),
                }
            }
        }
    };
}
pub(crate) use words;

/// Reading and writing of types as the text that they print.
macro_rules! written {
    ($($name:ident),+) => {
        $(impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        })+
    };
}

words! {
    /// The gain of a document of grade y.
    Gain, "gain", {
        /// 2^y - 1.
        Exp2 = "exp2",
        /// y.
        Linear = "linear",
    }
}

words! {
    /// The order of documents with equal scores.
    ///
    /// ```
    /// use fivefold_metrics::Seed;
    /// use fivefold_metrics::{Conventions, Evaluator, Scratch, Ties, dialect};
    ///
    /// // Two documents tie, and the second is relevant: reciprocal rank 1/2, 1, or the mean of both.
    /// for (ties, expected) in [(Ties::Pessimistic, 0.5), (Ties::Optimistic, 1.0), (Ties::Average, 0.75)] {
    ///     let conventions = Conventions { ties, ..dialect("paper")?.conventions() };
    ///     let evaluator = Evaluator::new(&["rr".parse()?], &conventions, 1, Seed::new(1))?;
    ///     let (query, mut value) = (evaluator.judge("q1", &[0, 1], None)?, [0.0]);
    ///     evaluator.evaluate(&query, &[0.5, 0.5], &mut Scratch::default(), &mut value)?;
    ///     assert_eq!(value, [expected]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Ties, "tie policy", {
        /// The mean over all their orders, in closed form (after McSherry & Najork, ECIR 2008).
        Average = "average",
        /// File order.
        Input = "input",
        /// Lower grade first.
        Pessimistic = "pessimistic",
        /// Higher grade first.
        Optimistic = "optimistic",
        /// Document id, bytewise descending, as trec_eval.
        DocId = "docid",
        /// A random order that depends on the seed, the query id and the document ids only.
        Shuffle = "shuffle",
    }
}

impl Ties {
    /// Whether documents need ids, since these order documents of equal score.
    pub fn need_ids(self) -> bool {
        matches!(self, Ties::DocId | Ties::Shuffle)
    }
}

words! {
    /// How a mean counts an undefined value.
    ///
    /// ```
    /// use fivefold_metrics::{Undefined, mean};
    ///
    /// // The second query has no value.
    /// let values = [0.5, f64::NAN];
    /// assert_eq!(mean(&values, Undefined::Zero).value, 0.25);
    /// assert_eq!(mean(&values, Undefined::One).value, 0.75);
    /// assert_eq!(mean(&values, Undefined::Skip).value, 0.5);
    /// ```
    Undefined, "policy for undefined values", {
        /// 0, as in the LETOR scripts and trec_eval.
        Zero = "zero",
        /// 1, as in LightGBM and XGBoost.
        One = "one",
        /// The query is left out.
        Skip = "skip",
    }
}

words! {
    /// The denominator of AP. Without a cutoff it is always the number of relevant documents.
    ApDenominator, "denominator of AP", {
        /// The cutoff k (Feng & Karmaker, Eq. 3).
        Cutoff = "cutoff",
        /// The number of relevant documents (trec_eval's `map_cut`).
        Relevant = "relevant",
        /// min(k, relevant documents), as LightGBM.
        Min = "min",
    }
}

words! {
    /// The denominator of P@k.
    PDenominator, "denominator of P", {
        /// The cutoff k, also if the query has fewer documents.
        Cutoff = "cutoff",
        /// min(k, documents), as RankLib.
        List = "list",
    }
}

words! {
    /// The upper bound U of the sum of precision.
    SpUpper, "upper bound", {
        /// The cutoff k (Feng & Karmaker); without a cutoff, the number of judged documents.
        Cutoff = "cutoff",
        /// The value of the ideal order, min(k, relevant documents).
        Ideal = "ideal",
    }
}

words! {
    /// The expected value E of the sum of precision.
    SpExpected, "expected value", {
        /// The mean over all orders.
        Exact = "exact",
        /// K p^2: precision and relevance taken as independent (Feng & Karmaker, sec. 6.4.1).
        Independent = "independent",
    }
}

words! {
    /// The value of nDCG@k if a query has fewer than k documents.
    ShortList, "rule for short lists", {
        /// nDCG@k over the documents that the query has.
        Cut = "cut",
        /// 0, as in the LETOR scripts.
        Zero = "zero",
    }
}

words! {
    /// How the value of a collection is averaged.
    ///
    /// ```
    /// use fivefold_metrics::{FoldMean, Undefined, mean_over_folds};
    ///
    /// // A fold of three queries and one of a single query.
    /// let folds: [&[f64]; 2] = [&[0.5, 0.5, 0.5], &[1.0]];
    /// assert_eq!(mean_over_folds(&folds, FoldMean::Queries, Undefined::Zero).value, 0.625);
    /// assert_eq!(mean_over_folds(&folds, FoldMean::Folds, Undefined::Zero).value, 0.75);
    /// ```
    FoldMean, "mean over folds", {
        /// Over all queries, whatever their fold.
        Queries = "queries",
        /// The mean of the fold means, so that a query of a small fold weighs more.
        Folds = "folds",
    }
}

words! {
    /// How a mean counts a topic of the qrels that a run lacks.
    MissingTopics, "policy for missing topics", {
        /// 0, as in `trec_eval -c`: nothing was retrieved for it.
        Zero = "zero",
        /// The topic is left out of the run's mean, as in trec_eval without `-c`.
        Skip = "skip",
    }
}

words! {
    /// How a retrieved document counts that was not judged.
    ///
    /// ```
    /// use fivefold_base::Assessment;
    /// use fivefold_metrics::conventions::Unjudged;
    /// use fivefold_metrics::{Conventions, Evaluator, Scratch, Seed, dialect};
    ///
    /// // The second of two relevant documents stands at rank 3, behind one that was not judged.
    /// let retrieved = [Some(1), None, Some(1)].map(Assessment::from);
    /// for (unjudged, expected) in [(Unjudged::NotRelevant, (1.0 + 2.0 / 3.0) / 2.0), (Unjudged::Removed, 1.0)] {
    ///     let conventions = Conventions { unjudged, ..dialect("paper")?.conventions() };
    ///     let evaluator = Evaluator::new(&["ap".parse()?], &conventions, 1, Seed::new(1))?;
    ///     let (topic, mut value) = (evaluator.judge_pool("1", &[1, 1], &retrieved, None)?, [0.0]);
    ///     evaluator.evaluate(&topic, &[3.0, 2.0, 1.0], &mut Scratch::default(), &mut value)?;
    ///     assert_eq!(value, [expected]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Unjudged, "policy for unjudged documents", {
        /// As a document that is not relevant.
        NotRelevant = "not-relevant",
        /// The document is removed from the ranking, as by `trec_eval -J`.
        Removed = "removed",
    }
}

words! {
    /// The precision with which scores are compared.
    Scores, "precision of scores", {
        /// As 64-bit floats.
        F64 = "f64",
        /// As 32-bit floats, so that scores that agree in seven digits tie.
        F32 = "f32",
    }
}

words! {
    /// AP of documents that tie, if `ties` is `average`.
    ApTies, "rule for ties in AP", {
        /// The mean over all their orders.
        Orders = "orders",
        /// Precision after the last document of the group, as if all were retrieved at once
        /// (scikit-learn).
        Threshold = "threshold",
    }
}

words! {
    /// The value of a query without a relevant document.
    NoRelevant, "value without relevant documents", {
        /// The value is undefined, and counts as the convention `undefined` says.
        Undefined = "undefined",
        /// 0.
        Zero = "zero",
    }
}

impl NoRelevant {
    /// The [`Measure::normaliser`](crate::Measure::normaliser) of a query without a relevant
    /// document.
    pub(crate) fn normaliser(self) -> f64 {
        match self {
            NoRelevant::Undefined => f64::NAN,
            NoRelevant::Zero => f64::INFINITY,
        }
    }
}

/// The discount of rank i. Written `log2`, `letor`, `zipf` or `power:a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Discount {
    /// 1/log2(i+1).
    Log2,
    /// 1, 1, then 1/log2(i), as the evaluation scripts of LETOR and MSLR.
    Letor,
    /// 1/i.
    Zipf,
    /// i^-a, with a > 0.
    Power(f64),
}

impl Discount {
    /// The values that it can take, for help.
    pub const WORDS: &'static str = "log2, letor, zipf or power:a with a > 0";

    /// The discount of a rank, counted from 1.
    pub fn at(self, rank: usize) -> f64 {
        let i = rank as f64;
        match self {
            Discount::Log2 => 1.0 / libm::log2(i + 1.0),
            Discount::Letor if rank == 1 => 1.0,
            Discount::Letor => 1.0 / libm::log2(i),
            Discount::Zipf => 1.0 / i,
            Discount::Power(a) => libm::pow(i, -a),
        }
    }
}

impl fmt::Display for Discount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Discount::Log2 => f.write_str("log2"),
            Discount::Letor => f.write_str("letor"),
            Discount::Zipf => f.write_str("zipf"),
            Discount::Power(a) => write!(f, "power:{a}"),
        }
    }
}

impl FromStr for Discount {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "log2" => return Ok(Discount::Log2),
            "letor" => return Ok(Discount::Letor),
            "zipf" => return Ok(Discount::Zipf),
            _ => {}
        }
        let power = text.strip_prefix("power:").and_then(|a| a.parse().ok());
        match power.filter(|a: &f64| a.is_finite() && *a > 0.0) {
            Some(a) => Ok(Discount::Power(a)),
            None => Err(MeasureError::unknown("discount", text, ["log2", "letor", "zipf", "power:0.5"])),
        }
    }
}

/// A grade above 0.
pub(crate) fn above_0(text: &str) -> Option<u8> {
    text.parse().ok().filter(|&grade| grade > 0 && GradeScale::new(None).has(grade))
}

/// The highest grade of ERR, which divides 2^y - 1 by 2^highest. Written `collection` or a grade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HighestGrade {
    /// The collection's highest grade.
    Collection,
    /// Always this grade.
    Always(u8),
}

impl fmt::Display for HighestGrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HighestGrade::Collection => f.write_str("collection"),
            HighestGrade::Always(grade) => grade.fmt(f),
        }
    }
}

impl FromStr for HighestGrade {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match above_0(text) {
            Some(grade) => Ok(HighestGrade::Always(grade)),
            None if text == "collection" => Ok(HighestGrade::Collection),
            None => Err(MeasureError::unknown("highest grade", text, ["collection", "4"])),
        }
    }
}

written!(Discount, HighestGrade);

/// One convention: its name, and how to read and to set its choice. [`RULES`] lists all
/// conventions.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The name, as in [`Conventions`].
    pub name: &'static str,
    /// The effect of the convention, in a line.
    pub help: &'static str,
    value: fn(&Conventions) -> String,
    take: fn(&mut Conventions, &Conventions),
}

impl Rule {
    /// The choice of `conventions`, as a word.
    pub fn value(&self, conventions: &Conventions) -> String {
        (self.value)(conventions)
    }

    /// Copies the choice of `other` into `conventions`.
    pub fn take(&self, conventions: &mut Conventions, other: &Conventions) {
        (self.take)(conventions, other);
    }
}

/// The structs of conventions and of overrides, and the list of rules, from one list of fields.
macro_rules! conventions {
    ($($(#[doc = $help:literal])+ $(#[serde($($serde:tt)+)])? $name:ident: $kind:ty),+ $(,)?) => {
        /// A choice for every convention.
        ///
        /// ```
        /// use fivefold_metrics::{FoldMean, Ties, Undefined, dialect};
        ///
        /// // What the paper does with ties, with queries that have no value, and with folds.
        /// let paper = dialect("paper")?.conventions();
        /// assert_eq!((paper.ties, paper.undefined, paper.fold_mean), (Ties::Average, Undefined::Zero, FoldMean::Queries));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Conventions { $($(#[doc = $help])+ $(#[serde($($serde)+)])? pub $name: $kind),+ }

        /// Choices for some conventions; `None` leaves a convention to the dialect.
        ///
        /// ```
        /// use fivefold_metrics::{Overrides, Undefined, dialect};
        ///
        /// let overrides = Overrides { undefined: Some(Undefined::Skip), ..Overrides::default() };
        /// let paper = dialect("paper")?.conventions();
        /// let conventions = overrides.apply(paper.clone());
        /// assert_eq!((conventions.undefined, conventions.ties), (Undefined::Skip, paper.ties));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Overrides {
            $(
                #[doc = concat!("See [`Conventions::", stringify!($name), "`].")]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<$kind>
            ),+
        }

        impl Overrides {
            /// `base` with the choices that are made here.
            pub fn apply(&self, base: Conventions) -> Conventions {
                Conventions { $($name: self.$name.unwrap_or(base.$name)),+ }
            }
        }

        /// All conventions, in the order in which they are printed.
        pub const RULES: &[Rule] = &[
            $(Rule {
                name: stringify!($name),
                help: concat!($($help),+).trim_ascii(),
                value: |conventions| conventions.$name.to_string(),
                take: |to, from| to.$name = from.$name,
            }),+
        ];
    };
}

conventions! {
    /// Gain of nDCG, DCG and MeanNDCG.
    gain: Gain,
    /// Discount of nDCG, DCG and MeanNDCG.
    discount: Discount,
    /// Order of documents with equal scores.
    ties: Ties,
    /// How a mean counts an undefined value.
    undefined: Undefined,
    /// The lowest grade that counts as relevant, for measures with a parameter `threshold`.
    threshold: u8,
    /// Denominator of AP@k.
    ap_denominator: ApDenominator,
    /// Denominator of P@k.
    p_denominator: PDenominator,
    /// Upper bound of AP's sum of precision, for V1 and V2.
    sp_upper: SpUpper,
    /// Expected value of AP's sum of precision, for V1 and V2.
    sp_expected: SpExpected,
    /// The value of nDCG@k if a query has fewer than k documents.
    short_list: ShortList,
    /// How the value of a collection is averaged.
    fold_mean: FoldMean,
    /// How a mean counts a topic that a run lacks.
    #[serde(default = "earlier::missing_topics")]
    missing_topics: MissingTopics,
    /// How a retrieved document counts that was not judged.
    #[serde(default = "earlier::unjudged")]
    unjudged: Unjudged,
    /// The precision with which scores are compared.
    #[serde(default = "earlier::scores")]
    scores: Scores,
    /// AP of documents that tie, if `ties` is `average`.
    #[serde(default = "earlier::ap_ties")]
    ap_ties: ApTies,
    /// The value of a query without a relevant document, for measures with a parameter
    /// `no_relevant`.
    #[serde(default = "earlier::no_relevant")]
    no_relevant: NoRelevant,
    /// ERR of a query without a relevant document.
    #[serde(default = "earlier::err_no_relevant")]
    err_no_relevant: NoRelevant,
    /// The highest grade of ERR.
    #[serde(default = "earlier::max_grade", alias = "gmax")]
    max_grade: HighestGrade,
}

/// Choices for files that were written before a convention existed.
mod earlier {
    use super::{ApTies, HighestGrade, MissingTopics, NoRelevant, Scores, Unjudged};

    pub(super) fn missing_topics() -> MissingTopics {
        MissingTopics::Zero
    }

    pub(super) fn unjudged() -> Unjudged {
        Unjudged::NotRelevant
    }

    pub(super) fn scores() -> Scores {
        Scores::F64
    }

    pub(super) fn ap_ties() -> ApTies {
        ApTies::Orders
    }

    pub(super) fn no_relevant() -> NoRelevant {
        NoRelevant::Undefined
    }

    pub(super) fn err_no_relevant() -> NoRelevant {
        NoRelevant::Zero
    }

    pub(super) fn max_grade() -> HighestGrade {
        HighestGrade::Collection
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip_and_the_nearest_is_named() {
        for word in Ties::WORDS {
            assert_eq!(word.parse::<Ties>().unwrap().to_string(), *word);
        }
        assert_eq!(
            "avrage".parse::<Ties>().unwrap_err().to_string(),
            "unknown tie policy `avrage`; did you mean `average`?"
        );
    }

    #[test]
    fn discounts_at_the_first_ranks() {
        let at = |d: Discount| [d.at(1), d.at(2), d.at(4)];
        assert_eq!(at(Discount::Letor), [1.0, 1.0, 0.5]);
        assert_eq!(at(Discount::Zipf), [1.0, 0.5, 0.25]);
        let [first, second, fourth] = at(Discount::Power(0.5));
        assert_eq!((first, fourth), (1.0, 0.5));
        assert!(
            (second - 0.5_f64.sqrt()).abs() <= f64::EPSILON / 2.0,
            "{second}: powers are right to the last bit but one"
        );
        assert_eq!((Discount::Log2.at(1), Discount::Log2.at(3)), (1.0, 0.5));
        for text in ["log2", "letor", "zipf", "power:0.5"] {
            assert_eq!(text.parse::<Discount>().unwrap().to_string(), text);
        }
        for text in ["power:0", "power:-1", "power:x", "power:inf", "log"] {
            assert!(text.parse::<Discount>().is_err(), "{text}");
        }
    }

    #[test]
    fn conventions_are_read_from_toml_and_overridden() {
        let overrides: Overrides = toml::from_str("ties = 'docid'\ndiscount = 'power:0.5'").unwrap();
        let base = crate::dialect("paper").unwrap().conventions();
        let changed = overrides.apply(base.clone());
        assert_eq!((changed.ties, changed.discount), (Ties::DocId, Discount::Power(0.5)));
        assert_eq!(Overrides::default().apply(base.clone()), base);
        let text = toml::to_string(&changed).unwrap();
        assert_eq!(toml::from_str::<Conventions>(&text).unwrap(), changed);
        // The same text read as overrides gives every convention, so none is missing from
        // `Overrides`.
        let all: Overrides = toml::from_str(&text).unwrap();
        assert_eq!(all.apply(crate::dialect("letor4").unwrap().conventions()), changed);
        assert!(toml::from_str::<Overrides>("tie = 'docid'").is_err());
    }
}
