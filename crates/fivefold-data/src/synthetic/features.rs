//! The visible side of a synthetic document: features that observe the hidden properties with
//! noise.
//!
//! Families follow the feature lists of LETOR 4.0 and MSLR-WEB30K. Most families come once for each
//! text stream (body, anchor, title, URL, whole document). If a document lacks a stream, its
//! features are 0, as in the real collections.

use fivefold_core::Rng;

use super::Shape;
use super::signal::{Properties, QueryPlan};

/// The text streams of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Body,
    Anchor,
    Title,
    Url,
    Whole,
}

const STREAMS: [Stream; 5] = [Stream::Body, Stream::Anchor, Stream::Title, Stream::Url, Stream::Whole];

/// The hidden property that a feature observes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Observed {
    /// The match of each stream: five features.
    Streams,
    /// The query's intent, in each stream: five features, the same for all documents of a query.
    Query,
    /// Length, in each stream: five features.
    Lengths,
    /// Nothing, in each stream: five features of noise.
    Nothing,
    /// Each of the following is one feature.
    Authority,
    Spam,
    Clicks,
    Noise,
}

/// The function from a standard normal observation to a value. All functions rise.
#[derive(Debug, Clone, Copy)]
pub(super) enum Family {
    /// A small count with this median, skewed.
    Count(f64),
    /// A large count with a long tail and this median.
    Large(f64),
    /// Between 0 and 1.
    Ratio,
    /// A real number of at least 0 with this typical size. A fifth of the values are 0.
    Real(f64),
    /// A negative real number, with this typical size.
    Negative(f64),
    /// 0 or 1.
    Boolean,
    /// 0 in four fifths of cases, else a count with a heavy tail.
    Rare,
}

/// Features that are made in the same way.
#[derive(Debug)]
pub(super) struct Group {
    observed: Observed,
    family: Family,
    /// Correlation of the observation with the hidden property.
    quality: f64,
}

impl Group {
    /// Number of features of the group.
    pub(super) fn len(&self) -> usize {
        match self.observed {
            Observed::Streams | Observed::Query | Observed::Lengths | Observed::Nothing => STREAMS.len(),
            Observed::Authority | Observed::Spam | Observed::Clicks | Observed::Noise => 1,
        }
    }
}

const fn group(observed: Observed, family: Family, quality: f64) -> Group {
    Group { observed, family, quality }
}

/// The 46 features of LETOR 4.0, in its order.
pub(super) const MQ2007: &[Group] = &[
    group(Observed::Streams, Family::Count(4.0), 0.7),      // TF
    group(Observed::Query, Family::Real(5.0), 1.0),         // IDF
    group(Observed::Streams, Family::Real(12.0), 0.75),     // TF*IDF
    group(Observed::Lengths, Family::Large(300.0), 0.85),   // length
    group(Observed::Streams, Family::Real(15.0), 0.85),     // BM25
    group(Observed::Streams, Family::Negative(10.0), 0.75), // LMIR.ABS
    group(Observed::Streams, Family::Negative(12.0), 0.75), // LMIR.DIR
    group(Observed::Streams, Family::Negative(14.0), 0.7),  // LMIR.JM
    group(Observed::Authority, Family::Ratio, 0.85),        // PageRank
    group(Observed::Authority, Family::Rare, 0.8),          // inlinks
    group(Observed::Spam, Family::Large(20.0), 0.75),       // outlinks
    group(Observed::Noise, Family::Count(3.0), 0.0),        // slashes in the URL
    group(Observed::Noise, Family::Large(40.0), 0.0),       // length of the URL
    group(Observed::Clicks, Family::Rare, 0.85),            // child pages
];

/// The 136 features of MSLR-WEB30K, in its order.
pub(super) const MSLR: &[Group] = &[
    group(Observed::Streams, Family::Count(1.5), 0.7), // covered query terms
    group(Observed::Streams, Family::Ratio, 0.7),      // their ratio
    group(Observed::Lengths, Family::Large(300.0), 0.85), // stream length
    group(Observed::Query, Family::Real(12.0), 1.0),   // IDF
    group(Observed::Streams, Family::Count(6.0), 0.7), // sum of term frequencies
    group(Observed::Nothing, Family::Count(1.0), 0.0), // their minimum
    group(Observed::Streams, Family::Count(3.0), 0.6), // maximum
    group(Observed::Streams, Family::Real(2.0), 0.65), // mean
    group(Observed::Nothing, Family::Large(3.0), 0.0), // variance
    group(Observed::Streams, Family::Real(0.05), 0.6), // the same, divided by length: sum
    group(Observed::Nothing, Family::Real(0.01), 0.0), // minimum
    group(Observed::Streams, Family::Real(0.03), 0.55), // maximum
    group(Observed::Streams, Family::Real(0.02), 0.6), // mean
    group(Observed::Nothing, Family::Real(0.001), 0.0), // variance
    group(Observed::Streams, Family::Real(40.0), 0.75), // TF*IDF: sum
    group(Observed::Nothing, Family::Real(8.0), 0.0),  // minimum
    group(Observed::Streams, Family::Real(20.0), 0.65), // maximum
    group(Observed::Streams, Family::Real(15.0), 0.7), // mean
    group(Observed::Nothing, Family::Large(50.0), 0.0), // variance
    group(Observed::Streams, Family::Boolean, 0.7),    // boolean model
    group(Observed::Streams, Family::Ratio, 0.75),     // vector space model
    group(Observed::Streams, Family::Real(15.0), 0.85), // BM25
    group(Observed::Streams, Family::Negative(10.0), 0.75), // LMIR.ABS
    group(Observed::Streams, Family::Negative(12.0), 0.75), // LMIR.DIR
    group(Observed::Streams, Family::Negative(14.0), 0.7), // LMIR.JM
    group(Observed::Noise, Family::Count(3.0), 0.0),   // slashes in the URL
    group(Observed::Noise, Family::Large(40.0), 0.0),  // length of the URL
    group(Observed::Authority, Family::Rare, 0.8),     // inlinks
    group(Observed::Noise, Family::Large(5.0), 0.0),   // outlinks
    group(Observed::Authority, Family::Large(2000.0), 0.85), // PageRank
    group(Observed::Authority, Family::Large(9000.0), 0.75), // SiteRank
    group(Observed::Spam, Family::Large(20.0), 0.85),  // quality score
    group(Observed::Spam, Family::Large(15.0), 0.7),   // quality score 2
    group(Observed::Clicks, Family::Rare, 0.85),       // clicks of the query and URL
    group(Observed::Clicks, Family::Rare, 0.75),       // clicks of the URL
    group(Observed::Clicks, Family::Rare, 0.7),        // dwell time
];

/// Writes the features of a query's documents, row by row.
pub(super) fn observe(shape: &Shape, plan: &mut QueryPlan, documents: &[Properties], features: &mut [f32]) {
    let width = shape.features();
    for (document, row) in documents.iter().zip(features.chunks_exact_mut(width)) {
        let mut places = row.iter_mut();
        for group in shape.groups {
            for (stream, place) in STREAMS.into_iter().zip(places.by_ref().take(group.len())) {
                *place = group.value(document, stream, plan.intent, &mut plan.rng);
            }
        }
    }
    if shape.scaled {
        scale(features, width);
    }
}

impl Group {
    fn value(&self, document: &Properties, stream: Stream, intent: f64, rng: &mut Rng) -> f32 {
        let of_stream = matches!(self.observed, Observed::Streams | Observed::Lengths | Observed::Nothing);
        let noise = if self.quality < 1.0 { rng.normal() } else { 0.0 };
        if of_stream && !document.has(stream) {
            return 0.0;
        }
        let observed = match self.observed {
            Observed::Streams => document.matches(stream),
            Observed::Query => intent,
            Observed::Lengths => document.length,
            Observed::Authority => document.authority,
            Observed::Spam => document.spam,
            Observed::Clicks => document.clicks,
            Observed::Nothing | Observed::Noise => 0.0,
        };
        self.family.value(self.quality * observed + (1.0 - self.quality * self.quality).sqrt() * noise)
    }
}

impl Properties {
    fn matches(&self, stream: Stream) -> f64 {
        match stream {
            Stream::Body => self.body,
            Stream::Anchor => self.anchor,
            Stream::Title => self.title,
            Stream::Url => self.url,
            // The four streams have correlation .25, so their sum has variance 7.
            Stream::Whole => (self.body + self.anchor + self.title + self.url) / 7f64.sqrt(),
        }
    }

    /// Whether the document has the stream. Anchor text and matching URLs are rare.
    fn has(&self, stream: Stream) -> bool {
        match stream {
            Stream::Body | Stream::Whole => true,
            Stream::Title => self.title > -1.5,
            Stream::Anchor => self.anchor > 0.0,
            Stream::Url => self.url > 0.2,
        }
    }
}

impl Family {
    /// The value for a nearly standard normal observation, with six decimals as in the real files.
    fn value(self, x: f64) -> f32 {
        let value = match self {
            Family::Count(median) => (median * libm::exp(0.7 * x)).floor(),
            Family::Large(median) => (median * libm::exp(1.3 * x)).floor(),
            Family::Ratio => 1.0 / (1.0 + libm::exp(-1.5 * x)),
            Family::Real(size) => size * (x + 0.85).max(0.0),
            Family::Negative(size) => -size * libm::exp(-0.4 * x),
            Family::Boolean => f64::from(u8::from(x > 0.5)),
            Family::Rare => (libm::exp(1.0 + 2.5 * (x - 0.85)).floor()) * f64::from(u8::from(x > 0.85)),
        };
        ((value * 1e6).round() / 1e6) as f32
    }
}

/// Scales each feature to [0, 1] within a query, with six decimals. A constant feature becomes 0.
fn scale(features: &mut [f32], width: usize) {
    for column in 0..width {
        let values = || features.iter().skip(column).step_by(width).map(|&value| f64::from(value));
        let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        for value in features.iter_mut().skip(column).step_by(width) {
            let scaled = if high > low { (f64::from(*value) - low) / (high - low) } else { 0.0 };
            *value = ((scaled * 1e6).round() / 1e6) as f32;
        }
    }
}
