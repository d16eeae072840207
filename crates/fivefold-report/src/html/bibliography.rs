//! BibTeX of everything that an experiment used: the paper, its measures, rankers, tie rule and tests.

use std::collections::BTreeSet;

use fivefold_experiment::Experiment;

/// What makes an entry belong to an experiment.
enum Used {
    Always,
    /// A measure of this name was evaluated.
    Measure(&'static str),
    /// A ranker of this kind was run.
    Ranker(&'static str),
    /// Ties were resolved so.
    Ties(&'static str),
}

use Used::{Always, Measure, Ranker, Ties};

struct Entry {
    used: &'static [Used],
    bibtex: &'static str,
}

/// One entry a publication, in the order in which they are printed.
const ENTRIES: &[Entry] = &[
    Entry {
        used: &[Always],
        bibtex: "@article{feng2023joint,
  author  = {Feng, Dongji and Karmaker, Shubhra Kanti},
  title   = {Joint upper \\& expected value normalization for evaluation of retrieval systems},
  journal = {Information Processing \\& Management},
  volume  = {60},
  year    = {2023}
}",
    },
    Entry {
        used: &[Always],
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
        used: &[Always],
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
        used: &[Ties("average")],
        bibtex: "@inproceedings{mcsherry2008computing,
  author    = {McSherry, Frank and Najork, Marc},
  title     = {Computing information retrieval performance measures efficiently in the presence of tied scores},
  booktitle = {Advances in Information Retrieval (ECIR)},
  pages     = {414--421},
  year      = {2008}
}",
    },
    Entry {
        used: &[Measure("dcg"), Measure("ndcg"), Measure("meanndcg")],
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
        used: &[Measure("err")],
        bibtex: "@inproceedings{chapelle2009expected,
  author    = {Chapelle, Olivier and Metzler, Donald and Zhang, Ya and Grinspan, Pierre},
  title     = {Expected reciprocal rank for graded relevance},
  booktitle = {Proceedings of CIKM},
  pages     = {621--630},
  year      = {2009}
}",
    },
    Entry {
        used: &[Measure("rbp")],
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
        used: &[Measure("rr")],
        bibtex: "@inproceedings{voorhees1999trec8,
  author    = {Voorhees, Ellen M.},
  title     = {The {TREC}-8 question answering track report},
  booktitle = {Proceedings of TREC-8},
  pages     = {77--82},
  year      = {1999}
}",
    },
    Entry {
        used: &[Ranker("ranknet"), Measure("dcg"), Measure("ndcg")],
        bibtex: "@inproceedings{burges2005learning,
  author    = {Burges, Chris and Shaked, Tal and Renshaw, Erin and Lazier, Ari and Deeds, Matt and Hamilton, Nicole and Hullender, Greg},
  title     = {Learning to rank using gradient descent},
  booktitle = {Proceedings of ICML},
  pages     = {89--96},
  year      = {2005}
}",
    },
    Entry {
        used: &[Ranker("lambdarank")],
        bibtex: "@inproceedings{burges2006learning,
  author    = {Burges, Christopher J. C. and Ragno, Robert and Le, Quoc Viet},
  title     = {Learning to rank with nonsmooth cost functions},
  booktitle = {Advances in Neural Information Processing Systems 19},
  pages     = {193--200},
  year      = {2006}
}",
    },
    Entry {
        used: &[Ranker("lambdamart"), Ranker("lambdarank")],
        bibtex: "@techreport{burges2010overview,
  author      = {Burges, Christopher J. C.},
  title       = {From {RankNet} to {LambdaRank} to {LambdaMART}: an overview},
  institution = {Microsoft Research},
  number      = {MSR-TR-2010-82},
  year        = {2010}
}",
    },
    Entry {
        used: &[Ranker("mart"), Ranker("lambdamart")],
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
        used: &[Ranker("random-forest"), Ranker("smartcore-forest")],
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
        used: &[Ranker("listnet")],
        bibtex: "@inproceedings{cao2007learning,
  author    = {Cao, Zhe and Qin, Tao and Liu, Tie-Yan and Tsai, Ming-Feng and Li, Hang},
  title     = {Learning to rank: from pairwise approach to listwise approach},
  booktitle = {Proceedings of ICML},
  pages     = {129--136},
  year      = {2007}
}",
    },
    Entry {
        used: &[Ranker("rankboost")],
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
        used: &[Ranker("adarank")],
        bibtex: "@inproceedings{xu2007adarank,
  author    = {Xu, Jun and Li, Hang},
  title     = {{AdaRank}: a boosting algorithm for information retrieval},
  booktitle = {Proceedings of SIGIR},
  pages     = {391--398},
  year      = {2007}
}",
    },
    Entry {
        used: &[Ranker("coordinate-ascent")],
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
        used: &[Ranker("linear")],
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
        used: &[Ranker("l2-logistic"), Ranker("linfa-logistic")],
        bibtex: "@article{fan2008liblinear,
  author  = {Fan, Rong-En and Chang, Kai-Wei and Hsieh, Cho-Jui and Wang, Xiang-Rui and Lin, Chih-Jen},
  title   = {{LIBLINEAR}: a library for large linear classification},
  journal = {Journal of Machine Learning Research},
  volume  = {9},
  pages   = {1871--1874},
  year    = {2008}
}",
    },
];

/// The entries that an experiment uses, a blank line between them.
pub(super) fn bibtex(experiment: &Experiment) -> String {
    let measures: BTreeSet<&str> = experiment.evaluation.measures.iter().map(|measure| measure.entry().name).collect();
    let rankers: BTreeSet<&str> = experiment.rankers.iter().map(|ranker| ranker.kind.as_str()).collect();
    let ties = experiment.evaluation.conventions.ties.to_string();
    let used = |used: &Used| match used {
        Always => true,
        Measure(name) => measures.contains(name),
        Ranker(kind) => rankers.contains(kind),
        Ties(rule) => *rule == ties,
    };
    let entries = ENTRIES.iter().filter(|entry| entry.used.iter().any(used));
    entries.map(|entry| entry.bibtex).collect::<Vec<_>>().join("\n\n")
}
