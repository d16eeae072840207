//! The metric of a text measure and its parameters, with their words and defaults.
//!
//! A parameter stands once in [`PARAMS`]: reading, printing and help all come from this list.

use std::fmt;
use std::str::FromStr;

/// An enum whose values are words, the same in names of measures and in print. The first is the
/// default.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident, { $(#[$fmeta:meta])* $first:ident = $fword:literal,
        $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum $name { $(#[$fmeta])* #[default] $first, $($(#[$vmeta])* $variant),+ }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $name::$first => $fword, $($name::$variant => $word),+ })
            }
        }

        impl FromStr for $name {
            type Err = ();
            fn from_str(text: &str) -> Result<Self, ()> {
                match text { $fword => Ok($name::$first), $($word => Ok($name::$variant),)+ _ => Err(()) }
            }
        }
    };
}

/// What is matched.
///
/// ```
/// use fivefold_text::{Metric, TextMeasure};
///
/// assert_eq!("ROUGE-2".parse::<TextMeasure>()?.metric(), Metric::Grams(2));
/// assert_eq!(Metric::Lcs.to_string(), "rougeL");
/// # Ok::<(), fivefold_text::TextError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Metric {
    /// ROUGE-N: N-grams that both texts have, each as often as the text with fewer of it. N is at
    /// least 1.
    Grams(usize),
    /// ROUGE-L: the longest common subsequence of the two texts, each as one sequence.
    Lcs,
}

impl Metric {
    /// The number of units (N-grams, or tokens) of a text of `tokens` tokens.
    pub(crate) fn units(self, tokens: usize) -> usize {
        match self {
            Metric::Grams(order) => (tokens + 1).saturating_sub(order),
            Metric::Lcs => tokens,
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::Grams(order) => write!(f, "rouge{order}"),
            Metric::Lcs => f.write_str("rougeL"),
        }
    }
}

words! {
    /// The number that is made of matches.
    Value, {
        /// 2M / (units of the candidate + units of the reference).
        F1 = "f1",
        /// M / units of the reference.
        Recall = "recall",
        /// M / units of the candidate.
        Precision = "precision",
    }
}

words! {
    /// How several references make one value.
    References, {
        /// The first reference alone counts.
        First = "first",
        /// The mean of the values.
        Mean = "mean",
        /// The value at the reference with the highest F1; of equal ones, the first.
        Max = "max",
        /// The sum of matches over the sum of units of the references. For recall only.
        Pool = "pool",
    }
}

words! {
    /// The value if a text has no unit.
    Empty, {
        /// 0.
        Zero = "zero",
        /// Undefined; a reference without units is left out.
        Skip = "skip",
    }
}

words! {
    /// What a random summary is.
    Model, {
        /// Independent draws of source tokens.
        Unigram = "unigram",
        /// Source tokens without replacement, in random order.
        Sample = "sample",
        /// The same system's summary of another document.
        Mismatch = "mismatch",
    }
}

words! {
    /// The upper bound U.
    Upper, {
        /// 1: the value of the reference itself.
        One = "one",
        /// The value of the best bag of source tokens, as long as the reference. ROUGE-1 only. A
        /// summary with words of its own can exceed it, and then has V2 above 1.
        Source = "source",
    }
}

words! {
    /// The lowest V2.
    Clip, {
        /// V2 as defined, down to -1.
        None = "none",
        /// V2 below 0 becomes 0.
        Zero = "zero",
    }
}

words! {
    /// How a text is cut into tokens.
    Tokeniser, {
        /// Lower case; every run of characters outside a-z and 0-9 separates.
        Rouge = "rouge",
        /// Only white space separates; letters stay as they are.
        Space = "space",
    }
}

words! {
    /// What is made of a token of more than three characters.
    Stemmer, {
        /// Its stem by Porter's algorithm with the extensions of NLTK.
        Porter = "porter",
        /// Nothing.
        None = "none",
    }
}

/// The length of a random summary in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Length {
    /// That of the reference.
    #[default]
    Reference,
    /// That of the candidate.
    Candidate,
    /// The same number for all.
    Fixed(usize),
}

/// The longest random summary that a name can ask for.
const LONGEST: usize = 100_000;

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Reference => f.write_str("reference"),
            Length::Candidate => f.write_str("candidate"),
            Length::Fixed(tokens) => write!(f, "fixed:{tokens}"),
        }
    }
}

impl FromStr for Length {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "reference" => Ok(Length::Reference),
            "candidate" => Ok(Length::Candidate),
            _ => {
                let tokens = text.strip_prefix("fixed:").and_then(|digits| digits.trim().parse().ok());
                tokens.filter(|tokens| (1..=LONGEST).contains(tokens)).map(Length::Fixed).ok_or(())
            }
        }
    }
}

/// All parameters of a text measure.
///
/// ```
/// use fivefold_text::Settings;
///
/// assert_eq!(Settings::default().draws, 1000);
/// assert_eq!(Settings::default().stemmer.to_string(), "porter");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The number that is made of matches.
    pub value: Value,
    /// How several references make one value.
    pub references: References,
    /// The value if a text has no unit.
    pub empty: Empty,
    /// What a random summary is.
    pub model: Model,
    /// The length of a random summary.
    pub length: Length,
    /// The upper bound.
    pub upper: Upper,
    /// The lowest V2.
    pub clip: Clip,
    /// How a text is cut into tokens.
    pub tokeniser: Tokeniser,
    /// What is made of a token.
    pub stemmer: Stemmer,
    /// The number of random summaries where E has no closed form; from 2 to 100,000.
    pub draws: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            value: Value::default(),
            references: References::default(),
            empty: Empty::default(),
            model: Model::default(),
            length: Length::default(),
            upper: Upper::default(),
            clip: Clip::default(),
            tokeniser: Tokeniser::default(),
            stemmer: Stemmer::default(),
            draws: 1000,
        }
    }
}

/// A parameter of text measures.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// The effect of the parameter, in a line.
    pub help: &'static str,
    /// The values that it can take, the default first.
    pub values: &'static str,
    /// Takes over a value; `None` if the parameter cannot take it.
    pub(crate) set: fn(&mut Settings, &str) -> Option<()>,
    /// The canonical form of the value in force.
    pub(crate) get: fn(&Settings) -> String,
}

macro_rules! param {
    ($field:ident, $values:literal, $help:literal) => {
        Param {
            name: stringify!($field),
            help: $help,
            values: $values,
            set: |settings, text| text.parse().ok().map(|value| settings.$field = value),
            get: |settings| settings.$field.to_string(),
        }
    };
}

/// The parameters of every text measure, in the order in which they are printed.
///
/// ```
/// let names: Vec<&str> = fivefold_text::PARAMS.iter().map(|param| param.name).collect();
/// assert_eq!(names[..3], ["value", "references", "empty"]);
/// ```
pub const PARAMS: &[Param] = &[
    param!(value, "f1, recall or precision", "the number that is made of matches"),
    param!(references, "first, mean, max or pool", "how several references make one value; `pool` is for recall only"),
    param!(empty, "zero or skip", "the value if a text has no unit: 0, or undefined"),
    param!(model, "unigram, sample or mismatch", "E: what a random summary is"),
    param!(length, "reference, candidate, or a number of tokens such as fixed:60", "E: the length of a random summary"),
    param!(upper, "one or source", "U: 1, or the best bag of source tokens (rouge1 only)"),
    param!(clip, "none or zero", "whether V2 below 0 becomes 0"),
    param!(tokeniser, "rouge or space", "how a text is cut into tokens"),
    param!(stemmer, "porter or none", "what is made of a token of more than three characters"),
    Param {
        name: "draws",
        help: "E: the number of random summaries where there is no closed form",
        values: "a whole number from 2 to 100000",
        set: |settings, text| {
            settings.draws = text.parse().ok().filter(|draws| (2..=100_000).contains(draws))?;
            Some(())
        },
        get: |settings| settings.draws.to_string(),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_reads_its_own_default() {
        for param in PARAMS {
            let (default, mut read) = (Settings::default(), Settings::default());
            let text = (param.get)(&default);
            assert_eq!(((param.set)(&mut read, &text), read), (Some(()), default), "{}", param.name);
            assert_eq!((param.set)(&mut read, "other"), None, "{}", param.name);
        }
    }

    #[test]
    fn units_of_short_texts() {
        assert_eq!([0, 1, 2, 5].map(|tokens| Metric::Grams(2).units(tokens)), [0, 0, 1, 4]);
        assert_eq!([0, 5].map(|tokens| Metric::Lcs.units(tokens)), [0, 5]);
        assert_eq!(Metric::Grams(1).units(3), 3);
    }
}
