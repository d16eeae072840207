//! Texts of systems: ROUGE from files, and the experiment on SummEval.

use std::collections::BTreeMap;
use std::path::Path;

use crate::harness::{directory, real_data, stderr, stdout, stdout_with_data};

/// The document of definitions by hand: source, reference and summary.
const SOURCE: &str = "the cat sat on the mat the end";
const REFERENCE: &str = "the cat on the mat";

fn line(id: &str, candidate: &str) -> String {
    format!(
        "{{\"id\": \"{id}\", \"candidate\": \"{candidate}\", \"references\": [\"{REFERENCE}\"], \"source\": \"{SOURCE}\"}}\n"
    )
}

/// The rows of a CSV table of a results folder, by the first column.
fn rows(folder: &Path, table: &str) -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(folder.join(format!("tables/{table}.csv"))).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(std::io::Cursor::new(lines.collect::<Vec<_>>().join("\n")));
    reader
        .records()
        .map(|row| row.unwrap())
        .map(|row| (row[0].to_owned(), row.iter().map(str::to_owned).collect()))
        .collect()
}

/// E by enumeration: 2.984436, .604492 and 2.375885 expected matches of 5 tokens, 4 bigrams, 5 tokens.
#[test]
fn rouge_of_files_has_the_values_of_the_definitions() {
    let files = [line("1", "the cat sat") + &line("2", REFERENCE), line("1", "") + &line("2", "the end")];
    let folder = directory(&[("lead.jsonl", &files[0]), ("end.jsonl", &files[1])]);
    stdout(folder.path(), "compare --texts lead.jsonl end.jsonl --undefined zero --out out");
    let bounds = rows(&folder.path().join("out"), "bounds");
    let number = |measure: &str, column: usize| bounds[measure][column].parse::<f64>().unwrap();
    for (measure, expected) in [("rouge1", 2.984436 / 5.0), ("rouge2", 0.604492 / 4.0), ("rougeL", 2.375885 / 5.0)] {
        assert!((number(measure, 2) - expected).abs() < 1e-6, "{bounds:?}");
        assert_eq!((number(measure, 3), number(measure, 6)), (1.0, 0.0), "{bounds:?}");
    }
    // F1 of the four summaries under ROUGE-1: 4/8, 1, 0 and 2/7.
    assert!((number("rouge1", 1) - (0.5 + 1.0 + 0.0 + 2.0 / 7.0) / 4.0).abs() < 1e-12, "{bounds:?}");
    let printed = stdout(folder.path(), "compare --texts lead.jsonl end.jsonl --tables all");
    assert!(printed.contains("rouge1: 1 text has no unit of the measure"), "{printed}");
    assert!(printed.contains("rouge2: value=f1, references=first, empty=zero, model=unigram"), "{printed}");
}

/// The same texts in the other form, and for another study.
#[test]
fn lines_of_text_are_scored_as_json_lines_are() {
    let texts = [["the cat sat", "on the mat", "the cat", "mat"], ["the end", "a mat", "on on on", "sat"]];
    let json_lines =
        texts.map(|own| own.iter().zip(1..).map(|(text, id)| line(&id.to_string(), text)).collect::<String>());
    let lines = texts.map(|own| own.join("\n"));
    let [references, sources] = [REFERENCE, SOURCE].map(|text| [text; 4].join("\n"));
    let folder = directory(&[
        ("a.jsonl", &json_lines[0]),
        ("b.jsonl", &json_lines[1]),
        ("a.txt", &lines[0]),
        ("b.txt", &lines[1]),
        ("references.txt", &references),
        ("sources.txt", &sources),
    ]);
    let means = |arguments: &str| {
        stdout(folder.path(), &format!("compare {arguments} --out out --replace"));
        std::fs::read_to_string(folder.path().join("out/scores.csv")).unwrap()
    };
    let of_lines = means("--texts a.txt b.txt --references references.txt --sources sources.txt");
    assert_eq!(means("--texts a.jsonl b.jsonl"), of_lines);
    assert!(of_lines.contains("rougeL.v2"), "{of_lines}");
    let printed = stdout(folder.path(), "standardise --texts a.jsonl b.jsonl --text-measures rouge1");
    assert!(printed.contains("rouge1"), "{printed}");
}

#[test]
fn faults_of_texts_teach() {
    let folder = directory(&[
        ("a.jsonl", &line("1", "the cat")),
        ("b.jsonl", &line("1", "the mat")),
        ("bare.jsonl", "{\"id\": \"1\", \"candidate\": \"a\", \"references\": [\"b\"]}\n"),
        ("other.jsonl", "{\"id\": \"1\", \"candidate\": \"c\", \"references\": [\"b\"]}\n"),
        ("a.txt", "one\ntwo\n"),
        ("b.txt", "one\ntwo\n"),
        ("references.txt", "one\n"),
    ]);
    let refused = |arguments: &str| stderr(folder.path(), &format!("compare {arguments}"), 2);
    let unequal = refused("--texts a.txt b.txt --references references.txt");
    assert!(unequal.contains("references.txt: has 1 line, but"), "{unequal}");
    let none = refused("--texts a.txt b.txt");
    assert!(none.contains("has no reference"), "{none}");
    let source = refused("--texts bare.jsonl other.jsonl");
    assert!(source.contains("document 1 has no source, but `rouge1.v1` needs one"), "{source}");
    let unknown = refused("--texts a.jsonl b.jsonl --text-measures rogue1");
    assert!(unknown.contains("did you mean `rouge1`?"), "{unknown}");
    let sentences = refused("--texts a.jsonl b.jsonl --text-measures rougeLsum");
    assert!(sentences.contains("`rougeL` takes each whole text as one sequence"), "{sentences}");
    let alone = refused("--references references.txt");
    assert!(alone.contains("--texts"), "{alone}");
}

/// Sections 7 and 4 of the definitions: tau x 66 of A, V1 and V2 of each row with an exact E, by dimension
/// (coherence, consistency, fluency, relevance); means of A and E; shares of the variance.
#[test]
fn summeval_is_as_in_the_definitions() {
    let Some(data) = real_data() else { return };
    let folder = directory(&[]);
    stdout_with_data(folder.path(), &data, &["run", "text-summeval", "--out", "out"]);
    let out = folder.path().join("out");
    let text = std::fs::read_to_string(out.join("correlations.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let column = |name: &str| head.iter().position(|own| own == name).unwrap_or_else(|| panic!("{name}: {head:?}"));
    let places = ["measure", "dimension", "level", "coefficient", "correlation"].map(column);
    let mut values: BTreeMap<[String; 4], f64> = BTreeMap::new();
    for row in reader.records().map(|row| row.unwrap()) {
        let [measure, dimension, level, coefficient, value] = places.map(|place| row[place].to_owned());
        values.insert([measure, dimension, level, coefficient], value.parse().unwrap());
    }
    let of = |measure: &str, level: &str, coefficient: &str| {
        ["coherence", "consistency", "fluency", "relevance"]
            .map(|dimension| values[&[measure, dimension, level, coefficient].map(str::to_owned)])
    };
    let taus = [
        ("rouge1", "", [[22, 18, 36, 34], [24, 20, 38, 36], [18, 18, 36, 30]]),
        ("rouge1", "(references=mean)", [[22, 34, 40, 38], [22, 34, 40, 38], [16, 32, 34, 32]]),
        ("rouge1", "(references=max)", [[30, 30, 40, 42], [32, 28, 42, 44], [30, 30, 40, 42]]),
        ("rouge2", "", [[22, 22, 36, 38], [22, 22, 36, 38], [14, 14, 28, 30]]),
        ("rouge2", "(references=mean)", [[12, 28, 30, 28], [12, 28, 30, 28], [12, 28, 30, 28]]),
        ("rouge2", "(references=max)", [[24, 32, 42, 36], [26, 30, 44, 38], [24, 32, 42, 36]]),
        ("rougeL", "", [[22, 18, 36, 38], [22, 18, 36, 38], [26, 22, 36, 42]]),
        ("rougeL", "(references=mean)", [[34, 42, 48, 46], [34, 42, 48, 46], [34, 42, 48, 46]]),
        ("rougeL", "(references=max)", [[32, 32, 42, 48], [32, 32, 42, 48], [32, 32, 42, 48]]),
        ("rouge1", "(value=recall,length=candidate)", [[16, 20, 30, 32], [20, 20, 34, 36], [24, 20, 34, 36]]),
        ("rouge1", "(length=candidate)", [[22, 18, 36, 34], [20, 16, 34, 32], [14, 18, 32, 30]]),
    ];
    for (metric, parameters, versions) in taus {
        for (version, net) in ["", ".v1", ".v2"].into_iter().zip(versions) {
            let name = format!("{metric}{version}{parameters}");
            let found = of(&name, "system", "kendall").map(|tau| (tau * 66.0).round() as i32);
            assert_eq!(found, net, "{name}");
        }
    }
    // Fact 1: within a document, V1 and V2 of a length that candidates do not alter keep the order.
    let expected = [0.087738, 0.151978, 0.102441, 0.204013];
    for version in ["", ".v1", ".v2"] {
        for (value, expected) in of(&format!("rouge1{version}"), "item", "kendall").into_iter().zip(expected) {
            assert!((value - expected).abs() < 1e-6, "{version} {value} {expected}");
        }
    }
    for (version, expected) in [
        ("", [0.136504, 0.140950, 0.078189, 0.252443]),
        (".v1", [0.1193, 0.1368, 0.0659, 0.2289]),
        (".v2", [0.0991, 0.1315, 0.0531, 0.1927]),
    ] {
        for (value, expected) in of(&format!("rouge1{version}"), "pooled", "kendall").into_iter().zip(expected) {
            assert!((value - expected).abs() < 1e-4, "{version} {value} {expected}");
        }
    }
    let bounds = rows(&out, "bounds");
    let number =
        |table: &BTreeMap<String, Vec<String>>, row: &str, column: usize| table[row][column].parse::<f64>().unwrap();
    for (measure, means) in [
        ("rouge1", [0.425913, 0.290753, 0.256313, 0.181334]),
        ("rouge2", [0.198563, 0.006327, 0.192613, 0.176955]),
        ("rouge1(references=mean)", [0.328073, 0.244990, 0.188953, 0.104336]),
    ] {
        for (column, mean) in [1, 2, 4, 5].into_iter().zip(means) {
            assert!((number(&bounds, measure, column) - mean).abs() < 1e-6, "{measure} {column}: {bounds:?}");
        }
    }
    // The effect that there is: documents differ less in difficulty.
    let variance = rows(&out, "variance");
    for (measure, [systems, documents]) in
        [("rouge1", [0.132, 0.443]), ("rouge1.v1", [0.143, 0.366]), ("rouge1.v2", [0.188, 0.281])]
    {
        assert!((number(&variance, measure, 1) - systems).abs() < 5e-4, "{variance:?}");
        assert!((number(&variance, measure, 2) - documents).abs() < 5e-4, "{variance:?}");
    }
    no_version_agrees_better_with_people(&out);
}

/// No interval of a difference of tau to the original lies above 0: UE does not make ROUGE agree better with people.
fn no_version_agrees_better_with_people(out: &Path) {
    let text = std::fs::read_to_string(out.join("differences.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let column = |name: &str| head.iter().position(|own| own == name).unwrap_or_else(|| panic!("{name}: {head:?}"));
    let (level, coefficient, measure, low) = (column("level"), column("coefficient"), column("measure"), column("low"));
    let mut compared = 0;
    for row in reader.records().map(|row| row.unwrap()) {
        let of_nine = !row[measure].contains("length=");
        if of_nine && &row[level] == "system" && &row[coefficient] == "kendall" {
            assert!(row[low].parse::<f64>().unwrap() <= 0.0, "{row:?}");
            compared += 1;
        }
    }
    assert_eq!(compared, 72, "nine rows, two versions, four dimensions");
}
