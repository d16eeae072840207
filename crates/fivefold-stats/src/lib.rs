//! Paired tests, Kendall's tau, swap rate, PAD and discriminative power over plain slices.
