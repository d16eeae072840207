//! Fuzz target for measures by name. The printed form of a name reads back to the same measure. No
//! value on a small query is infinite.
//!
//! The first line of an input is the name. The bytes after it are grades (the low five bits of a
//! byte).

use fivefold_core::Seed;
use fivefold_metrics::{DIALECTS, Evaluator, MeasureSpec, Scratch};

pub(crate) fn run(bytes: &[u8]) {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let Ok(name) = std::str::from_utf8(&bytes[..end]) else { return };
    let Ok(spec) = name.parse::<MeasureSpec>() else { return };
    assert_eq!(spec.to_string().parse::<MeasureSpec>().unwrap(), spec);
    let grades: Vec<u8> = bytes[end..].iter().skip(1).take(64).map(|byte| (byte & 31).min(30)).collect();
    for dialect in DIALECTS {
        let conventions = dialect.conventions();
        let Ok(evaluator) = Evaluator::new(std::slice::from_ref(&spec), &conventions, 30, Seed::new(3)) else {
            continue;
        };
        let ids: Vec<String> = (0..grades.len()).map(|row| format!("d{row}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let judged = evaluator.judge("q", &grades, Some(&ids)).unwrap();
        let scores: Vec<f64> = (0..grades.len()).map(|row| (row * 7 % 5) as f64).collect();
        let (mut value, mut best) = ([0.0], [0.0]);
        evaluator.evaluate(&judged, &scores, &mut Scratch::default(), &mut value).unwrap();
        let ideal: Vec<f64> = grades.iter().map(|&grade| f64::from(grade)).collect();
        evaluator.evaluate(&judged, &ideal, &mut Scratch::default(), &mut best).unwrap();
        assert!(
            !value[0].is_infinite() && !best[0].is_infinite(),
            "{spec} under {}: {value:?}, {best:?}",
            dialect.name
        );
    }
}
