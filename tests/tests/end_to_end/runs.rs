//! Tests `run`, `jobs`, `job` and `report` on small synthetic collections.

use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{assert_same_content, content, directory, has_long_proofs, json, run, stderr, stdout};

/// An experiment with two data sets of two shapes, three methods and all tables.
const SMALL: &str = r#"
name = "small"
seed = 3

[[dataset]]
label = "narrow"
synthetic = { shape = "mq2007", queries = 25 }

[[dataset]]
label = "wide"
synthetic = { shape = "mslr-web30k", queries = 10 }

[[ranker]]
kind = "random"

[[ranker]]
label = "Ridge"
kind = "linear"
normalise = { method = "z-score", over = "query" }

[[ranker]]
label = "L2 LR"
kind = "l2-logistic"
normalise = { method = "z-score", over = "train" }

[evaluation]
cutoffs = [5, 10]

[query_sets]
uninformative = 5
ideal = 5
"#;

fn small() -> tempfile::TempDir {
    directory(&[("small.toml", SMALL)])
}

/// What is there is evaluated, what is missing is listed, and nothing is trained.
#[test]
fn results_are_evaluated_without_training() {
    let folder = small();
    let at = folder.path();
    let whole = stdout(at, "run small.toml --out whole");
    stdout(at, "run small.toml --out part --only narrow Ridge");
    let before = content(&at.join("part/jobs"));
    let said = stderr(at, "run small.toml --out part --only-evaluate", 1);
    assert!(said.contains("wide/fold1/L2%20LR: has no result; run the job first"), "{said}");
    assert!(said.contains("10 of 30 jobs have no result: their cells say FAILED"), "{said}");
    assert_eq!(content(&at.join("part/jobs")), before);
    let overview = String::from_utf8(run(at, "run small.toml --out part --only-evaluate").stdout).unwrap();
    let ridge =
        |text: &str| text.lines().filter(|line| line.starts_with("Ridge")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(ridge(&overview)[0], ridge(&whole)[0]);
    stdout(at, "run small.toml --out part");
    assert_eq!(stdout(at, "run small.toml --out part --only-evaluate"), whole);
    assert_same_content(&at.join("part"), &at.join("whole"));
}

#[test]
fn the_results_do_not_depend_on_the_number_of_threads_nor_on_a_second_run() {
    let folder = small();
    let at = folder.path();
    let one = stdout(at, "run small.toml --out one --threads 1");
    assert_eq!(one, stdout(at, "run small.toml --out two --threads 2"));
    assert_same_content(&at.join("one"), &at.join("two"));
    let before = content(&at.join("one"));
    let again = json(at, "run small.toml --out one --threads 2 --json");
    assert_eq!((&again["jobs"], &again["reused"], &again["done"]), (&30.into(), &30.into(), &0.into()));
    assert_eq!(before, content(&at.join("one")));
}

#[test]
fn tables_are_printed_and_written_in_every_form() {
    let folder = small();
    let at = folder.path();
    let summary = json(at, "run small.toml --json");
    assert_eq!(summary["significance"], serde_json::json!({ "test": "t", "correction": "holm", "alpha": 0.05 }));
    let printed = stdout(at, "run small.toml --tables all");
    let files = content(&at.join("runs/small"));
    let ids: Vec<&str> = summary["tables"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    // Both data sets have fewer than two broad queries, so the tables of broad queries are left out.
    for number in (3..=26).filter(|number| ![13, 25].contains(number)) {
        assert!(ids.iter().any(|id| id.starts_with(&format!("table-{number:02}"))), "table {number}: {ids:?}");
        assert!(printed.contains(&format!("Table {number}: ")), "table {number}");
    }
    for id in &ids {
        for form in ["csv", "md", "tex"] {
            assert!(files.contains_key(&format!("tables/{id}.{form}")), "{id}.{form}");
        }
    }
    // A report needs only the results folder.
    std::fs::rename(at.join("runs/small"), at.join("elsewhere")).unwrap();
    std::fs::remove_file(at.join("small.toml")).unwrap();
    assert!(printed.ends_with(&stdout(at, "report elsewhere")));
    assert_eq!(json(at, "report elsewhere --format json").as_array().unwrap().len(), ids.len());
    let id = ids[0];
    for (option, ending) in [("md", "md"), ("latex", "tex"), ("csv", "csv")] {
        let one = stdout(at, &format!("report elsewhere --table {id} --format {option}"));
        assert_eq!(one.as_bytes(), files[&format!("tables/{id}.{ending}")], "{option}");
    }
    assert!(stderr(at, "report elsewhere --table tabel-03", 2).contains("there is no table `tabel-03`"));
}

#[test]
fn jobs_can_be_done_one_by_one() {
    let folder = small();
    let at = folder.path();
    stdout(at, "run small.toml --out whole --threads 1");
    let states = |only: &str| -> Vec<(String, String)> {
        let jobs = json(at, &format!("jobs small.toml --out parts --json {only}"));
        let text = |job: &Value, key: &str| job[key].as_str().unwrap().to_owned();
        jobs.as_array().unwrap().iter().map(|job| (text(job, "id"), text(job, "state"))).collect()
    };
    let open = states("");
    assert!(open.len() == 30 && open.iter().all(|(_, state)| state == "open"), "{open:?}");
    let (first, _) = &open[0];
    assert_eq!(stdout(at, &format!("job small.toml {first} --out parts")), format!("done {first}\n"));
    assert_eq!(stdout(at, &format!("job small.toml {first} --out parts")), format!("reused {first}\n"));
    assert_eq!(states("")[0], (first.clone(), "done".to_owned()));
    let ridge = json(at, "run small.toml --out parts --only Ridge --json");
    assert_eq!((&ridge["done"], ridge["tables"].as_array().unwrap().len()), (&10.into(), 0));
    assert!(states("--only Ridge").iter().all(|(_, state)| state == "done"));
    let rest = json(at, "run small.toml --out parts --json");
    assert_eq!((&rest["reused"], &rest["done"]), (&11.into(), &19.into()));
    assert_same_content(&at.join("whole"), &at.join("parts"));
    assert!(stderr(at, "job small.toml narrow/fold9/Ridge --out parts", 2).contains("no job"));
}

#[test]
fn a_failed_job_shows_in_the_tables_and_in_the_exit_code_and_is_never_scored() {
    let broken = "\n[[ranker]]\nlabel = \"Broken\"\nkind = \"broken\"\nparams = { panics = true }\n";
    let folder = directory(&[("small.toml", &SMALL.replace("\n[evaluation]", &format!("{broken}\n[evaluation]")))]);
    let output = run(folder.path(), "run small.toml");
    assert_eq!(output.status.code(), Some(1));
    let (tables, messages) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(messages.contains("FAILED narrow/fold1/Broken: panicked: broken on purpose"), "{messages}");
    assert!(messages.contains("10 of 40 jobs failed"), "{messages}");
    assert!(tables.lines().any(|line| line.contains("Broken") && line.contains("FAILED")), "{tables}");
    assert!(!folder.path().join("runs/small/scores/narrow/fold1/Broken.txt").exists());
    let again = run(folder.path(), "run small.toml --json");
    assert_eq!(again.status.code(), Some(1));
    let summary: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((&summary["reused"], summary["failed"].as_array().unwrap().len()), (&30.into(), 10));
}

#[test]
fn only_what_changed_is_done_again() {
    let folder = small();
    let at = folder.path();
    stdout(at, "run small.toml");
    let change = |from: &str, to: &str| {
        std::fs::write(at.join("small.toml"), SMALL.replace(from, to)).unwrap();
        let summary = json(at, "run small.toml --json");
        summary["done"].as_u64().unwrap()
    };
    assert_eq!(change("cutoffs = [5, 10]", "cutoffs = [1]"), 0);
    assert_eq!(change("kind = \"linear\"", "kind = \"linear\"\nparams = { lambda = 9.0 }"), 10);
    // The parameters are the first ones again, so ten jobs of the linear ranker are done again. The
    // new seed alters only the jobs of the random ranker.
    assert_eq!(change("seed = 3", "seed = 4"), 20);
}

/// The same data are written to files, and one fold is done by hand.
#[test]
fn train_score_and_eval_give_the_numbers_of_a_run() {
    let folder = directory(&[(
        "files.toml",
        "name = 'files'\n[[dataset]]\nname = 'made'\npath = 'made'\nlayout = 'fold-dirs'\n[[ranker]]\nlabel = 'LR'\n\
         kind = 'l2-logistic'\nnormalise = { method = 'log-z-score', over = 'train' }\nparams = { c = 0.5 }\n\
         [evaluation]\nmeasures = ['ndcg', 'ap', 'err']\ncutoffs = [3, 10]\n[query_sets]\nuninformative = 5\nideal = 5\n",
    )]);
    let at = folder.path();
    stdout(at, "make --shape mslr-web30k --queries 15 -o made");
    stdout(at, "run files.toml --out out");
    let normalise = "--normalise log-z-score:train --param c=0.5";
    stdout(
        at,
        &format!(
            "train --ranker l2-logistic {normalise} --train made/Fold2/train.txt --valid made/Fold2/vali.txt -o m.json"
        ),
    );
    let read = |name: &str| std::fs::read_to_string(at.join(name)).unwrap();
    assert_eq!(read("m.json"), read("out/models/made/fold2/LR.json"));
    stdout(at, "score --model m.json --data made/Fold2/test.txt -o s.txt");
    assert_eq!(read("s.txt"), read("out/scores/made/fold2/LR.txt"));

    let per_query = read("out/per_query.csv");
    let mut lines = per_query.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let of_fold: Vec<Vec<&str>> = lines.filter(|line| line[1] == "2" && line[3] == "all").collect();
    let measures = head[5..].join(",");
    let arguments = format!(
        "eval --data made/Fold2/test.txt --scores s.txt --max-grade 4 --json --per-query --measures {measures}"
    );
    let values = json(at, &arguments);
    let values = values["values"].as_array().unwrap();
    assert_eq!(values.len(), of_fold.len() * (head.len() - 5));
    for value in values {
        let line = of_fold.iter().find(|line| value["query"] == line[2]).unwrap();
        let column = head.iter().position(|name| value["measure"] == **name).unwrap();
        let expected = line[column].parse::<f64>().ok();
        assert_eq!(value["value"].as_f64(), expected, "{value}");
    }
}

/// An experiment that names no sizes has query sets on the larger data set alone. The paper's sizes
/// fit neither data set.
#[test]
fn query_sets_that_cannot_be_had_are_left_out_and_a_line_says_so() {
    let (head, _) = SMALL.split_once("[query_sets]").unwrap();
    let text = head.replace("queries = 25", "queries = 60");
    let folder = directory(&[("quarter.toml", &text), ("paper.toml", &format!("dialect = \"paper\"\n{text}"))]);
    let at = folder.path();
    let said = stdout(at, "run quarter.toml --out quarter");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let line =
        "wide: The sets uninformative and ideal are left out: two sets of 20 queries need 40 queries with a value, and";
    assert_eq!(said.matches(line).count(), 1, "{said}");
    assert!(!said.contains("narrow: The sets"), "{said}");
    let sets = |out: &str| -> Vec<(String, String, Value)> {
        let found = json(at, &format!("run {out}.toml --out {out} --json"));
        let of_ndcg = found["query_sets"].as_array().unwrap().iter().filter(|set| set["measure"] == "ndcg");
        let word = |set: &Value, key: &str| set[key].as_str().unwrap().to_owned();
        let sets = of_ndcg.map(|set| (word(set, "dataset"), word(set, "set"), set["queries"].clone()));
        sets.filter(|(_, set, _)| ["uninformative", "ideal"].contains(&set.as_str())).collect()
    };
    let queries = |out: &str| sets(out).into_iter().map(|(.., queries)| queries).collect::<Vec<_>>();
    assert_eq!(queries("quarter"), [20.into(), 20.into(), Value::Null, Value::Null]);
    assert_eq!(queries("paper"), [Value::Null, Value::Null, Value::Null, Value::Null]);
    let tables = |out: &str| json(at, &format!("report {out} --format json")).to_string();
    assert!(tables("quarter").contains("table-12-ndcg-swap-uninformative-ideal"));
    let of_paper = tables("paper");
    assert!(!of_paper.contains("table-12") && of_paper.contains("table-11-ndcg-swap-data-sets"));
    assert!(of_paper.contains("500 are asked for, of 10 queries: such a set would be all queries"));
    // The sets change no value of a query.
    let result = |out: &str| json(at, &format!("run {out}.toml --out {out} --json"))["result"].clone();
    assert_eq!(result("quarter"), result("paper"));
    stdout(at, "verify quarter");
}

#[test]
fn mistakes_in_an_experiment_are_underlined_and_explained() {
    let wrong = |from: &str, to: &str| {
        let folder = directory(&[("small.toml", &SMALL.replace(from, to))]);
        format!("# {to}\n{}", stderr(folder.path(), "run small.toml", 2))
    };
    let shown = [
        wrong("cutoffs = [5, 10]", "cutofs = [5, 10]"),
        wrong("kind = \"linear\"", "kind = \"linaer\""),
        wrong("kind = \"linear\"", "kind = \"linear\"\nparams = { lamda = 1.0 }"),
        wrong("queries = 25", "queries = 25, sede = 1"),
        wrong("[[ranker]]\nlabel", "[[rankers]]\nlabel"),
    ];
    assert_snapshot!(shown.join("\n"));
}

#[test]
fn shipped_experiments_need_no_file_and_missing_data_say_where_to_get_them() {
    let folder = directory(&[]);
    // A folder with the name of a shipped experiment is not taken for an experiment file.
    std::fs::create_dir(folder.path().join("quickstart")).unwrap();
    let jobs = json(folder.path(), "jobs quickstart --json");
    assert!(jobs.as_array().unwrap().len() >= 50);
    let message = stderr(folder.path(), "run mq2008", 2);
    assert!(message.contains("FIVEFOLD_DATA") && message.contains("LETOR 4.0"), "{message}");
    assert!(stderr(folder.path(), "run quickstrat", 2).contains("did you mean `quickstart`"));
}

#[test]
fn tables_of_somebody_else_are_not_overwritten_and_named_before_the_first_job() {
    let folder = small();
    std::fs::create_dir(folder.path().join("theirs")).unwrap();
    std::fs::write(folder.path().join("theirs/tables.json"), "[1, 2]").unwrap();
    let message = stderr(folder.path(), "run small.toml --out theirs", 2);
    assert!(message.contains("theirs holds files that are no results of fivefold (tables.json)"), "{message}");
    assert_eq!(content(&folder.path().join("theirs")).len(), 1);
    // Without the list `tables.json`, it is unknown which tables an earlier run wrote.
    stdout(folder.path(), "run small.toml --out ours");
    std::fs::remove_file(folder.path().join("ours/tables.json")).unwrap();
    let again = run(folder.path(), "run small.toml --out ours");
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(
        again.status.success() && said.contains("tables.json: there is no such file; the report is written anew"),
        "{said}"
    );
}

#[test]
fn a_folder_without_results_is_a_user_error() {
    let folder = small();
    let message = stderr(folder.path(), "report .", 2);
    assert!(message.contains("manifest"), "{message}");
    assert!(Path::new(folder.path()).read_dir().unwrap().count() == 1);
}

/// Some labels differ only in characters that ids do not keep. Others cannot be file names.
#[test]
fn any_labels_get_files_of_their_own() {
    let text = SMALL.replace("\"narrow\"", "\"ä/b c\"").replace("\"wide\"", "\"ä-b c\"").replace("L2 LR", "../L2");
    let folder = directory(&[("small.toml", &text)]);
    let at = folder.path();
    let printed = stdout(at, "run small.toml --out one/ --tables all");
    let files = content(&at.join("one"));
    let of = |name: &str| files.keys().filter(|file| file.starts_with(name)).count();
    // Each data set and family has a histogram, three charts by cutoff, a scatter plot and critical
    // differences, as SVG and CSV.
    assert_eq!((of("scores/"), of("figures/")), (30, 2 * 2 * 6 * 2));
    assert!(printed.ends_with(&stdout(at, "report one")));
    let mut beside: Vec<_> = at.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    beside.sort();
    assert_eq!(beside, ["one", "one.log.json", "small.toml"]);
}

/// The text about methods, for quoting, says nothing about tables that `only` leaves out.
#[test]
fn methods_are_those_of_what_the_page_shows() {
    let folder = small();
    let at = folder.path();
    let methods = |only: &str| {
        std::fs::write(at.join("part.toml"), format!("{SMALL}\n[tables]\nonly = [{only}]\n")).unwrap();
        stdout(at, "run part.toml --out part");
        let page = std::fs::read_to_string(at.join("part/report.html")).unwrap();
        page.split("<section id=\"methods\"").nth(1).unwrap().split("<h3>").next().unwrap().to_owned()
    };
    let uncorrected = "count uncorrected t-tests at the same level, as Feng and Karmaker (2023)";
    assert!(methods("").contains(&format!("; conflicts and discriminative powers {uncorrected}")));
    assert!(methods("\"table-09\"").contains(&format!("; discriminative powers {uncorrected}")));
    let scores = methods("\"table-03\"");
    assert!(!scores.contains("uncorrected") && !scores.contains("discriminative"), "{scores}");
    assert!(scores.contains("UE normalisation of Feng and Karmaker (2023)"), "{scores}");
}

/// The page of 10,000 queries (3,000 in a short run), eight methods and five measures with both
/// normalisations at seven cutoffs must be small enough for a journal's supplement.
#[test]
fn a_page_of_ten_thousand_queries_stays_under_three_megabytes_and_says_what_it_leaves_out() {
    let queries = if has_long_proofs() { 10_000 } else { 3000 };
    let rankers: String = (1..=8)
        .map(|feature| {
            format!("[[ranker]]\nlabel = \"F{feature}\"\nkind = \"feature\"\nparams = {{ feature = {feature} }}\n")
        })
        .collect();
    let lines = (0..queries).flat_map(|query| {
        (0..6).map(move |document| {
            let features: String = (1..=8).map(|f| format!(" {f}:{}", (query * f + document * 7) % 13)).collect();
            // The ninth feature makes all feature vectors differ.
            format!("{} qid:{query}{features} 9:{}\n", (query + document) % 3, query * 6 + document)
        })
    });
    let head = "name = \"large\"\nseed = 1\n[[dataset]]\nlabel = \"d\"\npath = \"d.txt\"\nlayout = \"one-file\"\n";
    let tail = "[evaluation]\nmeasures = [\"ndcg\", \"ap\", \"err\", \"rbp\", \"neru\"]\ncutoffs = [1, 2, 3, 4, 5, 10, 20]\n[query_sets]\nuninformative = 500\nideal = 500\nhalves = false\n";
    let folder = directory(&[("large.toml", &format!("{head}{rankers}{tail}")), ("d.txt", &lines.collect::<String>())]);
    stdout(folder.path(), "run large.toml");
    let page = std::fs::read_to_string(folder.path().join("runs/large/report.html")).unwrap();
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    // Values are rounded, so means over some queries are shown with fewer digits.
    assert!(page.contains("\"scale\":10000.0,\"digits\":3"));
    assert!(page.contains(&format!("\"of\":{queries}")), "the script can say of how many queries it holds a sample");
    assert!(page.contains("drawn: an even sample of 900 queries"));
}

#[test]
fn the_page_is_made_anew_from_the_folder_with_templates_of_ones_own() {
    let folder = small();
    let at = folder.path();
    stdout(at, "run small.toml --out run");
    let page = std::fs::read(at.join("run/report.html")).unwrap();
    // The folder alone gives the same page, tables and figures.
    std::fs::remove_file(at.join("small.toml")).unwrap();
    stdout(at, "report run --write again");
    let (written, again) = (content(&at.join("run")), content(&at.join("again")));
    assert_eq!(again["report.html"], page);
    assert!(again.keys().any(|name| name.starts_with("tables/")));
    for (name, bytes) in &again {
        assert!(&written[name] == bytes, "{name}");
    }
    // The report is also not written over the results of another run.
    std::fs::create_dir(at.join("other")).unwrap();
    std::fs::write(at.join("other/manifest.json"), "{}").unwrap();
    assert!(stderr(at, "report run --write other", 2).contains("other has other results than run"));
    assert_eq!(content(&at.join("other")).len(), 1);
    stdout(at, "report run --write run");
    assert!(content(&at.join("run")) == written);

    std::fs::create_dir(at.join("mine")).unwrap();
    assert!(
        stderr(at, "report run --write again --templates mine", 2)
            .contains("has no template: add at least one of page.html")
    );
    std::fs::write(at.join("mine/report.css"), "h1 { color: rebeccapurple }").unwrap();
    stdout(at, "report run --write again --templates mine");
    let own = std::fs::read_to_string(at.join("again/report.html")).unwrap();
    assert!(own.contains("rebeccapurple") && own.contains("<h2 id=\"summary-head\">"));
    std::fs::write(at.join("mine/page.html"), "<title>{{ name }}, seed {{ seed }}</title>").unwrap();
    stdout(at, "report run --write again --templates mine");
    assert_eq!(std::fs::read_to_string(at.join("again/report.html")).unwrap(), "<title>small, seed 3</title>");
}

/// The error names the unknown name in the template, and lists the known names.
#[test]
fn a_template_that_asks_for_what_there_is_not_is_told_what_there_is() {
    let folder = small();
    let at = folder.path();
    stdout(at, "run small.toml --out run");
    std::fs::create_dir(at.join("mine")).unwrap();
    let page = "a page has agreements, alpha, bibtex, drill, facts, figure_notes, figures, manifest, methods, name, notices, noun, overview, pairs, result, scores, seed, stamps, \
                summary, table_notes, tables, test, version";
    for (file, template, said) in [
        ("page.html", "<p>\n{{ nmae | upper }}", &["page.html:2: there is no `nmae`; did you mean `name`?", page][..]),
        ("page.html", "{{ nothing.such }}", &["page.html:1: there is no `nothing.such`;", page]),
        (
            "page.html",
            "{% for f in figures %}{{ f.id }} {{ f.titel }}{% endfor %}",
            &["page.html:1: there is no `f.titel`; did you mean `title`? `f` has elsewhere, id, notes, svg, title"],
        ),
        (
            "page.html",
            "{% for table in tables %}\n{% for note in table.remarks %}{% endfor %}{% endfor %}",
            &["page.html:2: there is no `table.remarks`; `table` has heads, id, notes, rows, title"],
        ),
        (
            "page.html",
            "{% for t in tables %}{% for r in t.rows %}{% for c in r %}\n{{ c.words }}{{ c.tex }}{% endfor %}{% endfor %}{% endfor %}",
            &["page.html:2: there is no `c.tex`; did you mean `text`? `c` has label, sort, text, words"],
        ),
        ("page.html", "{{ name | uper }}", &["page.html:1", "uper"]),
        ("page.html", "{{ name }", &["page.html:1"]),
        ("report.css", "h1 { }\n/* {{ collor }} */", &["report.css:2: there is no `collor`;", page]),
    ] {
        std::fs::write(at.join("mine").join(file), template).unwrap();
        let message = stderr(at, "report run --write again --templates mine", 2);
        let message = message.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        for part in said {
            assert!(
                message.contains(&part.split_whitespace().collect::<Vec<_>>().join(" ")),
                "{template}\n{message}\nlacks {part}"
            );
        }
        std::fs::remove_file(at.join("mine").join(file)).unwrap();
    }
}
