//! Measures of the retrieved documents as a set: precision, recall, F, AP and relative precision
//! of all of them, and utility.
//!
//! With n retrieved documents, h of them relevant, and R relevant documents in the pool: `set_p` =
//! h/n, `set_recall` = h/R, `set_f` = (1+x) h / (x R + n), `set_ap` = set_p set_recall = h^2/(n R),
//! `set_relp` = h / min(n, R). `utility` = a h + b (n-h) + c (R-h) + d (docs+h-n-R). Source:
//! trec_eval, `set_P`, `set_recall`, `set_F`, `set_map`, `set_relative_P`, `utility`.
//!
//! `utility` with a worth d needs `docs`, the number of documents of the collection (-N of
//! trec_eval). trec_eval takes 0 if it is not given, so that the documents that were not retrieved
//! are fewer than none; here this is an error, and `docs=0` gives trec_eval's number.
//!
//! `set_p` is undefined without a retrieved document, the others but `utility` without a relevant
//! document; trec_eval's are then 0. The order of the documents plays no role, so V1 and V2 do not
//! exist.

use super::f::RECALL_WEIGHT;
use crate::conventions::NoRelevant;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, Param, Settings, THRESHOLD, number};
use crate::error::MeasureError;
use crate::measure::{Measure, QueryGrades, Ranked};

const NO_UE: Option<&str> =
    Some("the order of the documents plays no role; use `p`, `recall` or `f` at a cutoff, which have versions");

/// `set_p`.
pub(super) const PRECISION: MeasureEntry = MeasureEntry {
    name: "set_p",
    summary: "precision of all retrieved documents",
    formula: "relevant retrieved documents / retrieved documents; undefined for an empty list",
    source: "trec_eval",
    cutoffs: Cutoffs::Never,
    params: &[THRESHOLD],
    asks: Asks::Binary,
    paper: None,
    no_ue: NO_UE,
    build: |settings| set(settings, NoRelevant::Undefined, |set| set.found / set.retrieved),
};

/// `set_recall`.
pub(super) const RECALL: MeasureEntry = MeasureEntry {
    name: "set_recall",
    summary: "recall of all retrieved documents",
    formula: "relevant retrieved documents / relevant documents; undefined without a relevant document",
    params: &[THRESHOLD, NO_RELEVANT],
    build: |settings| set(settings, settings.get("no_relevant")?, |set| set.found / set.relevant),
    ..PRECISION
};

/// `set_f`.
pub(super) const F: MeasureEntry = MeasureEntry {
    name: "set_f",
    summary: "F of all retrieved documents",
    formula: "(1+x) h / (x R + n), n retrieved, h of them relevant, R relevant documents; undefined without one",
    params: &[RECALL_WEIGHT, THRESHOLD, NO_RELEVANT],
    build: |settings| {
        let x: f64 = settings.get("x")?;
        let of = move |set: Set| match set.found {
            0.0 => 0.0,
            found => (1.0 + x) * found / (x * set.relevant + set.retrieved),
        };
        self::set(settings, settings.get("no_relevant")?, of)
    },
    ..PRECISION
};

/// `set_ap`.
pub(super) const AP: MeasureEntry = MeasureEntry {
    name: "set_ap",
    summary: "precision times recall of all retrieved documents",
    formula: "h^2 / (n R), n retrieved, h of them relevant, R relevant documents; undefined without one",
    params: &[THRESHOLD, NO_RELEVANT],
    build: |settings| {
        let of = |set: Set| if set.found == 0.0 { 0.0 } else { set.found * set.found / (set.retrieved * set.relevant) };
        self::set(settings, settings.get("no_relevant")?, of)
    },
    ..PRECISION
};

/// `set_relp`.
pub(super) const RELATIVE: MeasureEntry = MeasureEntry {
    name: "set_relp",
    summary: "relative precision of all retrieved documents",
    formula: "h / min(n, R), n retrieved, h of them relevant, R relevant documents; undefined without one",
    params: &[THRESHOLD, NO_RELEVANT],
    build: |settings| {
        let of = |set: Set| if set.found == 0.0 { 0.0 } else { set.found / set.retrieved.min(set.relevant) };
        self::set(settings, settings.get("no_relevant")?, of)
    },
    ..PRECISION
};

/// `utility`.
pub(super) const UTILITY: MeasureEntry = MeasureEntry {
    name: "utility",
    summary: "gains and costs of retrieved and missed documents",
    formula: "a h + b (n-h) + c (R-h) + d (docs+h-n-R), n retrieved, h of them relevant, R relevant documents",
    params: &[
        Param {
            name: "a",
            help: "the worth of a relevant retrieved document",
            default: |_, _| "1".to_owned(),
            ..WORTH
        },
        Param { name: "b", help: "the worth of another retrieved document", default: |_, _| "-1".to_owned(), ..WORTH },
        Param { name: "c", help: "the worth of a relevant document that was not retrieved", ..WORTH },
        Param { name: "d", help: "the worth of another document that was not retrieved", ..WORTH },
        DOCS,
        THRESHOLD,
    ],
    build: |settings| {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| settings.get::<f64>(name));
        let (a, b, c, d) = (a?, b?, c?, d?);
        let docs: Option<f64> = settings.get::<String>("docs")?.parse().ok();
        if d != 0.0 && docs.is_none() {
            let must_be = "the number of documents of the collection, since d is not 0; trec_eval takes 0 without -N";
            return Err(settings.wrong("docs", must_be));
        }
        let docs = docs.unwrap_or(0.0);
        let of = move |set: Set| {
            let (others, missed) = (set.retrieved - set.found, set.relevant - set.found);
            a * set.found + b * others + c * missed + d * (docs + set.found - set.retrieved - set.relevant)
        };
        let threshold = settings.get("threshold")?;
        Ok(Box::new(SetMeasure { threshold, undefined: |_| None, of }))
    },
    ..PRECISION
};

const WORTH: Param = Param {
    name: "c",
    help: "",
    values: "a number of at most 1e9",
    canonical: |text| number(text, |worth| worth.abs() <= 1e9),
    default: |_, _| "0".to_owned(),
    usual: None,
};

const DOCS: Param = Param {
    name: "docs",
    help: "number of documents of the collection, which d needs",
    values: "a number of at most 1e9, or unknown",
    canonical: |text| if text == "unknown" { Some(text.to_owned()) } else { (WORTH.canonical)(text) },
    default: |_, _| "unknown".to_owned(),
    usual: Some("unknown"),
};

/// The numbers of retrieved documents, of relevant retrieved documents, and of relevant documents.
#[derive(Clone, Copy)]
struct Set {
    retrieved: f64,
    found: f64,
    relevant: f64,
}

/// A function of the set. `undefined` gives the normaliser of a set without a value.
struct SetMeasure<F, U> {
    threshold: u8,
    of: F,
    undefined: U,
}

/// A measure that has no value where the function is not a number, or without a relevant document.
fn set<F>(settings: &Settings, no_relevant: NoRelevant, of: F) -> Result<Box<dyn Measure>, MeasureError>
where
    F: Fn(Set) -> f64 + Send + Sync + 'static,
{
    let needs_relevant = settings.get::<NoRelevant>("no_relevant").is_ok();
    let undefined = move |set: Set| match needs_relevant {
        true => (set.relevant == 0.0).then(|| no_relevant.normaliser()),
        false => (set.retrieved == 0.0).then_some(f64::NAN),
    };
    Ok(Box::new(SetMeasure { threshold: settings.get("threshold")?, of, undefined }))
}

impl<F, U> SetMeasure<F, U> {
    fn set(&self, query: &QueryGrades) -> Set {
        Set {
            retrieved: query.documents() as f64,
            found: query.ranked_relevant(self.threshold) as f64,
            relevant: query.relevant(self.threshold) as f64,
        }
    }
}

impl<F, U> Measure for SetMeasure<F, U>
where
    F: Fn(Set) -> f64 + Send + Sync,
    U: Fn(Set) -> Option<f64> + Send + Sync,
{
    fn is_whole(&self) -> bool {
        true
    }

    fn whole(&self, strict: &Ranked<'_>, _: Option<usize>) -> f64 {
        let set = self.set(strict.query());
        if (self.undefined)(set).is_some() { 0.0 } else { (self.of)(set) }
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        (self.undefined)(self.set(query)).unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use crate::one_query::value;

    /// trec_eval 9.0.8 and 10.0 (`te_calc_utility`): p4 x (num_docs_in_coll + num_rel_ret - num_ret
    /// - num_rel), and num_docs_in_coll is 0 without -N. One of three documents is relevant.
    #[test]
    fn documents_that_were_not_retrieved_need_the_size_of_the_collection() {
        let (grades, scores) = ([1, 0, 0], [3.0, 2.0, 1.0]);
        assert_eq!(value("utility(d=1,docs=10)", &grades, &scores), Ok(Some(1.0 - 2.0 + 7.0)));
        assert_eq!(value("utility(d=1,docs=0)", &grades, &scores), Ok(Some(1.0 - 2.0 - 3.0)));
        assert_eq!(value("utility", &grades, &scores), Ok(Some(-1.0)));
        let error = value("utility(d=1)", &grades, &scores).unwrap_err().to_string();
        assert!(error.contains("`docs` of `utility` must be the number of documents"), "{error}");
    }
}
