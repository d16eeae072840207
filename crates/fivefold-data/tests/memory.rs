//! Compares the estimated memory of normalisers with the count of an allocator. The binary has a
//! single test, so that no other test allocates meanwhile.

use fivefold_core::conformance::data::sized;
use fivefold_data::{Normaliser, NormaliserMethod, Over};

fivefold_core::counting_allocator!();

#[test]
fn every_normaliser_needs_the_memory_that_it_says() {
    let sets =
        [("wide", sized(6, 10, 20_000, 1)), ("long", sized(2000, 40, 8, 2)), ("one query", sized(1, 80_000, 8, 3))];
    for (name, data) in &sets {
        for method in
            [NormaliserMethod::None, NormaliserMethod::MinMax, NormaliserMethod::ZScore, NormaliserMethod::LogZScore]
        {
            for over in [Over::Query, Over::Train] {
                for threads in [1, 4] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let normaliser = Normaliser { method, over };
                    let estimate = pool.install(|| normaliser.bytes(data)) as f64;
                    let mut done = None;
                    let peak = peak_of(&mut || {
                        done = Some(pool.install(|| normaliser.fit(data).unwrap().apply(data).unwrap()));
                    }) as f64;
                    drop(done);
                    let small = f64::from(64 << 10);
                    let text = format!("{method:?} over {over:?}, {name}, threads {threads}: {estimate} {peak}");
                    assert!(estimate <= 1.5 * peak + small && peak <= 1.5 * estimate + small, "{text}");
                }
            }
        }
    }
}
