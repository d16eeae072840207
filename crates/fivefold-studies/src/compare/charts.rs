//! Charts with a line for each measure: achieved significance levels (Sakai, SIGIR 2006, Fig. 3),
//! and swap rates by difference. Scatter charts show the queries in the plane of an original
//! measure and its UE version.

use fivefold_analysis::chart::{Axis, Point, ReferenceLine, Series, SeriesKind};
use fivefold_analysis::{Chart, slug};
use fivefold_base::words::counted;
use fivefold_metrics::{MeasureSpec, Version};
use fivefold_stats::asl_curve;

use super::Compare;
use super::diagrams::main_column;
use super::scores::{Column, ScoredMeasure, Scores};
use super::tables::{id_of, notes_of};
use super::tested::Found;
use crate::study::{Findings, StudyError};

/// The most points of a line.
const POINTS: usize = 300;
/// The most queries of a scatter chart, and of all scatter charts of a data set.
const QUERIES: usize = 1000;
const ALL_QUERIES: usize = 3000;

/// Adds the charts of a data set.
///
/// # Errors
/// An unknown test or correction.
pub(super) fn add(
    study: &Compare,
    scores: &Scores,
    compared: &[Found],
    several: bool,
    findings: &mut Findings,
) -> Result<(), StudyError> {
    let named = |title: &str| if several { format!("{title}: {}", scores.label) } else { title.to_owned() };
    let line = |label: String, y: f64| ReferenceLine { label, y, series: None };
    let measures = || scores.measures.iter().zip(compared);
    let levels: Vec<Series> = measures()
        .map(|(measure, compared)| {
            let curve = asl_curve(&compared.tested.p_values).p_values;
            let last = curve.len().saturating_sub(1);
            let count = curve.len().min(POINTS);
            let place = |at: usize| if count < 2 { 0 } else { at * last / (count - 1) };
            let point = |at: usize| Point::new((place(at) + 1) as f64 / curve.len() as f64, curve[place(at)]);
            Series { name: measure.name.clone(), kind: SeriesKind::Line, points: (0..count).map(point).collect() }
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    let mut notes = vec!["p-values of all comparisons from the highest to the lowest; the lower the line, the more a measure tells apart".to_owned()];
    notes.extend(notes_of(scores, several));
    findings.charts.push(Chart {
        id: id_of(scores, several, "achieved-significance-levels"),
        title: named("Achieved significance levels"),
        x: Axis { range: Some((0.0, 1.0)), ..Axis::linear("share of the comparisons") },
        y: Axis { range: Some((0.0, 1.0)), ..Axis::linear(format!("p ({})", study.difference_test()?.in_short())) },
        series: levels,
        lines: vec![line(format!("p = {}", study.alpha), study.alpha)],
        notes,
    });
    let rates: Vec<Series> = measures()
        .map(|(measure, compared)| {
            let bins = compared.swaps.first().map_or(0, |curve| curve.bins.len());
            let sum = |bin: usize| {
                let own = compared.swaps.iter().map(|curve| curve.bins[bin]);
                own.fold((0.0, 0, 0), |(_, all, swaps), bin| (bin.from, all + bin.comparisons, swaps + bin.swaps))
            };
            let point = |(from, all, swaps)| (all > 0).then(|| Point::new(from, swaps as f64 / all as f64));
            let points = (0..bins).map(sum).filter_map(point).collect();
            Series { name: measure.name.clone(), kind: SeriesKind::Line, points }
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    let mut notes = vec![format!("{} random halves; the last difference stands for all above it", study.trials)];
    notes.extend(notes_of(scores, several));
    findings.charts.push(Chart {
        id: id_of(scores, several, "swap-rates"),
        title: named("Swap rates by difference"),
        x: Axis::linear("difference on the first half, from"),
        y: Axis::linear("share that is reversed on the second half"),
        series: rates,
        lines: vec![line("5 %".to_owned(), 0.05)],
        notes,
    });
    scatters(scores, several, findings);
    Ok(())
}

/// Scatter charts of the queries: the mean over systems of an original measure against the mean of
/// its UE version.
fn scatters(scores: &Scores, several: bool, findings: &mut Findings) {
    let of_spec = |wanted: &MeasureSpec| scores.measures.iter().find(|measure| measure.spec.as_ref() == Some(wanted));
    let pairs: Vec<(&ScoredMeasure, &ScoredMeasure)> = scores
        .measures
        .iter()
        .filter_map(|measure| {
            let own = measure.spec.as_ref().filter(|own| own.version() != Version::Original)?;
            Some((of_spec(&own.base())?, measure))
        })
        .collect();
    let keep = scores.queries.min(QUERIES).min(ALL_QUERIES / pairs.len().max(1));
    for (original, version) in pairs {
        let [x, y] = [original, version].map(|measure| &measure.columns[main_column(measure)]);
        let mean = |column: &Column, query: usize| {
            column.values.iter().map(|of_system| of_system[query]).sum::<f64>() / column.values.len() as f64
        };
        let queries = (0..keep).map(|place| place * scores.queries / keep);
        let points = queries.map(|query| Point::new(mean(x, query), mean(y, query))).collect();
        let mut notes = vec![format!("a query's mean over {}", counted(scores.systems.len(), "system"))];
        if keep < scores.queries {
            notes.push(format!("drawn: an even sample of {keep} of {} queries", scores.queries));
        }
        notes.extend(notes_of(scores, several));
        let title = format!("Queries under {} and {}", x.name, y.name);
        findings.charts.push(Chart {
            id: id_of(scores, several, &format!("queries-{}", slug(&version.name))),
            title: if several { format!("{title}: {}", scores.label) } else { title },
            x: Axis::linear(format!("mean {}", x.name)),
            y: Axis::linear(format!("mean {}", y.name)),
            series: vec![Series { name: "queries".to_owned(), kind: SeriesKind::Points, points }],
            lines: Vec::new(),
            notes,
        });
    }
}
