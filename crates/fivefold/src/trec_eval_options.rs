//! The options of trec_eval that `eval` does not have under the same name, and what to use in their
//! place.
//!
//! The list is that of trec_eval 10.0, which has all options of 9.0.8. `-h`, `-q` and `-m` mean the
//! same in `eval`.

/// An option in its two spellings, and the tip for whom gives it to `eval`.
struct Foreign {
    short: &'static str,
    long: &'static str,
    tip: &'static str,
}

const OPTIONS: &[Foreign] = &[
    Foreign { short: "-c", long: "--complete_rel_info_wanted", tip: "-c of trec_eval is `--missing-topics zero` here" },
    Foreign { short: "-l", long: "--level_for_rel", tip: "-l N of trec_eval is `--threshold N` here" },
    Foreign { short: "-M", long: "--Max_retrieved_per_topic", tip: "-M N of trec_eval is `--depth N` here" },
    Foreign { short: "-J", long: "--Judged_docs_only", tip: "-J of trec_eval is `--unjudged removed` here" },
    Foreign {
        short: "-N",
        long: "--Number_docs_in_coll",
        tip: "-N N of trec_eval is a parameter of the only measure that reads it: `-m 'utility(d=1,docs=N)'`",
    },
    Foreign {
        short: "-Z",
        long: "--Zscore",
        tip: "there are no z-scores from a file of means as with -Z of trec_eval; `fivefold standardise` standardises the \
              values of several systems by topic",
    },
    Foreign {
        short: "-n",
        long: "--nosummary",
        tip: "there is no output without means as with -n of trec_eval; with `-q --format trec_eval`, leave out the lines \
              of the topic `all`",
    },
    Foreign {
        short: "-D",
        long: "--Debug_level",
        tip: "there are no debug levels as with -D of trec_eval; `fivefold explain` shows the arithmetic of a value",
    },
    Foreign {
        short: "-R",
        long: "--Rel_info_format",
        tip: "--qrels reads the format `qrels` only, the default of -R of trec_eval; there are no measures of preferences",
    },
    Foreign {
        short: "-T",
        long: "--Results_format",
        tip: "--runs reads the format `trec_results` only, the default of -T of trec_eval",
    },
    Foreign {
        short: "-o",
        long: "--Output_old_results_format",
        tip: "-o of trec_eval is obsolete there too; `--format trec_eval` prints the format of today",
    },
    Foreign { short: "-v", long: "--version", tip: "-v of trec_eval is `fivefold --version` here" },
    Foreign { short: "", long: "--query_eval_wanted", tip: "--query_eval_wanted of trec_eval is `--per-query` here" },
];

/// What to use in place of an option of trec_eval. `None`: trec_eval has no such option, or `eval`
/// has it too.
pub(crate) fn tip(option: &str) -> Option<&'static str> {
    let known = OPTIONS.iter().find(|own| !option.is_empty() && (own.short == option || own.long == option));
    known.map(|own| own.tip)
}
