//! Tests a run with many methods. The page shows only the best methods, and says so; the files have
//! all methods. The log of the run says how far the run is.

use std::fmt::Write as _;

use crate::harness::{directory, fivefold, json};

const METHODS: usize = 45;

fn experiment() -> String {
    let mut text = "name = 'many'\nseed = 2\n[[dataset]]\nlabel = 'made'\nmade = { shape = 'mq2007', queries = 30 }\n\
                    [evaluation]\nmeasures = ['ndcg']\n[query_sets]\nuninformative = 5\nideal = 5\n"
        .to_owned();
    for feature in 1..=METHODS {
        writeln!(text, "[[ranker]]\nlabel = 'F{feature}'\nkind = 'feature'\nparams = {{ feature = {feature} }}")
            .unwrap();
    }
    text
}

#[test]
fn of_many_methods_the_page_shows_the_best_and_says_so() {
    let folder = directory(&[("x.toml", &experiment())]);
    let at = folder.path();
    json(at, "run x.toml --json");
    let page = std::fs::read_to_string(at.join("runs/many/report.html")).unwrap().replace("&#x2f;", "/");
    let notice =
        "made: of 45 methods, the 30 best by ndcg@10 are shown; the CSV files of the folder have the scores of all";
    assert!(page.contains(&format!("<p>{notice}.</p>")));
    let section = |id: &str| {
        let from = page.find(&format!("<section id=\"{id}\"")).unwrap();
        &page[from..from + page[from..].find("</section>").unwrap()]
    };
    let rows = |html: &str, caption: &str| {
        let table = html.split("<table").find(|table| table.contains(caption)).unwrap();
        table.matches("<th scope=\"row\">").count()
    };
    assert_eq!(rows(section("scores"), "<caption>ndcg on made</caption>"), 30);
    assert_eq!(rows(section("pairs"), "<caption>ndcg@10 on made</caption>"), 30);
    // The test finds the best methods itself, by the means of the column ndcg@10 over all queries.
    let values = std::fs::read_to_string(at.join("runs/many/per_query.csv")).unwrap();
    let mut lines = values.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let column = lines.next().unwrap().iter().position(|name| *name == "ndcg@10").unwrap();
    let mut sums: std::collections::BTreeMap<String, f64> = std::collections::BTreeMap::new();
    for line in lines.filter(|line| line[3] == "all") {
        *sums.entry(line[4].to_owned()).or_default() += line[column].parse().unwrap_or(0.0);
    }
    let mut best: Vec<(&String, &f64)> = sums.iter().collect();
    best.sort_by(|a, b| b.1.total_cmp(a.1));
    assert_eq!(best.len(), METHODS);
    let score = section("scores");
    // A method with the same mean as the last shown method may be shown or not.
    let last = best[29].1;
    for (method, sum) in best.iter().filter(|(_, sum)| (*sum - last).abs() > 1e-9) {
        assert_eq!(score.contains(&format!("<th scope=\"row\">{method}</th>")), *sum > last, "{method}");
    }
    let figure = std::fs::read_to_string(at.join("runs/many/figures/figure-cutoffs-ndcg-made.csv")).unwrap();
    assert!(figure.contains(&format!("# {notice}\n")));
    // The tables beside the page have all methods.
    let tables: Vec<String> = std::fs::read_dir(at.join("runs/many/tables"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "csv"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert!(tables.iter().any(|text| (1..=METHODS).all(|feature| text.contains(&format!("F{feature},")))));
}

#[test]
fn a_log_says_how_far_a_run_is() {
    let mut text = "name = 'x'\n[[dataset]]\nmade = { shape = 'mq2007', queries = 10 }\n".to_owned();
    for steps in [40, 41, 42, 43] {
        writeln!(text, "[[ranker]]\nlabel = 'S{steps}'\nkind = 'slow'\nparams = {{ steps = {steps} }}").unwrap();
    }
    let folder = directory(&[("x.toml", &text)]);
    let said = |more: &[&str]| {
        let arguments = ["run", "x.toml", "--threads", "1", "--only", "fold1", "fold2"];
        let output = fivefold(folder.path()).args(arguments).args(more).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let lines = said(&["--progress", "1", "--out", "often"]);
    let far = lines.lines().find(|line| line.contains(" of 8 jobs after ")).unwrap_or_else(|| panic!("{lines}"));
    assert!(far.contains(", about ") && far.ends_with(" left"), "{far}");
    for more in [&["--out", "usual"][..], &["--progress", "0", "--out", "never"]] {
        assert!(!said(more).contains("jobs after"));
    }
}
