//! The keys that each section of an experiment file has, from the lists by which sections are checked.

use fivefold_core::params::field_names;
use fivefold_data::{Normaliser, Source, SyntheticSource};
use fivefold_metrics::Overrides;

use super::command::CommandLine;
use super::design::{self, AblationSettings, CurveSettings};
use super::fusion::FusionConfig;
use super::old_words::{CONVENTIONS, DATASET, TOP};
use super::python::PythonClass;
use super::ranker::{self, ScoreFiles};
use super::{GuardsConfig, JobLimits, QuerySetsConfig, TablesConfig, dataset, evaluation, selection, tune};

/// Each section of an experiment file with its keys, in the order of a file. Section `""` is the top of
/// the file.
///
/// ```
/// let sections = fivefold_results::config::sections();
/// let (_, run) = sections.iter().find(|(name, _)| *name == "[run]").ok_or("no section")?;
/// assert_eq!(run, &["time_limit", "memory_limit", "isolate"]);
/// # Ok::<(), &str>(())
/// ```
pub fn sections() -> Vec<(&'static str, Vec<&'static str>)> {
    let both = |own: &[&'static str], others: &[&'static str]| own.iter().chain(others).copied().collect();
    let mut all = vec![
        ("", both(&super::KEYS, &design::KEYS)),
        ("normalise", field_names::<Normaliser>().to_vec()),
        ("[[dataset]]", both(field_names::<Source>(), &dataset::KEYS)),
        ("[[dataset]] synthetic", field_names::<SyntheticSource>().to_vec()),
        ("[[ranker]]", ranker::KEYS.to_vec()),
        ("[ranker.params] of kind = \"scores\"", field_names::<ScoreFiles>().to_vec()),
        ("[ranker.params] of kind = \"fusion\"", field_names::<FusionConfig>().to_vec()),
        ("[ranker.params] of kind = \"command\"", field_names::<CommandLine>().to_vec()),
        ("[ranker.params] of kind = \"python\"", field_names::<PythonClass>().to_vec()),
        ("[ranker.tune]", tune::KEYS.to_vec()),
        ("[ranker.tune.params] ranges", tune::range_keys().to_vec()),
        ("[evaluation]", both(&evaluation::KEYS, field_names::<Overrides>())),
        ("[query_sets]", field_names::<QuerySetsConfig>().to_vec()),
        ("[tables]", field_names::<TablesConfig>().to_vec()),
        ("[guards]", field_names::<GuardsConfig>().to_vec()),
        ("[run]", field_names::<JobLimits>().to_vec()),
        ("[learning_curve]", field_names::<CurveSettings>().to_vec()),
        ("[ablation]", field_names::<AblationSettings>().to_vec()),
        ("[selection]", selection::KEYS.to_vec()),
    ];
    // Serde lists old names, too.
    let old = [TOP, CONVENTIONS, DATASET].concat();
    for (_, keys) in &mut all {
        keys.retain(|key| !old.iter().any(|word| word.old == *key));
    }
    all
}
