//! Fuzz target for packed files. Any bytes are read to an end or to an error, in bounded memory.
//! Bytes that were packed come back whole.

use std::io::{Cursor, Write as _};

use fivefold_data::read_scores;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::files::{file, is_packed};

pub(crate) fn run(bytes: &[u8]) {
    let as_it_is = |bytes: &[u8]| match read_scores(&file("packed", bytes), 3) {
        Ok(scores) => format!("{scores:?}"),
        Err(error) => error.to_string(),
    };
    let plain = as_it_is(bytes);
    if !is_packed(bytes) {
        let packed = [gzip(bytes), compress_to_vec(bytes, CompressionLevel::Fastest), zip(bytes)];
        packed.iter().for_each(|packed| assert_eq!(as_it_is(packed), plain));
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("a/member.txt", SimpleFileOptions::default()).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap().into_inner()
}
