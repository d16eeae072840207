//! Says in words why jobs are done again. Jobs with the same reason are listed together.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fivefold_base::words::{counted, which as agree};
use fivefold_experiment::reuse::{Change, EvaluationState, Reuse};
use fivefold_experiment::{Job, Plan};
use serde_json::Value;

/// How many files, errors or changes of one group are shown.
const MOST: usize = 8;
/// How many characters of a value are shown.
const LONGEST: usize = 90;
/// The inputs that are hashes of the parts of a fold.
const PARTS: [&str; 3] = ["train", "validation", "test"];
/// How many digits of a hash are shown.
const HASH_DIGITS: usize = 12;

/// Jobs that are reused, or done again, for the same reason.
struct Group<'p> {
    /// The reason, as the words after "because".
    reason: String,
    jobs: Vec<(&'p Job, &'p Reuse)>,
}

/// One line that says how many jobs are done again and why; `None` if no job is done again.
pub(crate) fn done_again(plan: &Plan<'_>, reuse: &[Reuse]) -> Option<String> {
    let again = groups(plan, reuse).into_iter().filter(|group| !matches!(group.jobs[0].1, Reuse::Reused | Reuse::New));
    let parts: Vec<String> =
        again.map(|group| format!("{} because {}", counted(group.jobs.len(), "job"), group.reason)).collect();
    (!parts.is_empty()).then(|| format!("done again: {} (--explain-cache says more)", parts.join(", ")))
}

/// Says of every job whether it is reused or to do, and why.
pub(crate) fn jobs_text(plan: &Plan<'_>, reuse: &[Reuse]) -> String {
    let mut text = String::new();
    for group in groups(plan, reuse) {
        let count = counted(group.jobs.len(), "job");
        // Writing to a string cannot fail.
        let _ = match group.jobs[0].1 {
            Reuse::Reused => writeln!(text, "reused: {count}"),
            _ => writeln!(text, "to do: {count}, because {}", group.reason),
        };
        for line in which(plan, &group).into_iter().chain(details(&group)) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// Says how a run would change the evaluation, and why.
pub(crate) fn evaluation_text(state: &EvaluationState, to_do: usize) -> String {
    let mut text = "evaluation: every run of all jobs computes it again from the scores".to_owned();
    let again = match to_do {
        0 => String::new(),
        _ => format!(", and {} {} to do", counted(to_do, "job"), agree(to_do, "is", "are")),
    };
    match state {
        EvaluationState::None => text += "; the folder has no evaluation yet",
        EvaluationState::Damaged { reason } => {
            let _ = write!(text, "; manifest.json cannot be used: {reason}");
        }
        EvaluationState::There { changes, altered } => {
            if !altered.is_empty() {
                let _ = write!(text, "; {} was altered after the last run", altered.join(" or "));
            }
            if !changes.is_empty() {
                let _ = write!(text, "; the settings changed{again}");
            } else if to_do > 0 {
                let _ = write!(text, "; the settings are as before{again}");
            } else {
                text += "; scores and settings are as before, so the evaluation gives the same values";
            }
            for line in change_lines(changes.iter()) {
                let _ = write!(text, "\n  {line}");
            }
        }
    }
    text
}

fn groups<'p>(plan: &'p Plan<'_>, reuse: &'p [Reuse]) -> Vec<Group<'p>> {
    let mut groups: Vec<Group<'p>> = Vec::new();
    for (job, reuse) in plan.jobs.iter().zip(reuse) {
        let reason = reason(plan, job, reuse);
        match groups.iter_mut().find(|group| group.reason == reason) {
            Some(group) => group.jobs.push((job, reuse)),
            None => groups.push(Group { reason, jobs: vec![(job, reuse)] }),
        }
    }
    groups
}

fn reason(plan: &Plan<'_>, job: &Job, reuse: &Reuse) -> String {
    match reuse {
        Reuse::Reused => String::new(),
        Reuse::New => "there is no result of this data set, fold and ranker".to_owned(),
        Reuse::Changed { changes } => {
            let (data, mut own): (Vec<&str>, Vec<&str>) =
                changes.iter().map(|change| change.input.as_str()).partition(|input| PARTS.contains(input));
            // Candidates of a search change with their data.
            own.retain(|input| data.is_empty() || *input != "candidates");
            let data =
                (!data.is_empty()).then(|| format!("the data of {}", plan.experiment.datasets[job.dataset].label));
            let what: Vec<String> = own.into_iter().map(str::to_owned).chain(data).collect();
            format!("{} changed", what.join(" and "))
        }
        Reuse::Damaged { .. } => "the record is damaged".to_owned(),
        Reuse::Missing { .. } => "a file of the result is missing".to_owned(),
        Reuse::Altered { .. } => "a file of the result was altered".to_owned(),
        Reuse::Unconfined { .. } => "the program was not confined as it would be now".to_owned(),
        Reuse::Failed { .. } => "the job failed the last time".to_owned(),
        Reuse::Awaits { .. } => "a job that it depends on is done again".to_owned(),
    }
}

/// The jobs of a group, with one line for each data set.
fn which(plan: &Plan<'_>, group: &Group<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for (dataset, config) in plan.experiment.datasets.iter().enumerate() {
        let folds_of = |jobs: &mut dyn Iterator<Item = &Job>| -> BTreeSet<usize> { jobs.map(|job| job.fold).collect() };
        let all = folds_of(&mut plan.jobs.iter().filter(|job| job.dataset == dataset));
        let own = || group.jobs.iter().map(|(job, _)| *job).filter(|job| job.dataset == dataset);
        let mut rankers: Vec<(BTreeSet<usize>, Vec<&str>)> = Vec::new();
        for ranker in own().map(|job| job.ranker).collect::<BTreeSet<usize>>() {
            let folds = folds_of(&mut own().filter(|job| job.ranker == ranker));
            let label = plan.experiment.rankers[ranker].label.as_str();
            match rankers.iter_mut().find(|(of_others, _)| *of_others == folds) {
                Some((_, labels)) => labels.push(label),
                None => rankers.push((folds, vec![label])),
            }
        }
        let parts = rankers.iter().map(|(folds, labels)| {
            if *folds == all {
                return labels.join(", ");
            }
            let job = |fold: &usize| own().find(|job| job.fold == *fold).and_then(|job| job.id.split('/').nth(1));
            let folds: Vec<&str> = folds.iter().filter_map(job).collect();
            format!("{} ({})", labels.join(", "), folds.join(", "))
        });
        let parts: Vec<String> = parts.collect();
        if !parts.is_empty() {
            lines.push(format!("{}: {}", config.label, parts.join("; ")));
        }
    }
    lines
}

/// The changed inputs, or the damaged files, of the jobs of a group.
fn details(group: &Group<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut changes = Vec::new();
    for (_, reuse) in &group.jobs {
        match reuse {
            Reuse::Reused | Reuse::New | Reuse::Unconfined { .. } | Reuse::Awaits { .. } => {}
            Reuse::Changed { changes: own } => changes.extend(own),
            Reuse::Damaged { file, reason } => lines.push(format!("{file}: {reason}")),
            Reuse::Missing { file } | Reuse::Altered { file } => lines.push(file.clone()),
            Reuse::Failed { error } => lines.push(error.lines().next().unwrap_or_default().to_owned()),
        }
    }
    lines.dedup();
    let left = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if left > 0 {
        lines.push(format!("and {left} more (--json lists all)"));
    }
    lines.extend(change_lines(changes.into_iter()));
    lines
}

/// One line `name: old -> new` for each input that changed.
pub(crate) fn change_lines<'c>(changes: impl Iterator<Item = &'c Change>) -> Vec<String> {
    let mut by_input: Vec<Vec<&Change>> = Vec::new();
    for change in changes {
        match by_input.iter_mut().find(|of_input| of_input[0].input == change.input) {
            Some(of_input) if of_input.contains(&change) => {}
            Some(of_input) => of_input.push(change),
            None => by_input.push(vec![change]),
        }
    }
    let line = |of_input: &Vec<&Change>| {
        let first = of_input[0];
        let others = match of_input.len() {
            1 => String::new(),
            count => format!(", and {}", counted(count - 1, "other change")),
        };
        let (old, new) = (shown(first.old.as_ref()), shown(first.new.as_ref()));
        format!("{}: {old} -> {new}{others}{}", first.input, meaning(&first.input))
    };
    by_input.iter().map(line).collect()
}

/// Explains an input whose name does not explain itself.
fn meaning(input: &str) -> String {
    let words = match input.split('.').next().unwrap_or_default() {
        "code" if input == "code.sources" => "hash of the ranker's sources",
        "code" if input == "code.executable" => "hash of the executable",
        "code" => "by which results know the ranker's code",
        "train" => "hash of the training part's content",
        "validation" => "hash of the validation part's content",
        "test" => "hash of the test part's content",
        "file" => "hash of the score file",
        "files" => "hash of the listed file",
        "version" => "version of the ranker",
        "candidates" => "hash of the keys of all candidates",
        _ => return String::new(),
    };
    format!(" ({words})")
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None => "(none)".to_owned(),
        Some(Value::String(text)) if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            format!("{}…", &text[..HASH_DIGITS])
        }
        Some(value) => {
            let text = value.to_string();
            match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}
