//! What the program does with its options.

use std::io::Write as _;
use std::path::Path;

use fivefold_base::words::{list_some, nearest};
use fivefold_data::texts::{Texts, read_texts};

use crate::error::BertScoreError;
use crate::evaluate::Evaluator;
use crate::expected::Expected;
use crate::heat_map::HeatMap;
use crate::heterogeneity::{Group, Heterogeneity, groups};
use crate::model::{MODEL_HELP, Model};
use crate::options::{Documents, Options};
use crate::output::{Report, heterogeneity_csv, values_csv};
use crate::settings::Settings;

/// Runs the program, and returns its exit code.
pub fn run(options: &Options) -> u8 {
    match done(options) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("Error: {error}");
            if let Some(advice) = error.advice() {
                eprintln!("  help: {advice}");
            }
            2
        }
    }
}

fn done(options: &Options) -> Result<(), BertScoreError> {
    let Some(folder) = &options.model else {
        return Err(BertScoreError::new("BERTScore needs the weights of a model: --model DIR").help(MODEL_HELP));
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build_global()
        .map_err(|error| BertScoreError::new(format!("cannot start threads: {error}")))?;
    let settings = options.settings()?;
    let files = options.files()?;
    let texts = read_texts(&files).map_err(|error| BertScoreError::new(error.to_string()))?;
    let model = Model::load(folder)?;
    match &options.heat_map {
        Some(item) => heat_map(options, &model, &texts, item),
        None => {
            let groups = grouped(options, &model, &texts)?;
            let texts = chosen(options.documents, texts, groups.as_deref());
            let evaluator = Evaluator::new(&model, &texts, settings.clone())?;
            let evaluation = evaluator.evaluate()?;
            if let Some(path) = &options.out {
                write(path, &values_csv(&texts, &evaluation, &options.values))?;
            }
            let report =
                Report { options, model: &model, folder, settings: &settings, texts: &texts, evaluation: &evaluation };
            print(&if options.json { report.json() } else { report.text() })
        }
    }
}

/// The groups of the documents, if they are asked for; and writes them.
fn grouped(options: &Options, model: &Model, texts: &Texts) -> Result<Option<Vec<Option<Group>>>, BertScoreError> {
    if options.heterogeneity.is_none() && options.documents == Documents::All {
        return Ok(None);
    }
    // The two ends need sources, whatever E is.
    let settings = Settings { expected: Expected::B2w, baseline: None, ..options.settings()? };
    let distances: Vec<Heterogeneity> = Evaluator::new(model, texts, settings)?.heterogeneity()?;
    let groups = groups(&distances, options.group_size)?;
    if let Some(path) = &options.heterogeneity {
        write(path, &heterogeneity_csv(&distances, &groups))?;
    }
    Ok(Some(groups))
}

/// The documents to score.
fn chosen(documents: Documents, mut texts: Texts, groups: Option<&[Option<Group>]>) -> Texts {
    let wanted = match documents {
        Documents::All => return texts,
        Documents::Hete => Group::HeteDoc,
        Documents::Homo => Group::HomoDoc,
    };
    let mut groups = groups.unwrap_or_default().iter();
    texts.documents.retain(|_| groups.next() == Some(&Some(wanted)));
    texts
}

fn heat_map(options: &Options, model: &Model, texts: &Texts, item: &str) -> Result<(), BertScoreError> {
    let (Some(system), Some(path)) = (&options.system, &options.out) else {
        return Err(BertScoreError::new("a heat map needs --system NAME and --out FILE.svg"));
    };
    let document = texts.documents.iter().find(|document| document.id == *item);
    let document =
        document.ok_or_else(|| unknown("document", item, texts.documents.iter().map(|document| &document.id[..])))?;
    let place = texts.systems.iter().position(|name| name == system);
    let place = place.ok_or_else(|| unknown("system", system, texts.systems.iter().map(|name| &name[..])))?;
    let candidate = document.candidates[place]
        .as_deref()
        .ok_or_else(|| BertScoreError::new(format!("the system `{system}` has no text about `{item}`")))?;
    let reference =
        options.reference.checked_sub(1).and_then(|place| document.references.get(place)).ok_or_else(|| {
            BertScoreError::new(format!("`{item}` has no reference {}", options.reference))
                .help(format!("its references are 1 to {}", document.references.len()))
        })?;
    let title = format!("{system} on {item}, reference {}", options.reference);
    let map = HeatMap::new(model, [candidate, reference], options.layer(), options.special(), &title)?;
    write(path, &map.svg)?;
    let [p, r, f1] = map.scores.array();
    print(&format!("{title}: P {p:.6}, R {r:.6}, F1 {f1:.6}. The figure is in {}.\n", path.display()))
}

fn unknown<'n>(kind: &str, name: &str, known: impl Iterator<Item = &'n str> + Clone) -> BertScoreError {
    let help = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known: {}", list_some(&known.collect::<Vec<_>>())),
    };
    BertScoreError::new(format!("there is no {kind} `{name}`")).help(help)
}

fn write(path: &Path, text: &str) -> Result<(), BertScoreError> {
    std::fs::write(path, text).map_err(|error| BertScoreError::file("write", path, error))
}

fn print(text: &str) -> Result<(), BertScoreError> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| BertScoreError::new(format!("cannot write to standard output: {error}")))
}
