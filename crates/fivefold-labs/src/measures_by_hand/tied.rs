//! The arithmetic of a query with ties, as the worksheet asks for it: the value of each order of the
//! documents that tie, and the mean.

use crate::error::LabError;
use crate::explained::number;

/// All rankings that the scores allow, each as indices of documents from the first rank to the last;
/// `None` if no documents tie.
pub(super) fn orders(scores: &[f64]) -> Option<Vec<Vec<usize>>> {
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _rank in 0..scores.len() {
        let next = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            let open: Vec<usize> = (0..scores.len()).filter(|document| !order.contains(document)).collect();
            let highest = open.iter().map(|&document| scores[document]).fold(f64::NEG_INFINITY, f64::max);
            let first = open.into_iter().filter(|&document| scores[document] >= highest);
            first.map(|document| [&order[..], &[document]].concat()).collect()
        };
        orders = orders.iter().flat_map(next).collect();
    }
    (orders.len() > 1).then_some(orders)
}

/// A line for each order, and the mean. `value` gives the measure's value for scores without ties.
pub(super) fn steps(
    orders: &[Vec<usize>],
    ids: &[&str],
    measure: &str,
    mut value: impl FnMut(&[f64]) -> Result<f64, LabError>,
) -> Result<Vec<String>, LabError> {
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for order in orders {
        let mut scores = vec![0.0; order.len()];
        order.iter().enumerate().for_each(|(rank, &document)| scores[document] = -(rank as f64));
        let found = value(&scores)?;
        let shown: Vec<&str> = order.iter().map(|&document| ids[document]).collect();
        lines.push(format!("order {}: {measure} {}", shown.join(" "), number(found)));
        values.push(found);
    }
    let terms: Vec<String> = values.iter().map(|value| number(*value)).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    lines.push(format!("mean = ({}) / {} = {}", terms.join(" + "), values.len(), number(mean)));
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_by_hand() {
        assert_eq!(orders(&[0.1, 0.3, 0.2]), None);
        assert_eq!(orders(&[0.1, 0.3, 0.1]).unwrap(), [[1, 0, 2], [1, 2, 0]]);
        assert_eq!(orders(&[0.5, 0.5, 0.5, 0.1]).unwrap().len(), 6);
    }

    #[test]
    fn the_mean_ends_the_steps() {
        let orders = orders(&[0.5, 0.5]).unwrap();
        let found = steps(&orders, &["a", "b"], "rr", |scores| Ok(if scores[0] > scores[1] { 1.0 } else { 0.5 }));
        assert_eq!(found.unwrap(), ["order a b: rr 1", "order b a: rr 0.5", "mean = (1 + 0.5) / 2 = 0.75"]);
    }
}
