//! Whole runs: which jobs are done, which results are reused, and that the folder does not depend
//! on its history.

mod common;

use std::path::PathBuf;

use common::{Counter, EXPERIMENT, JOBS, experiment, files, registry, run_with, tempdir};
use fivefold_experiment::{Job, JobEnd, JobFilter, JobState, Observer, Plan, RunError, RunOptions, job_states, run};
use fivefold_results::Results;
use fivefold_results::owner::Claim;

#[test]
fn the_folder_has_the_same_bytes_however_it_came_about() {
    let folder = tempdir();
    let (one, _) = run_with(EXPERIMENT, &folder.path().join("one"), 1, None);
    assert_eq!((one.jobs, one.reused, one.done, one.failed.len()), (JOBS, 0, JOBS, 0));
    let expected = files(&folder.path().join("one"));
    assert_eq!(expected.keys().filter(|name| name.starts_with("scores/")).count(), JOBS);

    run_with(EXPERIMENT, &folder.path().join("three"), 3, None);
    assert_eq!(files(&folder.path().join("three")), expected, "three threads");

    let (again, counter) = run_with(EXPERIMENT, &folder.path().join("one"), 2, None);
    assert_eq!((again.reused, again.done), (JOBS, 0));
    assert_eq!(counter.started(), Vec::<String>::new(), "nothing is fitted twice");
    assert_eq!(files(&folder.path().join("one")), expected, "second run");

    let half = folder.path().join("half");
    let (cancelled, first) = run_with(EXPERIMENT, &half, 2, Some(JOBS / 2));
    assert!(cancelled.cancelled && cancelled.results.is_none());
    assert!(cancelled.done >= JOBS / 2 && cancelled.done < JOBS, "{}", cancelled.done);
    assert!(!half.join("manifest.json").exists());
    let (continued, second) = run_with(EXPERIMENT, &half, 2, None);
    assert_eq!(continued.reused, cancelled.done);
    assert_eq!(cancelled.done + continued.done, JOBS);
    assert!(second.started().iter().all(|id| !first.done.lock().unwrap().contains(id)));
    assert_eq!(files(&half), expected, "killed half way and continued");
}

#[test]
fn conventions_are_those_in_force_on_each_data_set() {
    let folder = tempdir();
    let text = r#"
name = "two grades"
[[dataset]]
label = "a"
synthetic = { shape = "mq2007", queries = 5 }
[[dataset]]
label = "b"
synthetic = { shape = "mslr-web30k", queries = 5 }
[[ranker]]
kind = "one"
params = { feature = 1 }
[evaluation]
measures = ["err", "rr"]
cutoffs = [5]
ties = "input"
"#;
    let (outcome, _) = run_with(text, folder.path(), 2, None);
    assert_eq!(
        outcome.results.unwrap().manifest.conventions,
        [
            "dialect: paper, but ties=input",
            "a: err: max_grade=2",
            "b: err: max_grade=4",
            "rr: threshold=1",
            "ties: input; undefined values: zero; mean over: queries",
        ]
    );
}

#[test]
fn only_what_an_input_alters_is_done_again() {
    let folder = tempdir();
    let out = folder.path().join("run");
    run_with(EXPERIMENT, &out, 2, None);
    let jobs_of = |text: &str| {
        let (outcome, counter) = run_with(text, &out, 2, None);
        assert_eq!(outcome.reused + outcome.done, JOBS);
        counter.started()
    };
    let change = |from: &str, to: &str| {
        assert!(EXPERIMENT.contains(from), "{from}");
        EXPERIMENT.replacen(from, to, 1)
    };
    // Evaluation, sampling, names and order alter no score.
    assert!(jobs_of(&change("cutoffs = [5, 10]", "cutoffs = [5]\nties = 'input'\nmeasures = ['rr']")).is_empty());
    assert!(jobs_of(&change("queries = 9", "queries = 8")).is_empty());
    assert!(jobs_of(&change("name = \"small\"", "name = \"renamed\"")).is_empty());
    assert!(jobs_of(&change("[evaluation]", "[query_sets]\nhalves = false\n[evaluation]")).is_empty());
    // A parameter and a normaliser alter the jobs of their ranker.
    let second = jobs_of(&change("feature = 1, weight = 1.0", "feature = 1, weight = 2.0"));
    assert_eq!(second.len(), 10);
    assert!(second.iter().all(|id| id.ends_with("/Second%2C%20scaled")), "{second:?}");
    let normalised = jobs_of(&change("over = \"train\"", "over = \"query\""));
    // The jobs above are done again too, because their results were replaced.
    assert_eq!(normalised.iter().filter(|id| id.ends_with("/Draw")).count(), 10);
    assert_eq!(normalised.len(), 20);
    // The first settings are run again. A new seed then alters only the seeded ranker.
    run_with(EXPERIMENT, &out, 2, None);
    let seeded = jobs_of(&change("seed = 7", "seed = 8"));
    let expected: Vec<&String> = seeded.iter().filter(|id| id.ends_with("/Draw")).collect();
    assert_eq!((seeded.len(), expected.len()), SEEDED_JOBS);
}

/// The number of jobs whose seed reaches their result. A synthetic collection has its own seed, so
/// only `draw` depends on the seed of the experiment.
const SEEDED_JOBS: (usize, usize) = (10, 10);

#[test]
fn altered_results_are_found_and_done_again() {
    let folder = tempdir();
    let out = folder.path().join("run");
    run_with(EXPERIMENT, &out, 2, None);
    let expected = files(&out);
    for file in ["scores/a/fold2/First.txt", "models/a/fold3/Draw.json", "jobs/b/fold1/Draw.json"] {
        std::fs::write(out.join(file), "0.5\n").unwrap();
    }
    std::fs::remove_file(out.join("scores/b/fold5/First.txt")).unwrap();
    let (_, counter) = run_with(EXPERIMENT, &out, 2, None);
    assert_eq!(counter.started(), ["a/fold2/First", "a/fold3/Draw", "b/fold1/Draw", "b/fold5/First"]);
    assert_eq!(files(&out), expected);
    std::fs::write(out.join("per_query.csv"), "x").unwrap();
    let error = Results::load(&out).unwrap_err().to_string();
    assert!(error.contains("run the experiment again"), "{error}");
    run_with(EXPERIMENT, &out, 1, None);
    assert_eq!(files(&out), expected);
}

#[test]
fn failures_are_shown_never_scored_and_tried_again() {
    let folder = tempdir();
    let out = folder.path().join("run");
    let broken =
        |how: &str| format!("\n[[ranker]]\nlabel = \"{how}\"\nkind = \"broken\"\nparams = {{ how = \"{how}\" }}\n");
    let text = EXPERIMENT
        .replace("[evaluation]", &format!("{}{}{}[evaluation]", broken("error"), broken("panic"), broken("nan")));
    let (outcome, _) = run_with(&text, &out, 2, None);
    assert_eq!((outcome.done, outcome.failed.len()), (JOBS, 30));
    let reason = |id: &str| outcome.failed.iter().find(|(job, _)| job == id).map(|(_, error)| error.as_str()).unwrap();
    assert_eq!(reason("a/fold1/error"), "the fit broke down: the matrix is singular");
    assert_eq!(reason("a/fold1/panic"), "panicked: index out of the blue");
    assert!(reason("a/fold1/nan").contains("the score NaN; scores must be finite"), "{}", reason("a/fold1/nan"));
    let results = outcome.results.unwrap();
    for dataset in &results.evaluation.datasets {
        assert_eq!(dataset.failed, [false, false, false, true, true, true]);
        let per_ranker = dataset.all.len() / 6;
        assert!(dataset.all[3 * per_ranker..].iter().all(|value| value.is_nan()));
        assert!(dataset.all[..3 * per_ranker].iter().any(|value| !value.is_nan()));
    }
    assert!(!out.join("scores/a/fold1/nan.txt").exists());
    let loaded = Results::load(&out).unwrap();
    assert_eq!(loaded.evaluation.datasets[0].failed, results.evaluation.datasets[0].failed);
    let (again, counter) = run_with(&text, &out, 2, None);
    assert_eq!((again.reused, again.failed.len(), counter.started().len()), (JOBS, 30, 30));
}

#[test]
fn a_result_that_fails_later_leaves_no_scores() {
    let folder = tempdir();
    let out = folder.path().join("run");
    run_with(EXPERIMENT, &out, 2, None);
    let text = EXPERIMENT.replace("kind = \"draw\"", "kind = \"broken\"\nparams = { how = \"error\" }");
    run_with(&text, &out, 2, None);
    assert!(!out.join("scores/a/fold1/Draw.txt").exists() && !out.join("models/a/fold1/Draw.json").exists());
}

#[test]
fn a_folder_alone_gives_back_the_evaluation() {
    let folder = tempdir();
    let out = folder.path().join("run");
    let (outcome, _) = run_with(EXPERIMENT, &out, 2, None);
    let (written, read) = (outcome.results.unwrap(), Results::load(&out).unwrap());
    let same = |a: &[f64], b: &[f64]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
    };
    assert_eq!(read.evaluation.measures, written.evaluation.measures);
    for (a, b) in written.evaluation.datasets.iter().zip(&read.evaluation.datasets) {
        assert_eq!((&a.name, &a.rankers, &a.failed, &a.queries), (&b.name, &b.rankers, &b.failed, &b.queries));
        assert!(
            same(&a.all, &b.all)
                && same(&a.left, &b.left)
                && same(&a.right, &b.right)
                && same(&a.expected, &b.expected)
        );
    }
    let sizes: Vec<usize> = read.evaluation.datasets.iter().map(|dataset| dataset.queries.len()).collect();
    assert_eq!(sizes, [20, 9], "all test queries, and the sample");
    assert_eq!(read.manifest.datasets[1].test_queries, 15);
    assert_eq!(serde_json::to_value(&read.manifest).unwrap(), serde_json::to_value(&written.manifest).unwrap());
    assert_eq!(read.tables().unwrap(), written.tables().unwrap());
}

#[test]
fn jobs_can_be_done_one_by_one_by_several_processes() {
    let folder = tempdir();
    let (whole, shared) = (folder.path().join("whole"), folder.path().join("shared"));
    run_with(EXPERIMENT, &whole, 2, None);
    let experiment = experiment(EXPERIMENT);
    let plan = Plan::new(&experiment, &JobFilter::All).unwrap();
    assert_eq!(job_states(&plan, &shared).unwrap(), vec![JobState::Open; JOBS]);
    for job in plan.jobs.iter().rev() {
        let options = RunOptions { threads: 1, only: JobFilter::job(&job.id), ..RunOptions::new(&shared) };
        let outcome = run(&experiment, &registry(), &options).unwrap();
        assert_eq!((outcome.jobs, outcome.done, outcome.results.is_none()), (1, 1, true));
    }
    assert_eq!(job_states(&plan, &shared).unwrap(), vec![JobState::Done; JOBS]);
    let (outcome, _) = run_with(EXPERIMENT, &shared, 2, None);
    assert_eq!(outcome.reused, JOBS);
    assert_eq!(files(&shared), files(&whole));
}

#[test]
fn the_order_in_which_jobs_begin_can_be_drawn_and_alters_nothing() {
    let folder = tempdir();
    let order = |name: &str, order_seed: Option<u64>| {
        let counter = Counter::default();
        let options =
            RunOptions { threads: 1, order_seed, observer: &counter, ..RunOptions::new(folder.path().join(name)) };
        let outcome = run(&experiment(EXPERIMENT), &registry(), &options).unwrap();
        assert_eq!(outcome.done, JOBS);
        counter.started.into_inner().unwrap()
    };
    let orders = [order("plain", None), order("one", Some(1)), order("two", Some(2)), order("again", Some(1))];
    assert!(orders[0] != orders[1] && orders[1] != orders[2] && orders[0] != orders[2]);
    assert_eq!(orders[1], orders[3]);
    assert_eq!(files(&folder.path().join("plain")), files(&folder.path().join("one")));
    assert_eq!(files(&folder.path().join("plain")), files(&folder.path().join("two")));
}

#[test]
fn a_filter_without_a_job_is_an_error() {
    let folder = tempdir();
    let options = RunOptions { only: JobFilter::job("a/fold9/First"), ..RunOptions::new(folder.path()) };
    let error = run(&experiment(EXPERIMENT), &registry(), &options).unwrap_err();
    assert_eq!(error.to_string(), "no job of the experiment matches `a/fold9/First`");
}

#[test]
fn missing_files_are_errors_that_underline_their_entry() {
    let error = |from: &str, to: &str| {
        let text = EXPERIMENT.replacen(from, to, 1);
        let error = Plan::new(&experiment(&text), &JobFilter::All).err().unwrap();
        let mut screen = String::new();
        let theme = miette::GraphicalTheme::unicode_nocolor();
        miette::GraphicalReportHandler::new_themed(theme).with_width(200).render_report(&mut screen, &error).unwrap();
        screen
    };
    let collection = error("synthetic = { shape = \"mq2007\", queries = 20 }", "name = \"mq2007\"");
    assert!(
        collection.contains("collection `mq2007` was not found") && collection.contains("FIVEFOLD_DATA"),
        "{collection}"
    );
    assert!(collection.contains("5 │ [[dataset]]"), "{collection}");
    let sample = error("queries = 9", "queries = 16");
    assert!(sample.contains("`queries = 16`, but the collection has 15 test queries"), "{sample}");
    assert!(sample.contains("9 │ [[dataset]]"), "{sample}");
    let scores = error("kind = \"draw\"\nnormalise = { method = \"z-score\", over = \"train\" }", SCORES);
    assert!(scores.contains("cannot read the scores of fold 1 from nowhere/a.1.txt"), "{scores}");
    assert!(scores.contains("[[ranker]]"), "{scores}");
}

const SCORES: &str = "kind = \"scores\"\nparams = { path = \"nowhere/{dataset}.{fold}.txt\" }";

/// An error that exists from the start must appear before the jobs, which may take hours.
#[test]
fn what_cannot_be_evaluated_is_refused_before_any_job() {
    let folder = tempdir();
    let out = folder.path().join("run");
    let refused = |text: &str| {
        let error = run(&experiment(text), &registry(), &RunOptions::new(&out)).unwrap_err();
        assert!(!out.exists(), "{error}");
        error.to_string()
    };
    let wide = "name = 'x'\n[[dataset]]\nmade = { shape = 'mslr-web30k', queries = 10 }\n[[ranker]]\nkind = 'one'\n";
    let no_ids = refused(&format!("{wide}[evaluation]\nties = 'docid'\n"));
    assert!(no_ids.contains("needs document ids"), "{no_ids}");
    let no_table = refused(&format!("{wide}[tables]\nonly = ['table-99']\n"));
    assert!(no_table.contains("no table's id begins with `table-99`"), "{no_table}");

    // The last line belongs to the first query: regrouping moves it, and score files no longer fit.
    let mut lines: Vec<String> = (1..=10).map(|query| format!("0 qid:{query} 1:0.5\n")).collect();
    lines.push("1 qid:1 1:1.0\n".to_owned());
    let data = folder.path().join("scattered.txt");
    std::fs::write(&data, lines.concat()).unwrap();
    let moved = refused(&format!(
        "name = 'x'\n[[dataset]]\nlabel = 'a'\npath = '{}'\nlayout = 'one-file'\nregroup = true\n\
         [[ranker]]\nlabel = 's'\nkind = 'scores'\nparams = {{ path = 'fold{{fold}}.txt' }}\n",
        data.display()
    ));
    assert!(moved.ends_with("but `regroup` changed this order in data set `a`"), "{moved}");
}

/// Alters files of the first job that ends, as another program would.
struct Tamper {
    folder: PathBuf,
    change: fn(&str) -> String,
    file: fn(&Job) -> String,
}

impl Observer for Tamper {
    #[allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests
    fn finished(&self, job: &Job, _: &JobEnd) {
        let path = self.folder.join((self.file)(job));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, (self.change)(&text)).unwrap();
    }
}

/// A program that the run started altered scores of finished jobs, and the run evaluated these
/// scores. In the same way, in treeverse/dvc #5425 the process of an experiment altered the
/// workspace of others.
#[test]
fn files_that_are_altered_while_the_run_goes_on_are_not_evaluated() {
    let (experiment, registry) = (experiment(EXPERIMENT), registry());
    let cases: [fn(&Job) -> String; 3] = [Job::scores_file, Job::model_file, Job::record_file];
    for file in cases {
        let folder = tempdir();
        let tamper = Tamper { folder: folder.path().to_owned(), change: |text| format!("{text} "), file };
        let options = RunOptions { threads: 2, observer: &tamper, ..RunOptions::new(folder.path()) };
        let error = run(&experiment, &registry, &options).unwrap_err();
        let RunError::Altered { files } = &error else { panic!("{error}") };
        assert_eq!(files.len(), JOBS, "{files:?}");
        assert!(!folder.path().join("manifest.json").exists());
        // The next run does these jobs again, and gives the usual results.
        let (again, _) = run_with(EXPERIMENT, folder.path(), 2, None);
        assert_eq!((again.reused, again.done), (0, JOBS));
    }
}

/// aws/aws-encryption-sdk-cli #18: a program replaced existing files without a word.
#[test]
fn a_folder_of_another_experiment_of_the_same_name_is_left_as_it_is() {
    let folder = tempdir();
    let out = folder.path().join("run");
    let registry = registry();
    let claim = |source: &str, replace| Claim { source: Some(source.to_owned()), replace };
    let attempt = |text: &str, claim: &Claim| {
        let options = RunOptions { threads: 2, claim: Some(claim), ..RunOptions::new(&out) };
        run(&experiment(text), &registry, &options).map(|outcome| (outcome.reused, outcome.done))
    };
    assert_eq!(attempt(EXPERIMENT, &claim("/a.toml", false)).unwrap(), (0, JOBS));
    let before = files(&out);
    // Another file with the same jobs counts as the same experiment, and so does the same file with
    // other jobs.
    assert_eq!(attempt(EXPERIMENT, &claim("/b.toml", false)).unwrap(), (JOBS, 0));
    let other = EXPERIMENT.replace("queries = ", "queries = 1");
    assert_ne!(other, EXPERIMENT);
    let error = attempt(&other, &claim("/c.toml", false)).unwrap_err().to_string();
    assert!(error.contains("another experiment (/b.toml) that is named"), "{error}");
    assert_eq!(files(&out), before);
    assert_eq!(attempt(&other, &claim("/b.toml", false)).unwrap(), (0, JOBS));
    assert_eq!(attempt(EXPERIMENT, &claim("/c.toml", true)).unwrap(), (0, JOBS));
}
