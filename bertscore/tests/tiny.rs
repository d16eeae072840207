//! Tests with tiny models of random weights (`fixtures/tiny.py`): hidden states against PyTorch, and
//! the program from its options to its files.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use std::path::{Path, PathBuf};
use std::process::Command;

use fivefold_bertscore::Model;
use serde_json::Value;

/// PyTorch sums in another order. The states are near 1.
const NEAR: f64 = 2e-5;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn model(name: &str) -> Model {
    Model::load(&fixtures().join(name)).unwrap()
}

fn texts(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixtures().join("tiny.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    all[name].as_array().unwrap().clone()
}

fn ids(text: &Value) -> Vec<u32> {
    text["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect()
}

#[test]
fn tokens_and_hidden_states_are_those_of_pytorch() {
    for name in ["tiny-bert", "tiny-roberta"] {
        let model = model(name);
        let texts = texts(name);
        assert_eq!(texts.len(), 4);
        let all: Vec<Vec<u32>> = texts.iter().map(ids).collect();
        for text in &texts {
            let tokens = model.tokens(text["text"].as_str().unwrap()).unwrap();
            assert_eq!((tokens.ids, tokens.cut), (ids(text), 0), "{name}");
        }
        for layer in 0..=3 {
            let own = model.hidden(&all, Some(layer)).unwrap();
            for (text, own) in texts.iter().zip(own) {
                let expected = text["layers"][layer].as_array().unwrap();
                assert_eq!(own.len(), expected.len());
                for (row, expected) in own.iter().zip(expected) {
                    for (number, expected) in row.iter().zip(expected.as_array().unwrap()) {
                        let difference = (f64::from(*number) - expected.as_f64().unwrap()).abs();
                        assert!(difference < NEAR, "{name}, layer {layer}: {number} {expected}");
                    }
                }
            }
        }
        assert_eq!(model.hidden(&all, None).unwrap(), model.hidden(&all, Some(3)).unwrap());
        let error = model.states(&all, Some(4)).unwrap_err();
        assert_eq!(error.to_string(), "the model has no layer 4");
    }
}

#[test]
fn the_texts_beside_a_text_do_not_change_its_bits() {
    let model = model("tiny-bert");
    let texts: Vec<Vec<u32>> = texts("tiny-bert").iter().map(ids).collect();
    // Several batches.
    let many: Vec<&Vec<u32>> = texts.iter().cycle().take(101).collect();
    let together = model.hidden(&many, None).unwrap();
    for (place, own) in together.iter().enumerate() {
        assert_eq!(*own, model.hidden(&[many[place]], None).unwrap()[0], "{place}");
    }
}

#[test]
fn long_texts_are_cut_at_the_last_position() {
    let model = model("tiny-bert");
    let tokens = model.tokens(&"the cat ".repeat(30)).unwrap();
    assert_eq!((tokens.ids.len(), tokens.cut, tokens.ids[39]), (40, 22, 3));
    let model = self::model("tiny-roberta");
    assert_eq!(model.config().positions(), 64);
    let tokens = model.tokens(&"the cat ".repeat(80)).unwrap();
    assert_eq!((tokens.ids.len(), tokens.ids[63]), (64, 2));
    model.states(&[tokens.ids], None).unwrap();
}

/// Runs the program in a folder: exit code, output, errors.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_fivefold-bertscore")).args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Three documents by two systems, of which `B` lacks one and leaves one empty.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let line = |id: &str, candidate: &str, references: [&str; 2]| {
        let source = "the cat sat on the mat , the dog sat on the rug and played , the cat is not able to run";
        serde_json::json!({"id": id, "candidate": candidate, "references": references, "source": source}).to_string()
            + "\n"
    };
    let references = [["the cat sat on the mat.", "a cat"], ["a dog", "the dog was running"], ["the rug", "a mat"]];
    let a = line("d1", "the cat sat on the mat.", references[0])
        + &line("d2", "a dog was sitting", references[1])
        + &line("d3", "the mat", references[2]);
    let b = line("d3", "the rug and the mat", references[2]) + &line("d1", "", references[0]);
    std::fs::write(folder.path().join("A.jsonl"), a).unwrap();
    std::fs::write(folder.path().join("B.jsonl"), b).unwrap();
    folder
}

const BERT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tiny-bert");

#[test]
fn the_program_writes_values_that_other_commands_read() {
    let folder = folder();
    let (code, out, error) = run(folder.path(), &["--model", BERT, "--texts", "*.jsonl", "--out", "b.csv"]);
    assert_eq!((code, error.as_str()), (0, ""), "{out}");
    let csv = std::fs::read_to_string(folder.path().join("b.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["metric", "item", "system", "score", "expected", "upper"]);
    // Five texts, three values each.
    assert_eq!(rows.len(), 16);
    let keys: Vec<String> = rows[1..6].iter().map(|row| row[..3].join(" ")).collect();
    assert_eq!(keys, ["bertscore d1 A", "bertscore d1 B", "bertscore d2 A", "bertscore d3 A", "bertscore d3 B"]);
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    // A text equals its reference, and another is empty. E belongs to the document.
    assert!((number(1, 3) - 1.0).abs() < 1e-6);
    assert_eq!((rows[2][3], rows[1][4], rows[1][5]), ("0", rows[2][4], "1"));
    assert!(number(3, 3) < 1.0 && number(1, 4) < 1.0);
    assert!(out.contains("1 text is missing, and has no value."), "{out}");
    assert!(out.contains("1 candidate has no token that counts: its score is 0."), "{out}");
    assert!(out.contains("Weights: sha256 "), "{out}");
    assert!(out.contains("has the standard error"), "{out}");
    // The same bytes with any number of threads, and other draws with another seed.
    let again = |more: &[&str]| {
        let all = [&["--model", BERT, "--texts", "*.jsonl", "--out", "again.csv"], more].concat();
        assert_eq!(run(folder.path(), &all).0, 0);
        std::fs::read_to_string(folder.path().join("again.csv")).unwrap()
    };
    assert_eq!(again(&["--threads", "1"]), csv);
    assert_eq!(again(&["--threads", "5"]), csv);
    assert_ne!(again(&["--seed", "1"]), csv);
    let bare = again(&["--expected", "none", "--values", "r"]);
    assert!(bare.starts_with("metric,item,system,score\nbertscore-r,d1,A,"), "{bare}");
}

#[test]
fn json_has_the_conventions_and_the_weights() {
    let folder = folder();
    let common = ["--model", BERT, "--texts", "*.jsonl", "--json"];
    let json = |more: &[&str]| -> Value {
        let (code, out, error) = run(folder.path(), &[&common[..], more].concat());
        assert_eq!(code, 0, "{error}");
        serde_json::from_str(&out).unwrap()
    };
    let plain = json(&[]);
    let bytes = std::fs::read(fixtures().join("tiny-bert/model.safetensors")).unwrap();
    use sha2::Digest as _;
    let sha256: String = sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(plain["model"]["sha256"], sha256);
    assert_eq!((&plain["conventions"]["layer"], &plain["conventions"]["draws"]), (&3.into(), &8.into()));
    assert_eq!((&plain["counts"]["missing"], &plain["counts"]["empty"]["candidates"]), (&1.into(), &1.into()));
    assert_eq!(plain["systems"]["B"]["texts"], 2);
    let f1 = |value: &Value, what: &str| value["systems"]["A"][what]["f1"].as_f64().unwrap();
    // A baseline is taken from A and E alike.
    let rescaled = json(&["--rescale", "half=0.5,0.5,0.5"]);
    for what in ["score", "expected"] {
        assert!((f1(&rescaled, what) - (f1(&plain, what) - 0.5) / 0.5).abs() < 1e-12);
    }
    assert_eq!(rescaled["conventions"]["baseline"]["name"], "half");
    // The best of several references is at least as good as the first and as the mean.
    let (mean, max) = (json(&["--combine-references", "mean"]), json(&["--combine-references", "max"]));
    assert!(f1(&max, "score") >= f1(&plain, "score") && f1(&max, "score") > f1(&mean, "score"));
    // Each choice has an effect.
    let choices: [&[&str]; 7] = [
        &["--idf"],
        &["--layer", "1"],
        &["--special", "drop"],
        &["--expected", "b2w"],
        &["--expected", "w2b"],
        &["--expected", "mismatch"],
        &["--draws", "3"],
    ];
    for choice in choices {
        let other = json(choice);
        let changed = [f1(&other, "score") - f1(&plain, "score"), f1(&other, "expected") - f1(&plain, "expected")];
        assert!(
            changed[1] != 0.0 && (changed[0] != 0.0) == (choice[0] != "--expected" && choice[0] != "--draws"),
            "{choice:?}"
        );
    }
}

#[test]
fn mismatch_is_the_mean_over_other_documents() {
    let folder = folder();
    let values = |more: &[&str]| {
        let all = [&["--model", BERT, "--out", "m.csv", "--values", "f1"], more].concat();
        let (code, _, error) = run(folder.path(), &all);
        assert_eq!(code, 0, "{error}");
        let csv = std::fs::read_to_string(folder.path().join("m.csv")).unwrap();
        csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect::<Vec<Vec<String>>>()
    };
    let own = values(&["--texts", "A.jsonl", "--expected", "mismatch"]);
    // The texts about d2 and d3 as if they were about d1.
    let mut expected = 0.0;
    for other in ["a dog was sitting", "the mat"] {
        std::fs::write(folder.path().join("other.txt"), format!("{other}\n")).unwrap();
        std::fs::write(folder.path().join("refs.txt"), "the cat sat on the mat.\n").unwrap();
        let scored = values(&["--texts", "other.txt", "--references", "refs.txt", "--expected", "none"]);
        expected += scored[0][3].parse::<f64>().unwrap() / 2.0;
    }
    assert_eq!(own[0][1], "d1");
    assert!((own[0][4].parse::<f64>().unwrap() - expected).abs() < 1e-12, "{own:?} {expected}");
}

#[test]
fn groups_of_documents_are_written_and_scored() {
    let folder = folder();
    let common =
        ["--model", BERT, "--texts", "A.jsonl", "--group-size", "1", "--out", "g.csv", "--heterogeneity", "h.csv"];
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (code, _, error) = run(folder.path(), &[&common[..], &["--documents", "hete"]].concat());
    assert_eq!(code, 0, "{error}");
    let groups = read("h.csv");
    assert!(groups.starts_with("item,b2w,w2b,heterogeneity,group\nd1,"), "{groups}");
    let row = groups.lines().find(|line| line.ends_with(",HeteDoc")).unwrap();
    let scored = read("g.csv");
    let item = row.split(',').next().unwrap();
    assert!(scored.lines().skip(1).all(|line| line.split(',').nth(1) == Some(item)), "{scored}");
    assert_eq!(scored.lines().count(), 4);
    // The two E are those of `--expected`.
    let (code, _, error) =
        run(folder.path(), &["--model", BERT, "--texts", "A.jsonl", "--expected", "b2w", "--out", "e.csv"]);
    assert_eq!(code, 0, "{error}");
    let first = |text: &str, column: usize| text.lines().nth(1).unwrap().split(',').nth(column).unwrap().to_owned();
    assert_eq!(first(&groups, 1), first(&read("e.csv"), 4));
}

#[test]
fn a_pair_is_drawn() {
    let folder = folder();
    let arguments = [
        "--model",
        BERT,
        "--texts",
        "A.jsonl",
        "--heat-map",
        "d2",
        "--system",
        "A",
        "--reference",
        "2",
        "--out",
        "d2.svg",
    ];
    let (code, out, error) = run(folder.path(), &arguments);
    assert_eq!(code, 0, "{error}");
    assert!(out.starts_with("A on d2, reference 2: P "), "{out}");
    let svg = std::fs::read_to_string(folder.path().join("d2.svg")).unwrap();
    for token in ["[CLS]", "dog", "##ting", "##ing"] {
        assert!(svg.contains(&format!(">{token}</text>")), "{token}");
    }
}

#[test]
fn errors_say_what_to_do() {
    let folder = folder();
    std::fs::write(
        folder.path().join("bare.jsonl"),
        "{\"id\": \"x\", \"candidate\": \"a\", \"references\": [\"a\"]}\n",
    )
    .unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let model = BERT;
    let cases: [(&[&str], &str, &str); 13] = [
        (&["--texts", "A.jsonl"], "BERTScore needs the weights of a model: --model DIR", "--model takes a folder"),
        (&["--model", "none", "--texts", "A.jsonl"], "there is no folder none", "--model takes a folder"),
        (&["--model", "empty", "--texts", "A.jsonl"], "empty has no config.json", "--model takes a folder"),
        (&["--model", model, "--texts", "C*.jsonl"], "--texts `C*.jsonl` matches no file in .", "quotes"),
        (&["--model", model, "--texts", "no.jsonl"], "no.jsonl: cannot be read", ""),
        (
            &["--model", model, "--texts", "bare.jsonl"],
            "the expected value `random` needs the source of each document, but `x` has none",
            "--sources",
        ),
        (
            &["--model", model, "--texts", "bare.jsonl", "--expected", "mismatch"],
            "the expected value `mismatch` needs texts about other",
            "--expected",
        ),
        (
            &["--model", model, "--texts", "bare.jsonl", "--expected", "none", "--idf"],
            "idf needs two references",
            "leave out --idf",
        ),
        (
            &["--model", model, "--texts", "A.jsonl", "--layer", "9"],
            "the model has no layer 9",
            "its layers are 1 to 3",
        ),
        (&["--model", model, "--texts", "A.jsonl", "--draws", "0"], "0 draws give no expected value", "--draws 8"),
        (
            &["--model", model, "--texts", "A.jsonl", "--rescale", "roberta-large-17"],
            "the baseline `roberta-large-17` belongs to layer 17",
            "--layer 17",
        ),
        (
            &["--model", model, "--texts", "A.jsonl", "--heterogeneity", "h.csv"],
            "there are 3 documents, too few for two groups of 20",
            "--group-size",
        ),
        (
            &["--model", model, "--texts", "A.jsonl", "--heat-map", "d9", "--system", "A", "--out", "x.svg"],
            "there is no document `d9`",
            "did you mean `d1`?",
        ),
    ];
    for (arguments, problem, advice) in cases {
        let (code, out, error) = run(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(error.starts_with(&format!("Error: {problem}")) && error.contains(advice), "{arguments:?}\n{error}");
    }
    // Wrong options are refused by the parser, with the same code.
    assert_eq!(run(folder.path(), &["--texts", "A.jsonl", "--expected", "mean"]).0, 2);
}

/// A change of a file in a model's folder.
type Change<'c> = &'c dyn Fn(&Path);

#[test]
fn damaged_models_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = |change: &dyn Fn(&Path)| {
        for file in fixtures().join("tiny-bert").read_dir().unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
        change(folder.path());
        Model::load(folder.path()).unwrap_err().to_string().replace(&folder.path().display().to_string(), ".")
    };
    let replace = |name: &'static str, from: &'static str, to: &'static str| {
        move |folder: &Path| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            assert!(text.contains(from), "{text}");
            std::fs::write(folder.join(name), text.replace(from, to)).unwrap();
        }
    };
    let cut = |folder: &Path| {
        let bytes = std::fs::read(folder.join("model.safetensors")).unwrap();
        std::fs::write(folder.join("model.safetensors"), &bytes[..bytes.len() / 2]).unwrap();
    };
    let cases: [(Change<'_>, &str); 8] = [
        (&cut, "cannot read ./model.safetensors: "),
        (&replace("config.json", "\"bert\"", "\"t5\""), "./config.json: `model_type` is `t5`"),
        (&replace("config.json", "{", ""), "./config.json: is no configuration of a model: "),
        (
            &replace("config.json", "\"num_hidden_layers\": 3", "\"num_hidden_layers\": 4"),
            "./model.safetensors: lacks the tensor `encoder.layer.3.attention.self.query.weight`",
        ),
        (
            &replace("config.json", "\"intermediate_size\": 20", "\"intermediate_size\": 24"),
            "./model.safetensors: `encoder.layer.0.intermediate.dense.weight` has the shape [20, 12], but",
        ),
        (&replace("vocab.txt", "[SEP]", "[END]"), "./vocab.txt has no `[SEP]`"),
        (&replace("vocab.txt", "not", "not\nmore"), "the tokeniser of . has the token "),
        (
            &replace("tokenizer_config.json", "do_lower_case", "other"),
            "./tokenizer_config.json: does not say `do_lower_case`",
        ),
    ];
    for (change, expected) in cases {
        let error = damaged(change);
        assert!(error.starts_with(expected), "{error}\n{expected}");
    }
}
