//! Tests `fivefold new-ranker`: the files, the names, and that cargo understands the new crate. The
//! template is the workspace member `examples/new-ranker`, which has tests of its own.

mod builds;

use std::process::Command;

use crate::harness::{content, directory, stderr, stdout};

#[test]
fn a_crate_is_written_that_cargo_understands() {
    let directory = directory(&[]);
    let told = stdout(directory.path(), "new-ranker my-ranker");
    assert!(told.starts_with("my-ranker: a crate with ranker `my-ranker`"), "{told}");
    assert!(
        told.contains("The crate takes fivefold from the checkout ")
            && told.contains("was built from this checkout. Try"),
        "{told}"
    );
    let folder = directory.path().join("my-ranker");
    let files = content(&folder);
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let expected = [
        ".gitignore",
        "Cargo.toml",
        "benches/fit.rs",
        "build.rs",
        "experiment.toml",
        "src/lib.rs",
        "src/main.rs",
        "tests/conformance.rs",
    ];
    assert_eq!(names, expected);
    // Cargo reads the manifest and finds its targets and the two crates that the manifest names. It
    // does not resolve dependencies.
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&cargo.stdout).unwrap();
    let package = &metadata["packages"][0];
    assert_eq!(package["name"], "my-ranker");
    let kinds: Vec<&str> =
        package["targets"].as_array().unwrap().iter().map(|target| target["kind"][0].as_str().unwrap()).collect();
    assert_eq!(kinds, ["lib", "bin", "test", "bench", "custom-build"]);
    let paths = package["dependencies"].as_array().unwrap().iter().filter_map(|d| d["path"].as_str());
    assert_eq!(paths.filter(|path| std::path::Path::new(path).join("Cargo.toml").is_file()).count(), 4);
}

#[test]
fn only_names_differ_from_the_template() {
    let directory = directory(&[]);
    stdout(directory.path(), "new-ranker my-ranker --out x/y --fivefold 0.1");
    let written = content(&directory.path().join("x/y"));
    let template = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/new-ranker/");
    for (name, text) in &written {
        let text = String::from_utf8(text.clone()).unwrap();
        let text = text.replace("my-ranker", "example-ranker").replace("my_ranker", "example_ranker");
        let text = text.replace("MyRankerModel", "ExampleModel").replace("MyRanker", "ExampleRanker");
        match name.as_str() {
            ".gitignore" => {}
            "Cargo.toml" => assert!(text.contains("fivefold = { version = \"0.1\" }"), "{text}"),
            _ => assert_eq!(text, std::fs::read_to_string(format!("{template}{name}")).unwrap(), "{name}"),
        }
    }
}

#[test]
fn nothing_is_overwritten_and_names_are_checked() {
    let directory = directory(&[("mine", "a file")]);
    let error = stderr(directory.path(), "new-ranker mine", 2);
    assert!(error.contains("mine already exists and was not changed"), "{error}");
    assert_eq!(std::fs::read_to_string(directory.path().join("mine")).unwrap(), "a file");
    let error = stderr(directory.path(), "new-ranker lambdamart", 2);
    assert!(error.contains("there is a ranker `lambdamart` already"), "{error}");
    let error = stderr(directory.path(), "new-ranker My_Ranker", 2);
    assert!(error.contains("lowercase words joined by hyphens"), "{error}");
    let error = stderr(directory.path(), "new-ranker other --fivefold nowhere", 2);
    assert!(error.contains("neither a checkout of fivefold, nor a git address, nor a version"), "{error}");
    let error = stderr(directory.path(), "new-ranker other --fivefold .", 2);
    assert!(error.contains("not a checkout of fivefold: the folder has no crates/fivefold-core/Cargo.toml"), "{error}");
    let error = stderr(directory.path(), "new-ranker other --fivefold htps://host/o/fivefold", 2);
    assert!(error.contains("did you mean `https://host/o/fivefold`?"), "{error}");
    let error = stderr(directory.path(), "new-ranker other --fivefold v0.1", 2);
    assert!(error.contains("did you mean `0.1`?"), "{error}");
    assert!(!directory.path().join("other").exists());
}

#[test]
fn inside_a_checkout_the_path_is_that_checkout() {
    let directory = directory(&[]);
    let inside = directory.path().join("mine");
    for folder in ["crates/fivefold-core", "mine"] {
        std::fs::create_dir_all(directory.path().join(folder)).unwrap();
    }
    std::fs::write(directory.path().join("crates/fivefold-core/Cargo.toml"), "").unwrap();
    let told = stdout(&inside, "new-ranker my-ranker");
    assert!(told.contains("the current folder is inside this checkout"), "{told}");
    let manifest = std::fs::read_to_string(inside.join("my-ranker/Cargo.toml")).unwrap();
    let around = directory.path().canonicalize().unwrap();
    assert!(manifest.contains(&format!("{}/crates/fivefold-sources", around.display())), "{manifest}");
}

#[test]
fn completion_offers_folders_for_the_checkout() {
    let script = stdout(directory(&[]).path(), "completions zsh");
    let line = script.lines().find(|line| line.contains("--fivefold=")).unwrap();
    assert!(line.contains(":WHERE:_files -/"), "{line}");
}
