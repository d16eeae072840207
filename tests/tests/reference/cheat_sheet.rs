//! The cheat sheet: each command, option, measure, test and key that it names exists.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use fivefold_results::config::sections;
use fivefold_stats::{CORRECTIONS, TESTS};
use fivefold_studies::STUDIES;

use crate::harness::{directory, json, run};
use crate::page::book;

/// The texts between `<code class="KIND">` and `</code>`.
fn named(page: &str, kind: &str) -> Vec<String> {
    let start = format!("<code class=\"{kind}\">");
    let texts = page.split(start.as_str()).skip(1).map(|rest| rest.split("</code>").next().unwrap());
    // Options stand in `<i>`, so that no line breaks within.
    let plain = texts.map(|text| {
        text.replace("<i>", "").replace("</i>", "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    });
    let found: Vec<String> = plain.collect();
    assert!(!found.is_empty(), "the sheet names no {kind}");
    found
}

#[test]
fn what_the_cheat_sheet_names_exists() {
    let page = fs::read_to_string(book().join("cheat-sheet/cheat-sheet.html")).unwrap();
    let at = directory(&[]);
    let whole = fivefold::command_line();
    for line in named(&page, "command") {
        for part in line.split('|').map(str::trim).filter_map(|part| part.strip_prefix("fivefold ")) {
            let name = part.split_whitespace().next().unwrap();
            let command = whole.find_subcommand(name).unwrap_or_else(|| panic!("no command `{name}`: {line}"));
            for option in
                part.split_whitespace().filter_map(|word| word.strip_prefix("--")).filter(|word| !word.is_empty())
            {
                let is_there = command.get_arguments().any(|own| {
                    own.get_long() == Some(option) || own.get_all_aliases().is_some_and(|all| all.contains(&option))
                });
                assert!(is_there, "`fivefold {name}` has no option --{option}: {line}");
            }
        }
    }
    for measure in named(&page, "measure") {
        let output = run(at.path(), &format!("measures {measure}"));
        assert!(output.status.success(), "{measure}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let all = json(at.path(), "dialects --json");
    let dialects: BTreeSet<&str> = all.as_array().unwrap().iter().map(|own| own["name"].as_str().unwrap()).collect();
    assert_eq!(named(&page, "dialect").iter().map(String::as_str).collect::<BTreeSet<_>>(), dialects);
    let rankers: BTreeSet<String> = fivefold::builtin().entries().iter().map(|entry| entry.name.to_owned()).collect();
    assert_eq!(named(&page, "ranker").into_iter().collect::<BTreeSet<_>>(), rankers);
    let tests: BTreeSet<String> = TESTS.iter().map(|test| test.name.to_owned()).collect();
    assert_eq!(named(&page, "test").into_iter().collect::<BTreeSet<_>>(), tests);
    let corrections: BTreeSet<String> = CORRECTIONS.iter().map(|own| own.name.to_owned()).collect();
    assert_eq!(named(&page, "correction").into_iter().collect::<BTreeSet<_>>(), corrections);
    let studies: BTreeSet<String> = STUDIES.iter().map(|study| study.kind.to_owned()).collect();
    assert_eq!(named(&page, "study").into_iter().collect::<BTreeSet<_>>(), studies);
    let keys: BTreeSet<&str> = sections().into_iter().flat_map(|(_, keys)| keys).collect();
    for key in named(&page, "key") {
        assert!(keys.contains(key.as_str()), "no key `{key}`");
    }
    // The sheet as it is printed is not older than its source.
    let printed = fs::read(book().join("pages/cheat-sheet.pdf")).unwrap();
    assert!(printed.starts_with(b"%PDF-"));
    let sheet = book().join("cheat-sheet");
    let noted = fs::read_to_string(sheet.join("printed")).unwrap();
    match Command::new("sha256sum").arg("cheat-sheet.html").current_dir(&sheet).output() {
        Err(_) if std::env::var_os("CI").is_none() => {}
        output => {
            let hash = String::from_utf8(output.unwrap().stdout).unwrap();
            assert!(hash.starts_with(noted.trim()), "docs/book/cheat-sheet/print makes the PDF anew");
        }
    }
}
