//! RankSVM on whole collections, beside printed results. Needs the real data, as `mq2008`.

use std::path::PathBuf;

use fivefold_core::{Dataset, FitContext, Model as _, Ranker as _, Seed};
use fivefold_data::{Fold, Normaliser, NormaliserMethod, Over, Source, open};
use fivefold_metrics::{Conventions, Objective, Scratch, dialect};
use fivefold_rankers::RankSvm;
use fivefold_rankers::linear_model::LinearModel;

/// The mean of a measure over the test parts, where C is the best of seven on the validation
/// part, by the same measure.
fn tuned(name: &str, measure: &str, over_query: NormaliserMethod) -> Option<f64> {
    let Some(folder) = std::env::var_os("FIVEFOLD_DATA") else {
        println!("skipped: FIVEFOLD_DATA is not set");
        return None;
    };
    let source = Source { name: Some(name.to_owned()), ..Source::default() };
    let folds = open(&source, &[PathBuf::from(folder)]).unwrap().folds;
    let conventions = dialect("letor4").unwrap().conventions();
    let of_fold = |fold: &Fold| {
        let normalised = |data: &Dataset| {
            let normaliser = Normaliser { method: over_query, over: Over::Query };
            normaliser.fit(data).unwrap().apply(data).unwrap()
        };
        let train = normalised(&fold.train);
        let [validation, test] = [fold.validation.as_ref().unwrap(), &fold.test].map(normalised);
        let models = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0].map(|c| {
            let model = RankSvm { c, ..RankSvm::default() }.fit(&train, &FitContext::new(Seed::new(1))).unwrap();
            (mean(measure, &conventions, &model, &validation), c, model)
        });
        let best = models.iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        println!("C {}", best.1);
        mean(measure, &conventions, &best.2, &test)
    };
    let values: Vec<f64> = folds.iter().map(of_fold).collect();
    println!("{name} {measure}: {values:.4?}");
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

fn mean(measure: &str, conventions: &Conventions, model: &LinearModel, data: &Dataset) -> f64 {
    let scores: Vec<f64> = data.queries().flat_map(|query| model.scores(query.view())).collect();
    let objective = Objective::new(&measure.parse().unwrap(), conventions, data, Seed::new(1)).unwrap();
    objective.mean(&scores, &mut Scratch::default()).unwrap()
}

/// LETOR's printed RankSVM (`baselines/algorithms_ranksvm.csv` of LETOR 2.0, mean of five test
/// parts). LETOR tuned C too, but not on the list of C that is used here.
#[test]
fn ohsumed_ranks_as_letor_printed() {
    for (measure, printed) in [("ndcg@10", 0.4411), ("ap", 0.4469)] {
        let Some(found) = tuned("ohsumed", measure, NormaliserMethod::MinMax) else { return };
        assert!((found - printed).abs() < 0.015, "{measure}: {found}, printed {printed}");
    }
}

/// The printed results of SVMrank in `mq2008-systems/published` (mean of five test parts), from
/// the hinge without the square.
#[test]
fn mq2008_ranks_as_svmrank() {
    for (measure, printed) in [("meanndcg", 0.4825), ("ap", 0.4696)] {
        let Some(found) = tuned("mq2008", measure, NormaliserMethod::None) else { return };
        assert!((found - printed).abs() < 0.01, "{measure}: {found}, printed {printed}");
    }
}
