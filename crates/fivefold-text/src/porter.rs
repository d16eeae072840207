//! Porter's stemmer with the extensions of NLTK (its default mode), which rouge-score uses.
//!
//! Source: Porter, An algorithm for suffix stripping, Program 14(3), 1980; NLTK's
//! `nltk/stem/porter.py` (Apache-2.0) for the extensions. Differences from the paper:
//! - some words have fixed stems, as `skies` and `dying`;
//! - `-ies` and `-ied` of words of four letters give `-ie`;
//! - `-y` becomes `-i` after a consonant that is not the first letter, whatever stands before;
//! - `-alli` gives `-al`, and step 2 is done again; `-bli`, `-fulli` and `-logi` have rules;
//! - a stem of two letters, vowel and consonant, ends in `*o` too.
//!
//! A list of rules stops at the first suffix that fits, whether or not its condition holds.

/// Words whose stems follow no rule.
const FIXED: &[(&str, &str)] = &[
    ("sky", "sky"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("news", "news"),
    ("innings", "inning"),
    ("inning", "inning"),
    ("outings", "outing"),
    ("outing", "outing"),
    ("cannings", "canning"),
    ("canning", "canning"),
    ("howe", "howe"),
    ("proceed", "proceed"),
    ("exceed", "exceed"),
    ("succeed", "succeed"),
];

/// The stem of a word, in lower case. Words of one or two characters are their own stems.
///
/// ```
/// use fivefold_text::stem;
///
/// assert_eq!(["relational", "ponies", "enjoy"].map(stem), ["relat", "poni", "enjoy"]);
/// ```
pub fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    if let Some((_, stem)) = FIXED.iter().find(|(fixed, _)| *fixed == lower) {
        return (*stem).to_owned();
    }
    let mut letters: Vec<char> = lower.chars().collect();
    if letters.len() > 2 {
        plurals(&mut letters);
        past_and_ing(&mut letters);
        final_y(&mut letters);
        double_suffixes(&mut letters);
        apply(&mut letters, STEP_3, |stem| measure(stem) > 0);
        single_suffixes(&mut letters);
        final_e(&mut letters);
        if ends(&letters, "ll") && measure(&letters[..letters.len() - 1]) > 1 {
            letters.pop();
        }
    }
    letters.into_iter().collect()
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// Whether each letter is a consonant. A y is one at the start and after a vowel.
fn consonants(letters: &[char]) -> impl Iterator<Item = bool> {
    letters.iter().scan(false, |before, &letter| {
        *before = if letter == 'y' { !*before } else { !is_vowel(letter) };
        Some(*before)
    })
}

/// The number of runs of vowels that a consonant follows: m of the paper.
fn measure(letters: &[char]) -> usize {
    let mut after_vowel = false;
    consonants(letters).filter(|&consonant| std::mem::replace(&mut after_vowel, !consonant) && consonant).count()
}

fn has_vowel(letters: &[char]) -> bool {
    consonants(letters).any(|consonant| !consonant)
}

fn ends_in_consonant(letters: &[char]) -> bool {
    consonants(letters).last() == Some(true)
}

/// `*d` of the paper: two equal consonants at the end.
fn ends_in_double_consonant(letters: &[char]) -> bool {
    matches!(letters, [.., one, other] if one == other) && ends_in_consonant(letters)
}

/// `*o` of the paper: consonant, vowel and consonant at the end, the last not w, x or y. NLTK also
/// takes words of a vowel and a consonant.
fn ends_in_short_syllable(letters: &[char]) -> bool {
    let kinds: Vec<bool> = consonants(letters).collect();
    match kinds.as_slice() {
        [false, true] => true,
        [.., true, false, true] => !matches!(letters.last(), Some('w' | 'x' | 'y')),
        _ => false,
    }
}

fn ends(letters: &[char], suffix: &str) -> bool {
    let mut at = letters.iter().rev();
    suffix.chars().rev().all(|letter| at.next() == Some(&letter))
}

/// Replaces the last `old` letters.
fn replace_end(letters: &mut Vec<char>, old: usize, new: &str) {
    letters.truncate(letters.len() - old);
    letters.extend(new.chars());
}

/// Replaces the first suffix of the list that the word has, if the condition holds for the stem.
fn apply(letters: &mut Vec<char>, rules: &[(&str, &str)], condition: impl Fn(&[char]) -> bool) {
    if let Some((suffix, new)) = rules.iter().find(|(suffix, _)| ends(letters, suffix))
        && condition(&letters[..letters.len() - suffix.len()])
    {
        replace_end(letters, suffix.len(), new);
    }
}

/// Step 1a.
fn plurals(letters: &mut Vec<char>) {
    if letters.len() == 4 && ends(letters, "ies") {
        letters.pop();
        return;
    }
    apply(letters, &[("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")], |_| true);
}

/// Step 1b.
fn past_and_ing(letters: &mut Vec<char>) {
    if ends(letters, "ied") {
        let removed = if letters.len() == 4 { 1 } else { 2 };
        letters.truncate(letters.len() - removed);
        return;
    }
    if ends(letters, "eed") {
        if measure(&letters[..letters.len() - 3]) > 0 {
            letters.pop();
        }
        return;
    }
    let with_vowel = |suffix: &&str| ends(letters, suffix) && has_vowel(&letters[..letters.len() - suffix.len()]);
    let Some(suffix) = ["ed", "ing"].into_iter().find(with_vowel) else { return };
    letters.truncate(letters.len() - suffix.len());
    if ["at", "bl", "iz"].iter().any(|end| ends(letters, end)) {
        letters.push('e');
    } else if ends_in_double_consonant(letters) {
        if !matches!(letters.last(), Some('l' | 's' | 'z')) {
            letters.pop();
        }
    } else if measure(letters) == 1 && ends_in_short_syllable(letters) {
        letters.push('e');
    }
}

/// Step 1c.
fn final_y(letters: &mut [char]) {
    if let [before @ .., last @ 'y'] = letters
        && before.len() > 1
        && ends_in_consonant(before)
    {
        *last = 'i';
    }
}

const STEP_2: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
];

/// Step 2.
fn double_suffixes(letters: &mut Vec<char>) {
    if ends(letters, "alli") && measure(&letters[..letters.len() - 4]) > 0 {
        replace_end(letters, 4, "al");
        double_suffixes(letters);
    } else if ends(letters, "logi") {
        // The condition looks at the l of the suffix too.
        if measure(&letters[..letters.len() - 3]) > 0 {
            letters.pop();
        }
    } else {
        apply(letters, STEP_2, |stem| measure(stem) > 0);
    }
}

const STEP_3: &[(&str, &str)] =
    &[("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];

const STEP_4: &[&str] = &[
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
];

/// Step 4.
fn single_suffixes(letters: &mut Vec<char>) {
    let Some(suffix) = STEP_4.iter().find(|suffix| ends(letters, suffix)) else { return };
    let stem = &letters[..letters.len() - suffix.len()];
    if measure(stem) > 1 && (*suffix != "ion" || matches!(stem.last(), Some('s' | 't'))) {
        letters.truncate(stem.len());
    }
}

/// Step 5a.
fn final_e(letters: &mut Vec<char>) {
    if let [stem @ .., 'e'] = letters.as_slice() {
        let short = measure(stem) == 1 && !ends_in_short_syllable(stem);
        if short || measure(stem) > 1 {
            letters.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_of_the_definitions() {
        for (word, expected) in [
            ("relational", "relat"),
            ("ponies", "poni"),
            ("happily", "happili"),
            ("studying", "studi"),
            ("flies", "fli"),
            ("technology", "technolog"),
            ("usefully", "use"),
            ("died", "die"),
            ("dies", "die"),
            ("spied", "spi"),
            ("happy", "happi"),
            ("enjoy", "enjoy"),
            ("play", "play"),
            ("try", "tri"),
            ("skies", "sky"),
            ("dying", "die"),
            ("news", "news"),
            ("cannings", "canning"),
            ("succeed", "succeed"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn letters_outside_ascii_are_consonants() {
        assert_eq!(stem("Ééé"), "ééé");
        assert_eq!(stem("naïves"), "naïv");
    }

    #[test]
    fn measures_of_the_paper() {
        let of = |word: &str| measure(&word.chars().collect::<Vec<_>>());
        for word in ["tr", "ee", "tree", "y", "by"] {
            assert_eq!(of(word), 0, "{word}");
        }
        for word in ["trouble", "oats", "trees", "ivy"] {
            assert_eq!(of(word), 1, "{word}");
        }
        for word in ["troubles", "private", "oaten", "orrery"] {
            assert_eq!(of(word), 2, "{word}");
        }
    }
}
