//! Slurm's words: scripts for `sbatch`, and what `squeue` and `sacct` print.
//!
//! A script runs the program and waits. Slurm sends it SIGTERM a minute before the time limit, which
//! the script passes on. When the program has ended, `fivefold task ... end` writes down why, and
//! says whether the script asks Slurm to begin the task again.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::cluster::chunks::{Asked, Limits};
use crate::cluster::in_allocation;
use crate::problem::Problem;

/// Placeholders of a template.
const PLACEHOLDERS: [&str; 7] = ["name", "tasks", "time", "memory", "threads", "output", "command"];

/// The part of a script that Slurm reads.
const HEAD: &str = "#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --array={tasks}
#SBATCH --time={time}
#SBATCH --mem={memory}
#SBATCH --cpus-per-task={threads}
#SBATCH --output=\"{output}\"
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
{command}";

/// The id of a task, for the shell. `SLURM_JOB_ID` of an array's last task is the id of the array, which
/// would mean all of its tasks.
const OWN_ID: &str = "${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}";

/// A script for a job array.
pub(crate) struct Script<'s> {
    pub(crate) name: String,
    /// The number of tasks, from 0.
    pub(crate) tasks: usize,
    pub(crate) limits: Limits,
    pub(crate) threads: usize,
    pub(crate) program: &'s Path,
    /// The folder of the submission.
    pub(crate) folder: &'s Path,
    /// The arguments of `fivefold task FOLDER`: words of a shell.
    pub(crate) task: String,
}

impl Script<'_> {
    /// The text of the script, by the user's template or our own.
    pub(crate) fn text(&self, template: Option<&str>) -> String {
        let template = template.unwrap_or(HEAD);
        let values = [
            self.name.clone(),
            if self.tasks == 1 { "0".to_owned() } else { format!("0-{}", self.tasks - 1) },
            time(self.limits.seconds),
            format!("{}M", self.limits.bytes.div_ceil(1 << 20)),
            self.threads.max(1).to_string(),
            format!("{}/out/%x-%A_%a.txt", self.folder.display().to_string().replace('%', "%%")),
            self.command(),
        ];
        let named = PLACEHOLDERS.iter().zip(values);
        let text = named.fold(template.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &value));
        text.trim_end().to_owned() + "\n"
    }

    /// The commands of the script.
    fn command(&self) -> String {
        let (program, folder) = (quoted(self.program), quoted(self.folder));
        let task = &self.task;
        format!(
            "fivefold={program}
folder={folder}
\"$fivefold\" task \"$folder\" {task} &
child=$!
trap 'kill -TERM \"$child\" 2>/dev/null' TERM
wait \"$child\"; code=$?
while kill -0 \"$child\" 2>/dev/null; do wait \"$child\"; code=$?; done
if \"$fivefold\" task \"$folder\" {task} --ended \"$code\"; then
  for try in 1 2 3 4 5 6; do scontrol requeue \"{OWN_ID}\" && sleep 30; sleep 10; done
fi
exit \"$code\""
        )
    }
}

/// Checks a user's template.
///
/// # Errors
/// If the template cannot run the command.
pub(crate) fn check_template(path: &Path, text: &str) -> miette::Result<()> {
    let needed = [
        ("command", "its tasks would do nothing"),
        ("tasks", "only the first task of an array would run"),
        ("time", "no task would get more time after it reached its limit"),
        ("memory", "no task would get more memory after it was killed for it"),
    ];
    let Some((name, why)) = needed.iter().find(|(name, _)| !text.contains(&format!("{{{name}}}"))) else {
        return Ok(());
    };
    let known = PLACEHOLDERS.map(|name| format!("{{{name}}}")).join(", ");
    Err(Problem::new(format!("the template {} has no {{{name}}}, so {why}", path.display()))
        .help(format!("a template is a script for sbatch with these placeholders: {known}"))
        .into())
}

/// A path as a word of a shell.
pub(crate) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// Seconds as Slurm writes a time: `D-HH:MM:SS`. Slurm counts minutes, so the time is rounded up.
pub(crate) fn time(seconds: u64) -> String {
    let minutes = seconds.div_ceil(60).max(1);
    let (days, hours) = (minutes / 1440, minutes / 60 % 24);
    let clock = format!("{hours:02}:{:02}:00", minutes % 60);
    if days == 0 { clock } else { format!("{days}-{clock}") }
}

/// The seconds of a time that squeue prints: `M:SS`, `H:MM:SS` or `D-HH:MM:SS`. `None` for a word.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let parts: Vec<u64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let clock = match parts.as_slice() {
        [minutes, seconds] => minutes * 60 + seconds,
        [hours, minutes, seconds] => (hours * 60 + minutes) * 60 + seconds,
        _ => return None,
    };
    Some(days.parse::<u64>().ok()? * 86_400 + clock)
}

/// Takes the limits out of options for sbatch: `--time` or `-t`, and `--mem`, with `=` or a blank. All
/// other options are left.
///
/// # Errors
/// If a limit cannot be read. Left among the options, it would hold for every task, and no task would
/// get more after it reached the limit.
pub(crate) fn limits_of(options: Vec<String>) -> miette::Result<(Asked, Vec<String>)> {
    let (mut asked, mut left) = (Asked::default(), Vec::new());
    let mut options = options.into_iter();
    while let Some(option) = options.next() {
        let is_short = option.starts_with("-t") && !option.starts_with("--");
        let (name, value) = match option.split_once('=') {
            _ if is_short => {
                ("-t", Some(option[2..].trim_start_matches('=').to_owned()).filter(|value| !value.is_empty()))
            }
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option.as_str(), None),
        };
        if !["--time", "-t", "--mem"].contains(&name) {
            left.push(option);
            continue;
        }
        let name = name.to_owned();
        let value = value.or_else(|| options.next()).unwrap_or_default();
        let read = if name == "--mem" { bytes(&value) } else { limit_seconds(&value) };
        let Some(limit) = read else {
            return Err(Problem::new(format!("the limit `{name} {value}` cannot be read"))
                .help("a time is 90 (minutes), 02:00:00 or 1-12:00, and memory is 800M or 8G; both above 0")
                .into());
        };
        match name == "--mem" {
            true => asked.bytes = Some(limit),
            false => asked.seconds = Some(limit),
        }
    }
    Ok((asked, left))
}

/// The seconds of a time as sbatch takes it: minutes, minutes:seconds, hours:minutes:seconds,
/// days-hours, days-hours:minutes or days-hours:minutes:seconds.
fn limit_seconds(text: &str) -> Option<u64> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (Some(days.parse::<u64>().ok()?), clock),
        None => (None, text),
    };
    let parts: Vec<u64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let units: &[u64] = match (days, parts.len()) {
        (None, 1) => &[60],
        (None, 2) => &[60, 1],
        (_, 3) => &[3600, 60, 1],
        (Some(_), 1) => &[3600],
        (Some(_), 2) => &[3600, 60],
        _ => return None,
    };
    let clock =
        parts.iter().zip(units).try_fold(0_u64, |sum, (part, unit)| sum.checked_add(part.checked_mul(*unit)?))?;
    days.unwrap_or(0).checked_mul(86_400)?.checked_add(clock).filter(|&seconds| seconds > 0)
}

/// The bytes of a size as sbatch takes it: in megabytes, or with K, M, G or T.
fn bytes(text: &str) -> Option<u64> {
    let units = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let unit = units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(*unit)?, *shift)));
    let (count, shift) = unit.unwrap_or((text, 20));
    count.parse::<u64>().ok()?.checked_shl(shift).filter(|&bytes| bytes > 0)
}

/// A line of squeue.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    /// The state as a word: PENDING, RUNNING, COMPLETED, TIMEOUT, ...
    pub(crate) word: String,
    pub(crate) node: String,
    /// Why a task waits.
    pub(crate) reason: String,
}

impl State {
    /// Whether the task waits or runs.
    pub(crate) fn is_active(&self) -> bool {
        [
            "PENDING",
            "CONFIGURING",
            "RUNNING",
            "COMPLETING",
            "SUSPENDED",
            "REQUEUED",
            "REQUEUE_HOLD",
            "SIGNALING",
            "STOPPED",
            "RESIZING",
        ]
        .contains(&self.word.as_str())
    }
}

/// The tasks that Slurm knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Queue {
    /// By the id of the array, and the number within it.
    tasks: BTreeMap<(String, usize), State>,
    /// The ids of arrays, by their names.
    names: BTreeMap<String, String>,
}

/// What [`Queue`] asks: array, number within the array, state, node, reason, name.
const FIELDS: &str = "%F|%K|%T|%N|%r|%j";

impl Queue {
    /// Asks Slurm, three times if need be. `None` if there is no squeue or it gives no answer.
    pub(crate) fn ask() -> Option<Self> {
        for pause in [0, 2, 5] {
            std::thread::sleep(Duration::from_secs(pause));
            let output = Command::new("squeue").args(["--me", "-h", "-r", "-t", "all", "-o", FIELDS]).output().ok()?;
            if output.status.success() {
                return Some(Self::parse(&String::from_utf8_lossy(&output.stdout)));
            }
        }
        None
    }

    /// Asks Slurm before something is handed in that may be there already.
    ///
    /// # Errors
    /// If Slurm gives no answer.
    pub(crate) fn must_answer() -> miette::Result<Self> {
        Self::ask().ok_or_else(|| {
            Problem::new("squeue gives no answer, so whether tasks of this submission wait or run is not known")
                .help("try again when squeue works; tasks that run twice would cost time")
                .into()
        })
    }

    pub(crate) fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let fields: Vec<&str> = line.trim().split('|').collect();
            let &[array, number, word, node, reason, name] = fields.as_slice() else { return None };
            // A task that is no array has "N/A".
            let number = number.parse().unwrap_or(0);
            let state = State { word: word.to_owned(), node: node.to_owned(), reason: reason.to_owned() };
            Some((array.to_owned(), number, state, name.to_owned()))
        };
        let mut queue = Queue::default();
        for (array, number, state, name) in text.lines().filter_map(line) {
            queue.names.insert(name, array.clone());
            queue.tasks.insert((array, number), state);
        }
        queue
    }

    /// Asks the accounting for tasks that the controller has forgotten, by the ids of their arrays.
    /// Many clusters have no accounting; then nothing is learnt.
    pub(crate) fn recall(&mut self, arrays: &[&str]) {
        if arrays.is_empty() {
            return;
        }
        let asked = ["-n", "-P", "-X", "-o", "JobID,State,NodeList,JobName", "-j", &arrays.join(",")];
        let Ok(output) = Command::new("sacct").args(asked).output() else { return };
        if output.status.success() {
            self.learn(&String::from_utf8_lossy(&output.stdout));
        }
    }

    /// Takes over how tasks ended, from lines of sacct. A task that the controller does not know has
    /// ended, whatever else the accounting says.
    fn learn(&mut self, text: &str) {
        for line in text.lines() {
            let mut fields = line.split('|');
            let (Some(id), Some(words), node) = (fields.next(), fields.next(), fields.next()) else { continue };
            let name = fields.next().unwrap_or_default().to_owned();
            let Some((array, number)) = id.split_once('_') else { continue };
            let (Ok(number), Some(word)) = (number.parse(), words.split_whitespace().next()) else { continue };
            let node = node.unwrap_or_default().to_owned();
            // "CANCELLED by 1000"
            let state = State { word: word.to_owned(), node, reason: String::new() };
            if !state.is_active() {
                self.names.entry(name).or_insert_with(|| array.to_owned());
                self.tasks.entry((array.to_owned(), number)).or_insert(state);
            }
        }
    }

    /// The state of a task. `None` if Slurm has forgotten it, some minutes after its end.
    pub(crate) fn state(&self, array: &str, number: usize) -> Option<&State> {
        self.tasks.get(&(array.to_owned(), number))
    }

    /// Whether a task of an array waits or runs.
    pub(crate) fn is_active(&self, array: &str) -> bool {
        self.tasks.iter().any(|((own, _), state)| own == array && state.is_active())
    }

    /// The id of the array with a name. `None` if Slurm knows none.
    pub(crate) fn named(&self, name: &str) -> Option<&str> {
        self.names.get(name).map(String::as_str)
    }
}

/// The seconds that Slurm leaves to the task of this process, and its state. `None` if Slurm gives
/// no answer.
pub(crate) fn own_state() -> Option<(Option<u64>, String)> {
    let variable = |name: &str| std::env::var(name).ok();
    let id = match variable("SLURM_ARRAY_JOB_ID").zip(variable("SLURM_ARRAY_TASK_ID")) {
        Some((array, task)) => format!("{array}_{task}"),
        None => variable("SLURM_JOB_ID")?,
    };
    let output = Command::new("squeue").args(["-h", "-j", &id, "-o", "%L|%T"]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (left, state) = text.trim().lines().next()?.split_once('|')?;
    // A task beyond its time has a negative time left.
    let left = if left.starts_with('-') { Some(0) } else { seconds(left) };
    Some((left, state.to_owned()))
}

/// When a task may begin.
#[derive(Debug, Clone)]
pub(crate) enum When {
    /// After the ends of these tasks, whatever they are. At once if there are none.
    Ended(Vec<String>),
    /// If this task fails. Slurm removes it if the task succeeds.
    Failed(String),
}

impl When {
    fn options(&self) -> Vec<String> {
        match self {
            When::Ended(ids) if ids.is_empty() => Vec::new(),
            When::Ended(ids) => vec![format!("--dependency=afterany:{}", ids.join(":"))],
            When::Failed(id) => vec![format!("--dependency=afternotok:{id}"), "--kill-on-invalid-dep=yes".to_owned()],
        }
    }
}

/// Hands a script to sbatch under a name, and returns the id.
///
/// # Errors
/// If sbatch refuses the script. The error has the words of sbatch.
pub(crate) fn hand_in(script: &Path, name: &str, options: &[String], when: &When) -> miette::Result<String> {
    let mut command = Command::new("sbatch");
    // The name comes last: it finds the task again if this process ends before it reads the id.
    command.arg("--parsable").args(options).args(when.options()).arg(format!("--job-name={name}")).arg(script);
    // Settings of the task that hands in would become settings of the new task.
    for name in
        ["SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU", "SLURM_CPUS_PER_TASK", "SLURM_ARRAY_TASK_ID", "SBATCH_REQUEUE"]
    {
        command.env_remove(name);
    }
    let mut output = sbatch(&mut command)?;
    // The controller may be down for a while. The task would otherwise be the last of its submission.
    for _ in 0..MOST_CALLS {
        let words = String::from_utf8_lossy(&output.stderr);
        if output.status.success() || !in_allocation() || !UNREACHED.iter().any(|told| words.contains(told)) {
            break;
        }
        std::thread::sleep(PAUSE);
        output = sbatch(&mut command)?;
    }
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(Problem::new(format!("sbatch refused {}: {}", script.display(), words.trim()))
            .help("options for sbatch go behind `--`, such as -- --partition=short --account=mine")
            .into());
    }
    // With several clusters, the name of the cluster follows: `123;name`.
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.trim().split(';').next().unwrap_or_default().to_owned())
}

fn sbatch(command: &mut Command) -> miette::Result<Output> {
    command.output().map_err(|error| {
        Problem::new(format!("cannot start sbatch: {error}"))
            .help("run this command where sbatch works, or give --engine shell, which writes scripts only")
            .into()
    })
}

/// What sbatch prints if it reaches no controller (Slurm 22.05).
const UNREACHED: [&str; 3] = ["Unable to contact slurm controller", "Socket timed out", "Connection refused"];
/// How often a task calls a controller that is down, and the time between two calls.
const MOST_CALLS: usize = 20;
const PAUSE: Duration = Duration::from_secs(15);

/// Takes tasks back.
///
/// # Errors
/// If scancel cannot be started, or refuses.
pub(crate) fn cancel(ids: &[String]) -> miette::Result<()> {
    let output = Command::new("scancel").args(ids).output();
    let output = output.map_err(|error| Problem::new(format!("cannot start scancel: {error}")))?;
    let words = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(())
    } else {
        Err(Problem::new(format!("scancel refused: {}", words.trim())).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> Script<'static> {
        Script {
            name: "fivefold-x-2".to_owned(),
            tasks: 3,
            limits: Limits { seconds: 5400, bytes: (3 << 30) + 1 },
            threads: 2,
            program: Path::new("/opt/it's/fivefold"),
            folder: Path::new("/home/a b/x.submission"),
            task: "chunk 2 \"$SLURM_ARRAY_TASK_ID\"".to_owned(),
        }
    }

    #[test]
    fn a_script_has_its_limits_and_words_that_the_shell_takes_whole() {
        let text = script().text(None);
        for line in [
            "#SBATCH --job-name=fivefold-x-2\n",
            "#SBATCH --array=0-2\n",
            "#SBATCH --time=01:30:00\n",
            "#SBATCH --mem=3073M\n",
            "#SBATCH --cpus-per-task=2\n",
            "#SBATCH --output=\"/home/a b/x.submission/out/%x-%A_%a.txt\"\n",
            "scontrol requeue \"${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}\"",
            "#SBATCH --requeue\n#SBATCH --signal=B:TERM@60\n",
            "fivefold='/opt/it'\\''s/fivefold'\nfolder='/home/a b/x.submission'\n",
            "\"$fivefold\" task \"$folder\" chunk 2 \"$SLURM_ARRAY_TASK_ID\" &\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(text.starts_with("#!/bin/bash\n") && text.ends_with("exit \"$code\"\n"));
        assert!(Script { tasks: 1, ..script() }.text(None).contains("--array=0\n"));
    }

    #[test]
    fn the_shell_reads_the_script() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.sh");
        std::fs::write(&file, script().text(None)).unwrap();
        assert!(Command::new("bash").arg("-n").arg(&file).status().is_ok_and(|status| status.success()));
    }

    #[test]
    fn a_template_of_the_users_has_the_same_values() {
        let template = "#!/bin/bash\n#SBATCH -A mine -t {time} --mem {memory} -a {tasks}\nmodule load x\n{command}\n";
        let text = script().text(Some(template));
        assert!(
            text.starts_with("#!/bin/bash\n#SBATCH -A mine -t 01:30:00 --mem 3073M -a 0-2\nmodule load x\nfivefold=")
        );
        let path = Path::new("t.sh");
        assert!(check_template(path, template).is_ok());
        assert!(check_template(path, "#!/bin/bash\n").unwrap_err().to_string().contains("has no {command}"));
        for name in ["{tasks}", "{time}", "{memory}"] {
            let error = check_template(path, &template.replace(name, "1")).unwrap_err().to_string();
            assert!(error.contains(&format!("has no {name}, so ")), "{error}");
        }
    }

    /// The forms are those of `man squeue` and `man sbatch` (Slurm 22.05).
    #[test]
    fn times_are_written_and_read_as_slurm_does() {
        for (given, told) in [(1, "00:01:00"), (60, "00:01:00"), (3661, "01:02:00"), (90_000, "1-01:00:00")] {
            assert_eq!(time(given), told);
        }
        for (told, given) in [("0:45", 45), ("59:59", 3599), ("1:00:00", 3600), ("2-03:00:01", 183_601)] {
            assert_eq!(seconds(told), Some(given), "{told}");
        }
        for word in ["INVALID", "UNLIMITED", "NOT_SET", "", "1"] {
            assert_eq!(seconds(word), None, "{word}");
        }
        for given in [60, 600, 86_400, 100_020] {
            assert_eq!(seconds(&time(given)), Some(given));
        }
    }

    #[test]
    fn limits_among_the_options_are_taken_out() {
        let limits = |options: &[&str]| limits_of(options.iter().map(|&option| option.to_owned()).collect());
        let asked = Asked { seconds: Some(1800), bytes: Some(2 << 30) };
        for options in [
            &["--time=30", "--account=x", "--mem=2G", "--mem-per-cpu=1"][..],
            &["-t", "30", "--account=x", "--mem", "2G", "--mem-per-cpu=1"],
            &["-t30:00", "--account=x", "--mem=2048", "--mem-per-cpu=1"],
        ] {
            let left = ["--account=x", "--mem-per-cpu=1"].map(str::to_owned).to_vec();
            assert_eq!(limits(options).unwrap(), (asked, left));
        }
        for options in [&["--time=UNLIMITED"][..], &["--mem=0"], &["-t"], &["--time=1:2:3:4"]] {
            assert!(limits(options).unwrap_err().to_string().contains("cannot be read"), "{options:?}");
        }
        for (text, expected) in [
            ("90", 5400),
            ("1:30", 90),
            ("2:00:00", 7200),
            ("0-04", 14_400),
            ("0-04:00", 14_400),
            ("1-12:30", 131_400),
            ("1-12:30:05", 131_405),
        ] {
            assert_eq!(limit_seconds(text), Some(expected), "{text}");
        }
        for (text, expected) in [("90", Some(90 << 20)), ("3T", Some(3 << 40)), ("0", None), ("x", None), ("1X", None)]
        {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }

    /// Lines of `squeue -r -t all -o '%F|%K|%T|%N|%r|%j'`.
    #[test]
    fn the_queue_is_read() {
        let queue = Queue::parse(
            "12|0|RUNNING|n1|None|x-1\n12|1|PENDING||Resources|x-1\n13|N/A|TIMEOUT|n2|TimeLimit|x\nno line\n",
        );
        let state = queue.state("12", 0).unwrap();
        assert_eq!((state.word.as_str(), state.node.as_str()), ("RUNNING", "n1"));
        assert_eq!(queue.state("12", 1).unwrap().reason, "Resources");
        assert_eq!(queue.state("13", 0).unwrap().word, "TIMEOUT");
        assert_eq!(queue.state("14", 0), None);
        assert!(queue.is_active("12") && !queue.is_active("13") && !queue.is_active("14"));
        assert_eq!((queue.named("x-1"), queue.named("x"), queue.named("y")), (Some("12"), Some("13"), None));
    }

    /// Lines of `sacct -n -P -X -o JobID,State,NodeList,JobName`. The controller knows best; what it does not
    /// know does not run.
    #[test]
    fn the_accounting_tells_of_tasks_that_the_controller_forgot() {
        let mut queue = Queue::parse("12|0|RUNNING|n1|None|x\n");
        queue.learn("12_0|FAILED|n1|x\n12_1|CANCELLED by 1000|n2|x\n12_2|OUT_OF_MEMORY|n1|x\n12_3|RUNNING|n1|x\n12_[4-7]|PENDING||x\n13_0|FAILED|n1|y\n");
        let words: Vec<Option<&str>> =
            (0..5).map(|number| queue.state("12", number).map(|state| state.word.as_str())).collect();
        assert_eq!(words, [Some("RUNNING"), Some("CANCELLED"), Some("OUT_OF_MEMORY"), None, None]);
        assert_eq!(queue.named("y"), Some("13"));
    }

    #[test]
    fn a_successor_waits_for_a_failure() {
        assert_eq!(When::Ended(Vec::new()).options(), Vec::<String>::new());
        assert_eq!(When::Ended(vec!["1".to_owned(), "2".to_owned()]).options(), ["--dependency=afterany:1:2"]);
        let failed = When::Failed("3".to_owned()).options();
        assert_eq!(failed, ["--dependency=afternotok:3", "--kill-on-invalid-dep=yes"]);
    }
}
