use fivefold_core::Seed;

use super::*;

fn higher(scores: &[f64]) -> Vec<u32> {
    let mut higher = Vec::new();
    clearly_higher(scores, &mut higher);
    higher
}

/// The events of documents in the order of their scores, if all are apart.
fn events(scores: &[f64], xs: &[f64], grades: &[u8], depth: usize, sign: f64) -> Option<Vec<Overtaking>> {
    let higher = higher(scores);
    let mut front = Front::default();
    let documents = Documents { scores, xs, grades, higher: &higher, background: 0, leaders: depth };
    let side = SIGNS.iter().position(|&other| other == sign).unwrap();
    front.sweep(&[documents]);
    front.events(0).map(|sides| sides[side].to_vec())
}

fn overtaking(t: f64, position: u32, grade: u8) -> Overtaking {
    Overtaking { t, position, grade }
}

#[test]
fn events_by_hand() {
    // The second document overtakes the first at 1. The third overtakes the first at 3/2, and the
    // second at 2.
    let (scores, xs, grades) = ([4.0, 3.0, 1.0], [0.0, 1.0, 2.0], [1, 0, 2]);
    let second_leads = overtaking(1.0, 0, 0);
    let third_leads = overtaking(2.0, 0, 2);
    assert_eq!(events(&scores, &xs, &grades, 1, 1.0), Some(vec![second_leads, third_leads]));
    let third_is_second = overtaking(1.5, 1, 2);
    assert_eq!(events(&scores, &xs, &grades, 2, 1.0), Some(vec![second_leads, third_is_second, third_leads]));
    // Downwards, the order stays.
    assert_eq!(events(&scores, &xs, &grades, 2, -1.0), Some(vec![]));
    assert_eq!(events(&scores, &xs.map(|x| -x), &grades, 1, -1.0), Some(vec![second_leads, third_leads]));
}

/// Queries of all lengths side by side have the events of each query alone, in vectors of any
/// length.
#[test]
fn events_are_the_same_on_any_processor() {
    let mut rng = Seed::new(4).rng();
    for depth in [1, 3, 10, 11, 31] {
        let queries: Vec<(Vec<f64>, Vec<f64>, Vec<u8>)> = (0..40)
            .map(|number| {
                let mut numbers = |count| -> Vec<f64> { (0..count).map(|_| rng.normal()).collect() };
                let (mut scores, xs) = (numbers(1 + number), numbers(1 + number));
                scores.sort_by(|a, b| b.total_cmp(a));
                // A few queries have one grade, and a few have documents that coincide.
                let grade = |document| (document % 3) as u8 * u8::from(number % 9 > 0);
                if number % 11 == 10 {
                    scores[1] = scores[0];
                }
                (scores, xs, (0..=number).map(grade).collect())
            })
            .collect();
        let higher: Vec<Vec<u32>> = queries.iter().map(|query| higher(&query.0)).collect();
        let documents: Vec<Documents<'_>> = (queries.iter().zip(&higher))
            .map(|((scores, xs, grades), higher)| {
                let leaders = depth.min(scores.len());
                Documents { scores, xs, grades, higher, background: 0, leaders }
            })
            .collect();
        let events = |most, documents: &[Documents<'_>]| -> Vec<Option<[Vec<Overtaking>; 2]>> {
            let mut front = Front::default();
            front.sweep_at_most(most, documents);
            (0..documents.len()).map(|query| Some(front.events(query)?.map(<[Overtaking]>::to_vec))).collect()
        };
        let alone: Vec<_> = documents.iter().flat_map(|query| events(Program::Plain, &[*query])).collect();
        assert!(alone.iter().flatten().flatten().map(Vec::len).sum::<usize>() > 30);
        assert!(alone.contains(&None) && alone.contains(&Some([vec![], vec![]])));
        for program in [Program::Plain, Program::Avx2, Program::Avx512] {
            assert!(events(program, &documents) == alone, "{depth} {program:?}");
        }
    }
}

#[test]
fn a_sweep_gives_up_where_events_coincide() {
    let of_lines = |scores: &[f64], xs: &[f64], depth| events(scores, xs, &[1, 0, 2, 0][..xs.len()], depth, 1.0);
    // All three lines meet at 1.
    assert_eq!(of_lines(&[3.0, 2.0, 1.0], &[0.0, 1.0, 2.0], 2), None);
    assert_eq!(of_lines(&[3.0, 2.0, 1.0], &[0.0, 1.0, 2.0], 1), None);
    // The lines meet near 1, at three places that differ by rounding alone.
    let nearly = [3.0, 2.0, 1.0 + 4.0 * f64::EPSILON];
    assert_eq!(of_lines(&nearly, &[0.0, 1.0, 2.0], 2), None);
    assert_eq!(of_lines(&nearly, &[0.0, 1.0, 2.0], 1), None);
    // The lines of the first two and of the last two documents meet at 1.
    assert_eq!(of_lines(&[4.0, 3.0, 1.0, 0.0], &[0.0, 1.0, 0.0, 1.0], 4), None);
    // Two documents are equal, and overtake at one place.
    assert_eq!(of_lines(&[3.0, 2.0, 2.0], &[0.0, 1.0, 1.0], 1), None);
    // Equal scores meet at 0.
    assert_eq!(of_lines(&[3.0, 3.0], &[0.0, 1.0], 1), None);
    // The place is greater than any number.
    assert_eq!(of_lines(&[1e300, -1e300], &[0.0, 1e-300], 1), None);
}

/// The last two documents overtake the first at one place, but for rounding. The lower of them has
/// grade 2 and never leads.
#[test]
fn of_parallel_documents_the_lower_never_leads() {
    for others in 0..20 {
        let (mut scores, mut xs, mut grades) = (vec![7.0 / 3.0], vec![0.0], vec![1]);
        for number in (0..others).map(f64::from) {
            scores.push(-0.01 * number);
            xs.push(1.0 + 0.03 * number);
        }
        scores.extend([-0.3333333333333333, -0.3333333333333335]);
        xs.extend([2.0, 2.0]);
        grades.resize(xs.len() - 1, 0);
        grades.push(2);
        if let Some(found) = events(&scores, &xs, &grades, 1, 1.0) {
            assert_eq!(found.iter().map(|event| event.grade).collect::<Vec<_>>(), [0], "{others}");
        }
    }
}

#[test]
fn documents_that_never_lead_are_no_chasers() {
    let (scores, xs) = ([9.0, 8.0, 7.0, 6.0, 5.0], [1.0, 3.0, 2.0, 4.0, 3.0]);
    let higher = higher(&scores);
    let chasers = |leaders, sign| {
        let documents =
            Documents { scores: &scores, xs: &xs, grades: &[1; 5], higher: &higher, background: 0, leaders };
        let mut chasers = Chasers::default();
        chasers.find::<[f64; 4], 4, 16>(documents, sign);
        chasers.scores.into_iter().filter(|&score| score > 0.0).collect::<Vec<_>>()
    };
    assert_eq!(chasers(1, 1.0), [8.0, 6.0]);
    assert_eq!(chasers(2, 1.0), [7.0, 6.0]);
    assert!(chasers(1, -1.0).is_empty());
    assert_eq!(chasers(2, -1.0), [7.0]);
}

#[test]
fn scores_that_differ_by_rounding_are_not_clearly_higher() {
    let next = |score: f64| f64::from_bits(score.to_bits() - 1);
    assert_eq!(higher(&[2.0, next(2.0), 1.0, 1.0]), [0, 0, 2, 2]);
    assert_eq!(higher(&[0.0, -0.0, -1e-3]), [0, 0, 2]);
}
