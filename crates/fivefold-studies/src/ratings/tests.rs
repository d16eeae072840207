use fivefold_analysis::Cell;

use crate::{Findings, StudyError, StudyFile, StudyOptions, run};

/// Three systems on four items. `ap` has expected values; people agree with `ap` on systems.
const VALUES: &str = "item,system,score,expected,upper\n\
    1,a,.9,.3,1\n1,b,.5,.3,1\n1,c,.1,.3,1\n2,a,.8,.5,1\n2,b,.6,.5,1\n2,c,.2,.5,1\n\
    3,a,.7,.1,1\n3,b,.9,.1,1\n3,c,.3,.1,1\n4,a,.5,.2,1\n4,b,.4,.2,1\n4,c,.3,.2,1\n";
const RATINGS: &str = "item,system,rater,fluency,content\n\
    1,a,x,5,1\n1,b,x,3,2\n1,c,x,1,3\n2,a,x,4,2\n2,b,x,4,2\n2,c,x,2,2\n3,a,x,5,\n3,b,x,4,1\n3,c,x,1,4\n\
    1,a,y,5,2\n1,b,y,4,2\n1,c,y,1,3\n9,a,y,1,1\n9,z,y,2,2\n";
const STUDY: &str = "name = \"s\"\nkind = \"ratings\"\ndraws = 50\n[systems]\nvalues = [\"ap.csv\"]\n\
    [ratings]\nfiles = [\"ratings.csv\"]\n";

fn found(files: &[(&str, &str)], text: &str, threads: usize) -> Result<Findings, StudyError> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let folders = vec![folder.path().to_owned()];
    run(&StudyFile::parse(text).unwrap(), &StudyOptions { folders, threads, ..StudyOptions::default() })
}

fn small(text: &str) -> Findings {
    found(&[("ap.csv", VALUES), ("ratings.csv", RATINGS)], text, 2).unwrap()
}

fn file<'f>(findings: &'f Findings, name: &str) -> &'f str {
    &findings.files.iter().find(|(own, _)| own == name).unwrap().1
}

/// By hand. Fluency, means over raters: item 1: 5, 3.5, 1; item 2: 4, 4, 2; item 3: 5, 4, 1. The
/// system means of ap over the three rated items are .8, .6667 and .2, those of fluency 4.6667,
/// 3.8333 and 1.3333: tau 1. Within items, tau-b is 1, 2 / sqrt(3 x 2) and 1/3.
#[test]
fn correlations_by_hand() {
    let findings = small(STUDY);
    let rows: Vec<&str> = file(&findings, "correlations.csv").lines().filter(|line| line.starts_with("ap,")).collect();
    assert!(rows.contains(&"ap,fluency,system,kendall,1,3,0"), "{rows:?}");
    let item: f64 = rows
        .iter()
        .find(|row| row.starts_with("ap,fluency,item,kendall,"))
        .unwrap()
        .split(',')
        .nth(4)
        .unwrap()
        .parse()
        .unwrap();
    assert!((item - (1.0 + 2.0 / 6.0f64.sqrt() + 1.0 / 3.0) / 3.0).abs() < 1e-12, "{item}");
    // All ratings of content are 2 on item 2, and one system has none on item 3.
    assert!(rows.iter().any(|row| row.starts_with("ap,content,item,kendall,") && row.ends_with(",2,1")), "{rows:?}");
    assert!(rows.iter().any(|row| row.starts_with("ap,content,pooled,pearson,") && row.ends_with(",8,0")), "{rows:?}");
    let left = findings.tables.iter().find(|table| table.id == "items-left-out").unwrap();
    assert_eq!(left.rows[0], [Cell::text("ap"), Cell::count(0), Cell::count(1)]);
}

/// E and U depend on the item alone, so the order within an item is that of the original.
#[test]
fn versions_change_nothing_within_items() {
    let findings = small(STUDY);
    let all = file(&findings, "differences.csv");
    for line in all.lines().filter(|line| line.contains(",item,kendall,") || line.contains(",item,spearman,")) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!((cells[1], cells[5], cells[6], cells[7], cells[9]), ("ap", "0", "0", "0", "1"), "{line}");
    }
    assert_eq!(all.lines().count(), 1 + 2 * 2 * 9);
    let table = findings.tables.iter().find(|table| table.id == "differences").unwrap();
    assert_eq!(table.rows.len(), 36);
    // `against` names the measure for all.
    let against = small(&STUDY.replace("draws = 50", "draws = 50\nagainst = \"ap.v2\"\nlevel = [\"system\"]"));
    let measures: Vec<&str> = file(&against, "differences.csv").lines().skip(1).map(|line| &line[..10]).collect();
    assert!(measures.iter().all(|start| start.contains(",ap.v2") || start.starts_with("ap.v1,ap.v")), "{measures:?}");
}

#[test]
fn counts_stand_in_the_notes() {
    let findings = small(STUDY);
    let notes = &findings.tables[0].notes;
    for note in [
        "1 system of the ratings has no values",
        "1 item of the ratings has no values",
        "1 item of the values has no ratings",
        "1 rating is missing in the files",
        "1 pair of system and item has no rating in content",
    ] {
        assert!(notes.iter().any(|own| own == note), "{note}\n{notes:#?}");
    }
    let raters = findings.tables.iter().find(|table| table.id == "raters").unwrap();
    assert_eq!(raters.rows[0][..3], [Cell::text("fluency"), Cell::count(2), Cell::count(14)]);
}

/// People prefer c to a under content; ap prefers a to c.
#[test]
fn pairs_against_people_are_named() {
    let findings = small(STUDY);
    let pairs = file(&findings, "pairs.csv");
    assert!(pairs.lines().any(|line| line.starts_with("ap,content,c,a,")), "{pairs}");
    assert!(!pairs.contains("ap,fluency,"), "{pairs}");
    let table = findings.tables.iter().find(|table| table.id == "pairs-against-people").unwrap();
    assert_eq!(
        table.rows[0],
        ["ap", "fluency"]
            .map(Cell::text)
            .into_iter()
            .chain([Cell::count(3), Cell::count(0), Cell::number(0.0, 3), Cell::count(0)])
            .collect::<Vec<_>>()
    );
}

/// By hand: preferences on item 1: a over c (agrees), on item 3: a over b (against: .7 < .9), on
/// item 2: c over b (against), a tie, and a pair of equal scores.
#[test]
fn preferences_by_hand() {
    let text = STUDY.replace("files = [\"ratings.csv\"]", "preferences = [\"p.csv\"]");
    let sides = "item,a,b,preferred\n1,a,c,a\n3,a,b,a\n2,b,c,c\n2,a,b,tie\n5,b,c,b\n4,x,c,x\n4,a,b,\n";
    let values = format!("{VALUES}5,a,.1,.2,1\n5,b,.2,.2,1\n5,c,.2,.2,1\n");
    let findings = found(&[("ap.csv", &values), ("p.csv", sides)], &text, 1).unwrap();
    let rows = file(&findings, "preferences.csv");
    // System level: a over c, and a over b by one preference; b and c have one preference each.
    assert!(rows.contains("\nap,item,0.25,1,2,1,1\n") && rows.contains("\nap,system,1,2,0,0,1\n"), "{rows}");
    let notes = &findings.tables[0].notes;
    assert!(notes.iter().any(|note| note == "1 preference is about items or systems without values"), "{notes:?}");
    assert!(notes.iter().any(|note| note == "1 preference is missing in the files"), "{notes:?}");
    assert_eq!(findings.tables.len(), 1);
}

#[test]
fn one_and_four_threads_find_the_same() {
    let of = |threads: usize| {
        let findings = found(&[("ap.csv", VALUES), ("ratings.csv", RATINGS)], STUDY, threads).unwrap();
        (findings.tables, findings.charts, findings.files, findings.page)
    };
    assert_eq!(of(1), of(4));
}

#[test]
fn what_does_not_fit_is_refused() {
    let says = |files: &[(&str, &str)], text: &str, words: &str| {
        let error = found(files, text, 1).unwrap_err().to_string();
        assert!(error.contains(words), "{words}\n{error}");
    };
    let other = "item,system,x\nq1,a,1\nq1,b,2\n";
    says(
        &[("ap.csv", VALUES), ("ratings.csv", other)],
        STUDY,
        "share 0 items, but at least 1 must be shared: the ratings have `q1`, the values `1`",
    );
    let one = "item,system,x\n1,a,1\n1,B,2\n";
    says(&[("ap.csv", VALUES), ("ratings.csv", one)], STUDY, "share 1 system, but at least 2");
    let both = [("ap.csv", VALUES), ("ratings.csv", RATINGS)];
    says(
        &both,
        &STUDY.replace("[ratings]", "[ratings]\ndimensions = [\"fluncy\"]"),
        "no dimension `fluncy`; did you mean `fluency`?",
    );
    says(
        &both,
        &STUDY.replace("draws = 50", "against = \"app\""),
        "`against` names `app`, but no measure has this name; did you mean `ap`?",
    );
    let no_expected = "item,system,score\n1,a,.5\n1,b,.25\n2,a,.5\n2,b,.25\n";
    let v2 = STUDY.replace("draws = 50", "measures = [\"ap\", \"ap.v2\"]");
    says(
        &[("ap.csv", no_expected), ("ratings.csv", RATINGS)],
        &v2,
        "ap.csv has no column `expected` beside `score`; add the column",
    );
    says(&[("ap.csv", VALUES)], STUDY, "there is no ratings.csv");
    let sides = STUDY.replace("files = [\"ratings.csv\"]", "preferences = [\"p.csv\"]");
    says(
        &[("ap.csv", VALUES), ("p.csv", "item,a,b,preferred\n1,x,y,x\n")],
        &sides,
        "the first is about `1`, `x` and `y`; names must be equal",
    );
}

#[test]
fn a_mistake_names_its_key() {
    let fault = |from: &str, to: &str, words: &str| {
        let error = StudyFile::parse(&STUDY.replace(from, to)).map(|_| ()).unwrap_err();
        let told = format!("{error} {}", error.help.clone().unwrap_or_default());
        assert!(told.contains(words), "{words}\n{told}");
    };
    fault("draws = 50", "draws = 0", "`draws`");
    fault("draws = 50", "level = [\"sytem\"]", "did you mean \"system\"?");
    fault("draws = 50", "level = []", "`level` is empty; give at least one of: system, item, pooled");
    fault("draws = 50", "coefficients = [\"tau\"]", "unknown name \"tau\"");
    fault("draws = 50", "exchange = \"all\"", "possible here: both, items, systems");
    fault("draws = 50", "coefficients = [\"pearson\", \"pearson\"]", "has pearson twice");
    fault("files = [\"ratings.csv\"]", "group = \"expert\"", "names no file");
    fault("[ratings]", "[ratings]\ngroup = \"experts\"", "did you mean \"expert\"?");
    fault("files =", "file =", "file");
}
