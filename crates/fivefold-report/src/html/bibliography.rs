//! BibTeX of everything that was used: the paper, measures, rankers, the tie rule, tests, corrections, and what studies do.

use std::collections::BTreeSet;

use fivefold_analysis::tables::Analysed;
use fivefold_results::Experiment;

use super::methods::{normalised_scores, uncorrected_counts};

struct Entry {
    /// It is printed where one of these was used.
    used: &'static [&'static str],
    bibtex: &'static str,
}

/// One entry a publication, in the order in which they are printed.
const ENTRIES: &[Entry] = &[
    Entry {
        used: &["dataset:mq2007", "dataset:mq2008", "dataset:mq2007-agg", "dataset:mq2008-agg", "measure:meanndcg"],
        bibtex: "@article{qin2013introducing,
  author  = {Qin, Tao and Liu, Tie-Yan},
  title   = {Introducing {LETOR} 4.0 datasets},
  journal = {arXiv:1306.2597},
  year    = {2013}
}",
    },
    Entry {
        used: &["dataset:mslr-web30k", "dataset:mslr-web10k", "dataset:mslr-sample"],
        bibtex: "@misc{qin2010microsoft,
  author = {Qin, Tao and Liu, Tie-Yan},
  title  = {Microsoft learning to rank datasets},
  url    = {https://www.microsoft.com/en-us/research/project/mslr/},
  year   = {2010}
}",
    },
    Entry {
        used: &["dataset:ohsumed"],
        bibtex: "@inproceedings{liu2007letor,
  author    = {Liu, Tie-Yan and Xu, Jun and Qin, Tao and Xiong, Wenying and Li, Hang},
  title     = {{LETOR}: benchmark dataset for research on learning to rank for information retrieval},
  booktitle = {Proceedings of the SIGIR workshop on learning to rank for information retrieval},
  year      = {2007}
}",
    },
    Entry {
        used: &["method:ue"],
        bibtex: "@article{feng2023joint,
  author  = {Feng, Dongji and Karmaker, Shubhra Kanti},
  title   = {Joint upper \\& expected value normalization for evaluation of retrieval systems},
  journal = {Information Processing \\& Management},
  volume  = {60},
  year    = {2023}
}",
    },
    Entry {
        used: &["test:t", "method:t-interval"],
        bibtex: "@article{student1908probable,
  author  = {Student},
  title   = {The probable error of a mean},
  journal = {Biometrika},
  volume  = {6},
  number  = {1},
  pages   = {1--25},
  year    = {1908}
}",
    },
    Entry {
        used: &["method:tau"],
        bibtex: "@article{kendall1945treatment,
  author  = {Kendall, Maurice G.},
  title   = {The treatment of ties in ranking problems},
  journal = {Biometrika},
  volume  = {33},
  number  = {3},
  pages   = {239--251},
  year    = {1945}
}",
    },
    Entry {
        used: &["ties:average"],
        bibtex: "@inproceedings{mcsherry2008computing,
  author    = {McSherry, Frank and Najork, Marc},
  title     = {Computing information retrieval performance measures efficiently in the presence of tied scores},
  booktitle = {Advances in Information Retrieval (ECIR)},
  pages     = {414--421},
  year      = {2008}
}",
    },
    Entry {
        used: &["measure:dcg", "measure:ndcg", "measure:meanndcg"],
        bibtex: "@article{jarvelin2002cumulated,
  author  = {J{\\\"a}rvelin, Kalervo and Kek{\\\"a}l{\\\"a}inen, Jaana},
  title   = {Cumulated gain-based evaluation of {IR} techniques},
  journal = {ACM Transactions on Information Systems},
  volume  = {20},
  number  = {4},
  pages   = {422--446},
  year    = {2002}
}",
    },
    Entry {
        used: &["measure:ap", "measure:p"],
        bibtex: "@incollection{buckley2005retrieval,
  author    = {Buckley, Chris and Voorhees, Ellen M.},
  title     = {Retrieval system evaluation},
  booktitle = {{TREC}: experiment and evaluation in information retrieval},
  publisher = {MIT Press},
  pages     = {53--75},
  year      = {2005}
}",
    },
    Entry {
        used: &["measure:err"],
        bibtex: "@inproceedings{chapelle2009expected,
  author    = {Chapelle, Olivier and Metzler, Donald and Zhang, Ya and Grinspan, Pierre},
  title     = {Expected reciprocal rank for graded relevance},
  booktitle = {Proceedings of CIKM},
  pages     = {621--630},
  year      = {2009}
}",
    },
    Entry {
        used: &["measure:rbp"],
        bibtex: "@article{moffat2008rank,
  author  = {Moffat, Alistair and Zobel, Justin},
  title   = {Rank-biased precision for measurement of retrieval effectiveness},
  journal = {ACM Transactions on Information Systems},
  volume  = {27},
  number  = {1},
  year    = {2008}
}",
    },
    Entry {
        used: &["measure:rr"],
        bibtex: "@inproceedings{voorhees1999trec8,
  author    = {Voorhees, Ellen M.},
  title     = {The {TREC}-8 question answering track report},
  booktitle = {Proceedings of TREC-8},
  pages     = {77--82},
  year      = {1999}
}",
    },
    Entry {
        used: &["ranker:ranknet", "measure:dcg", "measure:ndcg"],
        bibtex: "@inproceedings{burges2005learning,
  author    = {Burges, Chris and Shaked, Tal and Renshaw, Erin and Lazier, Ari and Deeds, Matt and Hamilton, Nicole and Hullender, Greg},
  title     = {Learning to rank using gradient descent},
  booktitle = {Proceedings of ICML},
  pages     = {89--96},
  year      = {2005}
}",
    },
    Entry {
        used: &["ranker:lambdarank"],
        bibtex: "@inproceedings{burges2006learning,
  author    = {Burges, Christopher J. C. and Ragno, Robert and Le, Quoc Viet},
  title     = {Learning to rank with nonsmooth cost functions},
  booktitle = {Advances in Neural Information Processing Systems 19},
  pages     = {193--200},
  year      = {2006}
}",
    },
    Entry {
        used: &["ranker:lambdamart", "ranker:lambdarank"],
        bibtex: "@techreport{burges2010overview,
  author      = {Burges, Christopher J. C.},
  title       = {From {RankNet} to {LambdaRank} to {LambdaMART}: an overview},
  institution = {Microsoft Research},
  number      = {MSR-TR-2010-82},
  year        = {2010}
}",
    },
    Entry {
        used: &["ranker:mart", "ranker:lambdamart"],
        bibtex: "@article{friedman2001greedy,
  author  = {Friedman, Jerome H.},
  title   = {Greedy function approximation: a gradient boosting machine},
  journal = {Annals of Statistics},
  volume  = {29},
  number  = {5},
  pages   = {1189--1232},
  year    = {2001}
}",
    },
    Entry {
        used: &["ranker:random-forest", "ranker:smartcore-forest"],
        bibtex: "@article{breiman2001random,
  author  = {Breiman, Leo},
  title   = {Random forests},
  journal = {Machine Learning},
  volume  = {45},
  number  = {1},
  pages   = {5--32},
  year    = {2001}
}",
    },
    Entry {
        used: &["ranker:listnet"],
        bibtex: "@inproceedings{cao2007learning,
  author    = {Cao, Zhe and Qin, Tao and Liu, Tie-Yan and Tsai, Ming-Feng and Li, Hang},
  title     = {Learning to rank: from pairwise approach to listwise approach},
  booktitle = {Proceedings of ICML},
  pages     = {129--136},
  year      = {2007}
}",
    },
    Entry {
        used: &["ranker:rankboost"],
        bibtex: "@article{freund2003efficient,
  author  = {Freund, Yoav and Iyer, Raj and Schapire, Robert E. and Singer, Yoram},
  title   = {An efficient boosting algorithm for combining preferences},
  journal = {Journal of Machine Learning Research},
  volume  = {4},
  pages   = {933--969},
  year    = {2003}
}",
    },
    Entry {
        used: &["ranker:adarank"],
        bibtex: "@inproceedings{xu2007adarank,
  author    = {Xu, Jun and Li, Hang},
  title     = {{AdaRank}: a boosting algorithm for information retrieval},
  booktitle = {Proceedings of SIGIR},
  pages     = {391--398},
  year      = {2007}
}",
    },
    Entry {
        used: &["ranker:coordinate-ascent"],
        bibtex: "@article{metzler2007linear,
  author  = {Metzler, Donald and Croft, W. Bruce},
  title   = {Linear feature-based models for information retrieval},
  journal = {Information Retrieval},
  volume  = {10},
  number  = {3},
  pages   = {257--274},
  year    = {2007}
}",
    },
    Entry {
        used: &["ranker:linear"],
        bibtex: "@article{hoerl1970ridge,
  author  = {Hoerl, Arthur E. and Kennard, Robert W.},
  title   = {Ridge regression: biased estimation for nonorthogonal problems},
  journal = {Technometrics},
  volume  = {12},
  number  = {1},
  pages   = {55--67},
  year    = {1970}
}",
    },
    Entry {
        used: &["ranker:l2-logistic", "ranker:linfa-logistic"],
        bibtex: "@article{fan2008liblinear,
  author  = {Fan, Rong-En and Chang, Kai-Wei and Hsieh, Cho-Jui and Wang, Xiang-Rui and Lin, Chih-Jen},
  title   = {{LIBLINEAR}: a library for large linear classification},
  journal = {Journal of Machine Learning Research},
  volume  = {9},
  pages   = {1871--1874},
  year    = {2008}
}",
    },
    Entry {
        used: &["test:wilcoxon"],
        bibtex: "@article{wilcoxon1945individual,
  author  = {Wilcoxon, Frank},
  title   = {Individual comparisons by ranking methods},
  journal = {Biometrics Bulletin},
  volume  = {1},
  number  = {6},
  pages   = {80--83},
  year    = {1945}
}",
    },
    Entry {
        used: &["test:sign"],
        bibtex: "@article{dixon1946statistical,
  author  = {Dixon, Wilfrid J. and Mood, Alexander M.},
  title   = {The statistical sign test},
  journal = {Journal of the American Statistical Association},
  volume  = {41},
  number  = {236},
  pages   = {557--566},
  year    = {1946}
}",
    },
    Entry {
        used: &["test:permutation"],
        bibtex: "@inproceedings{smucker2007comparison,
  author    = {Smucker, Mark D. and Allan, James and Carterette, Ben},
  title     = {A comparison of statistical significance tests for information retrieval evaluation},
  booktitle = {Proceedings of CIKM},
  pages     = {623--632},
  year      = {2007}
}",
    },
    Entry {
        used: &["test:permutation", "test:bootstrap", "test:tukey-hsd"],
        bibtex: "@article{phipson2010permutation,
  author  = {Phipson, Belinda and Smyth, Gordon K.},
  title   = {Permutation {P}-values should never be zero: calculating exact {P}-values when permutations are randomly drawn},
  journal = {Statistical Applications in Genetics and Molecular Biology},
  volume  = {9},
  number  = {1},
  year    = {2010}
}",
    },
    Entry {
        used: &["test:bootstrap", "method:swap-method", "method:significance-levels"],
        bibtex: "@inproceedings{sakai2006evaluating,
  author    = {Sakai, Tetsuya},
  title     = {Evaluating evaluation metrics based on the bootstrap},
  booktitle = {Proceedings of SIGIR},
  pages     = {525--532},
  year      = {2006}
}",
    },
    Entry {
        used: &["test:tukey-hsd"],
        bibtex: "@article{carterette2012multiple,
  author  = {Carterette, Benjamin A.},
  title   = {Multiple testing in statistical analysis of systems-based information retrieval experiments},
  journal = {ACM Transactions on Information Systems},
  volume  = {30},
  number  = {1},
  year    = {2012}
}",
    },
    Entry {
        used: &["correction:bonferroni"],
        bibtex: "@article{dunn1961multiple,
  author  = {Dunn, Olive Jean},
  title   = {Multiple comparisons among means},
  journal = {Journal of the American Statistical Association},
  volume  = {56},
  number  = {293},
  pages   = {52--64},
  year    = {1961}
}",
    },
    Entry {
        used: &["correction:holm"],
        bibtex: "@article{holm1979simple,
  author  = {Holm, Sture},
  title   = {A simple sequentially rejective multiple test procedure},
  journal = {Scandinavian Journal of Statistics},
  volume  = {6},
  number  = {2},
  pages   = {65--70},
  year    = {1979}
}",
    },
    Entry {
        used: &["correction:bh"],
        bibtex: "@article{benjamini1995controlling,
  author  = {Benjamini, Yoav and Hochberg, Yosef},
  title   = {Controlling the false discovery rate: a practical and powerful approach to multiple testing},
  journal = {Journal of the Royal Statistical Society, Series B},
  volume  = {57},
  number  = {1},
  pages   = {289--300},
  year    = {1995}
}",
    },
    Entry {
        used: &["correction:maxt"],
        bibtex: "@book{westfall1993resampling,
  author    = {Westfall, Peter H. and Young, S. Stanley},
  title     = {Resampling-based multiple testing: examples and methods for p-value adjustment},
  publisher = {Wiley},
  year      = {1993}
}",
    },
    Entry {
        used: &["method:friedman"],
        bibtex: "@article{demsar2006statistical,
  author  = {Dem{\\v{s}}ar, Janez},
  title   = {Statistical comparisons of classifiers over multiple data sets},
  journal = {Journal of Machine Learning Research},
  volume  = {7},
  pages   = {1--30},
  year    = {2006}
}",
    },
    Entry {
        used: &["method:tau-ap"],
        bibtex: "@inproceedings{yilmaz2008new,
  author    = {Yilmaz, Emine and Aslam, Javed A. and Robertson, Stephen},
  title     = {A new rank correlation coefficient for information retrieval},
  booktitle = {Proceedings of SIGIR},
  pages     = {587--594},
  year      = {2008}
}",
    },
    Entry {
        used: &["method:weighted-tau"],
        bibtex: "@inproceedings{vigna2015weighted,
  author    = {Vigna, Sebastiano},
  title     = {A weighted correlation index for rankings with ties},
  booktitle = {Proceedings of WWW},
  pages     = {1166--1176},
  year      = {2015}
}",
    },
    Entry {
        used: &["method:swap-method"],
        bibtex: "@inproceedings{voorhees2002effect,
  author    = {Voorhees, Ellen M. and Buckley, Chris},
  title     = {The effect of topic set size on retrieval experiment error},
  booktitle = {Proceedings of SIGIR},
  pages     = {316--323},
  year      = {2002}
}",
    },
    Entry {
        used: &["method:agreement"],
        bibtex: "@inproceedings{moffat2012models,
  author    = {Moffat, Alistair and Scholer, Falk and Thomas, Paul},
  title     = {Models and metrics: {IR} evaluation as a user process},
  booktitle = {Proceedings of ADCS},
  pages     = {47--54},
  year      = {2012}
}",
    },
    Entry {
        used: &["method:winning-numbers"],
        bibtex: "@article{tax2015cross,
  author  = {Tax, Niek and Bockting, Sander and Hiemstra, Djoerd},
  title   = {A cross-benchmark comparison of 87 learning to rank methods},
  journal = {Information Processing \\& Management},
  volume  = {51},
  number  = {6},
  pages   = {757--772},
  year    = {2015}
}",
    },
    Entry {
        used: &["study:standardise"],
        bibtex: "@inproceedings{webber2008score,
  author    = {Webber, William and Moffat, Alistair and Zobel, Justin},
  title     = {Score standardization for inter-collection comparison of retrieval systems},
  booktitle = {Proceedings of SIGIR},
  pages     = {51--58},
  year      = {2008}
}",
    },
];

/// The entries of what was used (`dataset:mq2008`, `measure:ndcg`, `test:t`, `correction:holm`, ...), a blank line between them.
pub(super) fn bibtex(used: &BTreeSet<String>) -> String {
    let entries = ENTRIES.iter().filter(|entry| entry.used.iter().any(|&what| used.contains(what)));
    entries.map(|entry| entry.bibtex).collect::<Vec<_>>().join("\n\n")
}

/// What a run used.
pub(super) fn used_by(experiment: &Experiment, analysed: &Analysed) -> BTreeSet<String> {
    let difference = &analysed.difference;
    let evaluation = &experiment.evaluation;
    let measures = evaluation.measures.iter().map(|measure| format!("measure:{}", measure.entry().name));
    let rankers = experiment.rankers.iter().map(|ranker| format!("ranker:{}", ranker.kind));
    let named = experiment.datasets.iter().filter_map(|dataset| dataset.source.name.as_ref());
    let datasets = named.map(|name| format!("dataset:{name}"));
    let others = [
        format!("ties:{}", evaluation.conventions.ties),
        format!("test:{}", difference.test.name),
        format!("correction:{}", difference.correction.name),
    ];
    let comparisons = &analysed.comparisons;
    let several = |dataset: usize| comparisons.iter().filter(|own| own.dataset == dataset).count() > 1;
    let tau = comparisons.iter().any(|own| own.compared.systems.len() > 1 && several(own.dataset));
    let methods = [
        ("t-interval", !comparisons.is_empty()),
        ("ue", normalised_scores(experiment) || uncorrected_counts(analysed).is_some()),
        ("tau", tau || analysed.has_table("kendall-tau")),
        ("friedman", comparisons.iter().any(|own| own.ranks.is_some())),
    ];
    let methods = methods.into_iter().filter(|(_, used)| *used).map(|(name, _)| format!("method:{name}"));
    datasets.chain(measures).chain(rankers).chain(others).chain(methods).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is cited for a test or a correction is what the statistics name as their source.
    #[test]
    fn every_test_and_correction_has_its_source() {
        let keys = |prefix: &str, name: &str| BTreeSet::from([format!("{prefix}:{name}")]);
        let tests = fivefold_stats::TESTS.iter().map(|test| (keys("test", test.name), test.source));
        let corrections = fivefold_stats::CORRECTIONS.iter().map(|c| (keys("correction", c.name), c.source));
        for (used, source) in tests.chain(corrections).filter(|(_, source)| !source.is_empty()) {
            let cited = bibtex(&used);
            let year = |text: &str| {
                text.split(|c: char| !c.is_ascii_digit())
                    .filter(|y| y.len() == 4)
                    .map(str::to_owned)
                    .collect::<BTreeSet<_>>()
            };
            assert!(!year(&cited).is_disjoint(&year(source)), "{source}: {cited}");
        }
        assert_eq!(bibtex(&keys("correction", "none")), "");
    }

    /// The measures and collections of the paper are cited; `made` collections have no source.
    #[test]
    fn measures_and_collections_of_the_paper_have_their_source() {
        let cited = |what: &str| bibtex(&BTreeSet::from([what.to_owned()]));
        for what in ["measure:ndcg", "measure:ap", "measure:p", "measure:rr", "measure:err"] {
            assert!(cited(what).starts_with('@'), "{what}");
        }
        for name in ["mq2007", "mq2008", "mslr-web10k", "mslr-web30k", "ohsumed"] {
            assert!(cited(&format!("dataset:{name}")).starts_with('@'), "{name}");
        }
        assert_eq!(cited("dataset:mine"), "");
    }

    #[test]
    fn keys_of_entries_are_unique() {
        let keys: Vec<&str> = ENTRIES.iter().filter_map(|entry| entry.bibtex.split(['{', ',']).nth(1)).collect();
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), ENTRIES.len());
    }
}
