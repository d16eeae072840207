//! All parameters of every registered measure, and the definition of each measure, written as
//! directly as possible.

use fivefold_metrics::entry::Cutoffs;
use fivefold_metrics::{Assessment, MeasureEntry, MeasureSpec};

/// Values to try for each parameter. A value that a measure does not accept is left out.
fn candidates(param: &str) -> &'static [&'static str] {
    match param {
        "gain" => &["exp2", "linear", "binary", "1:3/2:0.5"],
        "levels" => &["0/0.1/0.2/0.3/0.4/0.5/0.6/0.7/0.8/0.9/1", "0.25/0.5/0.75"],
        "discount" => &["log2", "letor", "zipf", "power:0.5"],
        "short_list" => &["cut", "zero"],
        "denominator" => &["cutoff", "relevant", "min", "list"],
        "upper" => &["ideal", "cutoff"],
        "expected" => &["exact", "independent"],
        "threshold" => &["1", "2"],
        "ties" => &["orders", "threshold"],
        "no_relevant" => &["undefined", "zero"],
        "max_grade" => &["2", "4"],
        "p" => &["0.8", "0.3"],
        "beta" => &["5", "1.5"],
        "d" => &["1", "0.25"],
        "x" => &["1", "0.4"],
        "T" => &["1", "2.5"],
        "depth" => &["1000", "2"],
        "decay" => &["0.85", "1"],
        "rounding" => &["v9", "v10"],
        "a" => &["1", "3"],
        "b" => &["-1", "0.5"],
        "c" => &["0", "-2"],
        "docs" => &["0", "20"],
        "normalize" => &["true", "false"],
        "eps" => &["0.00001", "0.5"],
        other => panic!("add values of the parameter `{other}` to this test"),
    }
}

/// All combinations of parameters of a measure, each a complete list.
pub fn settings(entry: &MeasureEntry) -> Vec<Vec<(&'static str, &'static str)>> {
    let mut all = vec![vec![]];
    for param in entry.params {
        let values: Vec<_> = candidates(param.name).iter().filter(|v| (param.canonical)(v).is_some()).collect();
        assert!(values.len() >= 2, "{}: {}", entry.name, param.name);
        all = all
            .iter()
            .flat_map(|list: &Vec<_>| values.iter().map(|v| [list.clone(), vec![(param.name, **v)]].concat()))
            .collect();
    }
    all
}

/// The definitions, as directly as they can be written, for a ranking without ties.
pub struct Textbook<'a> {
    pub name: &'a str,
    pub params: &'a [(&'static str, &'static str)],
    pub k: Option<usize>,
}

impl Textbook<'_> {
    fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(param, _)| *param == name).unwrap().1
    }
    fn number(&self, name: &str) -> f64 {
        self.param(name).parse().unwrap()
    }
    fn gain(&self, y: u8) -> f64 {
        match self.param("gain") {
            "exp2" => 2f64.powi(i32::from(y)) - 1.0,
            "linear" => f64::from(y),
            "1:3/2:0.5" => [0.0, 3.0, 0.5][usize::from(y)],
            _ => self.rel(y),
        }
    }
    fn discount(&self, i: usize) -> f64 {
        match self.param("discount") {
            "log2" => 1.0 / libm::log2((i + 1) as f64),
            "letor" => {
                if i < 3 {
                    1.0
                } else {
                    1.0 / libm::log2(i as f64)
                }
            }
            "zipf" => 1.0 / i as f64,
            _ => 1.0 / (i as f64).sqrt(),
        }
    }
    fn rel(&self, y: u8) -> f64 {
        if f64::from(y) >= self.number("threshold") { 1.0 } else { 0.0 }
    }
    pub fn relevant(&self, grades: &[u8]) -> f64 {
        grades.iter().map(|&y| self.rel(y)).sum()
    }
    pub fn ideal(grades: &[u8]) -> Vec<u8> {
        let mut ideal = grades.to_vec();
        ideal.sort_by(|a, b| b.cmp(a));
        ideal
    }
    /// What orders documents best: the grade, or a gain by grade, which may fall as the grade rises.
    pub fn worth(&self, y: u8) -> f64 {
        if self.params.contains(&("gain", "1:3/2:0.5")) { self.gain(y) } else { f64::from(y) }
    }
    pub fn best_order(&self, grades: &[u8]) -> Vec<u8> {
        let mut ideal = grades.to_vec();
        ideal.sort_by(|&a, &b| self.worth(b).total_cmp(&self.worth(a)));
        ideal
    }
    fn dcg(&self, grades: &[u8], k: usize) -> f64 {
        (1..=k.min(grades.len())).map(|i| self.gain(grades[i - 1]) * self.discount(i)).sum()
    }

    /// A of a ranking of these documents; `judged` has the grades of all judged documents.
    pub fn of_run(&self, ranking: &[Assessment], judged: &[u8]) -> f64 {
        let n = ranking.len();
        let top = &ranking[..self.k.unwrap_or(n).min(n)];
        let count = |documents: &[Assessment], of: &dyn Fn(Assessment) -> bool| {
            documents.iter().filter(|&&document| of(document)).count() as f64
        };
        let relevant = |document: Assessment| self.rel(document.grade()) > 0.0;
        let other = |document: Assessment| document.is_judged() && !relevant(document);
        let not_judged = |document: Assessment| !document.is_judged();
        let sum_over_relevant =
            |term: &dyn Fn(usize) -> f64| -> f64 { (0..n).filter(|&place| relevant(ranking[place])).map(term).sum() };
        match self.name {
            "bpref" => {
                let all = self.relevant(judged);
                let most = all.min(judged.len() as f64 - all);
                sum_over_relevant(&|place| match count(&ranking[..place], &other) {
                    0.0 => 1.0,
                    above => 1.0 - above.min(all) / most,
                })
            }
            "infap" => sum_over_relevant(&|place| {
                let (r, x) = (count(&ranking[..place], &relevant), count(&ranking[..place], &other));
                let u = count(&ranking[..place], &|document| document == Assessment::Pooled);
                let eps = self.number("eps");
                let inferred = if place == 0 { 0.0 } else { (r + x + u) * (r + eps) / (r + x + 2.0 * eps) };
                (1.0 + inferred) / (place + 1) as f64
            }),
            "judged" if n == 0 => 0.0,
            "judged" => count(top, &|document| document != Assessment::Unjudged) / top.len() as f64,
            "unj" => count(top, &not_judged) / self.k.unwrap() as f64,
            "rbp_resid" if count(ranking, &not_judged) == 0.0 => 0.0,
            "rbp_resid" => {
                let p = self.number("p");
                let open = (0..n).filter(|&place| not_judged(ranking[place]));
                p.powi(n as i32) + (1.0 - p) * open.map(|place| p.powi(place as i32)).sum::<f64>()
            }
            _ => {
                let grades: Vec<u8> = ranking.iter().map(|document| document.grade()).collect();
                self.graded(&grades, judged)
            }
        }
    }

    /// A of a ranking of judged documents with these `grades`; `judged` has the grades of all
    /// judged documents.
    pub fn raw(&self, grades: &[u8], judged: &[u8]) -> f64 {
        let ranking: Vec<Assessment> = grades.iter().copied().map(Assessment::from).collect();
        self.of_run(&ranking, judged)
    }

    /// A, for a measure that counts an unjudged document as not relevant.
    fn graded(&self, grades: &[u8], judged: &[u8]) -> f64 {
        let n = grades.len();
        let cut = self.k.unwrap_or(n).min(n);
        let top = &grades[..cut];
        match self.name {
            "ndcg" | "dcg" => self.dcg(grades, cut),
            "meanndcg" => {
                let mut ideal = Self::ideal(judged);
                ideal.resize(n.max(ideal.len()), 0);
                let at = |k| self.dcg(&ideal, k);
                (1..=n).map(|k| if at(k) > 0.0 { self.dcg(grades, k) / at(k) } else { 0.0 }).sum::<f64>() / n as f64
            }
            "ap" | "sp" => (1..=cut).map(|i| self.rel(top[i - 1]) * self.relevant(&top[..i]) / i as f64).sum(),
            "p" if self.param("denominator") == "list" => self.relevant(top) / cut as f64,
            "p" => self.relevant(top) / self.k.unwrap() as f64,
            "recall" | "relp" | "f" => self.relevant(top),
            "rprec" => self.relevant(&grades[..self.r_positions(judged).min(n)]),
            "success" => self.relevant(top).min(1.0),
            "wta" => self.relevant(&grades[..1]),
            "rr" => top.iter().position(|&y| self.rel(y) > 0.0).map_or(0.0, |i| 1.0 / (i + 1) as f64),
            "err" | "nerr" => {
                let stop = |y: u8| (2f64.powi(i32::from(y)) - 1.0) / libm::pow(2.0, self.number("max_grade"));
                let reach = |r: usize| top[..r].iter().map(|&y| 1.0 - stop(y)).product::<f64>();
                (0..cut).map(|r| reach(r) * stop(top[r]) / (r + 1) as f64).sum()
            }
            "rbp" => {
                let p = self.number("p");
                (1.0 - p) * (0..cut).map(|i| self.gain(top[i]) * p.powi(i as i32)).sum::<f64>()
            }
            "pfound" => {
                let stop = |y: u8| f64::from(y) / self.number("max_grade");
                let reach = |r: usize| top[..r].iter().map(|&y| 1.0 - stop(y)).product::<f64>();
                (0..cut).map(|r| reach(r) * stop(top[r]) * libm::pow(self.number("decay"), r as f64)).sum()
            }
            "sdcg" | "insq" => {
                (1..=cut).map(|i| f64::from(top[i - 1]) / self.number("max_grade") * self.scaled(i)).sum()
            }
            "q" => {
                let beta = self.number("beta");
                let gain = |grades: &[u8]| grades.iter().map(|&y| self.rel(y) * f64::from(y)).sum::<f64>();
                let ideal = Self::ideal(judged);
                let blended = |i: usize| {
                    let best = gain(&ideal[..i.min(ideal.len())]);
                    (self.relevant(&top[..i]) + beta * gain(&top[..i])) / (i as f64 + beta * best)
                };
                (1..=cut).map(|i| self.rel(top[i - 1]) * blended(i)).sum()
            }
            "bing" => {
                let others = |i: usize| i as f64 - self.relevant(&grades[..i]);
                (0..n).map(|i| self.rel(grades[i]) / libm::log2(2.0 + others(i))).sum()
            }
            "auc" | "pairacc" => {
                let better = |i: usize, j: usize| self.level(grades[i]) > self.level(grades[j]);
                (0..n).map(|i| (i + 1..n).filter(|&j| better(i, j)).count() as f64).sum()
            }
            "iprec" => self.interpolated(grades, judged, self.number("x")),
            "iprec11" => {
                let levels: Vec<f64> = self.param("levels").split('/').map(|level| level.parse().unwrap()).collect();
                let at = |&level: &f64| self.interpolated(grades, judged, level);
                levels.iter().map(at).sum::<f64>() / levels.len() as f64
            }
            "inst" | "nerr8" | "nerr9" | "nerr10" | "nerr11" => self.cascade(grades),
            "bpm" => {
                let found =
                    |i: usize| grades.iter().take(i).map(|&y| f64::from(y)).sum::<f64>() / self.number("max_grade");
                let k = self.k.unwrap();
                let stop = (1..=k.min(n)).find(|&i| found(i) >= self.number("T")).unwrap_or(k);
                found(stop) / stop as f64
            }
            "compat" => self.compatibility(grades, judged),
            "set_p" | "set_recall" | "set_f" | "set_ap" | "set_relp" => self.relevant(grades),
            "utility" => {
                let [a, b, c, d, docs] = ["a", "b", "c", "d", "docs"].map(|name| self.number(name));
                let (h, r, n) = (self.relevant(grades), self.relevant(judged), n as f64);
                a * h + b * (n - h) + c * (r - h) + d * (docs + h - n - r)
            }
            "neru" | "nneru" => {
                let utility = |y: u8| (f64::from(y) - self.number("d")).max(0.0);
                (0..cut).map(|i| utility(top[i]) * libm::pow(2.0, -(i as f64) / (self.number("beta") - 1.0))).sum()
            }
            other => panic!("add the definition of `{other}` to this test"),
        }
    }

    fn interpolated(&self, grades: &[u8], judged: &[u8], level: f64) -> f64 {
        let share = level * self.relevant(judged);
        let needed = if self.param("rounding") == "v9" { (share + 0.9).floor() } else { share.round() };
        let enough = (1..=grades.len()).filter(|&i| self.relevant(&grades[..i]) >= needed);
        enough.map(|i| self.relevant(&grades[..i]) / i as f64).fold(0.0, f64::max)
    }

    fn cascade(&self, grades: &[u8]) -> f64 {
        let gain = |i: usize| grades.get(i - 1).map_or(0.0, |&y| f64::from(y) / self.number("max_grade"));
        let (mut v, mut found, mut values) = (1.0, 0.0, vec![]);
        for i in 1..=1000 {
            values.push(v);
            let rank = i as f64;
            found += gain(i);
            v *= match self.name {
                "inst" => {
                    let left = rank + 2.0 * self.number("T") - found;
                    ((left - 1.0) / left) * ((left - 1.0) / left)
                }
                "nerr8" | "nerr9" if self.k == Some(i) => 0.0,
                "nerr8" => 1.0 - gain(i),
                "nerr9" => rank / (rank + 1.0) * (1.0 - gain(i)),
                "nerr10" => self.number("p") * (1.0 - gain(i)),
                _ => {
                    let left = rank + 2.0 * self.number("T");
                    ((left - 1.0) / left) * ((left - 1.0) / left) * (1.0 - gain(i))
                }
            };
        }
        let gained: f64 = (1..=1000).map(|i| values[i - 1] * gain(i)).sum();
        gained / values.iter().sum::<f64>()
    }

    /// The rank-biased overlap with the ideal order whose documents of one grade follow the ranking,
    /// over that of the ideal order with itself.
    fn compatibility(&self, grades: &[u8], judged: &[u8]) -> f64 {
        // A document is its place in the ranking; those that were not retrieved follow.
        let mut documents = grades.to_vec();
        for grade in (1..=30).rev() {
            let count = |grades: &[u8]| grades.iter().filter(|&&other| other == grade).count();
            documents.extend(vec![grade; count(judged).saturating_sub(count(grades))]);
        }
        let mut ideal: Vec<usize> = (0..documents.len()).filter(|&place| documents[place] > 0).collect();
        ideal.sort_by_key(|&place| std::cmp::Reverse(documents[place]));
        let depth = grades.len().max(ideal.len());
        let overlap = |of: usize, i: usize| ideal.iter().take(i).filter(|&&place| place < of.min(i)).count() as f64;
        let weight = |i: usize| libm::pow(self.number("p"), i as f64 - 1.0) / i as f64;
        let sum: f64 = (1..=depth).map(|i| weight(i) * overlap(grades.len(), i)).sum();
        let best: f64 = (1..=depth).map(|i| weight(i) * ideal.len().min(i) as f64).sum();
        if best == 0.0 { 0.0 } else { sum / best }
    }

    fn without_relevant(&self) -> f64 {
        if self.param("no_relevant") == "zero" { 0.0 } else { f64::NAN }
    }

    /// The number of positions of R-precision.
    fn r_positions(&self, judged: &[u8]) -> usize {
        (self.number("x") * self.relevant(judged) + 0.9).floor() as usize
    }

    /// The discount of a scaled measure.
    fn scaled(&self, i: usize) -> f64 {
        match self.name {
            "sdcg" => 1.0 / libm::log2((i + 1) as f64),
            _ if i as f64 > self.number("depth") => 0.0,
            _ => libm::pow(2.0 * self.number("T") + i as f64 - 1.0, -2.0),
        }
    }

    fn level(&self, y: u8) -> u8 {
        if self.name == "auc" { self.rel(y) as u8 } else { y }
    }

    /// Number of pairs of documents that are not equally good.
    pub fn pairs(&self, grades: &[u8]) -> f64 {
        let unequal = |i: usize| grades[..i].iter().filter(|&&y| self.level(y) != self.level(grades[i])).count();
        (0..grades.len()).map(unequal).sum::<usize>() as f64
    }

    /// A of AP if all documents of a tie group are retrieved at once; `ends` are the ends of the
    /// groups. Each relevant document has the precision at the end of its group, and is at any
    /// place of the group with equal probability.
    pub fn raw_by_thresholds(&self, grades: &[u8], ends: &[usize]) -> f64 {
        let cut = self.k.unwrap_or(grades.len()).min(grades.len());
        let starts = [0].iter().chain(ends);
        let of_group = |(&start, &end): (&usize, &usize)| {
            let seen = end.min(cut).saturating_sub(start) as f64;
            let relevant = self.relevant(&grades[start..end]) * seen / (end - start) as f64;
            relevant * self.relevant(&grades[..end]) / end as f64
        };
        starts.zip(ends).map(of_group).sum()
    }

    /// The original value of `ranked` documents, from A and U.
    pub fn original(&self, ranked: &[u8], judged: &[u8], a: f64, upper: f64) -> f64 {
        let n = ranked.len();
        match self.name {
            "ndcg" | "nneru" | "meanndcg" if upper == 0.0 => f64::NAN,
            "ndcg" if self.param("short_list") == "zero" && self.k.is_some_and(|k| k > n) => 0.0,
            "ndcg" | "nneru" => a / upper,
            "err" if self.param("no_relevant") == "undefined" && judged.iter().all(|&y| y == 0) => f64::NAN,
            "nerr" | "pfound" if judged.iter().all(|&y| y == 0) => self.without_relevant(),
            "nerr" => a / upper,
            "sdcg" | "insq" => {
                let depth = self.k.unwrap_or_else(|| self.number("depth") as usize);
                a / (1..=depth).map(|i| self.scaled(i)).sum::<f64>()
            }
            "auc" | "pairacc" if self.pairs(ranked) == 0.0 => f64::NAN,
            "auc" | "pairacc" => a / self.pairs(ranked),
            "rr" | "ap" | "recall" | "relp" | "rprec" | "f" | "success" | "q" | "bing" | "bpref" | "infap"
            | "iprec" | "iprec11" | "set_recall" | "set_f" | "set_ap" | "set_relp"
                if self.relevant(judged) == 0.0 =>
            {
                self.without_relevant()
            }
            "compat" if judged.iter().all(|&y| y == 0) => self.without_relevant(),
            "compat" if self.param("normalize") == "false" => {
                let (relevant, p) = (judged.iter().filter(|&&y| y > 0).count(), self.number("p"));
                let depth = n.max(relevant);
                let power = |i: usize| libm::pow(p, i as f64 - 1.0);
                let best: f64 = (1..=depth).map(|i| power(i) * relevant.min(i) as f64 / i as f64).sum();
                a * best / (1..=depth).map(power).sum::<f64>()
            }
            "judged" | "set_p" if n == 0 => f64::NAN,
            "set_p" => a / n as f64,
            "set_recall" => a / self.relevant(judged),
            "set_f" if a == 0.0 => 0.0,
            "set_f" => {
                let (precision, recall, x) = (a / n as f64, a / self.relevant(judged), self.number("x"));
                (1.0 + x) * precision * recall / (x * precision + recall)
            }
            "set_ap" if a == 0.0 => 0.0,
            "set_ap" => a / n as f64 * (a / self.relevant(judged)),
            "set_relp" if a == 0.0 => 0.0,
            "set_relp" => a / self.relevant(judged).min(n as f64),
            "recall" | "bing" | "bpref" | "infap" => a / self.relevant(judged),
            "relp" => a / self.relevant(judged).min(self.k.unwrap() as f64),
            "rprec" if self.r_positions(judged) == 0 => self.without_relevant(),
            "rprec" => a / self.r_positions(judged) as f64,
            "f" => {
                let (precision, recall) = (a / self.k.unwrap() as f64, a / self.relevant(judged));
                let x = self.number("x");
                if a == 0.0 { 0.0 } else { (1.0 + x) * precision * recall / (x * precision + recall) }
            }
            "ap" | "q" => {
                let relevant = self.relevant(judged);
                a / match (self.k, self.param("denominator")) {
                    (None, _) | (_, "relevant") => relevant,
                    (Some(k), "cutoff") => k as f64,
                    (Some(k), _) => relevant.min(k as f64),
                }
            }
            _ => a,
        }
    }
}

/// The versions that a measure has.
pub fn versions(entry: &MeasureEntry) -> &'static [&'static str] {
    if entry.no_ue.is_some() { &[""] } else { &["", ".v1", ".v2"] }
}

pub fn takes(cutoffs: Cutoffs, cutoff: Option<usize>) -> bool {
    match cutoffs {
        Cutoffs::Optional => true,
        Cutoffs::Required => cutoff.is_some(),
        Cutoffs::Never | Cutoffs::Fixed(_) => cutoff.is_none(),
    }
}

pub fn spec(entry: &MeasureEntry, params: &[(&str, &str)], cutoff: Option<usize>, version: &str) -> MeasureSpec {
    let list: Vec<String> = params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let cutoff = cutoff.map_or(String::new(), |k| format!("@{k}"));
    format!("{}({}){version}{cutoff}", entry.name, list.join(",")).parse().unwrap()
}
