//! Tests files that are too long, too large, too deep or of another kind. `fivefold book limits` has the
//! table of the limits.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;

use super::{READERS, good, refused, refused_with, run};
use crate::harness::{has_long_proofs, program, skipped};

/// Makes a sparse file that begins with `start` and is `length` bytes long.
fn long_file(folder: &Path, name: &str, start: &[u8], length: u64) {
    let mut file = File::create(folder.join(name)).unwrap();
    file.write_all(start).unwrap();
    file.set_len(length).unwrap();
}

#[test]
fn a_line_of_a_gigabyte() {
    let folder = good();
    let digits = "3".repeat((1 << 24) + 1000);
    for (name, start, reader) in [
        ("letor", "1 qid:1 1:1\n1 qid:1 1:0.", READERS[0]),
        ("scores", "1\n0.", READERS[1]),
        ("qrels", "1 0 a 1\n1 0 b", READERS[2]),
        ("run", "1 Q0 a 1 0.5 t\n1 Q0 b 1 0.", READERS[3]),
    ] {
        long_file(folder.path(), name, format!("{start}{digits}").as_bytes(), 1 << 30);
        let place = if name == "letor" {
            "letor:2: a line longer than 16777216 bytes"
        } else {
            "line 2: longer than 16777216 bytes"
        };
        refused_with(folder.path(), &reader.replace('X', name), &[place]);
    }
    long_file(folder.path(), "values", format!("query,a\n1,0.{digits}").as_bytes(), 1 << 30);
    refused_with(folder.path(), "compare values", &["is longer than 512 MiB"]);
}

#[test]
fn ten_million_features_and_matrices_that_are_nearly_empty() {
    let folder = good();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let eval = |name: &str| format!("eval --data {name} --scores scores.txt --measures ap");
    write("ten-million", "1 qid:1 1:1\n1 qid:1 10000000:1\n");
    refused_with(
        folder.path(),
        &eval("ten-million"),
        &["ten-million:2:9: feature id 10000000 is above the last id possible here, 100000"],
    );
    write("2-40", "1 qid:1 1099511627776:1\n");
    refused_with(folder.path(), &eval("2-40"), &["2-40:1:9: feature id 1099511627776 is above the last"]);
    write("zero", "1 qid:1 0:1\n");
    refused_with(
        folder.path(),
        &eval("zero"),
        &["zero:1:9: feature id 0 is below the first id, 1", "--first-feature-id 0"],
    );

    // 40,000 x 100,000 numbers of 4 bytes are 15 GiB. The one wide line may come first or last.
    let narrow = "1 qid:1 1:1\n".repeat(40_000);
    write("last", &format!("{narrow}0 qid:1 100000:1\n"));
    let said = [
        "last:40001: feature id 100000 would make a matrix of 40001 documents x 100000 features",
        "declare their number: `features = N`",
    ];
    refused_with(folder.path(), &eval("last"), &said);
    write("first", &format!("0 qid:1 100000:1\n{narrow}"));
    refused_with(
        folder.path(),
        &eval("first"),
        &["feature id", "would make a matrix of", "documents x 100000 features"],
    );
    for name in ["first", "last"] {
        let lint = run(folder.path(), &["lint", name]);
        let text = String::from_utf8(lint.stdout).unwrap();
        assert!(lint.status.code() == Some(1) && text.contains("would make a matrix of"), "{text}");
    }
    refused_with(folder.path(), &format!("{} --regroup", eval("first")), &["would make a matrix of"]);
}

/// A matrix that is far larger than its text, but not so large that the text must be wrong.
#[test]
fn sparse_text_within_the_memory() {
    let folder = good();
    // A row has 36,000 bytes. Blanks make the text long enough for it.
    let features = 9000;
    let mut data = BufWriter::new(File::create(folder.path().join("sparse")).unwrap());
    (0..50_000).for_each(|row| writeln!(data, "{:<180}", format!("0 qid:{} {features}:1", row / 10)).unwrap());
    drop(data);
    let eval = "eval --data sparse --scores scores.txt --measures ap";
    let line_of = |text: &str| text.split("sparse:").nth(1).unwrap().split(':').next().unwrap().parse::<u64>().unwrap();
    let most = 100 << 20;
    for (more, row) in [("", features * 4), ("--regroup", 2 * features * 4)] {
        let text = refused(folder.path(), &format!("{eval} --memory 100MiB {more}"));
        // The error names the first line at which the rows so far need too much memory.
        assert_eq!(line_of(&text), most / row + 1, "{text}");
        assert!(
            text.contains("101 MiB, but 100 MiB of the memory for data are left") && text.contains("--memory"),
            "{text}"
        );
    }
    let lint = |arguments: &[&str]| {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stdout).unwrap()
    };
    let problem = |text: &str| text.lines().find(|line| line.starts_with("sparse:")).unwrap().to_owned();
    assert_eq!(line_of(&problem(&lint(&["lint", "sparse", "--memory", "100MiB"]))), most / (features * 4) + 1);
    let experiment = "name = 'x'\n[[dataset]]\npath = 'sparse'\nlayout = 'one-file'\nfeatures = 100000\n[[ranker]]\nkind = 'random'\n";
    std::fs::write(folder.path().join("wide.toml"), experiment).unwrap();
    let text = refused(folder.path(), "run wide.toml --memory 100MiB");
    assert_eq!(line_of(&text), most / 400_000 + 1, "{text}");
    if cfg!(target_os = "linux") {
        // The limit is the rest of the address space, which is not the same to the byte in every
        // process.
        refused_with(folder.path(), eval, &["MiB of the memory for data are left"]);
        assert!(line_of(&problem(&lint(&["lint", "sparse"]))) > 30_000);
        refused_with(folder.path(), "run wide.toml --memory 64GiB", &["but the system has not so much"]);
    }
}

#[test]
fn numbers_in_settings_that_ask_for_more_than_there_is() {
    let folder = good();
    std::fs::write(folder.path().join("made.toml"), "name = 'x'\n[[dataset]]\nlabel = 'm'\nmade = { shape = 'mslr-web30k', queries = 10000000 }\n[[ranker]]\nkind = 'random'\n").unwrap();
    let said = ["a synthetic collection of that size takes", "ask for fewer queries"];
    refused_with(folder.path(), "run made.toml", &said);
    refused_with(folder.path(), "make --shape mslr-web30k --queries 10000000 --out made", &said);
    refused_with(
        folder.path(),
        "converge --measure ndcg --documents 100000000000",
        &["`documents` must be at most 1000000"],
    );
    refused_with(folder.path(), "converge --measure ndcg --documents 1000000 --step 1", &["at most 1000000 rankings"]);
    std::fs::write(folder.path().join("other.txt"), "1 Q0 a 1 0.5 t\n").unwrap();
    let residual = "residual --qrels qrels.txt --runs run.txt other.txt --measure p@100000000000";
    refused_with(folder.path(), residual, &["`p@100000000000` has no residual gain", "give a lower cutoff"]);
    let deep = [
        "eval",
        "--data",
        "data.txt",
        "--scores",
        "scores.txt",
        "--measures",
        "ndcg@18446744073709551615,p@100000000000",
    ];
    assert!(run(folder.path(), &deep).status.success());
}

/// One file has many queries of one system. The other file has many systems of one query.
#[test]
fn values_per_query_that_share_nothing() {
    let folder = good();
    let names = |start: &str| (0..20_000).map(|n| format!("{start}{n}")).collect::<Vec<_>>();
    let tall: String = names("q").iter().map(|query| format!("{query},0.5\n")).collect();
    std::fs::write(folder.path().join("tall.csv"), format!("query,a\n{tall}")).unwrap();
    let wide = format!("query,{}\nq,{}\n", names("s").join(","), vec!["0.5"; 20_000].join(","));
    std::fs::write(folder.path().join("wide.csv"), wide).unwrap();
    refused_with(folder.path(), "compare tall.csv wide.csv --missing-queries zero", &["nearly all are missing"]);
}

#[test]
fn a_query_of_a_million_documents() {
    let folder = good();
    let mut data = BufWriter::new(File::create(folder.path().join("million")).unwrap());
    let mut scores = BufWriter::new(File::create(folder.path().join("million.scores")).unwrap());
    for row in 0..1_000_000u32 {
        writeln!(data, "{} qid:1099511627776 1:{row}", u32::from(row % 10 == 0)).unwrap();
        writeln!(scores, "{}", row % 1000).unwrap();
    }
    drop((data, scores));
    let arguments =
        ["eval", "--data", "million", "--scores", "million.scores", "--measures", "p@10,ap,ndcg,ndcg.v2@10,rr"];
    let output = run(folder.path(), &[&arguments[..], &["--ties", "input", "--per-query", "--format", "csv"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The best thousand scores are 999. Their rows end with 9, so no relevant document is among the
    // first ten.
    let line =
        text.lines().find(|line| line.contains("p@10") && line.contains("1099511627776")).expect("the query's line");
    assert!(line.contains(",0,") || line.contains(",0.0,"), "{line}");
    assert!(run(folder.path(), &["lint", "million"]).status.success());
}

#[test]
fn grades_outside_the_range() {
    let folder = good();
    for grade in ["-1", "1e9", "1000000000", "2.5", "nan", "31", "1099511627776"] {
        std::fs::write(folder.path().join("graded"), format!("1 qid:0 1:1\n{grade} qid:0 1:1\n")).unwrap();
        let said = format!("graded:2:1: grade `{grade}` is not a whole number from 0 to 30");
        refused_with(folder.path(), "eval --data graded --scores scores.txt --measures ap", &[&said]);
    }
    for (grade, said) in [
        ("2.5", "grade `2.5`"),
        ("1000000000", "1000000000"),
        ("1e9", "grade `1e9`"),
        ("99999999999999999999", "grade `99999999999999999999`"),
    ] {
        std::fs::write(folder.path().join("judged"), format!("1 0 a 1\n1 0 b {grade}\n")).unwrap();
        refused_with(folder.path(), "eval --qrels judged --runs run.txt --measures ap", &["judged:2", said]);
    }
}

#[test]
fn scores_that_are_no_numbers() {
    let folder = good();
    for score in ["nan", "inf", "-inf", "1e999", "0x10", "1 2", "\u{1b}[31m", "1\u{202e}"] {
        std::fs::write(folder.path().join("wrong"), format!("1\n{score}\n")).unwrap();
        let said: &[&str] = match score.starts_with('\u{1b}') {
            true => &["wrong:2:1: found the character U+001B"],
            false => &["wrong:2:1: `", "is not a finite number"],
        };
        refused_with(folder.path(), "eval --data data.txt --scores wrong --measures ap", said);
        if score.contains(' ') {
            continue; // what follows a score in a run is its tag
        }
        std::fs::write(folder.path().join("wrong.run"), format!("1 Q0 a 1 0.5 t\n1 Q0 b 2 {score} t\n")).unwrap();
        refused_with(folder.path(), "eval --qrels qrels.txt --runs wrong.run --measures ap", &["wrong.run:2"]);
    }
}

#[test]
fn texts_of_other_systems() {
    let folder = good();
    let utf16 =
        |text: &str| [&b"\xff\xfe"[..], &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat();
    for reader in &READERS[..5] {
        std::fs::write(folder.path().join("wide"), utf16("1 qid:1 1:1\n")).unwrap();
        refused_with(folder.path(), &reader.replace('X', "wide"), &["is UTF-16 text; convert it to UTF-8"]);
    }
    for (reader, text, said) in [
        (READERS[0], "1 qid:1 1:1\r0 qid:1 1:2\r", "found a carriage return within the line"),
        (READERS[1], "1\r2\r", "line 1: has a carriage return within"),
        (READERS[2], "1 0 a 1\r1 0 b 1\r", "line 1: has a carriage return within"),
        (READERS[0], "1 qid:1 1:1\n1 qid:a\0b 1:1\n", "found the character U+0000 (NUL)"),
        (READERS[0], "1 qid:1 1:1\0\n", "found the character U+0000 (NUL)"),
        (READERS[1], "1\n2\0\n", "line 2: has a NUL byte"),
        (READERS[3], "1 Q0 a\0 1 0.5 t\n", "line 1: has a NUL byte"),
        (READERS[4], "query,a\n1,0.5\0\n", "has a NUL byte"),
    ] {
        std::fs::write(folder.path().join("odd"), text).unwrap();
        refused_with(folder.path(), &reader.replace('X', "odd"), &[said]);
    }
}

#[test]
fn folders_and_devices() {
    let folder = good();
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    for reader in READERS {
        // The commands `compare` and `run` may be given a folder.
        if !reader.starts_with("compare") && !reader.starts_with("run") {
            refused_with(folder.path(), &reader.replace('X', "folder"), &["is a folder, not a file"]);
        }
        if Path::new("/dev/zero").exists() {
            refused_with(folder.path(), &reader.replace('X', "/dev/zero"), &["is a device, not a file"]);
        }
    }
    // A path that cannot be read is an error, not a problem within a file, whatever kind the user
    // names.
    if Path::new("/dev/zero").exists() {
        for kind in ["", "--as letor ", "--as qrels ", "--as run ", "--as scores ", "--as values "] {
            refused_with(folder.path(), &format!("lint {kind}/dev/zero"), &["/dev/zero", "is a device, not a file"]);
        }
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_not_waited_for() {
    let folder = good();
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status();
    if !made.is_ok_and(|status| status.success()) {
        return skipped("there is no mkfifo");
    }
    for reader in READERS {
        refused_with(
            folder.path(),
            &reader.replace('X', "pipe"),
            &["is a pipe, but a file may be read more than once; save the output"],
        );
    }
    refused_with(folder.path(), "lint pipe", &["is a pipe"]);
    // `lint` also does not wait for a pipe in the place of a file with the sizes of queries.
    std::fs::rename(folder.path().join("pipe"), folder.path().join("data.txt.query")).unwrap();
    assert!(run(folder.path(), &["lint", "data.txt"]).status.success());
}

#[test]
fn settings_that_are_too_long_or_too_deep() {
    let folder = good();
    long_file(folder.path(), "long.toml", b"name = \"x\"\n", 100 << 20);
    let readers = [
        "run long.toml",
        "train --ranker linear --train data.txt --out m.json --params long.toml",
        "replay long.toml",
        "lint long.toml",
    ];
    for reader in &readers[..3] {
        refused_with(folder.path(), reader, &["is longer than 4 MiB, the most that is read of such a file"]);
    }
    let text = refused(folder.path(), readers[0]);
    assert!(
        text.contains("`fivefold lint long.toml` names the kind of the file")
            && !text.contains("comes with the program: quickstart"),
        "{text}"
    );
    assert_eq!(run(folder.path(), &["lint", "long.toml"]).status.code(), Some(2));

    let deep = 100_000;
    let texts = [
        format!("a = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}1{}", "{a=".repeat(deep), "}".repeat(deep)),
        format!("[{}a]\n", "a.".repeat(deep)),
        format!("[[{}a]]\n", "a.".repeat(deep)),
        format!("{}a = 1\n", "a.".repeat(deep)),
        format!("a = {{{}a = 1}}\n", "a.".repeat(deep)),
    ];
    for (number, text) in texts.iter().enumerate() {
        std::fs::write(folder.path().join("deep.toml"), text).unwrap();
        for reader in readers {
            let output = run(folder.path(), &reader.replace("long", "deep").split(' ').collect::<Vec<_>>());
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{reader}: {}: {said}", &text[..10]);
            assert!(said.contains("deep.toml") && said.len() < 2000, "{reader}: {}: {said}", &text[..10]);
            if number < 2 && !reader.starts_with("lint") {
                assert!(said.contains("nested more than 80 deep"), "{reader}: {said}");
            }
        }
    }
    std::fs::write(folder.path().join("descriptor.toml"), &texts[0]).unwrap();
    std::fs::write(
        folder.path().join("x.toml"),
        "name = 'x'\n[[dataset]]\npath = 'descriptor.toml'\n[[ranker]]\nkind = 'random'\n",
    )
    .unwrap();
    refused_with(folder.path(), "run x.toml", &["descriptor.toml: line 1: nested more than 80 deep"]);
    let json = format!("{}1{}", "[".repeat(deep), "]".repeat(deep));
    std::fs::write(folder.path().join("deep.json"), &json).unwrap();
    refused_with(folder.path(), "score --model deep.json --data data.txt", &["not a model file"]);
    std::fs::write(folder.path().join("values.json"), format!("{{\"map\":{json}}}")).unwrap();
    refused_with(folder.path(), "compare values.json", &["values.json"]);
    let xml = format!("## LambdaMART\n<ensemble>\n<tree id=\"1\" weight=\"1\">\n{}", "<split>\n".repeat(deep));
    std::fs::write(folder.path().join("deep.txt"), xml).unwrap();
    let said = [format!("deep.txt:{}: the file ends within `<split>`", deep + 3)];
    refused_with(folder.path(), "import deep.txt --features 3 -o m.json", &[&said[0]]);
    std::fs::write(
        folder.path().join("x.toml"),
        "name = 'x'\n[[dataset]]\nname = 'mq2008'\n[[ranker]]\nkind = 'random'\n[evaluation]\ndialect = 'letor4'\n",
    )
    .unwrap();
    let said = ["`dialect` does not belong in `[evaluation]`", "dialect = \"letor4\""];
    refused_with(folder.path(), "run x.toml", &said);
}

/// 80 MB of zeros are packed into 80 kB. The first 64 MiB of a file are never refused.
#[test]
fn bombs() {
    let folder = good();
    let packs = |command: &str| {
        let status = Command::new("sh").args(["-c", command]).current_dir(folder.path()).status();
        status.is_ok_and(|status| status.success())
    };
    if !packs("head -c 80000000 /dev/zero | tr '\\0' 0 | gzip -9 > bomb.gz") {
        return skipped("there is no gzip");
    }
    for reader in ["eval --data data.txt --scores X --measures ap", "eval --data X --scores scores.txt --measures ap"] {
        // A single line of so many digits is refused earlier.
        refused_with(folder.path(), &reader.replace('X', "bomb.gz"), &["longer than 16777216 bytes"]);
    }
    let said = ["unpacks to over 400 times its size", "set FIVEFOLD_MOST_EXPANSION"];
    refused_with(folder.path(), "compare bomb.gz", &said);
    if has_long_proofs() {
        assert!(packs("yes 0.0000000 | head -c 80000000 | gzip -9 > scores.gz"));
        refused_with(folder.path(), "eval --data data.txt --scores scores.gz --measures ap", &said);
    }
    // Long remarks, since a reader takes them fastest.
    let lines = "(yes \"#$(printf %07998d 0)\" | head -c 68000000; printf '\\n1 qid:1 1:1\\n') | gzip -9 > lines.gz";
    assert!(packs(lines));
    refused_with(folder.path(), "eval --data lines.gz --scores scores.txt --measures ap", &said);
    let raised = Command::new(program())
        .args(["eval", "--data", "lines.gz", "--scores", "scores.txt", "--measures", "ap"])
        .env("FIVEFOLD_MOST_EXPANSION", "2000")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&raised.stderr).contains("2 scores for 1 document"), "{raised:?}");
    let wrong = Command::new(program())
        .args(["lint", "lines.gz"])
        .env("FIVEFOLD_MOST_EXPANSION", "many")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("FIVEFOLD_MOST_EXPANSION is `many`"), "{wrong:?}");
}

/// For each file, `lint` says what is wrong, or that the file holds no data.
#[test]
fn lint_names_what_is_wrong() {
    let folder = good();
    for (text, said) in [
        (
            "1 qid:1 1:1\n-1 qid:1 1:1\n1e9 qid:1 1:1\n2.5 qid:1 1:nan\n1 qid:1 1:inf\n",
            vec![":2:1: grade `-1`", ":3:1: grade `1e9`", ":4:1: grade `2.5`", ":5:11: value `inf`"],
        ),
        (
            "1 qid:1 1:1\n1 qid:1 10000000:1\n0 qid:1 2:1 1:1 2:3\n",
            vec![":2:9: feature id 10000000 is above", ":3:17: feature id 2 stands on the line twice"],
        ),
        ("1 qid:\0 1:1\n1 qid:1 1:1\n", vec!["line 1: has a NUL byte"]),
        ("1 qid:1 1:1\r1 qid:1 1:2\r", vec!["line 1: has a carriage return within"]),
        ("1\n2\nnan\ninf\n", vec![":3:1: `nan`", ":4:1: `inf`"]),
        ("1 0 a 1\n1 0 b 2.5\n1 0 c 99\n1 0 d\n1 0 a 1\n", vec![":2: grade `2.5`", ":3: ", ":4: ", ":5: "]),
        ("1 Q0 a 1 nan t\n1 Q0 b 1 0.5 t\n1 Q0 c x 0.5 t\n", vec![":1: ", ":3: "]),
        (
            "query,a,b\n1,0.5,x\n2,0.5,0.5\n2,0.1,inf\n",
            vec![":2: value `x`", ":4: value `inf`", ":4: query `2` has a second value"],
        ),
        (
            "map\tq1\t0.5\nmap\tq2\tx\nmap\tq1\t0.5\nmap\tall\t0.5\n",
            vec![":2: value `x`", ":3: query `q1` has a second"],
        ),
    ] {
        std::fs::write(folder.path().join("odd"), text).unwrap();
        let output = run(folder.path(), &["lint", "odd"]);
        let shown = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{text:?}: {shown}");
        said.iter().for_each(|part| assert!(shown.contains(part), "{text:?}: {shown}\nlacks {part}"));
    }
}

/// The data are 60 documents with many features. `linear` once took 3.8 GB of memory under
/// `--memory 100MiB`. With 100,000 features, the system ended the program.
#[test]
fn wide_data_are_learned_from_in_little_memory_or_refused_by_name() {
    let folder = good();
    let at = folder.path();
    let wide = |features: usize| {
        let mut text = String::new();
        for document in 0..60 {
            let signal = document * 7 % 60;
            let grade = signal / 20;
            text +=
                &format!("{grade} qid:{} 1:{signal} 2:{} {features}:{}\n", document / 10, document % 7, document % 3);
        }
        std::fs::write(at.join("wide.txt"), text).unwrap();
    };
    for (features, ranker) in [(15_000, "linear"), (15_000, "l2-logistic"), (100_000, "linear")] {
        wide(features);
        let train = format!("train --ranker {ranker} --train wide.txt -o m.json --memory 100MiB");
        let told = run(at, &train.split_whitespace().collect::<Vec<_>>());
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    }
    // A network of 32 units has 3.2 million weights, and several copies of them.
    let said = ["lambdarank needs about", "may still be used", "raise --memory"];
    refused_with(at, "train --ranker lambdarank --train wide.txt -o m2.json --memory 40MiB", &said);
    assert!(!at.join("m2.json").exists());
    // The normalised copy of the features is also a matrix that needs memory.
    let said = ["the normalised features need 23 MiB", "raise --memory"];
    refused_with(at, "train --ranker linear --normalise z-score --train wide.txt -o m2.json --memory 40MiB", &said);
}

/// nodejs/node #27798: a write beyond `ulimit -f` ended the program by SIGXFSZ, without a message.
#[test]
#[cfg(unix)]
fn a_limit_on_the_size_of_files_is_an_error_of_the_file() {
    let text = "name = \"x\"\n[[dataset]]\nlabel = \"A\"\nmade = { shape = \"mq2007\", queries = 200 }\n[[ranker]]\nkind = \"random\"\n";
    let folder = crate::harness::directory(&[("x.toml", text)]);
    let script = format!("ulimit -f 16; exec {} run x.toml --out o", program().display());
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("cannot write o/") && told.contains("File too large"), "{told}");
    assert!(told.contains("raise the limit on the size of files (`ulimit -f`)"), "{told}");
}
