//! A collection of five folds with validation parts, whose queries come from the names of the parts.

use std::fs;
use std::path::Path;

use fivefold_core::Seed;

pub const FEATURES: usize = 4;
pub const FOLDS: usize = 5;
pub const QUERIES: usize = 6;
pub const DOCUMENTS: usize = 7;

/// A document: its grade and its features.
pub type Document = (u8, Vec<f32>);

/// The documents of the queries of a part.
pub fn part(name: &str) -> Vec<Vec<Document>> {
    let mut rng = Seed::new(5).derive(name).rng();
    let mut document = || (rng.below(3) as u8, (0..FEATURES).map(|_| rng.below(1000) as f32).collect());
    (0..QUERIES).map(|_| (0..DOCUMENTS).map(|_| document()).collect()).collect()
}

fn letor(part: &[Vec<Document>], name: &str) -> String {
    let mut text = String::new();
    for (query, documents) in part.iter().enumerate() {
        for (grade, features) in documents {
            text += &format!("{grade} qid:{name}{query}");
            features.iter().enumerate().for_each(|(number, value)| text += &format!(" {}:{value}", number + 1));
            text.push('\n');
        }
    }
    text
}

/// Writes a collection of five folds. `test` may alter the queries of a test part.
pub fn collection(at: &Path, test: impl Fn(&mut Vec<Vec<Document>>)) {
    for fold in 1..=FOLDS {
        let folder = at.join(format!("data/Fold{fold}"));
        fs::create_dir_all(&folder).unwrap();
        for file in ["train", "vali", "test"] {
            let name = format!("{file}{fold}");
            let mut queries = part(&name);
            if file == "test" {
                test(&mut queries);
            }
            fs::write(folder.join(format!("{file}.txt")), letor(&queries, &name)).unwrap();
        }
    }
}
