//! Tests repeats over seeds, learning curves and ablations.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::harness::{directory, json, real_data, stderr, stdout, stdout_with_data};

/// Forty queries of four documents. Feature 1 follows the grade with noise, the others are noise.
fn documents() -> String {
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    let mut text = String::new();
    for query in 0..40 {
        for document in 0..4 {
            let grade = (query + document) % 3;
            let [one, two, three] = [f64::from(grade) + 2.5 * noise(), noise(), f64::from(grade) + 4.0 * noise()];
            text += &format!("{grade} qid:{query} 1:{one:.4} 2:{two:.4} 3:{three:.4}\n");
        }
    }
    text
}

/// An experiment with these keys at its top, and these rankers.
fn experiment(top: &str, rankers: &str) -> String {
    format!(
        r#"name = "mine"
        {top}
        [[dataset]]
        path = "data/all.txt"
        layout = "one-file"
        label = "mine"
        {rankers}
        [evaluation]
        measures = ["ndcg", "ap"]
        cutoffs = [2, 4]
        "#
    )
}

const FOREST: &str = "[[ranker]]\nkind = \"random-forest\"\nlabel = \"forest\"\nparams = { bags = 2, leaves = 4 }\n";
const LINEAR: &str = "[[ranker]]\nkind = \"linear\"\nnormalise = { method = \"z-score\", over = \"train\" }\n";

fn folder(text: &str) -> tempfile::TempDir {
    let folder = directory(&[("mine.toml", text)]);
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/all.txt"), documents()).unwrap();
    std::fs::write(folder.path().join("data/features.txt"), "1\tclick rate\tclicks\n2\tlength\n3\tvisits\tclicks\n")
        .unwrap();
    folder
}

/// The lines of a CSV file without quotes, as maps from head to field. Comments are left out.
fn rows(file: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let heads = lines.next().unwrap();
    lines.map(|fields| heads.iter().cloned().zip(fields).collect()).collect()
}

fn result(at: &Path) -> Value {
    let manifest = std::fs::read_to_string(at.join("runs/mine/manifest.json")).unwrap();
    serde_json::from_str::<Value>(&manifest).unwrap()["result"].clone()
}

#[test]
fn values_are_means_over_seeds_and_the_seeds_are_kept() {
    let folder = folder(&experiment("", &format!("{FOREST}{LINEAR}")));
    let at = folder.path();
    stdout(at, "run mine.toml");
    let once = result(at);
    std::fs::write(at.join("mine.toml"), experiment("repeats = 3", &format!("{FOREST}{LINEAR}"))).unwrap();
    // The first seed is that of a run without repeats. The linear ranker draws nothing.
    let done = json(at, "run mine.toml --json --threads 1");
    assert_eq!((&done["reused"], &done["done"]), (&10.into(), &10.into()), "{done}");
    let results = at.join("runs/mine");
    let mut sums: BTreeMap<(String, String), (f64, usize)> = BTreeMap::new();
    for row in rows(&results.join("per_seed.csv")) {
        assert_eq!(row["ranker"], "forest");
        if let Ok(value) = row["ndcg@4"].parse::<f64>() {
            let sum = sums.entry((row["query"].clone(), row["ranker"].clone())).or_default();
            *sum = (sum.0 + value, sum.1 + 1);
        }
    }
    let mut compared = 0;
    for row in rows(&results.join("per_query.csv")).iter().filter(|row| row["documents"] == "all") {
        if let Some((sum, count)) = sums.get(&(row["query"].clone(), row["ranker"].clone())) {
            assert_eq!(*count, 3);
            assert!((sum / 3.0 - row["ndcg@4"].parse::<f64>().unwrap()).abs() < 1e-12);
            compared += 1;
        }
    }
    assert_eq!(compared, 40);
    let means = rows(&results.join("tables/table-seeds-mine.csv"));
    let of = |method: &str| means.iter().find(|row| row["method"] == method && row["measure"] == "ndcg@4").unwrap();
    assert_eq!((&*of("forest")["seeds"], &*of("linear")["seeds"]), ("3", "1"));
    assert!(of("forest")["deviation"].parse::<f64>().unwrap() > 0.0 && of("linear")["deviation"] == "n/a");
    let parts = rows(&results.join("tables/table-variance-mine.csv"));
    // One repeated method: no components of methods.
    assert_eq!(parts[0]["methods"], "n/a");
    assert!(parts[0]["queries"].ends_with(" %"), "{parts:?}");
    stdout(at, "verify runs/mine");
    // The same bytes for another number of threads, and back to one seed.
    let repeated = result(at);
    std::fs::rename(&results, at.join("runs/other")).unwrap();
    std::fs::remove_file(at.join("runs/mine.log.json")).unwrap();
    stdout(at, "run mine.toml --threads 3");
    assert_eq!(result(at), repeated);
    std::fs::write(at.join("mine.toml"), experiment("", &format!("{FOREST}{LINEAR}"))).unwrap();
    stdout(at, "run mine.toml");
    assert_eq!(result(at), once);
    assert!(!results.join("per_seed.csv").exists());
    stdout(at, "verify runs/mine");
    // A changed seed is found.
    std::fs::write(at.join("mine.toml"), experiment("repeats = 3", &format!("{FOREST}{LINEAR}"))).unwrap();
    stdout(at, "run mine.toml");
    let text = std::fs::read_to_string(results.join("per_seed.csv")).unwrap();
    std::fs::write(results.join("per_seed.csv"), text.replacen(",2,forest", ",3,forest", 1)).unwrap();
    stderr(at, "verify runs/mine", 1);
}

#[test]
fn small_differences_are_said_to_be_small() {
    let twice = FOREST.replace("label = \"forest\"", "label = \"other\"");
    let fused = "[[ranker]]\nkind = \"fusion\"\nlabel = \"fused\"\nparams = { of = [\"forest\", \"linear\"] }\n";
    let folder = folder(&experiment("repeats = 4", &format!("{FOREST}{twice}{LINEAR}{fused}")));
    let at = folder.path();
    let text = stdout(at, "run mine.toml");
    // Two forests with the same settings differ by their seeds alone.
    let pairs = rows(&at.join("runs/mine/tables/table-seed-pairs-mine.csv"));
    let small = pairs.iter().filter(|row| row["smaller than the spread"] == "yes").count();
    let of_forests = |row: &&BTreeMap<String, String>| row["method"] == "forest" && row["other method"] == "other";
    assert!(pairs.iter().filter(of_forests).any(|row| row["smaller than the spread"] == "yes"), "{pairs:?}");
    assert!(
        text.split_whitespace().collect::<Vec<_>>().join(" ").contains("smaller than the spread between seeds"),
        "{text}"
    );
    assert!(small > 0);
    // The fusion of a repeated ranker is repeated; its first seed combines first seeds.
    let seeds = rows(&at.join("runs/mine/per_seed.csv"));
    assert_eq!(seeds.iter().filter(|row| row["ranker"] == "fused").count(), 4 * 40);
    assert!(at.join("runs/mine/jobs/mine/fold1/fused~4.json").exists());
    assert!(stdout(at, "jobs mine.toml --only forest").contains("mine/fold1/forest~2"));
    stdout(at, "verify runs/mine");
}

#[test]
fn a_learning_curve_is_made_of_ordinary_jobs() {
    let curve = "kind = \"learning-curve\"\nrepeats = 2\nlearning_curve = { shares = [1.0, 0.25, 0.5, 0.1, 0.75] }";
    let folder = folder(&experiment("", &format!("{FOREST}{LINEAR}")));
    let at = folder.path();
    stdout(at, "run mine.toml");
    std::fs::write(at.join("mine.toml"), experiment(curve, &format!("{FOREST}{LINEAR}"))).unwrap();
    // Whole parts are those of the run before: 5 of each ranker. The forest has a second seed there.
    let done = json(at, "run mine.toml --json");
    assert_eq!((&done["reused"], &done["done"]), (&10.into(), &85.into()), "{done}");
    let results = at.join("runs/mine");
    // A fold trains on 24 queries.
    let sample = |job: &str| -> Value {
        let record = std::fs::read_to_string(results.join(format!("jobs/mine/fold1/{job}.json"))).unwrap();
        serde_json::from_str::<Value>(&record).unwrap()["inputs"]["sample"].clone()
    };
    assert_eq!((&sample("linear_0.1")["queries"], &sample("linear_0.5")["queries"]), (&3.into(), &12.into()));
    // Nested: the same seed at each size, for each ranker; another one for the next repeat.
    assert_eq!(sample("linear_0.1")["seed"], sample("forest_0.5")["seed"]);
    assert_ne!(sample("linear_0.1")["seed"], sample("linear_0.1~2")["seed"]);
    assert_eq!(sample("linear"), Value::Null);
    let table = rows(&results.join("tables/table-curve-mine.csv"));
    let of_linear: Vec<&BTreeMap<String, String>> =
        table.iter().filter(|row| row["method"] == "linear" && row["measure"] == "ndcg@4").collect();
    let queries: Vec<&str> = of_linear.iter().map(|row| row["training queries"].as_str()).collect();
    assert_eq!(queries, ["3", "6", "12", "18", "24"]);
    assert!(results.join("figures/figure-curve-ndcg-4-mine.svg").exists());
    let page = std::fs::read_to_string(results.join("report.html")).unwrap();
    assert!(page.contains("Learning curves, ndcg@4"));
    assert!(page.contains("a sample of 0.25 of the training queries") && page.contains("was fitted with 2 seeds"));
    stdout(at, "verify runs/mine");
    assert_eq!(json(at, "run mine.toml --json")["reused"], 95);
}

#[test]
fn an_ablation_leaves_out_each_group_and_takes_it_alone() {
    let ablation = "kind = \"ablation\"\nablation = { groups = [\"clicks\"] }";
    let folder = folder(&experiment(ablation, LINEAR));
    let at = folder.path();
    let done = json(at, "run mine.toml --json");
    assert_eq!(done["done"], 15, "{done}");
    assert!(stdout(at, "run mine.toml --tables table-ablation").contains("without clicks"));
    let results = at.join("runs/mine");
    let table = rows(&results.join("tables/table-ablation-mine.csv"));
    let of = |features: &str| {
        table.iter().find(|row| row["measure"] == "ndcg@4" && row["features"] == features).unwrap().clone()
    };
    let (all, without, only) = (of("all"), of("without clicks"), of("only clicks"));
    let number = |row: &BTreeMap<String, String>, head: &str| row[head].parse::<f64>().unwrap();
    assert!(
        (number(&without, "difference to all features") - (number(&without, "mean") - number(&all, "mean"))).abs()
            < 1e-12
    );
    // By hand: a paired t-test of the values in per_query.csv, with Holm's factor 2 for the smaller p.
    let values = |ranker: &str| -> Vec<f64> {
        let own = rows(&results.join("per_query.csv"));
        let own = own.iter().filter(|row| row["ranker"] == ranker && row["documents"] == "all");
        own.map(|row| row["ndcg@4"].parse::<f64>().unwrap()).collect()
    };
    let full = values("linear");
    let t = |ranker: &str| {
        let differences: Vec<f64> = values(ranker).iter().zip(&full).map(|(own, full)| own - full).collect();
        let n = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean / (variance / n).sqrt()).abs()
    };
    let (t_without, t_only) = (t("linear without clicks"), t("linear only clicks"));
    let (p_without, p_only) = (number(&without, "p (Holm)"), number(&only, "p (Holm)"));
    let (p_larger, p_smaller) = if t_without > t_only { (p_only, p_without) } else { (p_without, p_only) };
    assert!(p_smaller <= p_larger);
    assert!(p_without <= 1.0 && p_only <= 1.0);
    // The same jobs as those of rankers that choose features themselves.
    let by_hand = format!(
        "{LINEAR}{LINEAR}label = \"linear without clicks\"\nfeatures = {{ without = [\"group:clicks\"] }}\n{LINEAR}label = \
         \"linear only clicks\"\nfeatures = {{ only = [\"group:clicks\"] }}\n"
    );
    std::fs::write(at.join("mine.toml"), experiment("", &by_hand)).unwrap();
    assert_eq!(json(at, "run mine.toml --json")["reused"], 15);
    stdout(at, "verify runs/mine");
}

/// The table of an ablation under the first measure and the crossings of curves stand in the terminal.
#[test]
fn tables_of_a_design_are_shown_without_being_asked_for() {
    let folder = folder(&experiment("kind = \"ablation\"\nablation = { groups = [\"clicks\"] }", LINEAR));
    let at = folder.path();
    let shown = stdout(at, "run mine.toml");
    assert!(shown.contains("Groups of features left out and alone") && shown.contains("without clicks"), "{shown}");
    assert!(shown.contains("ndcg@4") && !shown.contains("ndcg.v1@4  linear"), "{shown}");
    assert!(shown.contains("other measures: --tables table-ablation-mine"), "{shown}");
    // A noisy feature alone learns nothing, and is overtaken.
    let third = "[[ranker]]\nkind = \"feature\"\nlabel = \"third\"\nparams = { feature = 3 }\n";
    let curve = "kind = \"learning-curve\"\nlearning_curve = { shares = [0.05, 0.2, 1.0] }";
    std::fs::write(at.join("mine.toml"), experiment(curve, &format!("{third}{FOREST}"))).unwrap();
    let shown = stdout(at, "run mine.toml");
    let crossings = rows(&at.join("runs/mine/tables/table-crossings-mine.csv"));
    assert!(crossings.iter().any(|row| row["ahead after"] == "forest"), "{crossings:?}");
    assert!(shown.contains("Where learning curves cross"), "{shown}");
    let page = std::fs::read_to_string(at.join("runs/mine/report.html")).unwrap();
    assert!(page.contains("overtakes") && page.contains("Where learning curves cross"));
}

/// `linear` with its parameter chosen on the validation part, at each size and with each part.
const TUNED: &str = "[[ranker]]\nkind = \"linear\"\nnormalise = { method = \"z-score\", over = \"train\" }\n[ranker.tune]\n\
                     method = \"grid\"\nmeasure = \"ndcg@4\"\n[ranker.tune.params]\nlambda = [0.01, 100.0]\n";

#[test]
fn a_tuned_ranker_is_the_base_of_a_learning_curve_and_of_an_ablation() {
    let curve = "kind = \"learning-curve\"\nlearning_curve = { shares = [0.25, 1.0] }";
    let ablation = "kind = \"ablation\"\nablation = { groups = [\"clicks\"] }";
    let by_hand = |entry: &str, label: &str, key: &str| {
        let named = entry.replacen("kind = \"linear\"", &format!("kind = \"linear\"\nlabel = \"{label}\"\n{key}"), 1);
        format!("{entry}{named}")
    };
    for (top, jobs, label, key) in [
        (curve, 5 * 3 * 2, "linear_0.25", "train_share = 0.25"),
        (ablation, 5 * 3 * 3, "linear without clicks", "features = { without = [\"group:clicks\"] }"),
    ] {
        let folder = folder(&experiment(top, TUNED));
        let at = folder.path();
        let done = json(at, "run mine.toml --json");
        assert_eq!((&done["done"], &done["candidates"]), (&jobs.into(), &(jobs / 3 * 2).into()), "{done}");
        stdout(at, "verify runs/mine");
        // Each is tuned for itself: the same jobs as those of rankers that stand in the file.
        std::fs::write(at.join("mine.toml"), experiment("", &by_hand(TUNED, label, key))).unwrap();
        let done = json(at, "run mine.toml --json");
        assert_eq!((&done["reused"], &done["done"]), (&30.into(), &0.into()), "{done}");
    }
}

#[test]
fn a_selection_shows_its_steps_and_compares_with_all_features() {
    let selection =
        "kind = \"selection\"\nselection = { measure = \"ndcg@4\", from = [\"group:clicks\", 2, \"visits\"], max = 2 }";
    let folder = folder(&experiment(selection, LINEAR));
    let at = folder.path();
    let listed = stdout(at, "jobs mine.toml");
    let of_stage = |stage: &str| listed.lines().filter(|line| line.contains(stage)).count();
    assert_eq!((of_stage("stage 0"), of_stage("stage 1"), of_stage("stage 2")), (5 * 4, 5 * 2, 5), "{listed}");
    let shown = stdout(at, "run mine.toml");
    assert!(shown.contains("35 jobs") || shown.contains("10 jobs, 0 failed; 25 candidates"), "{shown}");
    assert!(shown.contains("Chosen features against all features"), "{shown}");
    let results = at.join("runs/mine");
    let chosen = stdout(at, "report runs/mine --table selection-chosen --format csv");
    assert!(chosen.contains("clicks") || chosen.contains("visits"), "{chosen}");
    let steps = rows(&results.join("tables/selection-steps.csv"));
    assert_eq!(steps.len(), 5 * 2);
    let entered: Vec<&str> = steps.iter().map(|row| row["entered"].as_str()).collect();
    assert!(entered.iter().all(|name| ["clicks", "2 (length)", "visits"].contains(name)), "{entered:?}");
    // The difference and the p-value are those of the values in per_query.csv.
    let gain = &rows(&results.join("tables/selection-gain.csv"))[0];
    let values = |ranker: &str| -> Vec<f64> {
        let own = rows(&results.join("per_query.csv"));
        let own = own.iter().filter(|row| row["ranker"] == ranker && row["documents"] == "all");
        own.map(|row| row["ndcg@4"].parse::<f64>().unwrap()).collect()
    };
    let (selected, all) = (values("linear selected"), values("linear"));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let number = |head: &str| gain[head].parse::<f64>().unwrap();
    assert!((number("mean chosen") - mean(&selected)).abs() < 1e-9, "{gain:?}");
    assert!((number("difference") - (mean(&selected) - mean(&all))).abs() < 1e-9, "{gain:?}");
    assert!((0.0..=1.0).contains(&number("p (Holm)")), "{gain:?}");
    let page = std::fs::read_to_string(results.join("report.html")).unwrap();
    assert!(page.contains("validation value by steps of the selection"));
    stdout(at, "verify runs/mine");
    // `explain-cache`, another number of threads, and an isolated fit: the same result.
    let whole = result(at);
    let apart = LINEAR.replacen("kind", "isolate = true\nkind", 1);
    std::fs::write(at.join("apart.toml"), experiment(selection, &apart)).unwrap();
    stdout(at, "run apart.toml --out runs/apart --threads 1");
    std::fs::rename(&results, at.join("runs/other")).unwrap();
    std::fs::rename(at.join("runs/apart"), &results).unwrap();
    assert_eq!(result(at), whole);
}

/// The shipped experiments, whose numbers the book's page on OHSUMED has.
#[test]
fn shipped_designs_on_ohsumed_give_the_numbers_of_the_docs() {
    let Some(data) = real_data() else { return };
    let folder = directory(&[]);
    let at = folder.path();
    for name in ["ohsumed-selection", "ohsumed-ablation"] {
        stdout_with_data(at, &data, &["run", name, "--out", name]);
    }
    let gain = &rows(&at.join("ohsumed-selection/tables/selection-gain.csv"))[0];
    let number = |head: &str| format!("{:.4}", gain[head].parse::<f64>().unwrap());
    assert_eq!(["steps", "mean chosen", "mean all"].map(number), ["4.2000", "0.4494", "0.4453"]);
    assert_eq!(number("p (Holm)"), "0.6736");
    let table = rows(&at.join("ohsumed-ablation/tables/table-ablation-OHSUMED.csv".to_lowercase()));
    let without = table.iter().find(|row| row["features"] == "without title").unwrap();
    assert_eq!(format!("{:.4}", without["mean"].parse::<f64>().unwrap()), "0.3886");
}

/// An example of the book's page on OHSUMED. Inverse document frequencies are the same for all documents of
/// a query, so a linear model of features that are scaled over each query cannot use them.
#[test]
fn ridge_on_ohsumed_needs_the_title_and_not_the_document_frequencies() {
    let Some(data) = real_data() else { return };
    let text = "name = \"ab\"\nkind = \"ablation\"\ndataset = [{ name = \"ohsumed\" }]\n[[ranker]]\nkind = \"linear\"\n\
                normalise = { method = \"z-score\", over = \"query\" }\n[evaluation]\nmeasures = [\"ndcg\"]\ncutoffs = [10]\n";
    let folder = directory(&[("ab.toml", text)]);
    stdout_with_data(folder.path(), &data, &["run", "ab.toml"]);
    let table = rows(&folder.path().join("runs/ab/tables/table-ablation-ohsumed.csv"));
    let of = |features: &str| {
        let row = table.iter().find(|row| row["measure"] == "ndcg@10" && row["features"] == features).unwrap();
        [row["mean"].parse::<f64>().unwrap(), row["p (Holm)"].parse::<f64>().unwrap_or(f64::NAN)]
    };
    let near = |found: f64, said: f64| assert!((found - said).abs() < 0.000_05, "{found} {said}");
    near(of("all")[0], 0.4453);
    near(of("without title")[0], 0.3886);
    near(of("only IDF")[0], 0.1915);
    assert!((of("without IDF")[0] - of("all")[0]).abs() < 1e-12);
}

/// The other example of the book's page on OHSUMED.
#[test]
fn ridge_on_ohsumed_learns_from_few_queries() {
    let Some(data) = real_data() else { return };
    let text = "name = \"lc\"\nkind = \"learning-curve\"\nrepeats = 5\ndataset = [{ name = \"ohsumed\" }]\n[[ranker]]\n\
                label = \"Ridge\"\nkind = \"linear\"\nnormalise = { method = \"z-score\", over = \"query\" }\n\
                [evaluation]\nmeasures = [\"ndcg\"]\ncutoffs = [10]\n";
    let folder = directory(&[("lc.toml", text)]);
    stdout_with_data(folder.path(), &data, &["run", "lc.toml"]);
    let table = rows(&folder.path().join("runs/lc/tables/table-curve-ohsumed.csv"));
    let own = table.iter().filter(|row| row["measure"] == "ndcg@10");
    let found: Vec<[String; 2]> = own
        .map(|row| {
            let number = |head: &str| row[head].parse::<f64>().unwrap();
            [format!("{:.0}", number("training queries")), format!("{:.3}", number("mean"))]
        })
        .collect();
    let said = [["4", "0.379"], ["7", "0.402"], ["13", "0.416"], ["26", "0.431"], ["45", "0.441"], ["64", "0.445"]];
    assert_eq!(found, said.map(|pair| pair.map(str::to_owned)));
}

#[test]
fn designs_that_cannot_be_made_are_refused() {
    for (top, ranker, expected) in [
        ("repeats = 0", LINEAR, "`repeats` must be from 1"),
        ("kind = \"learning-curv\"", LINEAR, "did you mean \"learning-curve\"?"),
        ("kind = \"learning-curve\"\nlearning_curve = { shares = [0.5, 2] }", LINEAR, "above 0 and at most 1, not 2"),
        ("kind = \"learning-curve\"\nlearning_curve = { shares = [0.5] }", LINEAR, "two or more `shares`"),
        ("kind = \"learning-curve\"\nlearning_curve = { share = [0.5] }", LINEAR, "unknown"),
        ("learning_curve = { shares = [0.5, 1] }", LINEAR, "no effect without `kind = \"learning-curve\"`"),
        ("kind = \"ablation\"", LINEAR, "the groups of features of data set `mine` are not known"),
        ("kind = \"ablation\"\nablation = { groups = [\"click\"] }", LINEAR, "did you mean `clicks`?"),
        ("kind = \"ablation\"\nablation = { groups = [] }", LINEAR, "names no group"),
        (
            "kind = \"learning-curve\"",
            "[[ranker]]\nkind = \"scores\"\nparams = { path = \"{fold}\" }\n",
            "learns nothing from features",
        ),
        ("", "[[ranker]]\nkind = \"linear\"\ntrain_share = 0.0\n", "above 0 and at most 1"),
        ("kind = \"selection\"", LINEAR, "a selection needs its measure"),
        ("kind = \"selection\"\nselection = { measure = \"ndgc@4\" }", LINEAR, "ndgc"),
        (
            "kind = \"selection\"\nselection = { measure = \"ap\", from = [\"clicks\"] }",
            LINEAR,
            "no feature has the name",
        ),
        (
            "kind = \"selection\"\nselection = { measure = \"ap\" }",
            "[[ranker]]\nkind = \"scores\"\nparams = { path = \"{fold}\" }\n",
            "learns nothing from features",
        ),
        (
            "",
            "[[ranker]]\nkind = \"linear\"\nfeatures = { only = [\"3-1\"] }\n",
            "the range `3-1` ends before it begins: 1 is less than 3",
        ),
    ] {
        let folder = folder(&experiment(top, ranker));
        let text = stderr(folder.path(), "run mine.toml", 2);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" │ ", " ");
        assert!(words.contains(expected), "{top}\n{text}");
    }
}
