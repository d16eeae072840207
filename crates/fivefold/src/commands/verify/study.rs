//! Checks a study: the study is done again, and its files are compared.

use std::collections::BTreeSet;

use fivefold_experiment::verify::{Check, manifest_check, other_files};
use fivefold_report::check::check_files;
use fivefold_results::checksum::Checksum;
use fivefold_results::store::Store;
use fivefold_studies::{StudyError, StudyFile, StudyManifest, StudyOptions, run};

use super::Args;
use crate::data_dir::folders as data_folders;
use crate::exit::Exit;
use crate::experiment::Text;
use crate::interrupt;
use crate::problem::{self, Problem};
use crate::progress::FitBar;
use crate::screen::Screen;
use crate::study::report as of_study;

impl Args {
    pub(super) fn study(
        &self,
        manifest: &StudyManifest,
        checksum: Checksum,
        screen: &mut Screen,
    ) -> miette::Result<Exit> {
        let Some(mut checks) = self.again(manifest)? else { return Ok(Exit::Interrupted) };
        checks.insert(0, manifest_check(checksum));
        self.show(Some(&manifest.name), None, checks, screen)
    }

    /// Does the study again and compares the files; `None` if a signal stopped the study.
    fn again(&self, manifest: &StudyManifest) -> miette::Result<Option<Vec<Check>>> {
        let (mut inputs, mut files, mut report) = (Check::new("inputs"), Check::new("files"), Check::new("report"));
        if self.without_data {
            let what = "`verify` checks a study by doing the study again, which needs the study's data: leave out \
                --without-data";
            return Err(Problem::new(what).into());
        }
        let file = StudyFile::restore(manifest).map_err(|error| Problem::param(error, "", ""))?;
        let folders = match &self.experiment {
            Some(name) => Text::read(name, self.data_dir.as_deref())?.study()?,
            None => None,
        };
        let folders = folders.map_or_else(|| data_folders(self.data_dir.as_deref()), |(_, folders)| folders);
        let bar = FitBar::new(&file.name);
        let options = StudyOptions {
            folders,
            threads: self.threads.threads,
            progress: Some(&bar),
            cancel: Some(interrupt::watch()),
        };
        let found = run(&file, &options);
        bar.finish();
        let findings = match found {
            Err(StudyError::Cancelled) => return Ok(None),
            Err(error) => {
                inputs.lacking(manifest.inputs.len(), error.to_string());
                files.lacking(manifest.files.len(), "the study cannot be done again");
                report.lacking(1, "the study cannot be done again");
                return Ok(Some(vec![inputs, files, report]));
            }
            Ok(findings) => findings,
        };
        for input in &manifest.inputs {
            let name = &input.name;
            match findings.inputs.iter().find(|found| found.name == *name) {
                Some(found) if found.hash == input.hash => inputs.passed(),
                Some(found) => {
                    let what = format!(
                        "{name}: the recorded hash is {}, but the content read now has {}",
                        input.hash, found.hash
                    );
                    inputs.failed("manifest.json", what);
                }
                None => inputs.failed("manifest.json", format!("{name}: the study did not read this input now")),
            }
        }
        let store = Store::new(&self.folder);
        for (name, content) in &findings.files {
            let result = match store.read(name) {
                Ok(Some(stored)) if stored == content.as_bytes() => Ok(()),
                Ok(Some(_)) => Err("differs from the file that the study gives".to_owned()),
                Ok(None) => Err("there is no such file".to_owned()),
                Err(error) => Err(error.to_string()),
            };
            files.add(name, result);
        }
        let compared = check_files(&of_study(&file, &findings)?, &self.folder).map_err(problem::report)?;
        let mut known: BTreeSet<String> = findings.files.iter().map(|(name, _)| name.clone()).collect();
        known.insert("manifest.json".to_owned());
        known.extend(compared.iter().map(|(name, _)| name.clone()));
        compared.into_iter().for_each(|(name, result)| report.add(&name, result));
        let others = other_files(&self.folder, &known, true).map_err(problem::report)?;
        Ok(Some(vec![inputs, files, report, others]))
    }
}
