//! Cuts texts into tokens.
//!
//! The tokeniser `rouge` does what the package rouge-score does: lower case by Unicode, then every
//! run of characters outside a-z and 0-9 separates. So `Don't` is `don` and `t`, and `café` is
//! `caf`. The tokeniser `space` separates at white space alone and leaves letters as they are. The
//! stemmer replaces tokens of more than three characters by their [stems](crate::stem).

use crate::porter::stem;
use crate::settings::{Stemmer, Tokeniser};

/// The fewest characters of a token that is stemmed.
const SHORTEST_STEMMED: usize = 4;

/// The tokens of a text.
///
/// ```
/// use fivefold_text::settings::{Stemmer, Tokeniser};
/// use fivefold_text::tokens;
///
/// assert_eq!(tokens("Happily, it's 3.5%", Tokeniser::Rouge, Stemmer::Porter), ["happili", "it", "s", "3", "5"]);
/// assert_eq!(tokens("Happily, it's 3.5%", Tokeniser::Space, Stemmer::None), ["Happily,", "it's", "3.5%"]);
/// ```
pub fn tokens(text: &str, tokeniser: Tokeniser, stemmer: Stemmer) -> Vec<String> {
    let mut found = Vec::new();
    split(text, tokeniser, &mut String::new(), |token| found.push(stemmed(token, stemmer)));
    found
}

/// A token after stemming.
pub(crate) fn stemmed(token: &str, stemmer: Stemmer) -> String {
    match stemmer {
        Stemmer::Porter if token.chars().nth(SHORTEST_STEMMED - 1).is_some() => stem(token),
        Stemmer::Porter | Stemmer::None => token.to_owned(),
    }
}

/// Calls `each` with the tokens of a text before stemming. The buffer is overwritten.
pub(crate) fn split(text: &str, tokeniser: Tokeniser, buffer: &mut String, mut each: impl FnMut(&str)) {
    if tokeniser == Tokeniser::Space {
        text.split_whitespace().for_each(each);
        return;
    }
    buffer.clear();
    for letter in text.chars() {
        // Lower case of a letter outside ASCII can hold one in ASCII: of the Kelvin sign it is k.
        match letter {
            'a'..='z' | '0'..='9' => buffer.push(letter),
            _ if letter.is_ascii() => {
                buffer.push(if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { ' ' })
            }
            _ => buffer
                .extend(letter.to_lowercase().map(|lower| if lower.is_ascii_alphanumeric() { lower } else { ' ' })),
        }
    }
    buffer.split(' ').filter(|token| !token.is_empty()).for_each(&mut each);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_as_in_rouge_score() {
        let found = tokens("Don't stop-2nd café İstanbul 3.5% U.S.", Tokeniser::Rouge, Stemmer::None);
        assert_eq!(found, ["don", "t", "stop", "2nd", "caf", "i", "stanbul", "3", "5", "u", "s"]);
        // The Kelvin sign is a k in lower case; a Greek letter separates.
        assert_eq!(tokens("5\u{212a}m aΣb", Tokeniser::Rouge, Stemmer::None), ["5km", "a", "b"]);
        assert!(tokens(" -\n!", Tokeniser::Rouge, Stemmer::Porter).is_empty());
    }

    #[test]
    fn white_space_alone_separates() {
        let found = tokens(" A b\u{a0}c,\n dogs ", Tokeniser::Space, Stemmer::None);
        assert_eq!(found, ["A", "b", "c,", "dogs"]);
    }

    #[test]
    fn short_tokens_keep_their_form() {
        assert_eq!(
            tokens("the was dies die dogs", Tokeniser::Rouge, Stemmer::Porter),
            ["the", "was", "die", "die", "dog"]
        );
    }
}
