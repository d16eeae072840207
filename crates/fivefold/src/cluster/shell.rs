//! The same chunks as scripts without a scheduler: for GNU parallel, ssh, HyperQueue or another
//! scheduler.
//!
//! `stage-1.txt` and so on have a command for each chunk, a line each. Lines of a file may run at
//! the same time, on any machines that share the folder. `run.sh` runs all of them on this machine.
//! `hq.py` hands them to HyperQueue.

use std::fmt::Write as _;

use crate::cluster::chunks::{Array, Chunk};
use crate::cluster::rounds::State;
use crate::cluster::slurm::{Queue, quoted};
use crate::cluster::submission::{Engine, Settings, Submission};

/// Writes the rows and the scripts. All stages are planned at once, since nothing waits.
pub(crate) fn write(submission: &Submission, state: &mut State) -> miette::Result<()> {
    let (program, folder) = (quoted(&submission.settings.program), quoted(&submission.folder));
    let task = format!("{program} task {folder}");
    let mut stages = Vec::new();
    let known = state.known.clone();
    let from = submission.last_round() + 1;
    for round in from.. {
        let arrays = all_of_stage(state, &submission.settings);
        if arrays.is_empty() {
            break;
        }
        submission.claim(round, &Queue::default())?;
        state.note(round, &arrays);
        let chunks: Vec<&Chunk> = arrays.iter().flat_map(|array| &array.chunks).collect();
        let mut lines = String::new();
        for (number, chunk) in chunks.iter().enumerate() {
            let _ = writeln!(lines, "{task} chunk {round} {number}");
            chunk.rows.iter().for_each(|&row| state.known[row].done = true);
        }
        let stage = format!("stage-{round}.txt");
        submission.write(&stage, lines.as_bytes())?;
        stages.push(stage);
    }
    state.known = known;
    submission.write_rows(&state.rows)?;
    submission.write("run.sh", script(&task, &stages).as_bytes())?;
    if submission.settings.engine == Engine::Hq {
        submission.write("hq.py", hq_script(&submission.settings, &task, &stages).as_bytes())?;
    }
    Ok(())
}

/// The script for HyperQueue. A list of JSON is one of Python too.
fn hq_script(settings: &Settings, task: &str, stages: &[String]) -> String {
    let values = serde_json::json!([
        settings.name,
        format!("{task} warm"),
        format!("{task} evaluate"),
        stages,
        settings.threads
    ]);
    include_str!("hq.py").replace("{values}", &values.to_string())
}

/// All open jobs of the next stage. A pilot would need a second look, so all of them are taken.
fn all_of_stage(state: &State, settings: &Settings) -> Vec<Array> {
    let mut guessed = State { rows: state.rows.clone(), known: state.known.clone(), measured: state.measured.clone() };
    for (row, known) in guessed.rows.iter().zip(&guessed.known) {
        guessed.measured.entry(known.sized.id.clone()).or_insert(row.seconds);
    }
    guessed.next(settings)
}

fn script(task: &str, stages: &[String]) -> String {
    let stages: String = stages.iter().map(|stage| format!("each {stage}\n")).collect();
    format!(
        "#!/bin/bash
# Does all jobs on this machine, and evaluates: bash run.sh [TASKS AT A TIME]
# The lines of a stage-*.txt may also run elsewhere; the next stage needs the results of the stages before.
cd \"$(dirname \"$0\")\" || exit
tasks=${{1:-1}}
each() {{
  if command -v parallel >/dev/null; then parallel --will-cite -j \"$tasks\" <\"$1\"; else tr '\\n' '\\0' <\"$1\" | xargs -0 -P \"$tasks\" -I{{}} bash -c '{{}}'; fi
}}
{task} warm || exit
{stages}{task} evaluate
"
    )
}
