//! Four ways to report a result, in an order of the student's: one is sound, and the others have a
//! fault each.

use fivefold_base::Seed;

/// A protocol: its text and the word for its fault.
pub(crate) struct Protocol {
    pub(crate) text: &'static str,
    pub(crate) fault: &'static str,
}

/// The words that the student chooses from, with what they mean.
pub(crate) const FAULTS: [(&str, &str); 4] = [
    ("test-choice", "the test part helped to choose"),
    ("best-seed", "one of several runs was picked by its result"),
    ("leak", "the ranker saw something of the test part, or of the grades, before the test"),
    ("sound", "no fault"),
];

const CHOSEN_ON_TEST: [&str; 2] = [
    "We trained with 2, 4, 8 and 16 leaves. The table has the setting whose test nDCG@5 is highest.",
    "We compared three rankers on the test part every week, and kept changing the features of ours until it won.",
];
const BEST_SEED: [&str; 2] = [
    "We trained the network with ten seeds. The table has the test nDCG@5 of the best of the ten.",
    "Training is random, so we ran it five times, and we report the run with the highest test nDCG@5.",
];
const LEAKS: [&str; 2] = [
    "One feature is the number of judges who read the document. Only documents of grade 1 and 2 were read twice.",
    "We removed double queries, except where one copy is in the training part and the other in the test part.",
];
const SOUND: [&str; 2] = [
    "We chose the leaves on the validation part, trained once more, and measured once on the test part.",
    "Five seeds were trained. The number of rounds came from the validation part. We report the mean of the five test values.",
];

/// The four protocols of a student.
pub(crate) fn protocols(seed: Seed) -> [Protocol; 4] {
    let mut rng = seed.derive("protocols").rng();
    let mut one =
        |texts: [&'static str; 2], fault: usize| Protocol { text: texts[rng.index(2)], fault: FAULTS[fault].0 };
    let mut all = [one(CHOSEN_ON_TEST, 0), one(BEST_SEED, 1), one(LEAKS, 2), one(SOUND, 3)];
    seed.derive("order of protocols").rng().shuffle(&mut all);
    all
}
