//! Tests pages with axe-core, the engine of rules that audits of accessibility use (WCAG and best
//! practice). tests/requirements-axe.txt has the package that holds its script.

use std::path::Path;
use std::process::Command;

use super::driver::Browser;
use super::{study, usual};
use crate::harness::{directory, python, run};

/// The package of Python that holds the script.
const PACKAGE: &str = "axe_playwright_python";

/// The script, found by the Python of the tests.
pub(super) fn axe() -> Option<String> {
    let find = format!("import {PACKAGE} as found; print(found.__path__[0])");
    let output = Command::new(python(PACKAGE)?).args(["-c", &find]).output().unwrap();
    let folder = String::from_utf8(output.stdout).unwrap();
    Some(std::fs::read_to_string(Path::new(folder.trim()).join("axe.min.js")).unwrap())
}

/// The violations on a page, with every fold open: the rule, what it asks, and the first element.
const VIOLATIONS: &str = "axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations
    .map(rule => `${rule.id}: ${rule.help}: ${rule.nodes[0].html} (${rule.nodes.length})`))";

fn violations(browser: &mut Browser, page: &Path, axe: &str) -> Vec<String> {
    browser.open(page);
    violations_at_all_sizes(browser, axe)
}

/// The violations on the page that is open, at two widths and in both colour schemes.
pub(super) fn violations_at_all_sizes(browser: &mut Browser, axe: &str) -> Vec<String> {
    let mut found = Vec::new();
    browser.value(&format!("{axe}; 0"));
    browser.unfold();
    for width in [1280, 420] {
        for scheme in ["light", "dark"] {
            browser.resize([width, 900], "", scheme);
            let own = browser.value(VIOLATIONS);
            let own = own.as_array().unwrap().iter().filter_map(|rule| rule.as_str());
            found.extend(own.map(|rule| format!("{width} {scheme}: {rule}")));
        }
    }
    found
}

/// Two data sets, on which one of three methods fails.
fn failed() -> tempfile::TempDir {
    let mut text = "name = 'failed'\nseed = 7\n[evaluation]\nmeasures = ['ndcg']\ncutoffs = [5, 10]\n".to_owned();
    for shape in ["mslr-web30k", "mq2007"] {
        text += &format!("[[dataset]]\nlabel = '{shape}'\nsynthetic = {{ shape = '{shape}', queries = 10 }}\n");
    }
    for kind in ["linear", "random", "faulty"] {
        text += &format!("[[ranker]]\nkind = '{kind}'\n");
    }
    let folder = directory(&[("failed.toml", &text)]);
    assert_eq!(run(folder.path(), "run failed.toml --out run").status.code(), Some(1));
    folder
}

#[test]
fn no_rule_of_accessibility_is_violated() {
    let Some(axe) = axe() else { return };
    let Some(mut browser) = Browser::start() else { return };
    for folder in [usual(), study(), failed()] {
        let found = violations(&mut browser, &folder.path().join("run/report.html"), &axe);
        assert_eq!(found, Vec::<String>::new());
    }
    // The rules are at work: a text without contrast and a picture without a text are found.
    let bad = "<!doctype html><html lang=en><title>x</title><main><h1>x</h1><img src='data:,'>\
               <p style='color:#ccc;background:#fff'>pale</p></main></html>";
    let folder = directory(&[("report.html", bad)]);
    let found = violations(&mut browser, &folder.path().join("report.html"), &axe).join("\n");
    assert!(found.contains("420 dark: color-contrast") && found.contains("1280 light: image-alt"), "{found}");
}
