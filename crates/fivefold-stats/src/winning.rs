//! Winning numbers: how often a system beats another, over data sets that need not have values of
//! all systems.
//!
//! For system i over data sets j: WN_i = sum_j sum_k [M_i(j) > M_k(j)]. IWN_i is the number of (j,
//! k), k other than i, for which data set j has values of both systems. NWN_i = WN_i / IWN_i (Tax,
//! Bockting & Hiemstra, "A cross-benchmark comparison of 87 learning to rank methods", IPM 51,
//! 2015). An equal value, up to rounding, is no win. Cost: data sets x systems^2.

use fivefold_base::rounding::levels_of_defined;

use crate::error::{StatsError, same_length};

/// The winning number of one system.
///
/// ```
/// use fivefold_stats::WinningNumber;
///
/// assert_eq!(WinningNumber { wins: 3, ideal: 4 }.normalised(), Some(0.75));
/// assert_eq!(WinningNumber::default().normalised(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WinningNumber {
    /// WN: number of comparisons that the system wins.
    pub wins: usize,
    /// IWN: number of comparisons in which the system takes part.
    pub ideal: usize,
}

impl WinningNumber {
    /// NWN; `None` if the system is compared with no other system.
    pub fn normalised(&self) -> Option<f64> {
        (self.ideal > 0).then(|| self.wins as f64 / self.ideal as f64)
    }
}

/// Winning numbers of all systems from `[data set][system]`; `None` marks a system that was not
/// evaluated.
///
/// ```
/// use fivefold_stats::winning_numbers;
///
/// // Two data sets; the third system was run on the first one only.
/// let values = [vec![Some(0.5), Some(0.4), Some(0.3)], vec![Some(0.2), Some(0.6), None]];
/// let numbers = winning_numbers(&values)?;
/// assert_eq!((numbers[0].wins, numbers[0].ideal), (2, 3));
/// assert_eq!(numbers[1].normalised(), Some(2.0 / 3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::LengthMismatch`] if data sets differ in their number of systems.
/// [`StatsError::NotFinite`], with the position of the system.
pub fn winning_numbers(values: &[Vec<Option<f64>>]) -> Result<Vec<WinningNumber>, StatsError> {
    let systems = values.first().map_or(0, Vec::len);
    let mut numbers = vec![WinningNumber::default(); systems];
    for of_dataset in values {
        same_length(systems, of_dataset.len())?;
        if let Some((position, Some(value))) =
            of_dataset.iter().enumerate().find(|(_, value)| value.is_some_and(|value| !value.is_finite()))
        {
            return Err(StatsError::NotFinite { position, value: *value });
        }
        let levels = levels_of_defined(of_dataset);
        for (i, number) in numbers.iter_mut().enumerate() {
            let Some(own) = levels[i] else { continue };
            for other in levels.iter().enumerate().filter_map(|(k, other)| other.filter(|_| k != i)) {
                number.ideal += 1;
                number.wins += usize::from(own > other);
            }
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let values =
            [vec![Some(0.5), Some(0.4), None], vec![Some(0.2), Some(0.3), Some(0.3)], vec![None, None, Some(0.9)]];
        let numbers = winning_numbers(&values).unwrap();
        let of = |wins, ideal| WinningNumber { wins, ideal };
        assert_eq!(numbers, [of(1, 3), of(1, 3), of(1, 2)]);
        assert_eq!(numbers[2].normalised(), Some(0.5));
        assert_eq!(WinningNumber::default().normalised(), None);
        let means = [[0.4, 0.5, 0.3], [0.1, 0.2, 0.9]].map(|values| Some(values.iter().sum::<f64>() / 3.0));
        assert!(means[0] != means[1], "equal but for rounding");
        assert_eq!(winning_numbers(&[means.to_vec()]).unwrap(), [of(0, 1), of(0, 1)]);
        assert!(winning_numbers(&[vec![None], vec![]]).is_err());
        assert!(matches!(
            winning_numbers(&[vec![Some(1.0), Some(f64::NAN)]]),
            Err(StatsError::NotFinite { position: 1, .. })
        ));
    }
}
