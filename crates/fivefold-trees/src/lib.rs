//! Binning, histograms and growing of regression trees over plain slices.
