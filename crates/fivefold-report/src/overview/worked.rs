//! The UE versions worked out on one query.

use fivefold_analysis::Compared;
use fivefold_analysis::page::{PageDataset, PageValues};
use fivefold_base::rounding::ROUNDING;

/// The least and the highest value of the query, so that no version is at an end of its scale.
const BETWEEN: (f64, f64) = (0.2, 0.9);

/// V1 and V2 of one query, with every number. The numbers of the sentence are checked: the formulas
/// must give the values that the versions have. `None` without both versions, or without a query
/// whose original value is A/U.
pub(super) fn query(datasets: &[&PageDataset]) -> Option<String> {
    datasets.iter().find_map(|dataset| {
        let originals = dataset.compared.iter().filter(|own| own.measure == own.family);
        originals.into_iter().find_map(|own| of_measure(dataset, own))
    })
}

fn of_measure(dataset: &PageDataset, original: &Compared) -> Option<String> {
    let find = |version: &str| -> Option<&PageValues> {
        let wanted = format!("{}{version}", original.measure);
        let own = dataset.compared.iter().find(|own| own.measure == wanted)?;
        let measure = own.measure_at(own.main_cutoff());
        dataset.values.iter().find(|values| values.measure == measure)
    };
    let (plain, v1, v2) = (find("")?, find(".v1")?, find(".v2")?);
    let expected = plain.expected.as_ref()?;
    let best = original.order(original.main_cutoff()).into_iter().map(|place| original.systems[place]).next()?;
    let shown = dataset.shown.iter().position(|&system| system == best)?;
    (0..dataset.sample.len()).find_map(|query| {
        let (a, e) = (plain.values[shown][query]?, expected[query]?);
        let (one, two) = (v1.values[shown][query]?, v2.values[shown][query]?);
        let agrees = (a * a / (a + e) - one).abs() < ROUNDING && ((a - e) / (1.0 - e) - two).abs() < ROUNDING;
        (agrees && e > 0.0 && e < a && BETWEEN.0 < a && a < BETWEEN.1).then(|| {
            let (id, on, name) = (&dataset.sample[query].id, dataset.on(), &dataset.systems[best]);
            let (measure, v1, v2) = (&plain.measure, &v1.measure, &v2.measure);
            format!(
                "On query {id}{on}, {name} has {measure} = A/U = {a:.4}, and a random order has E/U = {e:.4}. So \
                 {v1} = {a:.4} \u{d7} {a:.4} / ({a:.4} + {e:.4}) = {one:.4}, and {v2} = ({a:.4} \u{2212} {e:.4}) / \
                 (1 \u{2212} {e:.4}) = {two:.4}."
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use fivefold_analysis::page::PageQuery;

    use super::*;
    use crate::samples;

    /// A/U = .8 and E/U = .4 give V1 = .64/1.2 = .5333 and V2 = .4/.6 = .6667. The first query is at
    /// the end of the scale.
    #[test]
    fn a_query_is_worked_out_if_the_formulas_give_its_values() {
        let compared = |measure: &str| {
            let mut own = samples::compared(measure, [0.2, 0.9, 0.5], [Some(0.01); 3]);
            own.family = "ndcg".to_owned();
            own
        };
        let mut dataset = samples::three_systems(["ndcg", "ndcg.v1", "ndcg.v2"].map(compared).to_vec());
        dataset.sample = ["1", "2"].map(|id| PageQuery { id: id.to_owned(), facts: None }).to_vec();
        // The second system is the best.
        let values = |measure: &str, of_best: [f64; 2]| PageValues {
            measure: format!("{measure}@10"),
            classes: Vec::new(),
            expected: Some(vec![Some(0.4); 2]),
            values: vec![vec![None; 2], of_best.map(Some).to_vec(), vec![None; 2]],
        };
        let (one, two) = (0.64 / (0.8 + 0.4), (0.8 - 0.4) / (1.0 - 0.4));
        dataset.values =
            vec![values("ndcg", [1.0, 0.8]), values("ndcg.v1", [1.0 / 1.4, one]), values("ndcg.v2", [1.0, two])];
        assert_eq!(
            query(&[&dataset]).unwrap(),
            "On query 2 on d, b has ndcg@10 = A/U = 0.8000, and a random order has E/U = 0.4000. So ndcg.v1@10 = 0.8000 \
             × 0.8000 / (0.8000 + 0.4000) = 0.5333, and ndcg.v2@10 = (0.8000 − 0.4000) / (1 − 0.4000) = 0.6667."
        );
        dataset.values[1].values[1][1] = Some(0.6);
        assert_eq!(query(&[&dataset]), None);
    }
}
