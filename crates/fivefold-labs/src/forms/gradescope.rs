//! Gradescope's `results.json`.

use serde_json::{Value, json};

use super::{GUARD, name_of, points, remarks_on};
use crate::class::Failed;
use crate::grade::{Graded, State};

/// One folder as Gradescope's `results.json`: a test for each cell. `score` is the sum of the points
/// and the bonus, which may be more than the points of the assignment.
pub fn gradescope(graded: &Graded) -> Value {
    let tests: Vec<Value> = graded
        .cells
        .iter()
        .map(|cell| {
            let status = if cell.state == State::Right { "passed" } else { "failed" };
            json!({
                "name": name_of(cell),
                "score": cell.points,
                "max_score": cell.most,
                "status": status,
                "output": output(cell.state, &remarks_on(cell)),
            })
        })
        .collect();
    let mut output = graded.remarks.clone();
    if graded.most_bonus > 0.0 {
        let [have, most, bonus] = [graded.points, graded.most, graded.bonus].map(points);
        output.push(format!("{have} of {most} points, and {bonus} of {} bonus points", points(graded.most_bonus)));
    }
    if graded.of_program {
        output.push(GUARD.to_owned());
    }
    json!({ "score": graded.points + graded.bonus, "output": output.join("\n"), "tests": tests })
}

/// A folder that cannot be graded: no points, and the problem for the student to read.
pub fn failed_gradescope(failed: &Failed) -> Value {
    json!({ "score": 0.0, "output": failed.problem })
}

fn output(state: State, lines: &[String]) -> String {
    let first = [state.word().to_owned()];
    first.iter().chain(lines).map(String::as_str).collect::<Vec<_>>().join("\n")
}
