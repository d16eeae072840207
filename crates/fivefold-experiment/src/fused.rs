//! The scores of a ranker of kind `fusion`: the rankings of other rankers, combined query by query.
//! The fusion sees scores only, neither features nor grades.

use fivefold_core::Dataset;
use fivefold_fusion::{Fusion, FusionError, Ranked, Ties};
use rayon::prelude::*;

/// Fuses the scores that several rankers gave to the documents of a part. `members` holds the scores
/// of each ranker, in the order of the part's documents.
///
/// # Errors
/// If the normaliser cannot take the scores of a query; the text names the query.
pub(crate) fn fused_scores(fusion: &Fusion, part: &Dataset, members: &[Vec<f64>]) -> Result<Vec<f64>, String> {
    let mut first = 0;
    let queries: Vec<(&str, usize, usize)> = part
        .queries()
        .map(|query| {
            first += query.len();
            (query.id(), first - query.len(), query.len())
        })
        .collect();
    let fuse = |&(id, first, documents): &(&str, usize, usize)| {
        let of_query = || -> Result<Vec<f64>, FusionError> {
            let ranked = |scores: &Vec<f64>| {
                Ranked::new(scores[first..first + documents].iter().copied().enumerate(), Ties::Average)
            };
            let systems = members.iter().map(ranked).collect::<Result<Vec<_>, _>>()?;
            fusion.scores(documents, &systems)
        };
        of_query().map_err(|error| format!("query {id}: {error}"))
    };
    let fused: Vec<Vec<f64>> = queries.par_iter().map(fuse).collect::<Result<_, String>>()?;
    Ok(fused.concat())
}

#[cfg(test)]
mod tests {
    use fivefold_fusion::{method, normaliser};

    use super::*;

    fn part() -> Dataset {
        Dataset::of_queries(1, [(&[0.0, 0.0][..], &[0, 1][..]), (&[0.0, 0.0, 0.0], &[0, 1, 2])]).unwrap()
    }

    #[test]
    fn each_query_is_fused_by_itself() {
        let fusion = Fusion::new(method("borda").unwrap());
        let members = [vec![3.0, 4.0, 9.0, 8.0, 8.0], vec![1.0, 1.0, 5.0, 6.0, 7.0]];
        // First query: 1 + 1.5 and 2 + 1.5. Second: 3 + 1, 1.5 + 2, 1.5 + 3.
        assert_eq!(fused_scores(&fusion, &part(), &members).unwrap(), [2.5, 3.5, 4.0, 3.5, 4.5]);
    }

    #[test]
    fn an_error_names_the_query() {
        let fusion = Fusion::new(method("comb-sum").unwrap()).with_normaliser(normaliser("max").unwrap()).unwrap();
        let error = fused_scores(&fusion, &part(), &[vec![1.0, 0.0, -1.0, -2.0, -3.0]]).unwrap_err();
        assert!(error.starts_with("query ") && error.contains("not positive"), "{error}");
    }
}
