//! Collections for the comparison: synthetic collections with any number of features, as text or as
//! arrays.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use fivefold_core::{Dataset, Seed};
use fivefold_data::{ReadOptions, read_letor, synthetic, write_letor};
use serde_json::{Value, json};

use crate::{Result, sizes};

/// Writes a synthetic collection. With more features than the shape has, the shape's features
/// repeat, each time shifted by one more document. So repeated features have the same distribution
/// and another order.
pub fn make(shape: &str, features: usize, queries: usize, seed: u64, file: &Path) -> Result<Value> {
    let data = synthetic::make(synthetic::shape(shape)?, queries, Seed::new(seed))?;
    let data = if features == data.width() { data } else { with_width(&data, features)? };
    write_letor(&data, &mut BufWriter::new(File::create(file)?))?;
    Ok(json!({"documents": data.documents(), "queries": data.len(), "features": data.width()}))
}

fn with_width(data: &Dataset, width: usize) -> Result<Dataset> {
    let (documents, old) = (data.documents(), data.width());
    let rows: Vec<&[f32]> = data.queries().flat_map(|query| query.view().rows()).collect();
    let mut features = Vec::with_capacity(documents * width);
    for row in 0..documents {
        features.extend((0..width).map(|column| rows[(row + column / old) % documents][column % old]));
    }
    Ok(data.with_features(features, width)?)
}

/// LETOR text as features (f32), grades (u8) and documents a query (u32), little endian.
pub fn arrays(file: &Path, prefix: &str) -> Result<Value> {
    let data = read_letor(file, &ReadOptions::default())?.data;
    let mut features = BufWriter::new(File::create(format!("{prefix}.features"))?);
    for query in data.queries() {
        for value in query.view().features() {
            features.write_all(&value.to_le_bytes())?;
        }
    }
    features.flush()?;
    fs::write(
        format!("{prefix}.grades"),
        data.queries().flat_map(|query| query.grades().to_vec()).collect::<Vec<_>>(),
    )?;
    fs::write(format!("{prefix}.sizes"), sizes(&data).flat_map(u32::to_le_bytes).collect::<Vec<_>>())?;
    Ok(json!({"documents": data.documents(), "queries": data.len(), "features": data.width()}))
}
