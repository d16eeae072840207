//! `reference/tests.md`: tests of significance and corrections.

use fivefold_stats::{CORRECTIONS, TESTS};

use crate::page::{code, escaped, head, same, sentence, table};

#[test]
fn tests_and_corrections() {
    let intro = "`test` and `correction` are keys of `[tables]` and of the studies `compare`, and options of `fivefold \
        compare`. [Significance](../explanation/significance.md) says which question a test answers.";
    let mut text = head("Tests and corrections", intro);
    text += "\n## Tests\n\nA family is all comparisons that are tested together.\n\n";
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let rows: Vec<Vec<String>> = TESTS
        .iter()
        .map(|test| {
            vec![format!("[{0}](#{0})", test.name), escaped(test.summary), yes(test.draws), yes(test.corrects_itself)]
        })
        .collect();
    text += &table(&["test", "what it is", "draws", "corrects itself"], &rows);
    for test in TESTS {
        text += &format!(
            "\n### {}\n\n{}\n\n- Name: {}\n- Source: {}\n",
            test.name,
            sentence(&escaped(test.summary)),
            escaped(test.title),
            escaped(test.source)
        );
    }
    text += "\n## Corrections\n\n";
    let rows: Vec<Vec<String>> = CORRECTIONS
        .iter()
        .map(|own| vec![code(own.name), escaped(own.title), escaped(own.summary), escaped(own.source)])
        .collect();
    text += &table(&["correction", "name", "what it does", "source"], &rows);
    text += "\n```toml,part\n[tables]\ntest = \"permutation\"\ncorrection = \"maxt\"\ndraws = 10000\n```\n";
    same("reference/tests.md", &text);
}
