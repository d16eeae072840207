//! Tests `report.html` in a real browser: the console shows no error, the page sends no request to
//! a network, sorting and filtering work, and the figures exist.
//!
//! Without Chromium, the tests print that they are skipped; if `CI` is set, they fail.
//! `FIVEFOLD_SCREENSHOTS=folder` keeps pictures of the page at two widths and in both colour
//! schemes, for a person to look at.

mod accessible;
mod driver;
mod playground;

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Made, copy_of, stdout, write};
use driver::Browser;

/// An experiment with labels that would be markup without escaping. The ids of its queries would
/// end a script.
const HOSTILE: &str = r#"
name = "small <b>run</b>"
seed = 3

[[dataset]]
label = "data <script>alert(1)<!-- script>"
path = "data.txt"
layout = "one-file"

[[ranker]]
label = "A <img src=x onerror=alert(1)>"
kind = "random"

[[ranker]]
label = "Ridge"
kind = "linear"

[[ranker]]
label = "L2LR"
kind = "l2-logistic"

[evaluation]
cutoffs = [5, 10]

[query_sets]
uninformative = 8
ideal = 8
"#;

fn report() -> tempfile::TempDir {
    static MADE: Made = Made::new();
    copy_of(&MADE, make_report)
}

fn make_report(at: &Path) {
    let mut lines = String::new();
    for query in 0..40u32 {
        for document in 0..8u32 {
            let grade = (query * 7 + document * document * 3) % 5 % 3;
            let (one, two) = ((query + document * 13) % 11, grade * 2 + document % 3);
            let id = if query == 7 { "</script><i>7".to_owned() } else { format!("q{query}") };
            // The third feature makes all feature vectors differ.
            lines += &format!("{grade} qid:{id} 1:{one} 2:{two} 3:{}\n", query * 8 + document);
        }
    }
    write(at, &[("small.toml", HOSTILE), ("data.txt", &lines)]);
    stdout(at, "run small.toml --out run");
}

#[test]
fn the_page_works_in_a_browser_and_asks_no_network() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = report();
    let page = folder.path().join("run/report.html");
    browser.open(&page);
    assert_eq!(browser.complaints(), Vec::<String>::new());

    // Nothing of the data became markup.
    assert_eq!(browser.value("document.querySelectorAll('main img, header b, main i').length"), 0);
    assert_eq!(browser.value("document.querySelector('h1').textContent"), "small <b>run</b>");
    // Nothing but the first screen is open.
    assert_eq!(browser.value("document.querySelectorAll('details.fold[open]').length"), 0);
    browser.unfold();

    // All sections, tables and figures exist, and every figure has a size.
    let tables = std::fs::read_dir(folder.path().join("run/tables")).unwrap().count() / 3;
    assert_eq!(browser.value("document.querySelectorAll('#tables details').length"), tables);
    let figures = std::fs::read_dir(folder.path().join("run/figures")).unwrap().count() / 2;
    assert!(figures > 0);
    assert_eq!(browser.value("document.querySelectorAll('#figures svg').length"), figures);
    let sizes = "[...document.querySelectorAll('#figures svg')].every(s => s.getBoundingClientRect().height > 100)";
    assert_eq!(browser.value(sizes), true);

    // A click on a head sorts the column, first falling and then rising. Cells without a number
    // stay last.
    let sorted = |direction: &str| {
        format!(
            "(() => {{ const table = document.querySelector('#scores table'); const head = table.tHead.rows[0].cells[2];
               head.querySelector('button').click();
               const values = [...table.tBodies[0].rows].map(row => Number(row.cells[2].dataset.v));
               return head.getAttribute('aria-sort') === '{direction}' && values.length === 3
                 && values.every((v, i) => i === 0 || ('{direction}' === 'descending' ? v <= values[i - 1] : v >= values[i - 1]));
            }})()"
        )
    };
    assert_eq!(browser.value(&sorted("descending")), true);
    assert_eq!(browser.value(&sorted("ascending")), true);

    // The list of queries shows all queries. It can be searched by a part of an id, filtered,
    // sorted, and shown under another measure.
    let rows = "document.querySelectorAll('#drill-table tbody tr').length";
    assert_eq!(browser.value(rows), 40);
    let find = |text: &str| {
        format!(
            "(() => {{ const find = document.getElementById('drill-find'); find.value = '{text}';
               find.dispatchEvent(new Event('input')); return {rows}; }})()"
        )
    };
    assert_eq!(browser.value(&find("Q3")), 11);
    assert_eq!(browser.value(&find("script><i>7")), 1);
    assert_eq!(browser.value(&find("no such query")), 0);
    assert_eq!(browser.value(&find("")), 40);
    let fewest = "(() => { const least = document.getElementById('drill-least'); least.value = '4';
        least.dispatchEvent(new Event('input'));
        return [...document.querySelectorAll('#drill-table tbody tr')].map(row => Number(row.cells[3].textContent)); })()";
    let relevant = browser.value(fewest);
    let relevant = relevant.as_array().unwrap();
    assert!(relevant.len() < 40 && !relevant.is_empty() && relevant.iter().all(|n| n.as_u64().unwrap() >= 4));
    let by_expected = "(() => { document.querySelector('#drill-table thead tr').cells[5].querySelector('button').click();
        return [...document.querySelectorAll('#drill-table tbody tr')].map(row => Number(row.cells[5].textContent)); })()";
    let expected = browser.value(by_expected);
    let expected: Vec<f64> = expected.as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    assert!(expected.len() > 2 && expected.is_sorted_by(|a, b| a >= b), "{expected:?}");
    let measures = "document.getElementById('drill-measure').options.length";
    assert_eq!(browser.value(measures), 6);
    // The classes are the query sets of the tables. Each has eight queries, also if a query has no
    // value.
    let class = |name: &str| {
        format!(
            "(() => {{ document.getElementById('drill-least').value = '0'; const select = document.getElementById('drill-class');
               select.value = [...select.options].findIndex(option => option.text === '{name}');
               select.dispatchEvent(new Event('change')); return {rows}; }})()"
        )
    };
    let sizes = ["uninformative", "ideal"].map(|name| browser.value(&class(name)).as_u64().unwrap());
    assert_eq!(sizes, [8, 8]);
    let power =
        std::fs::read_to_string(folder.path().join("run/tables/table-09-ndcg-discriminative-power.csv")).unwrap();
    assert!(power.contains("uninformative: 8 queries") && power.contains("ideal: 8 queries"), "{power}");

    // The explanation of the letters names the correction and the number of comparisons: 3 pairs at
    // 2 cutoffs.
    let text = |selector: &str| format!("document.querySelector('{selector}').textContent");
    let scores = browser.value(&text("#scores"));
    let scores = scores.as_str().unwrap();
    assert!(
        scores.contains("after Holm's correction") && scores.contains("6 comparisons: 3 pairs of methods at 2 cutoffs")
    );
    let bibtex = browser.value(&text("#bibtex"));
    assert!(bibtex.as_str().unwrap().contains("holm1979simple"));

    // The mean of a filtered list is the mean of the exact values, not of the rounded values on the
    // page. The test looks at Ridge, which is method 1.
    let shown = browser.value(
        "[[...document.querySelectorAll('#drill-table tbody tr')].map(row => row.cells[0].textContent),
          document.querySelector('#drill-table tfoot tr').cells[7].textContent,
          document.querySelector('#drill-table thead tr').cells[7].textContent]",
    );
    let queries: Vec<&str> = shown[0].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!((queries.len(), shown[2].as_str()), (8, Some("Ridge")));
    let values = std::fs::read_to_string(folder.path().join("run/per_query.csv")).unwrap();
    let mut lines = values.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let column = lines.next().unwrap().iter().position(|name| *name == "ndcg@10").unwrap();
    let own = lines.filter(|line| line[3] == "all" && line[4] == "Ridge" && queries.contains(&line[2]));
    let own: Vec<f64> =
        own.filter_map(|line| line[column].parse().ok()).filter(|value: &f64| !value.is_nan()).collect();
    assert!(own.len() > 2, "{own:?}");
    let mean = format!("{:.4}", own.iter().sum::<f64>() / own.len() as f64);
    assert_eq!(shown[1].as_str(), Some(mean.as_str()));
    browser.value(&class("all"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
    for width in [1400, 400] {
        for scheme in ["light", "dark"] {
            browser.picture("report", width, scheme);
        }
    }

    // A page that is so large that its values are rounded says how exact the mean of a selection
    // is, and prints no more digits.
    let rounded = std::fs::read_to_string(&page).unwrap().replace("\"digits\":4", "\"digits\":3");
    std::fs::create_dir(folder.path().join("rounded")).unwrap();
    std::fs::write(folder.path().join("rounded/report.html"), rounded).unwrap();
    browser.open(&folder.path().join("rounded/report.html"));
    let foot = "['0', '7'].map(cell => document.querySelector('#drill-table tfoot tr').cells[cell].textContent)";
    let whole = browser.value(foot);
    assert_eq!((whole[0].as_str(), whole[1].as_str().map(str::len)), (Some("mean of defined values"), Some(6)));
    browser.value(&class("ideal"));
    let some = browser.value(foot);
    let head = "mean of defined values; of rounded values, so to 3 digits";
    assert_eq!((some[0].as_str(), some[1].as_str().map(str::len)), (Some(head), Some(5)));
}

/// Makes a study of two measures, three systems and 60 queries with hostile names. One measure is a
/// UE version of the other. A file puts the queries into classes.
fn study() -> tempfile::TempDir {
    static MADE: Made = Made::new();
    copy_of(&MADE, make_study)
}

fn make_study(at: &Path) {
    let head = "query,A <img src=x onerror=alert(1)>,B,C\n";
    let (mut original, mut version) = (head.to_owned(), head.to_owned());
    let mut classes = "query,class\n".to_owned();
    for query in 0..60u32 {
        let id = if query == 7 { "</script><i>7".to_owned() } else { format!("q{query}") };
        let value = |system: u32| f64::from((query * 7 + system * 13) % 17 + 2 * (2 - system)) / 25.0;
        original += &format!("{id},{},{},{}\n", value(0), value(1), value(2));
        version += &format!("{id},{},{},{}\n", 2.0 * value(0) - 1.0, 2.0 * value(1) - 1.0, 2.0 * value(2) - 1.0);
        classes += &format!("{id},{}\n", if query % 3 == 0 { "short" } else { "long" });
    }
    // The query q0 is in both classes.
    classes += "q0,long\n";
    write(at, &[("ndcg.csv", &original), ("v2.csv", &version), ("classes.csv", &classes)]);
    let values = "compare ndcg@10=ndcg.csv ndcg.v2@10=v2.csv --classes classes.csv";
    let command = &format!("{values} --correction holm --draws 100 --trials 20 --out run");
    stdout(at, command);
}

/// The page of a study has the same parts as the page of a run. Written again from the folder, the
/// page is the same.
#[test]
fn the_page_of_a_study_works_too() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = study();
    browser.open(&folder.path().join("run/report.html"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
    assert_eq!(browser.value("document.querySelectorAll('main img, main i').length"), 0);
    browser.unfold();
    for section in ["findings-head", "differences", "means"] {
        assert_eq!(browser.value(&format!("document.querySelectorAll('#{section}').length")), 1, "{section}");
    }
    for section in ["summary", "scores", "pairs", "measures", "figures", "tables", "queries", "methods", "manifest"] {
        assert_eq!(browser.value(&format!("document.querySelectorAll('section#{section}').length")), 1, "{section}");
    }
    let text = |browser: &mut Browser, selector: &str| {
        browser.value(&format!("document.querySelector('{selector}').textContent")).as_str().unwrap().to_owned()
    };
    let summary = text(&mut browser, "#summary");
    assert!(
        summary.contains("Under ndcg@10, A <img") && summary.contains("significantly under every measure"),
        "{summary}"
    );
    // What the overview says is not said again.
    let overview = text(&mut browser, "#overview");
    assert!(overview.contains("after Holm's correction") && !summary.contains("after Holm's correction"), "{summary}");
    assert!(text(&mut browser, "#scores").contains("3 comparisons: 3 pairs of systems at 1 cutoff."));
    let methods = text(&mut browser, "#methods");
    assert!(methods.contains("halves of the queries") && methods.contains("seed 0"), "{methods}");
    assert!(
        methods.contains("An undefined value counts as zero; a query that a system lacks is an error."),
        "{methods}"
    );
    let bibtex = text(&mut browser, "#bibtex");
    assert!(
        ["holm1979simple", "student1908probable", "voorhees2002effect", "jarvelin2002cumulated", "feng2023joint"]
            .iter()
            .all(|key| bibtex.contains(key)),
        "{bibtex}"
    );
    assert!(text(&mut browser, "#manifest").contains("\"correction\": \"holm\""));
    assert!(text(&mut browser, "#figures").contains("Queries under ndcg@10 and ndcg.v2@10"));

    // The list of queries can be sorted, searched and filtered by class. Columns that values alone
    // cannot fill are absent.
    let rows = "document.querySelectorAll('#drill-table tbody tr').length";
    assert_eq!(browser.value(rows), 60);
    let heads = "[...document.querySelectorAll('#drill-table thead th')].map(head => head.textContent).join('|')";
    assert_eq!(browser.value(heads), "query|class|A <img src=x onerror=alert(1)>|B|C");
    let class = |name: &str| {
        format!(
            "(() => {{ const select = document.getElementById('drill-class');
               select.value = [...select.options].findIndex(option => option.text === '{name}');
               select.dispatchEvent(new Event('change')); return {rows}; }})()"
        )
    };
    let sizes = ["long", "none", "short"].map(|name| browser.value(&class(name)).as_u64().unwrap());
    assert_eq!(sizes, [41, 0, 20]);
    assert!(text(&mut browser, "#drill-table tbody").contains("q0short and long"));
    assert_eq!(browser.value("document.getElementById('drill-least').checkVisibility()"), false);
    let sorted = "(() => { document.querySelector('#drill-table thead tr').cells[2].querySelector('button').click();
        const values = [...document.querySelectorAll('#drill-table tbody tr')].map(row => Number(row.cells[2].textContent));
        return values.length === 20 && values.every((v, i) => i === 0 || v <= values[i - 1]); })()";
    assert_eq!(browser.value(sorted), true);
    assert_eq!(browser.complaints(), Vec::<String>::new());
    for width in [1400, 400] {
        for scheme in ["light", "dark"] {
            browser.picture("study", width, scheme);
        }
    }

    // The page is written again from the folder alone, then with a template of the user.
    std::fs::remove_file(folder.path().join("ndcg.csv")).unwrap();
    stdout(folder.path(), "report run --write again");
    for file in ["report.html", "tables.json", "figures/means-ndcg.svg"] {
        let read = |at: &str| std::fs::read(folder.path().join(at).join(file)).unwrap();
        assert!(read("run") == read("again"), "{file}");
    }
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    std::fs::write(folder.path().join("mine/report.css"), "h1 { color: rgb(1, 2, 3); }").unwrap();
    stdout(folder.path(), "report run --write again --templates mine");
    browser.open(&folder.path().join("again/report.html"));
    assert_eq!(browser.value("getComputedStyle(document.querySelector('h1')).color"), "rgb(1, 2, 3)");
}

#[test]
fn the_page_can_be_used_without_a_mouse_or_eyes() {
    let Some(mut browser) = Browser::start() else { return };
    for folder in [report(), study()] {
        usable(&mut browser, &folder.path().join("run/report.html"));
    }
}

fn usable(browser: &mut Browser, page: &Path) {
    browser.open(page);
    // Every table has a caption and heads with a scope, every control has a label, every figure has
    // a text, and ids are unique.
    for (what, expression) in [
        ("tables without caption", "document.querySelectorAll('table:not(:has(caption))').length"),
        ("heads without scope", "document.querySelectorAll('th:not([scope])').length"),
        ("heads without text", "[...document.querySelectorAll('th')].filter(e => !e.textContent.trim()).length"),
        (
            "regions of the same name",
            "(() => { const names = [...document.querySelectorAll('[role=region], section')].map(e => e.ariaLabel ??
               document.getElementById(e.getAttribute('aria-labelledby')).textContent); return names.length - new Set(names).size; })()",
        ),
        (
            "rows of the figure without words",
            "[...document.querySelectorAll('.dots tbody tr')].filter(e => !e.querySelector('.hidden').textContent.trim()).length",
        ),
        (
            "controls without label",
            "[...document.querySelectorAll('input, select')].filter(e => !e.labels.length).length",
        ),
        ("figures without text", "[...document.querySelectorAll('[role=img]')].filter(e => !e.ariaLabel).length"),
        (
            "ids that stand twice",
            "(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id); return ids.length - new Set(ids).size; })()",
        ),
        (
            "links to nowhere",
            "[...document.querySelectorAll('nav a')].filter(a => !document.querySelector(a.getAttribute('href'))).length",
        ),
    ] {
        assert_eq!(browser.value(expression), 0, "{what}");
    }
    // On paper, the heads of tables stay, and the controls disappear.
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    let visible = |selector: &str| {
        format!("[...document.querySelectorAll('{selector}')].filter(e => e.checkVisibility()).length")
    };
    let heads = browser.value(&visible("#scores th button")).as_u64().unwrap();
    assert!(heads > 2, "{heads} heads");
    assert_eq!(browser.value(&visible("button.copy, nav, #queries")), 0);
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "" }));
    // Tab reaches the skip link first.
    let key = |kind: &str| json!({ "type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9 });
    browser.call("Input.dispatchKeyEvent", key("keyDown"));
    browser.call("Input.dispatchKeyEvent", key("keyUp"));
    assert_eq!(browser.value("document.activeElement.className"), "skip");
    assert_eq!(browser.value("document.documentElement.lang"), "en");
}

/// Eight methods on two data sets under six measures at five cutoffs: a run of the usual size.
fn usual() -> tempfile::TempDir {
    static MADE: Made = Made::new();
    copy_of(&MADE, make_usual)
}

fn make_usual(at: &Path) {
    let mut text = "name = 'usual'\nseed = 7\n[evaluation]\nmeasures = ['ndcg', 'ap']\ncutoffs = [5, 10, 15, 20, 30]\n\
                    versions = ['original', 'v1', 'v2']\n[query_sets]\nuninformative = 5\nideal = 5\n"
        .to_owned();
    for (label, shape) in [("made-MSLR", "mslr-web30k"), ("made-MQ2007", "mq2007")] {
        text += &format!("[[dataset]]\nlabel = '{label}'\nsynthetic = {{ shape = '{shape}', queries = 40 }}\n");
    }
    for (feature, label) in
        ["AdaRank", "ListNet", "RankBoost", "RF", "RankNet", "CA", "L2LR", "LMART"].into_iter().enumerate()
    {
        let feature = feature * 3 + 1;
        text += &format!("[[ranker]]\nlabel = '{label}'\nkind = 'feature'\nparams = {{ feature = {feature} }}\n");
    }
    write(at, &[("usual.toml", &text)]);
    stdout(at, "run usual.toml --out run");
}

/// The lowest edge of what is seen first.
const LOWEST: &str = "Math.max(...[...document.querySelectorAll('#overview ul, .dots, .means, #differences .key')]
    .filter(e => e.checkVisibility() && !e.closest('details')).map(e => e.getBoundingClientRect().bottom + scrollY))";
/// The visible texts that are smaller than 11 pixels. Text of a drawing is as large as the drawing is scaled.
const SMALL: &str = "(() => { const small = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const own = walk.currentNode.parentElement;
      if (!walk.currentNode.textContent.trim() || !own.checkVisibility() || own.closest('.hidden, script, style')) continue;
      const svg = own.closest('svg');
      const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
      if (parseFloat(getComputedStyle(own).fontSize) * scale < 11) small.push(own.outerHTML.slice(0, 90));
    } return small; })()";
/// The regions whose content is wider than they are.
const CUT: &str = "[...document.querySelectorAll('#means .scroll, #scores .scroll')]
    .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth).map(e => `${e.ariaLabel} ${e.scrollWidth} > ${e.clientWidth}`)";

#[test]
fn findings_figure_and_matrix_are_seen_first() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = usual();
    browser.resize([1280, 900], "", "light");
    browser.open(&folder.path().join("run/report.html"));
    let count = |selector: &str| format!("document.querySelectorAll('{selector}').length");
    assert_eq!(browser.value(&count(".measure:not([hidden]) .dots")), 2);
    assert_eq!((browser.value(&count(".means")), browser.value(&count(".means tbody td"))), (json!(2), json!(96)));
    assert!(browser.value(&count("#overview li")).as_u64().unwrap() >= 3);
    let lowest = browser.value(LOWEST).as_f64().unwrap();
    assert!(lowest <= 900.0, "{lowest}");
    // Data sets stand side by side.
    let tops = "(() => { const tops = [...document.querySelectorAll('.means')].map(e => e.getBoundingClientRect().top);
        return tops[0] === tops[1]; })()";
    assert_eq!(browser.value(tops), true);
    for width in [1280, 420] {
        for scheme in ["light", "dark"] {
            browser.picture("usual", width, scheme);
        }
    }
    browser.resize([1280, 900], "", "light");
    browser.unfold();
    assert_eq!(browser.value(CUT), json!([]));

    // On paper, A4 less 12 mm at each edge.
    browser.open(&folder.path().join("run/report.html"));
    browser.resize([703, 1031], "print", "light");
    let lowest = browser.value(LOWEST).as_f64().unwrap();
    assert!(lowest <= 1031.0, "{lowest}");
    let begins = "getComputedStyle(document.querySelector('.overview + .fold')).breakBefore";
    assert_eq!(browser.value(begins), "page");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_narrow_screen_keeps_names_sizes_and_all_columns() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = usual();
    browser.open(&folder.path().join("run/report.html"));
    browser.resize([420, 900], "", "light");
    // The page itself is not scrolled sideways.
    assert_eq!(browser.value("document.documentElement.scrollWidth > document.documentElement.clientWidth"), false);
    // Short heads and no noughts: six measures need no scroll.
    assert_eq!(browser.value(CUT), json!([]));
    browser.unfold();
    assert_eq!(browser.value(SMALL), json!([]));
    // Where a matrix is scrolled its methods stay.
    browser.resize([300, 900], "", "light");
    let stays = "(() => { const region = document.querySelector('#means .scroll'); region.scrollLeft = 1000;
        const left = region.querySelector('tbody th').getBoundingClientRect().left;
        return region.scrollLeft > 0 && Math.abs(left - region.getBoundingClientRect().left) < 1; })()";
    assert_eq!(browser.value(stays), true);
}

/// WCAG asks for a contrast of 4.5 of text, of 3 of marks.
#[test]
fn the_first_screen_can_be_read_in_both_colour_schemes() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = usual();
    browser.open(&folder.path().join("run/report.html"));
    let contrast = "(() => {
        const light = (colour) => { const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map(Number)
          .map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const ratio = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y); return (high + 0.05) / (low + 0.05); };
        const style = (selector) => getComputedStyle(document.querySelector(selector));
        const paper = style('body').backgroundColor;
        return [paper, ratio(style('.means .best').color, style('.means .best').backgroundColor),
          ratio(style('.overview li').color, paper), ratio(style('.overview .key').color, paper),
          ratio(style('.dot.best').backgroundColor, paper), ratio(style('.line').backgroundColor, paper)]; })()";
    for (scheme, paper) in [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 24, 28)")] {
        browser.resize([1280, 900], "", scheme);
        let found = browser.value(contrast);
        let found = found.as_array().unwrap();
        assert_eq!(found[0], paper);
        assert!(found[1..].iter().all(|ratio| ratio.as_f64().unwrap() >= 4.5), "{scheme} {found:?}");
    }
}

#[test]
fn the_figure_has_a_choice_and_the_matrix_can_be_copied() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = usual();
    let page = folder.path().join("run/report.html");
    browser.open(&page);
    let shown = "[...document.querySelectorAll('.measure')].filter(e => e.checkVisibility()).map(e => e.querySelector('.key').textContent.split(':')[0])";
    assert_eq!(browser.value(shown), json!(["ndcg@10"]));
    let choose = "(() => { const select = document.getElementById('figure-measure'); select.value = 'ap.v2@10';
        select.dispatchEvent(new Event('change')); return select.options.length; })()";
    assert_eq!(browser.value(choose), 7);
    assert_eq!(browser.value(shown), json!(["ap.v2@10"]));
    let all = browser.value(&choose.replace("ap.v2@10", "all, side by side"));
    assert_eq!((all, browser.value(shown).as_array().map(Vec::len)), (json!(7), Some(6)));
    let beside =
        "new Set([...document.querySelectorAll('.measure')].map(e => e.getBoundingClientRect().left)).size > 1";
    assert_eq!(browser.value(beside), true);
    assert_eq!(browser.value("document.documentElement.scrollWidth <= innerWidth"), true);
    // What can be copied is the matrix itself, from the first mean to the last.
    let matrix = "[...document.querySelectorAll('.means tbody td')].map(e => [...e.childNodes]
        .filter(part => part.className !== 'sign').map(part => part.textContent).join('').replace('−', '-'))";
    let means = browser.value(matrix);
    let means: Vec<&str> = means.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(means.len(), 96);
    for form in ["latex", "markdown"] {
        let text = browser.value(&format!("document.getElementById('copy-{form}').textContent"));
        let text = text.as_str().unwrap().replace("$-$", "-");
        let mut rest = text.as_str();
        for mean in &means {
            let at = rest.find(mean).unwrap_or_else(|| panic!("{form} lacks {mean} after\n{rest}"));
            rest = &rest[at + mean.len()..];
        }
        assert!(text.contains(if form == "latex" { "\\textbf{" } else { "**" }), "{text}");
    }
    assert!(browser.value("document.getElementById('copy-csv').textContent").as_str().unwrap().contains(",best,"));

    // A link of the navigation opens its part.
    let visible = "document.querySelector('#pairs table').checkVisibility()";
    assert_eq!(browser.value(visible), false);
    browser.value("document.querySelector('nav a[href=\"#pairs\"]').click()");
    assert_eq!(browser.value(visible), true);

    // Without scripts the first measure shows, and nothing that only scripts can do.
    browser.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    browser.open(&page);
    assert_eq!(browser.value(shown), json!(["ndcg@10"]));
    let idle =
        "[...document.querySelectorAll('#overview select, #overview button')].filter(e => e.checkVisibility()).length";
    assert_eq!(browser.value(idle), 0);
}
