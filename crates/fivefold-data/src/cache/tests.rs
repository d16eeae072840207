//! Tests that a cached file is used only if it is exactly right, and that opening with and without
//! a cache gives the same collection.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fivefold_core::Seed;

use super::*;
use crate::collection::Collection;
use crate::descriptor::Descriptor;

/// Two queries with document ids; the lines of query `a` do not stand together. The second file
/// repeats some lines.
const TEXT: &str = "1 qid:a 1:0.5 3:-2 # docid = A\n2 qid:b 2:7 # docid = B\n0 qid:a 1:1.25 # docid = C\n";

struct Files {
    folder: tempfile::TempDir,
    options: ReadOptions,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for number in 1..=5 {
            let name = |query: &str| format!("qid:{query}{number}");
            let text = TEXT.replace("qid:a", &name("a")).replace("qid:b", &name("b"));
            fs::write(folder.path().join(format!("S{number}.txt")), text).unwrap();
        }
        Files { folder, options: ReadOptions { regroup: true, ..ReadOptions::default() } }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A cache that accepts files as young as the files of a test.
    fn cache(&self) -> Cache {
        Cache { settled: Duration::ZERO, ..Cache::new(self.path("cache")) }
    }

    fn open(&self, cache: Option<&Cache>) -> Collection {
        let descriptor = Descriptor::unnamed("d", "letor4");
        Collection::read(&descriptor, self.folder.path(), &self.options, Seed::new(0), cache).unwrap()
    }

    /// The only file in the cache.
    fn cached(&self) -> PathBuf {
        let entries: Vec<PathBuf> =
            fs::read_dir(self.path("cache")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries[0].clone()
    }
}

/// The content of a collection, without its origin.
fn content(collection: &Collection) -> String {
    let queries = collection.all.queries().map(|query| {
        let bits: Vec<u32> = query.features().iter().map(|value| value.to_bits()).collect();
        let ids: Vec<_> = (0..query.len()).map(|row| query.doc_id(row)).collect();
        format!("{} {:?} {ids:?} {bits:?}", query.id(), query.grades())
    });
    let folds = collection.folds.iter().map(|fold| {
        let ids = |part: &Dataset| part.queries().map(|query| query.id().to_owned()).collect::<Vec<_>>();
        format!("{:?} {:?} {:?}", ids(&fold.train), ids(&fold.test), fold.hashes)
    });
    let all: Vec<String> = queries.chain(folds).collect();
    format!("{} {} {:?} {all:#?}", collection.hash, collection.moved, collection.remarks)
}

#[track_caller]
fn read_again(files: &Files, why: &str) {
    let collection = files.open(Some(&files.cache()));
    let CacheUse::Written { instead: Some(reason), .. } = &collection.cache else { panic!("{}", collection.cache) };
    assert!(reason.contains(why), "{reason}");
    assert_eq!(content(&collection), content(&files.open(None)));
}

#[test]
fn the_second_opening_reads_the_cache_and_gives_the_same() {
    let files = Files::new();
    let cache = files.cache();
    let plain = files.open(None);
    assert_eq!(plain.cache, CacheUse::None);
    assert!(plain.moved && plain.all.has_doc_ids());
    let first = files.open(Some(&cache));
    let file = files.cached();
    assert_eq!(first.cache, CacheUse::Written { file: file.clone(), instead: None });
    let second = files.open(Some(&cache));
    assert_eq!(second.cache, CacheUse::Read(file));
    assert_eq!(content(&first), content(&plain));
    assert_eq!(content(&second), content(&plain));
}

#[test]
fn places_in_the_text_are_kept() {
    let files = Files::new();
    // One query is in the training part and in the test part: the guard names both lines.
    fs::write(files.path("S5.txt"), TEXT.replace("qid:b", "qid:b1")).unwrap();
    let message = || files.open(Some(&files.cache())).leaks()[0].to_string();
    let first = message();
    assert!(first.contains("S5.txt:2") && first.contains("S1.txt:2"), "{first}");
    assert_eq!(message(), first);
}

#[test]
fn damage_of_any_byte_is_seen() {
    let files = Files::new();
    let cache = files.cache();
    let expected = content(&files.open(Some(&cache)));
    let file = files.cached();
    let good = fs::read(&file).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        fs::write(&file, &bad).unwrap();
        let opened = files.open(Some(&cache));
        assert!(matches!(&opened.cache, CacheUse::Written { instead: Some(_), .. }), "byte {at}: {}", opened.cache);
        assert_eq!(content(&opened), expected);
    }
    assert_eq!(files.open(Some(&cache)).cache, CacheUse::Read(file));
}

#[test]
fn files_cut_short_or_too_long_are_seen() {
    let files = Files::new();
    files.open(Some(&files.cache()));
    let good = fs::read(files.cached()).unwrap();
    for length in [0, 1, PRELUDE - 1, PRELUDE, PRELUDE + 10, good.len() / 2, good.len() - 4, good.len() - 1] {
        fs::write(files.cached(), &good[..length]).unwrap();
        read_again(&files, "is damaged");
    }
    fs::write(files.cached(), [&good[..], &[0; 4]].concat()).unwrap();
    read_again(&files, "is damaged");
    fs::write(files.cached(), vec![b'x'; 1000]).unwrap();
    read_again(&files, "is no cache of this program");
}

#[test]
fn other_versions_and_options_are_seen() {
    let files = Files::new();
    let cache = files.cache();
    files.open(Some(&cache));
    let file = files.cached();
    let mut other = fs::read(&file).unwrap();
    other[8] ^= 1;
    fs::write(&file, &other).unwrap();
    read_again(&files, "is of another version");

    // A cached file has another name under other options. A cached file renamed to that name is
    // recognised too.
    let wide = Files { options: ReadOptions { features: Some(9), ..files.options.clone() }, folder: files.folder };
    let opened = wide.open(Some(&cache));
    let CacheUse::Written { file: of_wide, instead: None } = &opened.cache else { panic!("{}", opened.cache) };
    assert_eq!(opened.all.width(), 9);
    assert_ne!(*of_wide, file);
    fs::remove_file(of_wide).unwrap();
    fs::rename(&file, of_wide).unwrap();
    read_again(&wide, "is of other options");
}

#[test]
fn a_text_that_changed_is_read_again_even_if_its_times_were_set_back() {
    let files = Files::new();
    let text = files.path("S2.txt");
    files.open(Some(&files.cache()));
    let modified = fs::metadata(&text).unwrap().modified().unwrap();
    let changed = fs::read_to_string(&text).unwrap().replace("0.5", "0.7");
    fs::write(&text, changed).unwrap();
    fs::File::options().write(true).open(&text).unwrap().set_modified(modified).unwrap();
    assert_eq!(fs::metadata(&text).unwrap().modified().unwrap(), modified);
    read_again(&files, "S2.txt has changed");
    assert!(matches!(files.open(Some(&files.cache())).cache, CacheUse::Read(_)));

    // Another file with the same size and times takes the place of the text.
    let copy = files.path("copy");
    fs::write(&copy, fs::read_to_string(&text).unwrap().replace("0.7", "0.9")).unwrap();
    fs::File::options().write(true).open(&copy).unwrap().set_modified(modified).unwrap();
    fs::rename(&copy, &text).unwrap();
    read_again(&files, "S2.txt has changed");
}

#[test]
fn a_text_that_changed_a_moment_ago_is_not_cached() {
    let files = Files::new();
    let cache = Cache { settled: Duration::from_secs(3600), ..files.cache() };
    let opened = files.open(Some(&cache));
    assert!(matches!(&opened.cache, CacheUse::Failed(reason) if reason.contains("a moment ago")), "{}", opened.cache);
    assert!(!files.path("cache").exists());
}

#[test]
fn processes_may_write_at_the_same_time() {
    let files = Files::new();
    let expected = content(&files.open(None));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let opened = files.open(Some(&files.cache()));
                    assert!(!matches!(opened.cache, CacheUse::Failed(_) | CacheUse::None), "{}", opened.cache);
                    assert_eq!(content(&opened), expected);
                }
            });
        }
    });
    assert!(matches!(files.open(Some(&files.cache())).cache, CacheUse::Read(file) if file == files.cached()));
}

#[test]
fn a_mapped_cache_outlives_its_replacement() {
    let files = Files::new();
    files.open(Some(&files.cache()));
    let mapped = files.open(Some(&files.cache()));
    let before = content(&mapped);
    fs::write(files.path("S1.txt"), TEXT.replace("0.5", "0.6")).unwrap();
    read_again(&files, "has changed");
    fs::remove_dir_all(files.path("cache")).unwrap();
    assert_eq!(content(&mapped), before);
}

#[test]
fn a_folder_that_cannot_be_written_is_done_without() {
    let files = Files::new();
    let expected = content(&files.open(None));
    fs::write(files.path("a-file"), "").unwrap();
    for folder in [files.path("a-file"), files.path("a-file/below")] {
        let cache = Cache { settled: Duration::ZERO, ..Cache::new(folder) };
        let opened = files.open(Some(&cache));
        assert!(matches!(&opened.cache, CacheUse::Failed(_)), "{}", opened.cache);
        assert_eq!(content(&opened), expected);
    }
}

#[test]
fn small_collections_are_cached_only_when_asked() {
    let files = Files::new();
    let opened = files.open(Some(&files.cache().if_worthwhile()));
    assert_eq!(opened.cache, CacheUse::None);
    assert!(!files.path("cache").exists());
}

#[test]
fn what_killed_processes_left_is_swept_up() {
    let files = Files::new();
    fs::create_dir(files.path("cache")).unwrap();
    let left = |name: &str, age: u64| -> PathBuf {
        let path = files.path("cache").join(name);
        fs::write(&path, "x").unwrap();
        let then = SystemTime::now() - Duration::from_secs(age);
        fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        path
    };
    let (old, new, other) = (left(".partial-1", 90_000), left(".partial-2", 1), left("mine", 90_000));
    files.open(Some(&files.cache()));
    let there = |path: &Path| path.exists();
    assert_eq!((there(&old), there(&new), there(&other)), (false, true, true));
}

/// A cache of several blocks: 20 queries of 2,000 documents with 16 features are 2.4 MiB.
fn large() -> Files {
    let files = Files::new();
    for number in 1..=5 {
        let line = |row: usize| {
            let values: String = (1..=16).map(|feature| format!(" {feature}:{}", (row * feature) % 97)).collect();
            format!("{} qid:{number}-{}{values}\n", row % 3, row / 2000)
        };
        fs::write(files.path(&format!("S{number}.txt")), (0..8000).map(line).collect::<String>()).unwrap();
    }
    files
}

/// Flips a bit of the file in place: the change is seen through maps of the file.
fn flip(file: &Path, at: u64) {
    use std::os::unix::fs::FileExt as _;
    let file = fs::File::options().read(true).write(true).open(file).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 16], at).unwrap();
}

#[test]
fn blocks_are_checked_when_they_are_used() {
    let files = large();
    let cache = files.cache();
    let expected = content(&files.open(Some(&cache)));
    let file = files.cached();
    let length = fs::metadata(&file).unwrap().len();
    let matrix = 20 * 2000 * 16 * 4;
    // A bit in the third block.
    flip(&file, length - matrix + (2 << 20) + 12345);
    let opened = files.open(Some(&cache.clone().checked_when_used()));
    assert_eq!(opened.cache, CacheUse::Read(file.clone()));
    // Queries are stored in the order of the files. Those of the first blocks are good.
    opened.check(&[&opened.all.slice(0..16)]).unwrap();
    assert!(file.exists());
    let bad = opened.check(&[&opened.all]).unwrap_err();
    assert_eq!((bad.block, bad.blocks, bad.removed, &bad.file), (Some(3), 3, true, &file));
    let message = bad.to_string();
    assert!(message.contains("block 3 of 3 of the cached file") && message.contains("run again"), "{message}");
    assert!(!file.exists());
    // The bad block stays bad, and the next opening reads the text.
    assert!(opened.check(&[&opened.all.slice(17..20)]).is_err());
    let again = files.open(Some(&cache));
    assert!(matches!(again.cache, CacheUse::Written { instead: None, .. }), "{}", again.cache);
    assert_eq!(content(&again), expected);
}

#[test]
fn an_opening_that_checks_all_blocks_reads_the_text_instead() {
    let files = large();
    files.open(Some(&files.cache()));
    let length = fs::metadata(files.cached()).unwrap().len();
    flip(&files.cached(), length - (1 << 20));
    read_again(&files, "is damaged");
    assert!(matches!(files.open(Some(&files.cache())).cache, CacheUse::Read(_)));
}

#[test]
fn a_change_while_the_file_is_mapped_is_seen_by_the_next_check() {
    let files = large();
    files.open(Some(&files.cache()));
    let opened = files.open(Some(&files.cache()));
    let file = files.cached();
    let part = &opened.folds[0].train;
    opened.check(&[part]).unwrap();
    flip(&file, fs::metadata(&file).unwrap().len() - (2 << 20));
    // The block was found good before.
    opened.check(&[part]).unwrap();
    let bad = opened.check_again(&[&opened.all]).unwrap_err();
    assert_eq!((bad.block, bad.removed, file.exists()), (Some(1), true, false));
}

#[test]
fn a_file_cut_short_while_it_is_mapped_is_seen_before_it_is_touched() {
    let files = large();
    files.open(Some(&files.cache()));
    let opened = files.open(Some(&files.cache().checked_when_used()));
    let file = fs::File::options().write(true).open(files.cached()).unwrap();
    file.set_len(fs::metadata(files.cached()).unwrap().len() / 2).unwrap();
    let bad = opened.check(&[&opened.all]).unwrap_err();
    assert!(bad.block.is_none() && bad.to_string().contains("was cut short"), "{bad}");
}

#[test]
fn a_file_that_another_program_wrote_meanwhile_is_kept() {
    let files = large();
    files.open(Some(&files.cache()));
    let opened = files.open(Some(&files.cache().checked_when_used()));
    let file = files.cached();
    let good = fs::read(&file).unwrap();
    flip(&file, good.len() as u64 - 1);
    fs::write(files.path("new"), &good).unwrap();
    fs::rename(files.path("new"), &file).unwrap();
    assert!(opened.check(&[&opened.all]).unwrap_err().removed);
    assert_eq!(fs::read(&file).unwrap(), good);
}

/// The value of no bytes is that of the reference program (`xxhsum -H3`).
#[test]
fn the_checksum_is_xxh3() {
    assert_eq!(twox_hash::XxHash3_64::oneshot(b""), 0x2D06_8005_38D3_94C2);
}

/// If the reader is split into more files, the hash must cover all of them.
#[test]
fn every_source_of_the_letor_reader_is_hashed() {
    let others = ["error.rs", "write.rs"];
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/letor")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !others.contains(&path.file_name().unwrap().to_str().unwrap()) {
                let source = std::fs::read_to_string(&path).unwrap();
                assert!(READER.contains(&source.as_str()), "{} is not hashed", path.display());
            }
        }
    }
}
