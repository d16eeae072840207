//! Options that choose the conventions of an evaluation: a dialect, and single choices that
//! override it.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fivefold_metrics::conventions::{
    ApDenominator, ApTies, Discount, Gain, HighestGrade, MissingTopics, NoRelevant, PDenominator, Scores, ShortList,
    SpExpected, SpUpper, Unjudged,
};
use fivefold_metrics::{Conventions, DIALECTS, Dialect, FoldMean, MeasureError, Overrides, Ties, Undefined, dialect};

/// `--dialect` and what overrides it.
#[derive(clap::Args)]
#[command(next_help_heading = "Conventions")]
pub(crate) struct ConventionArgs {
    /// A complete set of conventions; `fivefold dialects` lists the dialects. The options below
    /// override single conventions [default: paper]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(DIALECTS.iter().map(|d| d.name)))]
    pub(crate) dialect: Option<String>,
    /// The gain of a document of grade y: 2^y - 1, or y
    #[arg(long, value_name = "GAIN", value_parser = word::<Gain>(Gain::WORDS))]
    gain: Option<Gain>,
    /// The discount of a rank: log2, letor, zipf, or power:a
    #[arg(long, value_name = "DISCOUNT")]
    discount: Option<Discount>,
    /// The order of documents with equal scores
    #[arg(long, value_name = "POLICY", value_parser = word::<Ties>(Ties::WORDS))]
    ties: Option<Ties>,
    /// How a mean treats a value that is undefined for a query
    #[arg(long, value_name = "POLICY", value_parser = word::<Undefined>(Undefined::WORDS))]
    undefined: Option<Undefined>,
    /// The lowest grade that counts as relevant
    #[arg(long, value_name = "GRADE")]
    threshold: Option<u8>,
    /// The divisor of AP@k
    #[arg(long, value_name = "BY", value_parser = word::<ApDenominator>(ApDenominator::WORDS))]
    ap_denominator: Option<ApDenominator>,
    /// The divisor of P@k
    #[arg(long, value_name = "BY", value_parser = word::<PDenominator>(PDenominator::WORDS))]
    p_denominator: Option<PDenominator>,
    /// The upper bound of the sum of precision, for ap.v1 and ap.v2
    #[arg(long, value_name = "BOUND", value_parser = word::<SpUpper>(SpUpper::WORDS))]
    sp_upper: Option<SpUpper>,
    /// The expected value of the sum of precision, for ap.v1 and ap.v2
    #[arg(long, value_name = "HOW", value_parser = word::<SpExpected>(SpExpected::WORDS))]
    sp_expected: Option<SpExpected>,
    /// nDCG@k of a query with fewer than k documents
    #[arg(long, value_name = "RULE", value_parser = word::<ShortList>(ShortList::WORDS))]
    short_list: Option<ShortList>,
    /// How values are averaged over folds
    #[arg(long, value_name = "OVER", value_parser = word::<FoldMean>(FoldMean::WORDS))]
    fold_mean: Option<FoldMean>,
    /// How to treat a topic that is in the qrels but not in the run
    #[arg(long, value_name = "POLICY", value_parser = word::<MissingTopics>(MissingTopics::WORDS))]
    missing_topics: Option<MissingTopics>,
    /// How a retrieved document counts that was not judged: as not relevant, or removed from the
    /// ranking (trec_eval -J)
    #[arg(long, value_name = "POLICY", value_parser = word::<Unjudged>(Unjudged::WORDS))]
    unjudged: Option<Unjudged>,
    /// The precision with which scores are compared: scores that are equal in 32-bit floats tie
    /// under f32
    #[arg(long, value_name = "BITS", value_parser = word::<Scores>(Scores::WORDS))]
    score_precision: Option<Scores>,
    /// AP of documents with equal scores, if ties are averaged: the mean over their orders, or the
    /// precision after the last of the tied documents
    #[arg(long, value_name = "RULE", value_parser = word::<ApTies>(ApTies::WORDS))]
    ap_ties: Option<ApTies>,
    /// AP and RR of a query without a relevant document
    #[arg(long, value_name = "VALUE", value_parser = word::<NoRelevant>(NoRelevant::WORDS))]
    no_relevant: Option<NoRelevant>,
    /// ERR of a query without a relevant document
    #[arg(long, value_name = "VALUE", value_parser = word::<NoRelevant>(NoRelevant::WORDS))]
    err_no_relevant: Option<NoRelevant>,
    /// The highest grade of ERR: `collection`, or a grade
    #[arg(long, value_name = "GRADE")]
    err_max_grade: Option<HighestGrade>,
}

impl ConventionArgs {
    /// The conventions in force.
    pub(crate) fn resolve(&self) -> Result<Conventions, MeasureError> {
        Ok(self.overrides().apply(self.dialect()?.conventions()))
    }

    /// The single choices that the user gave, whatever the dialect.
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            gain: self.gain,
            discount: self.discount,
            ties: self.ties,
            undefined: self.undefined,
            threshold: self.threshold,
            ap_denominator: self.ap_denominator,
            p_denominator: self.p_denominator,
            sp_upper: self.sp_upper,
            sp_expected: self.sp_expected,
            short_list: self.short_list,
            fold_mean: self.fold_mean,
            missing_topics: self.missing_topics,
            unjudged: self.unjudged,
            scores: self.score_precision,
            ap_ties: self.ap_ties,
            no_relevant: self.no_relevant,
            err_no_relevant: self.err_no_relevant,
            max_grade: self.err_max_grade,
        }
    }

    /// The dialect from which the conventions start.
    pub(crate) fn dialect(&self) -> Result<&'static Dialect, MeasureError> {
        self.dialect.as_deref().map_or(Ok(&DIALECTS[0]), dialect)
    }
}

/// Parses one of `words`. Help and errors list these words.
fn word<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = MeasureError> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| word.parse())
}
