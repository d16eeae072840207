//! Tests the licences of all packages that are built into the program or its tests. Each licence
//! must be in a list. `bertscore/`, a workspace of its own, compiles this file into its tests too.

use std::process::Command;

use serde_json::Value;

/// Licences of packages that may be built into a program under MIT or Apache-2.0. The only duty is
/// to name the package.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Splits an expression at a word, but not within parentheses.
fn parts(expression: &str, separator: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![Vec::new()]);
    for word in expression.split(' ') {
        if depth == 0 && word == separator {
            parts.push(Vec::new());
            continue;
        }
        depth += word.matches('(').count();
        depth -= word.matches(')').count();
        parts.last_mut().unwrap().push(word);
    }
    parts.into_iter().map(|words| words.join(" ")).collect()
}

/// Whether an SPDX expression allows a choice with allowed licences only.
fn is_allowed(expression: &str) -> bool {
    // `/` is an older spelling of OR, with or without blanks.
    let expression = expression.replace('/', " OR ").split_whitespace().collect::<Vec<_>>().join(" ");
    let (alternatives, together) = (parts(&expression, "OR"), parts(&expression, "AND"));
    match (alternatives.len(), together.len()) {
        (1, 1) => match expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            Some(inner) => is_allowed(inner),
            None => ALLOWED.contains(&expression.as_str()),
        },
        (1, _) => together.iter().all(|part| is_allowed(part)),
        _ => alternatives.iter().any(|part| is_allowed(part)),
    }
}

#[test]
fn expressions_by_hand() {
    for allowed in [
        "MIT",
        "MIT OR GPL-3.0",
        "MIT/Apache-2.0",
        "GPL-3.0 / MIT",
        "(MIT OR GPL-3.0) AND ISC",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_allowed(allowed), "{allowed}");
    }
    for refused in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND MPL-2.0", ""] {
        assert!(!is_allowed(refused), "{refused}");
    }
}

#[test]
fn every_package_has_a_licence_of_the_list() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{}", packages.len());
    let outside = packages.iter().filter(|package| !package["source"].is_null());
    let refused: Vec<String> = outside
        .filter(|package| !package["license"].as_str().is_some_and(is_allowed))
        .map(|package| format!("{} {}: {}", package["name"], package["version"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "licences that are not on the list: {refused:#?}");
}
