//! Families of measures. The columns of an evaluation that belong to a family are one measure, in
//! its versions and at its cutoffs.

use fivefold_base::words::list;
use fivefold_metrics::entry::InPaper;
use fivefold_metrics::{MeasureSpec, Version};

use crate::ids::slug;
use crate::table::Table;

/// The order of versions in every table.
const VERSIONS: [Version; 3] = [Version::Original, Version::V1, Version::V2];

/// A measure with the versions and cutoffs at which it was evaluated.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnFamily {
    /// Name without version and cutoff: `ndcg`, `ndcg(gain=linear)`.
    pub name: String,
    /// Where the paper prints the measure, if it does.
    pub paper: Option<InPaper>,
    /// Cutoffs at which every version was evaluated. `None` stands for the whole list, or for a
    /// cutoff that the measure fixes.
    pub cutoffs: Vec<Option<usize>>,
    /// The versions that were evaluated: original, V1, V2.
    pub versions: Vec<VersionColumns>,
    /// Columns of this family at cutoffs that another version lacks. No table shows these columns.
    pub left_out: Vec<String>,
}

/// One version of a family.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VersionColumns {
    pub version: Version,
    /// Name without cutoff: `ndcg.v1`.
    pub name: String,
    /// The column of each of the family's cutoffs.
    pub columns: Vec<usize>,
}

/// The families among some columns, in order of first appearance.
pub(super) fn families(measures: &[MeasureSpec]) -> Vec<ColumnFamily> {
    let mut bases: Vec<MeasureSpec> = Vec::new();
    for spec in measures {
        let base = spec.base().at(None);
        if !bases.contains(&base) {
            bases.push(base);
        }
    }
    bases.iter().map(|base| ColumnFamily::new(base, measures)).collect()
}

impl ColumnFamily {
    fn new(base: &MeasureSpec, specs: &[MeasureSpec]) -> Self {
        let column = |version: Version, cutoff: Option<usize>| {
            let wanted = base.with_version(version).at(cutoff);
            specs.iter().position(|spec| *spec == wanted)
        };
        let own: Vec<&MeasureSpec> = specs.iter().filter(|spec| spec.base().at(None) == *base).collect();
        let present: Vec<Version> =
            VERSIONS.into_iter().filter(|&version| own.iter().any(|spec| spec.version() == version)).collect();
        let mut cutoffs: Vec<Option<usize>> = Vec::new();
        for spec in &own {
            let cutoff = spec.cutoff();
            if !cutoffs.contains(&cutoff) && present.iter().all(|&version| column(version, cutoff).is_some()) {
                cutoffs.push(cutoff);
            }
        }
        let versions = present.iter().map(|&version| VersionColumns {
            version,
            name: base.with_version(version).to_string(),
            columns: cutoffs.iter().filter_map(|&cutoff| column(version, cutoff)).collect(),
        });
        ColumnFamily {
            name: base.to_string(),
            paper: base.paper(),
            versions: versions.collect(),
            left_out: own.iter().filter(|s| !cutoffs.contains(&s.cutoff())).map(|s| s.to_string()).collect(),
            cutoffs,
        }
    }

    /// The original measure, if it was evaluated.
    pub fn original(&self) -> Option<&VersionColumns> {
        self.versions.iter().find(|version| version.version == Version::Original)
    }

    /// The positions in [`ColumnFamily::versions`] of the original measure and of the UE versions.
    /// `None` unless the original and a UE version were evaluated.
    pub fn against_original(&self) -> Option<(usize, Vec<usize>)> {
        let is_original = |&version: &usize| self.versions[version].version == Version::Original;
        let (original, others): (Vec<usize>, Vec<usize>) = (0..self.versions.len()).partition(is_original);
        Some((*original.first()?, others)).filter(|(_, others)| !others.is_empty())
    }

    /// Names of all versions, for titles.
    pub fn version_names(&self) -> String {
        named(self.versions.iter())
    }

    /// Names of the UE versions, for titles.
    pub fn normalised_names(&self) -> String {
        named(self.versions.iter().filter(|version| version.version != Version::Original))
    }

    /// The name of each cutoff: `@5`, or `whole list` without a cutoff.
    pub fn cutoff_heads(&self) -> Vec<String> {
        let head = |cutoff: &Option<usize>| cutoff.map_or_else(|| "whole list".to_owned(), |k| format!("@{k}"));
        self.cutoffs.iter().map(head).collect()
    }

    /// An empty table. `offset` is the number of tables between the family's first table and this
    /// table in the paper; `what` ends the id.
    pub fn table(&self, offset: u32, what: &str, title: &str) -> Table {
        let number = self.paper.map(|paper| paper.first_table + offset);
        let (number, title) = match number {
            Some(number) => (format!("{number:02}-"), format!("Table {number}: {title}")),
            None => (String::new(), title.to_owned()),
        };
        let id = format!("table-{number}{}-{}", slug(&self.name), slug(what));
        Table::new(id, title, [""; 0], 0)
    }
}

/// The names of the versions as `a, b and c`.
fn named<'a>(versions: impl Iterator<Item = &'a VersionColumns>) -> String {
    list(&versions.map(|version| version.name.as_str()).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Vec<ColumnFamily> {
        families(&names.iter().map(|name| name.parse().unwrap()).collect::<Vec<_>>())
    }

    #[test]
    fn columns_are_grouped_by_measure_version_and_cutoff() {
        let found = of(&["ndcg@5", "ap@5", "ndcg.v2@5", "ndcg@10", "ndcg.v2@10", "ndcg(gain=linear)@5", "meanndcg"]);
        let names: Vec<&str> = found.iter().map(|family| family.name.as_str()).collect();
        assert_eq!(names, ["ndcg", "ap", "ndcg(gain=linear)", "meanndcg"]);
        let ndcg = &found[0];
        assert_eq!(ndcg.cutoffs, [Some(5), Some(10)]);
        let versions: Vec<(&str, &[usize])> =
            ndcg.versions.iter().map(|v| (v.name.as_str(), v.columns.as_slice())).collect();
        assert_eq!(versions, [("ndcg", &[0, 3][..]), ("ndcg.v2", &[2, 4][..])]);
        assert_eq!(
            (found[3].cutoffs.as_slice(), found[3].cutoff_heads()),
            (&[None][..], vec!["whole list".to_owned()])
        );
    }

    #[test]
    fn a_cutoff_that_a_version_lacks_is_left_out_and_named() {
        let [family] = &of(&["ndcg.v1@5", "ndcg@5", "ndcg@10"])[..] else { panic!() };
        assert_eq!(
            (family.cutoffs.as_slice(), family.left_out.as_slice()),
            (&[Some(5)][..], &["ndcg@10".to_owned()][..])
        );
        assert_eq!(family.versions[0].version, Version::Original);
    }

    #[test]
    fn ids_carry_the_papers_number_or_the_measure_alone() {
        let found = of(&["ndcg@5", "ap@5", "ndcg(gain=linear)@5", "err@5"]);
        let ids: Vec<String> = found.iter().map(|family| family.table(4, "kendall-tau", "x").id).collect();
        assert_eq!(
            ids,
            [
                "table-07-ndcg-kendall-tau",
                "table-19-ap-kendall-tau",
                "table-ndcg-gain-linear-kendall-tau",
                "table-err-kendall-tau"
            ]
        );
        assert_eq!(found[1].table(4, "x", "tau").title, "Table 19: tau");
        assert_eq!(found[3].table(4, "x", "tau").title, "tau");
    }
}
