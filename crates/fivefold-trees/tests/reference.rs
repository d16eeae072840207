//! Compares the grower with a plain grower that tries every cut of every leaf in f64, document by
//! document.
#![allow(clippy::unwrap_used)]

use fivefold_trees::{BinnedMatrix, Gradients, Grower, Growth, LeafDocuments, Precision, Rows, Tree, add_tree_scores};

/// A small random generator without a dependency (Marsaglia's xorshift).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

struct Made {
    values: Vec<f32>,
    width: usize,
    first: Vec<f64>,
    second: Vec<f64>,
    copies: Vec<u32>,
}

fn made(seed: u64, rows: usize, width: usize, missing: f64) -> Made {
    let mut draws = Draws(seed * 2 + 1);
    let mut values = Vec::with_capacity(rows * width);
    for _ in 0..rows {
        for feature in 0..width {
            let steps = [3.0, 10.0, 1e6, 1.0][feature % 4];
            let value = (draws.uniform() * steps).floor() as f32 - 2.0;
            values.push(if draws.uniform() < missing { f32::NAN } else { value });
        }
    }
    let first = (0..rows)
        .map(|row| {
            let x = &values[row * width..(row + 1) * width];
            let signal = f64::from(x[0].max(-3.0)) * 0.5 - f64::from(u8::from(x[1] > 3.0));
            signal + draws.uniform() - 0.5
        })
        .collect();
    let second = (0..rows).map(|_| draws.uniform() * 0.25 + 1e-3).collect();
    let copies = (0..rows).map(|_| (draws.next() % 4) as u32).collect();
    Made { values, width, first, second, copies }
}

/// Grows a tree by trying all cuts between neighbouring values, with sums in f64. Leaves hold row
/// numbers. Returns the gains in order, and each row's Newton value.
fn reference(made: &Made, growth: &Growth, copies: &[u32]) -> (Vec<f64>, Vec<f64>) {
    let Made { values, width, first, second, .. } = made;
    let at = |row: usize, feature: usize| values[row * width + feature];
    let sums = |rows: &[usize]| {
        rows.iter().fold((0.0, 0.0, 0u32), |(g, h, n), &row| {
            let copies = f64::from(copies[row]);
            (g + first[row] * copies, h + second[row] * copies, n + copies as u32)
        })
    };
    let score = |(g, h, _): (f64, f64, u32)| g * g / (h + growth.l2);
    // LightGBM's count of a side: the sum of the rounded estimates of all values that `chosen`
    // picks. A value is a bin here.
    let estimate = |rows: &[usize], feature: usize, chosen: &dyn Fn(f32) -> bool| {
        let (_, all_hessians, documents) = sums(rows);
        let mut values: Vec<f32> = rows.iter().map(|&row| at(row, feature)).filter(|&v| chosen(v)).collect();
        values.sort_by(f32::total_cmp);
        values.dedup();
        let hessian = |value: f32| -> f64 {
            let of_value = rows.iter().filter(|&&row| at(row, feature) == value);
            of_value.map(|&row| second[row] * f64::from(copies[row])).sum()
        };
        values.iter().map(|&value| (hessian(value) * f64::from(documents) / all_hessians).round() as i64).sum::<i64>()
    };
    let enough = |rows: &[usize], feature: usize, cut: f32, missing_left: bool, counted: (u32, u32)| {
        let all = i64::from(counted.0 + counted.1);
        let (left, right) = match growth.leaf_documents {
            LeafDocuments::Counted => (i64::from(counted.0), i64::from(counted.1)),
            LeafDocuments::ByHessian => {
                let any_missing = rows.iter().any(|&row| at(row, feature).is_nan());
                if any_missing && !missing_left {
                    let left = estimate(rows, feature, &|value| value <= cut);
                    (left, all - left)
                } else {
                    let right = estimate(rows, feature, &|value| value > cut);
                    (all - right, right)
                }
            }
        };
        left.min(right) >= i64::from(growth.min_documents.max(1))
    };
    let best_cut = |rows: &[usize]| {
        let mut best: Option<(f64, Vec<usize>, Vec<usize>)> = None;
        for feature in 0..*width {
            let mut cuts: Vec<f32> = rows.iter().map(|&row| at(row, feature)).filter(|v| !v.is_nan()).collect();
            cuts.sort_by(f32::total_cmp);
            cuts.dedup();
            for cut in cuts {
                for missing_left in [false, true] {
                    let goes_left = |&row: &usize| {
                        let value = at(row, feature);
                        if value.is_nan() { missing_left } else { value <= cut }
                    };
                    let (left, right): (Vec<usize>, Vec<usize>) = rows.iter().copied().partition(goes_left);
                    let (l, r) = (sums(&left), sums(&right));
                    let enough = enough(rows, feature, cut, missing_left, (l.2, r.2));
                    if !enough || l.2.min(r.2) == 0 || l.1.min(r.1) < growth.min_hessian {
                        continue;
                    }
                    let gain = score(l) + score(r) - score(sums(rows));
                    if gain > 1e-9 && best.as_ref().is_none_or(|(most, ..)| gain > most * (1.0 + 1e-12)) {
                        best = Some((gain, left, right));
                    }
                }
            }
        }
        best
    };
    let root: Vec<usize> = (0..first.len()).filter(|&row| copies[row] > 0).collect();
    let mut leaves = vec![(root, 0)];
    let mut gains = Vec::new();
    while leaves.len() < growth.leaves {
        let candidates =
            leaves.iter().enumerate().filter(|(_, (_, depth))| growth.max_depth.is_none_or(|d| *depth < d));
        let cuts = candidates.filter_map(|(i, (rows, _))| best_cut(rows).map(|cut| (i, cut)));
        let Some((chosen, (gain, left, right))) = cuts.max_by(|a, b| a.1.0.total_cmp(&b.1.0)) else { break };
        let depth = leaves[chosen].1 + 1;
        gains.push(gain);
        leaves[chosen] = (left, depth);
        leaves.push((right, depth));
    }
    let mut predicted = vec![f64::NAN; first.len()];
    for (rows, _) in &leaves {
        let (g, h, _) = sums(rows);
        rows.iter().for_each(|&row| predicted[row] = -g / (h + growth.l2));
    }
    (gains, predicted)
}

fn check(made: &Made, growth: Growth, with_copies: bool) {
    let rows = made.first.len();
    let once = vec![1; rows];
    let copies = if with_copies { &made.copies } else { &once };
    let (gains, predicted) = reference(made, &growth, copies);
    let input = Rows::new(vec![&made.values], made.width);
    let matrix = BinnedMatrix::new(&input, 255);
    let mut grower = Grower::new(&matrix, growth);
    let gradients =
        Gradients { first: &made.first, second: Some(&made.second), copies: with_copies.then_some(&made.copies) };
    let tree = grower.grow(gradients, None, &mut |_| 0).unwrap();
    let found: Vec<f64> = tree.nodes().map(|node| node.gain).collect();
    assert_eq!(found.len(), gains.len());
    for (found, expected) in found.iter().zip(&gains) {
        assert!((found - expected).abs() <= 1e-7 * expected.abs(), "{found} {expected}");
    }
    // The leaves are the same by the grower's rows and by walking the tree with the original
    // values.
    let mut walked = vec![0.0; rows];
    add_tree_scores(&tree, &input, &mut walked);
    let mut kept = vec![f64::NAN; rows];
    for (value, rows) in tree.values().iter().zip(grower.leaf_rows()) {
        rows.iter().for_each(|&row| kept[row as usize] = *value);
    }
    for row in (0..rows).filter(|&row| copies[row] > 0) {
        assert_eq!(walked[row], kept[row]);
        assert!((walked[row] - predicted[row]).abs() < 1e-6, "row {row}: {} {}", walked[row], predicted[row]);
    }
    // The covers are the counts and hessians of each leaf's documents.
    let (mut documents, mut hessian) = (vec![0; tree.values().len()], vec![0.0; tree.values().len()]);
    for (row, values) in made.values.chunks(made.width).enumerate() {
        let leaf = tree.leaf_of(values);
        documents[leaf] += copies[row];
        hessian[leaf] += f64::from(copies[row]) * made.second[row];
    }
    assert_eq!(tree.documents(), Some(&documents[..]));
    for (leaf, expected) in hessian.iter().enumerate() {
        let found = tree.hessian(leaf).unwrap();
        assert!((found - expected).abs() < 1e-6, "leaf {leaf}: {found} {expected}");
    }
}

#[test]
fn trees_are_those_of_the_exact_grower() {
    for seed in 1..9 {
        let missing = if seed % 2 == 0 { 0.2 } else { 0.0 };
        let made = made(seed, 60 + 20 * seed as usize, 2 + 3 * (seed as usize % 4), missing);
        let loose = Growth { leaves: 12, min_documents: 1, min_hessian: 0.0, l2: 0.5, ..Growth::default() };
        check(&made, loose, false);
        check(&made, Growth { min_documents: 9, min_hessian: 0.8, l2: 0.0, ..loose }, false);
        check(&made, Growth { max_depth: Some(2), min_documents: 3, ..loose }, true);
        for (min_documents, with_copies) in [(1, false), (9, false), (20, true)] {
            let by_hessian = Growth { leaf_documents: LeafDocuments::ByHessian, min_documents, ..loose };
            check(&made, by_hessian, with_copies);
        }
    }
}

fn grow_in_pool(made: &Made, threads: usize, growth: Growth) -> Tree {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let matrix = BinnedMatrix::new(&Rows::new(vec![&made.values], made.width), 64);
        let mut draws = Draws(99);
        let gradients = Gradients { first: &made.first, second: Some(&made.second), copies: None };
        Grower::new(&matrix, growth).grow(gradients, None, &mut |n| (draws.next() % n as u64) as usize).unwrap()
    })
}

#[test]
fn any_number_of_threads_grows_the_same_tree() {
    let made = made(5, 3000, 30, 0.1);
    let growth = Growth { leaves: 31, min_documents: 5, ..Growth::default() };
    let quantised = Growth { precision: Precision::Quantised, ..growth };
    for growth in [growth, Growth { node_features: 0.3, ..growth }, quantised] {
        let one = grow_in_pool(&made, 1, growth);
        assert_eq!(one.values().len(), 31);
        assert_eq!(one, grow_in_pool(&made, 2, growth));
        assert_eq!(one, grow_in_pool(&made, 3, growth));
    }
    let grown = |growth| grow_in_pool(&made, 1, growth);
    assert_ne!(grown(growth), grown(Growth { node_features: 0.3, ..growth }));
    assert_ne!(grown(growth), grown(quantised));
}

/// Gradients that are whole units need no rounding, so the tree is that of the exact gradients.
#[test]
fn quantised_gradients_of_whole_units_grow_the_exact_tree() {
    for (missing, leaf_documents) in [(0.0, LeafDocuments::Counted), (0.2, LeafDocuments::ByHessian)] {
        let mut made = made(6, 4000, 20, missing);
        made.first.iter_mut().for_each(|gradient| *gradient = (*gradient * 4.0).round());
        made.second.iter_mut().for_each(|hessian| *hessian = if *hessian < 0.1 { 1.0 } else { 2.0 });
        let growth = Growth { leaves: 31, min_documents: 5, leaf_documents, ..Growth::default() };
        let exact = grow_in_pool(&made, 1, growth);
        assert_eq!(exact.values().len(), 31);
        assert_eq!(exact, grow_in_pool(&made, 1, Growth { precision: Precision::Quantised, ..growth }));
    }
}

/// Leaf values are Newton steps of the exact gradients of the leaf's documents.
#[test]
fn leaf_values_of_quantised_gradients_are_exact() {
    let made = made(8, 2000, 20, 0.1);
    let matrix = BinnedMatrix::new(&Rows::new(vec![&made.values], made.width), 255);
    let growth = Growth { leaves: 12, l2: 0.5, precision: Precision::Quantised, ..Growth::default() };
    let mut grower = Grower::new(&matrix, growth);
    let gradients = Gradients { first: &made.first, second: Some(&made.second), copies: Some(&made.copies) };
    let mut draws = Draws(5);
    let tree = grower.grow(gradients, None, &mut |n| (draws.next() % n as u64) as usize).unwrap();
    assert_eq!(tree.values().len(), 12);
    for ((rows, value), documents) in grower.leaf_rows().zip(tree.values()).zip(tree.documents().unwrap()) {
        let sum = |values: &[f64]| -> f64 {
            rows.iter().map(|&row| values[row as usize] * f64::from(made.copies[row as usize])).sum()
        };
        // Hessians are exact to 3e-12 of their sum (`cells`); those of words would be wrong by some 1e-6.
        assert!((value + sum(&made.first) / (sum(&made.second) + 0.5)).abs() < 5e-8);
        assert_eq!(*documents, rows.iter().map(|&row| made.copies[row as usize]).sum::<u32>());
        assert!(*documents >= 20);
    }
}

#[test]
fn small_nodes_and_large_ones_are_cut_alike() {
    // 200 rows are searched without histograms. The same rows eight times need histograms, and must
    // give the same tree as eight copies of each row.
    for (missing, node_features) in [(0.0, 1.0), (0.2, 1.0), (0.2, 0.4)] {
        let made = made(7, 200, 11, missing);
        let growth = Growth { leaves: 25, min_documents: 10, l2: 0.5, node_features, ..Growth::default() };
        let grown = |times: usize, copies: Option<&[u32]>| {
            let values = made.values.repeat(times);
            let matrix = BinnedMatrix::new(&Rows::new(vec![&values], made.width), 255);
            let (first, second) = (made.first.repeat(times), made.second.repeat(times));
            let gradients = Gradients { first: &first, second: Some(&second), copies };
            let mut draws = Draws(77);
            Grower::new(&matrix, growth).grow(gradients, None, &mut |n| (draws.next() % n as u64) as usize).unwrap()
        };
        let (once, repeated) = (grown(1, Some(&[8; 200])), grown(8, None));
        assert_eq!(once, repeated);
        assert_eq!(once.values().len(), 25);
    }
}

#[test]
fn only_the_given_features_are_used() {
    let made = made(3, 500, 20, 0.0);
    let matrix = BinnedMatrix::new(&Rows::new(vec![&made.values], made.width), 255);
    let mut grower = Grower::new(&matrix, Growth { min_documents: 1, ..Growth::default() });
    let gradients = Gradients { first: &made.first, second: None, copies: None };
    let tree = grower.grow(gradients, Some(&[2, 9, 14]), &mut |_| 0).unwrap();
    assert!(tree.nodes().len() > 5);
    assert!(tree.nodes().all(|node| [2, 9, 14].contains(&node.feature)));
}

#[test]
fn degenerate_data_gives_one_leaf() {
    let leaf = |values: &[f32], first: &[f64]| {
        let matrix = BinnedMatrix::new(&Rows::new(vec![values], 1), 255);
        let growth = Growth { min_documents: 1, min_hessian: 0.0, ..Growth::default() };
        let tree = Grower::new(&matrix, growth)
            .grow(Gradients { first, second: Some(&vec![0.5; first.len()]), copies: None }, None, &mut |_| 0)
            .unwrap();
        assert_eq!(tree.values().len(), 1, "{values:?}");
        tree.values()[0]
    };
    assert_eq!(leaf(&[3.0; 4], &[1.0, -2.0, 4.0, 5.0]), -4.0);
    assert_eq!(leaf(&[f32::NAN; 2], &[1.0, -2.0]), 1.0);
    assert_eq!(leaf(&[7.0], &[1.0]), -2.0);
    assert_eq!(leaf(&[], &[]), 0.0);
    // With equal gradients no cut has a gain.
    assert_eq!(leaf(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], &[0.1; 7]), -0.2);
    assert_eq!(leaf(&[1.0, 2.0], &[0.0; 2]), 0.0);
}

#[test]
fn present_can_be_cut_from_missing() {
    let values = [1.0, f32::NAN, 1.0, f32::NAN, 1.0];
    let matrix = BinnedMatrix::new(&Rows::new(vec![&values], 1), 255);
    let growth = Growth { min_documents: 1, ..Growth::default() };
    let first = [1.0, -3.0, 1.0, -3.0, 1.0];
    let tree = Grower::new(&matrix, growth)
        .grow(Gradients { first: &first, second: None, copies: None }, None, &mut |_| 0)
        .unwrap();
    let value = |x: f32| tree.values()[tree.leaf_of(&[x])];
    assert_eq!((value(f32::NAN), value(1.0), value(f32::INFINITY)), (3.0, -1.0, -1.0));
}

#[test]
fn missing_follows_the_majority_where_training_has_none() {
    for (first, missing) in [([-1.0, -1.0, -1.0, 5.0], 1.0), ([-5.0, 1.0, 1.0, 1.0], -1.0)] {
        let matrix = BinnedMatrix::new(&Rows::new(vec![&[1.0, 2.0, 3.0, 4.0]], 1), 255);
        let growth = Growth { leaves: 2, min_documents: 1, ..Growth::default() };
        let gradients = Gradients { first: &first, second: None, copies: None };
        let tree = Grower::new(&matrix, growth).grow(gradients, None, &mut |_| 0).unwrap();
        assert_eq!(tree.values()[tree.leaf_of(&[f32::NAN])], missing);
    }
}

#[test]
fn hessians_of_zero_never_give_a_value_that_is_not_finite() {
    let values: Vec<f32> = (0..50u8).map(f32::from).collect();
    let first: Vec<f64> = (0..50).map(|i| f64::from(i % 7) - 3.0).collect();
    let second: Vec<f64> = (0..50).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
    let matrix = BinnedMatrix::new(&Rows::new(vec![&values], 1), 255);
    let growth = Growth { min_documents: 1, min_hessian: 0.0, ..Growth::default() };
    for second in [second, vec![0.0; 50]] {
        let gradients = Gradients { first: &first, second: Some(&second), copies: None };
        let tree = Grower::new(&matrix, growth).grow(gradients, None, &mut |_| 0).unwrap();
        assert!(tree.values().iter().all(|value| value.is_finite()));
        assert!(tree.nodes().all(|node| node.gain.is_finite()));
    }
}

/// Compares with `lightgbm_trees.txt`, the value of each document's leaf in LightGBM's tree, for
/// each setting.
#[test]
fn leaves_by_hessian_are_those_of_lightgbm() {
    let mut lines = include_str!("lightgbm_trees.txt").lines();
    let settings: Vec<(usize, u32)> = lines
        .next()
        .unwrap()
        .split(' ')
        .map(|setting| setting.split_once('/').unwrap())
        .map(|(leaves, documents)| (leaves.parse().unwrap(), documents.parse().unwrap()))
        .collect();
    let documents: Vec<Vec<Vec<f64>>> = lines
        .map(|line| {
            line.split("; ").map(|part| part.split(' ').map(|value| value.parse().unwrap()).collect()).collect()
        })
        .collect();
    let values: Vec<f32> = documents.iter().flat_map(|parts| parts[0].iter().map(|&value| value as f32)).collect();
    let width = documents[0][0].len();
    let (first, second): (Vec<f64>, Vec<f64>) = documents.iter().map(|parts| (parts[1][0], parts[2][0])).unzip();
    let rows = Rows::new(vec![&values], width);
    let matrix = BinnedMatrix::new(&rows, 255);
    let mut differ = 0;
    for (number, &(leaves, min_documents)) in settings.iter().enumerate() {
        let wrong = |leaf_documents| {
            let growth = Growth { leaves, min_documents, leaf_documents, ..Growth::default() };
            let gradients = Gradients { first: &first, second: Some(&second), copies: None };
            let tree = Grower::new(&matrix, growth).grow(gradients, None, &mut |_| 0).unwrap();
            let mut scores = vec![0.0; first.len()];
            add_tree_scores(&tree, &rows, &mut scores);
            let expected = documents.iter().map(|parts| parts[3][number]);
            scores.iter().zip(expected).filter(|(found, expected)| (*found - expected).abs() > 1e-4).count()
        };
        assert_eq!(wrong(LeafDocuments::ByHessian), 0, "{leaves} leaves of {min_documents}");
        differ += usize::from(wrong(LeafDocuments::Counted) > 0);
    }
    assert!(differ >= 3, "the rules part in {differ} of {} settings", settings.len());
}
