//! Ranking measures with upper-and-expected-value normalisation, ties, undefined policies and dialects.
