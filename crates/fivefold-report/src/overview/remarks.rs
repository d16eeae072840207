//! Remarks on data sets, each said once.

use fivefold_analysis::page::PageDataset;
use fivefold_base::words::list;

/// A remark of some data sets, which differs in its numbers only.
struct Remark<'d> {
    datasets: Vec<&'d str>,
    /// The words of each data set's remark.
    words: Vec<Vec<&'d str>>,
}

/// The remarks of all data sets. Remarks that differ in numbers only become one line with ranges,
/// and a line that is not of all data sets begins with their names: `16 to 88 of 600 queries have
/// no relevant document`.
pub(super) fn merged(datasets: &[&PageDataset]) -> Vec<String> {
    let mut found: Vec<Remark<'_>> = Vec::new();
    for dataset in datasets {
        for remark in dataset.remarks.iter().map(|remark| remark.trim_end_matches('.')) {
            let words: Vec<&str> = remark.split(' ').collect();
            match found.iter_mut().find(|known| says_the_same(&known.words[0], &words)) {
                Some(known) => {
                    known.datasets.push(&dataset.name);
                    known.words.push(words);
                }
                None => found.push(Remark { datasets: vec![&dataset.name], words: vec![words] }),
            }
        }
    }
    found.iter().map(|remark| remark.line(datasets.len())).collect()
}

fn says_the_same(one: &[&str], other: &[&str]) -> bool {
    let pairs = || one.iter().zip(other);
    one.len() == other.len() && pairs().all(|(a, b)| a == b || number(a).is_some() && number(b).is_some())
}

fn number(word: &str) -> Option<u64> {
    word.parse().ok()
}

impl Remark<'_> {
    fn line(&self, of: usize) -> String {
        let word = |place: usize| {
            let numbers: Option<Vec<u64>> = self.words.iter().map(|own| number(own[place])).collect();
            let ends = numbers.and_then(|all| Some((*all.iter().min()?, *all.iter().max()?)));
            match ends {
                Some((least, most)) if least < most => format!("{least} to {most}"),
                _ => self.words[0][place].to_owned(),
            }
        };
        let words: Vec<String> = (0..self.words[0].len()).map(word).collect();
        let label = if self.datasets.len() < of { format!("{}: ", list(&self.datasets)) } else { String::new() };
        format!("{label}{}", words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn remarks_that_differ_in_numbers_are_one_line() {
        let dataset = |name: &str, remarks: &[&str]| PageDataset {
            name: name.to_owned(),
            remarks: remarks.iter().map(|&remark| remark.to_owned()).collect(),
            ..samples::three_systems(Vec::new())
        };
        let of = |datasets: &[PageDataset]| merged(&datasets.iter().collect::<Vec<_>>());
        let a = dataset("a", &["16 of 300 queries have no relevant document.", "A note."]);
        let b = dataset("b", &["88 of 300 queries have no relevant document."]);
        let c = dataset("c", &["1 of 300 queries has no relevant document."]);
        assert_eq!(of(&[a.clone(), b.clone()]), ["16 to 88 of 300 queries have no relevant document", "a: A note"]);
        assert_eq!(
            of(&[a.clone(), b, c]),
            [
                "a and b: 16 to 88 of 300 queries have no relevant document",
                "a: A note",
                "c: 1 of 300 queries has no relevant document"
            ]
        );
        assert_eq!(of(&[a]), ["16 of 300 queries have no relevant document", "A note"]);
    }
}
