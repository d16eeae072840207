//! Tests that the numbers on pages of the book are those that the program computes now, on real
//! data.

use std::path::{Path, PathBuf};

use crate::harness::{directory, fivefold, real_data, stdout_with_data};

/// A page of the book, its lines joined.
struct Page {
    name: &'static str,
    text: String,
}

impl Page {
    fn read(name: &'static str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/book/pages").join(name);
        Page { name, text: joined(&std::fs::read_to_string(path).unwrap()) }
    }

    #[track_caller]
    fn says(&self, words: &str) {
        assert!(self.text.contains(&joined(words)), "{} should say: {words}", self.name);
    }
}

/// The words of a text, without its line breaks.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The folder of a study, for reading its tables.
struct Tables(PathBuf);

impl Tables {
    /// The cell in this column, of the row that begins with these cells.
    #[track_caller]
    fn cell(&self, table: &str, row: &[&str], column: &str) -> String {
        let path = self.0.join(format!("tables/{table}.csv"));
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(&path).unwrap();
        let at = reader.headers().unwrap().iter().position(|head| head == column).expect(column);
        let mut records = reader.records().map(Result::unwrap);
        let found = records.find(|record| record.iter().zip(row).all(|(cell, label)| cell == *label));
        found.unwrap_or_else(|| panic!("{}: no row {row:?}", path.display()))[at].to_owned()
    }

    #[track_caller]
    fn number(&self, table: &str, row: &[&str], column: &str) -> f64 {
        let cell = self.cell(table, row, column);
        cell.parse().unwrap_or_else(|_| panic!("{table}, {row:?}, {column}: {cell}"))
    }

    /// A number in the form of a share on a page: `.714`.
    #[track_caller]
    fn share(&self, table: &str, row: &[&str], column: &str, digits: usize) -> String {
        let text = format!("{:.digits$}", self.number(table, row, column));
        text.strip_prefix('0').unwrap_or(if self.number(table, row, column) == 1.0 { "1" } else { &text }).to_owned()
    }

    /// A number in the form of a count on a page: `8,256`.
    #[track_caller]
    fn count(&self, table: &str, row: &[&str], column: &str) -> String {
        let digits = self.cell(table, row, column);
        let groups = digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap());
        groups.collect::<Vec<_>>().join(",")
    }
}

#[test]
fn meta_on_trec8() {
    let Some(data) = real_data() else { return };
    let (folder, page) = (directory(&[]), Page::read("explanation/findings/comparisons.md"));
    let [ap, p10] = ["ap", "p10"].map(|name| data.join(format!("trec/trec8/adhoc8_{name}.csv")).display().to_string());
    let compare = |arguments: &[&str]| {
        let name = if arguments[0] == "compare-trec8" { "compare-trec8" } else { "compare" };
        let kept = ["--out", &format!("runs/{name}"), "--replace"];
        stdout_with_data(folder.path(), &data, &[&["compare"], arguments, &kept].concat());
        Tables(folder.path().join("runs").join(name))
    };
    let plain = compare(&[&ap]);
    let (t_test, all) = (plain.count("power", &["adhoc8_ap"], "significant"), ["adhoc8_ap"]);
    let study = compare(&["compare-trec8"]);
    let comparisons = study.count("power", &all, "comparisons");
    page.says(&format!(
        "Without a correction, {t_test} of the {comparisons} pairs have p < .05 by the t-test (`fivefold compare adhoc8_ap.csv`). With max-T \
         over all {comparisons} pairs, {} pairs are significant by the permutation test. The median standard deviation of a difference is \
         {}. With this spread, a true difference of .05 needs {} topics for a power of .8, and a true difference of .01 needs {} topics. \
         Two random halves of the topics order {:.1} % of the pairs oppositely. Differences of {} and more are reversed at most once in \
         twenty times; {:.0} % of the pairs have such a difference. Nemenyi's critical difference cannot tell {} systems from the best \
         system.",
        study.count("power", &all, "significant"),
        study.share("queries-needed", &all, "median sd", 3),
        study.count("queries-needed", &all, "for 0.05"),
        study.count("queries-needed", &all, "for 0.01"),
        study.number("swap-method", &all, "swaps %"),
        study.share("swap-method", &all, "difference needed", 2),
        study.number("swap-method", &all, "sensitivity %"),
        study.count("ranks", &all, "not told from the best"),
    ));
    page.says("compare-trec8` (permutation test, 10,000 draws, max-T)");
    let notes = std::fs::read_to_string(study.0.join("tables/power.csv")).unwrap();
    assert!(
        notes.contains("test: permutation (10000 draws") && notes.contains("two-sided; correction: maxt"),
        "{notes}"
    );
    let smallest = study.number("power", &all, "comparisons") / 10_001.0;
    page.says(&format!(
        "the smallest p-value that they can give is 1/10,001, and {comparisons} times that is {}.",
        format!("{smallest:.2}").trim_start_matches('0')
    ));
    let classes = compare(&[&format!("AP={ap}"), &format!("P10={p10}"), "--quantiles", "3"]);
    let opposite = |measure| 100.0 * classes.number("class-swaps", &[measure, "hardest", "easiest"], "swap rate");
    let power = |class| classes.number("class-power", &["AP", class], "%");
    let tau = |class| classes.share("class-tau", &["AP", "P10"], class, 2);
    for measure in ["AP", "P10"] {
        assert_eq!(classes.cell("class-swaps", &[measure, "hardest", "easiest"], "same winner"), "no");
    }
    page.says(&format!(
        "The hardest topics and the easiest topics order {:.0} % of the pairs oppositely under AP ({:.0} % under P@10), and have different \
         winners. The hardest topics tell {:.0} % of the pairs apart, the middle topics {:.0} %, the easiest topics {:.0} %, and all 50 \
         topics together {:.0} %. So the middle topics say most. AP and P@10 agree less on easy topics (tau {}) than on hard topics ({}).",
        opposite("AP"),
        opposite("P10"),
        power("hardest"),
        power("middle"),
        power("easiest"),
        power("all"),
        tau("easiest"),
        tau("hardest"),
    ));
}

#[test]
fn meta_on_dl19() {
    let Some(data) = real_data() else { return };
    let (folder, page) = (directory(&[]), Page::read("explanation/findings/comparisons.md"));
    stdout_with_data(folder.path(), &data, &["compare", "compare-dl19"]);
    let study = Tables(folder.path().join("runs/compare-dl19"));
    let pairs = study.count("power", &["ndcg"], "comparisons");
    page.says(&format!(
        "38 reranking runs on 43 queries. The test is Tukey HSD, which corrects for all {pairs} pairs itself."
    ));
    for (shown, column, measure) in [
        ("ndcg@10", "ndcg@10", "ndcg"),
        ("ndcg.v1@10", "ndcg.v1@10", "ndcg.v1"),
        ("ndcg.v2@10", "ndcg.v2@10", "ndcg.v2"),
        ("ap, grade 2 and above", "ap", "ap"),
        ("rr, grade 2 and above", "rr", "rr"),
    ] {
        let conflicts = (measure != "ndcg").then(|| {
            let cell = |column| study.count("conflicts", &["ndcg", measure], column);
            format!("{} ({} to {}) ", cell("conflicts"), cell("least"), cell("most"))
        });
        page.says(&format!(
            "| {shown} | {} | {} | {} | {:.1} | {} | {}|",
            study.count("power", &[measure], "significant"),
            study.share("queries-needed", &[column], "median sd", 3),
            study.count("queries-needed", &[column], "for 0.05"),
            study.number("swap-method", &[column], "swaps %"),
            study.share("tau", &["ndcg"], measure, 3),
            conflicts.unwrap_or_default(),
        ));
    }
    page.says("Every pair that is significant under V1 or V2 is also significant under nDCG. No two measures contradict each other");
    for measure in ["ndcg.v1", "ndcg.v2"] {
        let both = study.cell("agreement", &["ndcg", measure], "AA");
        assert_eq!(both, study.cell("power", &[measure], "significant"));
    }
    let measures = ["ndcg", "ndcg.v1", "ndcg.v2", "ap", "rr"];
    for (at, first) in measures.iter().enumerate() {
        for second in &measures[at + 1..] {
            assert_eq!(study.cell("agreement", &[first, second], "AD"), "0", "{first}, {second}");
        }
    }
    page.says("Under RR, two halves of the queries order a third of the pairs oppositely.");
    assert!((study.number("swap-method", &["rr"], "swaps %") - 100.0 / 3.0).abs() < 2.0);
}

#[test]
fn meta_on_mq2008() {
    let Some(data) = real_data() else { return };
    let (folder, page) = (directory(&[]), Page::read("explanation/findings/comparisons.md"));
    stdout_with_data(folder.path(), &data, &["compare", "compare-mq2008-systems"]);
    let study = Tables(folder.path().join("runs/compare-mq2008-systems"));
    let significant = |measure| study.count("power", &[measure], "significant");
    let [first, v1, v2] = ["ndcg", "ndcg.v1", "ndcg.v2"].map(significant);
    assert!(first == v1 && first == v2, "{first} {v1} {v2}");
    for pair in [["ndcg", "ndcg.v1"], ["ndcg", "ndcg.v2"], ["ndcg.v1", "ndcg.v2"]] {
        assert_eq!(study.cell("conflicts", &pair, "conflicts"), "0");
    }
    assert_eq!(significant("ap"), significant("ap.v1"));
    assert_eq!(study.cell("agreement", &["ndcg", "ndcg.v1"], "same order"), "yes");
    let spread = |measure: &str| study.number("queries-needed", &[measure], "median sd");
    assert_eq!((spread("ndcg.v2@10") / spread("ndcg@10")).round(), 2.0);
    page.says(&format!(
        "studentised bootstrap and max-T over {} pairs. Under nDCG@10, V1 and V2, the same {first} pairs are significant, so there are no \
         conflicts. Under AP@10 and its V1, {} pairs are significant, and under its V2, {} pairs. V1 orders the rankers exactly as nDCG does; \
         the order under V2 has tau {} with it. By the spread on these 784 queries, {} queries are needed to find a difference of .01 in \
         nDCG@10. For V2 of nDCG@10, {} queries are needed, because differences of V2 spread twice as wide.",
        study.count("power", &["ndcg"], "comparisons"),
        significant("ap"),
        significant("ap.v2"),
        study.share("tau", &["ndcg"], "ndcg.v2", 3),
        study.count("queries-needed", &["ndcg@10"], "for 0.01"),
        study.count("queries-needed", &["ndcg.v2@10"], "for 0.01"),
    ));
}

/// Checks the shares of rules on MQ2008. The page leaves out the rules without an effect.
#[test]
fn why_two_dialects_differ() {
    let Some(data) = real_data() else { return };
    let (folder, page) = (directory(&[]), Page::read("how-to/find-why-two-programs-differ.md"));
    let path = |name: &str| data.join(name).display().to_string();
    let (queries, scores) = (path("mq2008/S5.txt"), path("mq2008-systems/RankBoost/Fold1.score"));
    let arguments = ["diff", "letor4", "trec_eval", "--data", &queries, "--scores", &scores];
    let output = fivefold(folder.path()).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "they differ: {}", String::from_utf8_lossy(&output.stderr));
    let shown = String::from_utf8(output.stdout).unwrap();
    let of_ndcg: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    let of_ndcg: Vec<&Vec<&str>> = of_ndcg.iter().filter(|words| words.first() == Some(&"ndcg@10")).collect();
    let [one, other] = [1, 2].map(|side: usize| of_ndcg[0][side].trim_start_matches('0'));
    assert!(shown.contains("\n156 queries"), "{shown}");
    page.says(&format!("(156 queries): the means of nDCG@10 are {one} and {other}"));
    let head = shown.lines().find(|line| line.starts_with("measure  rule")).unwrap();
    let rules = |names: &[&str]| {
        of_ndcg.iter().filter(|words| names.contains(&words[1])).map(|words| words.join(" ")).collect::<Vec<_>>()
    };
    page.says(&format!("```text {head} {} ```", rules(&["gain", "discount", "ties", "short_list"]).join(" ")));
    let without_effect = ["ndcg@10 fold_mean folds queries 0 0.000000", "ndcg@10 scores f64 f32 0 0.000000"];
    assert_eq!(rules(&["fold_mean", "scores"]), without_effect);
    // The first query that differs.
    let query = of_ndcg.iter().map(|words| words[1]).find(|word| word.parse::<u32>().is_ok()).unwrap();
    page.says(&format!("scores.txt --query {query} --measure ndcg@10 --dialect letor4"));
}

/// Checks the counts of `lint` for feature vectors that are in several parts.
#[test]
fn identical_vectors_of_real_collections() {
    let Some(data) = real_data() else { return };
    let (folder, page) = (directory(&[]), Page::read("explanation/findings/leak-guards.md"));
    let lint = |name: &str| {
        let output = fivefold(folder.path()).arg("lint").arg(data.join(name)).output().unwrap();
        joined(&String::from_utf8(output.stdout).unwrap())
    };
    // The least and the highest share of a test part, over the folds.
    let range = |shown: &str| {
        let told =
            shown.split("identical-vectors: vectors of the test part").nth(1).unwrap_or_else(|| panic!("{shown}"));
        let shares = told.split(" (").filter_map(|part| part.split_once(" %)")?.0.parse::<f64>().ok());
        let (least, most) = shares.fold((100.0_f64, 0.0_f64), |(low, high), share| (low.min(share), high.max(share)));
        let digits = |share: f64| format!("{share:.1}").trim_start_matches('0').to_owned();
        format!("{} to {} %", digits(least), digits(most))
    };
    let [clueweb09, mq2007, mq2008] = ["clueweb09", "mq2007-agg", "mq2008-agg"].map(lint);
    page.says(&format!(
        "The share of such vectors in a test part is {} on ClueWeb09, {} on MQ2007-agg, and {} on MQ2008-agg, which stops \
         a run",
        range(&clueweb09),
        range(&mq2007),
        range(&mq2008)
    ));
    let ends = ["(warning)", "(warning)", "(would stop a run)"];
    assert!([&clueweb09, &mq2007, &mq2008].iter().zip(ends).all(|(shown, end)| shown.contains(end)));
    for collection in ["mq2008", "ohsumed", "mslr-sample"] {
        assert!(!lint(collection).contains("identical-vectors"), "{collection}");
    }
    page.says("MQ2008, OHSUMED and the MSLR sample have no shared vector.");
    assert!(clueweb09.contains("Between parts: 73 documents have") && clueweb09.contains("; 3 vectors are in"));
    Page::read("reference/lint.md").says(
        "ClueWeb09 has 73 such documents, with three different vectors; MQ2007-agg has 4,583 such documents, 968 of them \
         without any value.",
    );
    assert!(
        mq2007.contains("Between parts: 4583 documents have") && mq2007.contains("(968 of them without any value)")
    );
}

/// The output of `reproduce` for a run beside the paper.
struct BesideThePaper {
    /// The table of the page: for each kind of conclusion, how many hold, how many do not, and how
    /// many cannot be told.
    summed: String,
    /// The notes, which say which run and paper are compared.
    notes: String,
    conclusions: Vec<Vec<String>>,
}

impl BesideThePaper {
    fn of(folder: &Path, data: &Path, run: &str) -> Self {
        let shown = stdout_with_data(folder, data, &["reproduce", run, "--map", "MQ2008=mq2007", "--format", "csv"]);
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).flexible(true).from_reader(shown.as_bytes());
        let row = |record: csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
        let rows = reader.records().map(|record| row(record.unwrap()));
        let (all, conclusions): (Vec<_>, Vec<_>) = rows.partition(|row| row.len() == 4);
        assert_eq!(all.len(), 5, "{shown}");
        let summed = all.iter().map(|row| format!("| {} | ", row.join(" | "))).collect::<String>();
        let head = "| conclusion | holds | does not | cannot tell | |---|---|---|---|";
        let notes = shown.lines().filter(|line| line.starts_with('#')).collect::<Vec<_>>().join("\n");
        BesideThePaper { summed: format!("{head} {summed}"), notes, conclusions }
    }

    /// The figure of the paper and the figure of the run.
    #[track_caller]
    fn figures(&self, conclusion: &str, measure: &str, queries: &str) -> [&str; 2] {
        let row = self.conclusions.iter().find(|row| row[0] == conclusion && row[2] == measure && row[3] == queries);
        let row = row.unwrap_or_else(|| panic!("{conclusion}, {measure}, {queries}"));
        [&row[4], &row[5]]
    }

    /// The numbers of significant pairs on uninformative queries, under the original and the UE
    /// version: first of the paper, then of the run.
    #[track_caller]
    fn pairs(&self, measure: &str) -> [[u32; 2]; 2] {
        let sides = |cell: &str| cell.split_once(" → ").map(|(from, to)| [from, to].map(|side| side.parse().unwrap()));
        self.figures("more significant pairs", measure, "uninformative").map(|cell| sides(cell).unwrap())
    }
}

#[test]
fn eight_rankers_beside_the_paper() {
    let Some(data) = real_data() else { return };
    let (folder, page) = (directory(&[]), Page::read("explanation/findings/paper-on-mq2008.md"));
    let found = BesideThePaper::of(folder.path(), &data, "mq2008-systems");
    page.says(&format!("(AdaRank, ListNet, RankBoost, RankNet): {}", found.summed));
    assert!(found.notes.contains("methods of the paper that the run has not: CA, L2LR, LMART, RF"), "{}", found.notes);
    let (ours, theirs) = found.figures("same winner", "ndcg.v2", "all")[1].split_once("; ").unwrap();
    let mean = |of: &str, name: &str| of.strip_prefix(name).unwrap().trim().trim_start_matches('0').to_owned();
    page.says(&format!(
        "Under `ndcg.v2`, AdaRank ({}) is ahead of RankBoost ({}), but this difference means nothing.",
        mean(ours, "ARank"),
        mean(theirs, "RBoost")
    ));
    for (measures, tau) in [(&["ndcg", "ndcg.v1"][..], "tau 1.000"), (&["ap", "ap.v1", "ap.v2"], "tau 0.000")] {
        for measure in measures {
            assert!(found.figures("same order", measure, "all")[1].starts_with(tau), "{measure}");
        }
    }
    let [[printed, their_v1], [original, our_v1]] = found.pairs("ndcg.v1");
    let [[_, their_v2], [_, our_v2]] = found.pairs("ndcg.v2");
    page.says(&format!(
        "{original} under the original, {our_v1} under V1, {our_v2} under V2 (printed for MQ2007: {printed}, {their_v1}, {their_v2})"
    ));
    let [_, [original, v2]] = found.pairs("ap.v2");
    assert_eq!(v2 - original, 1, "by one pair");
    let pad = found.figures("PAD goes up", "ndcg.v2", "uninformative")[1].split_once(" → ").unwrap().1;
    page.says(&format!("gives a number without meaning ({:.0} %)", pad.parse::<f64>().unwrap()));
}

/// Checks the page against a results folder of `mq2008`, which takes seconds to make.
pub fn thirteen_rankers_beside_the_paper(folder: &Path, data: &Path) {
    let (page, found) =
        (Page::read("explanation/findings/paper-on-mq2008.md"), BesideThePaper::of(folder, data, "runs/mq2008"));
    page.says(&format!("the thirteen, known by label or kind: {}", found.summed));
    for measure in ["ndcg", "ndcg.v1", "ndcg.v2", "ap", "ap.v1", "ap.v2"] {
        assert!(found.figures("same winner", measure, "all")[1].starts_with("L2LR "), "{measure}");
    }
    let means = found.figures("same winner", "ndcg", "all")[1].replace("L2LR 0", "").replace("; RF 0", " and ");
    page.says(&format!("the paper's winner ({means} under nDCG, "));
    for (measure, tau) in [("ndcg", ".143"), ("ap", ".357")] {
        assert!(found.figures("same order", measure, "all")[1].starts_with(&format!("tau 0{tau}, ")), "{measure}");
    }
    page.says("tau is .143 to .357, and 14 % of all orders reach a tau of .357 or more.");
    assert!(found.figures("same order", "ap", "all")[1].ends_with("chance 0.1375"));
    let pairs = |measure: &str| {
        let [original, version] = found.pairs(measure)[1];
        format!("{version} against {original}")
    };
    page.says(&format!(
        "V2 finds more significant pairs than the original measure (nDCG: {}, AP: {}). V1 does not (nDCG: {}, AP: {}).",
        pairs("ndcg.v2"),
        pairs("ap.v2"),
        pairs("ndcg.v1"),
        pairs("ap.v1")
    ));
}

/// The README shows lines of what the run of the published systems on MQ2008 prints, in their order.
#[test]
fn the_readme_shows_what_a_run_prints() {
    let Some(data) = real_data() else { return };
    let shown = stdout_with_data(directory(&[]).path(), &data, &["run", "mq2008-systems"]);
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let block = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let mut lines = shown.lines().map(str::trim_end);
    let kept: Vec<&str> = block.lines().filter(|line| *line != "...").collect();
    assert!(kept.len() >= 8, "{block}");
    for line in kept {
        assert!(
            lines.any(|own| own == line),
            "the run does not print this line of README.md, or not here: {line}\n{shown}"
        );
    }
}
