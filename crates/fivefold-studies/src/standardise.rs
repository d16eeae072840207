//! `kind = "standardise"`: standardises scores by each query's mean and standard deviation. The
//! study shows the effect on the distribution of scores, the number of systems needed, and the
//! comparability of queries. U- and UE-normalised scores stand beside the standardised scores.
//!
//! ```toml
//! [systems]                          # see `systems`: any source
//! measures = ["dcg@10", "sp@10"]     # original measures, or columns of values; absent: see `Standardise`
//! standardising = ["run1", "run2"]   # the systems that give the factors; absent: all
//! factors = ["factors/ap.json"]      # factors of an earlier run, with their measures
//! linear = { a = 0.15, b = 0.5 }     # A z + B, beside the normal distribution function
//! sizes = [2, 5, 10]                 # sizes of random subsets of the standardising systems
//! draws = 2000                       # subsets of each size
//! partitions = 2000                  # random halves of the queries
//! alpha = 0.05                       # level of the test of a system against itself
//! dialect = "paper"                  # the dialect; [conventions] replaces single conventions
//! ```
//! All forms of a measure are compared on the same queries: the queries for which every form of
//! every system has a value.
//!
//! Reading order: `factors`, `forms` (raw, U-normalised, V1, V2, standardised, linear),
//! `comparability`, `needed`, `tables`, `words`.

pub(crate) mod comparability;
pub(crate) mod factors;
pub(crate) mod forms;
pub(crate) mod needed;
mod tables;
mod words;

use std::path::PathBuf;

use fivefold_core::ParamError;
use fivefold_data::input;
use fivefold_metrics::{MeasureSpec, Overrides};
use serde::{Deserialize, Serialize};

use self::comparability::{comparability, partitions};
use self::factors::{Factors, Linear};
use self::forms::MeasureForms;
use self::needed::{default_sizes, needed};
use crate::study::{Findings, Input, Study, StudyContext, StudyError, conventions, each_once, facts};
use crate::systems::{Content, SystemsConfig, config};

/// The study of score standardisation, with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Standardise {
    /// The source of the systems.
    pub systems: SystemsConfig,
    /// Measures of rankings, or columns of values. If empty: the measures of `factors`, else all
    /// columns of values, or `dcg@10` and `sp@10` of rankings.
    pub measures: Vec<String>,
    /// The systems that give the factors; all systems if empty.
    pub standardising: Vec<String>,
    /// Files of factors to apply, a file for each measure. If empty, factors are computed from the
    /// systems.
    pub factors: Vec<PathBuf>,
    /// Sakai's linear alternative.
    pub linear: Linear,
    /// Sizes of random subsets of the standardising systems. If empty: 2, 3, 5, 10, 20, 40 and 80,
    /// if there are more systems.
    pub sizes: Vec<usize>,
    /// Number of subsets of each size.
    pub draws: usize,
    /// Number of random partitions of the queries into halves.
    pub partitions: usize,
    /// The level of the test of a system against itself.
    pub alpha: f64,
    /// The dialect, whose conventions apply.
    pub dialect: String,
    /// Conventions that replace the dialect's.
    pub conventions: Overrides,
}

impl Default for Standardise {
    fn default() -> Self {
        Standardise {
            systems: SystemsConfig::default(),
            measures: Vec::new(),
            standardising: Vec::new(),
            factors: Vec::new(),
            linear: Linear::default(),
            sizes: Vec::new(),
            draws: 2000,
            partitions: 2000,
            alpha: 0.05,
            dialect: "paper".to_owned(),
            conventions: Overrides::default(),
        }
    }
}

impl Standardise {
    /// Reads the files of factors.
    fn given_factors(&self, cx: &StudyContext<'_>) -> Result<(Vec<Factors>, Vec<Input>), StudyError> {
        let (mut all, mut inputs) = (Vec::new(), Vec::new());
        for file in &self.factors {
            let (name, path) = (file.display().to_string(), cx.find(file)?);
            let unreadable = |error| StudyError::Input(format!("cannot read {}: {error}", path.display()));
            let factors = Factors::parse(&name, &input::read_text(&path, input::MOST_SETTINGS).map_err(unreadable)?)?;
            if all.iter().any(|other: &Factors| other.measure == factors.measure) {
                return Err(StudyError::Input(format!("{name}: a second file of factors of {}", factors.measure)));
            }
            inputs.push(config::input(&name, &path)?);
            all.push(factors);
        }
        Ok((all, inputs))
    }
}

impl Study for Standardise {
    const KIND: &'static str = "standardise";
    const SUMMARY: &'static str =
        "scores standardised by each query's mean and deviation over systems, beside U- and UE-normalised scores";

    fn check(&self) -> Result<(), ParamError> {
        self.systems.check()?;
        let Linear { a, b } = self.linear;
        ParamError::unless(
            a.is_finite() && a > 0.0 && b.is_finite(),
            "linear",
            a,
            "a slope `a` above 0 and a number `b`",
        )?;
        ParamError::unless(self.alpha > 0.0 && self.alpha < 1.0, "alpha", self.alpha, "between 0 and 1")?;
        ParamError::unless(self.draws > 0, "draws", self.draws, "at least 1")?;
        ParamError::unless(self.partitions > 0, "partitions", self.partitions, "at least 1")?;
        if let Some(size) = self.sizes.iter().find(|&&size| size < 2) {
            return Err(ParamError::new("sizes", format!("must be at least 2 each, not {size}")));
        }
        each_once("measures", &self.measures)?;
        each_once("standardising", &self.standardising)?;
        let says_more = !self.measures.is_empty() || !self.standardising.is_empty();
        if !self.factors.is_empty() && says_more {
            let what = "say the measures and were computed already: leave out `measures` and `standardising`";
            return Err(ParamError::new("factors", what));
        }
        conventions(&self.dialect, &self.conventions).map(|_| ())
    }

    fn measures(&self) -> Vec<MeasureSpec> {
        // Measures of other programs may have names that do not parse; they are left out.
        self.measures.iter().filter_map(|name| name.parse().ok()).collect()
    }

    fn run(&self, cx: &StudyContext<'_>) -> Result<Findings, StudyError> {
        let systems = self.systems.read(cx)?;
        let conventions = conventions(&self.dialect, &self.conventions)?;
        let (given, more) = self.given_factors(cx)?;
        let measures = match given.is_empty() {
            true => self.measures.clone(),
            false => given.iter().map(|factors| factors.measure.clone()).collect(),
        };
        let mut families = forms::families(&systems.content, &measures, &conventions)?;
        for family in &mut families {
            match given.iter().find(|factors| factors.measure == family.measure) {
                Some(factors) => family.apply(factors.clone())?,
                None => family.standardise(&self.standardising)?,
            }
            family.add_standardised(self.linear)?;
        }
        let mut findings = Findings { inputs: systems.inputs, ..Findings::default() };
        findings.inputs.extend(more);
        let mut compared = Vec::new();
        let mut subsets = Vec::new();
        let steps = families.len() as u64;
        for (done, family) in (0..).zip(&families) {
            cx.step(done, steps)?;
            let halves = partitions(family.common.len(), self.partitions, cx.seed().derive("comparability"));
            let of_form = |form: &forms::Form| comparability(&form.matrix.select(&family.common), &halves, self.alpha);
            compared.push(family.forms.iter().map(of_form).collect::<Result<Vec<_>, _>>()?);
            let matrix = family.standardising_matrix();
            let sizes = match self.sizes.as_slice() {
                _ if !given.is_empty() => Vec::new(),
                [] => default_sizes(matrix.systems()),
                sizes => sizes.to_vec(),
            };
            let seed = cx.seed().derive("subsets").derive(&family.measure);
            let of_size = |size: usize| needed(&matrix, size, self.draws, seed);
            subsets.push(sizes.into_iter().map(of_size).collect::<Result<Vec<_>, _>>()?);
        }
        let shown = tables::Shown { study: self, families: &families, remarks: &systems.remarks };
        shown.add(&compared, &subsets, &mut findings)?;
        for (family, (compared, subsets)) in families.iter().zip(compared.iter().zip(&subsets)) {
            findings.page.findings.push(words::of_family(self, family, compared, subsets)?);
        }
        let measures: Vec<&str> = families.iter().map(|family| family.measure.as_str()).collect();
        let of_first = |first: &MeasureForms| facts(first.systems.len(), first.queries.len(), &measures);
        findings.page.facts = families.first().map(of_first).into_iter().collect();
        let ties = match &systems.content {
            Content::Rankings(_) => vec![conventions.ties],
            Content::Values(_) => systems.computed.iter().map(|own| own.conventions.ties).collect(),
        };
        findings.page.used.extend(ties.iter().map(|ties| format!("ties:{ties}")));
        findings.files.extend(families.iter().map(MeasureForms::factor_file));
        tables::add_scores(&families, &mut findings);
        Ok(findings)
    }
}
