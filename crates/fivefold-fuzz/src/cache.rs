//! Fuzz target for damaged caches: whatever happened to the cache file, the opened collection is
//! the collection in the text.
//!
//! An input is a list of changes of the cache file, three bytes for each change. Two bytes give a
//! place (65,536 is the length of the file), and the third is XORed with the byte there. A single
//! last byte cuts the file (256 is its length).

use std::cell::OnceCell;
use std::path::PathBuf;

use fivefold_data::cache::CacheUse;
use fivefold_data::hash::data_hash;
use fivefold_data::source::open_cached;
use fivefold_data::{Cache, Source};

use crate::files::{file, folder};

struct Made {
    source: Source,
    cache: Cache,
    file: PathBuf,
    content: Vec<u8>,
    hash: String,
}

thread_local! {
    static MADE: OnceCell<Made> = const { OnceCell::new() };
}

pub(crate) fn run(bytes: &[u8]) {
    MADE.with(|made| damaged(made.get_or_init(make), bytes));
}

fn make() -> Made {
    let text: String = (0..40).map(|row| format!("{} qid:q{} 1:{row} 3:0.5 # d{row}\n", row % 3, row / 5)).collect();
    let data = file("cached.txt", text.as_bytes());
    // A text that changed less than two seconds ago is not cached.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let source = Source { path: Some(data), layout: Some("one-file".to_owned()), ..Source::default() };
    let cache = Cache::new(folder().join("caches"));
    let opened = open_cached(&source, &[], Some(&cache)).unwrap();
    let hash = data_hash(&opened.all);
    let CacheUse::Written { file, .. } = &opened.cache else { panic!("{:?}", opened.cache) };
    let content = std::fs::read(file).unwrap();
    Made { source, cache, file: file.clone(), content, hash }
}

fn damaged(made: &Made, changes: &[u8]) {
    let mut content = made.content.clone();
    for change in changes.chunks(3) {
        match change {
            [high, low, bits] => {
                let length = content.len();
                let place = (usize::from(u16::from_be_bytes([*high, *low])) * length) >> 16;
                if let Some(byte) = content.get_mut(place) {
                    *byte ^= bits;
                }
            }
            [part] => content.truncate((content.len() * usize::from(*part)) >> 8),
            _ => {}
        }
    }
    std::fs::write(&made.file, &content).unwrap();
    let opened = open_cached(&made.source, &[], Some(&made.cache)).unwrap();
    assert_eq!(data_hash(&opened.all), made.hash);
    let used = matches!(opened.cache, CacheUse::Read(_));
    assert_eq!(used, content == made.content, "{}", opened.cache);
}
