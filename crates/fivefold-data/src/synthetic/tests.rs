use super::*;

/// Positions that count.
const CUTOFF: usize = 10;

/// The places with the highest keys, highest first; equal keys in their order.
fn best<K>(keys: &[K], compare: impl Fn(&K, &K) -> std::cmp::Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    let falling = |a: &usize, b: &usize| compare(&keys[*b], &keys[*a]).then(a.cmp(b));
    if places.len() > CUTOFF {
        places.select_nth_unstable_by(CUTOFF, falling);
        places.truncate(CUTOFF);
    }
    places.sort_by(falling);
    places
}

/// Plain nDCG@10 of queries, with gain 2^y - 1 and discount 1/log2(i+1).
struct Judge<'a> {
    data: &'a Dataset,
    /// The queries that have a relevant document, and the DCG of their ideal orders.
    ideals: Vec<(usize, f64)>,
}

impl<'a> Judge<'a> {
    fn new(data: &'a Dataset) -> Self {
        let of_query = |query: usize| {
            let grades = data.query(query).grades();
            (query, Judge::dcg(grades, &best(grades, u8::cmp)))
        };
        Judge { data, ideals: (0..data.len()).map(of_query).filter(|&(_, ideal)| ideal > 0.0).collect() }
    }

    fn dcg(grades: &[u8], order: &[usize]) -> f64 {
        let gain = |rank: usize| (libm::exp2(f64::from(grades[order[rank]])) - 1.0) / libm::log2(rank as f64 + 2.0);
        (0..order.len()).map(gain).sum()
    }

    fn mean(&self, mut score: impl FnMut(usize) -> Vec<f64>) -> f64 {
        let value = |&(query, ideal): &(usize, f64)| {
            Judge::dcg(self.data.query(query).grades(), &best(&score(query), f64::total_cmp)) / ideal
        };
        self.ideals.iter().map(value).sum::<f64>() / self.ideals.len() as f64
    }
}

/// Least squares of the grades on the columns of `basis`, with a small ridge. Columns are
/// standardised over the training rows.
fn fit(rows: &[Vec<f64>], targets: &[f64]) -> impl Fn(&[f64]) -> f64 + use<> {
    let (n, width) = (rows.len() as f64, rows[0].len());
    let mean: Vec<f64> = (0..width).map(|j| rows.iter().map(|row| row[j]).sum::<f64>() / n).collect();
    let spread = |j: usize| (rows.iter().map(|row| (row[j] - mean[j]).powi(2)).sum::<f64>() / n).sqrt();
    let scale: Vec<f64> = (0..width).map(|j| if spread(j) > 0.0 { 1.0 / spread(j) } else { 0.0 }).collect();
    let mut normal = vec![vec![0.0; width + 1]; width];
    for (row, target) in rows.iter().zip(targets) {
        let x: Vec<f64> = (0..width).map(|j| (row[j] - mean[j]) * scale[j]).collect();
        // The matrix is symmetric: one half is summed up.
        for (i, (normal, own)) in normal.iter_mut().zip(&x).enumerate() {
            normal[i..].iter_mut().zip(&x[i..]).for_each(|(sum, other)| *sum += own * other);
            normal[width] += own * target;
        }
    }
    for i in 0..width {
        let (above, below) = normal.split_at_mut(i);
        above.iter().zip(&mut below[0]).for_each(|(row, cell)| *cell = row[i]);
    }
    for (i, row) in normal.iter_mut().enumerate() {
        row[i] += 1.0;
    }
    for i in 0..width {
        let pivot = normal[i].clone();
        for j in (0..width).filter(|&j| j != i) {
            let factor = normal[j][i] / pivot[i];
            normal[j].iter_mut().zip(&pivot).skip(i).for_each(|(cell, pivot)| *cell -= factor * pivot);
        }
    }
    let weights: Vec<f64> = (0..width).map(|i| normal[i][width] / normal[i][i]).collect();
    move |row| (0..row.len()).map(|j| weights[j] * (row[j] - mean[j]) * scale[j]).sum()
}

/// Logarithms of the features' sizes. Any linear ranker would be given logarithms on such scales.
fn logs(row: &[f32]) -> Vec<f64> {
    row.iter().map(|&value| libm::log1p(f64::from(value).abs()).copysign(f64::from(value))).collect()
}

/// Learns from one document in [`THINNED`], of all queries.
fn train(data: &Dataset, basis: &dyn Fn(&[f32]) -> Vec<f64>) -> impl Fn(&[f64]) -> f64 + use<> {
    let documents = data.queries().flat_map(|query| query.rows().zip(query.grades())).step_by(THINNED);
    let (rows, targets): (Vec<Vec<f64>>, Vec<f64>) =
        documents.map(|(row, &grade)| (basis(row), f64::from(grade))).unzip();
    fit(&rows, &targets)
}

/// Few of the documents are enough to tell the rankers apart.
const THINNED: usize = 4;

#[test]
fn better_rankers_win() {
    for (shape, queries) in [(&SHAPES[0], 600), (&SHAPES[1], 300)] {
        let seed = Seed::new(3);
        let data = make(shape, queries, seed).unwrap();
        let (learn, test) = (data.slice(0..queries * 2 / 3), data.slice(queries * 2 / 3..queries));
        let first = queries * 2 / 3;
        let judge = Judge::new(&test);
        let oracle = judge.mean(|q| {
            let mut plan = QueryPlan::draw(shape, seed.derive(shape.name).derive_index("query", (first + q) as u64));
            let documents = plan.documents(shape, &mut vec![0; plan.documents]);
            documents.iter().map(|document| document.utility(plan.intent)).collect()
        });
        let score = |basis: &dyn Fn(&[f32]) -> Vec<f64>| {
            let model = train(&learn, basis);
            judge.mean(|q| test.query(q).rows().map(|row| model(&basis(row))).collect())
        };
        let linear = score(&logs);
        // Squares and products of a few features, which a tree could find.
        let width = shape.features();
        let chosen: &[usize] =
            if width == 46 { &[20, 21, 22, 23, 15, 40, 42, 45] } else { &[105, 106, 107, 108, 10, 15, 129, 131, 133] };
        let nonlinear = score(&|row| {
            let mut basis = logs(row);
            for (i, &a) in chosen.iter().enumerate() {
                chosen[..=i].iter().for_each(|&b| basis.push(basis[a] * basis[b]));
            }
            basis
        });
        let single = |feature: usize, sign: f64| {
            judge.mean(|q| test.query(q).rows().map(|row| sign * f64::from(row[feature])).collect())
        };
        let best = (0..width).flat_map(|feature| [single(feature, 1.0), single(feature, -1.0)]).fold(0.0, f64::max);
        let mut rng = Seed::new(1).rng();
        let random = judge.mean(|q| (0..test.query(q).len()).map(|_| rng.uniform()).collect());
        println!(
            "{}: oracle {oracle:.3}, nonlinear {nonlinear:.3}, linear {linear:.3}, feature {best:.3}, random {random:.3}",
            shape.name
        );
        assert!(oracle > nonlinear + 0.02 && nonlinear > linear + 0.01, "{}", shape.name);
        assert!(linear > best + 0.03 && best > random + 0.05, "{}", shape.name);
    }
}

/// Grades are drawn before features, so the statistics of many queries need no features.
#[test]
fn statistics_are_the_published_ones() {
    for shape in SHAPES {
        let seed = Seed::new(11);
        let queries: Vec<Vec<u8>> = (0..3000)
            .map(|number| {
                let mut plan = QueryPlan::draw(shape, seed.derive(shape.name).derive_index("query", number));
                let mut grades = vec![0; plan.documents];
                plan.documents(shape, &mut grades);
                grades
            })
            .collect();
        let made = make(shape, 50, seed).unwrap();
        assert!(made.queries().zip(&queries).all(|(query, grades)| query.grades() == grades));
        let documents = queries.iter().map(Vec::len).sum::<usize>() as f64;
        for (grade, share) in shape.grades.iter().enumerate() {
            let count = queries.iter().flatten().filter(|&&g| usize::from(g) == grade).count();
            let found = count as f64 / documents;
            assert!((found - share).abs() < 0.015, "{} grade {grade}: {found} for {share}", shape.name);
        }
        let mean = documents / queries.len() as f64;
        assert!((mean / shape.documents - 1.0).abs() < 0.03, "{}: {mean} documents a query", shape.name);
        let share = |holds: &dyn Fn(&[u8]) -> bool| {
            queries.iter().filter(|grades| holds(grades)).count() as f64 / queries.len() as f64
        };
        let barren = share(&|grades| grades.iter().all(|&g| g == 0));
        assert!((barren - shape.barren).abs() < 0.04, "{}: {barren} without relevant documents", shape.name);
        let broad = share(&|grades| grades.iter().filter(|&&g| g >= 2).count() * 2 >= grades.len());
        assert!(broad > shape.broad / 2.0 && broad < shape.broad * 2.0, "{}: {broad} broad", shape.name);
        assert_eq!((made.width(), made.max_grade()), if shape.scaled { (46, 2) } else { (136, 4) });
    }
}

#[test]
fn scales_are_like_the_real_ones() {
    let scaled = make(&SHAPES[0], 50, Seed::new(5)).unwrap();
    assert!(scaled.queries().all(|q| q.features().iter().all(|v| (0.0..=1.0).contains(v))));
    let mixed = make(&SHAPES[1], 200, Seed::new(5)).unwrap();
    let values = || mixed.queries().flat_map(|q| q.features().iter());
    let zeros = values().filter(|&&v| v == 0.0).count() as f64 / values().count() as f64;
    assert!((0.3..0.6).contains(&zeros), "{zeros} zeros");
    assert!(values().all(|v| v.is_finite()) && values().any(|&v| v > 1e5) && values().any(|&v| v < -20.0));
}

#[test]
fn queries_do_not_depend_on_their_number_or_on_threads() {
    let small = make(&SHAPES[0], 20, Seed::new(9)).unwrap();
    let large = make(&SHAPES[0], 60, Seed::new(9)).unwrap();
    assert_eq!(crate::hash::data_hash(&small), crate::hash::data_hash(&large.slice(0..20)));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(
        crate::hash::data_hash(&one.install(|| make(&SHAPES[0], 60, Seed::new(9))).unwrap()),
        crate::hash::data_hash(&large)
    );
    assert_ne!(crate::hash::data_hash(&make(&SHAPES[0], 20, Seed::new(10)).unwrap()), crate::hash::data_hash(&small));
}

#[test]
fn names_of_shapes() {
    assert_eq!(shape("mq2007").unwrap().features(), 46);
    assert_eq!(shape("mslr-web30k").unwrap().features(), 136);
    let error = shape("mq207").map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "unknown shape \"mq207\" of a synthetic collection; did you mean \"mq2007\"?");
}

#[test]
fn more_queries_than_memory_holds_are_refused() {
    let error = make(&SHAPES[0], 99_999_999_999, Seed::new(0)).unwrap_err();
    assert!(error.to_string().starts_with("99999999999 queries are too many to make"), "{error}");
}
