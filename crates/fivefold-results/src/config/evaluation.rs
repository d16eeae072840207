//! `[evaluation]`: measures, cutoffs, UE versions and conventions.
//!
//! ```toml
//! dialect = "paper"             # at the top of the file; fixes every convention not given here
//! [evaluation]
//! measures = ["ndcg", "ap"]     # `rr@10` and `ndcg.v2` keep their own cutoff or version
//! cutoffs = [5, 10, 15, 20, 30]
//! versions = ["original", "v1", "v2"]
//! ties = "average"              # replaces a convention of the dialect; also gain, discount, ...
//! ```

use std::ops::Range;

use fivefold_core::params::field_names;
use fivefold_metrics::{Conventions, MeasureError, MeasureSpec, Overrides, Version, dialect, spelling};
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::DeValue;

use super::error::Fault;
use super::read::{Section, read};

/// The measures and the conventions of the evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationConfig {
    /// Name of the dialect from which the conventions start.
    #[serde(alias = "profile")]
    pub dialect: String,
    /// The measures with version and cutoff, a column each.
    pub measures: Vec<MeasureSpec>,
    /// The conventions in force.
    pub conventions: Conventions,
}

pub(super) const KEYS: [&str; 3] = ["measures", "cutoffs", "versions"];
const MEASURES: [&str; 2] = ["ndcg", "ap"];
const CUTOFFS: [usize; 5] = [5, 10, 15, 20, 30];
const VERSIONS: [Version; 3] = [Version::Original, Version::V1, Version::V2];

impl EvaluationConfig {
    /// Reads the settings. Returns them with a note for each measure that was given in the spelling
    /// of another program.
    pub(super) fn read(
        section: Option<Section<'_>>,
        name: Option<Spanned<DeValue<'_>>>,
    ) -> Result<(Self, Vec<String>), Fault> {
        let (dialect, base) = read_dialect(name)?;
        let mut section = section.unwrap_or_default();
        let place = section.span_of("measures");
        let measures = section.read("measures")?.unwrap_or_else(|| MEASURES.map(unplaced).to_vec());
        let cutoffs = section.read("cutoffs")?.unwrap_or_else(|| CUTOFFS.map(unplaced).to_vec());
        let versions = section.read("versions")?.unwrap_or_else(|| VERSIONS.to_vec());
        let conventions = read_overrides(section)?.apply(base);
        let (measures, notes) = expand(&measures, &checked(&cutoffs)?, &versions, &conventions, place)?;
        Ok((EvaluationConfig { dialect, measures, conventions }, notes))
    }
}

fn unplaced<T, U: From<T>>(value: T) -> Spanned<U> {
    Spanned::new(0..0, value.into())
}

fn read_dialect(name: Option<Spanned<DeValue<'_>>>) -> Result<(String, Conventions), Fault> {
    let name: Spanned<String> = match name {
        Some(value) => read(value)?,
        None => Spanned::new(0..0, "paper".to_owned()),
    };
    let found = dialect(name.get_ref()).map_err(|error| measure_fault(&error, name.span()))?;
    Ok((name.into_inner(), found.conventions()))
}

fn read_overrides(section: Section<'_>) -> Result<Overrides, Fault> {
    let known = field_names::<Overrides>();
    if let Some((key, span)) = section.keys().find(|(key, _)| !known.contains(key)) {
        if ["dialect", "profile"].contains(&key) {
            let fault = Fault::new(format!("`{key}` does not belong in `[evaluation]`"), span);
            return Err(fault.help("the dialect is named at the top of the file: dialect = \"letor4\""));
        }
        return Err(Fault::unknown("key", key, span, KEYS.into_iter().chain(known.iter().copied())));
    }
    read(section.into_value())
}

fn checked(cutoffs: &[Spanned<usize>]) -> Result<Vec<usize>, Fault> {
    let mut checked: Vec<usize> = Vec::with_capacity(cutoffs.len());
    for cutoff in cutoffs {
        let value = *cutoff.get_ref();
        if value == 0 {
            return Err(Fault::new("a cutoff is at least 1", cutoff.span()));
        }
        if checked.contains(&value) {
            return Err(Fault::new(format!("cutoff {value} is given twice"), cutoff.span()));
        }
        checked.push(value);
    }
    Ok(checked)
}

/// Returns every measure at every cutoff in every version, and notes on what was understood. A
/// measure that names its own cutoff or version keeps it.
fn expand(
    measures: &[Spanned<String>],
    cutoffs: &[usize],
    versions: &[Version],
    conventions: &Conventions,
    place: Range<usize>,
) -> Result<(Vec<MeasureSpec>, Vec<String>), Fault> {
    let (mut columns, mut notes): (Vec<MeasureSpec>, Vec<String>) = (Vec::new(), Vec::new());
    for measure in measures {
        let fault = |error: MeasureError| measure_fault(&error, measure.span());
        let (at_cutoffs, own) = parse(measure.get_ref(), cutoffs, conventions).map_err(fault)?;
        notes.extend(own);
        let Some(spec) = at_cutoffs.first() else { continue };
        let versions = match spec.version() {
            // A measure without V1 and V2 has one column, beside three of other measures.
            Version::Original if spec.entry().no_ue.is_some() && versions.contains(&Version::Original) => {
                &[Version::Original]
            }
            Version::Original => versions,
            version => &[version],
        };
        for &version in versions {
            for spec in &at_cutoffs {
                let column = spec.with_version(version);
                column.check().map_err(fault)?;
                if columns.contains(&column) {
                    return Err(Fault::new(format!("the measure `{column}` is asked for twice"), measure.span()));
                }
                columns.push(column);
            }
        }
    }
    if columns.is_empty() {
        return Err(Fault::new("no measure is asked for", place).help("for instance `measures = [\"ndcg\", \"ap\"]`"));
    }
    Ok((columns, notes))
}

/// Reads a measure at every cutoff, and a note if it is in the spelling of another program. Such a
/// name is read together with each cutoff, because without one it can be another measure.
fn parse(
    text: &str,
    cutoffs: &[usize],
    conventions: &Conventions,
) -> Result<(Vec<MeasureSpec>, Option<String>), MeasureError> {
    let ours = text.parse::<MeasureSpec>().or_else(|error| match format!("{text}@1").parse::<MeasureSpec>() {
        Ok(spec) => Ok(spec.at(None)),
        Err(_) => Err(error),
    });
    if let Ok(spec) = ours {
        let at_each = spec.cutoff().is_none() && spec.takes_cutoff() && !cutoffs.is_empty();
        let specs = if at_each { cutoffs.iter().map(|&cutoff| spec.at(Some(cutoff))).collect() } else { vec![spec] };
        return Ok((specs, None));
    }
    let at_each = || cutoffs.iter().map(|cutoff| spelling::read(&format!("{text}@{cutoff}"), conventions));
    let readings = match at_each().collect::<Result<Vec<_>, _>>() {
        Ok(readings) if !readings.is_empty() => readings,
        _ => vec![spelling::read(text, conventions)?],
    };
    let note = readings.first().and_then(|reading| reading.note.clone());
    Ok((readings.into_iter().map(|reading| reading.spec).collect(), note))
}

fn measure_fault(error: &MeasureError, span: Range<usize>) -> Fault {
    Fault::with_advice(&error.to_string(), span)
}
