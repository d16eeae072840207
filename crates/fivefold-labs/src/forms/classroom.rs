//! The result of a runner, as GitHub Classroom's reporter reads it.

use serde_json::{Value, json};

use super::{name_of, remarks_on};
use crate::class::Failed;
use crate::grade::{Graded, State};

/// One folder as the result of a runner of GitHub Classroom: a test for each cell. The reporter adds
/// up the `score` of the tests, and takes `max_score` of the whole as what can be had. So a bonus
/// counts beyond it. Whether all is right does not depend on the bonus.
pub fn classroom(graded: &Graded) -> Value {
    let tests: Vec<Value> = graded
        .cells
        .iter()
        .map(|cell| {
            let is_right = cell.state == State::Right;
            let lines: Vec<String> = std::iter::once(cell.state.word().to_owned()).chain(remarks_on(cell)).collect();
            json!({
                "name": name_of(cell),
                "status": if is_right { "pass" } else { "fail" },
                "message": if is_right { Value::Null } else { lines.join("\n").into() },
                "score": cell.points,
                "max_score": cell.most,
            })
        })
        .collect();
    let all = graded.cells.iter().all(|cell| cell.bonus || cell.state == State::Right);
    json!({
        "version": 1,
        "status": if all { "pass" } else { "fail" },
        "max_score": graded.most,
        "tests": tests,
    })
}

/// A folder that cannot be graded: one test, which says why.
pub fn failed_classroom(failed: &Failed) -> Value {
    let test = json!({
        "name": "lab", "status": "error", "message": failed.problem, "score": 0.0, "max_score": 0.0,
    });
    json!({ "version": 1, "status": "error", "max_score": 0.0, "tests": [test] })
}
