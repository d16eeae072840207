//! Fuzz targets for TOML: experiments, studies, published tables and descriptors. A file is read,
//! or refused with a place. Settings that are written as JSON and read again are the same.
//! Published tables that are read are replayed.

use std::sync::LazyLock;

use fivefold_core::Registry;
use fivefold_data::Descriptor;
use fivefold_rankers::RANKERS;
use fivefold_results::Experiment;
use fivefold_studies::StudyFile;
use fivefold_studies::replay::replay;

use crate::files::file;

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::new(&[RANKERS]));

pub(crate) fn experiment(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Experiment::parse("experiment.toml", text, Vec::new(), &REGISTRY) {
        Ok(experiment) => {
            let written = serde_json::to_string(&experiment).unwrap();
            let again: Experiment = serde_json::from_str(&written).unwrap();
            assert_eq!(serde_json::to_string(&again).unwrap(), written);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

pub(crate) fn study(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match StudyFile::parse(text) {
        Ok(file) => assert!(StudyFile::is_study(text) && file.study.settings().is_object()),
        Err(error) => {
            let place = error.span.unwrap_or(0..0);
            assert!(place.start <= place.end && place.end <= text.len(), "{place:?} of {}", text.len());
        }
    }
}

pub(crate) fn published(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(replay) = replay(text, text) {
        assert!(replay.cells.iter().all(|cell| cell.computed.is_none_or(|value| !value.is_infinite())));
    }
}

pub(crate) fn descriptor(bytes: &[u8]) {
    let path = file("descriptor.toml", bytes);
    if let Ok(descriptor) = Descriptor::load(&path) {
        let written = serde_json::to_string(&descriptor).unwrap();
        assert_eq!(serde_json::from_str::<Descriptor>(&written).unwrap(), descriptor);
        assert!(!descriptor.needed().is_empty());
    }
}
