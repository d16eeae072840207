//! LETOR/SVMlight reading, layouts, folds, normalisers and made collections.
