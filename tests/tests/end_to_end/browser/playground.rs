//! Tests the page of `fivefold playground` in a browser: its values are those of the program, to the
//! bit, documents move by keyboard and pointer, and the address holds the state.
//!
//! `FIVEFOLD_PLAYGROUND=file` tests another page, which `playground/build` has just made, in place of
//! the page that the program writes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fivefold_metrics::attribution::ScoredQuery;
use fivefold_metrics::{Assessment, Conventions, DIALECTS, Evaluator, MeasureSpec, Scratch, Seed, Ties, dialect};
use serde_json::{Value, json};

use super::accessible::{axe, violations_at_all_sizes};
use super::driver::Browser;
use crate::harness::{directory, has_long_proofs, stdout};

const MEASURES: [&str; 6] = ["ndcg", "ap", "err", "rbp", "p", "rr"];
const VERSIONS: [&str; 3] = ["original", "v1", "v2"];
const HIGHEST_GRADE: u8 = 4;
/// A thousand in long proofs.
const STATES: [u64; 2] = [100, 1000];
const MOST_DOCUMENTS: u64 = 12;

/// A browser with the page open, and the folder that holds the page.
fn opened(fragment: &str) -> Option<(Browser, tempfile::TempDir, PathBuf)> {
    let mut browser = Browser::start()?;
    let folder = directory(&[]);
    let page = folder.path().join("playground.html");
    stdout(folder.path(), "playground");
    if let Some(built) = std::env::var_os("FIVEFOLD_PLAYGROUND") {
        std::fs::copy(built, &page).unwrap();
    }
    open(&mut browser, &page, fragment);
    Some((browser, folder, page))
}

fn open(browser: &mut Browser, page: &std::path::Path, fragment: &str) {
    browser.open_at(page, fragment);
    let ready = "new Promise((done) => { const look = () => document.documentElement.dataset.ready
        ? done(true) : setTimeout(look, 20); look(); })";
    assert_eq!(browser.value(ready), true);
}

/// One state of the page.
struct State {
    /// The documents as a link has them.
    linked: Vec<(char, Option<u8>, f64)>,
    /// The documents as the page lists them, which is the order of the file where ties keep it.
    documents: Vec<(char, Option<u8>, f64)>,
    cutoff: Option<usize>,
    dialect: &'static str,
    measure: &'static str,
    version: &'static str,
}

impl State {
    /// Lists with ties, with scores that only 64 bits tell apart, with unjudged documents, and with
    /// nothing relevant.
    fn drawn(number: u64) -> Self {
        let mut rng = Seed::new(7).derive("playground").derive_index("state", number).rng();
        let count = 1 + rng.index(MOST_DOCUMENTS as usize);
        let (highest, unjudged, kind) = (rng.below(5), rng.below(3) == 0, rng.below(4));
        let mut documents: Vec<(char, Option<u8>, f64)> = Vec::new();
        for id in ('A'..='Z').take(count) {
            let grade = Some(rng.below(highest + 1) as u8).filter(|_| !(unjudged && rng.below(3) == 0));
            let score = match kind {
                0 => rng.below(4) as f64 / 10.0,
                1 => 0.1 + rng.below(3) as f64 * 1e-10,
                2 => rng.normal(),
                _ => rng.normal() * 1e9,
            };
            documents.push((id, grade, score));
        }
        // The qrels of the program hold no topic without judged documents.
        let first = rng.index(count);
        documents[first].1.get_or_insert(0);
        rng.shuffle(&mut documents);
        let linked = documents.clone();
        documents.sort_by(|one, other| other.2.total_cmp(&one.2));
        let cutoff = [Some(1), Some(3), Some(5), Some(10), None][rng.index(5)];
        let dialect = DIALECTS[rng.index(DIALECTS.len())].name;
        let (measure, version) = (MEASURES[rng.index(6)], VERSIONS[rng.index(3)]);
        State { linked, documents, cutoff, dialect, measure, version }
    }

    fn fragment(&self) -> String {
        let grade = |grade: Option<u8>| grade.map_or_else(|| "-".to_owned(), |grade| grade.to_string());
        let documents: Vec<String> =
            self.linked.iter().map(|&(id, own, score)| format!("{id},{},{score:?}", grade(own))).collect();
        let cutoff = self.cutoff.map_or_else(|| "all".to_owned(), |cutoff| cutoff.to_string());
        let State { dialect, measure, version, .. } = self;
        format!("#k={cutoff}&dialect={dialect}&measure={measure}&version={version}&docs={}", documents.join(";"))
    }

    /// A measure in a version, at the cutoff of the page.
    fn named(&self, measure: &str, version: &str) -> String {
        let version = if version == "original" { String::new() } else { format!(".{version}") };
        match (self.cutoff, measure) {
            (Some(cutoff), _) => format!("{measure}{version}@{cutoff}"),
            (None, "p") => format!("p{version}@{}", self.documents.len()),
            (None, _) => format!("{measure}{version}"),
        }
    }

    /// E, U and a value of a measure by the library of measures.
    fn native(&self, name: &str, conventions: &Conventions) -> [f64; 3] {
        let query = ScoredQuery {
            fold: 0,
            id: "1",
            assessments: self.documents.iter().map(|&(_, grade, _)| Assessment::from(grade)).collect(),
            doc_ids: None,
            scores: self.documents.iter().map(|&(_, _, score)| score).collect::<Vec<f64>>().into(),
            pool: Some(self.documents.iter().filter_map(|&(_, grade, _)| grade).collect()),
            missing: false,
        };
        let ids: Vec<String> = self.documents.iter().map(|(id, _, _)| id.to_string()).collect();
        let query = ScoredQuery { doc_ids: Some(ids.iter().map(String::as_str).collect()), ..query };
        let spec: MeasureSpec = name.parse().unwrap();
        let evaluator = Evaluator::new(&[spec], conventions, HIGHEST_GRADE, Seed::new(0)).unwrap();
        let judged = query.judge(&evaluator).unwrap();
        let mut value = [0.0];
        evaluator.evaluate(&judged, &query.scores, &mut Scratch::default(), &mut value).unwrap();
        let known = |bound: Option<f64>| bound.unwrap_or(f64::NAN);
        [known(evaluator.expected(&judged, 0)), known(evaluator.upper(&judged, 0)), value[0]]
    }
}

/// The program's values by dialect, measure and topic: the topic is the number of the state.
fn of_the_program(states: &[State]) -> BTreeMap<(String, String, usize), f64> {
    let (mut qrels, mut run) = (String::new(), String::new());
    for (topic, state) in states.iter().enumerate() {
        for (rank, &(id, grade, score)) in state.documents.iter().enumerate() {
            run += &format!("{topic} Q0 {id} {} {score:?} page\n", rank + 1);
            if let Some(grade) = grade {
                qrels += &format!("{topic} 0 {id} {grade}\n");
            }
        }
    }
    let folder = directory(&[("qrels.txt", &qrels), ("page.run", &run)]);
    let mut names: Vec<String> = Vec::new();
    for state in states {
        for measure in MEASURES {
            names.extend(VERSIONS.map(|version| state.named(measure, version)));
        }
    }
    names.sort();
    names.dedup();
    let mut found = BTreeMap::new();
    for dialect in DIALECTS.iter().map(|dialect| dialect.name) {
        let command = format!(
            "eval --qrels qrels.txt --runs page.run -q --format csv --max-grade {HIGHEST_GRADE} --dialect {dialect} -m {}",
            names.join(",")
        );
        let table = stdout(folder.path(), &command);
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(table.as_bytes());
        assert_eq!(reader.headers().unwrap().iter().take(3).collect::<Vec<_>>(), ["measure", "query", "page.run"]);
        for record in reader.records() {
            let record = record.unwrap();
            // The line of all topics has no number.
            if let Ok(topic) = record[1].parse::<usize>() {
                found.insert((dialect.to_owned(), record[0].to_owned(), topic), number(&record[2]));
            }
        }
        assert_eq!(found.keys().filter(|(own, _, _)| own == dialect).count(), names.len() * states.len(), "{dialect}");
    }
    found
}

/// The number of a cell; NaN if it is undefined.
fn number(text: &str) -> f64 {
    if text == "undefined" { f64::NAN } else { text.parse().unwrap() }
}

/// Shows each state, and reads all cells with a number.
const SHOW: &str = "((fragments) => fragments.map((fragment) => {
    playground.show(fragment);
    const cells = (id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) => [row.querySelector('th').innerText,
      ...[...row.querySelectorAll('[data-value]')].map((cell) => cell.dataset.value)]);
    return { values: cells('values'), ties: cells('ties'), dialects: cells('dialects') };
  }))";

#[test]
fn drawn_states_have_the_values_of_the_program_to_the_bit() {
    let Some((mut browser, _folder, _page)) = opened("") else { return };
    let states: Vec<State> = (0..STATES[usize::from(has_long_proofs())]).map(State::drawn).collect();
    let program = of_the_program(&states);
    let fragments: Vec<String> = states.iter().map(State::fragment).collect();
    let shown = browser.value(&format!("{SHOW}({})", json!(fragments)));
    let (mut compared, mut undefined) = (0, 0);
    for (topic, (state, shown)) in states.iter().zip(shown.as_array().unwrap()).enumerate() {
        let context = || format!("state {topic}: {}", state.fragment());
        let mut same = |cell: &Value, expected: f64, what: &str| {
            let own = number(cell.as_str().unwrap());
            let equal = own.to_bits() == expected.to_bits() || (own.is_nan() && expected.is_nan());
            let help = "if measures or dialects have changed on purpose, run playground/build";
            assert!(equal, "{what}: the page has {own:?}, not {expected:?}; {help}; {}", context());
            compared += 1;
            undefined += usize::from(own.is_nan());
        };
        let of_program = |dialect: &str, name: &str| program[&(dialect.to_owned(), name.to_owned(), topic)];
        let conventions = dialect(state.dialect).unwrap().conventions();
        for (row, measure) in MEASURES.iter().enumerate() {
            let cells = &shown["values"][row];
            for (at, version) in VERSIONS.iter().enumerate() {
                let name = state.named(measure, version);
                same(&cells[at + 1], of_program(state.dialect, &name), &name);
            }
            // A is what V2 was made of.
            let [e, u, v2] = state.native(&state.named(measure, "v2"), &conventions);
            same(&cells[5], e, "E");
            same(&cells[6], u, "U");
            let a = number(cells[4].as_str().unwrap());
            let from_a = if a >= e { (a - e) / (u - e) } else { (a - e) / e };
            assert!(v2.is_nan() || (v2 - from_a).abs() < 1e-9, "A = {a} of {measure}; {}", context());
        }
        let chosen = state.named(state.measure, state.version);
        for (row, word) in Ties::WORDS.iter().enumerate() {
            let ties: Ties = word.parse().unwrap();
            let [_, _, value] = state.native(&chosen, &Conventions { ties, ..conventions.clone() });
            assert!(shown["ties"][row][0].as_str().unwrap().starts_with(word));
            same(&shown["ties"][row][1], value, word);
        }
        for (row, own) in DIALECTS.iter().enumerate() {
            assert_eq!(shown["dialects"][row][0], own.name);
            same(&shown["dialects"][row][1], of_program(own.name, &chosen), own.name);
        }
    }
    // 30 values of measures, 6 rules for ties and all dialects; some are undefined, most are not.
    assert_eq!(compared, states.len() * (30 + Ties::WORDS.len() + DIALECTS.len()));
    assert!(undefined > compared / 50 && undefined < compared / 2, "{undefined} of {compared}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

const ORDER: &str = "[...document.querySelectorAll('#documents li')].map((row) => row.dataset.id).join('')";
const SCORES: &str = "[...document.querySelectorAll('#documents input')].map((input) => Number(input.value))";
const STATUS: &str = "document.getElementById('status').textContent";
const FOCUS: &str = "[document.activeElement.closest('li').dataset.id, document.activeElement.dataset.part].join(' ')";

fn press(browser: &mut Browser, key: &str, modifiers: u32) {
    for kind in ["keyDown", "keyUp"] {
        browser
            .call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": key, "modifiers": modifiers }));
    }
}

#[test]
fn documents_move_by_keyboard_and_pointer_and_the_scores_stay() {
    let Some((mut browser, _folder, _page)) = opened("#docs=A,3,0.9;B,0,0.8;C,2,0.7;D,1,0.6") else { return };
    let scores = json!([0.9, 0.8, 0.7, 0.6]);
    let focus = |browser: &mut Browser, id: &str, part: &str| {
        browser.value(&format!("document.querySelector('[data-id={id}] [data-part={part}]').focus()"));
    };
    // Alt and an arrow in any part of the row; the focus goes with the document.
    const ALT: u32 = 1;
    focus(&mut browser, "C", "score");
    press(&mut browser, "ArrowUp", ALT);
    assert_eq!((browser.value(ORDER), browser.value(SCORES)), (json!("ACBD"), scores.clone()));
    assert_eq!(browser.value(FOCUS), "C score");
    // nDCG@5 of grades 3 2 0 1, as the live region says to those who listen.
    let dcg = |grades: [f64; 4]| {
        (1..).zip(grades).map(|(i, y)| (libm::exp2(y) - 1.0) / libm::log2(f64::from(i + 1))).sum::<f64>()
    };
    let value = dcg([3.0, 2.0, 0.0, 1.0]) / dcg([3.0, 2.0, 1.0, 0.0]);
    assert_eq!(browser.value(STATUS), format!("Document C moved to rank 2. nDCG@5 is {value:.4}."));
    // An arrow alone on the handle, and the buttons. Beyond the ends nothing happens.
    focus(&mut browser, "A", "grip");
    press(&mut browser, "ArrowUp", 0);
    assert_eq!(browser.value(ORDER), "ACBD");
    press(&mut browser, "ArrowDown", 0);
    press(&mut browser, "ArrowDown", 0);
    assert_eq!((browser.value(ORDER), browser.value(FOCUS)), (json!("CBAD"), json!("A grip")));
    browser.value("document.querySelector('[data-id=D] [data-part=up]').click()");
    assert_eq!(browser.value(ORDER), "CBDA");

    // The pointer takes the handle of the first document below the third.
    let middle = |browser: &mut Browser, id: &str, part: &str| {
        let place = browser.value(&format!(
            "(() => {{ const {{ x, y, width, height }} = document.querySelector('[data-id={id}] {part}').getBoundingClientRect();
                return [x + width / 2, y + height / 2]; }})()"
        ));
        [place[0].as_f64().unwrap(), place[1].as_f64().unwrap()]
    };
    let (from, to) = (middle(&mut browser, "C", ".grip"), middle(&mut browser, "D", ".grip"));
    let mouse = |browser: &mut Browser, kind: &str, [x, y]: [f64; 2]| {
        let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        browser.call("Input.dispatchMouseEvent", event);
    };
    let drag = |browser: &mut Browser| {
        mouse(browser, "mousePressed", from);
        for step in 1..=4 {
            mouse(browser, "mouseMoved", [from[0], from[1] + (to[1] + 4.0 - from[1]) * f64::from(step) / 4.0]);
        }
    };
    drag(&mut browser);
    assert_eq!(browser.value(ORDER), "BDCA");
    press(&mut browser, "Escape", 0);
    mouse(&mut browser, "mouseReleased", to);
    assert_eq!(browser.value(ORDER), "CBDA");
    drag(&mut browser);
    mouse(&mut browser, "mouseReleased", to);
    assert_eq!((browser.value(ORDER), browser.value(SCORES)), (json!("BDCA"), scores));
    assert!(browser.value(STATUS).as_str().unwrap().starts_with("Document C moved to rank 3."));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Sets a field as a person does.
fn set(id: &str, value: &str) -> String {
    format!(
        "(() => {{ const field = document.querySelector('{id}'); field.value = '{value}';
           field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
    )
}

#[test]
fn the_address_holds_the_state_and_the_back_button_undoes() {
    let Some((mut browser, folder, page)) = opened("") else { return };
    let state = "[document.getElementById('values').innerText, document.getElementById('dialects').innerText,
        [...document.querySelectorAll('select, input')].map((field) => field.value)]";
    let first = browser.value(state);
    browser.value(&set("[data-id=B] [data-part=grade]", "4"));
    browser.value(&set("[data-id=C] [data-part=score]", "0,95"));
    assert_eq!(browser.value(ORDER), "CABDEFGH");
    browser.value(&set("#cutoff", "3"));
    browser.value(&set("#dialect", "trec_eval"));
    browser.value(&set("#measure", "ap"));
    browser.value(&set("#version", "v2"));
    browser.value("document.getElementById('add').click()");
    browser.value("document.querySelector('[data-id=A] [data-part=remove]').click()");
    assert_eq!(browser.value(ORDER), "CBDEFGHI");
    let changed = browser.value(state);
    let address = browser.value("location.hash");
    let address = address.as_str().unwrap();
    assert_eq!(
        address,
        "#k=3&dialect=trec_eval&measure=ap&version=v2&docs=C,2,0.95;B,4,0.8;D,-,0.6;E,1,0.5;F,0,0.4;G,2,0.3;H,0,0.2;I,0,0.1"
    );
    assert_eq!(browser.value("document.getElementById('link').hash"), address);
    // Another tab opens the same state.
    open(&mut browser, &page, address);
    assert_eq!(browser.value(state), changed);
    // Eight changes back is the first list.
    open(&mut browser, &page, "");
    let back = "new Promise((done) => { addEventListener('hashchange', () => setTimeout(done), { once: true }); history.back(); })";
    browser.value(&set("[data-id=B] [data-part=grade]", "4"));
    browser.value(&set("#cutoff", "3"));
    browser.value(back);
    assert_ne!(browser.value(state), first);
    browser.value(back);
    assert_eq!(browser.value(state), first);

    // What cannot be read is said, and nothing is guessed.
    let problem =
        "document.getElementById('problem').checkVisibility() && document.getElementById('problem').textContent";
    assert_eq!(browser.value(problem), false);
    for (fragment, told) in [
        ("#k=0", "the cutoff k is “0”"),
        ("#k=2.5", "the cutoff k is “2.5”"),
        ("#dialect=trec", "dialect is “trec”, and must be one of paper, letor4"),
        ("#docs=A,5,1", "the grade of A is “5”, and must be 0, 1, 2, 3, 4 or - for unjudged"),
        ("#docs=A,1,x", "the score of A is “x”"),
        ("#docs=A,1", "“A,1” is no document"),
        ("#docs=A,1,1;A,2,1", "two documents have the id A"),
        ("#doc=A,1,1", "“doc” is no part of a link"),
        ("#docs=%", "URI malformed"),
    ] {
        open(&mut browser, &page, fragment);
        let found = browser.value(problem);
        assert!(found.as_str().is_some_and(|found| found.contains(told)), "{fragment}: {found}");
    }
    browser.value(&set("[data-id=B] [data-part=score]", "high"));
    assert_eq!(browser.value(problem), "“high” is not a number, so the score of B is still 0.8.");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    drop(folder);
}

#[test]
fn examples_and_undefined_values_are_told() {
    let Some((mut browser, _folder, _page)) = opened("") else { return };
    let preset = |name: &str| {
        format!("[...document.querySelectorAll('#presets button')].find((own) => own.textContent === '{name}').click()")
    };
    let cell = |row: u32, column: u32| {
        format!("document.querySelector('#values tbody').rows[{row}].cells[{column}].textContent")
    };
    browser.value(&preset("Perfect order"));
    assert_eq!((browser.value(&cell(0, 1)), browser.value(&cell(0, 3))), (json!("1.0000"), json!("1.0000")));
    assert_eq!(browser.value(ORDER), "ACGEBFHD");
    browser.value(&preset("Reversed"));
    assert_eq!(browser.value(ORDER), "DHFBEGCA");
    browser.value(&preset("Ties"));
    let ties = browser.value("document.getElementById('ties-told').textContent");
    assert!(ties.as_str().unwrap().starts_with("Documents D and H have equal scores. Documents F and B"), "{ties}");
    browser.value(&preset("Random order"));
    let one = browser.value(ORDER);
    browser.value(&preset("Random order"));
    assert_ne!(browser.value(ORDER), one);
    // The mean over random orders is near the mean over all, whatever the order on the page.
    let random = browser.value("document.getElementById('random').textContent");
    let numbers: Vec<f64> = random.as_str().unwrap().split([' ', ')']).filter_map(|word| word.parse().ok()).collect();
    let [mean, orders, error, exact] = numbers[..] else { panic!("{random}") };
    assert!(orders == 1000.0 && error > 0.0 && (mean - exact).abs() < 4.0 * error, "{random}");

    browser.value(&preset("All irrelevant"));
    let cells = [1, 2, 3].map(|column| browser.value(&cell(0, column)));
    assert_eq!(cells, ["undefined"; 3].map(|text| json!(text)));
    let reasons = browser.value("document.getElementById('reasons').textContent");
    let reasons = reasons.as_str().unwrap();
    assert!(
        reasons.contains("there is nothing to find") && reasons.contains("ERR@5 (value): 0 by convention"),
        "{reasons}"
    );
    let dialects = browser.value("document.getElementById('dialects').innerText");
    assert!(dialects.as_str().unwrap().contains("a mean counts it as 1"), "{dialects}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn no_rule_of_accessibility_is_violated_and_nothing_is_cut_off() {
    let Some(axe) = axe() else { return };
    let lists = [
        "",
        "#k=all&dialect=trec_eval&measure=ap&version=v2&docs=A,3,0.9;B,0,0.8;C,2,0.8;D,-,0.8;E,1,0.5;F,0,0.4;G,2,0.4",
        "#k=20&dialect=lightgbm&measure=ndcg&version=v1&docs=A,0,0.9;B,0,0.8;C,-,0.8",
        "#k=x",
    ];
    let Some((mut browser, _folder, page)) = opened("") else { return };
    for (number, fragment) in lists.iter().enumerate() {
        open(&mut browser, &page, fragment);
        assert_eq!(violations_at_all_sizes(&mut browser, &axe), Vec::<String>::new(), "{fragment}");
        for width in [1280, 420] {
            for scheme in ["light", "dark"] {
                browser.resize([width, 900], "", scheme);
                // A table may scroll, but never the page; what a finger presses is not small.
                assert_eq!(
                    browser.value("document.documentElement.scrollWidth <= innerWidth"),
                    true,
                    "{width} {fragment}"
                );
                let small = "[...document.querySelectorAll('button, select, input')].filter((own) => {
                    const { width, height } = own.getBoundingClientRect(); return width < 24 || height < 24; }).length";
                assert_eq!(browser.value(small), 0, "{width}");
                browser.picture(&format!("playground-{number}"), width, scheme);
            }
        }
    }
}
