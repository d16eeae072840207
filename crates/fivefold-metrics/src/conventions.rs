//! The choices in which evaluation programs differ, each a small set of words, and [`Conventions`]: one choice of each.
//!
//! A dialect ([`mod@crate::dialect`]) is a complete set of conventions under a name; an experiment file overrides single ones
//! with [`Overrides`]; a parameter in a measure's name (`ndcg(gain=linear)`) overrides them for that measure alone.

use std::fmt;
use std::str::FromStr;

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

words! {
    /// What a document of grade y is worth.
    Gain, "gain", {
        /// 2^y - 1.
        Exp2 = "exp2",
        /// y.
        Linear = "linear",
    }
}

words! {
    /// In which order documents of equal score are ranked.
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

words! {
    /// What an undefined value counts as in a mean.
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
    /// What AP divides the sum of precision by; without a cutoff it is always the number of relevant documents.
    ApDenominator, "denominator of AP", {
        /// The cutoff k (Feng & Karmaker, Eq. 3).
        Cutoff = "cutoff",
        /// The number of relevant documents (trec_eval's `map_cut`).
        Relevant = "relevant",
        /// The smaller of the two.
        Min = "min",
    }
}

words! {
    /// What P@k divides by.
    PDenominator, "denominator of P", {
        /// The cutoff k, also where the query has fewer documents.
        Cutoff = "cutoff",
        /// min(k, documents), as RankLib.
        List = "list",
    }
}

words! {
    /// The upper bound U of the sum of precision.
    SpUpper, "upper bound", {
        /// The cutoff k (Feng & Karmaker); the number of documents where there is no cutoff.
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
    /// nDCG@k of a query with fewer than k documents.
    ShortList, "rule for short lists", {
        /// Computed over the documents that there are.
        Cut = "cut",
        /// 0, as in the LETOR scripts.
        Zero = "zero",
    }
}

words! {
    /// How the value of a collection is averaged.
    FoldMean, "mean over folds", {
        /// Over all queries, whatever their fold.
        Queries = "queries",
        /// The mean of the fold means, so that a query of a small fold weighs more.
        Folds = "folds",
    }
}

words! {
    /// What a topic of the qrels counts as that a run lacks.
    MissingTopics, "policy for missing topics", {
        /// 0, as in `trec_eval -c`: nothing was retrieved for it.
        Zero = "zero",
        /// It is left out of the run's mean, as in trec_eval without `-c`.
        Skip = "skip",
    }
}

/// What a position is worth. Written `log2`, `letor`, `zipf` or `power:a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Discount {
    /// 1/log2(i+1).
    Log2,
    /// 1, 1, then 1/log2(i): the evaluation scripts of LETOR and MSLR.
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
            Discount::Log2 => 1.0 / (i + 1.0).log2(),
            Discount::Letor if rank == 1 => 1.0,
            Discount::Letor => 1.0 / i.log2(),
            Discount::Zipf => 1.0 / i,
            Discount::Power(a) => i.powf(-a),
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

impl Serialize for Discount {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Discount {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// One choice of everything that a dialect fixes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conventions {
    /// Gain of nDCG, DCG and MeanNDCG.
    pub gain: Gain,
    /// Discount of nDCG, DCG and MeanNDCG.
    pub discount: Discount,
    /// Order of documents with equal scores.
    pub ties: Ties,
    /// What an undefined value counts as.
    pub undefined: Undefined,
    /// The lowest grade that counts as relevant, for AP, P, RR and RBP.
    pub threshold: u8,
    /// Denominator of AP@k.
    pub ap_denominator: ApDenominator,
    /// Denominator of P@k.
    pub p_denominator: PDenominator,
    /// Upper bound of AP's sum of precision, for V1 and V2.
    pub sp_upper: SpUpper,
    /// Expected value of AP's sum of precision, for V1 and V2.
    pub sp_expected: SpExpected,
    /// nDCG@k of queries with fewer than k documents.
    pub short_list: ShortList,
    /// How the value of a collection is averaged.
    pub fold_mean: FoldMean,
    /// What a topic that a run lacks counts as; only runs can lack one.
    #[serde(default = "missing_topics")]
    pub missing_topics: MissingTopics,
}

/// Of conventions that were written before there were runs.
fn missing_topics() -> MissingTopics {
    MissingTopics::Zero
}

impl Conventions {
    /// Name and value of each convention.
    pub(crate) fn values(&self) -> [(&'static str, String); 12] {
        let Conventions {
            gain,
            discount,
            ties,
            undefined,
            threshold,
            ap_denominator,
            p_denominator,
            sp_upper,
            sp_expected,
            short_list,
            fold_mean,
            missing_topics,
        } = self;
        [
            ("gain", gain.to_string()),
            ("discount", discount.to_string()),
            ("ties", ties.to_string()),
            ("undefined", undefined.to_string()),
            ("threshold", threshold.to_string()),
            ("ap_denominator", ap_denominator.to_string()),
            ("p_denominator", p_denominator.to_string()),
            ("sp_upper", sp_upper.to_string()),
            ("sp_expected", sp_expected.to_string()),
            ("short_list", short_list.to_string()),
            ("fold_mean", fold_mean.to_string()),
            ("missing_topics", missing_topics.to_string()),
        ]
    }
}

/// Conventions of which each may be left to the dialect.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Overrides {
    /// See [`Conventions::gain`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<Gain>,
    /// See [`Conventions::discount`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discount: Option<Discount>,
    /// See [`Conventions::ties`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ties: Option<Ties>,
    /// See [`Conventions::undefined`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<Undefined>,
    /// See [`Conventions::threshold`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u8>,
    /// See [`Conventions::ap_denominator`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ap_denominator: Option<ApDenominator>,
    /// See [`Conventions::p_denominator`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_denominator: Option<PDenominator>,
    /// See [`Conventions::sp_upper`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sp_upper: Option<SpUpper>,
    /// See [`Conventions::sp_expected`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sp_expected: Option<SpExpected>,
    /// See [`Conventions::short_list`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_list: Option<ShortList>,
    /// See [`Conventions::fold_mean`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold_mean: Option<FoldMean>,
    /// See [`Conventions::missing_topics`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_topics: Option<MissingTopics>,
}

impl Overrides {
    /// `base` with the choices that are made here.
    pub fn apply(&self, base: Conventions) -> Conventions {
        Conventions {
            gain: self.gain.unwrap_or(base.gain),
            discount: self.discount.unwrap_or(base.discount),
            ties: self.ties.unwrap_or(base.ties),
            undefined: self.undefined.unwrap_or(base.undefined),
            threshold: self.threshold.unwrap_or(base.threshold),
            ap_denominator: self.ap_denominator.unwrap_or(base.ap_denominator),
            p_denominator: self.p_denominator.unwrap_or(base.p_denominator),
            sp_upper: self.sp_upper.unwrap_or(base.sp_upper),
            sp_expected: self.sp_expected.unwrap_or(base.sp_expected),
            short_list: self.short_list.unwrap_or(base.short_list),
            fold_mean: self.fold_mean.unwrap_or(base.fold_mean),
            missing_topics: self.missing_topics.unwrap_or(base.missing_topics),
        }
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
        assert_eq!(at(Discount::Power(0.5)), [1.0, 0.5_f64.sqrt(), 0.5]);
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
        let base = (crate::dialect("paper").unwrap().conventions)();
        let changed = overrides.apply(base.clone());
        assert_eq!((changed.ties, changed.discount), (Ties::DocId, Discount::Power(0.5)));
        assert_eq!(Overrides::default().apply(base.clone()), base);
        let text = toml::to_string(&changed).unwrap();
        assert_eq!(toml::from_str::<Conventions>(&text).unwrap(), changed);
        // The same text read as overrides gives every convention, so none is missing from `Overrides`.
        let all: Overrides = toml::from_str(&text).unwrap();
        assert_eq!(all.apply((crate::dialect("letor4").unwrap().conventions)()), changed);
        assert!(toml::from_str::<Overrides>("tie = 'docid'").is_err());
    }
}
