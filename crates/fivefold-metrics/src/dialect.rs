//! Dialects: the conventions of an evaluation program or a paper, all of them, under one name.

use crate::conventions::{
    ApDenominator, Conventions, Discount, FoldMean, Gain, MissingTopics, PDenominator, ShortList, SpExpected, SpUpper,
    Ties, Undefined,
};
use crate::error::MeasureError;

/// A named set of conventions.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The name used in experiment files and on the command line.
    pub name: &'static str,
    /// Whose conventions they are, in a line.
    pub summary: &'static str,
    /// The conventions.
    pub conventions: fn() -> Conventions,
}

impl Dialect {
    /// The line that names some conventions: this dialect, and where they differ from it.
    pub fn describe(&self, in_force: &Conventions) -> String {
        let own = (self.conventions)().values();
        let differing = in_force.values().into_iter().zip(own).filter(|(value, own)| value != own);
        let changes: Vec<String> = differing.map(|((name, value), _)| format!("{name}={value}")).collect();
        match changes.is_empty() {
            true => format!("dialect: {}", self.name),
            false => format!("dialect: {}, but {}", self.name, changes.join(", ")),
        }
    }
}

/// All dialects; the first is the default.
pub const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "paper",
        summary: "Feng & Karmaker, IPM 2023: AP divided by the cutoff, its V1 and V2 with U = k and E = K p^2; ties averaged",
        conventions: paper,
    },
    Dialect {
        name: "letor4",
        summary: "the evaluation script of LETOR 4.0: discount 1, 1, 1/log2(i); ties by file order; NDCG@k = 0 beyond the list",
        conventions: letor4,
    },
    Dialect {
        name: "trec_eval",
        summary: "trec_eval 9.0.8 without -c: gain y; ties by document id, descending; AP divided by the relevant documents; topics that a run lacks are left out",
        conventions: trec_eval,
    },
];

/// The dialect with this name.
///
/// # Errors
/// If there is none; the nearest name is in the message.
pub fn dialect(name: &str) -> Result<&'static Dialect, MeasureError> {
    DIALECTS
        .iter()
        .find(|d| d.name == name)
        .ok_or_else(|| MeasureError::unknown("dialect", name, DIALECTS.iter().map(|d| d.name)))
}

fn paper() -> Conventions {
    Conventions {
        gain: Gain::Exp2,
        discount: Discount::Log2,
        ties: Ties::Average,
        undefined: Undefined::Zero,
        threshold: 1,
        ap_denominator: ApDenominator::Cutoff,
        p_denominator: PDenominator::Cutoff,
        sp_upper: SpUpper::Cutoff,
        sp_expected: SpExpected::Independent,
        short_list: ShortList::Cut,
        fold_mean: FoldMean::Queries,
        missing_topics: MissingTopics::Zero,
    }
}

fn letor4() -> Conventions {
    Conventions {
        gain: Gain::Exp2,
        discount: Discount::Letor,
        ties: Ties::Input,
        undefined: Undefined::Zero,
        threshold: 1,
        ap_denominator: ApDenominator::Relevant,
        p_denominator: PDenominator::Cutoff,
        sp_upper: SpUpper::Ideal,
        sp_expected: SpExpected::Exact,
        short_list: ShortList::Zero,
        fold_mean: FoldMean::Folds,
        missing_topics: MissingTopics::Zero,
    }
}

/// `map`, `map_cut_k`, `ndcg`, `ndcg_cut_k`, `P_k` and `recip_rank` are `ap`, `ap@k`, `ndcg`, `ndcg@k`, `p@k` and `rr`. `-c` is
/// `missing_topics = "zero"`, `-l 2` is `threshold = 2`. The tool compares scores as 32-bit floats in older versions; here they
/// are compared in full, which differs only for scores that agree in seven digits.
fn trec_eval() -> Conventions {
    Conventions {
        gain: Gain::Linear,
        discount: Discount::Log2,
        ties: Ties::DocId,
        undefined: Undefined::Zero,
        threshold: 1,
        ap_denominator: ApDenominator::Relevant,
        p_denominator: PDenominator::Cutoff,
        sp_upper: SpUpper::Ideal,
        sp_expected: SpExpected::Exact,
        short_list: ShortList::Cut,
        fold_mean: FoldMean::Queries,
        missing_topics: MissingTopics::Skip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_dialects_name_the_nearest() {
        let error = dialect("letor").unwrap_err();
        assert_eq!(error.to_string(), "unknown dialect `letor`; did you mean `letor4`?");
        assert_eq!(dialect("paper").unwrap().name, "paper");
    }

    #[test]
    fn what_differs_from_a_dialect_is_named_with_it() {
        let letor4 = dialect("letor4").unwrap();
        assert_eq!(letor4.describe(&super::letor4()), "dialect: letor4");
        let changed = Conventions { ties: Ties::Average, undefined: Undefined::Skip, ..super::letor4() };
        assert_eq!(letor4.describe(&changed), "dialect: letor4, but ties=average, undefined=skip");
        // Every convention in which the two dialects differ.
        let paper = dialect("paper").unwrap().describe(&super::letor4());
        for name in [
            "discount=letor",
            "ties=input",
            "ap_denominator=relevant",
            "sp_upper=ideal",
            "sp_expected=exact",
            "short_list=zero",
            "fold_mean=folds",
        ] {
            assert!(paper.contains(name), "{name} in {paper}");
        }
    }
}
